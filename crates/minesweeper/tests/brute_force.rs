//! Probabilities and players against an enumeration of all arrangements.

#![allow(missing_docs, reason = "a test")]

use kibitz_minesweeper::{
    Action, Density, Game, Knowledge, Mines, Move, NoProbabilities, PlayerName, Rule, Solver, View,
};
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;

#[path = "arrangements/mod.rs"]
mod arrangements;

use arrangements::{arrangements, best, click, games};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn probabilities_are_shares_of_arrangements((board, clicks) in games()) {
        let knowledge = click(&board, &clicks);
        let all = arrangements(&knowledge);
        let mut solver = Solver::new();
        let probabilities = solver.solve(&knowledge).unwrap();
        let n = all.len() as f64;
        prop_assert!((probabilities.ln_arrangements() - n.ln()).abs() < 1e-12);
        for tile in 0..board.grid().n_tiles() {
            let share = all.iter().filter(|board| board.is_mine(tile)).count() as f64 / n;
            let found = probabilities.mine(tile);
            prop_assert!((found - share).abs() < 1e-12, "{} {} {}", tile, found, share);
            prop_assert_eq!(found <= 0.0, share <= 0.0);
            prop_assert_eq!(found >= 1.0, share >= 1.0);
        }
    }

    /// Where only the density of mines is known, every arrangement weighs the odds of its mines.
    #[test]
    fn densities_weigh_arrangements((board, clicks) in games(), percent in 1..100_u8) {
        let text = click(&board, &clicks).to_text();
        let (_, rows) = text.split_once('\n').expect("a first line");
        let density = f64::from(percent) / 100.0;
        let mines = Mines::Density(Density::new(density).expect("within bounds"));
        let knowledge = Knowledge::from_text_with(rows, mines).expect("it was written");
        let mut total = 0.0;
        let mut with_mine = vec![0.0; board.grid().n_tiles()];
        for arrangement in arrangements(&knowledge) {
            let laid = knowledge.covered().filter(|tile| arrangement.is_mine(*tile)).count();
            let laid = i32::try_from(laid).expect("few");
            let n_covered = i32::try_from(knowledge.n_covered()).expect("few");
            let weight = density.powi(laid) * (1.0 - density).powi(n_covered - laid);
            total += weight;
            for tile in arrangement.mines() {
                with_mine[tile] += weight;
            }
        }
        let mut solver = Solver::new();
        let probabilities = solver.solve(&knowledge).expect("it is possible");
        prop_assert!((probabilities.ln_arrangements() - f64::ln(total)).abs() < 1e-12);
        for tile in knowledge.covered() {
            let (found, share) = (probabilities.mine(tile), with_mine[tile] / total);
            prop_assert!((found - share).abs() < 1e-12, "{} {} {}", tile, found, share);
            prop_assert_eq!(found <= 0.0, share <= 0.0);
        }
    }

    /// With another number on a tile, either some arrangement agrees, or the solver finds that none
    /// does.
    #[test]
    fn contradictions_are_noticed((board, clicks) in games(), tile in 0..16_usize, number in 0..5_u8) {
        let mut knowledge = click(&board, &clicks);
        let tile = tile % board.grid().n_tiles();
        if matches!(knowledge.view(tile), View::Number(_)) {
            return Ok(());
        }
        knowledge.uncover(tile, number);
        let n = arrangements(&knowledge).len();
        match Solver::new().solve(&knowledge) {
            Ok(found) => prop_assert!((found.ln_arrangements() - (n as f64).ln()).abs() < 1e-12),
            Err(error) => {
                prop_assert_eq!(error, NoProbabilities::Contradiction);
                prop_assert_eq!(n, 0);
            }
        }
    }

    /// Certain moves are right in every arrangement, exact players never guess if some move is
    /// certain, and every game ends.
    #[test]
    fn certain_moves_are_right((board, clicks) in games(), seed in 0..1000_u64) {
        for name in PlayerName::ALL {
            let mut player = name.player();
            let mut wrong = None;
            let mut look = |knowledge: &Knowledge, next: &Move| {
                let all = arrangements(knowledge);
                let tile = next.action.tile();
                let holds = match next.action {
                    Action::Uncover(_) => all.iter().all(|board| !board.is_mine(tile)),
                    _ => all.iter().all(|board| board.is_mine(tile)),
                };
                let knows_all = matches!(next.rule, Rule::LeastProbability | Rule::LookAhead | Rule::Endgame);
                if next.rule.is_certain() && !holds || knows_all && holds {
                    wrong = Some(format!("{name}: {next:?}\n{}", knowledge.to_text()));
                }
            };
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let outcome = Game::new(&board).play(player.as_mut(), &mut rng, &mut look);
            prop_assert!(outcome.n_moves <= 2 * board.grid().n_tiles());
            // From the middle of a game, too.
            let knowledge = click(&board, &clicks);
            player.start();
            if !knowledge.is_won() {
                let next = player.choose(&knowledge, &mut rng).unwrap();
                look(&knowledge, &next);
            }
            prop_assert_eq!(&wrong, &None);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// With few arrangements left, the look-ahead player is optimal.
    #[test]
    fn the_endgame_is_perfect((board, clicks) in games()) {
        let knowledge = click(&board, &clicks);
        let all = arrangements(&knowledge);
        if !(2..=24).contains(&all.len()) || knowledge.n_covered() > 7 {
            return Ok(());
        }
        let perfect = best(&knowledge, &all);
        let mut n_won = 0;
        for board in &all {
            let mut player = PlayerName::LookAhead.player();
            player.start();
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            let mut knowledge = knowledge.clone();
            while !knowledge.is_won() {
                match player.choose(&knowledge, &mut rng).unwrap().action {
                    Action::Uncover(tile) if board.is_mine(tile) => break,
                    Action::Uncover(tile) => knowledge.uncover(tile, board.number(tile)),
                    Action::Mark(tile) => knowledge.mark(tile),
                    Action::Unmark(tile) => knowledge.unmark(tile),
                }
            }
            n_won += usize::from(knowledge.is_won());
        }
        prop_assert_eq!(n_won, perfect);
    }
}
