//! Players, from random play to look-ahead.

mod difference;
mod exact;
mod guess;
mod named;
mod pgms;
mod rule_index;
mod rules;

pub use difference::Differences;
pub use exact::{ExactPlayer, FirstTile, LookAhead, Ties};
pub use guess::{Guess, RandomPlayer};
pub use named::{PlayerName, UnknownPlayer};
pub use pgms::Pgms;
pub use rules::{RulePlayer, Sweep};
