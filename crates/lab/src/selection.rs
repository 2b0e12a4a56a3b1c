//! Which experiments a command is about; the same for every command.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use regex::Regex;

use crate::config::catalog::Catalog;
use crate::config::entry::Entry;
use crate::config::papers::Paper;
use crate::error::LabError;
use crate::session::bad_config;
use kibitz_experiment::suggestion;
use kibitz_text::Exit;
use kibitz_text::{Diagnostic, Diagnostics, nearest};
use wildmatch::WildMatch;

/// The selectors of the command line. All given ones must hold.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Ids, papers (`jansen2000`), or patterns with `*` and `?`; any of them.
    pub ids: Vec<String>,
    /// Regular expression found in the id.
    pub filter: Option<String>,
    /// Regular expression not found in the id.
    pub not: Option<String>,
    /// Names of kinds; any of them.
    pub kinds: Vec<String>,
    /// Tags that are there, or with `!` in front are not; all of them.
    pub tags: Vec<String>,
    /// Leave out the tables of papers that are not published, where there are tables of others.
    pub without_explorations: bool,
}

/// The experiments that are meant, and those among them whose files have problems.
#[derive(Debug)]
pub struct SelectedExperiments<'c> {
    /// Sorted by id.
    pub entries: Vec<&'c Entry>,
    /// Ids of the others; the commands go on without them and say so.
    pub broken: Vec<&'c str>,
    /// The explorations that are left out, and the datasets that only they read.
    pub aside: Vec<&'c Entry>,
    /// What was selected from.
    pub catalog: &'c Catalog,
}

impl SelectedExperiments<'_> {
    /// Leaves out the tables of papers that are not published, and the datasets that they read: a table
    /// that needs one of these as well brings it back. Nothing is left out where no other table is.
    fn set_explorations_aside(&mut self) {
        let catalog = self.catalog;
        let is_table = |entry: &&Entry| !entry.is_dataset() && !catalog.is_exploration(entry.id());
        if !self.entries.iter().any(is_table) {
            return;
        }
        let is_exploration = |entry: &&Entry| catalog.is_exploration(entry.id());
        let explorations = self.entries.iter().copied().filter(is_exploration);
        let mut aside: BTreeMap<&str, &Entry> = BTreeMap::new();
        let mut waiting: Vec<&Entry> = explorations.collect();
        while let Some(entry) = waiting.pop() {
            let is_left_out = entry.is_dataset() || is_exploration(&entry);
            if is_left_out && aside.insert(entry.id(), entry).is_none() {
                let read = entry.experiment.from.iter();
                waiting.extend(read.filter_map(|used| catalog.entry(&used.entry)));
            }
        }
        self.entries.retain(|entry| !aside.contains_key(entry.id()));
        self.broken.retain(|id| !catalog.is_exploration(id));
        self.aside = aside.into_values().collect();
    }

    /// The problems of what is left out.
    pub fn problems(&self) -> Diagnostics {
        self.catalog.problems_of(|id| self.broken.contains(&id))
    }
}

/// The files that stand where no experiment is read.
pub fn strays(catalog: &Catalog) -> String {
    let mut text = String::new();
    for stray in catalog.strays.iter() {
        let _ = writeln!(text, "{stray}");
    }
    text
}

impl Selection {
    /// Whether everything is selected.
    pub fn is_all(&self) -> bool {
        self.ids.is_empty()
            && self.filter.is_none()
            && self.not.is_none()
            && self.kinds.is_empty()
            && self.tags.is_empty()
            && !self.without_explorations
    }

