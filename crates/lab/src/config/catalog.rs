//! All experiments of a workspace, checked against their kinds, papers and data.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use super::experiment::{self, Experiment, Parsed};
use super::papers::{self, Paper};
use crate::data::{DataUses, Manifest};
use crate::diagnostic::{Diagnostic, Diagnostics, SourceFile};
use crate::params::{DataUse, Params};
use crate::tolerance::Tolerance;
use kibitz_experiment::{
    Cell, CellError, Column, Context, Kind, Output, Plan, SeedName, suggestion,
};

/// Everything declared in a workspace, free of problems.
#[derive(Debug)]
pub(crate) struct Catalog {
    /// Sorted by id.
    pub(crate) entries: Vec<Entry>,
    pub(crate) papers: Vec<Paper>,
    pub(crate) manifest: Manifest,
}

/// One experiment with its plans.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) experiment: Experiment,
    pub(crate) kind: Kind,
    pub(crate) full: Planned,
    pub(crate) quick: Planned,
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
        if quick { &self.quick } else { &self.full }
    }

    /// The name of a cell's seeds; none when it draws no random numbers.
    pub(crate) fn seed<'a>(
        &'a self,
        planned: &Planned,
        cell: &'a Cell,
        replicate: u32,
    ) -> Option<SeedName<'a>> {
        let root = self.experiment.run.seed.as_ref();
        let root = root.filter(|_| planned.plan.random())?;
        Some(SeedName {
            root: *root.get_ref(),
            experiment: self.id(),
            cell: &cell.id,
            replicate,
        })
    }

    /// The rows of the table: published ones in file order, then the rest as planned.
    pub(crate) fn rows(&self) -> Vec<&str> {
        let mut rows: Vec<&str> = self
            .experiment
            .published
            .iter()
            .map(|published| published.row.as_str())
            .collect();
        for row in self.full.cells.iter().flat_map(|cell| &cell.rows) {
            if !rows.contains(&row.as_str()) {
                rows.push(row);
            }
        }
        rows
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
        let mut entries = Vec::new();
        for (id, path) in experiment_files(root, &mut problems) {
            let Some(source) = read_source(root, &path, &mut problems) else {
                continue;
            };
            entries.extend(load_entry(
                &id,
                &source,
                kinds,
                &papers,
                &manifest,
                &mut problems,
            ));
        }
        problems.in_reading_order().into_result(Self {
            entries,
            papers,
            manifest,
        })
    }

    pub(crate) fn get(&self, id: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.id() == id)
    }
}

/// Checks one experiment file by itself; used by `new` and by tests of kinds.
pub(crate) fn load_entry(
    id: &str,
    source: &SourceFile,
    kinds: &[Kind],
    papers: &[Paper],
    manifest: &dyn DataUses,
    problems: &mut Diagnostics,
) -> Option<Entry> {
    let mut found = Diagnostics::new();
    let entry = check_entry(id, source, kinds, papers, manifest, &mut found);
    let sound = found.is_empty();
    problems.append(found);
    entry.filter(|_| sound)
}

fn check_entry(
    id: &str,
    source: &SourceFile,
    kinds: &[Kind],
    papers: &[Paper],
    manifest: &dyn DataUses,
    problems: &mut Diagnostics,
) -> Option<Entry> {
    let Parsed {
        experiment,
        params,
        quick,
    } = experiment::read(id, source, problems)?;
    if let Some(printed_in) = &experiment.printed_in
        && !papers.is_empty()
        && !papers
            .iter()
            .any(|paper| paper.id == *printed_in.paper.get_ref())
    {
        let name = printed_in.paper.get_ref();
        problems.push(
            source
                .error_at(
                    printed_in.paper.span(),
                    format!("paper `{name}` is not in experiments/papers.toml"),
                )
                .with_label(suggestion(
                    name,
                    papers.iter().map(|paper| paper.id.as_str()),
                )),
        );
    }
    for used in &experiment.data {
        if !manifest.has(&used.entry) {
            problems.push(
                source
                    .error_at(
                        used.span.clone(),
                        format!("`{}` is not in data/manifest.toml", used.entry),
                    )
                    .with_label(suggestion(&used.entry, manifest.names())),
            );
        }
    }
    let name = experiment.kind.get_ref().as_str();
    let Some(kind) = kinds.iter().copied().find(|kind| kind.name() == name) else {
        problems.push(
            source
                .error_at(experiment.kind.span(), format!("unknown kind `{name}`"))
                .with_label(suggestion(name, kinds.iter().map(|kind| kind.name()))),
        );
        return None;
    };
    let make = |quick: Option<_>| {
        let params = Params::new(
            source,
            params.clone(),
            quick,
            &experiment.data,
            experiment.data_span.clone(),
        );
        let plan = params.plan(&kind)?;
        let cells = plan.cells();
        check_cells(&experiment, &cells)?;
        let resolved = plan.params().map_err(|error| {
            let message = format!("the parameters cannot be written down again: {error}");
            Diagnostics::from(source.error_at(experiment.kind.span(), message))
        })?;
        Ok::<_, Diagnostics>(Planned {
            params: resolved,
            plan,
            cells,
        })
    };
    let full = make(None);
    let quick = make(Some(quick.unwrap_or(toml::Spanned::new(
        experiment.kind.span(),
        toml::de::DeTable::new(),
    ))));
    let (full, quick) = match (full, quick) {
        (Ok(full), Ok(quick)) => (full, quick),
        (Err(full), quick) => {
            // The same mistake shows in both plans; what only the quick one shows is added.
            let quick = quick.err().unwrap_or_default();
            for problem in quick
                .iter()
                .filter(|problem| !full.iter().any(|same| same == *problem))
            {
                problems.push(problem.clone());
            }
            problems.append(full);
            return None;
        }
        (Ok(_), Err(quick)) => {
            problems.append(quick);
            return None;
        }
    };
    check_seed(&experiment, full.plan.random(), problems);
    let columns = table_columns(&experiment, &full.plan.columns(), problems);
    check_published(&experiment, &full, &columns, problems);
    check_tolerances(&experiment, &columns, problems);
    for check in &experiment.checks {
        check.validate(&experiment, problems);
    }
    check_deviations(&experiment, &full, &columns, problems);
    Some(Entry {
        experiment,
        kind,
        full,
        quick,
        columns,
    })
}

