//! Series of games of the players.

use kibitz_minesweeper::{FirstClick, Level, PlayerName, Series};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A game: whether it was won, its moves, and those by a fallback.
type Game = (bool, usize, usize);

/// Games of a seeded series by their numbers from zero.
#[pyfunction]
pub(crate) fn series(
    py: Python<'_>,
    level: &str,
    player: &str,
    games: u64,
    seed: u64,
    first_click: &str,
) -> PyResult<Vec<Game>> {
    let first_click = match first_click {
        "unprotected" => FirstClick::Unprotected,
        "safe" => FirstClick::Safe,
        "opening" => FirstClick::Opening,
        other => {
            let why = format!("`{other}` is no first click: unprotected, safe or opening");
            return Err(PyValueError::new_err(why));
        }
    };
    let outcomes = py.detach(|| {
        let level: Level = level.parse().map_err(|error| format!("{error}"))?;
        let name: PlayerName = player.parse().map_err(|error| format!("{error}"))?;
        let mut series = Series::seeded(&level, seed);
        series.first_click = first_click;
        let mut player = name.player();
        let mut all = Vec::new();
        for number in 0..games {
            if number % 64 == 0 {
                // A series has no best so far: an interrupt ends it.
                Python::attach(|py| py.check_signals()).map_err(|_| String::new())?;
            }
            let outcome = series.play(number, player.as_mut(), |_, _| {});
            let outcome = outcome.map_err(|error| error.to_string())?;
            all.push((outcome.is_won, outcome.n_moves, outcome.n_fallbacks));
        }
        Ok(all)
    });
    outcomes.map_err(|why: String| match why.as_str() {
        "" => pyo3::exceptions::PyKeyboardInterrupt::new_err(()),
        why => PyValueError::new_err(why.to_owned()),
    })
}
