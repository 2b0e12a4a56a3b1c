//! Play by endgame rules: rule strategies, and patterns of pawns that promote without their king.

use kibitz_board::{
    CastlingMode, Chess, Color, EnPassantMode, Endgame, FromSetup, Move, Position, Role,
};
use kibitz_patterns::{
    can_run::{PRINTED, Patterns, REPAIRED},
    strategy::{BUNDLED, RuleStrategy},
};
use kibitz_search::{
    retrograde::{Tablebase, Value},
    verification::{Fault, Outcome, Scope, TieBreak, Verification},
};

/// Pattern sets of running pawns: their names, and their changes to the printed patterns.
const RUNS: [(&str, &str); 2] = [("kpk-can-run", ""), ("kpk-can-run-repaired", REPAIRED)];

/// The rules of an endgame.
#[derive(Debug)]
pub(crate) enum Rules {
    /// Rules for the stronger side.
    Strategy(Box<VerifiedStrategy>),
    /// Patterns of pawns that promote without their king.
    Runs(Box<Patterns>),
}

/// A rule strategy with its verified outcomes.
///
/// Of the moves that a rule allows, the fastest mate against the best defense is played: the thesis
/// leaves the choice open, and no fixed preference wins with all of its rules.
#[derive(Debug)]
pub(crate) struct VerifiedStrategy {
    strategy: RuleStrategy,
    /// Outcomes by index of the position.
    outcomes: Vec<Option<Outcome>>,
    conversions: Tablebase,
}

/// The advice of the rules for a position.
#[derive(Debug)]
pub(crate) struct Advice {
    /// The rule that applies.
    pub(crate) rule: String,
    /// The moves that it allows, the preferred one first.
    pub(crate) moves: Vec<(Move, Promise)>,
}

/// The guaranteed result of a move under the rules, against any reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Promise {
    /// Mate, in moves, with this move counted.
    Mate(u16),
    /// A pawn on the last rank, for a queen unless that would be stalemate.
    Queen,
    /// No guarantee.
    Nothing,
}

impl Rules {
    /// The names of rules and patterns.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        BUNDLED.iter().chain(&RUNS).map(|(name, _)| *name)
    }

    /// The rules of this name, case-insensitive.
    pub(crate) fn bundled(name: &str) -> Option<Rules> {
        let named = |(own, _): &&(&str, &str)| own.eq_ignore_ascii_case(name);
        if let Some((_, changes)) = RUNS.iter().find(named) {
            let patterns = Patterns::read_changed(PRINTED, changes).ok()?;
            return Some(Rules::Runs(Box::new(patterns)));
        }
        let (name, text) = BUNDLED.iter().find(named)?;
        let strategy = RuleStrategy::read(name, text).ok()?;
        Some(Rules::Strategy(Box::new(
            VerifiedStrategy::new(strategy).ok()?,
        )))
    }

    /// The advice for a position; `None` if the side to move lacks their material, or no rule applies.
    ///
    /// # Errors
    /// A concept of the rules cannot be decided.
    pub(crate) fn advice(&self, position: &Chess) -> Result<Option<Advice>, Fault> {
        let Some(seen) = seen_by_white(position) else {
            return Ok(None);
        };
        let advice = match self {
            Rules::Strategy(verified) => verified.advice(&seen)?,
            Rules::Runs(patterns) => run(patterns, &seen)?,
        };
        Ok(advice.map(|mut advice| {
            if position.turn() == Color::Black {
                for (m, _) in &mut advice.moves {
                    *m = m.to_mirrored();
                }
            }
            advice
        }))
    }
}

impl Rules {
    /// The line from a move that promises mate to the mating move: the rules against a defense that
    /// holds out longest. Without such a promise it is shorter, the move alone at the least.
    pub(crate) fn line(&self, position: &Chess, m: Move) -> Vec<Move> {
        let mut line = vec![m];
        let Rules::Strategy(verified) = self else {
            return line;
        };
        let is_black = position.turn() == Color::Black;
        let own = |m: Move| if is_black { m.to_mirrored() } else { m };
        if let Some(seen) = seen_by_white(position) {
            line = verified.line(&seen, own(m)).into_iter().map(own).collect();
        }
        line
    }
}

/// Advances of a running pawn that keep a pattern.
fn run(patterns: &Patterns, position: &Chess) -> Result<Option<Advice>, Fault> {
    let endgame: Endgame = "KPvK".parse()?;
    if endgame.placement_index_of(position).is_none() {
        return Ok(None);
    }
    let Some(number) = patterns.first(position)? else {
        return Ok(None);
    };
    let mut moves = Vec::new();
    for m in position.legal_moves() {
        let is_step = m.role() == Role::Pawn && m.promotion().is_none_or(|to| to == Role::Queen);
        if is_step && goes_on(patterns, position, m)? {
            moves.push((m, Promise::Queen));
        }
    }
    let rule = format!("pattern {number}");
    Ok((!moves.is_empty()).then_some(Advice { rule, moves }))
}

/// Whether an advance ends the run, or a pattern holds after every reply.
fn goes_on(patterns: &Patterns, position: &Chess, m: Move) -> Result<bool, Fault> {
    let mut next = position.clone();
    next.play_unchecked(m);
    let replies = next.legal_moves();
    if m.is_promotion() {
        return Ok(!next.is_stalemate() && !replies.iter().any(|reply| reply.is_capture()));
    }
    for reply in &replies {
        let mut then = next.clone();
        then.play_unchecked(*reply);
        if patterns.first(&then)?.is_none() {
            return Ok(false);
        }
    }
    Ok(!replies.is_empty() || next.is_check())
}

