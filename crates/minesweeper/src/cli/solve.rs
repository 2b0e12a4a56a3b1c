//! `solve`: the probabilities of a position.

use std::io::Write;

use kibitz_minesweeper::{Mines, Solver, View};
use serde_json::json;

use super::{Failure, Format, PositionArguments, no_probabilities, show};

pub(super) fn run(
    position: &PositionArguments,
    format: Format,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let (source, knowledge) = position.read()?;
    let mut solver = Solver::new();
    let probabilities = solver.solve(&knowledge);
    let probabilities = probabilities.map_err(|problem| no_probabilities(&source, problem))?;
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
            let mut answer = json!({
                "columns": grid.width(),
                "rows": grid.height(),
                "mine": rows.collect::<Vec<_>>(),
            });
            match knowledge.mines() {
                Mines::Total(n_mines) => {
                    answer["mines"] = n_mines.into();
                    answer["ln_arrangements"] = probabilities.ln_arrangements().into();
                }
                Mines::Density(density) => answer["density"] = density.get().into(),
            }
            writeln!(out, "{answer}")?;
        }
    }
    Ok(())
}
