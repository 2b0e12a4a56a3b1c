//! `reproduce --dry-run`: what would run.

use std::fmt::Write as _;

use serde::Serialize;

use crate::Answer;
use crate::Format;
use kibitz_lab::costs::Costs;
use kibitz_lab::observe::duration;
use kibitz_lab::origin::state;
use kibitz_lab::plan::PlannedTable;
use kibitz_lab::trouble::DataTrouble;
use kibitz_text::Exit;
use kibitz_text::counted;

#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    state: &'static str,
    cells: usize,
    fresh: usize,
    recorded: usize,
    stale: usize,
    blocked: usize,
    runs: usize,
}

impl<'a> Line<'a> {
    fn new(plan: &'a PlannedTable<'_>) -> Self {
        let mut line = Self {
            id: plan.entry.id(),
            state: plan.state(),
            cells: plan.cells.len(),
            fresh: 0,
            recorded: 0,
            stale: 0,
            blocked: 0,
            runs: plan.n_runs(),
        };
        for cell in &plan.cells {
            *match cell.state() {
                state::FRESH => &mut line.fresh,
                state::RECORDED => &mut line.recorded,
                state::STALE => &mut line.stale,
                _ => &mut line.blocked,
            } += 1;
        }
        line
    }
}

/// What would run and why.
pub(crate) fn dry_run(
    planned: &[PlannedTable<'_>],
    costs: &Costs,
    troubles: &[DataTrouble<'_>],
    format: Format,
) -> Answer {
    let lines: Vec<Line<'_>> = planned.iter().map(Line::new).collect();
    let expected = expected(planned, costs);
    let describe = |trouble: &DataTrouble<'_>| format!("{}\n", trouble.describe(0));
    Answer {
        out: match format {
            Format::Json => format!(
                "{}\n",
                serde_json::to_string_pretty(&lines).unwrap_or_default()
            ),
            _ => written(&lines, &expected),
        },
        err: troubles.iter().map(describe).collect(),
        exit: match troubles {
            [] => Exit::Done,
            _ => Exit::Missing,
        },
    }
}

/// The CPU time that the runs of tables are expected to take, as far as their cells ran before.
fn expected(planned: &[PlannedTable<'_>], costs: &Costs) -> String {
    let cells = planned.iter().flat_map(|plan| {
        let cells = plan.cells.iter().filter(|cell| cell.n_runs() > 0);
        cells.map(|cell| (cell.n_runs(), costs.of(plan.entry.id(), &cell.cell.id)))
    });
    let (mut seconds, mut is_whole) = (0.0, true);
    for (n, cost) in cells {
        match cost {
            Some(cost) => seconds += n as f64 * cost.seconds,
            None => is_whole = false,
        }
    }
    match (seconds > 0.0, is_whole) {
        (false, _) => String::new(),
        (true, true) => format!(", about {} of CPU time", duration(seconds)),
        (true, false) => format!(", at least {} of CPU time", duration(seconds)),
    }
}

fn written(lines: &[Line<'_>], expected: &str) -> String {
    let mut out = String::new();
    for line in lines {
        let cells = counted(line.cells, "cell", "cells");
        let _ = write!(out, "{:<32} {cells:>10}   ", line.id);
        let parts = [
            (line.fresh, state::FRESH),
            (line.recorded, state::RECORDED),
            (line.stale, state::STALE),
            (line.blocked, "without data"),
        ];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, word)| {
                if n == line.cells {
                    word.to_owned()
                } else {
                    format!("{n} {word}")
                }
            })
            .collect();
        let _ = write!(out, "{}", parts.join(", "));
        if line.runs > 0 {
            let _ = write!(out, ", {} to do", counted(line.runs, "run", "runs"));
        }
        out.push('\n');
    }
    let runs: usize = lines.iter().map(|line| line.runs).sum();
    let _ = writeln!(
        out,
        "{}: {} would run{expected}; nothing was run",
        counted(lines.len(), "table", "tables"),
        counted(runs, "run of a cell", "runs of cells"),
    );
    out
}
