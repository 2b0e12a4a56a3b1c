//! CHUTE's scores as closeness to a win, with an uncertainty.

use super::{ChuteGame, ChuteMove, ChutePosition, Scoring, material};
use crate::{
    ctw::{Bounds, Estimate},
    game::Game,
    quiescent::ForcingMoves,
};
use kibitz_board::Position;

/// How scores become optimistic and pessimistic values.
///
/// A score e for the player who moved becomes v = e / (|e| + `points`), stretched to the limits that
/// hold of every position in which the game goes on ([`Bounds::OPEN`]). A fraction u of the
/// distance from v to either limit is uncertain: with u = 1 nothing is known, with u = 0 the score is exact.
///
/// The report leaves open how CHUTE's scores would have been used by the Closeness-To-Win strategy:
/// it found no uncertainty that its heuristics could predict (section 4.2.4). We let u grow with the
/// share of captures, promotions and checks among the moves of the position, the "potential
/// exchanges" that section 5.2 suggests to look at.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "serde",
    serde(rename_all = "kebab-case", deny_unknown_fields, default)
)]
pub struct Uncertainty {
    /// The score that is halfway to the limit; above 0.
    pub points: f64,
    /// u of a position without forcing moves, from 0 to 1.
    pub base: f64,
    /// What u would gain if all moves were forcing; u is at most 1.
    pub forcing: f64,
    /// What the plausibility of a move is above the value of its score, in parts of the way to the
    /// upper limit, from 0 (the score is trusted to be high enough) to 1 (every move is plausible).
    pub plausibility: f64,
}

impl Default for Uncertainty {
    /// 450 points, two pawns by heuristic 12, are halfway; half of the way is uncertain.
    fn default() -> Self {
        Self {
            points: 450.0,
            base: 0.5,
            forcing: 0.5,
            plausibility: 0.75,
        }
    }
}

impl Uncertainty {
    /// The value of a score for the player whose score it is.
    fn value(&self, score: f64) -> f64 {
        let share = score / (score.abs() + self.points);
        if share >= 0.0 {
            share * Bounds::OPEN.high
        } else {
            -share * Bounds::OPEN.low
        }
    }

    /// The score that has this value, the other way around; infinite at the limits.
    ///
    /// # Examples
    /// ```
    /// use kibitz_search::chute::Uncertainty;
    ///
    /// let score = Uncertainty::default().score(1.0 / 6.0);
    /// assert!((score - 450.0).abs() < 1e-9);
    /// ```
    pub fn score(&self, value: f64) -> f64 {
        let share = if value >= 0.0 {
            value / Bounds::OPEN.high
        } else {
            -value / Bounds::OPEN.low
        };
        self.points * share / (1.0 - share.abs())
    }
}

impl Estimate for ChuteGame {
    fn bounds(&self, position: &ChutePosition) -> Bounds {
        let value = self.evaluation.uncertainty.value(-self.evaluate(position));
        let moves = position.chess.legal_moves();
        let forcing = ForcingMoves::of(&position.chess);
        let n_forcing = moves.iter().filter(|&&m| forcing.contains(m)).count();
        let share = n_forcing as f64 / moves.len().max(1) as f64;
        let unknown = (self.evaluation.uncertainty.base
            + self.evaluation.uncertainty.forcing * share)
            .clamp(0.0, 1.0);
        Bounds {
            low: (value - unknown * (value - Bounds::OPEN.low)).max(Bounds::OPEN.low),
            high: (value + unknown * (Bounds::OPEN.high - value)).min(Bounds::OPEN.high),
        }
    }

    fn plausibility(&self, position: &ChutePosition, m: ChuteMove) -> f64 {
        let score = match self.evaluation.scoring {
            Scoring::BestMove => m.score,
            Scoring::Account => position.account.preview(m.score),
            Scoring::Material(pawn) => m.score + pawn * material(&position.chess),
        };
        let value = self.evaluation.uncertainty.value(score);
        value + self.evaluation.uncertainty.plausibility * (Bounds::OPEN.high - value)
    }
}

#[cfg(test)]
mod tests {
    use kibitz_board::{CastlingMode, Chess, fen::Fen};
    use proptest::prelude::*;

    use super::*;
    use crate::chute::Evaluation;
    use crate::{
        ctw::{Ctw, Style},
        game::Counts,
    };

    fn position(fen: &str) -> Chess {
        let fen: Fen = fen.parse().unwrap();
        fen.into_position(CastlingMode::Standard).unwrap()
    }

    fn choose(fen: &str, budget: u64) -> (String, Bounds) {
        let game = ChuteGame::new(Evaluation {
            scoring: Scoring::Material(225.0),
            remembers_last_move: false,
            ..Evaluation::default()
        });
        let mut stop = |counts: Counts| counts.nodes() >= budget;
        let decision = Ctw::new(&game, Style::default())
            .choose(&game.root(&position(fen)), &mut stop)
            .unwrap();
        (decision.line[0].to_string(), decision.bounds)
    }

    #[test]
    fn a_mate_in_one_is_settled() {
        let (m, bounds) = choose("6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1", 1000);
        assert_eq!((m.as_str(), bounds), ("Re1-e8", Bounds::WON));
    }

    #[test]
    fn a_mate_in_two_is_proved() {
        let (m, bounds) = choose("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", 10_000);
        assert!(["Ra2-a7", "Rb1-b7"].contains(&m.as_str()), "{m}");
        assert_eq!(bounds, Bounds::exactly(1.0 / 3.0));
    }

    proptest! {
        #[test]
        fn bounds_hold_what_the_score_says_and_stay_open(
            choices in prop::collection::vec(any::<u16>(), 0..100),
            base in 0.0..=1.0,
            forcing in 0.0..=1.0,
        ) {
            let mut chess = Chess::default();
            for choice in choices {
                let moves = chess.legal_moves();
                if moves.is_empty() {
                    break;
                }
                chess.play_unchecked(moves[choice as usize % moves.len()]);
            }
            let uncertainty = Uncertainty { base, forcing, ..Uncertainty::default() };
            let game = ChuteGame::new(Evaluation { uncertainty, ..Evaluation::default() });
            let root = game.root(&chess);
            let bounds = game.bounds(&root);
            let value = uncertainty.value(-game.evaluate(&root));
            prop_assert!(Bounds::OPEN.low <= bounds.low && bounds.high <= Bounds::OPEN.high);
            prop_assert!(bounds.low <= value && value <= bounds.high);
        }
    }
}
