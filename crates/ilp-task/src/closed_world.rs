//! Negative examples where none are given: what is not said to be true is false.

use kibitz_prolog::{Atom, Term};
use rand::{RngExt as _, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashSet;

use super::Task;

impl Task {
    /// Adds the atoms of the target with constants of its types that are no positive examples to the
    /// negative ones; if they are more than `most`, so many drawn at random. Returns how many.
    ///
    /// It is right only where the positive examples are all there are.
    pub fn assume_closed_world(&mut self, most: usize, seed: u64) -> usize {
        let kinds = self.bias.head.arguments.iter();
        let values: Vec<Vec<Term>> = kinds.map(|own| self.constants_of(own.kind)).collect();
        if values.iter().any(Vec::is_empty) {
            return 0;
        }
        let n_tuples = values
            .iter()
            .try_fold(1usize, |n, own| n.checked_mul(own.len()));
        let mut known: FxHashSet<Atom> = self
            .positive
            .iter()
            .chain(&self.negative)
            .cloned()
            .collect();
        let before = self.negative.len();
        let mut add = |task: &mut Task, places: &[usize]| {
            let args = values
                .iter()
                .zip(places)
                .map(|(own, &place)| own[place].clone());
            let atom = Atom::new(task.target.name, args);
            if known.insert(atom.clone()) {
                task.negative.push(atom);
            }
        };
        if let Some(n_tuples) = n_tuples.filter(|n| *n <= most.saturating_add(self.positive.len()))
        {
            for tuple in 0..n_tuples {
                let mut rest = tuple;
                let places: Vec<usize> = values
                    .iter()
                    .map(|own| {
                        let place = rest % own.len();
                        rest /= own.len();
                        place
                    })
                    .collect();
                add(self, &places);
            }
        } else {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            // Nearly all tuples that are drawn are new.
            for _ in 0..most.saturating_mul(2) {
                if self.negative.len() - before >= most {
                    break;
                }
                let places: Vec<usize> = values
                    .iter()
                    .map(|own| rng.random_range(0..own.len()))
                    .collect();
                add(self, &places);
            }
        }
        self.negative.len() - before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;

    fn task() -> Task {
        let source = |name, text| Source { name, text };
        Task::from_popper(
            source("exs.pl", "pos(up(1,2)). pos(up(2,3))."),
            source("bk.pl", "less(1,2). less(2,3). less(1,3)."),
            source("bias.pl", "head_pred(up,2). body_pred(less,2)."),
        )
        .expect("a task")
    }

    #[test]
    fn what_is_not_positive_is_negative() {
        let mut all = task();
        assert_eq!(all.assume_closed_world(100, 1), 7);
        assert!(all.negative.iter().all(|atom| !all.positive.contains(atom)));
        assert_eq!(all.assume_closed_world(100, 1), 0);
        let mut some = task();
        assert_eq!(some.assume_closed_world(4, 1), 4);
        assert!(some.negative.iter().all(|atom| all.negative.contains(atom)));
    }
}
