//! The outline's points on hand-made graphs.

use std::cell::RefCell;
use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::game::{Counts, End, never, testing::RandomGame};

type Name = &'static str;

/// A graph drawn by hand: positions with static bounds, and moves named after where they lead.
#[derive(Default)]
struct DrawnGraph {
    bounds: BTreeMap<Name, (f64, f64)>,
    moves: BTreeMap<Name, Vec<Name>>,
    ends: BTreeMap<Name, End>,
    /// Positions whose plausibility is not 1.
    plausibility: BTreeMap<Name, f64>,
    evaluated: RefCell<Vec<Name>>,
}

impl DrawnGraph {
    /// `position: low high -> successors`, a line each; `lost` or `drawn` for the bounds where the
    /// game has ended, nothing for the root.
    fn new(lines: &[(Name, (f64, f64), &[Name])]) -> DrawnGraph {
        let mut graph = DrawnGraph::default();
        for &(name, bounds, moves) in lines {
            graph.bounds.insert(name, bounds);
            graph.moves.insert(name, moves.to_vec());
        }
        graph
    }

    fn ending(mut self, name: Name, end: End) -> DrawnGraph {
        self.ends.insert(name, end);
        self
    }

    fn plausible(mut self, name: Name, plausibility: f64) -> DrawnGraph {
        self.plausibility.insert(name, plausibility);
        self
    }

    fn evaluated(&self) -> String {
        self.evaluated.borrow().join(" ")
    }
}

impl Game for DrawnGraph {
    type Position = Name;
    type Move = Name;
    type Key = Name;

    fn key(&self, position: &Name) -> Name {
        position
    }

    fn end(&self, position: &Name) -> Option<End> {
        self.ends.get(position).copied()
    }

    fn moves(&self, position: &Name) -> Vec<Name> {
        self.moves[position].clone()
    }

    fn play(&self, _: &Name, m: Name) -> Name {
        m
    }

    fn evaluate(&self, _: &Name) -> f64 {
        unreachable!("bounds are asked for instead")
    }
}

impl Estimate for DrawnGraph {
    fn bounds(&self, position: &Name) -> Bounds {
        self.evaluated.borrow_mut().push(position);
        let (low, high) = self.bounds[position];
        Bounds { low, high }
    }

    fn plausibility(&self, _: &Name, m: Name) -> f64 {
        self.plausibility.get(m).copied().unwrap_or(1.0)
    }
}

const NONE: (f64, f64) = (0.0, 0.0);

fn choose(graph: &DrawnGraph) -> Decision<Name> {
    Ctw::new(graph, Style::default())
        .choose(&"root", &mut never)
        .unwrap()
}

#[test]
fn one_move_above_all_others_is_chosen_without_refinement() {
    let graph = DrawnGraph::new(&[
        ("root", NONE, &["a", "b", "c"]),
        ("a", (-0.1, 0.0), &["a1"]),
        ("b", (0.1, 0.2), &["b1", "b2"]),
        ("c", (-0.2, 0.1), &["c1"]),
        ("b1", (-0.3, -0.2), &[]),
        ("b2", (-0.4, -0.2), &[]),
    ]);
    let decision = choose(&graph);
    assert_eq!(decision.line[0], "b");
    assert!(decision.is_settled);
    assert_eq!(decision.counts.refinements, 0);
    // The root's successors, and the replies to the chosen move before it is played (point 10).
    assert_eq!(graph.evaluated(), "a b c b1 b2");
    assert_eq!(decision.candidates.len(), 1);
}

#[test]
fn the_most_uncertain_candidate_is_refined() {
    // b is presumptive; a and c overlap it, c is the most uncertain, d is out of the question.
    let graph = DrawnGraph::new(&[
        ("root", NONE, &["a", "b", "c", "d"]),
        ("a", (-0.1, 0.15), &["a1"]),
        ("b", (0.1, 0.2), &["b1"]),
        ("c", (-0.3, 0.3), &["c1", "c2"]),
        ("d", (-0.4, 0.1), &["d1"]),
        ("a1", (0.1, 0.1), &[]),
        ("b1", (-0.2, -0.2), &[]),
        ("c1", (-0.1, 0.0), &[]),
        ("c2", (0.0, 0.1), &[]),
        ("d1", (0.0, 0.0), &[]),
    ]);
    let decision = choose(&graph);
    assert_eq!(decision.line[0], "b");
    assert!(decision.is_settled);
    // c falls to B(0) at best; then a falls to B(0.1).
    assert_eq!(graph.evaluated(), "a b c d c1 c2 a1 b1");
    assert_eq!(decision.counts.anomalies, 0);
}

