//! Play by the rules of a strategy for an endgame.

use kibitz_board::{CastlingMode, Chess, Color, EnPassantMode, FromSetup, Move, Position};
use kibitz_patterns::strategy::{BUNDLED, RuleStrategy};
use kibitz_search::{
    retrograde::{Tablebase, Value},
    verification::{Fault, Outcome, Scope, TieBreak, Verification},
};

/// Rules, and what comes of every position by them.
///
/// Of the moves that a rule allows the one is made that mates soonest against the best defense: the
/// rules of the thesis leave it open, and no fixed preference of ours wins with all of them.
#[derive(Debug)]
pub(crate) struct Rules {
    strategy: RuleStrategy,
    /// Outcomes by the number of the position.
    outcomes: Vec<Option<Outcome>>,
    conversions: Tablebase,
}

/// What the rules say of a position.
#[derive(Debug)]
pub(crate) struct Advice {
    /// The name of the rule that applies.
    pub(crate) rule: String,
    /// The moves that it allows, the one to make first, with the moves to mate if they mate.
    pub(crate) moves: Vec<(Move, Option<u16>)>,
}

impl Rules {
    /// The names of the bundled rules.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        BUNDLED.iter().map(|(name, _)| *name)
    }

    /// The bundled rules with a name, in upper or lower case.
    pub(crate) fn bundled(name: &str) -> Option<Rules> {
        let (name, text) = BUNDLED
            .iter()
            .find(|(own, _)| own.eq_ignore_ascii_case(name))?;
        Rules::new(RuleStrategy::read(name, text).ok()?).ok()
    }

    fn new(strategy: RuleStrategy) -> Result<Rules, Fault> {
        let endgame = &strategy.endgame;
        let verification =
            Verification::new(endgame, Scope::UpToSymmetry, &strategy, &mut |_, _| {})?;
        let mut outcomes = vec![None; endgame.n_indices()];
        let best = verification.outcomes(TieBreak::Angelic);
        for ((position, _), outcome) in verification.positions().zip(best.iter()) {
            if let Some(index) = endgame.index_of(&position) {
                outcomes[index] = Some(outcome);
            }
        }
        let conversions = Tablebase::new(endgame.conversions());
        Ok(Rules {
            strategy,
            outcomes,
            conversions,
        })
    }

    /// What the rules say; `None` if the side to move does not have the material that they are for,
    /// or if no rule applies.
    ///
    /// # Errors
    /// A concept of the rules cannot be decided.
    pub(crate) fn advice(&self, position: &Chess) -> Result<Option<Advice>, Fault> {
        let Some(seen) = seen_by_white(position) else {
            return Ok(None);
        };
        let is_ours = self.strategy.endgame.placement_index_of(&seen).is_some();
        let Some(choice) = is_ours
            .then(|| self.strategy.choice(&seen))
            .transpose()?
            .flatten()
        else {
            return Ok(None);
        };
        let preferred = choice.preferred.first().map(|place| choice.moves[*place]);
        let mut moves: Vec<(Move, Option<u16>)> = (choice.moves.iter())
            .map(|m| (*m, self.mates_in(&seen, *m)))
            .collect();
        moves.sort_by_key(|(m, mates_in)| (mates_in.unwrap_or(u16::MAX), Some(*m) != preferred));
        if position.turn() == Color::Black {
            for (m, _) in &mut moves {
                *m = m.to_mirrored();
            }
        }
        let rule = self.strategy.rules[choice.rule].name.clone();
        Ok(Some(Advice { rule, moves }))
    }

    /// Moves to mate after a move that the rules allow, that move counted; `None` if it does not win
    /// against every defense.
    fn mates_in(&self, position: &Chess, m: Move) -> Option<u16> {
        let mut next = position.clone();
        next.play_unchecked(m);
        if let Some(value) = self.conversions.value(&next) {
            return match value {
                Value::Lost(plies) => Some(plies / 2 + 1),
                Value::Won(_) | Value::Drawn => None,
            };
        }
        let replies = next.legal_moves();
        if replies.is_empty() {
            return next.is_check().then_some(1);
        }
        let mut longest = 0;
        for reply in replies {
            let mut then = next.clone();
            then.play_unchecked(reply);
            longest = longest.max(self.mates_from(&then)?);
        }
        Some(longest + 1)
    }

    /// Moves to mate of a position with White to move.
    fn mates_from(&self, position: &Chess) -> Option<u16> {
        if let Some(Value::Won(plies)) = self.conversions.value(position) {
            return Some(plies.div_ceil(2));
        }
        match self.outcomes[self.strategy.endgame.index_of(position)?]? {
            Outcome::Mates(moves) => Some(moves),
            Outcome::Fails(_) => None,
        }
    }
}

