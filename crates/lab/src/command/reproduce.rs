//! `reproduce`: run stale cells, compare them both ways, and record, check or just show the values.

use std::sync::atomic::{AtomicBool, Ordering};

use super::dry_run::dry_run;
use super::finished::FinishedTable;
use super::options::{Mode, ReproduceOptions};
use super::plan::{View, plan_all};
use super::run_outcome::{Findings, RunOutcome};
use super::run_tables::{run_tables, tasks_of};
use super::session::Session;
use super::{Answer, Exit, Lab, check, error_chain};
use crate::config::entry::Entry;
use crate::costs::Costs;
use crate::manifest;
use crate::observe::Observer;
use crate::provenance;
use crate::results::{folder, write_changed};
use kibitz_experiment::Stopwatch;

impl Lab {
    /// Runs experiments and compares their values with the published and with the recorded ones.
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
        session.refuse_if_outdated(&selected.entries)?;
        let git = provenance::git(&self.root);
        refuse_to_bless(options, &git, &selected.entries)?;
        let store = session.store();
        let view = View {
            quick: options.quick,
            force: options.force,
            trust_committed: options.mode == Mode::Check,
            only: None,
        };
        let mut troubles = Vec::new();
        let entries = selected.entries.clone();
        let planned = plan_all(&session, entries, &store, view, &mut troubles)?;
        if options.dry_run {
            let answer = dry_run(&planned, &session.costs(), &troubles, options.format);
            return Ok(selected.told_with(answer));
        }
        let tasks = tasks_of(&session, &planned, options.quick, &|_| true);
        let finished = run_tables(
            &session,
            &planned,
            &tasks,
            options,
            observer,
            interrupted,
            session.others()?,
        );
        let interrupted = interrupted.load(Ordering::Relaxed);
        if !options.quick {
            remember_costs(&session, &finished);
        }
        let findings = match options.mode {
            _ if options.quick => Ok(Findings::default()),
            Mode::Run => keep(self, &finished),
            Mode::Check => check::check(&session, &finished),
            Mode::Bless { .. } => check::bless(&session, &finished, interrupted, options),
        };
        // The computed values are told all the same.
        let mut findings = findings.unwrap_or_else(|failed| Findings {
            failed: Some(failed),
            ..Findings::default()
        });
        let judged = finished.iter().filter(|table| table.has_values());
        findings.unshown = judged.flat_map(FinishedTable::unshown).collect();
        let mut outcome = RunOutcome {
            session: &session,
            options,
            tables: &finished,
            troubles: &troubles,
            interrupted,
            findings,
            selected: &selected,
            seconds: watch.seconds(),
        };
        if let Err(error) = outcome.write_log(&git, &self.state) {
            let warning = format!("the log of the run is not kept: {}", error_chain(&error));
            outcome.findings.warnings.push(warning);
        }
        Ok(selected.told_with(outcome.answer()))
    }
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
    // Results may come in one commit with the files that declare them.
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

/// Takes note of what the runs took; without it they are only expected to take what others do.
fn remember_costs(session: &Session<'_>, finished: &[FinishedTable<'_>]) {
    let known = Costs::read(session.cache.folder());
    let mut costs = known.clone();
    for table in finished {
        costs.learn(table.id(), &table.runs);
    }
    if costs != known {
        let _ = costs.write(session.cache.folder());
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