    /// The selected experiments.
    ///
    /// # Errors
    /// Exit code 2 for a selector that makes no sense, or if all that are meant have problems; 4 when
    /// nothing matches.
    pub fn apply<'c>(
        &self,
        catalog: &'c Catalog,
        program: &str,
    ) -> Result<SelectedExperiments<'c>, LabError> {
        let mut problems = Diagnostics::new();
        let mut regex = |pattern: &Option<String>, option: &str| -> Option<Regex> {
            let pattern = pattern.as_ref()?;
            Regex::new(pattern)
                .map_err(|error| {
                    let reason = error.to_string();
                    let reason = reason.lines().last().unwrap_or_default();
                    let reason = reason.trim_start_matches("error: ");
                    problems.push(Diagnostic::new(format!(
                        "`{option} {pattern}` is not a regular expression: {reason}"
                    )));
                })
                .ok()
        };
        let filter = regex(&self.filter, "--filter");
        let not = regex(&self.not, "--not");
        for kind in &self.kinds {
            let names = || catalog.entries.iter().map(|entry| entry.kind.name());
            if !names().any(|name| name == kind) {
                let mut names: Vec<&str> = names().collect();
                names.dedup();
                problems.push(
                    Diagnostic::new(format!("no experiment is of kind `{kind}`"))
                        .with_label(suggestion(kind, names)),
                );
            }
        }
        // `wanted` is an id, a paper or a pattern.
        let selects = |wanted: &str, id: &str| {
            id == wanted
                || id.split('/').next() == Some(wanted)
                || WildMatch::new(wanted).matches(id)
        };
        let ids = || {
            let broken = catalog.broken.iter().map(|(id, _)| id.as_str());
            catalog.entries.iter().map(Entry::id).chain(broken)
        };
        let unmatched: Vec<&String> = self
            .ids
            .iter()
            .filter(|wanted| !ids().any(|id| selects(wanted, id)))
            .collect();
        let all_unmatched = !self.ids.is_empty() && unmatched.len() == self.ids.len();
        for id in unmatched {
            problems.push(
                Diagnostic::new(format!("no experiment is called `{id}`")).with_label(named_like(
                    id,
                    &catalog.papers,
                    ids(),
                    program,
                )),
            );
        }
        if !problems.is_empty() {
            let exit = if all_unmatched {
                Exit::NothingSelected
            } else {
                Exit::BadInput
            };
            let told = format!("{}{problems}\n", strays(catalog));
            return Err(LabError::new(exit, told));
        }
        let is_wanted = |id: &str| {
            (self.ids.is_empty() || self.ids.iter().any(|wanted| selects(wanted, id)))
                && filter.as_ref().is_none_or(|filter| filter.is_match(id))
                && !not.as_ref().is_some_and(|not| not.is_match(id))
        };
        // Of a file that cannot be read nobody knows the kind and the tags.
        let knows_all = self.kinds.is_empty() && self.tags.is_empty();
        let broken = catalog.broken.iter().map(|(id, _)| id.as_str());
        let broken = broken.filter(|id| knows_all && is_wanted(id)).collect();
        let entries: Vec<&Entry> = catalog
            .entries
            .iter()
            .filter(|entry| {
                let has_tag = |tag: &str| entry.experiment.file.tags.iter().any(|own| own == tag);
                is_wanted(entry.id())
                    && (self.kinds.is_empty()
                        || self.kinds.iter().any(|kind| kind == entry.kind.name()))
                    && self.tags.iter().all(|tag| match tag.strip_prefix('!') {
                        Some(tag) => !has_tag(tag),
                        None => has_tag(tag),
                    })
            })
            .collect();
        let mut selected = SelectedExperiments {
            entries,
            broken,
            aside: Vec::new(),
            catalog,
        };
        if self.without_explorations {
            selected.set_explorations_aside();
        }
        if selected.entries.is_empty() && !selected.broken.is_empty() {
            return Err(bad_config(&selected.problems()));
        }
        if selected.entries.is_empty() {
            let none = if catalog.entries.is_empty() && catalog.broken.is_empty() {
                Diagnostic::new("there is no experiment in the folder `experiments`")
                    .with_note(format!("`{program} new PAPER/NAME --kind KIND` writes one"))
            } else {
                Diagnostic::new("the selection matches no experiment")
                    .with_note(format!("`{program} list` shows them all"))
            };
            let told = format!("{}{none}\n", strays(catalog));
            return Err(LabError::new(Exit::NothingSelected, told));
        }
        Ok(selected)
    }
}

/// The papers and experiments that an unknown name may mean, or where all are listed.
fn named_like<'c>(
    name: &str,
    papers: &'c [Paper],
    ids: impl Iterator<Item = &'c str>,
    program: &str,
) -> String {
    let papers = papers.iter().map(|paper| paper.id.as_str());
    let known: Vec<&str> = papers.chain(ids).collect();
    if nearest(name, known.iter().copied()).is_some() {
        suggestion(name, known)
    } else {
        format!("`{program} list` shows all experiments")
    }
}
