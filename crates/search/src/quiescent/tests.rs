use kibitz_board::{CastlingMode, Position, fen::Fen};
use kibitz_heuristics::attributes::{Attribute, AttributeSet};
use kibitz_stats::optimize::{Differentiable, Objective};
use kibitz_stats::soft_minimax::{Node, SoftMinimax};
use proptest::prelude::*;
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};

use super::*;
use crate::one_ply::{OnePly, WeightedOnePly};
use crate::self_play::{EndPolicy, play, play_watched};

fn position(fen: &str) -> Chess {
    fen.parse::<Fen>()
        .unwrap()
        .into_position(CastlingMode::Standard)
        .unwrap()
}

fn model(rules: TreeRules) -> Quiescent {
    Quiescent::new(AttributeSet::new(Attribute::PAPER), rules)
}

fn max_ply(ply: u8) -> NonZeroU8 {
    NonZeroU8::new(ply).unwrap()
}

/// The nodes below the root.
fn nodes(fen: &str, rules: TreeRules) -> Vec<Node> {
    let mut forest = Forest::new(4);
    model(rules)
        .add_tree(&position(fen), 0, 0, &mut forest)
        .unwrap();
    forest.get(0).unwrap().nodes().skip(1).collect()
}

/// The last decisions of a random game: few, because random games have large trees.
fn late_decisions(choices: &[u16]) -> Vec<Decision> {
    let mut decisions = random_decisions(choices);
    decisions.split_off(decisions.len().saturating_sub(4))
}

/// Decisions of a random game, every move of both sides.
fn random_decisions(choices: &[u16]) -> Vec<Decision> {
    let mut position = Chess::default();
    let mut decisions = Vec::new();
    for choice in choices {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let played = moves[*choice as usize % moves.len()];
        decisions.push(Decision {
            position: position.clone(),
            played,
            group: 0,
        });
        position.play_unchecked(played);
    }
    decisions
}

const WEIGHTS: [f64; 4] = [1.2, 0.04, 0.1, 1.4];

/// White has one move, Kg1; then Black may check on a1 or g2.
const ONE_MOVE: &str = "7k/8/8/8/8/8/r7/7K w - - 0 1";

#[test]
fn who_is_not_in_check_may_stand_pat() {
    let rules = |expansion| TreeRules {
        expansion,
        max_ply: max_ply(2),
        ..TreeRules::default()
    };
    assert_eq!(
        nodes(ONE_MOVE, rules(Expansion::Forcing)),
        [Node::Inner(3), Node::Leaf, Node::Leaf, Node::Leaf]
    );
    assert_eq!(
        nodes(ONE_MOVE, rules(Expansion::ForcingOnly)),
        [Node::Inner(2), Node::Leaf, Node::Leaf]
    );
    // All 14 moves of the rook and 3 of the king.
    let literal = nodes(ONE_MOVE, rules(Expansion::Literal));
    assert_eq!(literal[0], Node::Inner(17));
    assert_eq!(literal[1..], [Node::Leaf; 17]);
}

#[test]
fn in_check_all_moves_are_looked_at() {
    let rules = TreeRules {
        max_ply: max_ply(3),
        ..TreeRules::default()
    };
    let found = nodes(ONE_MOVE, rules);
    // Three ways out of either check, then standing pat.
    assert_eq!(
        found[..4],
        [Node::Inner(3), Node::Inner(3), Node::Inner(3), Node::Leaf]
    );
    // One of the six is Kxg2, after which nobody can mate.
    let count = |kind| found[4..].iter().filter(|node| **node == kind).count();
    assert_eq!((count(Node::Leaf), count(Node::Drawn)), (5, 1));
}

#[test]
fn ends_are_told_on_the_deepest_ply_too() {
    // Qf8 mates, Qf7 and Qc4 stalemate.
    let fen = "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1";
    let count = |rules: &TreeRules| {
        let found = nodes(fen, rules.clone());
        let count = |kind| found.iter().filter(|node| **node == kind).count();
        (count(Node::Lost), count(Node::Drawn))
    };
    let mut rules = TreeRules {
        max_ply: max_ply(1),
        ..TreeRules::default()
    };
    assert_eq!(count(&rules), (1, 2));
    rules.mates = MateRule::Evaluated;
    assert_eq!(count(&rules), (0, 2));
    rules.draws.clear();
    assert_eq!(count(&rules), (0, 0));
}

#[test]
fn fifty_moves_are_a_draw_if_wanted() {
    let fen = "7k/8/8/8/8/8/8/KR6 w - - 99 80";
    let mut rules = TreeRules {
        max_ply: max_ply(1),
        ..TreeRules::default()
    };
    assert!(!nodes(fen, rules.clone()).contains(&Node::Drawn));
    rules.draws.push(DrawKind::FiftyMoves);
    let found = nodes(fen, rules);
    assert!(found.iter().all(|node| *node == Node::Drawn));
}

#[test]
fn a_position_without_moves_has_no_tree() {
    let mut forest = Forest::new(4);
    let mated = position("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    assert!(
        model(TreeRules::default())
            .add_tree(&mated, 0, 0, &mut forest)
            .is_err()
    );
    assert!(forest.is_empty());
}

#[test]
fn an_illegal_move_is_named() {
    let start = Chess::default();
    let mut decisions = random_decisions(&[0, 1]);
    decisions[1].position = start;
    let model = model(TreeRules::default());
    let error = model.trees(decisions.as_slice(), 0).unwrap_err();
    let uci = decisions[1].played.to_uci(CastlingMode::Standard);
    assert_eq!(
        error.to_string(),
        format!("decision 1: {uci} is not a legal move")
    );
}

