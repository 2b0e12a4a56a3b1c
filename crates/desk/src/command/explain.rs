//! `explain`: what an experiment is with all defaults filled in, what its keys are made of, and what would
//! run and why.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value as Json;
use toml::de::DeTable;

use crate::Answer;
use crate::Desk;
use crate::command::cells::told;
use kibitz_command::input::Input;
use kibitz_experiment::suggestion;
use kibitz_lab::Selection;
use kibitz_lab::cache::CachedCell;
use kibitz_lab::config::entry::Entry;
use kibitz_lab::key::canonical;
use kibitz_lab::observe::duration;
use kibitz_lab::origin::{Origin, state as states};
use kibitz_lab::plan::{PlannedCell, PlannedTable, View};
use kibitz_lab::published::six_digits;
use kibitz_lab::results::{Inputs, SourceInput};
use kibitz_lab::session::Session;
use kibitz_text::Diagnostic;
use kibitz_text::Exit;

impl Desk {
    /// Explains one experiment, or one cell of it.
    pub fn explain(&self, id: &str, cell: Option<&str>) -> Answer {
        self.try_explain(id, cell).unwrap_or_else(|answer| answer)
    }

    fn try_explain(&self, id: &str, cell: Option<&str>) -> Result<Answer, Answer> {
        let session = Session::open(&self.lab)?;
        let selection = Selection {
            ids: vec![id.to_owned()],
            ..Selection::default()
        };
        let (mut out, mut err) = (String::new(), String::new());
        let store = session.store();
        let view = View {
            trust_committed: true,
            ..View::default()
        };
        let selected = selection.apply(&session.catalog, &self.lab)?;
        for entry in &selected.entries {
            let cells = || entry.full.cells.iter().map(|cell| cell.id.as_str());
            if let Some(name) = cell
                && !cells().any(|known| known == name)
            {
                let diagnostic = Diagnostic::new(format!("{} has no cell `{name}`", entry.id()))
                    .with_label(suggestion(name, cells()));
                return Err(Answer::failed(Exit::BadInput, format!("{diagnostic}\n")));
            }
            let mut troubles = Vec::new();
            let plan = PlannedTable::plan(&session, entry, &store, view, &mut troubles)?;
            if !out.is_empty() {
                out.push('\n');
            }
            let outdated: Vec<&str> = session.outdated(entry).into_iter().collect();
            describe(&mut out, &session, &plan, (cell, &outdated));
            err.push_str(&told(&troubles));
        }
        Ok(Answer {
            err,
            ..Answer::ok(out)
        }
        .beside_left_out(&selected))
    }
}

/// The experiment, its inputs, and its cells, or `only` one of them. Of code that is `outdated`
/// nobody knows the keys.
fn describe(
    out: &mut String,
    session: &Session<'_>,
    plan: &PlannedTable<'_>,
    (only, outdated): (Option<&str>, &[&str]),
) {
    declared(out, plan.entry);
    params(out, plan.entry);
    columns(out, plan.entry);
    inputs(out, plan);
    if outdated.is_empty() {
        recorded(out, session, plan);
    } else {
        let changed = outdated.join(", ");
        let _ = writeln!(
            out,
            "  outdated: {changed} changed since this program was built, so that these are old keys"
        );
    }
    let _ = writeln!(out, "cells");
    let is_shown = |cell: &&PlannedCell<'_>| only.is_none_or(|only| only == cell.cell.id);
    for cell in plan.cells.iter().filter(is_shown) {
        let state = if outdated.is_empty() {
            state(plan, cell)
        } else {
            "outdated: nothing of it is served before the program is built again".to_owned()
        };
        let _ = writeln!(out, "  {}: {state}", cell.cell.id);
        if only.is_some() {
            details(out, session, cell);
        }
    }
}

