//! `solve`: the probabilities of a position.

use std::io::Write;
use std::path::Path;

use kibitz_minesweeper::{Knowledge, NoProbabilities, Solver, View};
use kibitz_text::{Diagnostic, Exit, Failure as Stop, Location, SourceFile};
use serde_json::json;

use super::{Failure, Format, mistakes, show};

pub(super) fn run(path: &Path, format: Format, out: &mut impl Write) -> Result<(), Failure> {
    let source = SourceFile::read(path)?;
    let knowledge = Knowledge::from_text(source.text());
    let knowledge = knowledge.map_err(|errors| mistakes(&source, errors))?;
    let mut solver = Solver::new();
    let probabilities = solver.solve(&knowledge).map_err(|problem| {
        let file = Location::of_file(source.path());
        let exit = match problem {
            NoProbabilities::Contradiction => Exit::Negative,
            NoProbabilities::TooComplex => Exit::Failed,
        };
        Stop::new(exit, Diagnostic::new(problem.to_string()).at(file))
    })?;
    match format {
        Format::Text => {
            show::position(&knowledge, None, out)?;
            show::heat_map(&knowledge, probabilities, out)?;
        }
        Format::Json => {
            let grid = knowledge.grid();
            let tile = |tile| match knowledge.view(tile) {
                View::Number(_) => None,
                _ => Some(probabilities.mine(tile)),
            };
            let rows = (0..grid.height()).map(|row| {
                let first = row * grid.width();
                (first..first + grid.width()).map(tile).collect::<Vec<_>>()
            });
            let answer = json!({
                "columns": grid.width(),
                "rows": grid.height(),
                "mines": knowledge.n_mines(),
                "ln_arrangements": probabilities.ln_arrangements(),
                "mine": rows.collect::<Vec<_>>(),
            });
            writeln!(out, "{answer}")?;
        }
    }
    Ok(())
}
