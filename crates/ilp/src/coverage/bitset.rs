/// A set of indices below a fixed bound, one bit each.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct BitSet {
    words: Vec<u64>,
    len: usize,
}

impl BitSet {
    /// The empty set of indices below `len`.
    pub fn new(len: usize) -> Self {
        Self {
            words: vec![0; len.div_ceil(64)],
            len,
        }
    }

    /// All indices below `len`.
    pub fn full(len: usize) -> Self {
        let mut set = Self {
            words: vec![u64::MAX; len.div_ceil(64)],
            len,
        };
        set.trim();
        set
    }

    /// The indices that satisfy a condition.
    pub fn from_fn(len: usize, mut holds: impl FnMut(usize) -> bool) -> Self {
        let mut words = Vec::with_capacity(len.div_ceil(64));
        let mut start = 0;
        while start < len {
            let mut word = 0u64;
            for bit in 0..(len - start).min(64) {
                word |= u64::from(holds(start + bit)) << bit;
            }
            words.push(word);
            start += 64;
        }
        Self { words, len }
    }

    fn trim(&mut self) {
        let used = self.len % 64;
        if used != 0
            && let Some(last) = self.words.last_mut()
        {
            *last &= (1 << used) - 1;
        }
    }

    /// The bound on indices.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no index is in the set.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Number of indices in the set.
    pub fn count(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    /// Whether an index is in the set.
    pub fn contains(&self, index: usize) -> bool {
        index < self.len && self.words[index / 64] >> (index % 64) & 1 == 1
    }

    /// Adds an index.
    ///
    /// # Panics
    /// If the index is not below the bound.
    pub fn insert(&mut self, index: usize) {
        assert!(index < self.len, "index {index} of a set of {}", self.len);
        self.words[index / 64] |= 1 << (index % 64);
    }

    /// Number of indices in both sets.
    pub fn count_and(&self, other: &BitSet) -> usize {
        self.words
            .iter()
            .zip(&other.words)
            .map(|(a, b)| (a & b).count_ones() as usize)
            .sum()
    }

    /// Number of indices in this set and not in the other.
    pub fn count_and_not(&self, other: &BitSet) -> usize {
        self.words
            .iter()
            .zip(&other.words)
            .map(|(a, b)| (a & !b).count_ones() as usize)
            .sum()
    }

    /// Keeps the indices that are in the other set too.
    pub fn intersect(&mut self, other: &BitSet) {
        self.words
            .iter_mut()
            .zip(&other.words)
            .for_each(|(a, b)| *a &= b);
    }

    /// Adds the indices of the other set.
    pub fn union(&mut self, other: &BitSet) {
        self.words
            .iter_mut()
            .zip(&other.words)
            .for_each(|(a, b)| *a |= b);
    }

    /// Removes the indices of the other set.
    pub fn subtract(&mut self, other: &BitSet) {
        self.words
            .iter_mut()
            .zip(&other.words)
            .for_each(|(a, b)| *a &= !b);
    }

    /// Whether every index of this set is in the other.
    pub fn is_subset(&self, other: &BitSet) -> bool {
        self.words
            .iter()
            .zip(&other.words)
            .all(|(a, b)| a & !b == 0)
    }

    /// The indices, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros();
                (rest != 0).then(|| {
                    rest &= rest - 1;
                    i * 64 + bit as usize
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn behaves_like_a_set(
            len in 1usize..200,
            a in prop::collection::btree_set(0usize..200, 0..60),
            b in prop::collection::btree_set(0usize..200, 0..60),
        ) {
            let clip = |s: &BTreeSet<usize>| s.iter().copied().filter(|i| *i < len).collect::<BTreeSet<_>>();
            let (a, b) = (clip(&a), clip(&b));
            let set = |s: &BTreeSet<usize>| BitSet::from_fn(len, |i| s.contains(&i));
            let (x, y) = (set(&a), set(&b));
            prop_assert_eq!(x.iter().collect::<BTreeSet<_>>(), a.clone());
            prop_assert_eq!(x.count(), a.len());
            prop_assert_eq!(x.count_and(&y), a.intersection(&b).count());
            prop_assert_eq!(x.count_and_not(&y), a.difference(&b).count());
            prop_assert_eq!(x.is_subset(&y), a.is_subset(&b));
            let mut z = x.clone();
            z.union(&y);
            prop_assert_eq!(z.count(), a.union(&b).count());
            z.subtract(&y);
            prop_assert_eq!(z.iter().collect::<BTreeSet<_>>(), a.difference(&b).copied().collect());
            z = BitSet::full(len);
            prop_assert_eq!(z.count(), len);
            z.intersect(&x);
            prop_assert_eq!(z, x);
        }
    }
}
