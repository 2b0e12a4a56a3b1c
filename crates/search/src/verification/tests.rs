use kibitz_board::{Position, Role};

use super::*;
use crate::reply_graph::moves_of;
use crate::retrograde::{Tablebase, Value};

fn krk() -> Endgame {
    "KRvK".parse().unwrap()
}

fn choice(moves: Vec<Move>) -> Option<Choice> {
    (!moves.is_empty()).then(|| Choice {
        rule: 0,
        preferred: vec![0, moves.len() - 1],
        moves,
    })
}

/// Every move.
fn any(position: &Chess) -> Option<Choice> {
    choice(position.legal_moves().into_iter().collect())
}

/// Some moves, the same for the same position; none in a few positions.
fn some(position: &Chess) -> Option<Choice> {
    let board = position.board();
    let place = |m: &Move| usize::from(m.to()) * 7 + board.occupied().0.count_zeros() as usize;
    let moves = position.legal_moves().into_iter();
    choice(
        moves
            .filter(|m| (place(m) + usize::from(m.from().unwrap())) % 5 > 2)
            .collect(),
    )
}

fn verify(scope: Scope, strategy: impl Fn(&Chess) -> Option<Choice>) -> Verification {
    Verification::new(&krk(), scope, &strategy, &mut |_, _| {}).unwrap()
}

/// No choice tells then how many preferences there are.
#[test]
fn a_strategy_whose_rules_never_apply_fails_everywhere() {
    for scope in [Scope::All, Scope::UpToSymmetry] {
        let verification = verify(scope, |_| None);
        let n_positions = verification.rules().count();
        assert!(n_positions > 0);
        assert_eq!(verification.n_without_rule(), n_positions);
        assert_eq!(verification.n_allowed(), 0);
        for tie_break in [
            TieBreak::Angelic,
            TieBreak::Adversarial,
            TieBreak::Preferred(0),
            TieBreak::Preferred(3),
        ] {
            let outcomes = verification.outcomes(tie_break);
            let summary = outcomes.summary();
            assert_eq!((summary.n_positions, summary.n_won), (n_positions, 0));
            assert_eq!(summary.n_failed, [n_positions, 0, 0, 0]);
            assert!(!summary.is_won());
            assert_eq!(outcomes.longest_win(), None);
            let line = outcomes.counterexample(Failure::NoRule).unwrap();
            assert!(line.moves.is_empty());
            for failure in [Failure::Stalemate, Failure::Loss, Failure::Loop] {
                assert_eq!(outcomes.counterexample(failure), None);
            }
        }
    }
}

#[test]
fn the_best_of_all_moves_is_perfect_play() {
    let tables = Tablebase::new([krk()]);
    let verification = verify(Scope::All, any);
    let outcomes = verification.outcomes(TieBreak::Angelic);
    for ((position, _), outcome) in verification.positions().zip(outcomes.iter()) {
        let expected = match tables.value(&position).unwrap() {
            Value::Won(plies) => Outcome::Mates(plies.div_ceil(2)),
            value => panic!("{position:?} is {value:?}"),
        };
        assert_eq!(outcome, expected, "{position:?}");
    }
    let summary = outcomes.summary();
    assert_eq!(
        (summary.n_positions, summary.n_won, summary.longest),
        (175_168, 175_168, 16)
    );
    let longest = outcomes.longest_win().unwrap();
    assert_eq!(longest.moves.len(), 31);
    assert!(longest.positions()[31].is_checkmate());
}

#[test]
fn promotions_are_judged_by_what_they_lead_to() {
    let endgame: Endgame = "KPvK".parse().unwrap();
    let tables = Tablebase::new([endgame.clone()]);
    let made = Verification::new(&endgame, Scope::UpToSymmetry, &any, &mut |_, _| {}).unwrap();
    let outcomes = made.outcomes(TieBreak::Angelic);
    for (position, _) in made.positions() {
        let won = match tables.value(&position).unwrap() {
            Value::Won(plies) => Some(Outcome::Mates(plies.div_ceil(2))),
            _ => None,
        };
        let found = outcomes.of(&position);
        assert_eq!(
            found.filter(|own| matches!(own, Outcome::Mates(_))),
            won,
            "{position:?}"
        );
    }
}