/// The position with the side to move as White.
fn seen_by_white(position: &Chess) -> Option<Chess> {
    if position.turn() == Color::White {
        return Some(position.clone());
    }
    let setup = position.to_setup(EnPassantMode::Legal).into_mirrored();
    Chess::from_setup(setup, CastlingMode::Standard).ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use kibitz_board::{Endgame, fen::Fen};

    use super::*;

    fn rules(name: &str) -> Rules {
        Rules::bundled(name).unwrap()
    }

    fn position(fen: &str) -> Chess {
        let fen: Fen = fen.parse().unwrap();
        fen.into_position(CastlingMode::Standard).unwrap()
    }

    #[test]
    fn rules_play_for_either_color_and_for_nothing_else() {
        let rules = rules("krk-2-repaired");
        let moves = |fen: &str| -> Vec<String> {
            let advice = rules.advice(&position(fen)).unwrap();
            let moves = advice.map(|advice| advice.moves).unwrap_or_default();
            moves.iter().map(|(m, _)| m.to_string()).collect()
        };
        assert_eq!(moves("k7/8/1K6/8/8/8/8/7R w - - 0 1"), ["Rh1-h8"]);
        assert_eq!(moves("7r/8/8/8/8/1k6/8/K7 b - - 0 1"), ["Rh8-h1"]);
        for other in [
            // The side to move defends; other material; castling.
            "k7/8/1K6/8/8/8/8/7R b - - 0 1",
            "7r/8/8/8/8/1k6/8/K7 w - - 0 1",
            "k7/8/1K6/8/8/8/8/6Q1 w - - 0 1",
            "k7/7p/1K6/8/8/8/8/7R w - - 0 1",
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
        ] {
            assert_eq!(moves(other), [""; 0], "{other}");
        }
    }

    /// The rook's side by the rules, the king by a table of perfect play, from every 400th position:
    /// the mate comes within the moves that were told, and not before White's table says it can.
    #[test]
    fn repaired_rules_mate_the_perfect_defense_in_200_games() {
        let endgame: Endgame = "KRvK".parse().unwrap();
        let tables = Tablebase::new([endgame.clone()]);
        let starts: Vec<Chess> = (endgame.positions().map(|(_, position)| position))
            .filter(|position| position.turn() == Color::White)
            .collect();
        for name in ["krk-1-repaired", "krk-2-repaired"] {
            let rules = rules(name);
            let mut lengths = BTreeSet::new();
            for start in starts.iter().step_by(starts.len() / 200) {
                let mut position = start.clone();
                let mut promised = None;
                let mut n_moves = 0;
                loop {
                    let advice = rules.advice(&position).unwrap().expect("a rule applies");
                    let (m, mates_in) = advice.moves[0];
                    let mates_in = mates_in.unwrap_or_else(|| panic!("{name}: {position:?}"));
                    assert!(promised.is_none_or(|before| mates_in < before), "{name}");
                    promised = Some(mates_in);
                    position.play_unchecked(m);
                    n_moves += 1;
                    let Some(&(reply, _)) = tables.moves(&position).unwrap().first() else {
                        break;
                    };
                    position.play_unchecked(reply);
                }
                assert!(position.is_checkmate(), "{name}: {position:?}");
                lengths.insert(n_moves);
            }
            assert!(lengths.last() > Some(&16), "{name}: {lengths:?}");
        }
    }

    #[test]
    fn printed_rules_do_not_promise_what_they_do_not_keep() {
        let rules = rules("krk-1");
        let endgame: Endgame = "KRvK".parse().unwrap();
        let mut n_kept = [0; 2];
        for (_, position) in endgame.positions().step_by(97) {
            if position.turn() == Color::White
                && let Some(advice) = rules.advice(&position).unwrap()
            {
                n_kept[usize::from(advice.moves[0].1.is_some())] += 1;
            }
        }
        assert!(n_kept[0] > 0 && n_kept[1] > n_kept[0], "{n_kept:?}");
    }
}