/// That ids and rows are unique and the data are declared: what a kind may get wrong.
fn check_cells(experiment: &Experiment, cells: &[Cell]) -> Result<(), Diagnostics> {
    let mut problems = Diagnostics::new();
    let mut ids: Vec<&str> = Vec::new();
    let mut rows: Vec<&str> = Vec::new();
    let at = |message: String| experiment.source.error_at(experiment.kind.span(), message);
    if cells.is_empty() {
        problems.push(at("these parameters plan no cells".to_owned()));
    }
    for cell in cells {
        if ids.contains(&cell.id.as_str()) {
            problems.push(at(format!("two cells are called `{}`", cell.id)));
        }
        ids.push(&cell.id);
        for row in &cell.rows {
            if rows.contains(&row.as_str()) {
                problems.push(at(format!("row `{row}` is planned twice")));
            }
            rows.push(row);
        }
        for name in &cell.after {
            if !ids[..ids.len() - 1].contains(&name.as_str()) {
                problems.push(at(format!(
                    "cell `{}` reads cell `{name}`, which is not planned before it",
                    cell.id
                )));
            }
        }
        for name in &cell.data {
            if !experiment.data.iter().any(|used| used.name == *name) {
                problems.push(
                    experiment
                        .source
                        .error_at(
                            experiment.data_span.clone(),
                            format!("cell `{}` reads data `{name}`, which `data` lacks", cell.id),
                        )
                        .with_label(format!(
                            "add `{name} = \"…\"` with an entry of data/manifest.toml"
                        )),
                );
            }
        }
    }
    problems.into_result(())
}

