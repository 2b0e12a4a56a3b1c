//! `solve`: the probabilities of a position.

use std::io::Write;

use kibitz_minesweeper::Solver;

use super::{Failure, Format, PositionArguments, no_probabilities, show};

pub(super) fn run(
    position: &PositionArguments,
    format: Format,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let (source, knowledge) = position.read()?;
    let mut solver = Solver::new();
    let probabilities = solver.solve(&knowledge);
    let probabilities =
        probabilities.map_err(|problem| no_probabilities(position, &source, problem))?;
    match format {
        Format::Text => {
            show::position(&knowledge, None, out)?;
            show::heat_map(&knowledge, probabilities, out)?;
        }
        Format::Json => writeln!(out, "{}", probabilities.json(&knowledge))?,
    }
    Ok(())
}
