//! All experiments of a workspace, checked against their kinds, papers and data.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value as Json;

use super::decode::MOST_PROBLEMS;
use super::experiment::{self, Experiment, Parsed, names_cell};
use super::files::{experiment_files, read_source};
use super::papers::{self, Paper};
use super::self_check;
use crate::diagnostic::{Diagnostics, SourceFile};
use crate::frame::table_fields;
use crate::manifest::Manifest;
use crate::params::{DataUse, Params};
use crate::table::Table;
use crate::tolerance::Tolerance;
use kibitz_experiment::{
    Cell, CellError, Column, Context, Field, Kind, Output, Plan, Resampling, SeedName, Sources,
    suggestion,
};

/// Everything declared in a workspace, free of problems.
#[derive(Debug)]
pub(crate) struct Catalog {
    /// Sorted by id.
    pub(crate) entries: Vec<Entry>,
    /// Experiment files with problems, by id.
    pub(crate) broken: Vec<(String, Diagnostics)>,
    pub(crate) papers: Vec<Paper>,
    pub(crate) manifest: Manifest,
}

/// One experiment with its plans.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) experiment: Experiment,
    pub(crate) kind: Kind,
    pub(crate) full: Planned,
    /// What `[quick]` makes of it, if it says anything.
    quick: Option<Planned>,
    /// The columns shown and judged, in table order.
    pub(crate) columns: Vec<TableColumn>,
}

/// A plan and what it announced.
#[derive(Debug)]
pub(crate) struct Planned {
    pub(crate) plan: Box<dyn Plan>,
    /// The parameters with defaults applied.
    pub(crate) params: Json,
    pub(crate) cells: Vec<Cell>,
    /// The columns of the table.
    pub(crate) columns: Vec<Column>,
    /// The columns of the dataset, if it yields one.
    pub(crate) fields: Vec<Field>,
}

/// A column as the experiment shows and judges it.
#[derive(Clone, Debug)]
pub(crate) struct TableColumn {
    pub(crate) name: String,
    pub(crate) unit: String,
    pub(crate) doc: String,
    pub(crate) tolerance: Tolerance,
    pub(crate) why: Option<String>,
    /// Whether our figures stay out of the table.
    pub(crate) volatile: bool,
}

impl Entry {
    pub(crate) fn id(&self) -> &str {
        &self.experiment.id
    }

    pub(crate) fn planned(&self, quick: bool) -> &Planned {
        let quick = self.quick.as_ref().filter(|_| quick);
        quick.unwrap_or(&self.full)
    }

    /// Whether it yields a dataset and no table.
    pub(crate) fn is_dataset(&self) -> bool {
        !self.full.fields.is_empty()
    }

    /// Whether cells draw random numbers, or samples are drawn of what they read.
    fn is_random(&self, planned: &Planned) -> bool {
        is_random(&self.experiment, planned)
    }

    /// The name of a cell's seeds; none when it draws no random numbers.
    pub(crate) fn seed<'a>(
        &'a self,
        planned: &Planned,
        cell: &'a Cell,
        replicate: u32,
    ) -> Option<SeedName<'a>> {
        let root = self.experiment.run.seed.as_ref();
        let root = root.filter(|_| self.is_random(planned))?;
        Some(SeedName {
            root: *root.get_ref(),
            experiment: self.id(),
            cell: &cell.id,
            replicate,
        })
    }

    /// The rows of the table: published ones in file order, then the rest as planned, then those
    /// that only the values name.
    pub(crate) fn rows(&self, table: &Table) -> Vec<String> {
        let published = self.experiment.published.iter();
        let mut rows: Vec<String> = published.map(|published| published.row.clone()).collect();
        for row in self.full.rows_in(table) {
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        rows
    }

    /// The rows that a cell yields, as far as that is known before it runs.
    pub(crate) fn rows_of(&self, cell: &Cell) -> Vec<String> {
        if cell.open {
            self.rows(&Table::default())
        } else {
            cell.rows.clone()
        }
    }

    /// The manifest entries a cell reads, with the names it knows them by.
    pub(crate) fn data_of(&self, cell: &Cell) -> Vec<&DataUse> {
        self.experiment
            .data
            .iter()
            .filter(|used| cell.data.contains(&used.name))
            .collect()
    }
}

