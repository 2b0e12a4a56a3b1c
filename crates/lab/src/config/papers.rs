//! `experiments/papers.toml`: the papers, their errata, and the tables left out with the reason.

use serde::Deserialize;

use crate::wire::Entries;
use kibitz_text::toml;
use kibitz_text::{Diagnostics, SourceFile};

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
    pub(crate) link: Option<String>,
    /// Whether its tables are printed somewhere; questions of one's own are not.
    #[serde(default = "yes")]
    pub(crate) published: bool,
    /// In one sentence, why cells differ.
    pub(crate) differences: Option<String>,
    #[serde(default)]
    pub(crate) errata: Vec<String>,
    #[serde(default)]
    pub(crate) not_attempted: Vec<NotAttempted>,
}

fn yes() -> bool {
    true
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
    let papers: Entries<PaperDetails> = toml::read(source, problems).unwrap_or_default();
    let papers = papers.0.into_iter();
    papers
        .map(|(id, details)| Paper {
            id: id.into_inner(),
            details,
        })
        .collect()
}
