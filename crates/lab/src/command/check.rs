//! What `--check` guards and `--bless` writes: the committed results and what derives from them.

use std::collections::BTreeSet;
use std::path::Path;

use super::Exit;
use super::report::derived_files;
use super::reproduce::{ReproduceOptions, table_files};
use super::session::{Session, error_chain};
use super::summary::{Summary, change};
use super::tables::{FinishedTable, PlannedTable};
use crate::compare::{Drift, Judged, Missing, idle_deviations, judge};
use crate::frame::from_csv;
use crate::render::table_md;
use crate::results::{Committed, compare_csv, folder, write_changed};

/// Finds everything committed that is not what it should be. Writes nothing.
pub(crate) fn check(
    session: &Session<'_>,
    planned: &[PlannedTable<'_>],
    finished: &[FinishedTable],
    summary: &mut Summary,
) -> Result<(), String> {
    for (plan, finished) in planned.iter().zip(finished) {
        let id = plan.entry.id();
        let Some(committed) = &plan.committed else {
            summary.problem(&format!(
                "{id} has no committed results\n   = record them with `cargo xtask reproduce \
                 --bless {id}`"
            ));
            continue;
        };
        check_derived(session, plan, committed, finished, summary)?;
        if finished.drifted.is_empty() && committed.inputs.cells != plan.inputs.cells {
            let changes = committed.inputs.changes(&plan.inputs);
            summary.warn(&format!(
                "{id}: the values are those recorded, but not from the same inputs ({}); \
                 `cargo xtask reproduce --bless {id}` records the new ones",
                changes.join(", ")
            ));
        }
        for at in idle_deviations(plan.entry, &finished.judged) {
            let diagnostic = plan.entry.experiment.error_at(
                at,
                "all cells of this deviation agree: it explains nothing any more",
            );
            let text = diagnostic.to_string();
            summary.problem(text.strip_prefix("error: ").unwrap_or(&text));
        }
    }
    for orphan in orphans(session) {
        summary.problem(&format!(
            "results/{orphan} has no experiment\n   = delete the folder, or `cargo xtask \
             reproduce --bless` does"
        ));
    }
    for file in derived_files(session)? {
        let path = session.lab.root.join(&file.path);
        if std::fs::read_to_string(&path).is_ok_and(|text| text == file.text) {
            continue;
        }
        summary.problem(&format!(
            "{} is out of date\n   = bring it up to date with `{}`",
            file.path, file.command
        ));
    }
    Ok(())
}

/// That `compare.csv` and `table.md` are what the values and the experiment give.
fn check_derived(
    session: &Session<'_>,
    plan: &PlannedTable<'_>,
    committed: &Committed,
    finished: &FinishedTable,
    summary: &mut Summary,
) -> Result<(), String> {
    let id = plan.entry.id();
    let folder = folder(&session.lab.root.join("results"), id);
    let judged = judge(
        plan.entry,
        &committed.table,
        &std::collections::BTreeMap::new(),
    )
    .map_err(|error| error_chain(&error))?;
    // An edited table.csv is reported as drift; what derives from the true values is in order.
    let candidates: [&[Judged]; 2] = [&judged, &finished.judged];
    let read = |name: &str| std::fs::read(folder.join(name)).ok();
    let Some(compare) = read("compare.csv") else {
        summary.problem(&missing_file(id, "compare.csv"));
        return Ok(());
    };
    let mut expected = Vec::new();
    for judged in candidates {
        expected.push(compare_csv(judged).map_err(|error| error_chain(&error))?);
    }
    if !expected.contains(&compare) {
        let place = first_difference(&compare, &expected[0])
            .map_or_else(String::new, |place| format!(" at {place}"));
        summary.problem(&format!(
            "results/{id}/compare.csv{place} is not what table.csv and the experiment give\n   \
             = `cargo xtask report` writes it anew"
        ));
    }
    let Some(markdown) = read("table.md") else {
        summary.problem(&missing_file(id, "table.md"));
        return Ok(());
    };
    let expected = candidates.map(|judged| table_md(plan.entry, judged));
    if !expected.iter().any(|text| text.as_bytes() == markdown) {
        let found = String::from_utf8_lossy(&markdown);
        let line = found
            .lines()
            .zip(expected[0].lines())
            .position(|(found, expected)| found != expected)
            .map_or_else(String::new, |idx| format!(":{}", idx + 1));
        summary.problem(&format!(
            "results/{id}/table.md{line} is not what table.csv and the experiment give\n   = \
             `cargo xtask report` writes it anew"
        ));
    }
    Ok(())
}

fn missing_file(id: &str, name: &str) -> String {
    format!("results/{id}/{name} is missing\n   = `cargo xtask report` writes it anew")
}

/// The first cell in which two versions of `compare.csv` differ.
fn first_difference(found: &[u8], expected: &[u8]) -> Option<String> {
    const NAMES: [&str; 8] = [
        "row",
        "column",
        "paper",
        "ours",
        "difference",
        "tolerance",
        "verdict",
        "reason",
    ];
    let (found, expected) = (
        from_csv(found, &NAMES).ok()?,
        from_csv(expected, &NAMES).ok()?,
    );
    let idx =
        (0..found.len().max(expected.len())).find(|idx| found.get(*idx) != expected.get(*idx))?;
    let line = expected.get(idx).or_else(|| found.get(idx))?;
    Some(format!(
        "\"{}\".{}",
        line[0].as_deref()?,
        line[1].as_deref()?
    ))
}

/// Folders of `results/` without an experiment, as `<paper>/<table>`.
fn orphans(session: &Session<'_>) -> Vec<String> {
    let results = session.lab.root.join("results");
    let folders = |path: &Path| -> BTreeSet<String> {
        std::fs::read_dir(path)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.path().is_dir())
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect()
    };
    folders(&results)
        .into_iter()
        .flat_map(|paper| {
            folders(&results.join(&paper))
                .into_iter()
                .map(move |table| format!("{paper}/{table}"))
        })
        .filter(|id| session.catalog.get(id).is_none())
        .collect()
}

