//! Reads an experiment file into its entry of the catalog, after those that it reads itself.

use std::collections::BTreeMap;
use std::path::Path;

use super::check_outcomes::Outcomes;
use super::checks::{
    check_cells, check_columns_named, check_names, check_patterns, check_published, check_resample,
    check_seed, check_tolerances, table_columns,
};
use super::entry::{Entry, PlannedExperiment};
use super::experiment::{self, Experiment, ParsedExperiment};
use super::figures::Figures;
use super::papers::Paper;
use super::params::Params;
use super::self_check;
use super::wide::check_wide;
use crate::manifest::Manifest;
use crate::measurement::table_fields;
use kibitz_experiment::{Column, Field, Kind, Sources, suggestion};
use kibitz_text::toml::MOST_MISTAKES;
use kibitz_text::{Diagnostics, SourceFile};

/// Experiments on their way into the catalog, each after those it reads.
pub(super) struct Loader<'a> {
    pub(super) files: BTreeMap<String, SourceFile>,
    kinds: &'a [Kind],
    papers: &'a [Paper],
    manifest: &'a Manifest,
    pub(super) entries: BTreeMap<String, Entry>,
    pub(super) broken: BTreeMap<String, Diagnostics>,
}

impl<'a> Loader<'a> {
    pub(super) fn new(kinds: &'a [Kind], papers: &'a [Paper], manifest: &'a Manifest) -> Self {
        Self {
            files: BTreeMap::new(),
            kinds,
            papers,
            manifest,
            entries: BTreeMap::new(),
            broken: BTreeMap::new(),
        }
    }

    /// Loads an experiment unless that is done; `readers` are those that wait for it.
    pub(super) fn load(&mut self, id: &str, readers: &mut Vec<String>) {
        let is_done = self.entries.contains_key(id) || self.broken.contains_key(id);
        let Some(source) = self.files.get(id).filter(|_| !is_done).cloned() else {
            return;
        };
        readers.push(id.to_owned());
        for read in experiment::read_from(&source) {
            if !readers.contains(&read) {
                self.load(&read, readers);
            }
        }
        let mut own = Diagnostics::new();
        let ids: Vec<&str> = self.files.keys().map(String::as_str).collect();
        let known = KnownNames {
            ids: &ids,
            papers: self.papers,
            manifest: Some(self.manifest),
            source: &|read: &str| self.source(read, readers),
        };
        match load_entry(id, &source, self.kinds, Some(known), &mut own) {
            Some(entry) => drop(self.entries.insert(id.to_owned(), entry)),
            None => drop(self.broken.insert(id.to_owned(), own)),
        }
        readers.pop();
    }

    /// Leaves out what names figures of other tables that cannot be there, and whatever reads that.
    pub(super) fn check_figures(&mut self, results: &Path) {
        let figures = Figures {
            entries: &self.entries,
            results,
        };
        let wrong = self
            .entries
            .iter()
            .map(|(id, entry)| (id, figures.check(entry)));
        let wrong = wrong.filter(|(_, problems)| !problems.is_empty());
        let mut wrong: BTreeMap<String, Diagnostics> =
            wrong.map(|(id, problems)| (id.clone(), problems)).collect();
        while let Some((id, problems)) = wrong.pop_first() {
            self.entries.remove(&id);
            self.broken.insert(id, problems);
            for (reader, entry) in &self.entries {
                let mut from = entry.experiment.from.iter();
                if let Some(used) = from.find(|used| self.broken.contains_key(&used.entry)) {
                    let message = format!("`{}` has problems of its own", used.entry);
                    let problem = entry.experiment.error_at(used.span.clone(), message);
                    let own = wrong.entry(reader.clone()).or_default();
                    if own.is_empty() {
                        own.push(problem);
                    }
                }
            }
        }
    }

    /// The columns of what an experiment reads, or why it cannot read that.
    fn source(&self, id: &str, readers: &[String]) -> Result<Vec<Field>, Unreadable> {
        if let Some(at) = readers.iter().position(|reader| reader == id) {
            let chain = [&readers[at..], &[id.to_owned()]].concat();
            return Err((format!("it reads itself: {}", chain.join(" reads ")), None));
        }
        match self.entries.get(id) {
            Some(entry) if entry.is_dataset() => Ok(entry.full.fields.clone()),
            Some(_) => Ok(table_fields()),
            None if self.broken.contains_key(id) => {
                let first = self.broken[id].iter().next();
                let first = first.map_or_else(String::new, |first| format!(": {}", first.message));
                Err((format!("`{id}` has problems of its own{first}"), None))
            }
            None => {
                let ids = self.files.keys().map(String::as_str);
                let message = format!("unknown experiment `{id}`");
                Err((message, Some(suggestion(id, ids))))
            }
        }
    }
}

/// The names that an experiment file may use.
#[derive(Clone, Copy)]
pub struct KnownNames<'a> {
    /// All experiments; none while any will do.
    pub ids: &'a [&'a str],
    /// The papers.
    pub papers: &'a [Paper],
    /// None while any data will do.
    pub manifest: Option<&'a Manifest>,
    /// The columns of what it reads under `from`, by id, or a problem and what to write.
    pub source: &'a dyn Fn(&str) -> Result<Vec<Field>, Unreadable>,
}

impl std::fmt::Debug for KnownNames<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("KnownNames");
        shown.field("ids", &self.ids).field("papers", &self.papers);
        shown.field("manifest", &self.manifest);
        shown.finish_non_exhaustive()
    }
}

/// What is wrong with something under `from`, and what to write instead.
pub(crate) type Unreadable = (String, Option<String>);

