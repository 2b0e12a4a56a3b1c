//! `cell`: runs of cells by their keys, one worker's share of the work.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::Answer;
use crate::Desk;
use crate::command::cells::{KeyedRun, all_runs, told};
use kibitz_experiment::suggestion;
use kibitz_lab::cache::CacheLookup;
use kibitz_lab::config::entry::Entry;
use kibitz_lab::figure::Others;
use kibitz_lab::finished::FinishedTable;
use kibitz_lab::observe::{Observer, duration};
use kibitz_lab::plan::{PlannedTable, View, plan_all};
use kibitz_lab::run_tables::{RunOptions, run_tables, tasks_of};
use kibitz_lab::session::{Session, bad_config};
use kibitz_text::Exit;
use kibitz_text::{Diagnostic, Diagnostics, counted};

/// The options of `cell`.
#[derive(Clone, Debug)]
pub struct CellOptions {
    /// Keys of runs, as `cells` lists them.
    pub keys: Vec<String>,
    /// How many at once, and the size of the thread pool.
    pub jobs: usize,
}

impl Desk {
    /// Runs these into the cache.
    ///
    /// A run whose inputs are not in the cache is refused, the others go on; keys that no run has
    /// keep all from beginning.
    pub fn cell(
        &self,
        options: &CellOptions,
        observer: &dyn Observer,
        interrupted: &AtomicBool,
    ) -> Answer {
        self.try_cell(options, observer, interrupted)
            .unwrap_or_else(|answer| answer)
    }

    fn try_cell(
        &self,
        options: &CellOptions,
        observer: &dyn Observer,
        interrupted: &AtomicBool,
    ) -> Result<Answer, Answer> {
        let session = Session::open(&self.lab)?;
        let known = all_runs(&session);
        let asked = asked(&session, &known, &options.keys)?;
        let mut entries: BTreeMap<&str, &Entry> = BTreeMap::new();
        for (_, run) in &asked {
            entries.insert(run.entry.id(), run.entry);
        }
        let entries: Vec<&Entry> = entries.into_values().collect();
        session.refuse_if_outdated(&entries)?;
        let wanted: BTreeSet<String> = asked
            .iter()
            .map(|(_, run)| run.inputs_key.clone())
            .collect();
        let view = View {
            only: Some(&wanted),
            ..View::default()
        };
        let (store, mut troubles) = (session.store(), Vec::new());
        let planned = plan_all(&session, entries, &store, view, &mut troubles)?;
        let refused = refused(&session, &planned, &asked);
        let is_wanted = |key: &str| wanted.contains(key) && !refused.contains_key(key);
        let tasks = tasks_of(&session, &planned, false, &is_wanted);
        let run_options = RunOptions {
            jobs: options.jobs,
            quick: false,
            fail_fast: false,
        };
        let finished = run_tables(
            &session,
            &planned,
            &tasks,
            run_options,
            observer,
            interrupted,
            Others::new(),
        );
        let report = Report {
            session: &session,
            finished: &finished,
            refused,
            interrupted: interrupted.load(Ordering::Relaxed),
        };
        let mut answer = report.answer(&asked);
        answer.err.insert_str(0, &told(&troubles));
        if !troubles.is_empty() {
            answer.exit = answer.exit.max(Exit::Missing);
        }
        Ok(answer)
    }
}

