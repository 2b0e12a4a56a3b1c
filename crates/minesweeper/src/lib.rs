//! Minesweeper: boards, positions, exact probabilities, and players.
//!
//! The players include the learned rules of Peña Castillo and Wrobel 2003, "Learning Minesweeper with
//! Multirelational Learning", their competitor PGMS, and players by exact probabilities.
//!
//! # Examples
//! Tiles are given by `(row, column)`, both from zero. The probability of a mine:
//! ```
//! use kibitz_minesweeper::{Knowledge, Solver};
//!
//! // The first line gives columns, rows and mines.
//! let knowledge = Knowledge::from_text("4x2/2\n1...\n1...\n")?;
//! let mut solver = Solver::new();
//! let probabilities = solver.solve(&knowledge)?;
//! assert_eq!(probabilities.mine((0, 1)), 0.5);
//! assert_eq!(probabilities.mine((1, 3)), 0.25);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! A game, move by move:
//! ```
//! use kibitz_minesweeper::{Board, Game, View};
//!
//! let board = Board::from_text("4x3/1\n....\n....\n...*\n")?;
//! let mut game = Game::new(&board);
//! game.uncover((0, 3));
//! assert_eq!(game.knowledge().view((1, 2)), View::Number(1));
//! game.mark((2, 3));
//! game.uncover((2, 0));
//! assert!(game.knowledge().is_won());
//! # Ok::<(), kibitz_minesweeper::TextErrors>(())
//! ```
//! The share of games that a player wins:
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
//! | module | contents |
//! | --- | --- |
//! | `grid`, `level` | [`Grid`]: tiles and neighbors; [`GridIndex`]: tiles by `(row, column)` or number; [`Level`]: size and mines |
//! | `board` | [`Board`]: mines and numbers; [`FirstClick`] |
//! | `knowledge` | [`Knowledge`]: a position as the player sees it, updated incrementally |
//! | `mines` | [`Mines`]: the number of mines, or their [`Density`] |
//! | `text`, `mbf`, `replay` | boards and positions as text, boards as `.mbf` and `.abf` files, recorded games |
//! | `probability` | [`Solver`]: exact [`Probabilities`] |
//! | `deduction`, `no_guess` | [`Deducer`]: certain tiles, with proofs; [`Certificate`]; [`NoGuess`]: boards without guesses |
//! | `analysis`, `json` | [`Analysis`]: all facts about a position; [`Advice`]: the tile to uncover; both as JSON, with the feature `json` |
//! | `optimum`, `measures` | [`Optimum`]: best play by complete search; [`Measures`]: 3BV and clusters |
//! | `player`, `players` | [`Player`], and its implementations by [`PlayerName`] |
//! | `game`, `series` | [`Game`]: a board played; [`Series`]: the same seeded boards for every player |
//! | `record` | [`GameRecord`]: a game of a series that anyone can check; [`RecordLine`]: the same as a line of a file |
//!
//! Invariants: tiles are numbered row by row; no clock, file or environment is read and nothing is
//! printed; players draw random numbers only from the generator they are given, and never call a tile
//! safe that holds a mine in some arrangement.

mod analysis;
mod bit_sets;
mod board;
mod deduction;
mod endgame;
mod game;
mod grid;
#[cfg(feature = "json")]
mod json;
mod knowledge;
mod level;
mod mbf;
mod measures;
mod mines;
mod neighborhood;
mod no_guess;
mod optimum;
mod player;
mod players;
mod probability;
mod record;
mod replay;
mod series;
mod text;
mod words;

pub use analysis::{Advice, Analysis, hint};
pub use board::{Board, FirstClick, TooManyMines, UnknownFirstClick};
pub use deduction::{
    Certificate, CertificateError, Deducer, Deduction, Difficulty, FiftyFifty, ProofError, Reasons,
    UnknownDifficulty, fifty_fifties,
};
pub use endgame::SearchLimits;
pub use game::{Game, Outcome};
pub use grid::{Grid, GridIndex, MAX_SIDE, SizeError, Tile};
pub use knowledge::{Knowledge, View};
pub use level::{Level, LevelError};
pub use mbf::{MbfError, TooLarge};
pub use measures::Measures;
pub use mines::{Density, DensityError, Mines};
pub use no_guess::{NoGuess, NoGuessBoard, NoGuessError};
pub use optimum::{NoOptimum, Optimum, PolicyMove, WinChance};
pub use player::{Action, Move, Player, Rule};
pub use players::{
    Differences, ExactPlayer, FirstTile, Guess, LookAhead, Pgms, PlayerName, RandomPlayer,
    RulePlayer, Sweep, Ties, UnknownPlayer,
};
pub use probability::{NoProbabilities, Probabilities, Solver};
pub use record::{GameRecord, RECORD_COLUMNS, RecordError, RecordLine, RecordLineError};
pub use replay::{
    Click, MouseAction, MouseEvent, Replay, ReplayError, ReplayFormat, ReplayProblem, SetReplay,
    StatedEnd, read_set,
};
pub use series::Series;
pub use text::{SIGNS, Sign, TextError, TextErrors, TextProblem};

/// The generators that players and series draw from.
pub use rand_chacha;

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