/// Each outcome follows from those one move on, and the moves to a mate get fewer.
fn check_definition(verification: &Verification, tie_break: TieBreak) {
    let outcomes = verification.outcomes(tie_break);
    for (position, _) in verification.positions() {
        let allowed = some(&position);
        let picked: Vec<Move> = match (&allowed, tie_break) {
            (None, _) => Vec::new(),
            (Some(own), TieBreak::Preferred(number)) => vec![own.moves[own.preferred[number]]],
            (Some(own), _) => own.moves.clone(),
        };
        // Moves to the mate after each; `None` if it is not forced.
        let after = picked.iter().map(|m| {
            let mut next = position.clone();
            next.play_unchecked(*m);
            if next.legal_moves().is_empty() {
                return next.is_check().then_some(0);
            }
            let replies = next.legal_moves().into_iter().map(|m| {
                let mut then = next.clone();
                then.play_unchecked(m);
                match outcomes.of(&then) {
                    Some(Outcome::Mates(moves)) => Some(moves),
                    _ => None,
                }
            });
            replies.collect::<Option<Vec<u16>>>()?.into_iter().max()
        });
        let after: Vec<Option<u16>> = after.collect();
        let expected = match tie_break {
            TieBreak::Adversarial => after
                .into_iter()
                .collect::<Option<Vec<u16>>>()
                .and_then(|all| all.into_iter().max()),
            _ => after.into_iter().flatten().min(),
        };
        let outcome = outcomes.of(&position).unwrap();
        let found = match outcome {
            Outcome::Mates(moves) => Some(moves - 1),
            Outcome::Fails(_) => None,
        };
        assert_eq!(found, expected, "{position:?}");
        assert!(allowed.is_some() || outcome == Outcome::Fails(Failure::NoRule));
    }
}

#[test]
fn outcomes_follow_from_each_other() {
    let verification = verify(Scope::All, some);
    for tie_break in [
        TieBreak::Angelic,
        TieBreak::Adversarial,
        TieBreak::Preferred(0),
        TieBreak::Preferred(1),
    ] {
        check_definition(&verification, tie_break);
    }
}

#[test]
fn fewer_moves_of_all_are_a_strategy_of_their_own() {
    let all = verify(Scope::UpToSymmetry, any);
    let positions: Vec<Chess> = all.positions().map(|(position, _)| position).collect();
    let longest = |kept: &dyn Fn(Move) -> bool| {
        let bits = |position: &Chess| {
            let moves = moves_of(position).into_iter().zip(0..);
            moves.fold(0, |bits, (m, place)| bits | u64::from(kept(m)) << place)
        };
        let found = all.longest_win_among(&positions.iter().map(bits).collect::<Vec<_>>());
        let some = |position: &Chess| {
            let moves = position.legal_moves().into_iter();
            choice(moves.filter(|m| kept(*m)).collect())
        };
        let summary = verify(Scope::UpToSymmetry, some)
            .outcomes(TieBreak::Angelic)
            .summary();
        assert_eq!(found, summary.is_won().then_some(summary.longest));
        found
    };
    assert_eq!(longest(&|_| true), Some(16));
    // A rook that steps beside itself has others; one that never moves mates nobody.
    let is_step = |m: Move| m.from().is_some_and(|from| from.distance(m.to()) == 1);
    let slower = longest(&|m| m.role() == Role::King || !is_step(m)).unwrap();
    assert!(slower >= 16, "{slower}");
    assert_eq!(longest(&|m| m.role() == Role::King), None);
}

#[test]
fn symmetry_changes_no_outcome() {
    let all = verify(Scope::All, any);
    let few = verify(Scope::UpToSymmetry, any);
    let outcomes = all.outcomes(TieBreak::Adversarial);
    for ((position, _), outcome) in few
        .positions()
        .zip(few.outcomes(TieBreak::Adversarial).iter())
    {
        assert_eq!(outcomes.of(&position), Some(outcome));
    }
}

#[test]
fn lines_show_what_they_are_for() {
    let verification = verify(Scope::All, some);
    for tie_break in [
        TieBreak::Angelic,
        TieBreak::Adversarial,
        TieBreak::Preferred(0),
    ] {
        let outcomes = verification.outcomes(tie_break);
        let summary = outcomes.summary();
        for failure in Failure::ALL {
            let line = outcomes.counterexample(failure);
            assert_eq!(
                line.is_some(),
                summary.n_failed[failure as usize] > 0,
                "{failure:?}"
            );
            let Some(line) = line else {
                continue;
            };
            let positions = line.positions();
            for (position, m) in positions.iter().zip(&line.moves).step_by(2) {
                assert!(some(position).unwrap().moves.contains(m));
            }
            let last = &positions[positions.len() - 1];
            match failure {
                Failure::NoRule => assert!(some(last).is_none()),
                Failure::Stalemate => assert!(last.is_stalemate()),
                Failure::Loss => assert_eq!(last.board().occupied().count(), 2),
                Failure::Loop => {
                    assert_eq!(last.board(), line.start.board());
                    assert!(line.moves.len() >= 4 && line.moves.len().is_multiple_of(2));
                }
            }
        }
    }
    let adversarial = verification.outcomes(TieBreak::Adversarial).summary();
    assert!(
        adversarial
            .n_failed
            .iter()
            .filter(|count| **count > 0)
            .count()
            >= 2,
        "{adversarial:?}"
    );
}