impl Planned {
    /// The rows of the table, as planned.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &str> {
        let rows = self.cells.iter().flat_map(|cell| &cell.rows);
        rows.map(String::as_str)
    }

    /// The rows as planned, and those that only the values of a table name.
    pub(crate) fn rows_in(&self, table: &Table) -> Vec<String> {
        let mut rows: Vec<String> = self.rows().map(str::to_owned).collect();
        if self.is_open() {
            let mut others: Vec<String> = table.rows().map(str::to_owned).collect();
            others.retain(|row| !rows.contains(row));
            others.sort_by(|a, b| natural_order(a, b));
            rows.append(&mut others);
        }
        rows
    }

    /// Whether only the values tell which rows there are.
    pub(crate) fn is_open(&self) -> bool {
        self.cells.iter().any(|cell| cell.open)
    }

    /// Runs the cell of this id.
    pub(crate) fn run(&self, cell: &str, ctx: &Context<'_>) -> Result<Output, CellError> {
        let idx = self.cells.iter().position(|planned| planned.id == cell);
        let idx = idx.ok_or_else(|| CellError::new(format!("there is no cell `{cell}`")))?;
        self.plan.run(idx, ctx)
    }
}

impl Catalog {
    /// Reads everything below `root`.
    ///
    /// # Errors
    /// All problems of all files together.
    pub(crate) fn load(root: &Path, kinds: &[Kind]) -> Result<Self, Diagnostics> {
        let mut problems = Diagnostics::new();
        let manifest = Manifest::load(root, &mut problems);
        let papers = read_source(root, Path::new("experiments/papers.toml"), &mut problems)
            .map_or_else(Vec::new, |source| papers::read(&source, &mut problems));
        let mut loader = Loader {
            files: BTreeMap::new(),
            kinds,
            papers: &papers,
            manifest: &manifest,
            entries: BTreeMap::new(),
            broken: BTreeMap::new(),
        };
        for (id, path) in experiment_files(root, &mut problems) {
            let mut own = Diagnostics::new();
            match read_source(root, &path, &mut own) {
                Some(source) => drop(loader.files.insert(id, source)),
                None => drop(loader.broken.insert(id, own)),
            }
        }
        let ids: Vec<String> = loader.files.keys().cloned().collect();
        for id in &ids {
            loader.load(id, &mut Vec::new());
        }
        let entries: Vec<Entry> = loader.entries.into_values().collect();
        let broken: Vec<(String, Diagnostics)> = loader.broken.into_iter().collect();
        if !problems.is_empty() {
            let own = broken.iter().flat_map(|(_, own)| own.iter().cloned());
            problems.append(own.collect());
        }
        problems.in_reading_order().into_result(Self {
            entries,
            broken,
            papers,
            manifest,
        })
    }

    /// The experiment of this id.
    pub(crate) fn entry(&self, id: &str) -> Option<&Entry> {
        let idx = self.entries.binary_search_by(|entry| entry.id().cmp(id));
        idx.ok().map(|idx| &self.entries[idx])
    }

    /// The problems of the experiment files whose ids are wanted; nothing is said of the others.
    pub(crate) fn problems_of(&self, wanted: impl Fn(&str) -> bool) -> Diagnostics {
        let broken = self.broken.iter().filter(|(id, _)| wanted(id));
        let problems: Diagnostics = broken.flat_map(|(_, own)| own.iter().cloned()).collect();
        problems.in_reading_order()
    }

    /// Whether there is an experiment file of this id, sound or not.
    pub(crate) fn has_file(&self, id: &str) -> bool {
        self.entries.iter().any(|entry| entry.id() == id)
            || self.broken.iter().any(|(broken, _)| broken == id)
    }
}

/// Experiments on their way into the catalog, each after those it reads.
struct Loader<'a> {
    files: BTreeMap<String, SourceFile>,
    kinds: &'a [Kind],
    papers: &'a [Paper],
    manifest: &'a Manifest,
    entries: BTreeMap<String, Entry>,
    broken: BTreeMap<String, Diagnostics>,
}

impl Loader<'_> {
    /// Loads an experiment unless that is done; `readers` are those that wait for it.
    fn load(&mut self, id: &str, readers: &mut Vec<String>) {
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
        let known = Known {
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
                let message = format!("there is no experiment `{id}`");
                Err((message, Some(suggestion(id, ids))))
            }
        }
    }
}

