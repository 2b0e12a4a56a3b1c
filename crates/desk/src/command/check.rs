//! What `--check` guards and `--bless` writes: the committed results and what derives from them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::derived::{DerivedFile, DerivedFiles, JudgedTables, changes_of, left_as_is};
use crate::options::ReproduceOptions;
use crate::outcome_log::OutcomeLog;
use crate::records::{edited_tables, inputs_as_recorded, log_as_indexed};
use crate::render::derived;
use crate::render::table_files;
use crate::run_answer::change;
use crate::run_outcome::Findings;
use crate::{Answer, Drawing};
use kibitz_lab::compare::Drift;
use kibitz_lab::costs::RecordedCosts;
use kibitz_lab::csv::from_csv;
use kibitz_lab::figure::Others;
use kibitz_lab::files::FileError;
use kibitz_lab::finished::FinishedTable;
use kibitz_lab::judge::{MissingReason, idle_deviations, judge_all};
use kibitz_lab::measurement::Table;
use kibitz_lab::origin::Absence;
use kibitz_lab::results::{COMPARE, CommittedTable, PLOT, first_line_apart, folder, write_changed};
use kibitz_lab::session::Session;
use kibitz_text::Exit;
use kibitz_text::{Diagnostic, counted};

/// Finds everything committed that is not what it should be. Writes nothing.
pub(crate) fn check(
    session: &Session<'_>,
    drawings: &[Drawing],
    finished: &[FinishedTable<'_>],
) -> Result<Findings, Answer> {
    let program = &session.lab.program;
    let others = session.others()?;
    let mut findings = Findings::default();
    for table in finished.iter().filter(|table| table.has_values()) {
        let (id, plan) = (table.id(), table.plan);
        let Some(committed) = &plan.committed else {
            findings.problems.push(
                Diagnostic::new(format!("{id} has no committed results")).with_note(format!(
                    "record them with `{program} reproduce --bless {id}`"
                )),
            );
            continue;
        };
        if plan.absence() == Some(Absence::Skipped) {
            let names: Vec<&str> = plan
                .entry
                .experiment
                .data
                .iter()
                .map(|used| used.entry.as_str())
                .collect();
            findings.problems.push(
                Diagnostic::new(format!(
                    "{id} is stale and cannot be rerun without its data"
                ))
                .with_note(format!("say where {} is with --data DIR", names.join(", "))),
            );
            continue;
        }
        findings
            .problems
            .append(inputs_as_recorded(session, plan.entry, committed)?);
        // A changed value is reported as drift already.
        if !committed.intact && table.drifted.is_empty() {
            let problem = format!("results/{id}/table.csv is not what inputs.toml says it is");
            let note = format!("restore it, or `{program} reproduce --bless --force {id}`");
            findings
                .problems
                .push(Diagnostic::new(problem).with_note(note));
        }
        for (name, place) in outdated(session, table, committed, &others) {
            let problem = match place {
                Some(place) => format!(
                    "results/{id}/{name}{place} is not what table.csv and the experiment give"
                ),
                None => format!("results/{id}/{name} is missing"),
            };
            let note = format!("`{program} refresh` regenerates it");
            findings
                .problems
                .push(Diagnostic::new(problem).with_note(note));
        }
        if table.drifted.is_empty() && committed.inputs.cells != plan.inputs.cells {
            let changes = committed.inputs.changes(&plan.inputs).join(", ");
            findings.warnings.push(format!(
                "{id}: the values are those recorded, but not from the same inputs ({changes}); \
                 `{program} reproduce --bless {id}` records the new ones"
            ));
        }
        for at in idle_deviations(plan.entry, &table.judged) {
            let message = "all compared cells of this deviation match or are inconclusive: it explains nothing any more";
            findings
                .problems
                .push(plan.entry.experiment.error_at(at, message));
        }
    }
    for orphan in orphans(session) {
        findings.problems.push(
            Diagnostic::new(format!("results/{orphan} has no experiment")).with_note(format!(
                "delete the folder, or `{program} reproduce --bless` does"
            )),
        );
    }
    findings.warnings.extend(left_as_is(session).map(in_a_line));
    let own = |table: &FinishedTable<'_>| table.id().to_owned();
    let checked: BTreeSet<String> = finished.iter().map(own).collect();
    let edited = edited_tables(session, |id| !checked.contains(id));
    findings.problems.append(edited);
    findings.problems.extend(log_as_indexed(session));
    let tables = JudgedTables::recorded(session)?;
    let log = changes_of(session, &tables).text(session, None)?;
    for file in DerivedFiles::new(session, drawings, tables, log, None, true)?.files {
        findings.problems.append(file.stale);
        findings.problems.append(file.problems);
    }
    Ok(findings)
}

/// Which of `compare.csv`, `table.md` and `plot.svg` differ from those of the values and the experiment, and
/// where; no place for a file that is missing.
fn outdated(
    session: &Session<'_>,
    table: &FinishedTable<'_>,
    committed: &CommittedTable,
    others: &Others,
) -> Vec<(&'static str, Option<String>)> {
    let entry = table.plan.entry;
    let folder = folder(&session.lab.root.join("results"), table.id());
    let judged = judge_all(entry, &committed.table, others);
    // An edited table.csv is reported as drift; what derives from the true values is in order.
    let mut expected = Vec::new();
    for (values, judged) in [(&committed.table, &judged), (&table.table, &table.judged)] {
        let lab = session.lab;
        let finding = entry.experiment.finding();
        let finding = finding.as_deref();
        expected.push(derived(
            entry,
            finding,
            values,
            judged,
            &lab.program,
            &lab.root,
        ));
    }
    let mut outdated = Vec::new();
    for (idx, (name, text)) in expected[0].iter().enumerate() {
        let name = *name;
        match std::fs::read(folder.join(name)) {
            Err(_) => outdated.push((name, None)),
            Ok(found) if expected.iter().any(|files| files[idx].1 == found) => {}
            Ok(found) => {
                let place = match name {
                    "compare.csv" => first_difference(&found, text),
                    _ => first_line_apart(&found, text),
                };
                outdated.push((name, Some(place.unwrap_or_default())));
            }
        }
    }
    let is_plotted = expected.iter().flatten().any(|(name, _)| *name == PLOT);
    if !is_plotted && folder.join(PLOT).exists() {
        let place = ", which the experiment does not ask for,";
        outdated.push((PLOT, Some(place.to_owned())));
    }
    outdated
}

/// The first cell in which two versions of `compare.csv` differ.
fn first_difference(found: &[u8], expected: &[u8]) -> Option<String> {
    let read = |bytes: &[u8]| from_csv("compare.csv", bytes, &COMPARE).ok();
    let (found, expected) = (read(found)?, read(expected)?);
    let idx =
        (0..found.len().max(expected.len())).find(|idx| found.get(*idx) != expected.get(*idx))?;
    let line = expected.get(idx).or_else(|| found.get(idx))?;
    Some(format!(
        " at \"{}\".{}",
        line[0].as_deref()?,
        line[1].as_deref()?
    ))
}

/// Folders of `results/` without an experiment, as `<paper>/<table>`.
fn orphans(session: &Session<'_>) -> Vec<String> {
    let results = session.lab.root.join("results");
    let folders = |path: &Path| -> Vec<String> {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.path().is_dir());
        folders
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| !name.starts_with('.'))
            .collect()
    };
    let papers = folders(&results).into_iter();
    let tables = papers.flat_map(|paper| {
        let tables = folders(&results.join(&paper)).into_iter();
        tables.map(move |table| format!("{paper}/{table}"))
    });
    let mut orphans: Vec<String> = tables.filter(|id| !session.catalog.has_file(id)).collect();
    orphans.sort();
    orphans
}

