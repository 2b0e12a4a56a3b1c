//! `reproduce`: run what is stale, compare both ways, and record, check or just show.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::dry_run::dry_run;
use super::outcome::{Findings, Outcome, table_line};
use super::session::{Session, bad_config, error_chain};
use super::tables::{FinishedTable, Origin, PlannedTable, View, plan_all};
use super::{Answer, Exit, Format, Lab, Selection, check};
use crate::config::entry::Entry;
use crate::frame::table_fields;
use crate::manifest;
use crate::observe::{Event, Observer};
use crate::provenance;
use crate::results::{ResultsError, folder, write_changed};
use crate::run::{CellOutcome, Settings, Task, TaskSource, Where, run_all};
use kibitz_experiment::Stopwatch;
use kibitz_text::{Diagnostic, Diagnostics};

/// What to do with the values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Show them, keep them under the state folder, touch nothing in `results/`.
    #[default]
    Run,
    /// Write nothing there, and fail when anything committed is not what it should be.
    Check,
    /// Record them in `results/`.
    Bless {
        /// Also while files outside `results/` have uncommitted changes.
        allow_dirty: bool,
    },
}

/// The options of `reproduce`.
#[derive(Clone, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub struct ReproduceOptions {
    /// Which experiments.
    pub selection: Selection,
    /// What to do with the values.
    pub mode: Mode,
    /// Apply `[quick]`; prove that the path works, keep and judge nothing.
    pub quick: bool,
    /// How many cells at once, and the size of the thread pool.
    pub jobs: usize,
    /// Run cells although they are fresh.
    pub force: bool,
    /// Stop at the first cell that fails.
    pub fail_fast: bool,
    /// Only say what would run.
    pub dry_run: bool,
    /// How the answer is written.
    pub format: Format,
    /// Whether this is an unattended run (`CI=true`), which never records anything.
    pub unattended: bool,
    /// The command line, for the run's log.
    pub arguments: Vec<String>,
}

impl Default for ReproduceOptions {
    fn default() -> Self {
        Self {
            selection: Selection::default(),
            mode: Mode::Run,
            quick: false,
            jobs: 1,
            force: false,
            fail_fast: false,
            dry_run: false,
            format: Format::Text,
            unattended: false,
            arguments: Vec::new(),
        }
    }
}

impl Lab {
    /// Runs experiments and compares them with print and with what was recorded.
    ///
    /// `interrupted` may be set from elsewhere (Ctrl-C): cells that ask
    /// [`check`](kibitz_experiment::Context::check) stop, the others are waited for, nothing new starts.
    pub fn reproduce(
        &self,
        options: &ReproduceOptions,
        observer: &dyn Observer,
        interrupted: &AtomicBool,
    ) -> Answer {
        self.try_reproduce(options, observer, interrupted)
            .unwrap_or_else(|answer| answer)
    }

    fn try_reproduce(
        &self,
        options: &ReproduceOptions,
        observer: &dyn Observer,
        interrupted: &AtomicBool,
    ) -> Result<Answer, Answer> {
        let watch = Stopwatch::start();
        let session = Session::open(self)?;
        let selected = options.selection.apply(&session.catalog, &self.program)?;
        session.refuse_if_outdated(&selected)?;
        let git = provenance::git(&self.root);
        refuse_to_bless(options, &git, &selected)?;
        let store = session.store();
        let view = View {
            quick: options.quick,
            force: options.force,
            trust_committed: options.mode == Mode::Check,
        };
        let mut troubles = Vec::new();
        let planned = plan_all(&session, selected, &store, view, &mut troubles);
        let planned = planned.map_err(unreadable)?;
        if options.dry_run {
            return Ok(dry_run(&planned, &troubles, options.format));
        }
        let finished = run_tables(&session, &planned, options, observer, interrupted);
        let interrupted = interrupted.load(Ordering::Relaxed);
        let findings = match options.mode {
            _ if options.quick => Ok(Findings::default()),
            Mode::Run => keep(self, &finished),
            Mode::Check => check::check(&session, &finished),
            Mode::Bless { .. } => check::bless(&session, &finished, interrupted, options),
        };
        // What was computed is told all the same.
        let findings = findings.unwrap_or_else(|failed| Findings {
            failed: Some(failed),
            ..Findings::default()
        });
        let mut outcome = Outcome {
            session: &session,
            options,
            tables: &finished,
            troubles: &troubles,
            interrupted,
            findings,
            seconds: watch.seconds(),
        };
        if let Err(error) = outcome.write_log(&git, &self.state) {
            let warning = format!("the log of the run is not kept: {}", error_chain(&error));
            outcome.findings.warnings.push(warning);
        }
        Ok(outcome.answer())
    }
}

