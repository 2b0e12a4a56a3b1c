//! The outcome of a run as an answer for people.

use std::fmt::Write as _;

use crate::Answer;
use crate::Format;
use crate::command::list::headlines;
use crate::options::Mode;
use crate::render::{ours_like, table_text};
use crate::run_outcome::RunOutcome;
use kibitz_command::{empty_field, no_row};
use kibitz_lab::compare::{Drift, DriftedValue};
use kibitz_lab::finished::FinishedTable;
use kibitz_lab::judge::JudgedCell;
use kibitz_lab::measurement::Measurement;
use kibitz_lab::observe::duration;
use kibitz_lab::origin::Absence;
use kibitz_lab::outcome::Outcome;
use kibitz_lab::published::PublishedValue;
use kibitz_lab::results::folder;
use kibitz_lab::trouble::DataTrouble;
use kibitz_text::{Exit, counted};

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
            let (word, id) = (table.plan.state(), table.id());
            let _ = writeln!(
                out,
                "{word}: {id}, {rest}; say where its data are with --data DIR"
            );
        }
        // With a single table, its values are what the user wants to see; with many they would bury
        // the summary.
        if let Some(table) = self.only_table()
            && self.options.mode == Mode::Run
            && !self.options.quick
        {
            out.push_str(&table_text(&table.judged, self.desk.width));
        }
        if let Some(table) = self.only_one() {
            for line in table.audit() {
                let _ = writeln!(out, "audit: {line}");
            }
        }
        if self.interrupted {
            out.push_str("interrupted; finished cells are kept, the same command resumes\n");
        }
        // Without a table, and after an error, there is nothing to count.
        if exit == Exit::Done || self.judged().next().is_some() {
            let _ = writeln!(out, "{}", self.line());
        }
        // A quick run has other parameters: nothing that it shows may be recorded, so no next step
        // is offered.
        if !self.options.quick {
            self.closing(&mut out);
        }
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
        let unshown = self.findings.unshown.iter();
        for problem in unshown.chain(self.findings.problems.iter()) {
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

    /// `14 tables, 212 values: 180 match, …; 3 min 12 s wall; see results/index.md`
    fn line(&self) -> String {
        let tables = counted(self.judged().count(), "table", "tables");
        let time = duration(self.seconds);
        if self.options.quick {
            let n_runs: usize = self
                .tables
                .iter()
                .map(|table| table.plan.n_all_runs())
                .sum();
            let runs = counted(n_runs, "quick run", "quick runs");
            return format!("{tables}, {runs}; nothing kept, nothing judged; {time} wall");
        }
        let all = self.outcomes();
        format!(
            "{tables}, {}: {}; {time} wall; see {}",
            counted(all.total(), "value", "values"),
            all.in_words(),
            self.place(),
        )
    }

    /// What the run amounts to: headlines, unexplained differences, changes, what was left out, and the next
    /// command.
    fn closing(&self, out: &mut String) {
        if self.only_table().is_none() {
            let judged = self.judged();
            let tables = judged.map(|table| (table.plan.entry.experiment.paper(), table.counts));
            out.push_str(&headlines(tables));
            self.unexplained(out);
        }
        if self.findings.written.is_none() {
            self.as_committed(out);
        }
        if let Some(left_out) = self.left_out() {
            let _ = writeln!(out, "{left_out}");
        }
        let is_failed =
            self.tables.iter().any(FinishedTable::failed) || self.findings.failed.is_some();
        if self.options.mode == Mode::Run
            && !is_failed
            && let Some(command) = &self.desk.browse
        {
            let _ = writeln!(out, "Browse: {command}");
        }
    }

    /// Where values differ without an explanation, a line for each table.
    fn unexplained(&self, out: &mut String) {
        let n_of = |table: &FinishedTable<'_>| table.counts.of(Outcome::DiffersUnexplained);
        let n: usize = self.judged().map(n_of).sum();
        if n == 0 {
            return;
        }
        let values = counted(n, "value differs", "values differ");
        let _ = writeln!(out, "In this selection {values} without an explanation:");
        for table in self.judged().filter(|table| n_of(table) > 0) {
            let is_here = |cell: &&JudgedCell| cell.outcome == Outcome::DiffersUnexplained;
            let cells = table.judged.iter().filter(is_here);
            let names: Vec<String> = cells
                .map(|cell| format!("\"{}\".{}", cell.row, cell.column.name))
                .collect();
            let shown = names.len().min(3);
            let more = match names.len() - shown {
                0 => String::new(),
                n => format!(" and {n} more"),
            };
            let names = names[..shown].join(", ");
            let _ = writeln!(out, "  {}: {names}{more}", table.id());
        }
    }

    /// How the values compare with the committed ones.
    fn as_committed(&self, out: &mut String) {
        let mut counts = [0; 4];
        let [same, changed, new, absent] = &mut counts;
        for table in self.judged() {
            for cell in &table.judged {
                *match (cell.outcome, table.drift_of(cell)) {
                    // Nothing is recorded that it could be missing from.
                    (_, Drift::New) => &mut *new,
                    (Outcome::NotRun | Outcome::Error, _) | (_, Drift::Gone) => &mut *absent,
                    (_, Drift::Same) => &mut *same,
                    (_, Drift::Drifted) => &mut *changed,
                } += 1;
            }
            let shown = |drifted: &&DriftedValue| {
                let mut judged = table.judged.iter();
                judged.any(|cell| cell.row == drifted.row && cell.column.name == drifted.column)
            };
            let gone = table
                .drifted
                .iter()
                .filter(|drifted| drifted.drift == Drift::Gone);
            *absent += gone.filter(|drifted| !shown(drifted)).count();
        }
        let [same, changed, new, absent] = counts;
        let all = same + changed + new + absent;
        let _ = match (all, all - same) {
            (0, _) => Ok(()),
            (1, 0) => writeln!(out, "The value equals the committed result."),
            (1, _) if new == 1 => writeln!(out, "The value is not recorded yet."),
            (1, _) if changed == 1 => writeln!(out, "The value differs from the committed result."),
            (1, _) => writeln!(out, "The value of the committed result is missing."),
            _ if new == all => writeln!(out, "None of the {all} values is recorded yet."),
            (_, 0) => writeln!(out, "All {all} values equal the committed results."),
            _ => {
                let parts = [(changed, "changed"), (new, "new"), (absent, "missing")];
                let parts = parts.iter().filter(|(n, _)| *n > 0);
                let parts: Vec<String> = parts.map(|(n, word)| format!("{n} {word}")).collect();
                let parts = parts.join(", ");
                writeln!(
                    out,
                    "{same} of {all} values equal the committed results: {parts}."
                )
            }
        };
    }

    /// The explorations that were left out, with the commands that rebuild them and their cost.
    fn left_out(&self) -> Option<String> {
        let explorations = self
            .selected
            .aside
            .iter()
            .filter(|entry| !entry.is_dataset());
        let mut papers: Vec<&str> = explorations
            .clone()
            .map(|entry| entry.experiment.paper())
            .collect();
        let n = papers.len();
        papers.dedup();
        if n == 0 {
            return None;
        }
        let costs = self.session.costs();
        let was_run = |id: &str| self.tables.iter().any(|table| table.id() == id);
        let left = self
            .selected
            .aside
            .iter()
            .filter(|entry| !was_run(entry.id()));
        let (mut seconds, mut is_whole) = (0.0, true);
        for entry in left {
            let (own, is_known) = costs.of_all(entry);
            seconds += own;
            is_whole &= is_known;
        }
        let cost = match (seconds > 0.0, is_whole) {
            (false, _) => String::new(),
            (true, true) => format!(" in about {} of CPU time", duration(seconds)),
            (true, false) => format!(" in at least {} of CPU time", duration(seconds)),
        };
        let quoted: Vec<String> = papers.iter().map(|paper| format!("`{paper}`")).collect();
        let (program, names) = (&self.session.lab.program, papers.join(" "));
        let (shown, them) = match n {
            1 => ("1 exploration (a table", "it"),
            _ => ("explorations (tables", "them"),
        };
        let n = if n == 1 {
            String::new()
        } else {
            format!("{n} ")
        };
        let verb = if n.is_empty() { "is" } else { "are" };
        Some(format!(
            "{n}{shown} of {}) {verb} shown as recorded: `{program} reproduce {names}` or \
             `{program} reproduce --all` rebuilds {them}{cost}.",
            quoted.join(", ")
        ))
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
            let below = self.session.data_below(table.plan.entry).into_iter();
            let own = table.plan.entry.experiment.data.iter();
            let mut data = own.chain(below.map(|(_, used)| used));
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
        let (file, audit) = (table.plan.entry.output_file(), table.audit());
        let missing: Vec<String> = table.rows_without_values();
        if !missing.is_empty() {
            let found: Vec<String> = table.table.rows().map(str::to_owned).collect();
            let _ = writeln!(err, "error: {id}: {}", no_row(&file, &missing, &found));
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
                        .map_or("-".to_owned(), PublishedValue::to_string),
                    ours.as_deref().unwrap_or("-"),
                    unit(&cell.column.unit),
                    cell.column.tolerance,
                    match cell.reason.as_str() {
                        "" => String::new(),
                        reason => format!("; {reason}"),
                    },
                );
            } else if table.lacks_value(cell) && !missing.contains(&cell.row) {
                let empty = empty_field(&cell.row, &cell.column.name);
                let known = audit.iter().find(|line| line.ends_with(&empty));
                let reason = known.copied().unwrap_or(&cell.reason);
                let _ = writeln!(err, "error: {place}: {reason}");
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
fn finer(printed: Option<&PublishedValue>, ours: &Measurement) -> String {
    let like = ours_like(printed, ours);
    if printed.is_some_and(|printed| printed.to_string() == like) {
        ours.written()
    } else {
        like
    }
}

/// `52.1 -> 51.4`, with as many digits as it takes to see the difference.
pub(crate) fn change(drifted: &DriftedValue) -> String {
    let both = |written: &dyn Fn(&Measurement) -> String| {
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
    let [old, new] = both(&Measurement::written);
    if old == new {
        format!("{old}, with another spread or count")
    } else {
        format!("{old} -> {new}")
    }
}