#[test]
fn refined_values_are_backed_up_from_the_best_successor() {
    let graph = DrawnGraph::new(&[
        ("root", NONE, &["a", "b"]),
        ("a", (-0.4, 0.3), &["a1", "a2"]),
        ("b", (-0.1, 0.0), &["b1"]),
        ("a1", (-0.3, 0.1), &[]),
        ("a2", (-0.2, 0.05), &[]),
        ("b1", (0.05, 0.05), &[]),
    ]);
    let mut budget = 6;
    let mut stop = |_: Counts| {
        budget -= 1;
        budget < 0
    };
    let mut ctw = Ctw::new(&graph, Style { boldness: 1.0 });
    let decision = ctw.choose(&"root", &mut stop).unwrap();
    assert_eq!(decision.line[0], "a");
    assert_eq!(graph.evaluated(), "a b a1 a2");
    // H = B(max L) = B(-0.2), L = B(max H) = B(0.1).
    let expected = Bounds {
        low: back_up(0.1),
        high: back_up(-0.2),
    };
    assert_eq!(decision.bounds, expected);
}

#[test]
fn positions_reached_twice_are_evaluated_once() {
    let graph = DrawnGraph::new(&[
        ("root", NONE, &["a", "b"]),
        ("a", (-0.3, 0.3), &["shared", "a1"]),
        ("b", (-0.3, 0.3), &["shared", "b1"]),
        ("shared", (-0.2, 0.2), &["s1"]),
        ("a1", (0.1, 0.1), &[]),
        ("b1", (0.0, 0.0), &[]),
        ("s1", (0.1, 0.1), &[]),
    ]);
    let decision = choose(&graph);
    assert_eq!(decision.line[0], "b");
    assert_eq!(graph.evaluated().matches("shared").count(), 1);
    assert!(decision.counts.transpositions >= 1);
    assert!(decision.is_settled);
}

#[test]
fn implausible_moves_are_never_evaluated() {
    let graph = DrawnGraph::new(&[
        ("root", NONE, &["a", "b"]),
        ("a", (-0.3, 0.3), &["a1", "a2", "a3"]),
        ("b", (0.0, 0.05), &["b1"]),
        ("a1", (0.1, 0.2), &[]),
        ("a2", (-0.4, -0.3), &[]),
        ("a3", (0.0, 0.1), &[]),
        ("b1", (0.0, 0.0), &[]),
    ])
    .plausible("a2", 0.1)
    .plausible("a3", 0.05);
    let decision = choose(&graph);
    assert_eq!(decision.line[0], "b");
    // a1 has L = 0.1: neither 0.1 nor 0.05 is above it.
    assert_eq!(graph.evaluated(), "a b a1 b1");
    assert_eq!(decision.counts.implausible, 0);
}

#[test]
fn a_plausibility_that_was_too_low_is_counted() {
    let graph = DrawnGraph::new(&[
        ("root", NONE, &["a", "b"]),
        ("a", (-0.3, 0.3), &["a1"]),
        ("b", (0.0, 0.05), &["b1"]),
        ("a1", (0.1, 0.2), &[]),
        ("b1", (0.0, 0.0), &[]),
    ])
    .plausible("a1", 0.15);
    assert_eq!(choose(&graph).counts.implausible, 1);
}

#[test]
fn an_anomaly_is_counted_and_refined_again_at_once() {
    // a promises 0.2 at best; its only reply says that it is worth more at worst.
    let graph = DrawnGraph::new(&[
        ("root", NONE, &["a", "b"]),
        ("a", (-0.1, 0.2), &["a1"]),
        ("b", (0.0, 0.1), &["b1"]),
        ("a1", (-0.32, -0.28), &["a2"]),
        ("b1", (-0.1, 0.0), &[]),
        ("a2", (0.4, 0.44), &[]),
    ]);
    let decision = choose(&graph);
    assert_eq!(decision.line[0], "a");
    assert_eq!(decision.counts.anomalies, 1);
    assert!(
        graph.evaluated().starts_with("a b a1 a2"),
        "{}",
        graph.evaluated()
    );
}