/// Checks one experiment file; without a workspace any names will do.
pub fn load_entry(
    id: &str,
    source: &SourceFile,
    kinds: &[Kind],
    known: Option<KnownNames<'_>>,
    problems: &mut Diagnostics,
) -> Option<Entry> {
    let mut own = Diagnostics::new();
    let entry = check_entry(id, source, kinds, known, &mut own);
    let is_sound = own.is_empty();
    let n_more = own.len().saturating_sub(MOST_MISTAKES);
    problems.append(own.iter().take(MOST_MISTAKES).cloned().collect());
    if n_more > 0 {
        let more = format!("{n_more} more problems of this file are not shown");
        problems.push(source.error_at(0..0, more));
    }
    entry.filter(|_| is_sound)
}

fn check_entry(
    id: &str,
    source: &SourceFile,
    kinds: &[Kind],
    known: Option<KnownNames<'_>>,
    problems: &mut Diagnostics,
) -> Option<Entry> {
    let mut parsed = experiment::read(id, source, problems)?;
    for used in &mut parsed.experiment.data {
        // A path will do for a name.
        if let Some(name) = known.and_then(|known| known.manifest?.find(&used.entry)) {
            name.clone_into(&mut used.entry);
        }
    }
    let experiment = &parsed.experiment;
    let mut sources = None;
    if let Some(known) = known {
        check_names(experiment, known.papers, known.manifest, problems);
        let before = problems.len();
        sources = Some(sources_of(experiment, known, problems));
        if problems.len() > before {
            return None;
        }
    }
    let sources = sources.as_ref();
    let name = experiment.kind();
    let Some(kind) = kinds.iter().copied().find(|kind| kind.name() == name) else {
        let label = suggestion(name, kinds.iter().map(Kind::name));
        let problem = experiment.error(format!("unknown kind `{name}`"));
        problems.push(problem.with_label(label));
        return None;
    };
    let quick = (!parsed.quick.is_empty()).then(|| parsed.planned(&kind, sources, true));
    let (full, quick) = match (parsed.planned(&kind, sources, false), quick.transpose()) {
        (Ok(full), Ok(quick)) => (full, quick),
        (full, quick) => {
            // The same mistake shows in both plans; what only the quick one shows is added.
            let full = full.err().unwrap_or_default();
            let quick = quick.err().unwrap_or_default();
            let only_quick = quick
                .iter()
                .filter(|problem| !full.iter().any(|same| same == *problem));
            problems.append(only_quick.cloned().collect());
            problems.append(full);
            return None;
        }
    };
    check_seed(experiment, full.is_random(experiment), problems);
    check_resample(experiment, sources, problems);
    let columns = if sources.is_none() && !experiment.from.is_empty() {
        // While nobody knows what is read, every column may be there.
        let chosen = experiment.file.columns.0.iter();
        let named = chosen.map(|(name, _)| Column::named(name.get_ref(), "", ""));
        table_columns(experiment, &named.collect::<Vec<_>>(), problems)
    } else {
        table_columns(experiment, &full.columns, problems)
    };
    check_published(experiment, &full, &columns, problems);
    check_tolerances(experiment, problems);
    check_wide(experiment, &columns, problems);
    check_columns_named(experiment, &columns, problems);
    self_check::validate(experiment, problems);
    let ids = known.map_or(&[][..], |known| known.ids);
    check_patterns(experiment, &full, &columns, problems);
    let outcomes = Outcomes {
        experiment,
        full: &full,
        columns: &columns,
        ids,
    };
    outcomes.check(problems);
    let asked = known.iter().flat_map(|known| known.papers);
    let mut asked = asked.filter(|paper| !paper.details.published);
    let paper = parsed.experiment.file.source.as_ref();
    let paper = paper.map(|printed_in| printed_in.paper.get_ref().as_str());
    let is_published = !asked.any(|known| Some(known.id.as_str()) == paper);
    let plans = [Some(&full), quick.as_ref()].into_iter().flatten();
    let cells = plans.flat_map(|plan| &plan.cells);
    let mut experiment = parsed.experiment;
    experiment.add_inputs(cells);
    Some(Entry {
        experiment,
        kind,
        full,
        quick,
        is_published,
        columns,
    })
}

impl ParsedExperiment<'_> {
    /// The plan of a full or a quick run.
    fn planned(
        &self,
        kind: &Kind,
        sources: Option<&Sources>,
        quick: bool,
    ) -> Result<PlannedExperiment, Diagnostics> {
        let experiment = &self.experiment;
        let quick = quick.then(|| self.quick.clone());
        let params = Params::new(experiment, self.params.clone(), quick);
        let plan = params.plan(kind, sources)?;
        let cells = plan.cells();
        check_cells(experiment, &cells)?;
        let resolved = plan.params().map_err(|error| {
            let message = format!("the parameters cannot be written down again: {error}");
            experiment.error(message)
        })?;
        let none = Sources::new();
        let sources = sources.unwrap_or(&none);
        Ok(PlannedExperiment {
            params: resolved,
            cells,
            columns: plan.columns(sources),
            fields: plan.fields(sources),
            plan,
        })
    }
}

/// The columns of everything under `from`.
fn sources_of(
    experiment: &Experiment,
    known: KnownNames<'_>,
    problems: &mut Diagnostics,
) -> Sources {
    let mut sources = Sources::new();
    for used in &experiment.from {
        match (known.source)(&used.entry) {
            Ok(fields) => drop(sources.insert(used.name.clone(), fields)),
            Err((message, label)) => {
                let problem = experiment.error_at(used.span.clone(), message);
                problems.push(problem.with_label(label.unwrap_or_default()));
            }
        }
    }
    sources
}
