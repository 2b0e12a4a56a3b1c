//! What may be wrong with an experiment file beyond its form.

use std::collections::BTreeSet;

use toml::Spanned;
use wildmatch::WildMatch;

use super::entry::{PlannedExperiment, TableColumn};
use super::envelope::{PlotSpec, names_cell};
use super::experiment::Experiment;
use super::papers::Paper;
use crate::judge::WHOLE_ROWS;
use crate::manifest::Manifest;
use crate::measurement::Summary;
use crate::tolerance::{Tolerance, interval_columns};
use kibitz_command::input::Input;
use kibitz_experiment::{Cell, Column, Sources, suggestion};
use kibitz_text::Diagnostics;

/// That the paper and the data are known.
pub(super) fn check_names(
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

/// That groups to resample by are there.
pub(super) fn check_resample(
    experiment: &Experiment,
    sources: Option<&Sources>,
    problems: &mut Diagnostics,
) {
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

/// That ids and rows are unique and the data are declared: what a kind may get wrong.
pub(super) fn check_cells(experiment: &Experiment, cells: &[Cell]) -> Result<(), Diagnostics> {
    let mut problems = Diagnostics::new();
    let mut ids: BTreeSet<&str> = BTreeSet::new();
    let mut rows: BTreeSet<&str> = BTreeSet::new();
    if cells.is_empty() {
        problems.push(experiment.error("these parameters plan no cells"));
    }
    for cell in cells {
        let id = cell.id.as_str();
        for name in &cell.after {
            if !ids.contains(name.as_str()) {
                problems.push(experiment.error(format!(
                    "cell `{id}` reads cell `{name}`, which is not planned before it"
                )));
            }
        }
        if cell.open && cells.len() > 1 {
            let message = format!("cell `{id}` may yield any row and is not the only one");
            problems.push(experiment.error(message));
        }
        if !ids.insert(id) {
            problems.push(experiment.error(format!("two cells are called `{id}`")));
        }
        for row in &cell.rows {
            if !rows.insert(row) {
                problems.push(experiment.error(format!("row `{row}` is planned twice")));
            }
        }
        for name in &cell.data {
            let is_declared = experiment.data.iter().any(|used| used.name == *name);
            if !is_declared && Input::of_name(name).is_none() {
                let message = format!("cell `{id}` reads data `{name}`, which `data` lacks");
                let label = format!("add `{name} = \"…\"` with an entry of data/manifest.toml");
                let problem = experiment.error_at(experiment.data_span(), message);
                problems.push(problem.with_label(label));
            }
        }
    }
    problems.into_result(())
}

pub(super) fn check_seed(experiment: &Experiment, random: bool, problems: &mut Diagnostics) {
    let run = &experiment.run;
    let kind = experiment.kind();
    match (&run.seed, random) {
        (None, true) => {
            let message = format!("kind `{kind}` draws random numbers and needs `run.seed`");
            let problem = experiment.error_at(experiment.run_span(), message);
            problems.push(problem.with_label("write `run = { seed = … }` with any integer"));
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
pub(super) fn table_columns(
    experiment: &Experiment,
    available: &[Column],
    problems: &mut Diagnostics,
) -> Vec<TableColumn> {
    let table_column = |column: &Column| TableColumn {
        name: column.name.to_string(),
        unit: column.unit.to_string(),
        doc: column.doc.to_string(),
        tolerance: Tolerance::AsPrinted,
        baseline: Vec::new(),
        derived: None,
        same_as: None,
        published_error: None,
        summary: Summary::Mean,
        why: None,
        volatile: column.volatile,
        is_input: column.is_input,
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
            let (kind, column) = (experiment.kind(), name.get_ref());
            let message = if kind == kibitz_command::NAME {
                format!("`columns` under [params] does not declare `{column}`")
            } else {
                format!("kind `{kind}` has no column `{column}`")
            };
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
            baseline: spec
                .baseline
                .as_ref()
                .map(|baseline| baseline.get_ref().0.clone())
                .unwrap_or_default(),
            derived: spec.derived.clone(),
            same_as: spec.same_as.clone(),
            published_error: spec.published_error.as_ref().map(|error| *error.get_ref()),
            summary: spec.summary,
            why: spec.why.clone(),
            ..own
        });
    }
    columns
}

pub(super) fn check_published(
    experiment: &Experiment,
    full: &PlannedExperiment,
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

/// That each pattern names a published row.
pub(super) fn check_row_patterns(
    experiment: &Experiment,
    patterns: &[Spanned<String>],
    problems: &mut Diagnostics,
) {
    let published = experiment.published.iter().map(|row| row.row.as_str());
    for pattern in patterns {
        let text = pattern.get_ref();
        if !published
            .clone()
            .any(|row| WildMatch::new(text).matches(row))
        {
            let message = format!("`{text}` names no published row");
            let problem = experiment.error_at(pattern.span(), message);
            problems.push(problem.with_label(suggestion(text, published.clone())));
        }
    }
}

/// As many replicates have a central part.
const FEWEST_QUANTILES: u32 = 20;

pub(super) fn check_tolerances(experiment: &Experiment, problems: &mut Diagnostics) {
    check_row_patterns(experiment, &experiment.file.together.0, problems);
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
        if matches!(tol.get_ref(), Tolerance::Quantiles(_))
            && experiment.run.replicates() < FEWEST_QUANTILES
        {
            let message = format!("`quantiles` needs at least {FEWEST_QUANTILES} replicates");
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

/// That the plot is of columns that exist, by a pattern that can be read, and that the ends of intervals exist.
pub(super) fn check_columns_named(
    experiment: &Experiment,
    columns: &[TableColumn],
    problems: &mut Diagnostics,
) {
    let names = || columns.iter().map(|column| column.name.as_str());
    for (name, spec) in &experiment.file.columns.0 {
        let Some(tol) = (spec.tol.as_ref()).filter(|tol| *tol.get_ref() == Tolerance::OwnInterval)
        else {
            continue;
        };
        for end in interval_columns(name.get_ref()) {
            if !names().any(|known| known == end) {
                let message =
                    format!("`own-interval` needs a column `{end}`, which the table lacks");
                problems.push(experiment.error_at(tol.span(), message));
            }
        }
    }
    if let Some(rows) = experiment
        .file
        .plot
        .as_ref()
        .and_then(|plot| plot.rows.as_ref())
        && let Some(Err(error)) = experiment.file.plot.as_ref().and_then(PlotSpec::pattern)
    {
        // The last line says what is wrong; those before it show the pattern.
        let error = error.to_string();
        let why = error.lines().last().unwrap_or_default();
        let message = format!(
            "`rows` is not a regular expression: {}",
            why.trim_start_matches("error: ")
        );
        problems.push(experiment.error_at(rows.span(), message));
    }
    for named in experiment.file.plot.iter().flat_map(PlotSpec::columns) {
        let name = named.get_ref();
        if !names().any(|known| known == name) {
            let message = format!("the plot is of a column `{name}`, which the table lacks");
            let problem = experiment.error_at(named.span(), message);
            problems.push(problem.with_label(suggestion(name, names())));
        }
    }
}

pub(super) fn check_patterns(
    experiment: &Experiment,
    full: &PlannedExperiment,
    columns: &[TableColumn],
    problems: &mut Diagnostics,
) {
    let published = experiment.published.iter();
    let published = published.map(|published| published.row.as_str());
    // Without planned rows those that are printed are known.
    let cells: Vec<(&str, &str)> = published
        .filter(|_| full.is_open())
        .chain(full.rows())
        .chain(WHOLE_ROWS)
        .flat_map(|row| {
            columns
                .iter()
                .map(move |column| (row, column.name.as_str()))
        })
        .collect();
    let mut check = |glob: &Spanned<String>| {
        let text = glob.get_ref();
        let is_named = |(row, column): &(&str, &str)| names_cell(text, row, column);
        if !cells.iter().any(is_named) {
            let names = cells.iter().map(|(row, column)| format!("{row}.{column}"));
            let names: Vec<String> = names.collect();
            let known = names.iter().map(String::as_str);
            let message = format!("`{text}` names no cell of the table");
            let problem = experiment.error_at(glob.span(), message);
            problems.push(problem.with_label(suggestion(text, known)));
        }
    };
    let fitted = experiment
        .file
        .fitted
        .iter()
        .flat_map(|fitted| &fitted.cells.0);
    let put_in = experiment.file.inputs.0.iter();
    for glob in put_in.chain(&experiment.file.doubtful.0).chain(fitted) {
        check(glob);
    }
    for deviation in experiment.file.deviation.iter().map(Spanned::get_ref) {
        for glob in &deviation.cells.0 {
            check(glob);
        }
    }
}