#[test]
fn mates_are_worth_their_distance() {
    // m mates; n lets Black mate; o draws.
    let graph = DrawnGraph::new(&[
        ("root", NONE, &["o", "n", "m"]),
        ("n", (-0.5, 0.3), &["n1"]),
    ])
    .ending("m", End::Lost)
    .ending("o", End::Drawn);
    let decision = choose(&graph);
    assert_eq!((decision.line[0], decision.bounds), ("m", Bounds::WON));
    assert!(decision.is_settled);

    let graph = DrawnGraph::new(&[
        ("root", NONE, &["n", "o", "k"]),
        ("n", (-0.5, 0.3), &["n1", "n2"]),
        ("o", (0.0, 0.3), &["o1"]),
        ("k", (-0.5, 0.3), &["k1"]),
        ("n1", (-0.5, 0.3), &["n3"]),
        ("k1", (-0.5, 0.3), &["k2"]),
    ])
    .ending("n2", End::Lost)
    .ending("n3", End::Drawn)
    .ending("k2", End::Lost);
    // n is mated at once; o is not bad; k mates in three plies.
    let decision = choose(&graph);
    assert_eq!(decision.line, ["k", "k1", "k2"]);
    assert_eq!(decision.bounds, Bounds::exactly(1.0 / 3.0));
}

#[test]
fn the_reply_that_refutes_is_seen_before_playing() {
    // a looks best by far, but its only reply wins.
    let graph = DrawnGraph::new(&[
        ("root", NONE, &["a", "b"]),
        ("a", (0.2, 0.3), &["a1"]),
        ("b", (0.0, 0.1), &["b1"]),
        ("b1", (-0.1, 0.0), &[]),
    ])
    .ending("a1", End::Lost);
    let decision = choose(&graph);
    assert_eq!(decision.line[0], "b");
}

#[test]
fn replies_are_seen_even_when_time_is_up() {
    let graph = DrawnGraph::new(&[
        ("root", NONE, &["a", "b"]),
        ("a", (0.0, 0.3), &["a1"]),
        ("b", (-0.1, 0.2), &["b1"]),
        ("b1", (-0.2, 0.1), &[]),
    ])
    .ending("a1", End::Lost);
    let mut stop = |counts: Counts| counts.evaluated >= 2;
    let mut ctw = Ctw::new(&graph, Style::default());
    let unguarded = ctw.choose(&"root", &mut stop).unwrap();
    assert_eq!(unguarded.line[0], "a");
    let mut ctw = Ctw::new(&graph, Style::default());
    let decision = ctw.choose_guarded(&"root", &mut stop, &mut never).unwrap();
    assert_eq!(decision.line[0], "b");
}

#[test]
fn style_decides_what_time_has_left_open() {
    let graph = || {
        DrawnGraph::new(&[
            ("root", NONE, &["a", "b"]),
            ("a", (-0.4, 0.3), &["a1"]),
            ("b", (-0.1, 0.1), &["b1"]),
        ])
    };
    for (boldness, expected) in [(0.0, "b"), (1.0, "a")] {
        let graph = graph();
        let mut stop = |counts: Counts| counts.evaluated >= 2;
        let decision = Ctw::new(&graph, Style { boldness })
            .choose(&"root", &mut stop)
            .unwrap();
        assert_eq!(decision.line[0], expected);
        assert!(!decision.is_settled);
        assert_eq!(decision.candidates.len(), 2);
    }
    // Without any time the most plausible move.
    let graph = graph();
    let decision = Ctw::new(&graph, Style::default())
        .choose(&"root", &mut |_| true)
        .unwrap();
    assert_eq!(decision.line, ["a"]);
    assert!(!decision.is_settled);
}

#[test]
fn positions_left_behind_go_to_the_library_and_come_back_from_it() {
    let graph = DrawnGraph::new(&[
        ("root", NONE, &["a", "b"]),
        ("a", (0.2, 0.3), &["a1"]),
        ("b", (0.0, 0.1), &["b1"]),
        ("a1", (-0.3, -0.2), &["a2"]),
        ("a2", (0.2, 0.3), &["b"]),
        ("b1", (-0.1, 0.0), &[]),
    ]);
    let mut ctw = Ctw::new(&graph, Style::default());
    ctw.choose(&"root", &mut never).unwrap();
    assert_eq!(graph.evaluated(), "a b a1");
    ctw.advance(&"a1");
    assert_eq!(ctw.n_positions(), 1);
    assert_eq!(
        ctw.recall("b"),
        Some(Bounds {
            low: 0.0,
            high: 0.1
        })
    );
    assert!(ctw.recall("root").is_some() && ctw.recall("a").is_some());
    assert_eq!(ctw.recall("a2"), None);
    // b, met again below a2, is not evaluated a second time.
    let decision = ctw.choose(&"a1", &mut never).unwrap();
    assert_eq!(decision.line[0], "a2");
    assert_eq!(graph.evaluated(), "a b a1 a2");
    assert_eq!(decision.counts.from_library, 1);
    // A position never seen: everything is left behind.
    ctw.advance(&"root");
    assert_eq!(ctw.n_positions(), 0);
}

