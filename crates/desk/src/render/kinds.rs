//! From a table to its code: the kinds of the experiments.

use std::{collections::BTreeMap, fmt::Write as _, path::Path};

use kibitz_lab::config::{catalog::Catalog, entry::Entry};

use super::markdown::kind_file;

/// A row for each kind: its code, its experiments, and what these read.
pub(super) fn kinds_table(catalog: &Catalog, root: &Path) -> String {
    let mut text =
        "| kind | code | tables and datasets | read from |\n| --- | --- | --- | --- |\n".to_owned();
    let mut by_kind: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for entry in &catalog.entries {
        by_kind.entry(entry.kind.name()).or_default().push(entry);
    }
    for (kind, entries) in by_kind {
        let code = kind_file(&entries[0].kind, root);
        let code = code.map_or_else(String::new, |file| format!("[{file}](../{file})"));
        let read = entries.iter().flat_map(|entry| &entry.experiment.from);
        let mut read: Vec<&str> = read.map(|used| used.entry.as_str()).collect();
        read.sort_unstable();
        read.dedup();
        let ids = listed(entries.iter().map(|entry| entry.id()));
        let _ = writeln!(text, "| `{kind}` | {code} | {ids} | {} |", listed(read));
    }
    text
}

/// Ids, the paper named where it changes: `` `sugar1975/table4-3`, `entry-order` ``.
fn listed<'a>(ids: impl IntoIterator<Item = &'a str>) -> String {
    let mut paper = "";
    let mut shown = Vec::new();
    for id in ids {
        let (own, name) = id.split_once('/').unwrap_or(("", id));
        shown.push(if own == paper {
            format!("`{name}`")
        } else {
            format!("`{id}`")
        });
        paper = own;
    }
    shown.join(", ")
}
