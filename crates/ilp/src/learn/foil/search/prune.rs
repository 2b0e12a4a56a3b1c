use kibitz_prolog::{BitSet, ProverError, all_bits};

use super::size::max_vars;
use super::state::{FinishedClause, Search};
use crate::eval::{Lit, Matcher, without};
use crate::learn::proof_count::is_asked_for;

impl Search<'_> {
    /// Drops clauses that cover nothing the others do not cover, smallest first.
    pub(super) fn prune_theory(&mut self) {
        let mut order: Vec<usize> = (0..self.theory.len()).collect();
        order.sort_by_key(|&i| {
            (
                self.theory[i].covered[0].count_ones(..),
                std::cmp::Reverse(i),
            )
        });
        let mut dropped = vec![false; self.theory.len()];
        for i in order {
            let mut rest = BitSet::with_capacity(self.uncovered.len());
            for (j, found) in self.theory.iter().enumerate() {
                if j != i && !dropped[j] {
                    rest.union_with(&found.covered[0]);
                }
            }
            dropped[i] = self.theory[i].covered[0].is_subset(&rest);
        }
        let mut dropped = dropped.into_iter();
        self.theory.retain(|_| !dropped.next().unwrap_or(false));
    }

    /// Prunes a clause and checks that it is good enough.
    ///
    /// # Errors
    /// [`ProverError`] if its proofs cannot be carried out.
    pub(super) fn finish(&mut self, lits: Vec<Lit>) -> Result<Option<FinishedClause>, ProverError> {
        let (lits, negative) = self.prune(lits);
        let all = all_bits(self.problem.examples[0].len);
        let by_proof = self.proofs.covered(self.problem, &lits)?;
        let [positive, negative] =
            by_proof.unwrap_or_else(|| [self.covered(&lits, 0, &all), negative]);
        let (p, n) = (positive.count_ones(..), negative.count_ones(..));
        let new = positive.intersection_count(&self.uncovered);
        // The limit is on finished clauses: pruning may bring a longer one below it.
        let n_vars = self.base_vars.len() + lits.iter().map(Lit::n_new).sum::<usize>();
        let short = n_vars <= max_vars(self.task)
            && (self.task.bias.max_body).is_none_or(|max| lits.len() <= max);
        let least = self
            .task
            .search
            .min_accuracy
            .unwrap_or(self.params.min_accuracy);
        let accurate = p as f64 >= least * (p + n) as f64;
        let permitted =
            is_asked_for(self.task, [p, n]) && self.permits_clause(&lits) && self.may_call(&lits);
        Ok(
            (new > 0 && accurate && short && permitted).then_some(FinishedClause {
                lits,
                covered: [positive, negative],
            }),
        )
    }

    /// Drops literals without which no further negative example is covered.
    fn prune(&self, lits: Vec<Lit>) -> (Vec<Lit>, BitSet) {
        let all = all_bits(self.problem.examples[1].len);
        let mut negative = self.covered(&lits, 1, &all);
        let mut lits = lits;
        let is_permitted = self.permits_clause(&lits);
        let n_head = self.base_vars.len();
        // Negative examples that an earlier attempt let in; a later one is likely to do the same.
        let mut suspects = Vec::new();
        loop {
            let mut changed = false;
            let mut i = lits.len();
            while i > 0 {
                i -= 1;
                if self.reason_to_stop().is_some() {
                    return (lits, negative);
                }
                let Some(shorter) = without(&lits, i, n_head) else {
                    continue;
                };
                // A recursive literal needs those that lead down to it.
                if !self.termination.permits(&shorter, &self.places)
                    || (is_permitted && !self.permits_clause(&shorter))
                {
                    continue;
                }
                let most = negative.count_ones(..);
                if let Some(now) = self.covered_at_most(&shorter, 1, &all, most, &mut suspects) {
                    lits = shorter;
                    negative = now;
                    changed = true;
                    i = i.min(lits.len());
                }
            }
            if !changed {
                return (lits, negative);
            }
        }
    }

    /// The examples a clause covers: by bit sets where only head variables occur.
    fn covered(&self, lits: &[Lit], side: usize, among: &BitSet) -> BitSet {
        match self.covered_by_tests(lits, side, among) {
            Some(set) => set,
            None => self.matched(lits, |matcher| matcher.covered(side, among)),
        }
    }

    /// The same, or `None` if more than `most` examples are covered.
    fn covered_at_most(
        &self,
        lits: &[Lit],
        side: usize,
        among: &BitSet,
        most: usize,
        suspects: &mut Vec<usize>,
    ) -> Option<BitSet> {
        match self.covered_by_tests(lits, side, among) {
            Some(set) => (set.count_ones(..) <= most).then_some(set),
            None => self.matched(lits, |matcher| {
                matcher.covered_at_most(side, among, most, suspects)
            }),
        }
    }

    /// What a match of a clause against examples finds; the rows that it looks at are counted.
    fn matched<T>(&self, lits: &[Lit], find: impl FnOnce(&Matcher<'_>) -> T) -> T {
        let matcher = Matcher::new(self.problem, lits);
        let found = find(&matcher);
        self.meter
            .rows(usize::try_from(matcher.n_rows()).unwrap_or(usize::MAX));
        found
    }

    /// The examples that a clause without new variables covers.
    fn covered_by_tests(&self, lits: &[Lit], side: usize, among: &BitSet) -> Option<BitSet> {
        if lits.iter().any(|lit| lit.n_new() > 0) {
            return None;
        }
        let mut set = among.clone();
        for lit in lits {
            self.base.keep(self.problem, lit, side, &mut set);
        }
        Some(set)
    }
}
