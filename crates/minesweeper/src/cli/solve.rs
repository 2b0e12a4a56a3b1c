//! `solve`: the probabilities of a position.

use std::io::Write;
use std::path::Path;

use kibitz_minesweeper::{Knowledge, Solver, View};
use serde_json::json;

use super::{Failure, Format, read, show};

pub(super) fn run(path: &Path, format: Format, out: &mut impl Write) -> Result<(), Failure> {
    let text = read(path)?;
    let file = path.display().to_string();
    let knowledge = match Knowledge::from_text(&text) {
        Ok(knowledge) => knowledge,
        Err(problem) => return Err(Failure::Text { file, problem }),
    };
    let mut solver = Solver::new();
    let probabilities = match solver.solve(&knowledge) {
        Ok(probabilities) => probabilities,
        Err(problem) => return Err(Failure::Unsolvable { file, problem }),
    };
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
