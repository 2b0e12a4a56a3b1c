//! Alpha-beta finds what minimax finds.

use std::num::NonZeroUsize;

use proptest::prelude::*;

use super::*;
use crate::game::{End, Game, Verdict, never, testing::RandomGame};

/// A game of which only the most plausible moves are left.
struct PrunedGame<'a> {
    game: &'a RandomGame,
    fanout: &'a Fanout,
}

impl Game for PrunedGame<'_> {
    type Position = <RandomGame as Game>::Position;
    type Move = u64;
    type Key = <RandomGame as Game>::Key;

    fn key(&self, position: &Self::Position) -> Self::Key {
        self.game.key(position)
    }

    fn end(&self, position: &Self::Position) -> Option<End> {
        self.game.end(position)
    }

    fn moves(&self, position: &Self::Position) -> Vec<u64> {
        let mut moves = self.game.moves(position);
        moves.truncate(self.fanout.at(u32::try_from(position.level).unwrap()));
        moves
    }

    fn play(&self, position: &Self::Position, m: u64) -> Self::Position {
        self.game.play(position, m)
    }

    fn evaluate(&self, position: &Self::Position) -> f64 {
        self.game.evaluate(position)
    }
}

/// A game with a single first move.
struct Only<'a> {
    game: &'a RandomGame,
    m: u64,
}

impl Game for Only<'_> {
    type Position = <RandomGame as Game>::Position;
    type Move = u64;
    type Key = <RandomGame as Game>::Key;

    fn key(&self, position: &Self::Position) -> Self::Key {
        self.game.key(position)
    }

    fn end(&self, position: &Self::Position) -> Option<End> {
        self.game.end(position)
    }

    fn moves(&self, position: &Self::Position) -> Vec<u64> {
        match position.level {
            0 => vec![self.m],
            _ => self.game.moves(position),
        }
    }

    fn play(&self, position: &Self::Position, m: u64) -> Self::Position {
        self.game.play(position, m)
    }

    fn evaluate(&self, position: &Self::Position) -> f64 {
        self.game.evaluate(position)
    }
}

fn games() -> impl Strategy<Value = RandomGame> {
    (any::<u64>(), 1..6_u64, 1..12_u64, 0..30_u64).prop_map(|(seed, width, positions, values)| {
        RandomGame {
            seed,
            width,
            positions,
            values,
        }
    })
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a == 0.0 && b == 0.0)
}

