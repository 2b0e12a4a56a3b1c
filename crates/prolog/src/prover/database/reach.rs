//! What goals of a predicate lead to.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::Database;
use crate::prover::builtin::Builtin;
use crate::prover::compile::is_control;
use crate::term::{Atom, Literal, Predicate, Symbol, Term};

/// A goal that no clause defines.
#[derive(Clone, Copy)]
enum LeafGoal {
    Builtin(Builtin),
    /// A cut, a condition, a negation, a call of a term, or a collection of answers.
    Control,
    Native,
}

impl Database {
    /// Whether goals of a predicate have the answers, with some arguments unbound, that they have with
    /// values for them, as far as their clauses tell: nothing in them looks at what is bound.
    pub fn is_relation(&self, predicate: Predicate) -> bool {
        self.reaches(predicate, &mut |part| match part {
            LeafGoal::Builtin(builtin) => !builtin.is_relation(),
            LeafGoal::Control => true,
            LeafGoal::Native => false,
        })
        .is_none()
    }

    /// Whether goals of a predicate calculate numbers.
    pub fn calculates(&self, predicate: Predicate) -> bool {
        let is_it = |builtin| {
            use Builtin::{IntEqual, Is, Length, Plus, Succ};
            matches!(builtin, Is | Succ | Plus | Length | IntEqual)
        };
        self.reaches(predicate, &mut |part| match part {
            LeafGoal::Builtin(builtin) => is_it(builtin),
            _ => false,
        })
        .is_some()
    }

    /// Whether goals of a predicate ask a relation in Rust.
    pub fn is_native(&self, predicate: Predicate) -> bool {
        self.reaches(predicate, &mut |part| matches!(part, LeafGoal::Native))
            .is_some()
    }

    /// The first thing beside clauses, as far as goals of a predicate can lead to it, for which this
    /// holds.
    fn reaches(
        &self,
        predicate: Predicate,
        holds: &mut dyn FnMut(LeafGoal) -> bool,
    ) -> Option<LeafGoal> {
        let mut met = vec![predicate];
        let mut next = 0;
        while let Some(&predicate) = met.get(next) {
            next += 1;
            let native = (self.entries.get(&predicate)).is_some_and(|own| own.native.is_some());
            let found = match self.builtins.get(&predicate) {
                Some(builtin) => Some(LeafGoal::Builtin(*builtin)),
                None if native => Some(LeafGoal::Native),
                None => None,
            };
            if let Some(found) = found.filter(|found| holds(*found)) {
                return Some(found);
            }
            let rules = self.rules.iter().map(|(_, clause)| clause);
            let own = rules.filter(|clause| clause.head.predicate() == predicate);
            for literal in own.flat_map(|clause| &clause.body) {
                let is_plain =
                    literal.positive && self.add_called(&literal.atom.to_term(), &mut met);
                if !is_plain && holds(LeafGoal::Control) {
                    return Some(LeafGoal::Control);
                }
            }
        }
        None
    }

    /// Adds the predicates that a goal calls; false if it does more than to call them.
    fn add_called(&self, goal: &Term, met: &mut Vec<Predicate>) -> bool {
        if let Term::Compound(Symbol::COMMA | Symbol::OR, parts) = goal {
            return parts.iter().all(|part| self.add_called(part, met));
        }
        let Some(atom) = Atom::from_term(goal) else {
            return false;
        };
        let predicate = atom.predicate();
        let fails = atom.name == self.control.fail || atom.name == self.control.false_;
        if is_control(predicate, self.control) || atom.name == self.control.call {
            return fails;
        }
        if !met.contains(&predicate) {
            met.push(predicate);
        }
        true
    }

    /// Whether the program's rules for what a body mentions, or for some of these predicates, may call
    /// some of them.
    pub(in crate::prover) fn leads_to(&self, body: &[&Literal], predicates: &[Predicate]) -> bool {
        let mut met: IndexSet<Predicate, FxBuildHasher> = predicates.iter().copied().collect();
        let mention = |literal: &Literal, met: &mut IndexSet<Predicate, FxBuildHasher>| {
            literal.atom.to_term().all_parts(&mut |part| {
                met.extend(Atom::from_term(part).map(|atom| atom.predicate()));
                true
            });
        };
        for literal in body {
            mention(literal, &mut met);
        }
        let mut next = 0;
        while let Some(&predicate) = met.get_index(next) {
            next += 1;
            let rules = self.rules.iter().map(|(_, clause)| clause);
            for clause in rules.filter(|clause| clause.head.predicate() == predicate) {
                if calls_any(&clause.body, predicates) {
                    return true;
                }
                for literal in &clause.body {
                    mention(literal, &mut met);
                }
            }
        }
        false
    }

    /// Whether a goal is decided without any native relation, as far as can be seen from its name.
    pub(in crate::prover) fn is_of_facts(&self, goal: &Atom) -> bool {
        let mut met: Vec<Predicate> = vec![goal.predicate()];
        let mut next = 0;
        while let Some(&predicate) = met.get(next) {
            next += 1;
            let native = (self.entries.get(&predicate)).is_some_and(|own| own.native.is_some());
            if native || is_control(predicate, self.control) {
                return false;
            }
            for (_, clause) in &self.rules {
                if clause.head.predicate() == predicate {
                    let called = clause.body.iter().map(|own| own.atom.predicate());
                    let new: Vec<Predicate> = called.filter(|own| !met.contains(own)).collect();
                    met.extend(new);
                }
            }
        }
        true
    }
}

/// Whether any literal calls one of these predicates.
pub(in crate::prover) fn calls_any(body: &[Literal], predicates: &[Predicate]) -> bool {
    let is_other = |part: &Term| {
        Atom::from_term(part).is_none_or(|atom| !predicates.contains(&atom.predicate()))
    };
    body.iter()
        .any(|literal| !literal.atom.to_term().all_parts(&mut |part| is_other(part)))
}
