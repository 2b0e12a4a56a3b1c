//! The moves that a list of rules allows.

use super::{Clause, Rc};
use crate::strategy::truths::{Asked, BLOCK, Moves, Truths};

/// The moves that a list of rules allows in every position.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Choice {
    /// Those of the first rule that applies; none where no rule applies.
    pub(super) moves: Moves,
    /// That rule, from 0.
    pub(super) rules: Vec<u16>,
}

/// The rule where none applies.
const NONE: u16 = u16::MAX;

/// Moves of a rule that are known, or what they are found from.
enum Source<'s> {
    Known(&'s [u64]),
    Asked(Asked<'s>),
}

impl Choice {
    /// That of the list without rules, among so many positions.
    pub(super) fn none(n_positions: usize) -> Choice {
        Choice {
            moves: vec![0; n_positions],
            rules: vec![NONE; n_positions],
        }
    }

    /// What becomes of it when the list does. Rules are asked only where it can change.
    pub(super) fn changed(
        &self,
        before: &[Rc<Clause>],
        after: &[Rc<Clause>],
        truths: &Truths,
    ) -> Choice {
        let is_same = |(a, b): &(&Rc<Clause>, &Rc<Clause>)| Rc::ptr_eq(a, b);
        let head = before.iter().zip(after).take_while(is_same).count();
        let backwards = before[head..].iter().rev().zip(after[head..].iter().rev());
        let n_tail = backwards.take_while(is_same).count();
        let (old_tail, new_tail) = (before.len() - n_tail, after.len() - n_tail);
        let sources: Vec<Source<'_>> = after[head..new_tail]
            .iter()
            .map(|clause| match clause.moves.get() {
                Some(moves) => Source::Known(moves),
                None => Source::Asked(truths.asked(&clause.rule)),
            })
            .collect();
        let tail: Vec<&Moves> = after[new_tail..]
            .iter()
            .map(|own| own.moves(truths))
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
            // What the first of the new rules that applies allows.
            let mut found = [(0, NONE); BLOCK];
            for (rule, source) in (head..).zip(&sources) {
                let mut asked = [0; BLOCK];
                let own = match source {
                    Source::Known(own) => &own[start..start + moves.len()],
                    Source::Asked(own) => {
                        let asked = &mut asked[..moves.len()];
                        for (asked, old) in asked.iter_mut().zip(&*rules) {
                            *asked = if *old < head { 0 } else { u64::MAX };
                        }
                        own.narrow(start, asked);
                        &*asked
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
