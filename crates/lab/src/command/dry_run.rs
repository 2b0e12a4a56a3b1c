//! `reproduce --dry-run`: what would run.

use std::fmt::Write as _;

use serde::Serialize;

use super::plan::{PlannedCell, PlannedTable, state};
use super::trouble::DataTrouble;
use super::{Answer, Exit, Format};
use crate::costs::Costs;
use crate::observe::duration;
use crate::render::counted;

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
    let seconds = planned.iter().map(|plan| expected(plan, costs)).sum();
    let describe = |trouble: &DataTrouble<'_>| format!("{}\n", trouble.describe(0));
    Answer {
        out: match format {
            Format::Json => format!(
                "{}\n",
                serde_json::to_string_pretty(&lines).unwrap_or_default()
            ),
            _ => written(&lines, seconds),
        },
        err: troubles.iter().map(describe).collect(),
        exit: match troubles {
            [] => Exit::Done,
            _ => Exit::Missing,
        },
    }
}

/// CPU seconds that the runs of a table are expected to take.
fn expected(plan: &PlannedTable<'_>, costs: &Costs) -> f64 {
    let cells = &plan.entry.full.cells;
    let expected = |cell: &PlannedCell<'_>| {
        cell.n_runs() as f64 * costs.expected(plan.entry.id(), cell.cell, cells)
    };
    plan.cells.iter().map(expected).sum()
}

fn written(lines: &[Line<'_>], seconds: f64) -> String {
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
        "{}: {} would run{}; nothing was run",
        counted(lines.len(), "table", "tables"),
        counted(runs, "run of a cell", "runs of cells"),
        match runs {
            0 => String::new(),
            _ => format!(", about {} of CPU time", duration(seconds)),
        },
    );
    out
}
