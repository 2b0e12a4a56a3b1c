//! `experiments/papers.toml`: the papers, their errata, and the tables left out with the reason.

use ::toml::Spanned;
use serde::Deserialize;

use crate::wire::Entries;
use kibitz_experiment::suggestion;
use kibitz_text::toml;
use kibitz_text::{Diagnostics, SourceFile};

/// One paper.
#[derive(Clone, Debug)]
pub struct Paper {
    /// Its folder in `experiments/`.
    pub id: String,
    /// What the file says of it.
    pub details: PaperDetails,
}

/// What the file says of a paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PaperDetails {
    /// Its own title.
    pub title: Option<String>,
    /// Authors and year.
    pub short: Option<String>,
    /// The whole reference.
    pub citation: String,
    /// Where it can be found.
    pub link: Option<String>,
    /// Whether its tables are published; explorations are not.
    #[serde(default = "yes")]
    pub published: bool,
    /// In one sentence, why cells differ.
    pub differences: Option<String>,
    /// Errors found in the paper.
    #[serde(default)]
    pub errata: Vec<String>,
    /// Every table that it prints, in its order.
    #[serde(default)]
    pub tables: Vec<PrintedTable>,
    /// Whatever else of it is not attempted.
    #[serde(default)]
    pub not_attempted: Vec<NotAttempted>,
    /// The topics under which its tables are listed; a table is in the last that has one of its tags.
    #[serde(default)]
    pub topics: Vec<Topic>,
}

/// A heading for tables.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Topic {
    /// The heading.
    pub title: String,
    /// The tags of its tables.
    pub tags: Vec<String>,
}

/// A published table or figure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PrintedTable {
    /// Its published name, such as `Table 2`.
    #[serde(rename = "where")]
    pub place: String,
    /// The tables of the same paper that rebuild it.
    #[serde(default)]
    pub rebuilt_by: Vec<Spanned<String>>,
    /// What it holds, or why it is not attempted.
    pub note: Option<String>,
}

fn yes() -> bool {
    true
}

/// A table we do not rebuild.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NotAttempted {
    /// Where it stands.
    #[serde(rename = "where")]
    pub place: String,
    /// Why it is not attempted.
    pub reason: String,
}

/// Reads the papers in file order.
pub fn read(source: &SourceFile, problems: &mut Diagnostics) -> Vec<Paper> {
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
pub fn check_tables(
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