/// What an experiment file may name.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    pub(crate) papers: &'a [Paper],
    /// None while any data will do.
    pub(crate) manifest: Option<&'a Manifest>,
    /// The columns of what it reads under `from`, by id, or a problem and what to write.
    pub(crate) source: &'a dyn Fn(&str) -> Result<Vec<Field>, Unreadable>,
}

/// What is wrong with something under `from`, and what to write instead.
pub(crate) type Unreadable = (String, Option<String>);

/// Checks one experiment file; without a workspace any names will do.
pub(crate) fn load_entry(
    id: &str,
    source: &SourceFile,
    kinds: &[Kind],
    known: Option<Known<'_>>,
    problems: &mut Diagnostics,
) -> Option<Entry> {
    let mut own = Diagnostics::new();
    let entry = check_entry(id, source, kinds, known, &mut own);
    let is_sound = own.is_empty();
    let n_more = own.len().saturating_sub(MOST_PROBLEMS);
    problems.append(own.iter().take(MOST_PROBLEMS).cloned().collect());
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
    known: Option<Known<'_>>,
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
    check_seed(experiment, is_random(experiment, &full), problems);
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
    self_check::validate(experiment, problems);
    check_deviations(experiment, &full, &columns, problems);
    Some(Entry {
        experiment: parsed.experiment,
        kind,
        full,
        quick,
        columns,
    })
}

impl Parsed<'_> {
    /// The plan of a full or a quick run.
    fn planned(
        &self,
        kind: &Kind,
        sources: Option<&Sources>,
        quick: bool,
    ) -> Result<Planned, Diagnostics> {
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
        Ok(Planned {
            params: resolved,
            cells,
            columns: plan.columns(sources),
            fields: plan.fields(sources),
            plan,
        })
    }
}

/// That the paper and the data are known.
fn check_names(
    experiment: &Experiment,
    papers: &[Paper],
    manifest: Option<&Manifest>,
    problems: &mut Diagnostics,
) {
    let papers: Vec<&str> = papers.iter().map(|paper| paper.id.as_str()).collect();
    if let Some(printed_in) = &experiment.file.source
        && !papers.is_empty()
        && !papers.contains(&printed_in.paper.get_ref().as_str())
    {
        let name = printed_in.paper.get_ref();
        let message = format!("paper `{name}` is not in experiments/papers.toml");
        let problem = experiment.error_at(printed_in.paper.span(), message);
        problems.push(problem.with_label(suggestion(name, papers)));
    }
    let Some(manifest) = manifest else {
        return;
    };
    for used in &experiment.data {
        if !manifest.entries.contains_key(&used.entry) {
            let message = format!("`{}` is not in data/manifest.toml", used.entry);
            let names = manifest.entries.keys().map(String::as_str);
            let is_path = used.entry.contains(['/', '.']);
            let label = if is_path {
                let path = &used.entry;
                format!("enter it with `data add {path} --license … --origin …`")
            } else {
                suggestion(&used.entry, names)
            };
            let problem = experiment.error_at(used.span.clone(), message);
            problems.push(problem.with_label(label));
        }
    }
}