/// The runs that the keys name, each once.
///
/// # Errors
/// The keys that name none.
fn asked<'k, 'a>(
    session: &Session<'_>,
    known: &'k BTreeMap<String, KeyedRun<'a>>,
    keys: &'k [String],
) -> Result<Vec<(&'k str, &'k KeyedRun<'a>)>, Answer> {
    let mut problems = Diagnostics::new();
    let mut asked: Vec<(&str, &KeyedRun<'_>)> = Vec::new();
    let mut seen = BTreeSet::new();
    for key in keys.iter().filter(|key| seen.insert(key.as_str())) {
        if let Some((key, run)) = known.get_key_value(key) {
            asked.push((key, run));
            continue;
        }
        let label = suggestion(key, known.keys().map(String::as_str));
        let problem = Diagnostic::new(format!("no run of this program has the key `{key}`"));
        let toolchain = &session.lab.toolchain;
        let note = if session.cache.holds(key) {
            "it is in the cache, put there by a program of another build".to_owned()
        } else {
            format!(
                "keys change with experiments, data, code and compiler, and this program was built \
                 by {} for {}, {}",
                toolchain.compiler, toolchain.target, toolchain.profile
            )
        };
        let problem = problem.with_label(label).with_note(note);
        problems.push(problem.with_note(format!(
            "list the keys with `{} cells`, and let all workers run one program (`build --out DIR`)",
            session.lab.program
        )));
    }
    if problems.is_empty() {
        Ok(asked)
    } else {
        Err(bad_config(&problems).into())
    }
}

/// The inputs keys of the runs that cannot begin, each with the reason.
fn refused(
    session: &Session<'_>,
    planned: &[PlannedTable<'_>],
    asked: &[(&str, &KeyedRun<'_>)],
) -> BTreeMap<String, String> {
    let mut refused: BTreeMap<String, String> = BTreeMap::new();
    let wanted: BTreeSet<&str> = asked
        .iter()
        .map(|(_, run)| run.inputs_key.as_str())
        .collect();
    // What is asked for runs before what reads it, unless it is refused itself.
    loop {
        let n_refused = refused.len();
        for (_, run) in asked {
            if refused.contains_key(&run.inputs_key) {
                continue;
            }
            let is_here = |key: &&String| {
                let is_coming = wanted.contains(key.as_str()) && !refused.contains_key(*key);
                is_coming || matches!(session.cache.find(key), CacheLookup::Done(_))
            };
            let inputs = inputs_of(session, planned, run);
            let reason = match inputs {
                Ok(inputs) => {
                    let missing = inputs.iter().find(|(_, key)| !is_here(&key));
                    missing.map(|(name, key)| {
                        let how = match session.cache.find(key) {
                            CacheLookup::Damaged(what) => {
                                format!("whose cached run is damaged: {what}")
                            }
                            _ => "which is not in the cache".to_owned(),
                        };
                        format!("it reads {name} ({}), {how}", session.cache.key(key))
                    })
                }
                Err(reason) => Some(reason),
            };
            if let Some(reason) = reason {
                refused.insert(run.inputs_key.clone(), reason);
            }
        }
        if refused.len() == n_refused {
            return refused;
        }
    }
}

/// What a run reads: names and inputs keys.
///
/// # Errors
/// That it cannot run at all, in words.
fn inputs_of(
    session: &Session<'_>,
    planned: &[PlannedTable<'_>],
    run: &KeyedRun<'_>,
) -> Result<Vec<(String, String)>, String> {
    let table = planned
        .iter()
        .find(|table| table.entry.id() == run.entry.id());
    let cells = table.iter().flat_map(|table| &table.cells);
    let cell = cells.clone().find(|cell| cell.cell.id == run.cell);
    let cell = cell.ok_or("it is not planned")?;
    if let Some(reason) = cell.unavailable() {
        return Err(reason.to_owned());
    }
    if cell.cached(run.replicate).is_some() {
        return Ok(Vec::new());
    }
    let mut inputs = Vec::new();
    for read in cells.filter(|read| cell.cell.after.contains(&read.cell.id)) {
        if let Some(key) = read.keys.get(run.replicate as usize) {
            inputs.push((
                format!("{} \"{}\"", run.entry.id(), read.cell.id),
                key.clone(),
            ));
        }
    }
    for used in &run.entry.experiment.from {
        let Some(source) = session.catalog.entry(&used.entry) else {
            continue;
        };
        for cell in &source.full.cells {
            let keys = session.keys(source, false, cell).into_iter();
            inputs.extend(keys.map(|key| (format!("{} \"{}\"", source.id(), cell.id), key)));
        }
    }
    Ok(inputs)
}

/// What became of the runs that were asked for.
struct Report<'r> {
    session: &'r Session<'r>,
    finished: &'r [FinishedTable<'r>],
    refused: BTreeMap<String, String>,
    interrupted: bool,
}

impl Report<'_> {
    fn answer(&self, asked: &[(&str, &KeyedRun<'_>)]) -> Answer {
        let (mut answer, mut n_done) = (Answer::ok(""), 0);
        for (key, run) in asked {
            let (name, table) = (run.name(), self.table(run));
            let is_meant = |cell: &str, replicate| cell == run.cell && replicate == run.replicate;
            let mut done = table.iter().flat_map(|table| &table.runs);
            let done = done.find(|done| is_meant(&done.cell, done.replicate));
            let mut failures = table.iter().flat_map(|table| &table.failures);
            let failure = failures.find(|failed| is_meant(&failed.cell, failed.replicate));
            let (told, exit) = if let Some(reason) = self.refused.get(&run.inputs_key) {
                (format!("refused, {reason}"), Exit::Missing)
            } else if let Some(failure) = failure {
                let exit = if failure.is_unwritable {
                    Exit::Unwritable
                } else {
                    Exit::Failed
                };
                (failure.reason.clone(), exit)
            } else if let Some(unkept) = done.and_then(|done| done.unkept.as_ref()) {
                (
                    format!("its result is not kept: {unkept}"),
                    Exit::Unwritable,
                )
            } else if let Some(done) = done {
                n_done += 1;
                let _ = writeln!(answer.out, "{key}  {:>9}  {name}", duration(done.seconds));
                for warning in &done.warnings {
                    let _ = writeln!(answer.err, "warning: {name}: {warning}");
                }
                continue;
            } else if self.interrupted {
                ("interrupted".to_owned(), Exit::Interrupted)
            } else {
                ("not run: what it reads failed".to_owned(), Exit::Failed)
            };
            let _ = writeln!(answer.err, "error: {key} {name}: {told}");
            answer.exit = answer.exit.max(exit);
        }
        let n_asked = counted(asked.len(), "run", "runs");
        let place = self.session.cache.folder().display();
        let _ = writeln!(answer.out, "{n_done} of {n_asked} in the cache {place}");
        answer
    }

    fn table(&self, run: &KeyedRun<'_>) -> Option<&FinishedTable<'_>> {
        let mut tables = self.finished.iter();
        tables.find(|table| table.id() == run.entry.id())
    }
}