fn check_seed(experiment: &Experiment, random: bool, problems: &mut Diagnostics) {
    let run = &experiment.run;
    let kind = experiment.kind.get_ref();
    match (&run.seed, random) {
        (None, true) => problems.push(
            experiment
                .source
                .error_at(
                    run.span.clone(),
                    format!("kind `{kind}` draws random numbers and needs `run.seed`"),
                )
                .with_label("write `run = { seed = … }` with any whole number"),
        ),
        (Some(seed), false) => problems.push(experiment.source.error_at(
            seed.span(),
            format!("kind `{kind}` draws no random numbers here: leave out `run.seed`"),
        )),
        _ => {}
    }
    if !random && run.replicates > 1 {
        problems.push(experiment.source.error_at(
            run.span.clone(),
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
        tolerance: Tolerance::AS_PRINTED,
        why: None,
        volatile: column.volatile,
    };
    if experiment.columns.is_empty() {
        return available.iter().map(table_column).collect();
    }
    let mut columns = Vec::new();
    for spec in &experiment.columns {
        let Some(column) = available.iter().find(|column| column.name == spec.name) else {
            let kind = experiment.kind.get_ref();
            problems.push(
                experiment
                    .source
                    .error_at(
                        spec.span.clone(),
                        format!("kind `{kind}` has no column `{}`", spec.name),
                    )
                    .with_label(suggestion(
                        &spec.name,
                        available.iter().map(|column| column.name.as_ref()),
                    )),
            );
            continue;
        };
        let mut chosen = table_column(column);
        if let Some(unit) = &spec.unit {
            chosen.unit.clone_from(unit);
        }
        if let Some(tolerance) = &spec.tolerance {
            chosen.tolerance = *tolerance.get_ref();
        }
        chosen.why.clone_from(&spec.why);
        columns.push(chosen);
    }
    columns
}

fn check_published(
    experiment: &Experiment,
    full: &Planned,
    columns: &[TableColumn],
    problems: &mut Diagnostics,
) {
    let rows: Vec<&str> = full
        .cells
        .iter()
        .flat_map(|cell| cell.rows.iter().map(String::as_str))
        .collect();
    for published in &experiment.published {
        if !rows.contains(&published.row.as_str()) {
            problems.push(
                experiment
                    .source
                    .error_at(
                        published.span.clone(),
                        format!("no cell yields the published row `{}`", published.row),
                    )
                    .with_label(suggestion(&published.row, rows.iter().copied())),
            );
        }
        for value in &published.values {
            if !columns.iter().any(|column| column.name == value.column) {
                problems.push(
                    experiment
                        .source
                        .error_at(
                            value.span.clone(),
                            format!("the table has no column `{}`", value.column),
                        )
                        .with_label(suggestion(
                            &value.column,
                            columns.iter().map(|column| column.name.as_str()),
                        )),
                );
            }
        }
    }
}

fn check_tolerances(experiment: &Experiment, columns: &[TableColumn], problems: &mut Diagnostics) {
    for column in columns {
        let spec = experiment
            .columns
            .iter()
            .find(|spec| spec.name == column.name);
        let Some(tolerance) = spec.and_then(|spec| spec.tolerance.as_ref()) else {
            continue;
        };
        if matches!(tolerance.get_ref(), Tolerance::ReplicateSd(_)) && experiment.run.replicates < 2
        {
            problems.push(
                experiment
                    .source
                    .error_at(
                        tolerance.span(),
                        "`replicate-sd` needs at least two replicates",
                    )
                    .with_label("set `run.replicates`"),
            );
        }
        let text = experiment
            .published
            .iter()
            .flat_map(|row| &row.values)
            .find(|value| value.column == column.name && value.printed.number().is_none());
        if let Some(text) = text
            && !tolerance.get_ref().judges_text()
        {
            problems.push(experiment.source.error_at(
                text.span.clone(),
                format!(
                    "column `{}` has a text here: its tolerance can only be \"exact\" or \"info\"",
                    column.name
                ),
            ));
        }
    }
}

fn check_deviations(
    experiment: &Experiment,
    full: &Planned,
    columns: &[TableColumn],
    problems: &mut Diagnostics,
) {
    let cells: Vec<(&str, &str)> = full
        .cells
        .iter()
        .flat_map(|cell| &cell.rows)
        .flat_map(|row| {
            columns
                .iter()
                .map(move |column| (row.as_str(), column.name.as_str()))
        })
        .collect();
    for deviation in &experiment.deviations {
        for glob in &deviation.cells {
            if !cells.iter().any(|(row, column)| glob.matches(row, column)) {
                let names: Vec<String> = cells
                    .iter()
                    .map(|(row, column)| format!("{row}.{column}"))
                    .collect();
                problems.push(
                    experiment
                        .source
                        .error_at(
                            glob.span.clone(),
                            format!("`{}` names no cell of the table", glob.text),
                        )
                        .with_label(suggestion(&glob.text, names.iter().map(String::as_str))),
                );
            }
        }
    }
}

/// Ids and paths of all experiment files, sorted.
fn experiment_files(root: &Path, problems: &mut Diagnostics) -> BTreeMap<String, PathBuf> {
    let mut files = BTreeMap::new();
    let folder = root.join("experiments");
    let papers = match sorted_entries(&folder) {
        Ok(papers) => papers,
        Err(error) => {
            problems.push(Diagnostic::new(format!(
                "cannot read experiments/: {error}"
            )));
            return files;
        }
    };
    for paper in papers.iter().filter(|path| path.is_dir()) {
        let tables = match sorted_entries(paper) {
            Ok(tables) => tables,
            Err(error) => {
                problems.push(Diagnostic::new(format!(
                    "cannot read {}: {error}",
                    paper.display()
                )));
                continue;
            }
        };
        for table in tables {
            let parts = (
                paper.file_name().and_then(|name| name.to_str()),
                table.file_stem().and_then(|name| name.to_str()),
                table.extension().and_then(|name| name.to_str()),
            );
            if let (Some(paper), Some(name), Some("toml")) = parts {
                let path = Path::new("experiments")
                    .join(paper)
                    .join(format!("{name}.toml"));
                files.insert(format!("{paper}/{name}"), path);
            }
        }
    }
    files
}

fn sorted_entries(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut entries = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()?;
    entries.sort();
    Ok(entries)
}

/// A file of the workspace, `None` when there is none.
pub(crate) fn read_source(
    root: &Path,
    path: &Path,
    problems: &mut Diagnostics,
) -> Option<SourceFile> {
    let shown = path.to_string_lossy().replace('\\', "/");
    match std::fs::read(root.join(path)) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Some(SourceFile::new(shown, text)),
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let line = error.as_bytes()[..valid]
                    .split(|byte| *byte == b'\n')
                    .count();
                problems.push(Diagnostic::new(format!(
                    "{shown}:{line}: not UTF-8 at byte {valid}"
                )));
                None
            }
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => {
            problems.push(Diagnostic::new(format!("cannot read {shown}: {error}")));
            None
        }
    }
}