/// The columns of everything under `from`.
fn sources_of(experiment: &Experiment, known: Known<'_>, problems: &mut Diagnostics) -> Sources {
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

/// Whether cells draw random numbers, or samples are drawn of what they read.
fn is_random(experiment: &Experiment, planned: &Planned) -> bool {
    let resample = experiment.resample();
    planned.plan.random()
        || resample.is_some_and(|resample| resample.method == Resampling::Bootstrap)
}

/// That groups to resample by are there.
fn check_resample(experiment: &Experiment, sources: Option<&Sources>, problems: &mut Diagnostics) {
    let (Some(resample), Some(sources)) = (&experiment.file.resample, sources) else {
        return;
    };
    let by = &resample.get_ref().by;
    let mut names = sources.values().flatten().map(|field| field.name.as_ref());
    if sources.is_empty() {
        let message = "there is nothing under `from` to resample";
        problems.push(experiment.error_at(resample.span(), message));
    } else if !names.clone().any(|name| name == by) {
        let message = format!("nothing under `from` has a column `{by}` to resample by");
        let label = suggestion(by, names.by_ref());
        problems.push(
            experiment
                .error_at(resample.span(), message)
                .with_label(label),
        );
    }
}

/// `heuristic 2` before `heuristic 10`: numbers within names by their size.
fn natural_order(a: &str, b: &str) -> std::cmp::Ordering {
    let parts = |text: &str| -> Vec<(String, u64)> {
        let starts_number = |at: usize| {
            let is_digit = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
            is_digit(at) && !(at > 0 && is_digit(at - 1))
        };
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(at) = (0..rest.len()).find(|at| starts_number(text.len() - rest.len() + at))
        {
            let n_digits = rest[at..].bytes().take_while(u8::is_ascii_digit).count();
            let number = rest[at..at + n_digits].parse().unwrap_or(u64::MAX);
            parts.push((rest[..at].to_owned(), number));
            rest = &rest[at + n_digits..];
        }
        parts.push((rest.to_owned(), 0));
        parts
    };
    parts(a).cmp(&parts(b)).then_with(|| a.cmp(b))
}

/// That ids and rows are unique and the data are declared: what a kind may get wrong.
fn check_cells(experiment: &Experiment, cells: &[Cell]) -> Result<(), Diagnostics> {
    let mut problems = Diagnostics::new();
    let mut ids: Vec<&str> = Vec::new();
    let mut rows: Vec<&str> = Vec::new();
    if cells.is_empty() {
        problems.push(experiment.error("these parameters plan no cells"));
    }
    for cell in cells {
        let id = cell.id.as_str();
        for name in &cell.after {
            if !ids.contains(&name.as_str()) {
                problems.push(experiment.error(format!(
                    "cell `{id}` reads cell `{name}`, which is not planned before it"
                )));
            }
        }
        if cell.open && cells.len() > 1 {
            let message = format!("cell `{id}` may yield any row and is not the only one");
            problems.push(experiment.error(message));
        }
        if ids.contains(&id) {
            problems.push(experiment.error(format!("two cells are called `{id}`")));
        }
        ids.push(id);
        for row in &cell.rows {
            if rows.contains(&row.as_str()) {
                problems.push(experiment.error(format!("row `{row}` is planned twice")));
            }
            rows.push(row);
        }
        for name in &cell.data {
            if !experiment.data.iter().any(|used| used.name == *name) {
                let message = format!("cell `{id}` reads data `{name}`, which `data` lacks");
                let label = format!("add `{name} = \"…\"` with an entry of data/manifest.toml");
                let problem = experiment.error_at(experiment.data_span(), message);
                problems.push(problem.with_label(label));
            }
        }
    }
    problems.into_result(())
}

fn check_seed(experiment: &Experiment, random: bool, problems: &mut Diagnostics) {
    let run = &experiment.run;
    let kind = experiment.kind();
    match (&run.seed, random) {
        (None, true) => {
            let message = format!("kind `{kind}` draws random numbers and needs `run.seed`");
            let problem = experiment.error_at(experiment.run_span(), message);
            problems.push(problem.with_label("write `run = { seed = … }` with any whole number"));
        }
        (Some(seed), false) => problems.push(experiment.error_at(
            seed.span(),
            format!("kind `{kind}` draws no random numbers here: leave out `run.seed`"),
        )),
        _ => {}
    }
    if !random && run.replicates() > 1 {
        problems.push(experiment.error_at(
            experiment.run_span(),
            format!("kind `{kind}` draws no random numbers here: all replicates would be equal"),
        ));
    }
}

/// The file's choice of columns, or all of the plan's.
fn table_columns(
    experiment: &Experiment,
    available: &[Column],
    problems: &mut Diagnostics,
) -> Vec<TableColumn> {
    let table_column = |column: &Column| TableColumn {
        name: column.name.to_string(),
        unit: column.unit.to_string(),
        doc: column.doc.to_string(),
        tolerance: Tolerance::AsPrinted,
        why: None,
        volatile: column.volatile,
    };
    let chosen = &experiment.file.columns.0;
    if chosen.is_empty() {
        return available.iter().map(table_column).collect();
    }
    let mut columns = Vec::new();
    for (name, spec) in chosen {
        let found = available
            .iter()
            .find(|column| column.name == *name.get_ref());
        let Some(column) = found else {
            let message = format!(
                "kind `{}` has no column `{}`",
                experiment.kind(),
                name.get_ref()
            );
            let names = available.iter().map(|column| column.name.as_ref());
            let problem = experiment.error_at(name.span(), message);
            problems.push(problem.with_label(suggestion(name.get_ref(), names)));
            continue;
        };
        let own = table_column(column);
        columns.push(TableColumn {
            unit: spec.unit.clone().unwrap_or(own.unit),
            doc: spec.doc.clone().unwrap_or(own.doc),
            tolerance: spec
                .tol
                .as_ref()
                .map_or(own.tolerance, |tol| *tol.get_ref()),
            why: spec.why.clone(),
            ..own
        });
    }
    columns
}

fn check_published(
    experiment: &Experiment,
    full: &Planned,
    columns: &[TableColumn],
    problems: &mut Diagnostics,
) {
    let rows: Vec<&str> = full.rows().collect();
    let columns: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    for published in &experiment.published {
        let row = published.row.as_str();
        if !rows.contains(&row) && !full.is_open() {
            let message = format!("no cell yields the published row `{row}`");
            let problem = experiment.error_at(published.span.clone(), message);
            problems.push(problem.with_label(suggestion(row, rows.iter().copied())));
        }
        for value in &published.values {
            let column = value.column.as_str();
            if !columns.contains(&column) {
                let message = format!("the table has no column `{column}`");
                let problem = experiment.error_at(value.span.clone(), message);
                problems.push(problem.with_label(suggestion(column, columns.iter().copied())));
            }
        }
    }
}

fn check_tolerances(experiment: &Experiment, problems: &mut Diagnostics) {
    for (name, spec) in &experiment.file.columns.0 {
        let Some(tol) = &spec.tol else { continue };
        let name = name.get_ref();
        if *tol.get_ref() == Tolerance::Info && spec.why.is_none() {
            let message = format!("column `{name}` is never judged and must say why");
            let problem = experiment.error_at(tol.span(), message);
            problems.push(problem.with_label("add `why = \"…\"`"));
        }
        if matches!(tol.get_ref(), Tolerance::ReplicateSd(_)) && experiment.run.replicates() < 2 {
            let message = "`replicate-sd` needs at least two replicates";
            let problem = experiment.error_at(tol.span(), message);
            problems.push(problem.with_label("set `run.replicates`"));
        }
        let mut values = experiment.published.iter().flat_map(|row| &row.values);
        let text = values.find(|value| value.column == *name && value.printed.number().is_none());
        if let Some(text) = text
            && !tol.get_ref().judges_text()
        {
            let message = format!(
                "column `{name}` has a text here: its tolerance can only be \"exact\" or \"info\""
            );
            problems.push(experiment.error_at(text.span.clone(), message));
        }
    }
}

fn check_deviations(
    experiment: &Experiment,
    full: &Planned,
    columns: &[TableColumn],
    problems: &mut Diagnostics,
) {
    let published = experiment.published.iter();
    let published = published.map(|published| published.row.as_str());
    // Without planned rows those that are printed are known.
    let cells: Vec<(&str, &str)> = published
        .filter(|_| full.is_open())
        .chain(full.rows())
        .flat_map(|row| {
            columns
                .iter()
                .map(move |column| (row, column.name.as_str()))
        })
        .collect();
    for deviation in &experiment.file.deviation {
        let covers_number = experiment.published.iter().any(|row| {
            let numbers = row
                .values
                .iter()
                .filter(|value| value.printed.number().is_some());
            let judged = numbers.filter(|value| {
                let mut columns = columns.iter();
                columns.any(|column| {
                    column.name == value.column && column.tolerance != Tolerance::Info
                })
            });
            let mut names = judged.map(|value| value.column.as_str());
            names.any(|column| deviation.get_ref().covers(&row.row, column))
        });
        if covers_number && deviation.get_ref().up_to.is_none() {
            let message = "the deviation does not say how large a difference it explains";
            let problem = experiment.error_at(deviation.span(), message);
            problems.push(problem.with_label("add `up-to = { abs = … }`, or `{ rel = … }`"));
        }
    }
    let deviations = experiment.file.deviation.iter();
    for glob in deviations.flat_map(|deviation| &deviation.get_ref().cells.0) {
        let text = glob.get_ref();
        if !cells
            .iter()
            .any(|(row, column)| names_cell(text, row, column))
        {
            let names = cells.iter().map(|(row, column)| format!("{row}.{column}"));
            let names: Vec<String> = names.collect();
            let message = format!("`{text}` names no cell of the table");
            let label = suggestion(text, names.iter().map(String::as_str));
            problems.push(experiment.error_at(glob.span(), message).with_label(label));
        }
    }
}
