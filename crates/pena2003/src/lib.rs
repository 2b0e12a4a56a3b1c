//! The experiments of Peña Castillo and Wrobel 2003, "Learning Minesweeper with Multirelational
//! Learning".
//!
//! # Map
//! | module | kind | what it computes |
//! | --- | --- | --- |
//! | `minesweeper_play` | `minesweeper-play` | `play`, `pgms`: games won and moves by rule (sections 4.3 and 5.1); `beyond/minesweeper-limit`: every player on the usual boards |

mod minesweeper_play;
mod mio;

use kibitz_experiment::{Code, Kind};

/// The code that decides the results.
const CODE: Code = kibitz_experiment::code!();

/// Every kind of this paper.
pub fn kinds() -> Vec<Kind> {
    vec![Kind::of::<minesweeper_play::MinesweeperPlay>(CODE)]
}
