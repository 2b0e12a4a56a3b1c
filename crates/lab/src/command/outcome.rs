//! What came of a run: put together once, then written for people, for tools, or into the log.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;

use super::reproduce::{Mode, ReproduceOptions};
use super::session::Session;
use super::tables::{Absence, DataTrouble, FinishedTable};
use super::{Answer, Exit, Format};
use crate::cache::Toolchain;
use crate::clock::timestamp;
use crate::compare::{Drift, Drifted, Judged};
use crate::files::{FileError, write_atomically};
use crate::observe::duration;
use crate::printed::Printed;
use crate::provenance::{Git, Machine};
use crate::render::{counted, ours_like, table_text, verdicts};
use crate::results::folder;
use crate::table::Measured;
use crate::verdict::{Counts, Verdict};
use kibitz_experiment::Volatile;
use kibitz_text::{Diagnostic, Diagnostics};

/// What came of a run.
pub(crate) struct Outcome<'a> {
    pub(crate) session: &'a Session<'a>,
    pub(crate) options: &'a ReproduceOptions,
    pub(crate) tables: &'a [FinishedTable<'a>],
    pub(crate) troubles: &'a [DataTrouble<'a>],
    pub(crate) interrupted: bool,
    /// What `--check` or `--bless` found and did.
    pub(crate) findings: Findings,
    pub(crate) seconds: f64,
}

/// What the committed files are, or what became of them.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// What `--check` guards and is out of date.
    pub(crate) problems: Diagnostics,
    /// Remarks; no reason to fail.
    pub(crate) warnings: Vec<String>,
    /// What recording changes, in words.
    pub(crate) changes: Vec<String>,
    /// Files that were written; `None` unless values were recorded.
    pub(crate) written: Option<Vec<String>>,
    /// What kept the files from being read or written.
    pub(crate) failed: Option<Answer>,
}

