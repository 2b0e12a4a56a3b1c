//! `experiments/papers.toml`: the papers, their errata, and the tables left out with the reason.

use serde::Deserialize;
use toml::Spanned;
use toml::de::DeTable;

use super::section::{Section, in_file_order};
use crate::diagnostic::{Diagnostics, SourceFile};
use crate::params::decode;

/// One paper.
#[derive(Clone, Debug)]
pub(crate) struct Paper {
    pub(crate) id: String,
    pub(crate) details: PaperDetails,
}

/// What the file says of a paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct PaperDetails {
    pub(crate) citation: String,
    #[serde(default)]
    pub(crate) link: Option<String>,
    #[serde(default)]
    pub(crate) errata: Vec<String>,
    #[serde(default)]
    pub(crate) not_attempted: Vec<NotAttempted>,
}

/// A table we do not rebuild.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct NotAttempted {
    #[serde(rename = "where")]
    pub(crate) place: String,
    pub(crate) reason: String,
}

/// Reads the papers in file order.
pub(crate) fn read(source: &SourceFile, problems: &mut Diagnostics) -> Vec<Paper> {
    let root = match DeTable::parse(source.text()) {
        Ok(root) => root,
        Err(error) => {
            let span = error.span().unwrap_or(0..0);
            problems.push(source.error_at(span, error.message().to_owned()));
            return Vec::new();
        }
    };
    let mut papers = Vec::new();
    for (key, node) in in_file_order(root.get_ref()) {
        let id = key.get_ref().to_string();
        let name = format!("paper `{id}`");
        if Section::of(source, &name, node, problems).is_none() {
            continue;
        }
        let Some(table) = node.get_ref().as_table() else {
            continue;
        };
        let table = Spanned::new(node.span(), table.clone());
        match decode(
            source,
            table,
            &|key| format!("unknown key `{key}` in {name}"),
            &|table| PaperDetails::deserialize(table),
        ) {
            Ok(details) => papers.push(Paper { id, details }),
            Err(found) => problems.append(found),
        }
    }
    papers
}