/// Records the values of a run.
pub(crate) fn bless(
    session: &Session<'_>,
    planned: &[PlannedTable<'_>],
    finished: &[FinishedTable],
    dirty: bool,
    options: &ReproduceOptions,
    summary: &mut Summary,
) -> Result<(), String> {
    let failed = finished.iter().any(|table| {
        !table.failures.is_empty()
            || table
                .judged
                .iter()
                .any(|cell| cell.verdict == crate::compare::Verdict::Error)
    });
    if failed || summary.exit() == Exit::Interrupted {
        summary.warn(if failed {
            "nothing was recorded: a cell failed"
        } else {
            "nothing was recorded: the run was interrupted"
        });
        return Ok(());
    }
    for (plan, finished) in planned.iter().zip(finished) {
        let id = plan.entry.id();
        if let Some(Missing::NotRun(reason) | Missing::Error(reason)) =
            finished.missing.values().next()
        {
            summary.warn(&format!("{id} was not recorded: {reason}"));
            continue;
        }
        show_changes(plan, finished, summary);
        let mut files = table_files(plan, finished).map_err(|error| error_chain(&error))?;
        let mut inputs = plan.inputs.clone();
        inputs.table = blake3::hash(&files[0].1).to_hex().to_string();
        inputs.dirty = dirty;
        let same_inputs = plan.committed.as_ref().is_some_and(|committed| {
            let recorded = &committed.inputs;
            recorded.cells == inputs.cells && recorded.table == inputs.table
        });
        let text = inputs.to_toml().map_err(|error| error.to_string())?;
        // A tree that is dirty only now does not taint what was recorded from a clean one.
        if !(dirty && same_inputs) {
            files.push(("inputs.toml", text.into_bytes()));
        }
        let folder = folder(&session.lab.root.join("results"), id);
        let written = write_changed(&folder, &files).map_err(|error| error_chain(&error))?;
        for name in written {
            summary.wrote(format!("results/{id}/{name}"));
        }
    }
    if options.selection.is_all() {
        for orphan in orphans(session) {
            let folder = session.lab.root.join("results").join(&orphan);
            std::fs::remove_dir_all(&folder)
                .map_err(|error| format!("cannot delete results/{orphan}: {error}"))?;
            summary.note(&format!("deleted results/{orphan}: it has no experiment"));
        }
    }
    for path in super::report::write_derived(session)? {
        summary.wrote(path);
    }
    summary.drop_drift_messages();
    summary.forgive_drift();
    summary.note_written();
    Ok(())
}

/// Old and new values, before they are written.
fn show_changes(plan: &PlannedTable<'_>, finished: &FinishedTable, summary: &mut Summary) {
    let id = plan.entry.id();
    if plan.committed.is_none() {
        let n = finished.table.iter().count();
        summary.note(&format!(
            "new: {id}, {}",
            crate::render::counted(n, "value", "values")
        ));
    }
    for drifted in &finished.drifted {
        let word = match drifted.drift {
            Drift::Drifted | Drift::Same => "changed",
            Drift::New => "new",
            Drift::Gone => "gone",
        };
        summary.note(&format!(
            "{word}: {id} \"{}\".{}  {}",
            drifted.row,
            drifted.column,
            change(drifted)
        ));
    }
}
