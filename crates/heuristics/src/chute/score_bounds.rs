//! Error bounds of move scores, and the factor at which they overlap.

/// The score of a move, with its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UncertainScore {
    /// The score.
    pub score: f64,
    /// Expected error, in the unit of the score; not negative.
    pub uncertainty: f64,
}

/// The smallest factor K at which the bounds `score ± K * uncertainty` of the move `ideal` and of the
/// top-scored move overlap, so that a search with such bounds would not prune the ideal move.
///
/// It solves `top.score - K * top.uncertainty = ideal.score + K * ideal.uncertainty`. 0 if no move
/// has a better score; infinite if both scores are certain. Of equal scores the first is top.
///
/// # Panics
/// If `ideal` is out of range.
///
/// # Source
/// Sugar 1975, section 5.4, pp. 107-108.
///
/// # Examples
/// ```
/// use kibitz_heuristics::chute::{UncertainScore, overlap_factor};
///
/// let moves = [(3.0, 1.0), (5.0, 0.0)].map(|(score, uncertainty)| UncertainScore { score, uncertainty });
/// assert_eq!(overlap_factor(&moves, 0), 2.0);
/// assert_eq!(overlap_factor(&moves, 1), 0.0);
/// ```
pub fn overlap_factor(moves: &[UncertainScore], ideal: usize) -> f64 {
    let ideal = moves[ideal];
    let mut top = ideal;
    for &rated in moves {
        if rated.score > top.score {
            top = rated;
        }
    }
    let behind = top.score - ideal.score;
    if behind <= 0.0 {
        0.0
    } else {
        behind / (top.uncertainty + ideal.uncertainty)
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;

    fn moves(moves: &[(f64, f64)]) -> Vec<UncertainScore> {
        let rated = |&(score, uncertainty)| UncertainScore { score, uncertainty };
        moves.iter().map(rated).collect()
    }

    #[test]
    fn certain_scores_never_overlap() {
        assert!(overlap_factor(&moves(&[(1.0, 0.0), (2.0, 0.0)]), 0).is_infinite());
        assert!(overlap_factor(&moves(&[(2.0, 0.0), (2.0, 0.0)]), 1).abs() < f64::EPSILON);
    }

    #[test]
    fn of_equals_the_first_is_top() {
        let equals = moves(&[(0.0, 1.0), (6.0, 1.0), (6.0, 5.0)]);
        assert!((overlap_factor(&equals, 0) - 3.0).abs() < f64::EPSILON);
    }

    proptest! {
        #[test]
        fn at_the_factor_the_bounds_meet(
            scores in vec((-9.0..9.0, 0.01..3.0), 1..30),
            choice in any::<prop::sample::Index>(),
        ) {
            let moves = moves(&scores);
            let ideal = moves[choice.index(moves.len())];
            let k = overlap_factor(&moves, choice.index(moves.len()));
            let best = moves.iter().map(|rated| rated.score).fold(f64::NEG_INFINITY, f64::max);
            let top = moves.iter().find(|rated| rated.score >= best).unwrap();
            prop_assert!(k >= 0.0);
            let apart = (top.score - k * top.uncertainty) - (ideal.score + k * ideal.uncertainty);
            prop_assert!(apart < 1e-9 && (apart > -1e-9 || k <= 0.0));
        }
    }
}
