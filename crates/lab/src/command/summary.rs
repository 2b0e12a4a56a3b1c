//! What a run says at its end: everything that went wrong, then one line, then the exit code.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use super::reproduce::{ReproduceOptions, describe_trouble};
use super::session::Session;
use super::tables::{DataTrouble, FinishedTable, Origin, PlannedTable};
use super::{Answer, Exit, Format};
use crate::compare::{Counts, Drift, Drifted, Verdict};
use crate::printed::Printed;
use crate::render::{counted, ours_like, verdicts};
use crate::table::Measured;

/// `[12/14] pena2003/table2-play   2 cells   8.1 s   2 agree, no drift`
pub(crate) fn table_line(
    n: usize,
    of: usize,
    plan: &PlannedTable<'_>,
    finished: &FinishedTable,
    options: &ReproduceOptions,
) -> String {
    let seconds: f64 = finished.runs.iter().map(|run| run.seconds).sum();
    let time = match plan.n_runs() {
        0 => "fresh".to_owned(),
        _ => duration(seconds),
    };
    let outcome = if options.quick {
        match finished.failures.len() {
            0 if finished.missing.is_empty() => "works".to_owned(),
            0 => "not run".to_owned(),
            failures => counted(failures, "error", "errors"),
        }
    } else {
        format!(
            "{}, {}",
            verdicts(&finished.counts),
            drift_words(plan, finished)
        )
    };
    format!(
        "[{n:>width$}/{of}] {:<32} {:>10} {time:>9}   {outcome}",
        plan.entry.id(),
        counted(plan.cells.len(), "cell", "cells"),
        width = of.to_string().len(),
    )
}

fn drift_words(plan: &PlannedTable<'_>, finished: &FinishedTable) -> String {
    if plan.committed.is_none() {
        return "new".to_owned();
    }
    match finished.drifted.len() {
        0 => "no drift".to_owned(),
        n => format!("{n} drifted"),
    }
}

/// Seconds the way people say them.
pub(crate) fn duration(seconds: f64) -> String {
    if seconds < 60.0 {
        return format!("{seconds:.1} s");
    }
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a run lasts less than an age"
    )]
    let whole = seconds.round() as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// What came of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    #[serde(skip)]
    format: Format,
    #[serde(skip)]
    quick: bool,
    pub(crate) exit_code: u8,
    #[serde(skip)]
    exit: Exit,
    n_cells: usize,
    verdicts: Counts,
    n_drifted: usize,
    tables: Vec<TableSummary>,
    warnings: Vec<String>,
    /// Files written by `--bless`, and what `--check` found out of date.
    written: Vec<String>,
    problems: Vec<String>,
    #[serde(skip)]
    messages: String,
    #[serde(skip)]
    notes: String,
}

#[derive(Debug, Serialize)]
struct TableSummary {
    id: String,
    kind: &'static str,
    inputs_key: String,
    verdicts: Counts,
    drift: BTreeMap<&'static str, usize>,
    cells: Vec<CellSummary>,
    errors: Vec<String>,
}

#[derive(Debug, Serialize)]
struct CellSummary {
    row: String,
    column: String,
    paper: Option<String>,
    ours: Option<String>,
    difference: Option<f64>,
    tolerance: String,
    verdict: Verdict,
    #[serde(skip_serializing_if = "String::is_empty")]
    reason: String,
    drift: Drift,
}

