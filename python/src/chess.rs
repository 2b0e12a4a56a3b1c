//! Games of collections, attributes of positions, and CHUTE's scores of moves.

use std::path::PathBuf;

use kibitz_board::pgn::Policy;
use kibitz_board::{
    CastlingMode, Chess, Color, Position as _, fen::Fen, open::open_games, san::SanPlus,
};
use kibitz_heuristics::attributes::{Attribute, AttributeSet};
use kibitz_heuristics::chute::{CHUTE, Context, Polynomial, rank_moves};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The columns of a collection, and what was passed over.
#[derive(Default)]
struct Columns {
    event: Vec<String>,
    site: Vec<String>,
    date: Vec<String>,
    round: Vec<String>,
    white: Vec<String>,
    black: Vec<String>,
    white_elo: Vec<Option<u16>>,
    black_elo: Vec<Option<u16>>,
    result: Vec<String>,
    plies: Vec<usize>,
    moves: Vec<String>,
}

/// The games of a file, as columns; with the numbers of good and bad games and the first messages.
#[pyfunction]
pub(crate) fn games(
    py: Python<'_>,
    path: PathBuf,
) -> PyResult<(Bound<'_, PyDict>, u64, u64, Vec<String>)> {
    let read = py.detach(|| {
        let mut collection = open_games(&path, Policy::Skip).map_err(|error| error.to_string())?;
        let mut columns = Columns::default();
        for game in collection.by_ref() {
            let game = game.map_err(|error| error.to_string())?;
            let tags = game.tags();
            let mut position = game.start().clone();
            let moves: Vec<String> = (game.moves().iter())
                .map(|m| SanPlus::from_move_and_play_unchecked(&mut position, *m).to_string())
                .collect();
            columns.event.push(tags.event.clone());
            columns.site.push(tags.site.clone());
            columns.date.push(tags.date.to_string());
            columns.round.push(tags.round.clone());
            columns.white.push(tags.white.clone());
            columns.black.push(tags.black.clone());
            columns.white_elo.push(tags.white_elo);
            columns.black_elo.push(tags.black_elo);
            columns.result.push(game.outcome().to_string());
            columns.plies.push(game.n_plies());
            columns.moves.push(moves.join(" "));
        }
        let tally = collection.tally();
        let bad = tally.bad_games.iter().map(ToString::to_string).collect();
        Ok::<_, String>((columns, tally.n_games, tally.n_bad, bad))
    });
    let (columns, good, bad, messages) = read.map_err(PyOSError::new_err)?;
    let all = PyDict::new(py);
    all.set_item("event", columns.event)?;
    all.set_item("site", columns.site)?;
    all.set_item("date", columns.date)?;
    all.set_item("round", columns.round)?;
    all.set_item("white", columns.white)?;
    all.set_item("black", columns.black)?;
    all.set_item("white_elo", columns.white_elo)?;
    all.set_item("black_elo", columns.black_elo)?;
    all.set_item("result", columns.result)?;
    all.set_item("plies", columns.plies)?;
    all.set_item("moves", columns.moves)?;
    Ok((all, good, bad, messages))
}

fn position(text: &str) -> PyResult<Chess> {
    let wrong = |why: String| PyValueError::new_err(format!("`{text}` is no position: {why}"));
    let fen: Fen = text
        .parse()
        .map_err(|error: kibitz_board::fen::ParseFenError| wrong(error.to_string()))?;
    fen.into_position(CastlingMode::Standard)
        .map_err(|error| wrong(error.to_string()))
}

/// Attributes of positions from the side of the one to move: their names, and a row a position.
#[pyfunction]
pub(crate) fn attributes(positions: Vec<String>) -> PyResult<(Vec<&'static str>, Vec<Vec<f64>>)> {
    let set = AttributeSet::new(Attribute::ALL);
    let scales = set.scales();
    let rows = positions.iter().map(|text| {
        let position = position(text)?;
        let color: Color = position.turn();
        let values = set.values(&position, color);
        let pairs = values.iter().zip(&scales);
        Ok(pairs
            .map(|(value, scale)| f64::from(*value) * scale)
            .collect())
    });
    let rows = rows.collect::<PyResult<Vec<_>>>()?;
    Ok((Attribute::ALL.map(Attribute::short_name).to_vec(), rows))
}

/// The names of scores; and a move a row, with its name, total, and scores.
type Scored = (Vec<&'static str>, Vec<(String, f64, Vec<f64>)>);

/// The names of CHUTE's heuristics; and a move a row, the best first: its name, total, and scores.
#[pyfunction]
pub(crate) fn chute(fen: &str) -> PyResult<Scored> {
    let position = position(fen)?;
    let ranked = rank_moves(&Context::new(&position), &Polynomial::default());
    let rows = ranked.iter().map(|ranked| {
        let name = SanPlus::from_move(position.clone(), ranked.m).to_string();
        (name, ranked.total, ranked.scores.to_vec())
    });
    let names = CHUTE.iter().map(|heuristic| heuristic.name()).collect();
    Ok((names, rows.collect()))
}
