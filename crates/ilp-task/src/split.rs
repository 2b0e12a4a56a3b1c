//! Parts of a task to learn from and to test on.

use kibitz_prolog::Atom;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::Task;

/// Positive and negative examples to learn from, and others to test on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// To learn from.
    pub training: [Vec<Atom>; 2],
    /// To test on.
    pub test: [Vec<Atom>; 2],
}

impl Task {
    /// The examples in two parts of which one has a share, as nearly as possible, of the positive and of
    /// the negative ones, drawn at random; each part keeps the order of the task.
    pub fn held_out(&self, share: f64, seed: u64) -> Split {
        let mut split = Split {
            training: Default::default(),
            test: Default::default(),
        };
        let mut rounds_up = true;
        for (side, examples) in [&self.positive, &self.negative].into_iter().enumerate() {
            let is_test = drawn(examples.len(), share, seed, &mut rounds_up);
            for (i, example) in examples.iter().enumerate() {
                let part = if is_test[i] {
                    &mut split.test
                } else {
                    &mut split.training
                };
                part[side].push(example.clone());
            }
        }
        split
    }

    /// The examples in as many pairs of training and test parts: each example is tested on once, and the
    /// positive and the negative ones are spread evenly. Where one of the two are too few for every part,
    /// the negative ones begin in the part after the last positive one.
    pub fn folds(&self, k: usize, seed: u64) -> Vec<Split> {
        let mut folds = vec![
            Split {
                training: Default::default(),
                test: Default::default(),
            };
            k
        ];
        let are_few = self.positive.len().min(self.negative.len()) < k;
        for (side, examples) in [&self.positive, &self.negative].into_iter().enumerate() {
            let first = if side == 1 && are_few {
                self.positive.len()
            } else {
                0
            };
            let fold_of = spread(examples.len(), k, seed, first);
            for (i, example) in examples.iter().enumerate() {
                for (own, fold) in folds.iter_mut().enumerate() {
                    let part = if fold_of[i] == own {
                        &mut fold.test
                    } else {
                        &mut fold.training
                    };
                    part[side].push(example.clone());
                }
            }
        }
        folds
    }

    /// The examples in two parts, by what is to be tested on.
    pub fn split_by(&self, is_test: impl Fn(&Atom) -> bool) -> Split {
        let mut split = Split {
            training: Default::default(),
            test: Default::default(),
        };
        for (side, examples) in [&self.positive, &self.negative].into_iter().enumerate() {
            for example in examples {
                let part = if is_test(example) {
                    &mut split.test
                } else {
                    &mut split.training
                };
                part[side].push(example.clone());
            }
        }
        split
    }

    /// Leaves the training part of a split to learn from, and adds the other one to the test examples.
    pub fn take_split(&mut self, split: Split) {
        [self.positive, self.negative] = split.training;
        for (own, more) in self.test.iter_mut().zip(split.test) {
            own.extend(more);
        }
        self.test_weights.clone_from(&self.weights);
    }

    /// The same task with other examples.
    #[must_use]
    pub fn with_examples(&self, [positive, negative]: [Vec<Atom>; 2]) -> Task {
        let mut task = self.clone();
        (task.positive, task.negative) = (positive, negative);
        task
    }
}

/// Whether each of so many is in a part that has a share of them, as nearly as possible, drawn at random.
/// Of several groups a half is rounded up in one and down in the next.
pub fn drawn(n: usize, share: f64, seed: u64, rounds_up: &mut bool) -> Vec<bool> {
    let of_part = n as f64 * share;
    let mut n_drawn = (of_part + 0.5).floor();
    if n_drawn - of_part >= 0.5 {
        n_drawn -= f64::from(u8::from(!*rounds_up));
        *rounds_up = !*rounds_up;
    }
    let places = places(n, seed).into_iter();
    places.map(|place| (place as f64) < n_drawn).collect()
}

/// The part of each of so many where `k` parts are as large as possible alike, drawn at random; the parts
/// are taken in turn from the one with this number on.
pub fn spread(n: usize, k: usize, seed: u64, first: usize) -> Vec<usize> {
    let places = places(n, seed).into_iter();
    places.map(|place| (place + first) % k).collect()
}

/// The place of each example in an order drawn at random.
fn places(n: usize, seed: u64) -> Vec<usize> {
    let mut places: Vec<usize> = (0..n).collect();
    places.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;

    #[test]
    fn folds_test_every_example_once_and_evenly() {
        let source = |name, text| Source { name, text };
        let examples: String = (0..7)
            .map(|i| format!("pos(p({i})). "))
            .chain((10..30).map(|i| format!("neg(p({i})). ")))
            .collect();
        let task = Task::from_popper(
            source("exs.pl", &examples),
            source("bk.pl", "q(1)."),
            source("bias.pl", "head_pred(p,1). body_pred(q,1)."),
        )
        .expect("a task");
        let folds = task.folds(3, 5);
        for side in [0, 1] {
            let own = [&task.positive, &task.negative][side];
            let mut tested: Vec<&Atom> = folds.iter().flat_map(|fold| &fold.test[side]).collect();
            tested.sort();
            let mut all: Vec<&Atom> = own.iter().collect();
            all.sort();
            assert_eq!(tested, all);
            for fold in &folds {
                assert_eq!(fold.test[side].len() + fold.training[side].len(), own.len());
                assert!(fold.test[side].len().abs_diff(own.len() / 3) <= 1);
            }
        }
        assert_eq!(folds, task.folds(3, 5));
        // Where there are few of a class, no fold is empty.
        let few = task.with_examples([task.positive[..3].to_vec(), task.negative[..3].to_vec()]);
        for fold in few.folds(6, 5) {
            assert_eq!(fold.test.map(|part| part.len()).iter().sum::<usize>(), 1);
        }
        // A half of three is rounded up once.
        assert_eq!(few.held_out(0.5, 5).test.map(|part| part.len()), [2, 1]);
        let split = task.held_out(0.3, 5);
        assert_eq!(split.test.map(|part| part.len()), [2, 6]);
        assert_eq!(split.training.map(|part| part.len()), [5, 14]);
    }
}
