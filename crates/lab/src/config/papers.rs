//! `experiments/papers.toml`: the papers, their errata, and the tables left out with the reason.

use ::toml::Spanned;
use serde::Deserialize;

use crate::wire::Entries;
use kibitz_experiment::suggestion;
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
    /// Its own title.
    pub(crate) title: Option<String>,
    /// Authors and year.
    pub(crate) short: Option<String>,
    pub(crate) citation: String,
    pub(crate) link: Option<String>,
    /// Whether its tables are printed somewhere; questions of one's own are not.
    #[serde(default = "yes")]
    pub(crate) published: bool,
    /// In one sentence, why cells differ.
    pub(crate) differences: Option<String>,
    #[serde(default)]
    pub(crate) errata: Vec<String>,
    /// Every table that it prints, in its order.
    #[serde(default)]
    pub(crate) tables: Vec<PrintedTable>,
    #[serde(default)]
    pub(crate) not_attempted: Vec<NotAttempted>,
    /// The topics under which its tables are listed; a table is in the last that has one of its tags.
    #[serde(default)]
    pub(crate) topics: Vec<Topic>,
}

/// A heading for tables.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Topic {
    pub(crate) title: String,
    /// The tags of its tables.
    pub(crate) tags: Vec<String>,
}

/// A table or figure in print.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct PrintedTable {
    #[serde(rename = "where")]
    pub(crate) place: String,
    /// The tables of the same paper that rebuild it.
    #[serde(default)]
    pub(crate) rebuilt_by: Vec<Spanned<String>>,
    /// What it holds, or why it is not attempted.
    pub(crate) note: Option<String>,
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

/// That printed tables name tables of their paper, or say why there is none.
pub(crate) fn check_tables(
    source: &SourceFile,
    papers: &[Paper],
    ids: &[String],
    problems: &mut Diagnostics,
) {
    for paper in papers {
        let id = &paper.id;
        let own = ids
            .iter()
            .filter_map(|known| known.strip_prefix(id.as_str())?.strip_prefix('/'));
        let own: Vec<&str> = own.collect();
        for table in &paper.details.tables {
            if table.rebuilt_by.is_empty() && table.note.is_none() {
                let message = format!(
                    "nothing rebuilds {} of {id}, and no `note` says why",
                    table.place
                );
                problems.push(source.error_at(0..0, message));
            }
            for name in &table.rebuilt_by {
                if !own.contains(&name.get_ref().as_str()) {
                    let message = format!("{id} has no table `{}`", name.get_ref());
                    let problem = source.error_at(name.span(), message);
                    let label = suggestion(name.get_ref(), own.iter().copied());
                    problems.push(problem.with_label(label));
                }
            }
        }
    }
}
