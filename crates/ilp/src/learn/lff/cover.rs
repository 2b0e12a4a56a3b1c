//! The smallest theory among clauses.

use kibitz_prolog::BitSet;

/// Most theories looked at for a smallest one.
const MAX_LOOKED_AT: usize = 20_000;

/// A clause as far as a theory goes.
pub(super) trait Member {
    /// The positive examples that it covers.
    fn positive(&self) -> &BitSet;
    /// Its literals.
    fn size(&self) -> usize;
    /// Variables that occur once: of equals the clause with fewer is taken.
    fn n_singletons(&self) -> usize;
}

/// The members of a theory of fewest literals that covers some examples, with at most so many clauses;
/// `None` if there is none. Of many theories only some are looked at.
pub(super) fn smallest<M: Member>(
    members: &[M],
    wanted: &BitSet,
    max_clauses: usize,
) -> Option<Vec<usize>> {
    // Members that cover what a smaller one covers add nothing.
    let mut order: Vec<usize> = (0..members.len()).collect();
    order.sort_by_key(|&i| (members[i].size(), members[i].n_singletons()));
    let mut kept: Vec<(usize, BitSet)> = Vec::new();
    for i in order {
        let mut own = members[i].positive().clone();
        own.intersect_with(wanted);
        if !own.is_clear() && !kept.iter().any(|(_, other)| own.is_subset(other)) {
            kept.push((i, own));
        }
    }
    let mut union = BitSet::with_capacity(wanted.len());
    for (_, own) in &kept {
        union.union_with(own);
    }
    if !wanted.is_subset(&union) {
        return None;
    }
    let sizes = kept.iter().map(|(i, _)| members[*i].size()).collect();
    let mut search = Search {
        sets: kept.iter().map(|(_, own)| own).collect(),
        sizes,
        max_clauses,
        best: None,
        n_looked_at: 0,
    };
    if let Some(greedy) = search.greedy(wanted) {
        search.best = Some(greedy);
    }
    search.look(&mut Vec::new(), 0, wanted);
    let (_, chosen) = search.best?;
    Some(chosen.into_iter().map(|own| kept[own].0).collect())
}

/// The members that cover most examples together, with at most so many clauses.
pub(super) fn widest<M: Member>(members: &[M], n: usize, max_clauses: usize) -> Vec<usize> {
    let mut open = kibitz_prolog::all_bits(n);
    let mut chosen = Vec::new();
    while chosen.len() < max_clauses {
        let gain = |i: &usize| members[*i].positive().intersection_count(&open);
        let best = (0..members.len())
            .max_by_key(|i| (gain(i), std::cmp::Reverse((members[*i].size(), *i))));
        let Some(best) = best.filter(|best| gain(best) > 0) else {
            break;
        };
        open.difference_with(members[best].positive());
        chosen.push(best);
    }
    chosen
}

struct Search<'m> {
    sets: Vec<&'m BitSet>,
    sizes: Vec<usize>,
    max_clauses: usize,
    best: Option<(usize, Vec<usize>)>,
    n_looked_at: usize,
}

impl Search<'_> {
    /// A theory of those that cover most for each literal.
    fn greedy(&self, wanted: &BitSet) -> Option<(usize, Vec<usize>)> {
        let mut open = wanted.clone();
        let mut chosen = Vec::new();
        while !open.is_clear() {
            // Cross-multiplied gains per literal.
            let gain = |i: usize| self.sets[i].intersection_count(&open);
            let best = (0..self.sets.len()).max_by(|&a, &b| {
                let (left, right) = (gain(a) * self.sizes[b], gain(b) * self.sizes[a]);
                left.cmp(&right).then(b.cmp(&a))
            })?;
            open.difference_with(self.sets[best]);
            chosen.push(best);
        }
        let size = chosen.iter().map(|i| self.sizes[*i]).sum();
        (chosen.len() <= self.max_clauses).then_some((size, chosen))
    }

    fn look(&mut self, chosen: &mut Vec<usize>, size: usize, open: &BitSet) {
        self.n_looked_at += 1;
        if open.is_clear() {
            if self.best.as_ref().is_none_or(|(best, _)| size < *best) {
                self.best = Some((size, chosen.clone()));
            }
            return;
        }
        if chosen.len() >= self.max_clauses || self.n_looked_at > MAX_LOOKED_AT {
            return;
        }
        // The example that the fewest can cover.
        let choices = |e: usize| self.sets.iter().filter(|own| own.contains(e)).count();
        let Some(hardest) = open.ones().min_by_key(|&e| choices(e)) else {
            return;
        };
        for i in (0..self.sets.len())
            .filter(|&i| self.sets[i].contains(hardest))
            .collect::<Vec<_>>()
        {
            let size = size + self.sizes[i];
            if self.best.as_ref().is_some_and(|(best, _)| size >= *best) {
                continue;
            }
            let mut rest = open.clone();
            rest.difference_with(self.sets[i]);
            chosen.push(i);
            self.look(chosen, size, &rest);
            chosen.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Member for (usize, BitSet) {
        fn positive(&self) -> &BitSet {
            &self.1
        }

        fn size(&self) -> usize {
            self.0
        }

        fn n_singletons(&self) -> usize {
            0
        }
    }

    fn member(size: usize, covered: &[usize]) -> (usize, BitSet) {
        let mut set = BitSet::with_capacity(6);
        set.extend(covered.iter().copied());
        (size, set)
    }

    #[test]
    fn the_smallest_theory_is_found_where_greed_takes_another() {
        let members = [
            member(2, &[0, 1, 2, 3]),
            member(2, &[0, 1, 4]),
            member(2, &[2, 3, 5]),
            member(3, &[4]),
            member(3, &[5]),
        ];
        let all = kibitz_prolog::all_bits(6);
        assert_eq!(smallest(&members, &all, 3), Some(vec![1, 2]));
        assert_eq!(smallest(&members, &all, 1), None);
        assert_eq!(smallest(&members[..1], &all, 3), None);
        assert_eq!(widest(&members, 6, 1), [0]);
    }
}
