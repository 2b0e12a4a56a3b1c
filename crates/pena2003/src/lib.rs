//! The experiments of Peña Castillo and Wrobel 2003, "Learning Minesweeper with Multirelational
//! Learning".
//!
//! # Map
//! | module | kind | what it computes |
//! | --- | --- | --- |
//! | `minesweeper_play` | `minesweeper-play` | `play`, `pgms`: games won and moves by rule (sections 4.3 and 5.1); `needless-guesses` (section 6); `beyond/minesweeper-limit`, `beyond/minesweeper-record`: every player, and the strongest one, on the standard boards |
//! | `minesweeper_alternatives` | `minesweeper-alternatives` | `beyond/minesweeper-alternatives`: every tile that could have been guessed, the dataset of `beyond/minesweeper-choices` |
//! | `minesweeper_games` | `minesweeper-games` | `beyond/minesweeper-games`: the games themselves, as a dataset |
//! | `minesweeper_optimum` | `minesweeper-optimum` | `beyond/minesweeper-optimum`: how far players are from the best play on small boards |
//! | `no_guess` | `no-guess` | `beyond/no-guess`: boards that need no guess, by density |
//! | `rule_learning` | `rule-learning` | `table2`, `table3`, `progol-foil`: rules that Mio, Progol and Foil learn (section 4) |
//!
//! `mio` holds the background of the learners: the predicates of Table 1 as relations, random
//! examples, and learned rules as players. In the example `two_processes` Mio learns from a teacher in
//! another process, as in the paper.

mod minesweeper_alternatives;
mod minesweeper_games;
mod minesweeper_optimum;
mod minesweeper_play;
mod mio;
mod needless;
mod no_guess;
mod players;
mod rule_learning;
#[cfg(test)]
mod testing;

pub use mio::relations::{Vocabulary, VocabularyError, World};
pub use mio::sampler::{Contradictory, ExampleChoice, RandomTiles, Tiles};

use kibitz_experiment::{Code, Kind};

/// The code that decides the results.
const CODE: Code = kibitz_experiment::code!();

/// Every kind of this paper.
pub fn kinds() -> Vec<Kind> {
    vec![
        Kind::of::<minesweeper_play::MinesweeperPlay>(CODE),
        Kind::of::<minesweeper_alternatives::MinesweeperAlternatives>(CODE),
        Kind::of::<minesweeper_games::MinesweeperGames>(CODE),
        Kind::of::<minesweeper_optimum::MinesweeperOptimum>(CODE),
        Kind::of::<no_guess::NoGuessBoards>(CODE),
        Kind::of::<rule_learning::RuleLearning>(CODE),
    ]
}