/// Title, file, kind, source and run settings.
fn declared(out: &mut String, entry: &Entry) {
    let experiment = &entry.experiment;
    let _ = writeln!(out, "{}: {}", entry.id(), experiment.file.title);
    let _ = writeln!(out, "  file        {}", experiment.source.path());
    let (kind, of) = (entry.kind.name(), entry.kind.type_name());
    let _ = writeln!(out, "  kind        {kind} ({of})");
    if let Some(printed_in) = &experiment.file.source {
        let (paper, place) = (printed_in.paper.get_ref(), &printed_in.place);
        let _ = writeln!(out, "  source      {paper}, {place}");
    }
    let run = &experiment.run;
    let seed = run.seed.as_ref().map_or_else(
        || "none: draws no random numbers".to_owned(),
        |seed| seed.get_ref().to_string(),
    );
    let _ = writeln!(out, "  seed        {seed}");
    let _ = writeln!(out, "  replicates  {}", run.replicates());
    if let Some(timeout) = run.timeout {
        let _ = writeln!(out, "  timeout     {}", humantime::format_duration(timeout));
    }
}

/// The columns with units, tolerances and meanings.
fn columns(out: &mut String, entry: &Entry) {
    let _ = writeln!(out, "columns");
    for column in &entry.columns {
        let unit = match column.unit.as_str() {
            "" => String::new(),
            unit => format!(" ({unit})"),
        };
        let (name, tolerance, doc) = (&column.name, column.tolerance, &column.doc);
        let _ = match doc.as_str() {
            "" => writeln!(out, "  {name}{unit}: {tolerance}"),
            doc => writeln!(out, "  {name}{unit}: {tolerance}; {doc}"),
        };
    }
}

/// The inputs key, and the data and code that it holds.
fn inputs(out: &mut String, plan: &PlannedTable<'_>) {
    let _ = writeln!(out, "inputs key {}", plan.inputs.inputs_key);
    for (name, input) in &plan.inputs.data {
        let hash = &input.blake3[..16];
        let _ = match Input::of_name(name) {
            Some(Input::File(path)) => writeln!(out, "  file {path} ({hash})"),
            Some(Input::Variable(name)) => {
                writeln!(out, "  variable {name} is {} ({hash})", input.entry)
            }
            Some(Input::Version(words)) => {
                writeln!(out, "  version of {}: {}", words.join(" "), input.entry)
            }
            None => writeln!(out, "  data {name} = {} ({hash})", input.entry),
        };
    }
    for (name, hash) in &plan.inputs.code {
        let _ = writeln!(out, "  code {name} {}", &hash[..16]);
    }
}

/// Whether the table is recorded, and what has changed since, or since it last ran.
fn recorded(out: &mut String, session: &Session<'_>, plan: &PlannedTable<'_>) {
    let Some(committed) = &plan.committed else {
        let _ = writeln!(out, "  never recorded");
        if let Some(last) = last_inputs(session, plan.entry.id()) {
            match last.changes(&plan.inputs).as_slice() {
                [] => {}
                changes => {
                    let changes = changes.join(", ");
                    let _ = writeln!(out, "  changed since the last run: {changes}");
                }
            }
            changed_below(out, session, (&last, &plan.inputs), &mut BTreeSet::new());
        }
        return;
    };
    let changes = committed.inputs.changes(&plan.inputs);
    let _ = match changes.as_slice() {
        [] if committed.inputs.cells == plan.inputs.cells => {
            writeln!(out, "  recorded with the same inputs")
        }
        [] => writeln!(out, "  recorded with other cells"),
        changes => writeln!(out, "  changed since recorded: {}", changes.join(", ")),
    };
    let inputs = (&committed.inputs, &plan.inputs);
    changed_below(out, session, inputs, &mut BTreeSet::new());
    if !committed.intact {
        let _ = writeln!(
            out,
            "  damaged: table.csv is not the one that inputs.toml names"
        );
    }
}

/// Why what an experiment reads yields something else than before, as far as an earlier run of it is known.
fn changed_below(
    out: &mut String,
    session: &Session<'_>,
    (old, now): (&Inputs, &Inputs),
    known: &mut BTreeSet<String>,
) {
    let before: Vec<&SourceInput> = old.from.values().collect();
    for source in now.from.values().filter(|source| !before.contains(source)) {
        let id = &source.experiment;
        let entry = session.catalog.entry(id);
        let last = entry.and_then(|entry| Some((last_inputs(session, id)?, entry)));
        let Some((last, entry)) = last.filter(|_| known.insert(id.clone())) else {
            continue;
        };
        let inputs = session.inputs(entry);
        let changes = last.changes(&inputs);
        if !changes.is_empty() {
            let _ = writeln!(out, "    {id}: {}", changes.join(", "));
        }
        changed_below(out, session, (&last, &inputs), known);
    }
}