impl Summary {
    pub(crate) fn new(
        options: &ReproduceOptions,
        session: &Session<'_>,
        planned: &[PlannedTable<'_>],
        finished: &[FinishedTable],
        troubles: &[DataTrouble<'_>],
    ) -> Self {
        let mut summary = Self {
            format: options.format,
            quick: options.quick,
            exit_code: 0,
            exit: Exit::Fresh,
            n_cells: planned.iter().map(|plan| plan.cells.len()).sum(),
            verdicts: Counts::default(),
            n_drifted: 0,
            tables: Vec::new(),
            warnings: Vec::new(),
            written: Vec::new(),
            problems: Vec::new(),
            messages: String::new(),
            notes: String::new(),
        };
        for trouble in troubles {
            let entry = trouble.entry.experiment.data.iter();
            let wanted = entry.clone().find(|used| used.name == trouble.name);
            let others = session
                .catalog
                .entries
                .iter()
                .filter(|other| {
                    !other
                        .experiment
                        .data
                        .iter()
                        .any(|used| wanted.is_some_and(|wanted| wanted.entry == used.entry))
                })
                .filter(|other| planned.iter().any(|plan| plan.entry.id() == other.id()))
                .count();
            summary.message(&describe_trouble(trouble, others).to_string());
            summary.worst(Exit::DataMissing);
        }
        for (plan, finished) in planned.iter().zip(finished) {
            summary.add_table(plan, finished);
        }
        summary
    }

    fn add_table(&mut self, plan: &PlannedTable<'_>, finished: &FinishedTable) {
        let entry = plan.entry;
        let id = entry.id();
        for failure in &finished.failures {
            let replicate = match entry.experiment.run.replicates() {
                1 => String::new(),
                n => format!(" {}/{n}", failure.replicate + 1),
            };
            self.message(&format!(
                "error: {id} \"{}\"{replicate}: {}",
                failure.cell, failure.reason
            ));
            self.worst(Exit::CellFailed);
        }
        for cell in &finished.judged {
            let place = format!("{id} \"{}\".{}", cell.row, cell.column.name);
            match cell.verdict {
                Verdict::Differs => {
                    let paper = cell.printed.as_ref().map(Printed::to_string);
                    let ours = cell
                        .ours
                        .as_ref()
                        .map(|ours| finer(cell.printed.as_ref(), ours));
                    self.message(&format!(
                        "differs: {place}  paper {}, ours {}{}   (tolerance: {})",
                        paper.as_deref().unwrap_or("-"),
                        ours.as_deref().unwrap_or("-"),
                        unit(&cell.column.unit),
                        cell.column.tolerance,
                    ));
                    self.worst(Exit::Differs);
                }
                // A value that is missing from a cell that did run; the others were named above.
                Verdict::Error if !finished.missing.contains_key(&cell.row) => {
                    self.message(&format!("error: {place}: {}", cell.reason));
                    self.worst(Exit::CellFailed);
                }
                _ => {}
            }
        }
        self.add_drift(plan, finished);
        self.verdicts.merge(&finished.counts);
        let mut drift_counts: BTreeMap<&'static str, usize> = BTreeMap::new();
        let cells = finished
            .judged
            .iter()
            .map(|cell| {
                let drifted = finished
                    .drifted
                    .iter()
                    .find(|drifted| drifted.row == cell.row && drifted.column == cell.column.name);
                let drift = match (drifted, &plan.committed) {
                    (Some(drifted), _) => drifted.drift,
                    (None, Some(_)) => Drift::Same,
                    (None, None) => Drift::New,
                };
                *drift_counts.entry(drift.word()).or_insert(0) += 1;
                CellSummary {
                    row: cell.row.clone(),
                    column: cell.column.name.clone(),
                    paper: cell.printed.as_ref().map(Printed::to_string),
                    ours: cell.ours.as_ref().map(Measured::written),
                    difference: cell.difference,
                    tolerance: cell.column.tolerance.to_string(),
                    verdict: cell.verdict,
                    reason: cell.reason.clone(),
                    drift,
                }
            })
            .collect();
        for run in &finished.runs {
            for warning in &run.warnings {
                self.warn(&format!("{id} \"{}\": {warning}", run.cell));
            }
        }
        self.tables.push(TableSummary {
            id: id.to_owned(),
            kind: entry.kind.name(),
            inputs_key: plan.inputs.inputs_key.clone(),
            verdicts: finished.counts,
            drift: drift_counts,
            cells,
            errors: finished
                .failures
                .iter()
                .map(|failure| format!("{}: {}", failure.cell, failure.reason))
                .collect(),
        });
    }

    fn add_drift(&mut self, plan: &PlannedTable<'_>, finished: &FinishedTable) {
        let Some(committed) = &plan.committed else {
            return;
        };
        if finished.drifted.is_empty() {
            return;
        }
        self.n_drifted += finished.drifted.len();
        self.worst(Exit::Differs);
        let id = plan.entry.id();
        let seed = committed
            .inputs
            .seed
            .map_or_else(String::new, |seed| format!("seed {seed}, "));
        let key: String = committed.inputs.inputs_key.chars().take(4).collect();
        for drifted in &finished.drifted {
            let unit = plan
                .entry
                .columns
                .iter()
                .find(|column| column.name == drifted.column)
                .map_or_else(String::new, |column| unit(&column.unit));
            self.message(&format!(
                "drift: {id} \"{}\".{}  {}{unit}   (blessed with {seed}key {key})",
                drifted.row,
                drifted.column,
                change(drifted),
            ));
        }
        let changes = committed.inputs.changes(&plan.inputs);
        let why = if !committed.intact {
            format!("results/{id}/table.csv was edited: it is not what inputs.toml says it is")
        } else if changes.is_empty() {
            "no input changed since then: the kind is not deterministic, or its version should \
             have been bumped"
                .to_owned()
        } else {
            format!("changed since then: {}", changes.join(", "))
        };
        self.message(&format!("   = {why}; see `cargo xtask explain {id}`"));
    }

    fn message(&mut self, text: &str) {
        self.messages.push_str(text);
        self.messages.push('\n');
    }

    /// A remark below the line; no reason to fail.
    pub(crate) fn warn(&mut self, text: &str) {
        self.warnings.push(text.to_owned());
    }

    /// Something `--check` guards is out of date.
    pub(crate) fn problem(&mut self, text: &str) {
        self.problems.push(text.to_owned());
        self.message(&format!("error: {text}"));
        self.worst(Exit::Differs);
    }

    /// A line before the summary, on standard output.
    pub(crate) fn note(&mut self, text: &str) {
        self.notes.push_str(text);
        self.notes.push('\n');
    }

    /// Says how many files `--bless` wrote.
    pub(crate) fn note_written(&mut self) {
        let text = match self.written.len() {
            0 => "everything was recorded already".to_owned(),
            n => format!("{} written", counted(n, "file", "files")),
        };
        self.note(&text);
    }

    /// A file that was written.
    pub(crate) fn wrote(&mut self, path: String) {
        self.written.push(path);
    }

    /// Ends with this exit code unless there is a worse one.
    pub(crate) fn worst(&mut self, exit: Exit) {
        self.exit = self.exit.max(exit);
        self.exit_code = self.exit.code();
    }

    /// After blessing, values that drifted are what they should be.
    pub(crate) fn forgive_drift(&mut self) {
        let reasons = [
            (self.verdicts.of(Verdict::Differs) > 0).then_some(Exit::Differs),
            (!self.problems.is_empty()).then_some(Exit::Differs),
        ];
        if self.exit == Exit::Differs {
            self.exit = reasons.into_iter().flatten().max().unwrap_or(Exit::Fresh);
            self.exit_code = self.exit.code();
        }
    }

    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// Drops the messages about drift: the diff of `--bless` tells the same.
    pub(crate) fn drop_drift_messages(&mut self) {
        let kept: Vec<&str> = self
            .messages
            .lines()
            .filter(|line| !line.starts_with("drift: ") && !line.starts_with("   = changed since"))
            .collect();
        let mut text = kept.join("\n");
        if !text.is_empty() {
            text.push('\n');
        }
        self.messages = text;
    }

    /// `14 tables, 212 cells: 180 agree, …; drift 0; 3 min 12 s; see results/index.md`
    fn line(&self, seconds: f64) -> String {
        let tables = counted(self.tables.len(), "table", "tables");
        if self.quick {
            return format!(
                "{tables}, {} run quickly; nothing kept, nothing judged; {}",
                counted(self.n_cells, "cell", "cells"),
                duration(seconds)
            );
        }
        format!(
            "{tables}, {}: {}; drift {}; {}; see results/index.md",
            counted(self.verdicts.total(), "cell", "cells"),
            verdicts(&self.verdicts),
            self.n_drifted,
            duration(seconds)
        )
    }

    pub(crate) fn answer(self, seconds: f64) -> Answer {
        let exit = self.exit;
        if self.format == Format::Json {
            let out = serde_json::to_string_pretty(&self).unwrap_or_default();
            return Answer {
                out: format!("{out}\n"),
                err: String::new(),
                exit,
            };
        }
        let mut out = self.notes.clone();
        if exit == Exit::Interrupted {
            out.push_str("interrupted; finished cells are kept, the same command resumes\n");
        }
        let _ = writeln!(out, "{}", self.line(seconds));
        let mut err = self.messages.clone();
        for warning in &self.warnings {
            let _ = writeln!(err, "warning: {warning}");
        }
        Answer { out, err, exit }
    }
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
    let short = |value: &Option<Measured>| {
        value.as_ref().map_or_else(
            || drifted_word(drifted).to_owned(),
            |value| ours_like(None, value),
        )
    };
    let full = |value: &Option<Measured>| {
        value
            .as_ref()
            .map_or_else(|| drifted_word(drifted).to_owned(), Measured::written)
    };
    let (old, new) = (short(&drifted.old), short(&drifted.new));
    if old != new {
        return format!("{old} -> {new}");
    }
    let (old, new) = (full(&drifted.old), full(&drifted.new));
    if old == new {
        format!("{old}, with another spread or count")
    } else {
        format!("{old} -> {new}")
    }
}

fn drifted_word(drifted: &Drifted) -> &'static str {
    match drifted.drift {
        Drift::Gone => "gone",
        _ => "nothing",
    }
}

/// What would run and why.
pub(crate) fn dry_run(
    planned: &[PlannedTable<'_>],
    troubles: &[DataTrouble<'_>],
    options: &ReproduceOptions,
) -> Answer {
    #[derive(Serialize)]
    struct Line<'a> {
        id: &'a str,
        cells: usize,
        fresh: usize,
        stale: usize,
        blocked: usize,
        runs: usize,
    }
    let lines: Vec<Line<'_>> = planned
        .iter()
        .map(|plan| {
            let count = |wanted: fn(&Origin) -> bool| {
                plan.cells
                    .iter()
                    .filter(|cell| wanted(&cell.origin))
                    .count()
            };
            Line {
                id: plan.entry.id(),
                cells: plan.cells.len(),
                fresh: count(|origin| matches!(origin, Origin::Committed | Origin::Cached(_))),
                stale: count(|origin| matches!(origin, Origin::Run(_))),
                blocked: count(|origin| matches!(origin, Origin::NoData(_))),
                runs: plan.n_runs(),
            }
        })
        .collect();
    let exit = if troubles.is_empty() {
        Exit::Fresh
    } else {
        Exit::DataMissing
    };
    let mut err = String::new();
    for trouble in troubles {
        let _ = writeln!(err, "{}", describe_trouble(trouble, 0));
    }
    if options.format == Format::Json {
        let out = serde_json::to_string_pretty(&lines).unwrap_or_default();
        return Answer {
            out: format!("{out}\n"),
            err,
            exit,
        };
    }
    let mut out = String::new();
    for line in &lines {
        let _ = write!(
            out,
            "{:<32} {:>10}",
            line.id,
            counted(line.cells, "cell", "cells")
        );
        let _ = match (line.stale, line.blocked) {
            (0, 0) => write!(out, "   fresh"),
            _ => write!(
                out,
                "   {} to run ({}), {} fresh",
                line.stale,
                counted(line.runs, "run", "runs"),
                line.fresh
            ),
        };
        if line.blocked > 0 {
            let _ = write!(out, ", {} without data", line.blocked);
        }
        out.push('\n');
    }
    let runs: usize = lines.iter().map(|line| line.runs).sum();
    let _ = writeln!(
        out,
        "{}: {} would run; nothing was run",
        counted(lines.len(), "table", "tables"),
        counted(runs, "run of a cell", "runs of cells"),
    );
    Answer { out, err, exit }
}