/// The answer to committed results that cannot be read.
pub(crate) fn unreadable(errors: Vec<ResultsError>) -> Answer {
    let mut problems = Diagnostics::new();
    for error in errors {
        match error {
            ResultsError::File(error) => return error.into(),
            error => problems.push(
                Diagnostic::new(error_chain(&error))
                    .with_note("restore the file, or delete the folder and bless it anew"),
            ),
        }
    }
    bad_config(&problems)
}

/// What forbids recording, before anything runs.
fn refuse_to_bless(
    options: &ReproduceOptions,
    git: &provenance::Git,
    selected: &[&Entry],
) -> Result<(), Answer> {
    let Mode::Bless { allow_dirty } = options.mode else {
        return Ok(());
    };
    // What is recorded may come in one commit with the files that ask for it.
    let is_own = |path: &str| {
        let mut sources = selected.iter().map(|entry| entry.experiment.source.path());
        path == manifest::PATH || sources.any(|source| source == path)
    };
    let changed: Vec<&str> = git.changed.iter().map(String::as_str).collect();
    let changed: Vec<&str> = changed.into_iter().filter(|path| !is_own(path)).collect();
    let reason = if options.quick {
        "numbers of a quick run are never recorded".to_owned()
    } else if options.unattended {
        "an unattended run (CI=true) never records results".to_owned()
    } else if !changed.is_empty() && !allow_dirty && !options.dry_run {
        let shown = &changed[..changed.len().min(5)];
        format!(
            "files outside results/ have uncommitted changes: {}{}\n  = commit them first, or \
             say --allow-dirty",
            shown.join(", "),
            if changed.len() > shown.len() {
                ", …"
            } else {
                ""
            }
        )
    } else {
        return Ok(());
    };
    Err(Answer::failed(Exit::BadInput, format!("error: {reason}\n")))
}

/// Runs what has to be run and puts all tables together, reporting each as it is done.
pub(crate) fn run_tables<'a>(
    session: &Session<'_>,
    planned: &'a [PlannedTable<'a>],
    options: &ReproduceOptions,
    observer: &dyn Observer,
    interrupted: &AtomicBool,
) -> Vec<FinishedTable<'a>> {
    let mut tasks: Vec<Task<'a>> = Vec::new();
    for (table, plan) in planned.iter().enumerate() {
        add_tasks(table, plan, options.quick, &mut tasks);
    }
    add_sources(session, planned, options.quick, &mut tasks);
    observer.event(&Event::Planned {
        n_tables: planned.len(),
        n_cells: tasks.len(),
    });
    let finished: Vec<OnceLock<FinishedTable<'a>>> =
        planned.iter().map(|_| OnceLock::new()).collect();
    let finish = |table: usize, outcomes: Vec<(usize, CellOutcome)>| {
        let result = planned[table].finish(options.quick, &|cell, replicate| {
            let is_meant = |task: &Task<'_>| task.cell.id == cell && task.replicate == replicate;
            let found = outcomes.iter().find(|(task, _)| is_meant(&tasks[*task]));
            found.map(|(_, outcome)| outcome.clone())
        });
        let result = finished[table].get_or_init(|| result);
        let n = finished
            .iter()
            .filter(|table| table.get().is_some())
            .count();
        let line = table_line(n, planned.len(), result, options.quick);
        observer.event(&Event::TableFinished { line: &line });
    };
    for (table, plan) in planned.iter().enumerate() {
        if plan.n_runs() == 0 {
            finish(table, Vec::new());
        }
    }
    let values = |table: usize| Some(finished[table].get()?.table.clone());
    let settings = Settings {
        jobs: options.jobs,
        cache: &session.cache,
        quick: options.quick,
        values: &values,
        fail_fast: options.fail_fast,
        interrupted,
        observer,
    };
    run_all(&tasks, settings, &finish);
    let all = finished.into_iter().map(|table| {
        let table = table.into_inner();
        table.expect("every table was finished: at once, or after its last task")
    });
    all.collect()
}

