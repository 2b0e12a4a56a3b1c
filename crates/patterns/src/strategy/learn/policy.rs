//! The policy of a decision list: the moves that it allows in every position.

use super::{Clause, Rc};
use crate::strategy::features::{BLOCK, FeatureIndex, Moves, RuleBits};

/// The policy of a decision list: the moves that it allows in every position.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Policy {
    /// Those of the first rule that applies; none where no rule applies.
    pub(super) moves: Moves,
    /// That rule, from 0.
    pub(super) rules: Vec<u16>,
}

/// The rule where none applies.
const NONE: u16 = u16::MAX;

/// The moves of a rule, or the bit sets that they are found from.
enum Source<'s> {
    Moves(&'s [u64]),
    Bits(RuleBits<'s>),
}

impl Policy {
    /// The policy of the empty list in `n_positions` positions.
    pub(super) fn empty(n_positions: usize) -> Policy {
        Policy {
            moves: vec![0; n_positions],
            rules: vec![NONE; n_positions],
        }
    }

    /// The policy after a change of the list from `before` to `after`, updated only where it can change.
    pub(super) fn changed(
        &self,
        before: &[Rc<Clause>],
        after: &[Rc<Clause>],
        features: &FeatureIndex,
    ) -> Policy {
        let is_same = |(a, b): &(&Rc<Clause>, &Rc<Clause>)| Rc::ptr_eq(a, b);
        let head = before.iter().zip(after).take_while(is_same).count();
        let backwards = before[head..].iter().rev().zip(after[head..].iter().rev());
        let n_tail = backwards.take_while(is_same).count();
        let (old_tail, new_tail) = (before.len() - n_tail, after.len() - n_tail);
        let sources: Vec<Source<'_>> = after[head..new_tail]
            .iter()
            .map(|clause| match clause.moves.get() {
                Some(moves) => Source::Moves(moves),
                None => Source::Bits(features.rule_bits(&clause.rule)),
            })
            .collect();
        let tail: Vec<&Moves> = after[new_tail..]
            .iter()
            .map(|own| own.moves(features))
            .collect();
        let [head, old_tail, new_tail] = [head, old_tail, new_tail].map(number);

        let mut changed = self.clone();
        let blocks = changed
            .moves
            .chunks_mut(BLOCK)
            .zip(changed.rules.chunks_mut(BLOCK));
        for (start, (moves, rules)) in (0..).step_by(BLOCK).zip(blocks) {
            if rules.iter().all(|rule| *rule < head) {
                continue;
            }
            // The moves of the first new rule that applies, and the rule.
            let mut found = [(0, NONE); BLOCK];
            for (rule, source) in (head..).zip(&sources) {
                let mut moves_left = [0; BLOCK];
                let own = match source {
                    Source::Moves(own) => &own[start..start + moves.len()],
                    Source::Bits(own) => {
                        let moves_left = &mut moves_left[..moves.len()];
                        for (left, old) in moves_left.iter_mut().zip(&*rules) {
                            *left = if *old < head { 0 } else { u64::MAX };
                        }
                        own.narrow(start, moves_left);
                        &*moves_left
                    }
                };
                for (found, own) in found.iter_mut().zip(own) {
                    if found.0 == 0 && *own != 0 {
                        *found = (*own, rule);
                    }
                }
            }
            for (at, found) in found[..moves.len()].iter().enumerate() {
                if rules[at] < head {
                    continue;
                }
                (moves[at], rules[at]) = if found.0 != 0 {
                    *found
                } else if rules[at] == NONE {
                    (0, NONE)
                } else if rules[at] >= old_tail {
                    (moves[at], rules[at] - old_tail + new_tail)
                } else {
                    let mut tail = tail.iter().map(|own| own[start + at]).zip(new_tail..);
                    tail.find(|(own, _)| *own != 0).unwrap_or((0, NONE))
                };
            }
        }
        changed
    }
}

fn number(rule: usize) -> u16 {
    u16::try_from(rule).expect("no list is so long")
}