#[test]
fn the_same_seed_gives_the_same_game() {
    let mut player = WeightedQuiescent::new(model(TreeRules::default()), &[7.0, 0.2, 0.5, 3.0]);
    let policy = EndPolicy {
        max_plies: Some(40),
        ..EndPolicy::default()
    };
    let mut game = |seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        play(&mut player, &Chess::default(), &policy, &mut rng).moves
    };
    assert_eq!(game(3), game(3));
    assert_ne!(game(3), game(4));
}

#[test]
fn threads_and_memory_change_no_bit() {
    let decisions = random_decisions(
        &(0..120)
            .map(|ply: u16| ply.wrapping_mul(7919))
            .collect::<Vec<_>>(),
    );
    let model = model(TreeRules {
        max_ply: max_ply(3),
        ..TreeRules::default()
    });
    let gradient = |n_threads, budget| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(n_threads)
            .build()
            .unwrap();
        pool.install(|| {
            let trees = model.trees(decisions.as_slice(), budget).unwrap();
            SoftMinimax::new(&trees).first_order(&WEIGHTS)
        })
    };
    let expected = gradient(1, usize::MAX);
    for (n_threads, budget) in [(2, usize::MAX), (1, 0), (2, 20_000)] {
        assert_eq!(gradient(n_threads, budget), expected);
    }
}

#[test]
fn trees_seen_in_play_are_those_of_the_decisions() {
    let model = model(TreeRules {
        max_ply: max_ply(2),
        ..TreeRules::default()
    });
    let mut player = WeightedQuiescent::new(model.clone(), &WEIGHTS);
    let policy = EndPolicy {
        max_plies: Some(30),
        ..EndPolicy::default()
    };
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let (mut seen, mut decisions) = (Vec::new(), Vec::new());
    let start = Chess::default();
    let game = play_watched(
        &mut player,
        &start,
        &policy,
        &mut rng,
        |player, at, chosen| {
            let group = at.turn().fold_wb(1, 2);
            seen.push(player.searched(chosen, group));
            decisions.push(Decision {
                position: at.clone(),
                played: at.legal_moves()[chosen],
                group,
            });
        },
    );
    let played: Vec<_> = decisions.iter().map(|decision| decision.played).collect();
    assert_eq!(played, game.moves);
    let gathered = model.gather(&seen).unwrap();
    let planted = model.trees(decisions.as_slice(), usize::MAX).unwrap();
    assert_eq!(gathered.counts(), planted.counts());
    assert!(gathered.groups().eq(planted.groups()));
    let of_both = [&gathered, &planted].map(|trees| SoftMinimax::new(trees).first_order(&WEIGHTS));
    assert_eq!(of_both[0], of_both[1]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn one_ply_deep_it_is_the_one_ply_model(
        choices in prop::collection::vec(any::<u16>(), 1..80),
        weights in [-3.0..3.0, -0.5..0.5, -1.0..1.0, -4.0..4.0],
    ) {
        let rules = TreeRules {
            max_ply: max_ply(1),
            mates: MateRule::Evaluated,
            draws: Vec::new(),
            ..TreeRules::default()
        };
        let set = AttributeSet::new(Attribute::PAPER);
        let mut one_ply = WeightedOnePly::new(OnePly::new(set.clone()), weights.to_vec());
        let mut quiescent = WeightedQuiescent::new(Quiescent::new(set, rules), &weights);
        for decision in random_decisions(&choices) {
            let moves = decision.position.legal_moves();
            let (mut expected, mut found) = (Vec::new(), Vec::new());
            one_ply.extend_values(&decision.position, &moves, &mut expected);
            quiescent.extend_values(&decision.position, &moves, &mut found);
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn without_weights_all_moves_are_as_likely(
        choices in prop::collection::vec(any::<u16>(), 1..60),
    ) {
        let decisions = late_decisions(&choices);
        let rules = TreeRules { mates: MateRule::Evaluated, ..TreeRules::default() };
        let model = model(rules);
        let trees = model.trees(decisions.as_slice(), usize::MAX).unwrap();
        let likelihood = SoftMinimax::new(&trees);
        let uniform = likelihood.uniform_bits();
        prop_assert!((likelihood.bits(&[0.0; 4]) - uniform).abs() <= 1e-12 * uniform);
    }

    #[test]
    fn gradient_is_the_slope_of_the_likelihood(
        choices in prop::collection::vec(any::<u16>(), 10..60),
        weights in [-2.0..2.0, -0.2..0.2, -0.5..0.5, -3.0..3.0],
    ) {
        let decisions = late_decisions(&choices);
        let model = model(TreeRules { max_ply: max_ply(3), ..TreeRules::default() });
        let trees = model.trees(decisions.as_slice(), usize::MAX).unwrap();
        let likelihood = SoftMinimax::new(&trees);
        let gradient = likelihood.first_order(&weights).gradient;
        let scales = likelihood.scales();
        for k in 0..4 {
            // Richardson's extrapolation: an error of the fourth order in the step.
            let difference = |step: f64| {
                let at = |sign: f64| {
                    let mut point = weights;
                    point[k] += sign * step;
                    likelihood.value(&point)
                };
                (at(1.0) - at(-1.0)) / (2.0 * step)
            };
            let step = 1e-3 * scales[k];
            let slope = (4.0 * difference(step / 2.0) - difference(step)) / 3.0;
            // Relative to the whole gradient, in units of the scales: a slope may vanish.
            let size = gradient.iter().zip(&scales).map(|(g, s)| (g * s).abs()).fold(1.0, f64::max);
            let error = (gradient[k] - slope).abs() * scales[k];
            prop_assert!(error <= 1e-6 * size, "{} against {slope}", gradient[k]);
        }
    }
}