impl Outcome<'_> {
    /// The exit code of the worst thing that happened.
    pub(crate) fn exit(&self) -> Exit {
        let drifted = self.findings.written.is_none() && self.n_drifted() > 0;
        let mut exits = vec![Exit::Done];
        let reasons = [
            (self.interrupted, Exit::Interrupted),
            (!self.troubles.is_empty(), Exit::Missing),
            (
                drifted || !self.findings.problems.is_empty(),
                Exit::Negative,
            ),
            (self.unkept().next().is_some(), Exit::Unwritable),
            (self.verdicts().of(Verdict::Differs) > 0, Exit::Negative),
            (self.tables.iter().any(FinishedTable::failed), Exit::Failed),
        ];
        exits.extend(
            reasons
                .into_iter()
                .filter(|(holds, _)| *holds)
                .map(|(_, exit)| exit),
        );
        exits.extend(self.findings.failed.iter().map(|failed| failed.exit));
        exits.into_iter().max().unwrap_or(Exit::Done)
    }

    fn verdicts(&self) -> Counts {
        let mut verdicts = Counts::default();
        for table in self.judged() {
            verdicts.merge(&table.counts);
        }
        verdicts
    }

    /// Why results are not kept, once for each table.
    fn unkept(&self) -> impl Iterator<Item = (&str, &str)> {
        self.tables.iter().filter_map(|table| {
            let unkept = table.runs.iter().find_map(|run| run.unkept.as_deref())?;
            Some((table.id(), unkept))
        })
    }

    fn n_drifted(&self) -> usize {
        self.judged().map(|table| table.drifted.len()).sum()
    }

    /// The tables that were asked for: not the datasets, and not what they read besides.
    fn judged(&self) -> impl Iterator<Item = &FinishedTable<'_>> {
        self.tables.iter().filter(|table| table.has_values())
    }

    /// The table that was asked for, if it is one.
    fn only_table(&self) -> Option<&FinishedTable<'_>> {
        let mut tables = self.judged();
        tables.next().filter(|_| tables.next().is_none())
    }

    fn warnings(&self) -> Vec<String> {
        let mut warnings = self.findings.warnings.clone();
        let program = &self.session.lab.program;
        for (id, problems) in &self.session.catalog.broken {
            warnings.push(format!(
                "experiments/{id}.toml has {}; `{program} explain {id}` shows them",
                counted(problems.len(), "problem", "problems")
            ));
        }
        for table in self.tables {
            // What several cells remark, such as of a file they all read, is said once.
            let mut said: Vec<&str> = Vec::new();
            for run in &table.runs {
                for text in &run.warnings {
                    if !said.contains(&text.as_str()) {
                        said.push(text);
                        warnings.push(format!("{} \"{}\": {text}", table.id(), run.cell));
                    }
                }
            }
        }
        warnings
    }

    /// The answer of the command.
    pub(crate) fn answer(&self) -> Answer {
        let exit = self.exit();
        if self.options.format == Format::Json {
            let out = serde_json::to_string_pretty(&self.summary()).unwrap_or_default();
            return Answer {
                exit,
                ..Answer::ok(format!("{out}\n"))
            };
        }
        let mut out = String::new();
        for change in &self.findings.changes {
            let _ = writeln!(out, "{change}");
        }
        match self.findings.written.as_deref() {
            None => {}
            Some([]) => out.push_str("everything was recorded already\n"),
            Some(written) => {
                let _ = writeln!(out, "{} written", counted(written.len(), "file", "files"));
            }
        }
        for table in self.tables {
            let Some(absence) = table.plan.absence() else {
                continue;
            };
            let rest = match absence {
                Absence::Recorded => "not rerun here",
                Absence::Skipped => "stale, and cannot be rerun here",
            };
            let (word, id) = (absence.word(), table.id());
            let _ = writeln!(
                out,
                "{word}: {id}, {rest}; say where its data are with --data DIR"
            );
        }
        if let Some(table) = self.only_table()
            && self.options.mode == Mode::Run
            && !self.options.quick
        {
            out.push_str(&table_text(&table.judged, self.session.lab.width));
        }
        if self.interrupted {
            out.push_str("interrupted; finished cells are kept, the same command resumes\n");
        }
        let _ = writeln!(out, "{}", self.line());
        let mut err = String::new();
        for trouble in self.troubles {
            let _ = writeln!(err, "{}", trouble.describe(self.others(trouble)));
        }
        for table in self.tables {
            self.describe(table, &mut err);
        }
        for (id, error) in self.unkept() {
            let _ = writeln!(err, "error: the values of {id} are not kept: {error}");
        }
        for problem in self.findings.problems.iter() {
            let _ = writeln!(err, "{problem}");
        }
        if let Some(failed) = &self.findings.failed {
            err.push_str(&failed.err);
        }
        for warning in self.warnings() {
            let _ = writeln!(err, "warning: {warning}");
        }
        Answer { out, err, exit }
    }

    /// `14 tables, 212 values: 180 agree, …; drift 0; 3 min 12 s; see results/index.md`
    fn line(&self) -> String {
        let tables = counted(self.judged().count(), "table", "tables");
        let time = duration(self.seconds);
        if self.options.quick {
            let n_runs = self
                .tables
                .iter()
                .map(|table| table.plan.n_all_runs())
                .sum();
            let runs = counted(n_runs, "quick run", "quick runs");
            return format!("{tables}, {runs}; nothing kept, nothing judged; {time}");
        }
        let all = self.verdicts();
        format!(
            "{tables}, {}: {}; drift {}; {time}; see {}",
            counted(all.total(), "value", "values"),
            verdicts(&all),
            self.n_drifted(),
            self.place(),
        )
    }

    /// Where a person finds the values.
    fn place(&self) -> String {
        let lab = self.session.lab;
        if self.options.mode != Mode::Run {
            return "results/index.md".to_owned();
        }
        let mut path = lab.state.join("results");
        if let Some(table) = self.only_table() {
            path = folder(&path, table.id()).join("table.md");
        }
        path.strip_prefix(&lab.root)
            .unwrap_or(&path)
            .display()
            .to_string()
    }

    /// How many of the selected experiments need not what is missing.
    fn others(&self, trouble: &DataTrouble<'_>) -> usize {
        let needs = |table: &&FinishedTable<'_>| {
            let mut data = table.plan.entry.experiment.data.iter();
            data.any(|used| used.entry == trouble.used.entry)
        };
        self.tables.iter().filter(|table| !needs(table)).count()
    }

    /// What went wrong with a table, line by line.
    fn describe(&self, table: &FinishedTable<'_>, err: &mut String) {
        let id = table.id();
        for failure in &table.failures {
            let replicate = match table.plan.entry.experiment.run.replicates() {
                1 => String::new(),
                n => format!(" {}/{n}", failure.replicate + 1),
            };
            let _ = writeln!(
                err,
                "error: {id} \"{}\"{replicate}: {}",
                failure.cell, failure.reason
            );
        }
        if !table.has_values() {
            return;
        }
        for cell in &table.judged {
            let place = format!("{id} \"{}\".{}", cell.row, cell.column.name);
            if cell.verdict == Verdict::Differs {
                let ours = cell
                    .ours
                    .as_ref()
                    .map(|ours| finer(cell.printed.as_ref(), ours));
                let _ = writeln!(
                    err,
                    "differs: {place}  paper {}, ours {}{}   (tolerance: {}{})",
                    cell.printed
                        .as_ref()
                        .map_or("-".to_owned(), Printed::to_string),
                    ours.as_deref().unwrap_or("-"),
                    unit(&cell.column.unit),
                    cell.column.tolerance,
                    match cell.reason.as_str() {
                        "" => String::new(),
                        reason => format!("; {reason}"),
                    },
                );
            } else if table.lacks_value(cell) {
                let _ = writeln!(err, "error: {place}: {}", cell.reason);
            }
        }
        // What was recorded is shown as a change instead.
        if self.findings.written.is_none() {
            self.describe_drift(table, err);
        }
    }

    fn describe_drift(&self, table: &FinishedTable<'_>, err: &mut String) {
        let (id, plan) = (table.id(), table.plan);
        let Some(committed) = plan
            .committed
            .as_ref()
            .filter(|_| !table.drifted.is_empty())
        else {
            return;
        };
        let seed = committed.inputs.seed;
        let seed = seed.map_or_else(String::new, |seed| format!("seed {seed}, "));
        let key: String = committed.inputs.inputs_key.chars().take(4).collect();
        for drifted in &table.drifted {
            let mut columns = plan.entry.columns.iter();
            let column = columns.find(|column| column.name == drifted.column);
            let _ = writeln!(
                err,
                "drift: {id} \"{}\".{}  {}{}   (blessed with {seed}key {key})",
                drifted.row,
                drifted.column,
                change(drifted),
                column.map_or_else(String::new, |column| unit(&column.unit)),
            );
        }
        let changes = committed.inputs.changes(&plan.inputs);
        let why = if !committed.intact {
            format!("results/{id}/table.csv was edited: it is not what inputs.toml says it is")
        } else if changes.is_empty() {
            "no input changed since then: the kind is not deterministic".to_owned()
        } else {
            format!("changed since then: {}", changes.join(", "))
        };
        let program = &self.session.lab.program;
        let _ = writeln!(err, "   = {why}; see `{program} explain {id}`");
    }

    /// The same for tools.
    fn summary(&self) -> Summary<'_> {
        let problems = self.findings.problems.iter();
        Summary {
            exit_code: self.exit().code(),
            n_runs: self
                .tables
                .iter()
                .map(|table| table.plan.n_all_runs())
                .sum(),
            verdicts: self.verdicts(),
            n_drifted: self.n_drifted(),
            tables: self.tables.iter().map(TableSummary::new).collect(),
            warnings: self.warnings(),
            written: self.findings.written.as_deref().unwrap_or_default(),
            problems: problems.map(Diagnostic::to_string).collect(),
        }
    }

    /// Writes `runs/<time>/run.json` below the state folder.
    pub(crate) fn write_log(&self, git: &Git, state: &Path) -> Result<(), FileError> {
        let options = self.options;
        let log = RunLog {
            finished_at: timestamp(),
            seconds: self.seconds,
            arguments: &options.arguments,
            mode: match options.mode {
                Mode::Run => "run",
                Mode::Check => "check",
                Mode::Bless { .. } => "bless",
            },
            quick: options.quick,
            jobs: options.jobs,
            unattended: options.unattended,
            git,
            machine: Machine::current(),
            toolchain: &self.session.lab.toolchain,
            summary: self.summary(),
            tables: self.tables.iter().map(TableLog::new).collect(),
        };
        // Colons are not allowed in file names everywhere.
        let time = log.finished_at.replace(':', "-");
        let path = state.join("runs").join(time).join("run.json");
        let json = serde_json::to_vec_pretty(&log)
            .map_err(|error| FileError::new("write", &path, std::io::Error::other(error)))?;
        write_atomically(&path, &json)
    }
}

