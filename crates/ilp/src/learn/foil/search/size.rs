//! What of a clause under construction counts towards the bounds of the bias.
//!
//! A determinate literal that keeps every tuple only offers values. Until another literal takes one
//! it is dropped when the clause is finished, so it must not use up the variables and literals that
//! the bias allows.

use std::rc::Rc;

use kibitz_prolog::Direction;

use super::super::candidates::MAX_LITERALS;
use super::super::formation::VarInfo;
use super::super::table::Rows;
use super::state::{PartialClause, Search};
use crate::eval::Lit;
use crate::task::Task;

/// Rows looked at for all literals over the variables of a clause, beyond which no determinate literal is
/// added; and how many times those for the variables of the head they may be, where there are many examples.
const MAX_WORK: usize = 2_000_000;
const MAX_GROWTH: usize = 8;

/// Without a limit in the bias, clauses have at most this many variables.
pub(super) const MAX_VARS: usize = 50;

/// Most variables of a finished clause.
pub(super) fn max_vars(task: &Task) -> usize {
    task.bias.max_vars.unwrap_or(MAX_VARS)
}

/// Variables, those of the head included, and literals of a clause without what only offers values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) variables: usize,
    pub(super) literals: usize,
}

impl Size {
    /// Of a body, `offers` being the places of the literals that may only offer values.
    pub(super) fn of<'l>(
        n_head: usize,
        lits: impl DoubleEndedIterator<Item = &'l Lit> + Clone,
        offers: &[usize],
    ) -> Self {
        let end = n_head + lits.clone().map(Lit::n_new).sum::<usize>();
        let n_lits = lits.clone().count();
        let mut taken = vec![false; end];
        let mut first_new = end;
        let mut size = Self {
            variables: n_head,
            literals: 0,
        };
        for (i, lit) in (0..n_lits)
            .zip(lits.rev())
            .map(|(i, lit)| (n_lits - 1 - i, lit))
        {
            let last = first_new;
            first_new -= lit.n_new();
            if offers.contains(&i) && !taken[first_new..last].contains(&true) {
                continue;
            }
            lit.vars().for_each(|var| taken[var as usize] = true);
            size.variables += lit.n_new();
            size.literals += 1;
        }
        size
    }
}

impl Search<'_> {
    /// Of a clause under construction, with a further literal.
    pub(super) fn size(&self, partial: &PartialClause, next: Option<&Lit>) -> Size {
        let lits = partial.lits.iter().chain(next);
        Size::of(self.base_vars.len(), lits, &partial.offers)
    }

    /// Whether a clause may grow to this size. A clause in the making may have twice the literals of
    /// a finished one, as pruning may bring it below the bound.
    pub(super) fn has_room(&self, size: Size) -> bool {
        size.variables <= max_vars(self.task)
            && (self.task.bias.max_body).is_none_or(|max| size.literals <= 2 * max)
    }

    /// Whether a determinate literal that counts fits into a finished clause.
    pub(super) fn may_join(&self, partial: &PartialClause, lit: &Lit) -> bool {
        let size = self.size(partial, Some(lit));
        size.variables <= max_vars(self.task)
            && (self.task.bias.max_body).is_none_or(|max| size.literals <= max)
    }

    /// Rows that are looked at to evaluate the literals over some variables, roughly.
    fn work(&self, vars: &[VarInfo], n_rows: usize) -> usize {
        let of_kind = |kind| vars.iter().filter(|info| info.kind == kind).count();
        let modes = self.problem.modes.iter().map(|mode| {
            let relation = &self.problem.relations[mode.relation as usize];
            let places = mode.arguments.iter().enumerate();
            let choices = places.map(|(place, &(direction, kind))| match direction {
                Direction::Constant => relation.index(place).n_values(),
                Direction::Out if mode.is_exact => 1,
                Direction::Out => of_kind(kind) + 1,
                Direction::In => of_kind(kind),
            });
            choices.fold(1, usize::saturating_mul)
        });
        let literals = modes.fold(0, usize::saturating_add).min(MAX_LITERALS);
        literals.saturating_mul(n_rows)
    }

    /// Whether the literals over the variables of a clause can be evaluated with those that a determinate
    /// literal has added.
    pub(super) fn is_manageable(&self, partial: &PartialClause) -> bool {
        let n_rows = |rows: &[Rc<Rows>; 2]| rows.iter().map(|rows| rows.len()).sum::<usize>();
        let base = self.work(&self.base_vars, n_rows(&self.base_rows));
        let most = MAX_WORK.max(base.saturating_mul(MAX_GROWTH));
        self.work(&partial.vars, n_rows(&partial.tuples.rows)) <= most
    }

    /// Whether the bias lets a literal that only offers values join: twice what the bias allows
    /// is made, no more, since each variable multiplies the literals to look at.
    pub(super) fn may_offer(&self, partial: &PartialClause, lit: &Lit) -> bool {
        let most = MAX_VARS.min(2 * max_vars(self.task));
        partial.vars.len() + lit.n_new() <= most
            && (self.task.bias.max_body).is_none_or(|max| partial.lits.len() < 2 * max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Arg;

    fn binary(left: Arg, right: Arg) -> Lit {
        Lit::positive(0, [left, right])
    }

    #[test]
    fn what_only_offers_values_counts_once_it_is_taken() {
        let offer = binary(Arg::Var(0), Arg::New);
        let of = |lits: &[Lit], offers: &[usize]| {
            let Size {
                variables,
                literals,
            } = Size::of(2, lits.iter(), offers);
            (variables, literals)
        };
        assert_eq!(of(&[], &[]), (2, 0));
        assert_eq!(of(std::slice::from_ref(&offer), &[]), (3, 1));
        assert_eq!(of(std::slice::from_ref(&offer), &[0]), (2, 0));
        let taken = binary(Arg::Var(2), Arg::Var(1));
        assert_eq!(of(&[offer.clone(), taken.clone()], &[0]), (3, 2));
        // A chain of offers is taken as a whole, and one beside it is not.
        let second = binary(Arg::Var(2), Arg::New);
        let beside = binary(Arg::Var(1), Arg::New);
        let end = binary(Arg::Var(3), Arg::Var(1));
        assert_eq!(of(&[offer, second, beside, end], &[0, 1, 2]), (4, 3));
    }
}
