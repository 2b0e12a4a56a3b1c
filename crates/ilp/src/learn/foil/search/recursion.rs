//! What clauses that call themselves need beside gain.
//!
//! A call needs values that lead down to it, and its answer is seldom right at once: such clauses consist
//! of determinate literals for the most part. So these must not multiply, and where a test of the head's
//! arguments turns up late, the clause is grown again for the examples that pass it.
//!
//! # Source
//! Quinlan 1996, "Learning first-order definitions of functions"; Quinlan and Cameron-Jones 1995,
//! "Induction of logic programs: FOIL and related systems".

use super::super::candidates::Pick;
use super::state::{PartialClause, Search};
use crate::eval::Lit;

/// What a determinate literal adds to a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Addition {
    /// Values that are new.
    New,
    /// Values that need a better reason than being determined: one constant, or what follows from
    /// variables that literals of the same relation determined.
    Weak,
    /// A variable that has the values of another: the literal with that variable says more.
    Repeated,
}

impl Search<'_> {
    /// Whether definitions may be recursive.
    pub(super) fn has_recursion(&self) -> bool {
        !self.places.is_empty()
    }

    /// Notes the places at which the calls of a finished clause are smaller, and whether its answers are
    /// bounded as the examples are.
    pub(super) fn take_places(&mut self, lits: &[Lit]) {
        if !self.has_recursion() {
            return;
        }
        self.needs_trust |= self.termination.needs_trust(lits, &self.places);
        self.places = self.termination.places(lits, &self.places);
        if !self.termination.keeps_to_bounds(lits) {
            self.termination.trust_target(false);
        }
    }

    /// Whether the calls of a finished clause end beside the other clauses: where one of them relies on
    /// how its answers are bounded, all must keep to these bounds.
    pub(super) fn may_call(&mut self, lits: &[Lit]) -> bool {
        if !self.has_recursion() {
            return true;
        }
        let needs_trust = self.needs_trust || self.termination.needs_trust(lits, &self.places);
        !needs_trust || self.termination.keeps_to_bounds(lits)
    }

    /// The values that the new variables of a literal have on the positive tuples, after those of the
    /// variables that are there.
    fn positive_columns(&self, partial: &PartialClause, lit: &Lit) -> Vec<Vec<u32>> {
        let tuples = &partial.tuples;
        let (rows, live) = (&tuples.rows[0], &tuples.live[0]);
        self.meter.rows(tuples.counts[0]);
        rows.join(self.problem, live, lit.relation, &lit.args)
            .columns
    }

    /// What a determinate literal adds to a clause.
    pub(super) fn adds(&self, partial: &PartialClause, lit: &Lit) -> Addition {
        if !self.has_recursion() {
            return Addition::New;
        }
        let columns = self.positive_columns(partial, lit);
        let (known, new) = columns.split_at(partial.vars.len());
        if new.iter().any(|column| known.contains(column)) {
            return Addition::Repeated;
        }
        let is_constant = |column: &Vec<u32>| column.iter().all(|value| *value == column[0]);
        let is_chain = lit
            .vars()
            .all(|var| partial.determined_by[var as usize] == Some(lit.relation));
        if is_chain || new.iter().all(is_constant) {
            return Addition::Weak;
        }
        Addition::New
    }

    /// Whether every new variable of a literal has the values of one that was introduced after the first
    /// so many.
    pub(super) fn repeats(&self, partial: &PartialClause, lit: &Lit, n_before: usize) -> bool {
        self.has_recursion() && {
            let columns = self.positive_columns(partial, lit);
            let (known, new) = columns.split_at(partial.vars.len());
            new.iter().all(|column| known[n_before..].contains(column))
        }
    }

    /// Begins a clause again with what it says of the head's arguments alone, once a literal does that
    /// comes late; whether it did.
    pub(super) fn regrow(&mut self, partial: &mut PartialClause, pick: Pick) -> bool {
        let n_head = self.base_vars.len();
        let is_of_head =
            |lit: &Lit| lit.n_new() == 0 && lit.vars().all(|var| (var as usize) < n_head);
        let lit = partial.candidates.lit(pick);
        if !self.has_recursion()
            || partial.is_determinate
            || !is_of_head(&lit)
            || self.termination.is_recursive(&lit)
        {
            return false;
        }
        let mut again = self.start();
        let of_head = partial.lits.iter().filter(|lit| is_of_head(lit));
        for lit in of_head.chain([&lit]) {
            let Some(pick) = again.candidates.pick(lit) else {
                return false;
            };
            self.add(&mut again, pick);
        }
        *partial = again;
        true
    }
}
