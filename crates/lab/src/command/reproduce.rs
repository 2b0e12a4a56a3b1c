//! `reproduce`: run what is stale, compare both ways, and record, check or just show.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::run_log::{RunLog, TableLog};
use super::session::{Session, bad_config, error_chain};
use super::summary::{self, Summary};
use super::tables::{DataTrouble, FinishedTable, Origin, PlannedTable, View};
use super::{Answer, Exit, Format, Lab, Selection, check};
use crate::data::DataStore;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::frame::FrameError;
use crate::observe::{Event, Observer};
use crate::provenance;
use crate::render::table_md;
use crate::results::{compare_csv, folder, table_csv, write_changed};
use crate::run::{Outcome, Settings, Task, run_all};
use kibitz_experiment::Stopwatch;

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
        /// Also while files outside `results/` have uncommitted changes; recorded as such.
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
        let selected = options.selection.apply(&session.catalog)?;
        let git = provenance::git(&self.root);
        refuse_to_bless(options, &git)?;
        let store = DataStore::new(
            &self.root,
            &self.data_folders,
            &session.catalog.manifest,
            &self.state,
        );
        let view = View {
            quick: options.quick,
            force: options.force,
            trust_committed: options.mode == Mode::Check,
        };
        let mut troubles = Vec::new();
        let mut planned = Vec::new();
        let mut problems = Diagnostics::new();
        for entry in selected {
            match PlannedTable::plan(&session, entry, &store, view, &mut troubles) {
                Ok(table) => planned.push(table),
                Err(error) => problems.push(
                    Diagnostic::new(error_chain(&error))
                        .with_note("restore the file, or delete the folder and bless it anew"),
                ),
            }
        }
        if !problems.is_empty() {
            return Err(bad_config(&problems));
        }
        if options.dry_run {
            return Ok(summary::dry_run(&planned, &troubles, options));
        }
        let finished = run_tables(&session, &planned, options, observer, interrupted)
            .map_err(|error| broken_table(&error))?;
        let mut summary = Summary::new(options, &session, &planned, &finished, &troubles);
        if interrupted.load(Ordering::Relaxed) {
            summary.worst(Exit::Interrupted);
        }
        let written = match options.mode {
            _ if options.quick => Ok(()),
            Mode::Run => keep(self, &planned, &finished),
            Mode::Check => check::check(&session, &planned, &finished, &mut summary),
            Mode::Bless { .. } => {
                let dirty = git.dirty == Some(true);
                check::bless(&session, &planned, &finished, dirty, options, &mut summary)
            }
        };
        written.map_err(|message| Answer::failed(Exit::BadInput, format!("error: {message}\n")))?;
        let tables: Vec<TableLog> = planned
            .iter()
            .zip(&finished)
            .map(|(planned, finished)| TableLog::new(planned, finished))
            .collect();
        let log = RunLog::new(self, options, git, watch.seconds(), &summary, tables);
        if let Err(error) = log.write(&self.state) {
            summary.warn(&format!(
                "the log of the run is not kept: {}",
                error_chain(&error)
            ));
        }
        Ok(summary.answer(watch.seconds()))
    }
}

fn broken_table(error: &FrameError) -> Answer {
    Answer::failed(Exit::BadInput, format!("error: {}\n", error_chain(error)))
}

