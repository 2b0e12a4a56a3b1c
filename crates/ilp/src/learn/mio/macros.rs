//! Macros: literals of the bottom clause that belong together.
//!
//! A literal is a provider if it has outputs, and a consumer of what provides its inputs. A literal
//! that provides nothing to others makes a macro with the providers of its inputs, the providers of
//! theirs, and so on. Macros that differ in the names of variables are one.
//!
//! The paper leaves open which providers are meant where a variable has several: here all are, as
//! long as they make a different macro.
//!
//! # Source
//! Peña Castillo and Wrobel 2002, Macro-operators in multirelational learning, as their paper of 2003
//! describes it in section 3.2.

use indexmap::IndexMap;
use kibitz_prolog::Direction;
use rustc_hash::FxBuildHasher;

use crate::encoded::{Language, number};
use crate::eval::{Key, Pattern};
use crate::learn::bottom_clause::Bottom;

/// Most different ways to provide one variable.
const MAX_WAYS: usize = 8;
/// Most combinations of ways to provide the inputs of one literal.
const MAX_COMBINATIONS: usize = 64;

/// The macros of a bottom clause with at most `max_literals` literals, the shortest first.
pub(super) fn macros(language: &Language, bottom: &Bottom, max_literals: usize) -> Vec<Pattern> {
    let pattern = &bottom.pattern;
    let n_vars = pattern.vars.len();
    let n_head = pattern.n_head_vars();
    let outputs = |i: usize| output_vars(language, pattern, i).filter(move |&var| var >= n_head);
    let mut is_consumed = vec![false; n_vars];
    for i in 0..pattern.lits.len() {
        input_vars(language, pattern, i).for_each(|var| is_consumed[var] = true);
    }
    let mut ways: Vec<IndexMap<Key, Vec<usize>, FxBuildHasher>> = vec![IndexMap::default(); n_vars];
    let mut found: IndexMap<Key, Pattern, FxBuildHasher> = IndexMap::default();
    for i in 0..pattern.lits.len() {
        let mut sets: Vec<Vec<usize>> = vec![vec![i]];
        for var in input_vars(language, pattern, i).filter(|&var| var >= n_head) {
            let combined = sets.iter().flat_map(|set| {
                let ways = ways[var].values();
                ways.map(|way| union(set, way))
                    .filter(|set| set.len() <= max_literals)
            });
            sets = combined.take(MAX_COMBINATIONS).collect();
        }
        let is_last = outputs(i).all(|var| !is_consumed[var]);
        for set in &sets {
            let whole = restricted(language, pattern, set);
            if is_last {
                found.entry(whole.0.key()).or_insert(whole.0);
                continue;
            }
            for var in outputs(i) {
                let others = set.iter().filter(|&&other| other != i);
                let is_known = others
                    .clone()
                    .any(|&other| outputs(other).any(|own| own == var));
                if is_known || ways[var].len() >= MAX_WAYS || set.len() >= max_literals {
                    continue;
                }
                let key = whole.0.key_from(whole.1[var].unwrap_or(0));
                ways[var].entry(key).or_insert_with(|| set.clone());
            }
        }
    }
    let found = found.into_values();
    let mut macros: Vec<(Key, Pattern)> = found.map(|it| (it.ordered_key(), it)).collect();
    macros.sort_by(|(a, p), (b, q)| p.lits.len().cmp(&q.lits.len()).then_with(|| a.cmp(b)));
    macros.into_iter().map(|(_, pattern)| pattern).collect()
}

fn vars_at<'p>(
    pattern: &'p Pattern,
    places: &'p [usize],
    i: usize,
) -> impl Iterator<Item = (usize, usize)> + use<'p> {
    places
        .iter()
        .filter_map(move |&place| Some((place, pattern.lits[i].args[place].var()? as usize)))
}

fn input_vars<'p>(
    language: &'p Language,
    pattern: &'p Pattern,
    i: usize,
) -> impl Iterator<Item = usize> + Clone + use<'p> {
    let access = language.access(pattern.lits[i].relation as usize);
    let vars: Vec<usize> = vars_at(pattern, &access.inputs, i)
        .map(|(_, var)| var)
        .collect();
    vars.into_iter()
}

fn output_vars<'p>(
    language: &'p Language,
    pattern: &'p Pattern,
    i: usize,
) -> impl Iterator<Item = usize> + use<'p> {
    let mode = pattern.lits[i].relation as usize;
    let is_output = move |place: usize| language.modes[mode].args[place].0 == Direction::Out;
    vars_at(pattern, &language.access(mode).outputs, i)
        .filter(move |&(place, _)| is_output(place))
        .map(|(_, var)| var)
}

/// Both, sorted.
fn union(a: &[usize], b: &[usize]) -> Vec<usize> {
    let mut both: Vec<usize> = a.iter().chain(b).copied().collect();
    both.sort_unstable();
    both.dedup();
    both
}

/// Some literals of a pattern as a pattern, and the names of its variables there.
fn restricted(
    language: &Language,
    pattern: &Pattern,
    lits: &[usize],
) -> (Pattern, Vec<Option<u32>>) {
    let n_head = pattern.n_head_vars();
    let mut part = Pattern {
        head: pattern.head.clone(),
        lits: Vec::new(),
        vars: pattern.vars[..n_head].to_vec(),
    };
    let head_known = |var: usize| pattern.head_is_input(language, var);
    for var in 0..n_head {
        part.vars[var].is_known = head_known(var);
    }
    let mut names: Vec<Option<u32>> = vec![None; pattern.vars.len()];
    for (name, var) in names.iter_mut().take(n_head).zip(0..) {
        *name = Some(var);
    }
    for &i in lits {
        let mut next = part.vars.len();
        let lit = pattern.lits[i].renamed(|var| {
            *names[var as usize].get_or_insert_with(|| {
                next += 1;
                number(next - 1)
            })
        });
        part.push(language, lit);
    }
    (part, names)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Every input of a macro's literals is provided before, or by the head.
    pub(in crate::learn::mio) fn assert_provided(language: &Language, pattern: &Pattern) {
        let mut known: Vec<bool> = (pattern.vars.iter().enumerate())
            .map(|(var, _)| var < pattern.n_head_vars() && pattern.head_is_input(language, var))
            .collect();
        for i in 0..pattern.lits.len() {
            assert!(input_vars(language, pattern, i).all(|var| known[var]));
            output_vars(language, pattern, i).for_each(|var| known[var] = true);
        }
    }
}
