//! Deductions, certificates, 50/50s and win chances against an enumeration of all arrangements.

#![allow(missing_docs, reason = "a test")]

use std::collections::BTreeMap;

use kibitz_minesweeper::{
    Advice, Analysis, Board, Certificate, CertificateError, Deducer, Deduction, Difficulty,
    FirstClick, Game, Grid, Knowledge, Level, NoGuess, Optimum, ProofError, Solver, Tile,
    fifty_fifties,
};
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;

#[path = "arrangements/mod.rs"]
mod arrangements;

use arrangements::{arrangements, best, click, games};

/// All deductions of a position, checked against all of its arrangements.
fn check(knowledge: &Knowledge, all: &[Board]) -> Result<(), TestCaseError> {
    let reasons = Deducer::new().reasons(knowledge).expect("it is possible");
    prop_assert_eq!(&reasons.unexplained, &[]);
    let mut found = Vec::new();
    for deduction in &reasons.deductions {
        let Deduction { tile, is_mine, .. } = *deduction;
        found.push(tile);
        prop_assert!(all.iter().all(|board| board.is_mine(tile) == is_mine));
        prop_assert_eq!(deduction.check(knowledge), Ok(()));
        let contrary = Deduction {
            is_mine: !is_mine,
            ..deduction.clone()
        };
        prop_assert_eq!(contrary.check(knowledge), Err(ProofError::Refuted));
    }
    let is_certain = |tile: &Tile| {
        let n_mines = all.iter().filter(|board| board.is_mine(*tile)).count();
        n_mines == 0 || n_mines == all.len()
    };
    let certain: Vec<Tile> = knowledge.covered().filter(is_certain).collect();
    prop_assert_eq!(found, certain);
    let safe = reasons.deductions.iter().filter(|found| !found.is_mine);
    let easiest = Deducer::new()
        .easiest_safe(knowledge)
        .expect("it is possible");
    if knowledge.first_click().is_none() {
        prop_assert_eq!(easiest, safe.map(Deduction::difficulty).min());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    /// What is deduced holds in every arrangement, nothing certain is missed, and every reason is checked.
    #[test]
    fn deductions_hold_in_all_arrangements((board, clicks) in games()) {
        let knowledge = click(&board, &clicks);
        if knowledge.n_covered() <= 12 {
            check(&knowledge, &arrangements(&knowledge))?;
        }
    }

    /// Certificates are right, and boards without one need a guess.
    #[test]
    fn certificates_solve_boards((board, _) in games(), first in 0..16_usize) {
        let first = first % board.grid().n_tiles();
        if board.is_mine(first) {
            return Ok(());
        }
        let mut before = None;
        for hardest in Difficulty::ALL {
            let found = Certificate::find(&board, first, hardest);
            if let Some(certificate) = &found {
                prop_assert_eq!(certificate.check(&board), Ok(()));
                prop_assert!(certificate.difficulty() <= hardest);
                // An easier one is found wherever there is one.
                prop_assert!(before.is_none_or(|before| before == certificate.difficulty()));
                before = Some(certificate.difficulty());
            }
            prop_assert!(found.is_some() || before.is_none());
        }
        if before.is_none() {
            let mut game = Game::new(&board);
            game.uncover(first);
            let mut deducer = Deducer::new();
            while let Some(safe) = deducer
                .reasons(game.knowledge())
                .expect("it is possible")
                .deductions
                .iter()
                .find(|found| !found.is_mine)
            {
                game.uncover(safe.tile);
            }
            prop_assert!(!game.is_over());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// The chance to win of every tile is that of exhaustive search.
    #[test]
    fn win_chances_are_those_of_exhaustive_search((board, clicks) in games()) {
        let knowledge = click(&board, &clicks);
        let all = arrangements(&knowledge);
        // Exhaustive search takes long where little is known.
        if knowledge.n_covered() > 12 || all.len() > 60 || knowledge.is_won() {
            return Ok(());
        }
        for (tile, chance) in Optimum::default().tiles(&knowledge).expect("few arrangements") {
            let safe = all.iter().filter(|board| !board.is_mine(tile));
            let mut by_number: [Vec<Board>; 9] = Default::default();
            for board in safe {
                by_number[usize::from(board.number(tile))].push(board.clone());
            }
            let won = (0..).zip(by_number).map(|(number, boards)| {
                let mut after = knowledge.clone();
                after.uncover(tile, number);
                best(&after, &boards)
            });
            prop_assert_eq!((chance.won, chance.of), (won.sum(), all.len()), "{}", tile);
        }
    }

    /// The advised tile has the greatest chance to win of all tiles, by exhaustive search; of those that
    /// have it, it is safe if any is, else of least risk; of these, it is the first.
    #[test]
    fn the_advised_tile_is_the_best_and_then_the_safest((board, clicks) in games()) {
        let knowledge = click(&board, &clicks);
        let all = arrangements(&knowledge);
        if knowledge.n_covered() > 12 || all.len() > 60 || knowledge.is_won() {
            return Ok(());
        }
        let order = |tile: Tile| {
            let (unsafe_ones, safe): (Vec<Board>, Vec<Board>) =
                all.iter().cloned().partition(|board| board.is_mine(tile));
            let mut by_number: [Vec<Board>; 9] = Default::default();
            for board in safe {
                by_number[usize::from(board.number(tile))].push(board);
            }
            let won = (0..).zip(by_number).map(|(number, boards)| {
                let mut after = knowledge.clone();
                after.uncover(tile, number);
                best(&after, &boards)
            });
            (std::cmp::Reverse(won.sum::<usize>()), unsafe_ones.len(), tile)
        };
        let expected = knowledge.covered().map(order).min().expect("it is open");
        let advice = Advice::new(&knowledge).expect("it is possible").expect("it is open");
        let found = (advice.tile, advice.chance.expect("few arrangements").won);
        prop_assert_eq!(found, (expected.2, expected.0.0));
        let risk = expected.1 as f64 / all.len() as f64;
        prop_assert!((advice.risk - risk).abs() < 1e-9);
        prop_assert_eq!(Analysis::new(&knowledge).expect("as before").best, Some(advice));
        let (tile, chance) = Optimum::default().best(&knowledge).expect("few").expect("open");
        prop_assert_eq!((tile, chance.won), found);
        // The policy begins with it, and risks nothing beside a safe tile anywhere.
        let policy = Optimum::default().policy(&knowledge).expect("few arrangements");
        for decided in &policy {
            let rows = decided.position.replace('/', "\n");
            let grid = knowledge.grid();
            let (width, height) = (grid.width(), grid.height());
            let text = format!("{width}x{height}/{}\n{rows}\n", knowledge.mines());
            let position = Knowledge::from_text(&text).expect("it is written so");
            let boards = arrangements(&position);
            let is_safe = |tile: Tile| boards.iter().all(|board| !board.is_mine(tile));
            prop_assert_eq!(decided.chance.won, best(&position, &boards));
            prop_assert_eq!(position.covered().any(is_safe), is_safe(decided.tile), "{}", text);
        }
    }

    /// A player who meets a 50/50 wins at most half of the time, and its two arrangements are equally many.
    #[test]
    fn a_fifty_fifty_costs_half((board, clicks) in games()) {
        let knowledge = click(&board, &clicks);
        let all = arrangements(&knowledge);
        if knowledge.is_won() || all.len() > 400 {
            return Ok(());
        }
        let mut solver = Solver::new();
        let probabilities = solver.solve(&knowledge).expect("it is possible").clone();
        let found = fifty_fifties(&knowledge, &probabilities, &mut solver).expect("as before");
        for pair in &found {
            let n_with = |mines: &[Tile], safe: &[Tile]| all.iter().filter(|board| {
                mines.iter().all(|tile| board.is_mine(*tile))
                    && safe.iter().all(|tile| !board.is_mine(*tile))
            }).count();
            let n_one = n_with(&pair.one, &pair.other);
            prop_assert_eq!(n_one, n_with(&pair.other, &pair.one));
            prop_assert_eq!(2 * n_one, all.len());
        }
        if !found.is_empty() {
            let (_, chance) = Optimum::default().best(&knowledge).expect("few").expect("open");
            prop_assert!(2 * chance.won <= chance.of, "{:?}", chance);
        }
    }
}

#[test]
fn what_is_wrong_with_certificates_is_said() {
    let board = Board::from_text("5x3/2\n.....\n....*\n*....\n").unwrap();
    let found = Certificate::find(&board, (0, 0), Difficulty::MineCount).unwrap();
    let with = |change: &dyn Fn(&mut Certificate)| {
        let mut certificate = found.clone();
        change(&mut certificate);
        certificate.check(&board).unwrap_err().to_string()
    };
    let all = [
        with(&|certificate| certificate.first = 9),
        with(&|certificate| certificate.first = 15),
        with(&|certificate| certificate.steps[0].tile = 15),
        with(&|certificate| certificate.steps[0].tile = 0),
        with(&|certificate| certificate.steps[0].because = vec![10]),
        with(&|certificate| certificate.steps[0].because.clear()),
        with(&|certificate| certificate.steps[0].is_mine ^= true),
        with(&|certificate| certificate.steps.truncate(1)),
    ];
    insta::assert_snapshot!(all.join("\n"));
    let outside = CertificateError::Outside {
        number: 0,
        tile: 15,
    };
    assert_eq!(
        with(&|certificate| certificate.first = 15),
        outside.to_string()
    );
}

/// Drawn and repaired boards are what they say they are.
#[test]
fn boards_without_guesses_are_made() {
    let levels = [
        ("9x9/10", Difficulty::Single),
        ("16x16/40", Difficulty::Sets),
        ("16x16/60", Difficulty::Numbers),
        ("30x16/99", Difficulty::MineCount),
        ("30x16/115", Difficulty::MineCount),
    ];
    let mut n_repaired = 0;
    for (level, hardest) in levels {
        let level: Level = level.parse().unwrap();
        let mut draw = NoGuess::new(&level, hardest);
        draw.n_uniform = 20;
        for seed in 0..4 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let made = draw.draw((2, 3), &mut rng).unwrap();
            assert_eq!(made.board.n_mines(), level.n_mines);
            assert_eq!(made.board.number((2, 3)), 0);
            let certificate = Certificate::find(&made.board, made.first, hardest).unwrap();
            assert_eq!(certificate.check(&made.board), Ok(()));
            assert_eq!(certificate.difficulty(), made.difficulty);
            n_repaired += usize::from(made.n_swaps > 0);
            let again = draw.draw((2, 3), &mut ChaCha8Rng::seed_from_u64(seed));
            assert_eq!(again.unwrap(), made);
        }
    }
    assert!(n_repaired >= 4, "{n_repaired}");
    let full: Level = "4x4/15".parse().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let none = NoGuess::new(&full, Difficulty::Single).uniform(3);
    assert!(
        none.clone().draw(0, &mut rng).is_ok(),
        "the first click wins"
    );
    let dense: Level = "16x16/200".parse().unwrap();
    let none = NoGuess::new(&dense, Difficulty::Single)
        .uniform(3)
        .draw(0, &mut rng);
    assert_eq!(
        none.unwrap_err().to_string(),
        "none of 3 boards is solved without guessing"
    );
    let packed: Level = "4x4/16".parse().unwrap();
    assert!(
        NoGuess::new(&packed, Difficulty::Single)
            .draw(0, &mut rng)
            .is_err()
    );
}

/// A policy decides every position that it comes to, and a player who follows it wins as often as it says.
#[test]
fn policies_win_what_they_say() {
    for (width, height, n_mines) in [(3, 3, 2), (4, 3, 3), (4, 4, 2), (2, 2, 1)] {
        for first_click in FirstClick::ALL {
            let grid = Grid::new(width, height).unwrap();
            let empty = Knowledge::new(&grid, n_mines).with_first_click(first_click);
            let policy = Optimum::default().policy(&empty).unwrap();
            let moves: BTreeMap<&str, Tile> = policy
                .iter()
                .map(|decided| (decided.position.as_str(), decided.tile))
                .collect();
            let (first, best) = Optimum::default().best(&empty).unwrap().unwrap();
            let mut n_won = 0;
            let mut n_boards = 0;
            for board in arrangements(&empty) {
                let near = || grid.neighbors(first).all(|near| !board.is_mine(near));
                let has_room = n_mines + 1 + grid.neighbors(first).count() <= grid.n_tiles();
                let is_allowed = match first_click {
                    FirstClick::Unprotected => true,
                    FirstClick::Opening if has_room => !board.is_mine(first) && near(),
                    _ => !board.is_mine(first),
                };
                if !is_allowed {
                    continue;
                }
                n_boards += 1;
                let mut game = Game::new(&board);
                while !game.is_over() {
                    let text = game.knowledge().to_text();
                    let signs = text.lines().skip(1).collect::<Vec<_>>().join("/");
                    assert!(game.uncover(moves[signs.as_str()]), "{signs}");
                }
                n_won += usize::from(game.exploded().is_none());
            }
            assert_eq!(
                (n_won, n_boards),
                (best.won, best.of),
                "{first_click} {grid:?}"
            );
        }
    }
}

/// The best chances on small boards, by first click.
#[test]
fn optima_of_small_boards() {
    let mut found = Vec::new();
    for (side, n_mines) in [(2, 1), (3, 1), (3, 2), (3, 3), (3, 4), (4, 2), (4, 3)] {
        for first_click in [FirstClick::Unprotected, FirstClick::Safe] {
            let grid = Grid::new(side, side).unwrap();
            let empty = Knowledge::new(&grid, n_mines).with_first_click(first_click);
            let best = Optimum::default().best(&empty).unwrap().unwrap();
            found.push(format!("{side}x{side}/{n_mines} {first_click:?}: {best:?}"));
        }
    }
    insta::assert_snapshot!(found.join("\n"));
}
