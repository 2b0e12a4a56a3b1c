//! The published formulas of lichess for chances of winning and accuracy.
//!
//! # Source
//! <https://lichess.org/page/accuracy>, and the public source of its server,
//! `modules/analyse/src/main/AccuracyPercent.scala` of <https://github.com/lichess-org/lila>. Where
//! they differ, the source decides: it adds 1 to the accuracy of a move that loses something.

use kibitz_board::{ByColor, Color};

/// Evaluation of the initial position, in centipawns.
pub const INITIAL: i32 = 15;

/// Evaluations count up to this many centipawns, and mates as much.
pub const CEILING: i32 = 1000;

/// Chance of winning of the side for which an evaluation in centipawns is positive, in percent.
///
/// # Examples
/// ```
/// use kibitz_players::accuracy::lichess::win_percent;
/// assert_eq!(win_percent(0), 50.0);
/// assert!((win_percent(100) - 59.1).abs() < 0.05);
/// assert_eq!(win_percent(1000), win_percent(9999));
/// ```
pub fn win_percent(centipawns: i32) -> f64 {
    const SLOPE: f64 = 0.003_682_08;
    let centipawns = f64::from(centipawns.clamp(-CEILING, CEILING));
    50.0 + 50.0 * (2.0 / (1.0 + (-SLOPE * centipawns).exp()) - 1.0)
}

/// Accuracy of a move, from 0 to 100, by the mover's chances of winning in percent.
pub fn move_accuracy(before: f64, after: f64) -> f64 {
    if after >= before {
        return 100.0;
    }
    let raw = 103.166_810_071_164_9 * (-0.043_544_153_867_539_51 * (before - after)).exp()
        - 3.166_924_740_191_411;
    (raw + 1.0).clamp(0.0, 100.0)
}

/// Accuracy of both sides in a game, from 0 to 100: the mean of a mean weighted by volatility and a
/// harmonic mean. `chances` are White's, in percent: before the first move, which `first` makes, and
/// after each. `None` unless both sides have moved.
pub fn game_accuracy(chances: &[f64], first: Color) -> Option<ByColor<f64>> {
    let n_moves = chances.len().checked_sub(1).filter(|&n| n > 0)?;
    let size = (n_moves / 10).clamp(2, 8);
    // The first windows are all the same, so that there is one per move.
    let windows = std::iter::repeat_n(&chances[..size.min(chances.len())], size - 2)
        .chain(chances.windows(size));
    let mut sides = ByColor::<Means>::default();
    for (ply, (pair, window)) in chances.windows(2).zip(windows).enumerate() {
        let color = if ply % 2 == 0 { first } else { first.other() };
        let accuracy = match color {
            Color::White => move_accuracy(pair[0], pair[1]),
            Color::Black => move_accuracy(pair[1], pair[0]),
        };
        sides[color].add(accuracy, deviation(window).clamp(0.5, 12.0));
    }
    let (white, black) = (sides.white.value()?, sides.black.value()?);
    Some(ByColor { white, black })
}

/// Sums for the two means.
#[derive(Debug, Default)]
struct Means {
    n: f64,
    weights: f64,
    weighted: f64,
    reciprocals: f64,
}

impl Means {
    fn add(&mut self, accuracy: f64, weight: f64) {
        self.n += 1.0;
        self.weights += weight;
        self.weighted += weight * accuracy;
        self.reciprocals += accuracy.max(1.0).recip();
    }

    fn value(&self) -> Option<f64> {
        let mean = f64::midpoint(self.weighted / self.weights, self.n / self.reciprocals);
        (self.n > 0.0).then_some(mean)
    }
}

/// Standard deviation of all values there are, with divisor n.
pub(super) fn deviation(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / n).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curves_go_through_their_points() {
        // The points to which lichess fitted the second curve, and the 1 that is added.
        for (loss, published) in [(0.0, 100.0), (10.0, 60.0), (20.0, 42.0), (40.0, 20.0)] {
            let found = move_accuracy(100.0, 100.0 - loss);
            assert!((found - published).abs() < 6.0, "{loss}: {found}");
        }
        assert!((move_accuracy(60.0, 50.0) - 64.580_5).abs() < 1e-3);
        assert!(move_accuracy(50.0, 50.1) >= 100.0);
        assert!(move_accuracy(97.0, 3.0) <= 0.0);
        assert!((win_percent(-300) - 24.89).abs() < 0.01);
    }

    /// Two moves by hand: both windows are the pairs themselves.
    #[test]
    fn a_game_of_two_moves_by_hand() {
        let chances = [50.0, 40.0, 60.0];
        let found = game_accuracy(&chances, Color::White).unwrap();
        assert!((found.white - move_accuracy(50.0, 40.0)).abs() < 1e-12);
        assert!((found.black - move_accuracy(60.0, 40.0)).abs() < 1e-12);
        let turned = game_accuracy(&chances, Color::Black).unwrap();
        assert_eq!((turned.white, turned.black), (100.0, 100.0));
        assert!(game_accuracy(&chances[..2], Color::White).is_none());
        assert!(game_accuracy(&[], Color::White).is_none());
    }

    /// White's first move loses 10 and weighs 5, his second loses nothing and weighs the least.
    #[test]
    fn means_are_weighted_by_volatility() {
        let found = game_accuracy(&[50.0, 40.0, 40.0, 40.0], Color::White).unwrap();
        let loses = move_accuracy(50.0, 40.0);
        let weighted = (5.0 * loses + 0.5 * 100.0) / 5.5;
        let harmonic = 2.0 / (1.0 / loses + 1.0 / 100.0);
        assert!((found.white - f64::midpoint(weighted, harmonic)).abs() < 1e-12);
        assert!(found.black >= 100.0);
    }
}