impl VerifiedStrategy {
    fn new(strategy: RuleStrategy) -> Result<VerifiedStrategy, Fault> {
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
        Ok(VerifiedStrategy {
            strategy,
            outcomes,
            conversions,
        })
    }

    fn advice(&self, position: &Chess) -> Result<Option<Advice>, Fault> {
        let is_ours = self.strategy.endgame.placement_index_of(position).is_some();
        let Some(choice) = (is_ours.then(|| self.strategy.choice(position)))
            .transpose()?
            .flatten()
        else {
            return Ok(None);
        };
        let preferred = choice.preferred.first().map(|place| choice.moves[*place]);
        let mut moves: Vec<(Move, Promise)> = (choice.moves.iter())
            .map(|m| {
                let mate = self.mates_in(position, *m).map(Promise::Mate);
                (*m, mate.unwrap_or(Promise::Nothing))
            })
            .collect();
        moves.sort_by_key(|(m, promise)| {
            let mates_in = match promise {
                Promise::Mate(moves) => *moves,
                Promise::Queen | Promise::Nothing => u16::MAX,
            };
            (mates_in, Some(*m) != preferred)
        });
        let rule = format!("rule {}", self.strategy.rules[choice.rule].name);
        Ok(Some(Advice { rule, moves }))
    }

    /// Distance to mate of an allowed move, in moves, that move counted; `None` if some defense holds.
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

    /// The moves of both sides from a move of White on, as far as a mate is forced.
    fn line(&self, position: &Chess, m: Move) -> Vec<Move> {
        let mut line = Vec::new();
        let mut position = position.clone();
        let mut next = Some(m);
        while let Some(m) = next {
            line.push(m);
            position.play_unchecked(m);
            next = if position.turn() == Color::Black {
                self.longest_reply(&position)
            } else {
                self.best_move(&position)
            };
        }
        line
    }

    /// The first reply after which the mate takes longest; `None` if some reply escapes it, or there
    /// is none.
    fn longest_reply(&self, position: &Chess) -> Option<Move> {
        let mut best = None;
        for m in position.legal_moves() {
            let mut next = position.clone();
            next.play_unchecked(m);
            let mates_in = self.mates_from(&next)?;
            if best.is_none_or(|(longest, _)| mates_in > longest) {
                best = Some((mates_in, m));
            }
        }
        best.map(|(_, m)| m)
    }

    /// The move of White that the rules prefer, or the fastest mate in another endgame.
    fn best_move(&self, position: &Chess) -> Option<Move> {
        if let Some(moves) = self.conversions.moves(position) {
            return moves.first().map(|(m, _)| *m);
        }
        let advice = self.advice(position).ok()??;
        advice.moves.first().map(|(m, _)| *m)
    }

    /// Distance to mate, in moves, of a position with White to move.
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

/// The position with colors swapped if necessary, so that White is to move.
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

    use kibitz_board::fen::Fen;

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
    /// the mate comes within the reported distance, and not before White's table allows.
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
                    let (m, Promise::Mate(mates_in)) = advice.moves[0] else {
                        panic!("{name}: {position:?}");
                    };
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
                n_kept[usize::from(advice.moves[0].1 != Promise::Nothing)] += 1;
            }
        }
        assert!(n_kept[0] > 0 && n_kept[1] > n_kept[0], "{n_kept:?}");
    }

    /// Every reply to every step, from every 211th position.
    #[test]
    fn pawns_that_run_promote_whatever_the_replies() {
        let rules = rules("kpk-can-run-repaired");
        let endgame: Endgame = "KPvK".parse().unwrap();
        let mut open: Vec<Chess> = (endgame.positions().step_by(211).map(|(_, own)| own))
            .filter(|position| rules.advice(position).unwrap().is_some())
            .collect();
        assert!(open.len() > 100);
        let (mut seen, mut n_promoted) = (BTreeSet::new(), 0);
        while let Some(position) = open.pop() {
            let Some(advice) = rules.advice(&position).unwrap() else {
                // A queen would leave Black no move: what to promote to is left to the search.
                let stalemates = position.legal_moves().into_iter().any(|m| {
                    let next = position.clone().play(m).expect("legal");
                    m.promotion() == Some(Role::Queen) && next.is_stalemate()
                });
                assert!(stalemates, "the pawn stops: {position:?}");
                continue;
            };
            let (m, promise) = advice.moves[0];
            assert_eq!(promise, Promise::Queen);
            let mut next = position;
            next.play_unchecked(m);
            if m.is_promotion() {
                assert!(
                    !next.legal_moves().iter().any(|reply| reply.is_capture()),
                    "{next:?}"
                );
                n_promoted += 1;
                continue;
            }
            for reply in next.legal_moves() {
                let mut then = next.clone();
                then.play_unchecked(reply);
                if seen.insert(endgame.index_of(&then)) {
                    open.push(then);
                }
            }
        }
        assert!(n_promoted > 100);
        // The same for Black, whose pawn goes down.
        let advice = rules
            .advice(&position("7k/p7/8/8/6K1/8/8/8 b - - 0 1"))
            .unwrap();
        assert_eq!(advice.unwrap().moves[0].0.role(), Role::Pawn);
        assert!(
            rules
                .advice(&position("7k/8/8/8/6K1/p7/8/8 w - - 0 1"))
                .unwrap()
                .is_none()
        );
    }
}