proptest! {
    #[test]
    fn alpha_beta_is_minimax(game in games(), depth in 1..6_u32) {
        let expected = minimax(&game, &RandomGame::ROOT, depth, &mut never).unwrap();
        for capacity in [0, 5, 1000] {
            let mut search = AlphaBeta::new(&game).with_table(capacity);
            let found = search.search(&RandomGame::ROOT, depth, &mut never).unwrap();
            prop_assert!(same(found.value, expected.value), "{} {}", found.value, expected.value);
            prop_assert_eq!(found.line[0], expected.line[0]);
            prop_assert!(found.counts.nodes() <= expected.counts.nodes());
        }
    }

    #[test]
    fn deepening_finds_what_a_single_search_finds(game in games(), depth in 1..6_u32) {
        let mut depths = Vec::new();
        let found = AlphaBeta::new(&game)
            .deepen(&RandomGame::ROOT, depth, &mut never, &mut |found| depths.push(found.depth))
            .unwrap();
        prop_assert_eq!(&depths, &(1..=found.depth).collect::<Vec<_>>());
        prop_assert!(found.depth == depth || !matches!(Verdict::of(found.value), Verdict::Score(_)));
        // A win found early stands at the full depth.
        let expected = minimax(&game, &RandomGame::ROOT, depth, &mut never).unwrap();
        prop_assert!(same(found.value, expected.value), "{} {}", found.value, expected.value);
        if found.depth == depth {
            prop_assert_eq!(found.line[0], expected.line[0]);
        }
    }

    #[test]
    fn the_best_lines_are_the_best_moves(
        game in games(),
        depth in 1..5_u32,
        n_lines in 1..7_usize,
    ) {
        let lines = AlphaBeta::new(&game)
            .deepen_lines(&RandomGame::ROOT, n_lines, depth, &mut never, &mut |_| {})
            .unwrap();
        let moves = game.moves(&RandomGame::ROOT);
        prop_assert_eq!(lines.len(), n_lines.min(moves.len()));
        // The value of each move by a search of it alone.
        let mut expected: Vec<(f64, u64)> = moves.into_iter().map(|m| {
            let only = Only { game: &game, m };
            (minimax(&only, &RandomGame::ROOT, lines[0].depth, &mut never).unwrap().value, m)
        }).collect();
        expected.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        for (line, (value, _)) in lines.iter().zip(&expected) {
            prop_assert!(same(line.value, *value), "{} {value}", line.value);
            let own = expected.iter().find(|(_, m)| *m == line.line[0]);
            prop_assert!(own.is_some_and(|(own, _)| same(*own, *value)));
        }
        let mut found: Vec<u64> = lines.iter().map(|line| line.line[0]).collect();
        found.sort_unstable();
        found.dedup();
        prop_assert_eq!(found.len(), lines.len());
    }

    #[test]
    fn wins_and_losses_are_shown_to_their_end(
        game in games(),
        depth in 1..6_u32,
        n_lines in 1..4_usize,
        level in 1..5_usize,
    ) {
        for fanout in [Fanout::FULL, Fanout::new(NonZeroUsize::new(level).into_iter().collect())] {
            let mut search = AlphaBeta::new(&game).with_fanout(fanout).with_complete_mates();
            let mut report = |lines: &[SearchResult<u64>]| {
                for found in lines {
                    let (Verdict::Wins(plies) | Verdict::Loses(plies)) = Verdict::of(found.value)
                    else {
                        continue;
                    };
                    let mut place = RandomGame::ROOT;
                    for m in &found.line {
                        assert_eq!(game.end(&place), None);
                        place = game.play(&place, *m);
                    }
                    assert_eq!(found.line.len(), plies as usize);
                    assert_eq!(game.end(&place), Some(End::Lost));
                }
            };
            search
                .deepen_lines(&RandomGame::ROOT, n_lines, depth, &mut never, &mut report)
                .unwrap();
        }
    }

    #[test]
    fn forward_pruning_is_minimax_of_what_is_left(
        game in games(),
        depth in 1..6_u32,
        levels in prop::collection::vec(1..5_usize, 0..4),
    ) {
        let fanout = Fanout::new(levels.into_iter().filter_map(NonZeroUsize::new).collect());
        let pruned = PrunedGame { game: &game, fanout: &fanout };
        let expected = minimax(&pruned, &RandomGame::ROOT, depth, &mut never).unwrap();
        let mut search = AlphaBeta::new(&game).with_fanout(fanout.clone());
        let found = search.search(&RandomGame::ROOT, depth, &mut never).unwrap();
        prop_assert!(same(found.value, expected.value), "{} {}", found.value, expected.value);
        prop_assert_eq!(found.line[0], expected.line[0]);
        // A second search, with all the table has learned, and deeper ones in between.
        for again in [depth + 1, depth] {
            search.search(&RandomGame::ROOT, again, &mut never).unwrap();
        }
        let again = search.search(&RandomGame::ROOT, depth, &mut never).unwrap();
        prop_assert!(same(again.value, expected.value));
        prop_assert_eq!(again.line[0], expected.line[0]);
    }

    #[test]
    fn full_fanout_prunes_nothing(game in games(), depth in 1..5_u32) {
        let widest = Fanout::new(vec![NonZeroUsize::MAX]);
        let pruned = AlphaBeta::new(&game).with_fanout(widest)
            .search(&RandomGame::ROOT, depth, &mut never).unwrap();
        let full = AlphaBeta::new(&game).search(&RandomGame::ROOT, depth, &mut never).unwrap();
        prop_assert!(same(pruned.value, full.value));
        prop_assert_eq!(pruned.line[0], full.line[0]);
    }

    #[test]
    fn a_stopped_search_ends_at_once(game in games(), budget in 0..60_u64) {
        let mut asked_after = 0;
        let mut stop = |counts: Counts| {
            asked_after += u64::from(counts.nodes() >= budget);
            counts.nodes() >= budget
        };
        let found = AlphaBeta::new(&game)
            .deepen(&RandomGame::ROOT, 4, &mut stop, &mut |_| {})
            .unwrap();
        prop_assert!(asked_after <= 1, "asked again after saying stop");
        prop_assert!(!found.line.is_empty());
        prop_assert!(found.counts.nodes() <= budget.max(2));
    }
}

/// The tree of the report's example: B has E and F, C has G and H, D has I and J.
struct Example;

impl Game for Example {
    type Position = &'static str;
    type Move = &'static str;
    type Key = &'static str;

    fn key(&self, position: &&'static str) -> &'static str {
        position
    }

    fn end(&self, _: &&'static str) -> Option<End> {
        None
    }

    fn moves(&self, position: &&'static str) -> Vec<&'static str> {
        match *position {
            "A" => vec!["B", "C", "D"],
            "B" => vec!["E", "F"],
            "C" => vec!["G", "H"],
            "D" => vec!["I", "J"],
            leaf => panic!("{leaf} has no moves"),
        }
    }

    fn play(&self, _: &&'static str, m: &'static str) -> &'static str {
        m
    }

    fn evaluate(&self, position: &&'static str) -> f64 {
        match *position {
            "E" => 16.0,
            "F" => 1.0,
            "G" | "J" => 15.0,
            "H" => -3.0,
            "I" => 7.0,
            inner => panic!("{inner} is not evaluated"),
        }
    }
}

#[test]
fn the_printed_example_is_worth_7() {
    let found = minimax(&Example, &"A", 2, &mut never).unwrap();
    assert_eq!(
        (found.value.to_string().as_str(), found.line),
        ("7", vec!["D", "I"])
    );
    assert_eq!(found.counts.evaluated, 6);
    let found = AlphaBeta::new(&Example)
        .search(&"A", 2, &mut never)
        .unwrap();
    assert_eq!(
        (found.value.to_string().as_str(), found.line),
        ("7", vec!["D", "I"])
    );
}

#[test]
fn what_cannot_be_searched_is_an_error() {
    let game = RandomGame {
        seed: 1,
        width: 2,
        positions: 3,
        values: 5,
    };
    let mut search = AlphaBeta::new(&game);
    assert_eq!(
        search.search(&RandomGame::ROOT, 0, &mut never),
        Err(SearchError::NoDepth)
    );
    assert_eq!(
        minimax(&game, &RandomGame::ROOT, 0, &mut never),
        Err(SearchError::NoDepth)
    );
    assert_eq!(
        search.search(&RandomGame::ROOT, 3, &mut |_| true),
        Err(SearchError::Stopped)
    );
}