/// Records the values of a run that went well.
pub(crate) fn bless(
    session: &Session<'_>,
    drawings: &[Drawing],
    finished: &[FinishedTable<'_>],
    interrupted: bool,
    options: &ReproduceOptions,
) -> Result<Findings, Answer> {
    let mut findings = Findings::default();
    let hindrance = if finished.iter().any(FinishedTable::failed) {
        Some("a cell failed")
    } else {
        interrupted.then_some("the run was interrupted")
    };
    if let Some(hindrance) = hindrance {
        findings
            .warnings
            .push(format!("nothing was recorded: {hindrance}"));
        return Ok(findings);
    }
    let orphans = if options.selection.is_all() {
        orphans(session)
    } else {
        Vec::new()
    };
    let log = log_of(session, finished, &orphans)?;
    let why = options.why.as_deref();
    log.ask_why(why)?;
    let log = log.text(session, why)?;
    let mut written = Vec::new();
    for table in finished.iter().filter(|table| table.has_values()) {
        let id = table.id();
        if let Some(MissingReason::NotRun(reason) | MissingReason::Error(reason)) =
            table.missing.values().next()
        {
            findings
                .warnings
                .push(format!("{id} was not recorded: {reason}"));
            continue;
        }
        findings.changes.extend(changes(table));
        let folder = folder(&session.lab.root.join("results"), id);
        let names = write_changed(&folder, &table_files(table, session.lab)?)?;
        written.extend(names.iter().map(|name| format!("results/{id}/{name}")));
    }
    for orphan in orphans {
        let folder = session.lab.root.join("results").join(&orphan);
        std::fs::remove_dir_all(&folder)
            .map_err(|error| FileError::new("delete", &folder, error))?;
        findings
            .changes
            .push(format!("deleted results/{orphan}: it has no experiment"));
    }
    findings.warnings.extend(left_as_is(session).map(in_a_line));
    let mut costs = RecordedCosts::read(&session.lab.root);
    for table in finished {
        costs.learn(table.plan.entry, &table.runs);
    }
    written.extend(costs.write(&session.lab.root, &session.catalog)?);
    // Outcomes of other tables may rest on figures of these.
    let derived = DerivedFiles::new(
        session,
        drawings,
        JudgedTables::recorded(session)?,
        log,
        None,
        false,
    )?;
    let names = derived.write(session)?;
    let names: Vec<String> = names
        .into_iter()
        .filter(|it| !written.contains(it))
        .collect();
    written.extend(names);
    let changed = derived.files.iter();
    let changed = changed.flat_map(|file| file.told(|change| !change.is_large));
    findings.changes.extend(changed);
    let pending = derived.files.iter().flat_map(DerivedFile::pending);
    findings.warnings.extend(pending.map(|number| {
        format!(
            "{number}; `{} refresh --accept` writes it",
            session.lab.program
        )
    }));
    findings.written = Some(written);
    Ok(findings)
}

/// What changes once the values of a run are recorded, in its tables and in those that rest on them.
///
/// # Errors
/// Also that the recorded values of another table were edited: nothing may rest on them.
fn log_of(
    session: &Session<'_>,
    finished: &[FinishedTable<'_>],
    orphans: &[String],
) -> Result<OutcomeLog, Answer> {
    let whole = |table: &&FinishedTable<'_>| table.has_values() && table.missing.is_empty();
    let new = finished.iter().filter(whole);
    let new: BTreeMap<&str, &Table> = new.map(|table| (table.id(), &table.table)).collect();
    let edited = edited_tables(session, |id| !new.contains_key(id));
    if !edited.is_empty() {
        let text = format!("{edited}\nnothing was recorded\n");
        return Err(Answer::failed(Exit::Negative, text));
    }
    let has_other_params = |id: &str| {
        let plan = finished.iter().find(|table| table.id() == id)?.plan;
        let committed = plan.committed.as_ref()?;
        Some(committed.inputs.params != plan.inputs.params)
    };
    let mut log = OutcomeLog::default();
    for (id, (_, judged)) in &JudgedTables::with(session, &new)?.by_id {
        let has_other_params = has_other_params(id).filter(|_| new.contains_key(id));
        log.add(session, id, judged, has_other_params == Some(true));
    }
    for orphan in orphans {
        log.add_deleted(session, orphan);
    }
    Ok(log)
}

/// A warning with its notes.
fn in_a_line(warning: Diagnostic) -> String {
    let notes = warning.notes.into_iter();
    [warning.message]
        .into_iter()
        .chain(notes)
        .collect::<Vec<_>>()
        .join(": ")
}

/// Old and new values, line by line.
fn changes(table: &FinishedTable<'_>) -> Vec<String> {
    let id = table.id();
    let mut changes = Vec::new();
    if table.plan.committed.is_none() {
        let n = table.table.iter().count();
        changes.push(format!("new: {id}, {}", counted(n, "value", "values")));
    }
    for drifted in &table.drifted {
        let word = match drifted.drift {
            Drift::Drifted | Drift::Same => "changed",
            Drift::New => "new",
            Drift::Gone => "gone",
        };
        changes.push(format!(
            "{word}: {id} \"{}\".{}  {}",
            drifted.row,
            drifted.column,
            change(drifted)
        ));
    }
    changes
}
