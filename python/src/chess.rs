//! Games of collections, attributes of positions, and CHUTE's scores of moves.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::builder::{StringBuilder, UInt16Builder, UInt32Builder};
use arrow_array::{ArrayRef, Float64Array};
use arrow_schema::DataType;
use kibitz_board::pgn::Policy;
use kibitz_board::{
    CastlingMode, Chess, Color, Game, Position as _, fen::Fen, open::open_games, san::SanPlus,
};
use kibitz_heuristics::attributes::{Attribute, AttributeSet};
use kibitz_heuristics::chute::{CHUTE, Context, Polynomial, rank_moves};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::arrow::Table;
use crate::signals::Signals;

/// Games in a part of a table.
const PART: usize = 8192;

/// The columns of a part.
#[derive(Default)]
struct Columns {
    event: StringBuilder,
    site: StringBuilder,
    date: StringBuilder,
    round: StringBuilder,
    white: StringBuilder,
    black: StringBuilder,
    white_elo: UInt16Builder,
    black_elo: UInt16Builder,
    result: StringBuilder,
    plies: UInt32Builder,
    moves: StringBuilder,
}

impl Columns {
    const OF: [(&'static str, DataType); 11] = [
        ("event", DataType::Utf8),
        ("site", DataType::Utf8),
        ("date", DataType::Utf8),
        ("round", DataType::Utf8),
        ("white", DataType::Utf8),
        ("black", DataType::Utf8),
        ("white_elo", DataType::UInt16),
        ("black_elo", DataType::UInt16),
        ("result", DataType::Utf8),
        ("plies", DataType::UInt32),
        ("moves", DataType::Utf8),
    ];

    fn push(&mut self, game: &Game, moves: Moves, text: &mut String) {
        let tags = game.tags();
        self.event.append_value(&tags.event);
        self.site.append_value(&tags.site);
        self.date.append_value(tags.date.to_string());
        self.round.append_value(&tags.round);
        self.white.append_value(&tags.white);
        self.black.append_value(&tags.black);
        self.white_elo.append_option(tags.white_elo);
        self.black_elo.append_option(tags.black_elo);
        self.result.append_value(game.outcome().to_string());
        self.plies.append_option(u32::try_from(game.n_plies()).ok());
        text.clear();
        match moves {
            Moves::None => return self.moves.append_null(),
            Moves::San => {
                let mut position = game.start().clone();
                for &m in game.moves() {
                    let san = SanPlus::from_move_and_play_unchecked(&mut position, m);
                    let _ = write!(text, "{san} ");
                }
            }
            Moves::Uci => {
                for &m in game.moves() {
                    let _ = write!(text, "{} ", m.to_uci(CastlingMode::Standard));
                }
            }
        }
        self.moves.append_value(text.trim_end());
    }

    fn finish(&mut self) -> Vec<ArrayRef> {
        vec![
            Arc::new(self.event.finish()),
            Arc::new(self.site.finish()),
            Arc::new(self.date.finish()),
            Arc::new(self.round.finish()),
            Arc::new(self.white.finish()),
            Arc::new(self.black.finish()),
            Arc::new(self.white_elo.finish()),
            Arc::new(self.black_elo.finish()),
            Arc::new(self.result.finish()),
            Arc::new(self.plies.finish()),
            Arc::new(self.moves.finish()),
        ]
    }
}

/// How moves are written.
#[derive(Clone, Copy)]
enum Moves {
    San,
    Uci,
    None,
}

/// The games of a file, and what is to be told of those that could not be read.
#[pyfunction]
pub(crate) fn games(
    py: Python<'_>,
    path: PathBuf,
    moves: Option<&str>,
) -> PyResult<(Table, Option<String>)> {
    let moves = match moves {
        Some("san") => Moves::San,
        Some("uci") => Moves::Uci,
        None => Moves::None,
        Some(other) => {
            let why = format!("moves are written as `san`, `uci` or None, not as `{other}`");
            return Err(PyValueError::new_err(why));
        }
    };
    let mut signals = Signals::default();
    let read = py.detach(|| {
        let mut collection = open_games(&path, Policy::Skip).map_err(|error| error.to_string())?;
        let mut columns = Columns::default();
        let mut parts = Vec::new();
        let mut text = String::new();
        let mut n = 0;
        for game in collection.by_ref() {
            if !signals.keep_going() {
                break;
            }
            columns.push(&game.map_err(|error| error.to_string())?, moves, &mut text);
            n += 1;
            if n % PART == 0 {
                parts.push(columns.finish());
            }
        }
        parts.push(columns.finish());
        Ok::<_, String>((parts, collection.into_tally().report()))
    });
    signals.raised()?;
    let (parts, report) = read.map_err(PyOSError::new_err)?;
    Ok((Table::new(&Columns::OF, parts)?, report))
}

fn position(text: &str) -> PyResult<Chess> {
    let wrong = |why: String| PyValueError::new_err(format!("`{text}` is no position: {why}"));
    let fen: Fen = text
        .parse()
        .map_err(|error: kibitz_board::fen::ParseFenError| wrong(error.to_string()))?;
    fen.into_position(CastlingMode::Standard)
        .map_err(|error| wrong(error.to_string()))
}

/// Attributes of positions from the side of the one to move, a column each.
#[pyfunction]
pub(crate) fn attributes(py: Python<'_>, positions: Vec<String>) -> PyResult<Table> {
    let set = AttributeSet::new(Attribute::ALL);
    let scales = set.scales();
    let names = Attribute::ALL.map(Attribute::short_name);
    let mut columns = names.map(|_| Vec::with_capacity(positions.len()));
    py.detach(|| {
        for text in &positions {
            let position = position(text)?;
            let color: Color = position.turn();
            let values = set.values(&position, color);
            for ((column, value), scale) in columns.iter_mut().zip(values).zip(&scales) {
                column.push(f64::from(value) * scale);
            }
        }
        Ok::<_, PyErr>(())
    })?;
    let columns = columns.map(|column| Arc::new(Float64Array::from(column)) as ArrayRef);
    let of = names.map(|name| (name, DataType::Float64));
    Table::new(&of, [columns.into()])
}

/// The names of scores; and a move a row, with its name, total, and scores.
type ScoredMoves = (Vec<&'static str>, Vec<(String, f64, Vec<f64>)>);

/// The names of CHUTE's heuristics; and a move a row, the best first: its name, total, and scores.
#[pyfunction]
pub(crate) fn chute(fen: &str) -> PyResult<ScoredMoves> {
    let position = position(fen)?;
    let ranked = rank_moves(&Context::new(&position), &Polynomial::default());
    let rows = ranked.iter().map(|ranked| {
        let name = SanPlus::from_move(position.clone(), ranked.m).to_string();
        (name, ranked.total, ranked.scores.to_vec())
    });
    let names = CHUTE.iter().map(|heuristic| heuristic.name()).collect();
    Ok((names, rows.collect()))
}
