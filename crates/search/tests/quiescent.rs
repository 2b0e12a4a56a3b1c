//! The flat tree against the recursion of the paper's appendix.

mod recursion;

use kibitz_board::{Chess, Position};
use kibitz_heuristics::attributes::{Attribute, AttributeSet};
use kibitz_search::quiescent::{Decision, Quiescent, TreeRules};
use kibitz_stats::optimize::Differentiable;
use kibitz_stats::soft_minimax::SoftMinimax;
use proptest::prelude::*;
use recursion::{N, Recursion};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn likelihood_and_gradient_are_those_of_the_recursion(
        choices in prop::collection::vec(any::<u16>(), 1..120),
        weights in [-2.0..2.0, -0.2..0.2, -0.5..0.5, -3.0..3.0],
    ) {
        let mut position = Chess::default();
        let mut last = None;
        for choice in choices {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let played = moves[choice as usize % moves.len()];
            last = Some(Decision { position: position.clone(), played, group: 0 });
            position.play_unchecked(played);
        }
        let decisions: Vec<Decision> = last.into_iter().collect();
        let model = Quiescent::new(AttributeSet::new(Attribute::PAPER), TreeRules::default());
        let trees = model.trees(decisions.as_slice(), usize::MAX).unwrap();
        let found = SoftMinimax::new(&trees).first_order(&weights);
        let expected = Recursion::new(weights).log_likelihood(&decisions[0]);
        let close = |found: f64, expected: f64| {
            (found - expected).abs() <= 1e-9 * (1.0 + expected.abs())
        };
        prop_assert!(close(found.value, expected.value), "{} {}", found.value, expected.value);
        for k in 0..N {
            prop_assert!(close(found.gradient[k], expected.slopes[k]), "slope {k}");
        }
    }
}