/// What tools are told of a run.
#[derive(Serialize)]
struct Summary<'a> {
    exit_code: u8,
    n_runs: usize,
    verdicts: Counts,
    n_drifted: usize,
    tables: Vec<TableSummary<'a>>,
    warnings: Vec<String>,
    written: &'a [String],
    problems: Vec<String>,
}

#[derive(Serialize)]
struct TableSummary<'a> {
    id: &'a str,
    kind: &'static str,
    inputs_key: &'a str,
    verdicts: Counts,
    drift: BTreeMap<&'static str, usize>,
    cells: Vec<CellSummary<'a>>,
    errors: Vec<String>,
}

#[derive(Serialize)]
struct CellSummary<'a> {
    row: &'a str,
    column: &'a str,
    paper: Option<String>,
    /// A number, or a text where the column has texts.
    ours: Option<serde_json::Value>,
    difference: Option<f64>,
    tolerance: String,
    verdict: Verdict,
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'a str,
    drift: Drift,
}

impl<'a> TableSummary<'a> {
    fn new(table: &'a FinishedTable<'_>) -> Self {
        let cell = |cell: &'a Judged| CellSummary {
            row: &cell.row,
            column: &cell.column.name,
            paper: cell.printed.as_ref().map(Printed::to_string),
            ours: cell.ours.as_ref().map(|ours| match ours.number() {
                Some(number) => number.into(),
                None => ours.written().into(),
            }),
            difference: cell.difference,
            tolerance: cell.column.tolerance.to_string(),
            verdict: cell.verdict,
            reason: &cell.reason,
            drift: table.drift_of(cell),
        };
        let cells: Vec<CellSummary<'_>> = table.judged.iter().map(cell).collect();
        let mut drift = BTreeMap::new();
        for cell in &cells {
            *drift.entry(cell.drift.word()).or_insert(0) += 1;
        }
        let errors = table.failures.iter();
        Self {
            id: table.id(),
            kind: table.plan.entry.kind.name(),
            inputs_key: &table.plan.inputs.inputs_key,
            verdicts: table.counts,
            drift,
            cells,
            errors: errors
                .map(|failure| format!("{}: {}", failure.cell, failure.reason))
                .collect(),
        }
    }
}

