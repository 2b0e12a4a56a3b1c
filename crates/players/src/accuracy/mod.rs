//! Accuracy that allows for difficulty: what each move loses, from evaluations in comments, beside what
//! other players lose in positions like it.
//!
//! A move's **loss** is the chance of winning before it less that after it, from the mover's view, in
//! percentage points, and never less than 0. Chances follow from evaluations by the curve of
//! [`lichess`]. A low mean loss may mean a strong player or easy positions. The **expected loss** is
//! that of other players in the same positions: a regression of the loss on [`Attributes`] that are
//! known before the move. The **difference** of the two is the accuracy that allows for difficulty;
//! below 0 a player loses less than others would.
//!
//! # Expected loss
//! Engines evaluate the played move only, so how bad the other moves were is not known. The regression
//! takes its place: least squares over the moves of all players, see [`ExpectationFit`].
//!
//! - **Cross-fitting.** Players and games are dealt into five folds each. What is expected of a player
//!   in a game is fitted without the players of his fold and without the games of that game's fold: no
//!   move of his own is in it, and no move of the same game.
//! - **Intervals** are over games: a player's moves in one game are one unit. The standard error is that
//!   of a ratio of sums over games. To its square the fit adds its own error, by a jackknife over the
//!   folds of games. With fewer than [`MIN_CLUSTERS`] games there is no interval.
//! - **Unknown values.** Where rating or clock is given, a move without it is left out, unless the moves
//!   fitted to include some without it.
//! - Expected losses are not cut off at 0. A cut would make them too large on average.
//!
//! # Limits
//! The attributes know little of tactics: a player who seeks positions that are hard in another way
//! looks worse than he is. Evaluations have errors of their own, which both sides' losses contain.

mod evaluation;
mod expectation;
mod game;
pub mod lichess;
mod standing;
mod survey;

pub use evaluation::{Evaluation, clock_in, evaluation_in};
pub use expectation::{
    Cell, Covariates, CrossFit, Expectation, ExpectationFit, FOLDS, Line, Prediction, fold,
};
pub(crate) use game::clocks;
pub use game::{Attributes, EvaluatedGame, EvaluatedMove, Gaps, UnreadableEvaluation};
pub use kibitz_stats::inference::MIN_CLUSTERS;
pub use standing::{Estimate, GameSum, Standing};
pub use survey::{JudgedMove, Omissions, PlayerStanding, Players, RangeVariable, Survey};
