//! `reproduce`: run stale cells, compare them both ways, and record, check or just show the values.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::Answer;
use crate::Desk;
use crate::command::check;
use crate::command::dry_run::dry_run;
use crate::options::{Mode, ReproduceOptions};
use crate::render::table_files;
use crate::run_outcome::{Findings, RunOutcome};
use kibitz_experiment::Stopwatch;
use kibitz_lab::Lab;
use kibitz_lab::config::entry::Entry;
use kibitz_lab::costs::Costs;
use kibitz_lab::error::error_chain;
use kibitz_lab::finished::FinishedTable;
use kibitz_lab::manifest;
use kibitz_lab::observe::Observer;
use kibitz_lab::plan::{View, plan_all};
use kibitz_lab::provenance;
use kibitz_lab::results::{folder, write_changed};
use kibitz_lab::run_tables::{run_tables, tasks_of};
use kibitz_lab::session::Session;
use kibitz_text::Exit;

impl Desk {
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
        let session = Session::open(&self.lab)?;
        let selected = options.selection.apply(&session.catalog, &self.lab)?;
        session.refuse_if_outdated(&selected.entries)?;
        let git = provenance::git(&self.lab.root);
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
            return Ok(answer.beside_left_out(&selected));
        }
        let tasks = tasks_of(&session, &planned, options.quick, &|_| true);
        let finished = run_tables(
            &session,
            &planned,
            &tasks,
            options.run(),
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
            Mode::Run => keep(&self.lab, &finished),
            Mode::Check => check::check(&session, &self.drawings, &finished),
            Mode::Bless { .. } => {
                check::bless(&session, &self.drawings, &finished, interrupted, options)
            }
        };
        // The computed values are reported all the same.
        let mut findings = findings.unwrap_or_else(|failed| Findings {
            failed: Some(failed),
            ..Findings::default()
        });
        let judged = finished.iter().filter(|table| table.has_values());
        findings.unshown = judged.flat_map(FinishedTable::unshown).collect();
        let mut outcome = RunOutcome {
            desk: self,
            session: &session,
            options,
            tables: &finished,
            troubles: &troubles,
            interrupted,
            findings,
            selected: &selected,
            seconds: watch.seconds(),
        };
        if let Err(error) = outcome.write_log(&git, &self.lab.state) {
            let warning = format!("the log of the run is not kept: {}", error_chain(&error));
            outcome.findings.warnings.push(warning);
        }
        Ok(outcome.answer().beside_left_out(&selected))
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
    for table in finished
        .iter()
        .filter(|table| table.plan.entry.is_dataset())
    {
        // So that `explain` can say what changed since. Results have no folders of datasets.
        if table.missing.is_empty() && table.failures.is_empty() {
            let inputs = table.plan.inputs.to_toml(&lab.program)?;
            let folder = folder(&lab.state.join("datasets"), table.id());
            write_changed(&folder, &[("inputs.toml", inputs.into_bytes())])?;
        }
    }
    for table in finished.iter().filter(|table| table.has_values()) {
        let folder = folder(&lab.state.join("results"), table.id());
        // A table that lacks rows takes no whole one's place.
        if !table.missing.is_empty() && folder.exists() {
            continue;
        }
        write_changed(&folder, &table_files(table, lab)?)?;
    }
    Ok(Findings::default())
}
