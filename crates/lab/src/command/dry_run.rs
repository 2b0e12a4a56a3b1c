//! `reproduce --dry-run`: what would run.

use std::fmt::Write as _;

use serde::Serialize;

use super::plan::{Origin, PlannedTable};
use super::trouble::DataTrouble;
use super::{Answer, Exit, Format};
use crate::render::counted;

#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    cells: usize,
    fresh: usize,
    stale: usize,
    blocked: usize,
    runs: usize,
}

impl<'a> Line<'a> {
    fn new(plan: &'a PlannedTable<'_>) -> Self {
        let mut line = Self {
            id: plan.entry.id(),
            cells: plan.cells.len(),
            fresh: 0,
            stale: 0,
            blocked: 0,
            runs: plan.n_runs(),
        };
        for cell in &plan.cells {
            match cell.origin {
                Origin::Committed | Origin::Recorded | Origin::Cached(_) => line.fresh += 1,
                Origin::Run(_) => line.stale += 1,
                Origin::NoData(_) | Origin::Skipped(_) => line.blocked += 1,
            }
        }
        line
    }
}

/// What would run and why.
pub(crate) fn dry_run(
    planned: &[PlannedTable<'_>],
    troubles: &[DataTrouble<'_>],
    format: Format,
) -> Answer {
    let lines: Vec<Line<'_>> = planned.iter().map(Line::new).collect();
    let describe = |trouble: &DataTrouble<'_>| format!("{}\n", trouble.describe(0));
    Answer {
        out: match format {
            Format::Json => format!(
                "{}\n",
                serde_json::to_string_pretty(&lines).unwrap_or_default()
            ),
            _ => written(&lines),
        },
        err: troubles.iter().map(describe).collect(),
        exit: match troubles {
            [] => Exit::Done,
            _ => Exit::Missing,
        },
    }
}

fn written(lines: &[Line<'_>]) -> String {
    let mut out = String::new();
    for line in lines {
        let cells = counted(line.cells, "cell", "cells");
        let _ = write!(out, "{:<32} {cells:>10}   ", line.id);
        let _ = match (line.stale, line.blocked) {
            (0, 0) => write!(out, "fresh"),
            _ => write!(
                out,
                "{} to run ({}), {} fresh",
                line.stale,
                counted(line.runs, "run", "runs"),
                line.fresh
            ),
        };
        if line.blocked > 0 {
            let _ = write!(out, ", {} without data", line.blocked);
        }
        out.push('\n');
    }
    let runs: usize = lines.iter().map(|line| line.runs).sum();
    let _ = writeln!(
        out,
        "{}: {} would run; nothing was run",
        counted(lines.len(), "table", "tables"),
        counted(runs, "run of a cell", "runs of cells"),
    );
    out
}
