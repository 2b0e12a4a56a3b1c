//! Players, their games, and boards.

use kibitz_minesweeper::rand_chacha::ChaCha8Rng;
use kibitz_minesweeper::rand_chacha::rand_core::SeedableRng as _;
use kibitz_minesweeper::{
    Board, Certificate, Difficulty, FirstClick, FirstTile, GameRecord, Grid, Level, NoGuess,
    Player, PlayerName, RECORD_COLUMNS, RecordLine, Series, Tile,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::signals::Signals;

/// Boards drawn uniformly before giving up on one.
const MAX_UNIFORM: u64 = 1_000_000;

/// A game: whether it was won, its moves, and those by a fallback.
type Game = (bool, usize, usize);

/// Why there is no answer: a sentence; empty after an interrupt.
type Why = String;

fn told(error: &impl std::fmt::Display) -> Why {
    error.to_string()
}

fn first_click(name: &str) -> Result<FirstClick, Why> {
    match name {
        "unprotected" => Ok(FirstClick::Unprotected),
        "safe" => Ok(FirstClick::Safe),
        "opening" => Ok(FirstClick::Opening),
        other => Err(format!(
            "`{other}` is no first click: unprotected, safe or opening"
        )),
    }
}

/// The tile at a row and column from one.
fn tile(grid: &Grid, (row, column): (usize, usize)) -> Result<Tile, Why> {
    let both = row.checked_sub(1).zip(column.checked_sub(1));
    let found = both.and_then(|(row, column)| grid.tile(row, column));
    let (height, width) = (grid.height(), grid.width());
    found.ok_or_else(|| format!("rows go to {height}, columns to {width}"))
}

/// A player by name; one that computes probabilities may be told where to begin.
fn player(name: &str, grid: &Grid, first: Option<(usize, usize)>) -> Result<Box<dyn Player>, Why> {
    let name: PlayerName = name.parse().map_err(|error| told(&error))?;
    let Some(place) = first else {
        return Ok(name.player());
    };
    tile(grid, place)?;
    let mut exact = name
        .exact()
        .ok_or_else(|| format!("`{name}` begins where it likes: leave out `first`"))?;
    exact.first_tile = FirstTile::At(place.0 - 1, place.1 - 1);
    Ok(Box::new(exact))
}

/// Does `work`, unless it is interrupted: then that is raised.
fn attended<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&mut Signals) -> Result<T, Why> + Send,
) -> PyResult<T> {
    let mut signals = Signals::default();
    let done = py.detach(|| work(&mut signals));
    signals.raised()?;
    done.map_err(PyValueError::new_err)
}

/// The names of all players, the weakest first.
#[pyfunction]
pub(crate) fn players() -> Vec<String> {
    PlayerName::ALL.map(|name| name.to_string()).to_vec()
}

/// Games of a seeded series: `numbers` are that of the first, and how many.
#[pyfunction]
pub(crate) fn series(
    py: Python<'_>,
    level: &str,
    name: &str,
    numbers: (u64, u64),
    seed: u64,
    click: &str,
    first: Option<(usize, usize)>,
) -> PyResult<Vec<Game>> {
    attended(py, |signals| {
        let level: Level = level.parse().map_err(|error| told(&error))?;
        let mut series = Series::seeded(&level, seed);
        series.first_click = first_click(click)?;
        let mut player = player(name, &level.grid, first)?;
        let mut all = Vec::new();
        let (start, games) = numbers;
        for number in start..start.saturating_add(games) {
            let outcome = series.play(number, player.as_mut(), |_, _| {
                signals.keep_going();
            });
            let outcome = outcome.map_err(|error| told(&error))?;
            if !signals.keep_going() {
                break;
            }
            all.push((outcome.is_won, outcome.n_moves, outcome.n_fallbacks));
        }
        Ok(all)
    })
}

/// The file that `record` writes.
#[pyfunction]
pub(crate) fn record(
    py: Python<'_>,
    level: &str,
    name: &str,
    games: u64,
    seed: u64,
    click: &str,
    first: Option<(usize, usize)>,
) -> PyResult<String> {
    attended(py, |signals| {
        let level: Level = level.parse().map_err(|error| told(&error))?;
        let mut player = player(name, &level.grid, first)?;
        let mut line = RecordLine {
            first_click: first_click(click)?,
            level,
            seed,
            game: GameRecord::default(),
        };
        let series = line.series();
        let mut text = format!("{RECORD_COLUMNS}\n");
        for number in 0..games {
            if !signals.keep_going() {
                break;
            }
            let game = GameRecord::play(&series, number, player.as_mut());
            line.game = game.map_err(|error| told(&error))?;
            text += &line.to_text();
            text.push('\n');
        }
        Ok(text)
    })
}

/// The boards that `generate` writes, in JSON: of those without guesses `rule` is the hardest deduction,
/// and whether they are drawn uniformly and told with a certificate.
#[pyfunction]
pub(crate) fn generate(
    py: Python<'_>,
    level: &str,
    count: u64,
    seed: u64,
    click: &str,
    first: Option<(usize, usize)>,
    no_guess: Option<(String, bool, bool)>,
) -> PyResult<Vec<String>> {
    attended(py, |signals| {
        let level: Level = level.parse().map_err(|error| told(&error))?;
        let Level { grid, n_mines } = &level;
        let middle = (grid.height() / 2 + 1, grid.width() / 2 + 1);
        let first = tile(grid, first.unwrap_or(middle))?;
        let click = first_click(click)?;
        let mut all = Vec::new();
        for number in 0..count {
            if !signals.keep_going() {
                break;
            }
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(number);
            let Some((rule, is_uniform, is_certified)) = &no_guess else {
                let board = Board::random(grid, *n_mines, click, first, &mut rng);
                let board = board.map_err(|error| told(&error))?;
                all.push(board.json(first).to_string());
                continue;
            };
            let rule: Difficulty = rule.parse().map_err(|error| told(&error))?;
            let mut draw = NoGuess::new(&level, rule);
            draw.first_click = click;
            if *is_uniform {
                draw = draw.uniform(MAX_UNIFORM);
            }
            let made = draw.draw(first, &mut rng).map_err(|error| told(&error))?;
            let found = Certificate::find(&made.board, first, rule);
            let found = found.filter(|found| found.check(&made.board).is_ok());
            let found = found
                .ok_or_else(|| format!("board {} takes deductions beyond limits", number + 1))?;
            all.push(made.json(is_certified.then_some(&found)).to_string());
        }
        Ok(all)
    })
}