/// The inputs of the last run that is known here, or else those that are recorded.
fn last_inputs(session: &Session<'_>, id: &str) -> Option<Inputs> {
    let (state, root) = (&session.lab.state, &session.lab.root);
    let folders = [
        state.join("results"),
        state.join("datasets"),
        root.join("results"),
    ];
    let mut kept = folders.iter().map(|folder| Inputs::kept(folder, id));
    kept.find_map(|kept| kept.ok().flatten())
}

/// The state of a cell, what follows from it, and why.
fn state(plan: &PlannedTable<'_>, cell: &PlannedCell<'_>) -> String {
    let word = cell.state();
    let why = match (&cell.origin, word) {
        (Origin::NoData(reason) | Origin::ChangedData(reason) | Origin::Skipped(reason), _) => {
            reason.clone()
        }
        (_, states::FRESH) => "in the cache".to_owned(),
        (Origin::Recorded, _) => "not in the cache, and a run needs its data by --data".to_owned(),
        (_, states::RECORDED) => {
            "not in the cache; `reproduce` runs it, --check believes the recorded values".to_owned()
        }
        _ => {
            let runs = match (cell.n_runs(), cell.keys.len()) {
                (_, 1) => String::new(),
                (n, of) => format!("{n} of {of} replicates are to run; "),
            };
            let why = match &plan.committed {
                Some(_) => "its inputs changed since they were recorded",
                None => "it has never run with these inputs",
            };
            format!("{runs}{why}")
        }
    };
    format!("{word}: {why}")
}

/// Rows, cost, keys and last runs of a cell.
fn details(out: &mut String, session: &Session<'_>, cell: &PlannedCell<'_>) {
    let _ = writeln!(out, "    rows  {}", cell.cell.rows.join(", "));
    let _ = writeln!(out, "    cost  {}", cell.cell.cost);
    for (replicate, key) in cell.keys.iter().enumerate() {
        let _ = writeln!(out, "    key   {key}   replicate {}", replicate + 1);
    }
    let runs: Option<Vec<CachedCell>> =
        cell.keys.iter().map(|key| session.cache.get(key)).collect();
    for run in runs.iter().flatten() {
        last_run(out, run);
    }
}

/// What depends on the machine: how long a replicate took, and what it measured of itself.
fn last_run(out: &mut String, run: &CachedCell) {
    let replicate = run.replicate + 1;
    let _ = writeln!(
        out,
        "    info  replicate {replicate} took {} {}",
        duration(run.cpu_seconds()),
        run.measures()
    );
    for line in &run.audit {
        let _ = writeln!(out, "    audit {line}");
    }
    for (name, figure) in run.output.volatile() {
        let value = six_digits(figure.value);
        let _ = writeln!(out, "    info  {name} = {value} {}", figure.unit);
    }
}

/// The parameters with where each came from.
fn params(out: &mut String, entry: &Entry) {
    let source = &entry.experiment.source;
    let line_in = |section: &str, key: &str| -> Option<usize> {
        let root = DeTable::parse(source.text()).ok()?;
        let table = root.get_ref().get(section)?.get_ref().as_table()?;
        let (name, _) = table.get_key_value(key)?;
        Some(source.line_of(name.span().start))
    };
    let _ = writeln!(out, "params");
    let Json::Object(full) = &entry.full.params else {
        let _ = writeln!(out, "  {}", entry.full.params);
        return;
    };
    for (key, value) in full {
        let from = line_in("params", key)
            .map_or_else(|| "default".to_owned(), |line| format!("line {line}"));
        let shown = if value.is_null() {
            "none".to_owned()
        } else {
            canonical(value)
        };
        let _ = write!(out, "  {key} = {shown}   ({from}");
        let quick = entry
            .planned(true)
            .params
            .get(key)
            .filter(|quick| *quick != value);
        let _ = match (quick, line_in("quick", key)) {
            (Some(quick), Some(line)) => {
                writeln!(out, "; quick: {} from line {line})", canonical(quick))
            }
            (Some(quick), None) => writeln!(out, "; quick: {})", canonical(quick)),
            (None, _) => writeln!(out, ")"),
        };
    }
}
