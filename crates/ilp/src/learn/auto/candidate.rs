//! Theories to choose from, and which of two is better on all examples.

use std::cmp::Ordering;

use kibitz_prolog::Clause;

use crate::learn::Hypothesis;

/// The bits that a theory with mistakes pays beyond its message: labels are taken to be wrong only
/// where that saves more, since few examples can be told in few bits by chance.
const MISTAKES: f64 = 16.0;

/// What a learner learned from all examples.
pub(super) struct Candidate {
    /// The place of its learner among all.
    pub(super) learner: usize,
    /// The turn in which it was learned.
    pub(super) turn: u32,
    pub(super) learned: Hypothesis,
    /// What the examples cost that the theory is wrong about, by their weights.
    loss: f64,
    /// Clauses and body literals.
    size: usize,
    /// Its message, and that of the empty theory.
    bits: [f64; 2],
}

impl Candidate {
    pub(super) fn new(
        (learner, turn): (usize, u32),
        learned: Hypothesis,
        loss: f64,
        bits: [f64; 2],
    ) -> Self {
        Self {
            learner,
            turn,
            loss,
            size: learned.clauses.iter().map(Clause::len).sum(),
            bits,
            learned,
        }
    }

    /// Its learner as it was in its turn.
    pub(super) fn in_turn(&self) -> (usize, u32) {
        (self.learner, self.turn)
    }

    /// The bits of its message.
    pub(super) fn bits(&self) -> f64 {
        self.bits[0]
    }

    /// Whether it is right about every example.
    pub(super) fn is_exact(&self) -> bool {
        self.loss == 0.0
    }

    /// The bits of its message, with what mistakes cost.
    pub(super) fn cost(&self) -> f64 {
        let [own, _] = self.bits;
        own + if self.is_exact() { 0.0 } else { MISTAKES }
    }

    /// Whether its message is shorter than the labels alone.
    pub(super) fn is_worth_it(&self) -> bool {
        self.cost() < self.bits[1]
    }

    /// `Less` if it is better than another on all examples. Theories that save bits are compared by
    /// their messages. Where examples are too few to pay for a theory, mistakes count, then literals.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let by_mistakes = || {
            let by_loss = self.loss.total_cmp(&other.loss);
            by_loss.then(self.size.cmp(&other.size))
        };
        match (self.is_worth_it(), other.is_worth_it()) {
            (true, true) => self.cost().total_cmp(&other.cost()).then_with(by_mistakes),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => by_mistakes(),
        }
    }
}