/// `run.json`: the volatile half of provenance. Never committed.
#[derive(Serialize)]
struct RunLog<'a> {
    finished_at: String,
    seconds: f64,
    arguments: &'a [String],
    mode: &'static str,
    quick: bool,
    jobs: usize,
    unattended: bool,
    git: &'a Git,
    machine: Machine,
    toolchain: &'a Toolchain,
    summary: Summary<'a>,
    tables: Vec<TableLog<'a>>,
}

/// Timings, remarks and machine-dependent figures of one table.
#[derive(Serialize)]
struct TableLog<'a> {
    id: &'a str,
    runs: Vec<CellLog<'a>>,
}

#[derive(Serialize)]
struct CellLog<'a> {
    cell: &'a str,
    replicate: u32,
    seconds: f64,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    warnings: &'a [String],
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    volatile: &'a BTreeMap<String, Volatile>,
}

impl<'a> TableLog<'a> {
    fn new(table: &'a FinishedTable<'_>) -> Self {
        let runs = table.runs.iter().map(|run| CellLog {
            cell: &run.cell,
            replicate: run.replicate,
            seconds: run.seconds,
            warnings: &run.warnings,
            volatile: run.output.volatile(),
        });
        Self {
            id: table.id(),
            runs: runs.collect(),
        }
    }
}

/// `[12/14] pena2003/table2-play   2 runs   8.1 s   2 agree, no drift`
pub(crate) fn table_line(n: usize, of: usize, table: &FinishedTable<'_>, quick: bool) -> String {
    let plan = table.plan;
    let time = match plan.n_runs() {
        0 => plan.absence().map_or("fresh", Absence::word).to_owned(),
        _ => duration(table.runs.iter().map(|run| run.seconds).sum()),
    };
    let outcome = match (quick, table.failures.len()) {
        (true, 0) if table.missing.is_empty() => "works".to_owned(),
        (true, 0) => "not run".to_owned(),
        (true, failures) => counted(failures, "error", "errors"),
        (false, 0) if plan.entry.is_dataset() => {
            let parts = || table.runs.iter().filter_map(|run| run.part.as_ref());
            let records = parts().map(|part| part.records).sum();
            let megabytes = parts().map(|part| part.bytes).sum::<u64>() as f64 / 1e6;
            let records = counted(records, "record", "records");
            format!("{records}, {megabytes:.1} MB")
        }
        (false, _) => {
            let drift = match (&plan.committed, table.drifted.len()) {
                (None, _) => "new".to_owned(),
                (Some(_), 0) => "no drift".to_owned(),
                (Some(_), n) => format!("{n} drifted"),
            };
            format!("{}, {drift}", verdicts(&table.counts))
        }
    };
    format!(
        "[{n:>width$}/{of}] {:<32} {:>10} {time:>9}   {outcome}",
        table.id(),
        counted(plan.n_all_runs(), "run", "runs"),
        width = of.to_string().len(),
    )
}

fn unit(unit: &str) -> String {
    if unit.is_empty() {
        String::new()
    } else {
        format!(" {unit}")
    }
}

/// Ours like the print, or in full when that looks the same although it differs.
fn finer(printed: Option<&Printed>, ours: &Measured) -> String {
    let like = ours_like(printed, ours);
    if printed.is_some_and(|printed| printed.to_string() == like) {
        ours.written()
    } else {
        like
    }
}

/// `52.1 -> 51.4`, with as many digits as it takes to see the difference.
pub(crate) fn change(drifted: &Drifted) -> String {
    let both = |written: &dyn Fn(&Measured) -> String| {
        let none = match drifted.drift {
            Drift::Gone => "gone",
            _ => "nothing",
        };
        [&drifted.old, &drifted.new]
            .map(|value| value.as_ref().map_or_else(|| none.to_owned(), written))
    };
    let [old, new] = both(&|value| ours_like(None, value));
    if old != new {
        return format!("{old} -> {new}");
    }
    let [old, new] = both(&Measured::written);
    if old == new {
        format!("{old}, with another spread or count")
    } else {
        format!("{old} -> {new}")
    }
}
