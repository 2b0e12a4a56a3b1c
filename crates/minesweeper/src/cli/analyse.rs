//! `analyse`: what can be said of a position, as text, for programs, or as a picture.

use std::fmt::Write as _;
use std::io::Write;

use kibitz_minesweeper::{Analysis, Knowledge, Probabilities, View};

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
    let found = found.map_err(|problem| no_probabilities(&source, problem))?;
    match form {
        Form::Text => {
            show::position(&knowledge, None, out)?;
            show::heat_map(&knowledge, &found.probabilities, out)?;
            for line in analysis::lines(&found, &knowledge) {
                writeln!(out, "{line}")?;
            }
        }
        Form::Json => writeln!(out, "{}", found.json(&knowledge))?,
        Form::Svg => out.write_all(svg(&knowledge, &found.probabilities).as_bytes())?,
    }
    Ok(())
}

/// The side of a tile in a picture.
const SIDE: usize = 32;

/// The heat map as a picture.
fn svg(knowledge: &Knowledge, probabilities: &Probabilities) -> String {
    let grid = knowledge.grid();
    let (width, height) = (SIDE * grid.width(), SIDE * grid.height());
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\" text-anchor=\"middle\">\n"
    );
    for tile in 0..grid.n_tiles() {
        let (row, column) = grid.row_and_column(tile);
        let (x, y) = (SIDE * column, SIDE * row);
        let (fill, label) = match knowledge.view(tile) {
            View::Number(0) => ("#ffffff".to_owned(), String::new()),
            View::Number(number) => ("#ffffff".to_owned(), number.to_string()),
            View::Marked => ("#c0c0c0".to_owned(), "F".to_owned()),
            View::Covered => {
                let risk = probabilities.mine(tile);
                (
                    fill(risk),
                    show::percent(risk)
                        .replace('<', "&lt;")
                        .replace('>', "&gt;"),
                )
            }
        };
        let (middle, line) = (x + SIDE / 2, y + SIDE * 5 / 8);
        // Writing to a text does not fail.
        let _ = writeln!(
            text,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"{fill}\" \
             stroke=\"#808080\"/><text x=\"{middle}\" y=\"{line}\">{label}</text>"
        );
    }
    text + "</svg>\n"
}

/// The color of a risk: green where it is safe, over yellow to red.
fn fill(risk: f64) -> String {
    let hue = 120.0 * (1.0 - risk);
    format!("hsl({hue:.0} 70% 70%)")
}
