//! Which experiments a command is about; the same for every command.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use regex::Regex;

use crate::config::catalog::Catalog;
use crate::config::entry::Entry;
use crate::error::LabError;
use crate::lab::Lab;
use crate::session::bad_config;
use kibitz_text::{Diagnostic, Diagnostics, Exit, did_you_mean, near, suggestion};
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
    /// Exit code 2 for a regular expression that is none, or if all that are meant have problems; 4 for a
    /// name that nothing has, and when nothing matches.
    pub fn apply<'c>(
        &self,
        catalog: &'c Catalog,
        lab: &Lab,
    ) -> Result<SelectedExperiments<'c>, LabError> {
        let refuse = |exit, problems: &Diagnostics| {
            let told = format!("{}{problems}\n", strays(catalog));
            Err(LabError::new(exit, told))
        };
        let mut problems = Diagnostics::new();
        let filter = regex(self.filter.as_deref(), "--filter", &mut problems);
        let not = regex(self.not.as_deref(), "--not", &mut problems);
        if !problems.is_empty() {
            return refuse(Exit::BadInput, &problems);
        }
        if catalog.entries.is_empty() && catalog.broken.is_empty() {
            return refuse(Exit::NothingSelected, &no_tables(lab).into());
        }
        let unknown = self.unknown(catalog, lab);
        if !unknown.is_empty() {
            return refuse(Exit::NothingSelected, &unknown);
        }
        let is_wanted = |id: &str| {
            (self.ids.is_empty() || self.ids.iter().any(|wanted| names(wanted, id)))
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
                let has_tag = |tag: &str| tags(entry).any(|own| own == tag);
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
            let none = Diagnostic::new("the selection matches no experiment")
                .with_note(format!("`{} list` shows them all", lab.program));
            return refuse(Exit::NothingSelected, &none.into());
        }
        Ok(selected)
    }

    /// The names that nothing has: of experiments, kinds and tags.
    fn unknown(&self, catalog: &Catalog, lab: &Lab) -> Diagnostics {
        let mut problems = Diagnostics::new();
        let kinds = sorted(catalog.entries.iter().map(|entry| entry.kind.name()));
        for kind in &self.kinds {
            if !kinds.contains(&kind.as_str()) {
                let problem = Diagnostic::new(format!("no experiment is of kind `{kind}`"));
                problems.push(problem.with_label(suggestion(kind, kinds.iter().copied())));
            }
        }
        let known = sorted(catalog.entries.iter().flat_map(tags));
        // `!slow` is valid where nothing is slow.
        for tag in self.tags.iter().filter(|tag| !tag.starts_with('!')) {
            if !known.contains(&tag.as_str()) {
                let problem = Diagnostic::new(format!("no experiment has the tag `{tag}`"));
                problems.push(problem.with_label(suggestion(tag, known.iter().copied())));
            }
        }
        let broken = catalog.broken.iter().map(|(id, _)| id.as_str());
        let ids: Vec<&str> = catalog
            .entries
            .iter()
            .map(Entry::id)
            .chain(broken)
            .collect();
        for wanted in &self.ids {
            if !ids.iter().any(|id| names(wanted, id)) {
                let problem = Diagnostic::new(format!("no experiment is called `{wanted}`"));
                problems.push(problem.with_label(named_like(wanted, catalog, &ids, lab)));
            }
        }
        problems
    }
}

/// Whether this is the id, its paper, or a pattern of it.
fn names(wanted: &str, id: &str) -> bool {
    id == wanted || id.split('/').next() == Some(wanted) || WildMatch::new(wanted).matches(id)
}

/// Each name once, in the order of letters.
fn sorted<'n>(names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let names: BTreeSet<&str> = names.collect();
    names.into_iter().collect()
}

fn tags(entry: &Entry) -> impl Iterator<Item = &str> {
    entry.experiment.file.tags.iter()
}

/// The regular expression of an option.
fn regex(pattern: Option<&str>, option: &str, problems: &mut Diagnostics) -> Option<Regex> {
    let pattern = pattern?;
    let problem = |error: regex::Error| {
        let reason = error.to_string();
        let reason = reason.lines().last().unwrap_or_default();
        let reason = reason.trim_start_matches("error: ");
        Diagnostic::new(format!(
            "`{option} {pattern}` is not a regular expression: {reason}"
        ))
    };
    let compiled = Regex::new(pattern).map_err(|error| problems.push(problem(error)));
    compiled.ok()
}

/// That there is nothing to select from, and how that changes.
fn no_tables(lab: &Lab) -> Diagnostic {
    let new = format!("`{} new PAPER/TABLE --kind KIND`", lab.program);
    let add = match lab.add_table {
        Some(command) => format!("`{} {command}` or {new}", lab.program),
        None => new,
    };
    Diagnostic::new("the project has no tables yet").with_note(format!("add one with {add}"))
}

/// What an unknown name may mean, or where all names are listed.
fn named_like(name: &str, catalog: &Catalog, ids: &[&str], lab: &Lab) -> String {
    let papers = catalog.papers.iter().map(|paper| paper.id.as_str());
    // A paper may have no tables yet.
    let papers: Vec<&str> = papers.filter(|paper| *paper != name).collect();
    // The path of a file, as a shell completes it.
    let path = name.rsplit("experiments/").next().unwrap_or(name);
    let path = path.trim_end_matches('/').trim_end_matches(".toml");
    let at_path = ids.iter().chain(&papers).find(|known| **known == path);
    let near = |known: &[&str]| did_you_mean(&near(name, known.iter().copied()));
    let as_kind = || {
        let is_kind = lab.kinds.iter().any(|kind| kind.name() == name);
        let is_part_of_id = ids.iter().any(|id| id.contains(name));
        (is_kind && !is_part_of_id)
            .then(|| format!("it is a kind: `{} kinds {name}` shows it", lab.program))
    };
    did_you_mean(at_path.copied().as_slice())
        .or_else(|| near(&papers))
        .or_else(as_kind)
        .or_else(|| near(ids))
        .unwrap_or_else(|| {
            let list = format!("`{} list` shows all experiments", lab.program);
            let published = papers.iter().copied();
            let published: Vec<&str> = published.filter(|it| !catalog.is_exploration(it)).collect();
            match published.as_slice() {
                [] => list,
                papers => format!("the papers are {}; {list}", papers.join(", ")),
            }
        })
}