/// Adds the runs of cells that are still to do.
fn add_tasks<'a>(table: usize, plan: &'a PlannedTable<'a>, quick: bool, tasks: &mut Vec<Task<'a>>) {
    let first_task = tasks.len();
    for cell in &plan.cells {
        let Origin::Run(cached) = &cell.origin else {
            continue;
        };
        let reads = |id: &String| cell.cell.after.contains(id);
        for ((replicate, cached), key) in (0u32..).zip(cached).zip(&cell.keys) {
            if cached.is_some() {
                continue;
            }
            let comes_before =
                |task: &Task<'_>| task.replicate == replicate && reads(&task.cell.id);
            let after = (first_task..tasks.len()).filter(|idx| comes_before(&tasks[*idx]));
            let known = plan.cells.iter().filter(|known| reads(&known.cell.id));
            let known = known.filter_map(|known| {
                let output = known.cached(replicate)?.output.clone();
                Some((known.cell.id.clone(), output))
            });
            let task = Task {
                table,
                entry: plan.entry,
                planned: plan.entry.planned(quick),
                cell: cell.cell,
                replicate,
                key: key.clone(),
                data: cell.data.clone(),
                known: known.collect(),
                after: after.collect(),
                sources: Vec::new(),
            };
            tasks.push(task);
        }
    }
}

/// Lets tasks wait for the datasets and tables they read, and tells them where those are.
fn add_sources(
    session: &Session<'_>,
    planned: &[PlannedTable<'_>],
    quick: bool,
    tasks: &mut [Task<'_>],
) {
    let tables: Vec<usize> = tasks.iter().map(|task| task.table).collect();
    for task in tasks {
        for used in &task.entry.experiment.from {
            let found = planned
                .iter()
                .position(|plan| plan.entry.id() == used.entry);
            // What running cells read was planned with them.
            let Some(source) = found else { continue };
            let entry = planned[source].entry;
            let before = (0..tables.len()).filter(|idx| tables[*idx] == source);
            task.after.extend(before);
            let keys = entry.planned(quick).cells.iter();
            let keys = keys.flat_map(|cell| session.keys(entry, quick, cell));
            let (fields, at) = if entry.is_dataset() {
                let fields = entry.planned(quick).fields.clone();
                (fields, Where::Dataset(keys.collect()))
            } else {
                (table_fields(), Where::Table(source))
            };
            let name = used.name.clone();
            task.sources.push(TaskSource { name, fields, at });
        }
    }
}

/// Keeps the values of a plain run under the state folder, laid out as in `results/`.
fn keep(lab: &Lab, finished: &[FinishedTable<'_>]) -> Result<Findings, Answer> {
    for table in finished.iter().filter(|table| table.has_values()) {
        let folder = folder(&lab.state.join("results"), table.id());
        // A table that lacks rows takes no whole one's place.
        if !table.missing.is_empty() && folder.exists() {
            continue;
        }
        write_changed(&folder, &table.files(lab)?)?;
    }
    Ok(Findings::default())
}
