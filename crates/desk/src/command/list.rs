//! `list`: the experiments, what they are, and whether they are fresh.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::Answer;
use crate::Desk;
use crate::Format;
use crate::command::cells::told;
use crate::render::aligned;
use kibitz_lab::Selection;
use kibitz_lab::cache::CPU;
use kibitz_lab::csv::to_csv;
use kibitz_lab::judge::judge_all;
use kibitz_lab::observe::duration;
use kibitz_lab::origin::state;
use kibitz_lab::outcome::Counts;
use kibitz_lab::plan::{PlannedTable, View};
use kibitz_lab::results::read_committed;
use kibitz_lab::session::Session;
use kibitz_lab::trouble::{DataTrouble, tell};

/// One experiment.
#[derive(Debug, Serialize)]
struct Line {
    id: String,
    /// None of a file that cannot be used.
    kind: &'static str,
    runs: usize,
    state: &'static str,
    /// CPU seconds all of its runs took when they last ran; of steps, elapsed seconds.
    seconds: Option<f64>,
    /// What is measured.
    #[serde(skip)]
    measures: &'static str,
    tags: Vec<String>,
    title: String,
}

impl Desk {
    /// Lists the selected experiments; with `stale` only those that a run would do something for.
    ///
    /// States: `invalid`, its file has problems, which are listed below; `outdated`, the program was built
    /// before its sources changed; `changed data`, a data file below it is not the one declared; `no data`,
    /// it is missing; `damaged`, the recorded values are not those that were recorded; `fresh`, its values
    /// are in the cache; `recorded`, they are not, and the recorded ones rest on the same inputs; `stale`,
    /// neither; `skipped`, stale, and not to be rerun without a collection that is not here.
    pub fn list(&self, selection: &Selection, stale: bool, format: Format) -> Answer {
        self.try_list(selection, stale, format)
            .unwrap_or_else(|answer| answer)
    }

    fn try_list(
        &self,
        selection: &Selection,
        stale: bool,
        format: Format,
    ) -> Result<Answer, Answer> {
        let session = Session::open(&self.lab)?;
        let selected = selection.apply(&session.catalog, &self.lab)?;
        let store = session.store();
        let view = View {
            trust_committed: true,
            ..View::default()
        };
        let mut lines = Vec::new();
        let mut all = Vec::new();
        for entry in &selected.entries {
            let mut troubles = Vec::new();
            let plan = PlannedTable::plan(&session, entry, &store, view, &mut troubles)?;
            let entry = plan.entry;
            let is_changed = |trouble: &DataTrouble<'_>| trouble.problem.is_changed;
            // The first state that applies is the one to act on first: with an outdated program or
            // without its data, a table cannot be repaired.
            let state = if !session.outdated(entry).is_empty() {
                "outdated"
            } else if troubles.iter().any(is_changed) {
                state::CHANGED_DATA
            } else if !troubles.is_empty() {
                state::NO_DATA
            } else if plan.committed.as_ref().is_some_and(|known| !known.intact) {
                "damaged"
            } else {
                plan.state()
            };
            for trouble in troubles {
                tell(&mut all, trouble);
            }
            let keys = plan.cells.iter().flat_map(|cell| &cell.keys);
            let runs = keys.map(|key| session.cache.get(key));
            let timings = runs.map(|run| run.map(|run| (run.cpu_seconds(), run.measures())));
            let timings: Option<Vec<(f64, &str)>> = timings.collect();
            let first = timings.as_ref().and_then(|timings| timings.first());
            let measures = first.map_or(CPU, |(_, measures)| *measures);
            lines.push(Line {
                id: entry.id().to_owned(),
                kind: entry.kind.name(),
                runs: plan.n_all_runs(),
                state,
                // The time is shown only if all runs are cached: a part of them would look like a
                // fast table.
                seconds: timings.map(|timings| timings.iter().map(|(seconds, _)| seconds).sum()),
                measures,
                tags: entry
                    .experiment
                    .file
                    .tags
                    .iter()
                    .map(str::to_owned)
                    .collect(),
                title: entry.experiment.file.title.clone(),
            });
        }
        lines.extend(selected.broken.iter().map(|id| Line {
            id: (*id).to_owned(),
            kind: "",
            runs: 0,
            state: "invalid",
            seconds: None,
            measures: CPU,
            tags: Vec::new(),
            title: String::new(),
        }));
        lines.sort_by(|a, b| a.id.cmp(&b.id));
        lines.retain(|line| !stale || !matches!(line.state, state::FRESH | state::RECORDED));
        let mut text = written(&lines, format, self.width);
        if matches!(format, Format::Text) && selection.is_all() && !stale {
            text.push_str(&headlines(recorded(&session)?));
        }
        let answer = Answer {
            err: told(&all),
            ..Answer::ok(text)
        };
        Ok(answer.beside_left_out(&selected))
    }
}

/// The outcomes of each recorded table, with its paper.
fn recorded<'s>(session: &'s Session<'_>) -> Result<Vec<(&'s str, Counts)>, Answer> {
    let results = session.lab.root.join("results");
    let others = session.others()?;
    let mut tables = Vec::new();
    for entry in &session.catalog.entries {
        if let Some(committed) = read_committed(&results, entry.id())? {
            let judged = judge_all(entry, &committed.table, &others);
            let counts = judged.iter().map(|cell| cell.outcome).collect();
            tables.push((entry.experiment.paper(), counts));
        }
    }
    Ok(tables)
}

/// The headline of each paper whose tables have compared values, a line for each.
pub(crate) fn headlines<'p>(tables: impl IntoIterator<Item = (&'p str, Counts)>) -> String {
    let mut papers: BTreeMap<&str, Counts> = BTreeMap::new();
    for (paper, counts) in tables {
        papers.entry(paper).or_default().merge(&counts);
    }
    let lines = papers
        .iter()
        .filter(|(_, counts)| counts.compared() > 0)
        .map(|(paper, counts)| format!("{paper}: {}\n", counts.headline()));
    lines.collect()
}

fn written(lines: &[Line], format: Format, width: Option<usize>) -> String {
    match format {
        Format::Json => format!(
            "{}\n",
            serde_json::to_string_pretty(lines).unwrap_or_default()
        ),
        Format::Csv => {
            let names = ["id", "kind", "runs", "state", "seconds", "tags", "title"];
            let bytes = to_csv(
                names,
                lines.iter().map(|line| {
                    [
                        Some(line.id.clone()),
                        Some(line.kind.to_owned()),
                        Some(line.runs.to_string()),
                        Some(line.state.to_owned()),
                        line.seconds.map(|seconds| format!("{seconds:.3}")),
                        Some(line.tags.join(" ")),
                        Some(line.title.clone()),
                    ]
                }),
            );
            String::from_utf8_lossy(&bytes).into_owned()
        }
        Format::Text => {
            let header = ["id", "kind", "runs", "state", "CPU time", "title"];
            let mut rows = vec![header.map(str::to_owned).to_vec()];
            let time = |line: &Line| match line.seconds.map(duration) {
                None => "-".to_owned(),
                Some(time) if line.measures == CPU => time,
                Some(time) => format!("{time} {}", line.measures),
            };
            rows.extend(lines.iter().map(|line| {
                vec![
                    line.id.clone(),
                    line.kind.to_owned(),
                    line.runs.to_string(),
                    line.state.to_owned(),
                    time(line),
                    line.title.clone(),
                ]
            }));
            aligned(&rows, width)
        }
    }
}
