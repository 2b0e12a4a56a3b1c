//! The outcome of a run as an answer for people.

use std::fmt::Write as _;

use super::finished::FinishedTable;
use super::options::Mode;
use super::plan::{Absence, DataTrouble};
use super::run_outcome::RunOutcome;
use super::{Answer, Format};
use crate::compare::{Drift, Drifted};
use crate::measured::Measured;
use crate::observe::duration;
use crate::printed::Printed;
use crate::render::{counted, ours_like, outcomes, table_text};
use crate::results::folder;

impl RunOutcome<'_> {
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
        if let Some(table) = self.only_one() {
            for line in table.audit() {
                let _ = writeln!(out, "audit: {line}");
            }
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

    /// `14 tables, 212 values: 180 match, …; drift 0; 3 min 12 s; see results/index.md`
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
        let all = self.outcomes();
        format!(
            "{tables}, {}: {}; drift {}; {time}; see {}",
            counted(all.total(), "value", "values"),
            outcomes(&all),
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

    /// The number of selected experiments that do not need the missing data.
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
            if cell.is_undeclared {
                let ours = cell
                    .ours
                    .as_ref()
                    .map(|ours| finer(cell.printed.as_ref(), ours));
                let _ = writeln!(
                    err,
                    "differs: {place}  published {}, reproduced {}{}   (tolerance: {}{})",
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
        // A recorded value is shown as a change instead.
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