/// What forbids recording, before anything runs.
fn refuse_to_bless(options: &ReproduceOptions, git: &provenance::Git) -> Result<(), Answer> {
    let Mode::Bless { allow_dirty } = options.mode else {
        return Ok(());
    };
    let reason = if options.quick {
        "numbers of a quick run are never recorded".to_owned()
    } else if options.unattended {
        "an unattended run (CI=true) never records results".to_owned()
    } else if git.dirty == Some(true) && !allow_dirty && !options.dry_run {
        let shown: Vec<&str> = git.changed.iter().take(5).map(String::as_str).collect();
        format!(
            "files outside results/ have uncommitted changes: {}{}\n  = commit them first, or \
             say --allow-dirty, which is recorded",
            shown.join(", "),
            if git.changed.len() > shown.len() {
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
fn run_tables<'a>(
    session: &Session<'_>,
    planned: &'a [PlannedTable<'a>],
    options: &ReproduceOptions,
    observer: &dyn Observer,
    interrupted: &AtomicBool,
) -> Result<Vec<FinishedTable>, FrameError> {
    let mut tasks: Vec<Task<'a>> = Vec::new();
    // Which cell and replicate a task is, to find its outcome again.
    let mut places: Vec<(usize, u32)> = Vec::new();
    for (table, plan) in planned.iter().enumerate() {
        let first_task = tasks.len();
        for (cell_idx, cell) in plan.cells.iter().enumerate() {
            let Origin::Run(cached) = &cell.origin else {
                continue;
            };
            for ((replicate, cached), key) in (0u32..).zip(cached).zip(&cell.keys) {
                if cached.is_none() {
                    let read = |id: &String| cell.cell.after.contains(id);
                    let after = (first_task..tasks.len())
                        .filter(|idx| {
                            tasks[*idx].replicate == replicate && read(&tasks[*idx].cell.id)
                        })
                        .collect();
                    let known = plan.cells.iter().filter(|known| read(&known.cell.id));
                    let known = known.filter_map(|known| {
                        let output = known.cached(replicate)?.output.clone();
                        Some((known.cell.id.clone(), output))
                    });
                    places.push((cell_idx, replicate));
                    tasks.push(Task {
                        table,
                        entry: plan.entry,
                        planned: plan.entry.planned(options.quick),
                        cell: cell.cell,
                        replicate,
                        key: key.clone(),
                        data: cell.data.clone(),
                        known: known.collect(),
                        after,
                    });
                }
            }
        }
    }
    observer.event(&Event::Planned {
        n_tables: planned.len(),
        n_cells: tasks.len(),
    });
    let finished: Vec<Mutex<Option<Result<FinishedTable, FrameError>>>> =
        planned.iter().map(|_| Mutex::new(None)).collect();
    let n_finished = Mutex::new(0);
    let finish = |table: usize, outcomes: Vec<(usize, Outcome)>| {
        let plan = &planned[table];
        let result = plan.finish(options.quick, &|cell, replicate| {
            outcomes
                .iter()
                .find(|(task, _)| places[*task] == (cell, replicate))
                .map(|(_, outcome)| outcome.clone())
        });
        if let (Ok(result), Ok(mut n)) = (&result, n_finished.lock()) {
            *n += 1;
            let line = summary::table_line(*n, planned.len(), plan, result, options);
            observer.event(&Event::TableFinished { line: &line });
        }
        if let Ok(mut slot) = finished[table].lock() {
            *slot = Some(result);
        }
    };
    for (table, plan) in planned.iter().enumerate() {
        if plan.n_runs() == 0 {
            finish(table, Vec::new());
        }
    }
    let settings = Settings {
        jobs: options.jobs,
        cache: (!options.quick).then_some(&session.cache),
        fail_fast: options.fail_fast,
        interrupted,
        observer,
    };
    run_all(&tasks, settings, &finish);
    finished
        .into_iter()
        .map(|slot| {
            slot.into_inner()
                .ok()
                .flatten()
                .expect("every table was finished: at once, or after its last task")
        })
        .collect()
}

/// Keeps the values of a plain run under the state folder, laid out as in `results/`.
fn keep(lab: &Lab, planned: &[PlannedTable<'_>], finished: &[FinishedTable]) -> Result<(), String> {
    for (plan, finished) in planned.iter().zip(finished) {
        let files = table_files(plan, finished).map_err(|error| error_chain(&error))?;
        write_changed(&folder(&lab.state.join("results"), plan.entry.id()), &files)
            .map_err(|error| error_chain(&error))?;
    }
    Ok(())
}

/// The files of a table that hold values.
pub(crate) fn table_files(
    plan: &PlannedTable<'_>,
    finished: &FinishedTable,
) -> Result<Vec<(&'static str, Vec<u8>)>, FrameError> {
    Ok(vec![
        ("table.csv", table_csv(plan.entry, &finished.table)?),
        ("compare.csv", compare_csv(&finished.judged)?),
        (
            "table.md",
            table_md(plan.entry, &finished.judged).into_bytes(),
        ),
    ])
}

/// Says what is wrong with a data file an experiment wants.
pub(crate) fn describe_trouble(trouble: &DataTrouble<'_>, others: usize) -> Diagnostic {
    let experiment = &trouble.entry.experiment;
    let used = experiment
        .data
        .iter()
        .find(|used| used.name == trouble.name);
    let (entry, span) = used.map_or((trouble.name.as_str(), 0..0), |used| {
        (used.entry.as_str(), used.span.clone())
    });
    let mut diagnostic = experiment.source.error_at(
        span,
        format!(
            "`{}` needs `{entry}`, {}",
            trouble.name, trouble.problem.what
        ),
    );
    for note in &trouble.problem.notes {
        diagnostic = diagnostic.with_note(note.clone());
    }
    if trouble.problem.external {
        diagnostic = diagnostic.with_note("say where it is with --data DIR");
    }
    match others {
        0 => diagnostic,
        1 => diagnostic.with_note("the other experiment does not need it and runs"),
        n => diagnostic.with_note(format!("the other {n} experiments do not need it and run")),
    }
}
