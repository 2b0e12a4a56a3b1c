//! The list of experiment kinds, paper by paper, and those over datasets.

#[cfg(test)]
mod tests;

use kibitz_experiment::Kind;

/// Every kind, sorted by name.
pub(crate) fn kinds() -> Vec<Kind> {
    let mut kinds = kibitz_jansen2000::kinds();
    kinds.extend(kibitz_sugar1975::kinds());
    kinds.extend(kibitz_morales1992::kinds());
    kinds.extend(kibitz_pena2003::kinds());
    kinds.extend(kibitz_analysis::kinds());
    kinds.extend(kibitz_graph::experiment::kinds());
    kinds.sort_by_key(Kind::name);
    kinds
}
