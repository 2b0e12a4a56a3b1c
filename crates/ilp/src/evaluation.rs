//! How good a theory is on examples, and parts of a task to learn from and to test on.

use std::fmt;

use kibitz_prolog::{Atom, Clause, Coverage, Evaluator, Limits, ProverError};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::problem::Problem;
use crate::task::Task;

/// The 97.5% quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// True and false positives and negatives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Confusion {
    /// Positive examples that are covered.
    pub tp: usize,
    /// Positive examples that are not.
    pub fn_: usize,
    /// Negative examples that are not covered.
    pub tn: usize,
    /// Negative examples that are.
    pub fp: usize,
}

/// A share with its Wilson interval of 95%.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// The share.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Share {
    /// `part` of `whole`; `None` of nothing.
    ///
    /// # Source
    /// Wilson 1927, Probable inference.
    pub fn of(part: usize, whole: usize) -> Option<Self> {
        if whole == 0 {
            return None;
        }
        let (n, value) = (whole as f64, part as f64 / whole as f64);
        let denominator = 1.0 + Z * Z / n;
        let center = (value + Z * Z / (2.0 * n)) / denominator;
        let half = Z * (value * (1.0 - value) / n + Z * Z / (4.0 * n * n)).sqrt() / denominator;
        Some(Self {
            value,
            low: (center - half).clamp(0.0, value),
            high: (center + half).clamp(value, 1.0),
        })
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3} [{:.3}, {:.3}]", self.value, self.low, self.high)
    }
}

impl From<&Coverage> for Confusion {
    fn from(coverage: &Coverage) -> Self {
        let [tp, fn_, tn, fp] = coverage.confusion();
        Self { tp, fn_, tn, fp }
    }
}

impl Confusion {
    /// The number of examples.
    pub fn n(self) -> usize {
        self.tp + self.fn_ + self.tn + self.fp
    }

    /// The examples that are right.
    pub fn accuracy(self) -> Option<Share> {
        Share::of(self.tp + self.tn, self.n())
    }

    /// The positive examples among those that are covered.
    pub fn precision(self) -> Option<Share> {
        Share::of(self.tp, self.tp + self.fp)
    }

    /// The positive examples that are covered.
    pub fn recall(self) -> Option<Share> {
        Share::of(self.tp, self.tp + self.fn_)
    }

    /// The harmonic mean of precision and recall; `None` without positive examples and covered ones.
    pub fn f1(self) -> Option<f64> {
        let whole = 2 * self.tp + self.fp + self.fn_;
        (whole > 0).then(|| 2.0 * self.tp as f64 / whole as f64)
    }

    /// Matthews' correlation of what is covered and what is positive; `None` where one of them does not
    /// vary.
    pub fn mcc(self) -> Option<f64> {
        let [tp, fn_, tn, fp] = [self.tp, self.fn_, self.tn, self.fp].map(|n| n as f64);
        let product = (tp + fp) * (tp + fn_) * (tn + fp) * (tn + fn_);
        (product > 0.0).then(|| (tp * tn - fp * fn_) / product.sqrt())
    }

    /// The measures on one line: shares with their intervals, and F1 and Matthews' correlation.
    pub fn measures(self) -> String {
        let share = |share: Option<Share>| share.map_or("-".to_owned(), |own| own.to_string());
        let number = |number: Option<f64>| number.map_or("-".to_owned(), |own| format!("{own:.3}"));
        format!(
            "accuracy {}, precision {}, recall {}, F1 {}, MCC {}",
            share(self.accuracy()),
            share(self.precision()),
            share(self.recall()),
            number(self.f1()),
            number(self.mcc())
        )
    }
}

impl std::ops::AddAssign for Confusion {
    fn add_assign(&mut self, other: Self) {
        self.tp += other.tp;
        self.fn_ += other.fn_;
        self.tn += other.tn;
        self.fp += other.fp;
    }
}

impl fmt::Display for Confusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tp, fn_, tn, fp } = self;
        write!(f, "tp {tp} fn {fn_} tn {tn} fp {fp}")
    }
}

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
        for (side, examples) in [&self.positive, &self.negative].into_iter().enumerate() {
            let n = examples.len() as f64 * share;
            let place = places(examples.len(), seed);
            for (i, example) in examples.iter().enumerate() {
                let part = if (place[i] as f64) + 0.5 <= n {
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
    /// positive and the negative ones are spread evenly.
    pub fn folds(&self, k: usize, seed: u64) -> Vec<Split> {
        let mut folds = vec![
            Split {
                training: Default::default(),
                test: Default::default(),
            };
            k
        ];
        for (side, examples) in [&self.positive, &self.negative].into_iter().enumerate() {
            let place = places(examples.len(), seed);
            for (i, example) in examples.iter().enumerate() {
                for (own, fold) in folds.iter_mut().enumerate() {
                    let is_test = place[i] % k == own;
                    let part = if is_test {
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

    /// The same task with other examples.
    #[must_use]
    pub fn with_examples(&self, [positive, negative]: [Vec<Atom>; 2]) -> Task {
        let mut task = self.clone();
        (task.positive, task.negative) = (positive, negative);
        task
    }
}

/// The place of each example in an order drawn at random.
fn places(n: usize, seed: u64) -> Vec<usize> {
    let mut places: Vec<usize> = (0..n).collect();
    places.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    places
}

impl Problem<'_> {
    /// How clauses do on positive and negative examples.
    ///
    /// # Errors
    /// [`ProverError`] if a clause cannot be carried out.
    pub fn test(
        &self,
        clauses: &[Clause],
        examples: [&[Atom]; 2],
        limits: Limits,
    ) -> Result<Confusion, ProverError> {
        self.test_while(clauses, examples, limits, &mut || true)
    }

    /// The same by the proofs that there is time for: see [`Evaluator::theory_while`].
    ///
    /// # Errors
    /// As [`Problem::test`].
    pub fn test_while(
        &self,
        clauses: &[Clause],
        examples: [&[Atom]; 2],
        limits: Limits,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Confusion, ProverError> {
        let total = self.coverage_of(clauses, examples, limits, keep_going)?;
        Ok(Confusion::from(&total))
    }

    /// What clauses cover together.
    pub(crate) fn coverage_of(
        &self,
        clauses: &[Clause],
        [positive, negative]: [&[Atom]; 2],
        limits: Limits,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Coverage, ProverError> {
        let mut evaluator = Evaluator::new(self.database(), limits, positive, negative);
        let mut total = Coverage::nothing(positive.len(), negative.len());
        for coverage in evaluator.theory_while(clauses, keep_going)? {
            total.union(&coverage);
        }
        Ok(total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;

    #[test]
    fn measures_are_those_of_the_books() {
        let own = Confusion {
            tp: 6,
            fn_: 2,
            tn: 11,
            fp: 1,
        };
        // Wilson's interval of 17 in 20 by hand: center 0.79364, half 0.15459.
        assert_eq!(
            own.measures(),
            "accuracy 0.850 [0.640, 0.948], precision 0.857 [0.487, 0.974], \
             recall 0.750 [0.409, 0.929], F1 0.800, MCC 0.685"
        );
        let nothing = Confusion {
            tn: 3,
            ..Confusion::default()
        };
        assert_eq!(
            nothing.measures(),
            "accuracy 1.000 [0.439, 1.000], precision -, recall -, F1 -, MCC -"
        );
    }

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
        let split = task.held_out(0.3, 5);
        assert_eq!(split.test.map(|part| part.len()), [2, 6]);
        assert_eq!(split.training.map(|part| part.len()), [5, 14]);
    }
}
