//! `analyse`: what can be said of a position, as text, for programs, or as a picture.

use std::io::Write;

use kibitz_minesweeper::{Analysis, Knowledge, Probabilities, View};
use kibitz_svg::{Drawing, rect, text};

use super::{Failure, PositionArguments, analysis, no_probabilities, show};

/// What `analyse` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Form {
    /// The position, a heat map and a line for each thing.
    Text,
    /// An object, for programs.
    Json,
    /// The heat map as a picture.
    Svg,
}

pub(super) fn run(
    position: &PositionArguments,
    form: Form,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let (source, knowledge) = position.read()?;
    let found = Analysis::new(&knowledge);
    let found = found.map_err(|problem| no_probabilities(position, &source, problem))?;
    match form {
        Form::Text => {
            show::position(&knowledge, None, out)?;
            show::heat_map(&knowledge, &found.probabilities, out)?;
            for line in analysis::lines(&found, &knowledge) {
                writeln!(out, "{line}")?;
            }
        }
        Form::Json => writeln!(out, "{}", found.json(&knowledge))?,
        Form::Svg => write!(out, "{}", drawing(&knowledge, &found.probabilities))?,
    }
    Ok(())
}

/// The side of a tile in a picture.
const SIDE: usize = 32;

/// The heat map as a picture.
fn drawing(knowledge: &Knowledge, probabilities: &Probabilities) -> Drawing {
    let grid = knowledge.grid();
    let mut drawing = Drawing::new(SIDE * grid.width(), SIDE * grid.height())
        .with("font-family", "sans-serif")
        .with("font-size", 13)
        .with("text-anchor", "middle");
    for tile in 0..grid.n_tiles() {
        let (row, column) = grid.row_and_column(tile);
        let (x, y) = (SIDE * column, SIDE * row);
        let (fill, label) = match knowledge.view(tile) {
            View::Number(0) => ("#ffffff".to_owned(), String::new()),
            View::Number(number) => ("#ffffff".to_owned(), number.to_string()),
            View::Marked => ("#c0c0c0".to_owned(), "F".to_owned()),
            View::Covered => {
                let risk = probabilities.mine(tile);
                (fill(risk), show::percent(risk))
            }
        };
        let square = rect(x, y, SIDE, SIDE).with("fill", fill);
        drawing.push(square.with("stroke", "#808080"));
        if !label.is_empty() {
            drawing.push(text(x + SIDE / 2, y + SIDE * 5 / 8, &label));
        }
    }
    drawing
}

/// The color of a risk: green where it is safe, over yellow to red.
fn fill(risk: f64) -> String {
    let hue = 120.0 * (1.0 - risk);
    format!("hsl({hue:.0} 70% 70%)")
}
