//! The scoring polynomial: scores of all moves, their weighted sum, and the ranking by it.

use kibitz_board::{Move, Position};

use super::{
    CHUTE, Context, MoveContext, N_HEURISTICS, move_context::MoveContexts, record::tie_order,
};

/// Scores of one move, one for each heuristic, in the order of [`CHUTE`].
pub type MoveScores = [f64; N_HEURISTICS];

/// A legal move with its scores.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoredMove {
    /// The move.
    pub m: Move,
    /// Its scores.
    pub scores: MoveScores,
}

/// A scored move with its total.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedMove {
    /// The move.
    pub m: Move,
    /// Its scores.
    pub scores: MoveScores,
    /// Their sum by the polynomial.
    pub total: f64,
}

impl MoveContext<'_> {
    /// The scores of every heuristic for this move.
    pub fn scores(&self) -> MoveScores {
        let mut scores = [0.0; N_HEURISTICS];
        for (score, heuristic) in scores.iter_mut().zip(CHUTE) {
            *score = heuristic.score(self);
        }
        scores
    }
}

/// Scores of all legal moves, in the order in which `kibitz_board` generates them.
pub fn score_moves(context: &Context<'_>) -> Vec<ScoredMove> {
    let mut moves = MoveContexts::new(context);
    let score = |m| ScoredMove {
        m,
        scores: moves.of(m).scores(),
    };
    context
        .position
        .legal_moves()
        .into_iter()
        .map(score)
        .collect()
}

/// All legal moves from the best to the worst total.
///
/// The report leaves open how ties are broken; we sort by origin (a1, b1, ... h8), then by target
/// square, then by promotion piece.
pub fn rank_moves(context: &Context<'_>, polynomial: &Polynomial) -> Vec<RankedMove> {
    let mut ranked: Vec<RankedMove> = score_moves(context)
        .into_iter()
        .map(|ScoredMove { m, scores }| RankedMove {
            m,
            scores,
            total: polynomial.total(&scores),
        })
        .collect();
    ranked.sort_by(|a, b| {
        b.total
            .total_cmp(&a.total)
            .then_with(|| tie_order(a.m).cmp(&tie_order(b.m)))
    });
    ranked
}

/// Weights of the heuristics in their sum.
///
/// Heuristics include their parameters p0 to p21, so the program's own polynomial,
/// [`Polynomial::default`], has weights of 1. Other weights, and heuristics left out, are the report's
/// experiments (section 4.2.1).
#[derive(Clone, Debug, PartialEq)]
pub struct Polynomial {
    /// Weight of each heuristic, in the order of [`CHUTE`].
    pub weights: MoveScores,
}

impl Default for Polynomial {
    fn default() -> Polynomial {
        Polynomial {
            weights: [1.0; N_HEURISTICS],
        }
    }
}

impl Polynomial {
    /// The polynomial without some heuristics, given by number; numbers out of range are ignored.
    #[must_use]
    pub fn without(mut self, excluded: &[usize]) -> Polynomial {
        for &number in excluded {
            if let Some(weight) = self.weights.get_mut(number) {
                *weight = 0.0;
            }
        }
        self
    }

    /// Weighted sum of the scores of a move.
    pub fn total(&self, scores: &MoveScores) -> f64 {
        scores
            .iter()
            .zip(&self.weights)
            .map(|(score, weight)| score * weight)
            .sum()
    }

    /// Static evaluation of a position: the score of its best move; `None` without legal moves.
    ///
    /// # Source
    /// Sugar 1975, section 2.2.1.4, p. 34.
    pub fn position_score(&self, context: &Context<'_>) -> Option<f64> {
        score_moves(context)
            .iter()
            .map(|scored| self.total(&scored.scores))
            .reduce(f64::max)
    }
}

#[cfg(test)]
mod tests {
    use kibitz_board::{Chess, Square};
    use proptest::{collection::vec, prelude::*};

    use super::*;
    use crate::chute::{History, Parameters, tests::playout, tests::position};

    #[test]
    fn the_polynomial_takes_the_free_queen() {
        let position = position("4k3/8/8/3q4/8/2N5/8/4K3 w - - 0 1");
        let context = Context::new(&position);
        let ranked = rank_moves(&context, &Polynomial::default());
        assert_eq!(ranked[0].m.to_string(), "Nc3xd5");
        assert_eq!(
            Polynomial::default().position_score(&context),
            Some(ranked[0].total)
        );
        // Without captures and exposed pieces it has no reason to.
        let blind = Polynomial::default().without(&[12, 14]);
        assert!(blind.total(&ranked[0].scores) < ranked[0].total - 2000.0);
    }

    #[test]
    fn ties_go_by_square() {
        let position = position("k7/8/8/8/8/8/8/K7 w - - 0 1");
        let none = Polynomial {
            weights: [0.0; N_HEURISTICS],
        };
        let ranked = rank_moves(&Context::new(&position), &none);
        let squares: Vec<Square> = ranked.iter().map(|ranked| ranked.m.to()).collect();
        assert_eq!(squares, [Square::B1, Square::A2, Square::B2]);
    }

    #[test]
    fn no_move_no_score() {
        let mated = position("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1");
        assert_eq!(
            Polynomial::default().position_score(&Context::new(&mated)),
            None
        );
    }

    #[test]
    fn names_are_unique_and_descriptions_given() {
        let mut names: Vec<_> = CHUTE.iter().map(|heuristic| heuristic.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), N_HEURISTICS);
        assert!(
            CHUTE
                .iter()
                .all(|heuristic| !heuristic.description().is_empty())
        );
    }

    proptest! {
        #[test]
        fn colors_are_treated_alike(choices in vec(any::<u16>(), 0..200)) {
            let (position, history) = playout(&choices);
            let mirrored = mirror(&position);
            let mirrored_history = History {
                opponent: history.opponent.map(Move::to_mirrored),
                own: history.own.map(Move::to_mirrored),
                opponent_before: history.opponent_before.map(Move::to_mirrored),
                own_before: history.own_before.map(Move::to_mirrored),
            };
            let parameters = Parameters::PUBLISHED;
            let context = Context::with(&position, history, &parameters);
            let mirrored_context = Context::with(&mirrored, mirrored_history, &parameters);
            for m in position.legal_moves() {
                let scores = MoveContext::new(&context, m).scores();
                let mirrored = MoveContext::new(&mirrored_context, m.to_mirrored()).scores();
                for (number, (a, b)) in scores.iter().zip(mirrored).enumerate() {
                    prop_assert!((a - b).abs() < 1e-9, "heuristic {number} of {m}: {a} and {b}");
                    prop_assert!(a.is_finite());
                }
            }
        }
    }

    /// The position with the colors and the two halves of the board exchanged.
    fn mirror(position: &Chess) -> Chess {
        use kibitz_board::{CastlingMode, EnPassantMode, FromSetup};
        let mut setup = position.to_setup(EnPassantMode::Legal);
        setup.mirror();
        Chess::from_setup(setup, CastlingMode::Standard).unwrap()
    }
}