#[test]
fn lines_that_come_back_are_drawn_and_end() {
    let graph = DrawnGraph::new(&[
        ("root", NONE, &["a", "b"]),
        ("a", (-0.3, 0.3), &["a1"]),
        ("a1", (-0.3, 0.3), &["root", "a2"]),
        ("a2", (-0.3, 0.3), &["a1"]),
        ("b", (-0.3, 0.3), &["b1"]),
        ("b1", (-0.3, 0.3), &["b"]),
    ]);
    // b can only come back; a can do so too, or more.
    let decision = choose(&graph);
    assert_eq!((decision.line[0], decision.is_settled), ("a", true));
    assert_eq!(
        (decision.bounds.low.abs(), decision.candidates.len()),
        (0.0, 1)
    );
}

#[test]
fn a_finished_game_has_no_choice() {
    let graph = DrawnGraph::new(&[]).ending("root", End::Drawn);
    let result = Ctw::new(&graph, Style::default()).choose(&"root", &mut never);
    assert_eq!(result, Err(crate::fixed_depth::SearchError::Ended));
}

/// A random game that ends by a given level, with bounds that are never dishonest.
#[derive(Debug)]
struct Finite {
    game: RandomGame,
    levels: u64,
}

impl Game for Finite {
    type Position = <RandomGame as Game>::Position;
    type Move = u64;
    type Key = <RandomGame as Game>::Key;

    fn key(&self, position: &Self::Position) -> Self::Key {
        self.game.key(position)
    }

    fn end(&self, position: &Self::Position) -> Option<End> {
        let is_last = position.level >= self.levels;
        self.game.end(position).or(is_last.then(|| {
            if self.game.evaluate(position) < 0.0 {
                End::Lost
            } else {
                End::Drawn
            }
        }))
    }

    fn moves(&self, position: &Self::Position) -> Vec<u64> {
        self.game.moves(position)
    }

    fn play(&self, position: &Self::Position, m: u64) -> Self::Position {
        self.game.play(position, m)
    }

    fn evaluate(&self, position: &Self::Position) -> f64 {
        self.game.evaluate(position)
    }
}

impl Estimate for Finite {
    fn bounds(&self, _: &Self::Position) -> Bounds {
        Bounds::OPEN
    }

    fn plausibility(&self, _: &Self::Position, _: u64) -> f64 {
        Bounds::OPEN.high
    }
}

impl Finite {
    /// The true value of a position for the player who moved into it.
    fn truth(&self, position: &<Self as Game>::Position) -> f64 {
        match self.end(position) {
            Some(End::Lost) => 1.0,
            Some(End::Drawn) => 0.0,
            None => back_up(self.best(position).1),
        }
    }

    /// The best moves and their value.
    fn best(&self, position: &<Self as Game>::Position) -> (Vec<u64>, f64) {
        let mut best = (Vec::new(), f64::NEG_INFINITY);
        for m in self.moves(position) {
            let value = self.truth(&self.play(position, m));
            if value > best.1 {
                best = (Vec::new(), value);
            }
            if value >= best.1 {
                best.0.push(m);
            }
        }
        best
    }
}

proptest! {
    #[test]
    fn honest_bounds_lead_to_a_best_move(
        seed in any::<u64>(),
        width in 1..5_u64,
        positions in 2..20_u64,
        levels in 1..6_u64,
    ) {
        let game = Finite { game: RandomGame { seed, width, positions, values: 3 }, levels };
        let decision = Ctw::new(&game, Style::default()).choose(&RandomGame::ROOT, &mut never).unwrap();
        let (best, value) = game.best(&RandomGame::ROOT);
        prop_assert!(decision.is_settled, "{decision:?}");
        prop_assert!(best.contains(&decision.line[0]), "{best:?} {value} {decision:?}");
        prop_assert!(decision.bounds.low <= value && value <= decision.bounds.high);
        prop_assert_eq!(decision.counts.anomalies, 0);
        prop_assert_eq!(decision.counts.implausible, 0);
    }

    #[test]
    fn bounds_hold_the_truth_whenever_the_search_is_stopped(
        seed in any::<u64>(),
        width in 1..5_u64,
        budget in 0..40_u64,
    ) {
        let game = Finite { game: RandomGame { seed, width, positions: 9, values: 3 }, levels: 5 };
        let mut stop = |counts: Counts| counts.nodes() >= budget;
        let decision = Ctw::new(&game, Style::default()).choose(&RandomGame::ROOT, &mut stop).unwrap();
        for candidate in decision.candidates {
            let truth = game.truth(&game.play(&RandomGame::ROOT, candidate.m));
            prop_assert!(candidate.bounds.low <= truth && truth <= candidate.bounds.high);
        }
        prop_assert!(decision.counts.work.nodes() <= budget);
    }
}
