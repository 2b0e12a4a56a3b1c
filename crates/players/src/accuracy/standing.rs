//! Losses of a player, or of a range of ratings or clocks, summed over games.

use std::ops::Add;

use kibitz_stats::{
    inference::{Interval, MIN_CLUSTERS, student_interval},
    moments::{CrossMoments, Moments},
};

use super::{FOLDS, Prediction};

/// Sums over the moves of one game.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct GameSum {
    moves: f64,
    loss: f64,
    /// Moves of which the loss can be expected, and their loss.
    comparable: f64,
    comparable_loss: f64,
    expected: f64,
    replicates: [f64; FOLDS],
}

impl GameSum {
    /// Number of moves.
    pub fn n_moves(&self) -> u64 {
        count(self.moves)
    }

    /// Adds a move's loss, and what was expected if anything was.
    pub fn add_move(&mut self, loss: f64, predicted: Option<&Prediction>) {
        self.moves += 1.0;
        self.loss += loss;
        if let Some(predicted) = predicted {
            self.comparable += 1.0;
            self.comparable_loss += loss;
            self.expected += predicted.loss;
            for (sum, one) in self.replicates.iter_mut().zip(predicted.replicates) {
                *sum += one;
            }
        }
    }
}

impl Add for GameSum {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self.moves += other.moves;
        self.loss += other.loss;
        self.comparable += other.comparable;
        self.comparable_loss += other.comparable_loss;
        self.expected += other.expected;
        for (sum, one) in self.replicates.iter_mut().zip(other.replicates) {
            *sum += one;
        }
        self
    }
}

/// A mean per move, with its error over games.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// In percentage points.
    pub value: f64,
    /// Standard error and interval of 95%; `None` for too few games.
    pub error: Option<(f64, Interval)>,
}

/// Sums of variables over games: a ratio of two has an error over games.
const MOVES: usize = 0;
const LOSS: usize = 1;
const COMPARABLE: usize = 2;
const EXPECTED: usize = 3;
const EXCESS: usize = 4;

/// Losses over games, in constant memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    games: CrossMoments,
    accuracy: Moments,
    replicates: [f64; FOLDS],
}

impl Default for Standing {
    fn default() -> Self {
        Self {
            games: CrossMoments::new(EXCESS + 1),
            accuracy: Moments::default(),
            replicates: [0.0; FOLDS],
        }
    }
}

impl Standing {
    /// Adds a game. One without a move is not counted.
    pub fn add_game(&mut self, game: &GameSum) {
        let excess = game.comparable_loss - game.expected;
        let row = [
            game.moves,
            game.loss,
            game.comparable,
            game.expected,
            excess,
        ];
        if game.moves > 0.0 && self.games.push(&row).is_ok() {
            for (sum, one) in self.replicates.iter_mut().zip(game.replicates) {
                *sum += one;
            }
        }
    }

    /// Adds the accuracy of a game by lichess.
    pub fn add_accuracy(&mut self, accuracy: f64) {
        self.accuracy.push(accuracy);
    }

    /// Number of games with a move.
    pub fn n_games(&self) -> u64 {
        self.games.n_samples()
    }

    /// Number of moves.
    pub fn n_moves(&self) -> u64 {
        count(self.sum(MOVES))
    }

    /// Mean accuracy of the games by lichess, from 0 to 100.
    pub fn accuracy(&self) -> Option<f64> {
        self.accuracy.mean()
    }

    /// Mean loss per move.
    pub fn loss(&self) -> Option<Estimate> {
        self.per_move(LOSS, MOVES, 0.0)
    }

    /// Mean expected loss per move.
    pub fn expected(&self) -> Option<f64> {
        Some(self.per_move(EXPECTED, COMPARABLE, 0.0)?.value)
    }

    /// Mean loss less the expected one, per move; below 0 for less than expected.
    pub fn difference(&self) -> Option<Estimate> {
        let moves = self.sum(COMPARABLE);
        let means = self.replicates.map(|sum| sum / moves);
        let center = means.iter().sum::<f64>() / FOLDS as f64;
        // The jackknife's (k - 1) / k, and k / (k - 1) for the fold that an expectation goes without.
        let of_fit: f64 = means.iter().map(|mean| (mean - center).powi(2)).sum();
        self.per_move(EXCESS, COMPARABLE, of_fit)
    }

    fn sum(&self, variable: usize) -> f64 {
        self.games.mean(variable).unwrap_or(0.0) * self.n_games() as f64
    }

    /// The ratio of two sums over games. Its variance is that of the linearized ratio, and `more`.
    fn per_move(&self, of: usize, moves: usize, more: f64) -> Option<Estimate> {
        let n = self.n_games();
        let total = self.sum(moves);
        if total <= 0.0 {
            return None;
        }
        let value = self.sum(of) / total;
        let games = usize::try_from(n).unwrap_or(usize::MAX);
        let error = (games >= MIN_CLUSTERS).then(|| {
            let covariance = |a, b| self.games.covariance(a, b).unwrap_or(0.0);
            let variance = covariance(of, of) - 2.0 * value * covariance(of, moves)
                + value * value * covariance(moves, moves);
            let error = (variance.max(0.0) * n as f64 / (total * total) + more).sqrt();
            let interval = student_interval(value, error, games - 1, 0.95).ok()?;
            Some((error, interval))
        });
        Some(Estimate {
            value,
            error: error.flatten(),
        })
    }
}

/// A sum of counts.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a sum of counts is a count"
)]
fn count(sum: f64) -> u64 {
    sum.round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(losses: &[f64], expected: f64) -> GameSum {
        let mut sum = GameSum::default();
        for &loss in losses {
            let predicted = Prediction {
                loss: expected,
                replicates: [expected; FOLDS],
            };
            sum.add_move(loss, Some(&predicted));
        }
        sum
    }

    #[test]
    fn games_are_the_units() {
        let mut standing = Standing::default();
        standing.add_game(&GameSum::default());
        assert_eq!((standing.n_games(), standing.loss()), (0, None));
        for number in 0..MIN_CLUSTERS {
            assert!(
                standing
                    .difference()
                    .is_none_or(|found| found.error.is_none())
            );
            let loss = if number % 2 == 0 { 3.0 } else { 5.0 };
            standing.add_game(&game(&[loss; 10], 1.0));
        }
        assert_eq!((standing.n_games(), standing.n_moves()), (20, 200));
        let found = standing.difference().unwrap();
        assert!((found.value - 3.0).abs() < 1e-12);
        // Twenty means of games that are 2 and 4, whatever the number of moves.
        let (error, interval) = found.error.unwrap();
        assert!((error - (20.0_f64 / 19.0 / 20.0).sqrt()).abs() < 1e-12);
        assert!((interval.width() / 2.0 / error - 2.093_024).abs() < 1e-5);
        assert_eq!(standing.expected(), Some(1.0));
    }

    #[test]
    fn the_error_of_the_fit_is_added() {
        let mut standing = Standing::default();
        for _ in 0..30 {
            let mut sum = GameSum::default();
            let predicted = Prediction {
                loss: 2.0,
                replicates: [1.0, 2.0, 2.0, 2.0, 3.0],
            };
            sum.add_move(4.0, Some(&predicted));
            standing.add_game(&sum);
        }
        let (error, _) = standing.difference().unwrap().error.unwrap();
        assert!((error - 2.0_f64.sqrt()).abs() < 1e-12);
        let (error, _) = standing.loss().unwrap().error.unwrap();
        assert!(error.abs() < 1e-12);
    }
}
