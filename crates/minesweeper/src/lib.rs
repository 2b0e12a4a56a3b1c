//! Minesweeper: boards, what a player knows, exact probabilities, and players.
//!
//! Serves Peña Castillo and Wrobel 2003, "Learning Minesweeper with Multirelational Learning": its
//! rules and its rival PGMS play here beside players who know how likely every mine is.
//!
//! # Examples
//! Where are the mines, and how sure is that?
//! ```
//! use kibitz_minesweeper::{Knowledge, Solver};
//!
//! // The first line says columns, rows and mines.
//! let knowledge = Knowledge::from_text("4x2/2\n1...\n1...\n")?;
//! let mut solver = Solver::new();
//! let probabilities = solver.solve(&knowledge)?;
//! assert_eq!(probabilities.mine(1), 0.5);
//! assert_eq!(probabilities.mine(3), 0.25);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! How often does a player win?
//! ```
//! use kibitz_minesweeper::{Level, PlayerName, Series};
//!
//! let level: Level = "8x8/10".parse()?;
//! let series = Series::new(&level, [1; 32]);
//! let mut player = PlayerName::ExactCorners.player();
//! let mut n_won = 0;
//! for number in 0..100 {
//!     n_won += u32::from(series.play(number, player.as_mut(), |_, _| ())?.is_won);
//! }
//! assert!((55..=80).contains(&n_won), "{n_won}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Map
//! | module | what it holds |
//! | --- | --- |
//! | `grid`, `level` | [`Grid`]: which tiles touch; [`Level`]: size and mines as people write them |
//! | `board` | [`Board`]: where the mines are; [`FirstClick`] |
//! | `knowledge` | [`Knowledge`]: what a player sees, kept up to date |
//! | `text`, `mbf` | boards and positions as text, boards as `.mbf` and `.abf` files |
//! | `probability` | [`Solver`]: exact [`Probabilities`] |
//! | `player`, `players` | [`Player`], and those there are, by [`PlayerName`] |
//! | `game`, `series` | [`Game`]: a board played; [`Series`]: the same boards for every player |
//!
//! Invariants: tiles are numbered row by row; no clock, file or environment is read and nothing is
//! printed; a player draws random numbers from the generator he is given only, and no player calls a
//! tile safe that some arrangement of the mines makes a mine.

mod board;
mod game;
mod grid;
mod knowledge;
mod level;
mod mbf;
mod player;
mod players;
mod probability;
mod series;
mod text;
mod tiles;

pub use board::{Board, FirstClick, TooManyMines};
pub use game::{Game, Outcome};
pub use grid::{Grid, MAX_SIDE, SizeError, Tile};
pub use knowledge::{Knowledge, View};
pub use level::{Level, LevelError};
pub use mbf::{MbfError, TooLarge};
pub use player::{Action, Move, Player, Rule};
pub use players::{
    Differences, ExactPlayer, FirstTile, Guess, LookAhead, Pgms, PlayerName, RandomPlayer,
    RulePlayer, Sweep, Ties, UnknownPlayer,
};
pub use probability::{NoProbabilities, Probabilities, Solver};
pub use series::Series;
pub use text::{TextError, TextErrors, TextProblem};

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
