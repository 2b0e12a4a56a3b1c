//! How good a theory is on examples.

use std::fmt;

use kibitz_prolog::{Atom, Clause, Coverage, Limits, ProverError};

use crate::problem::Problem;
use crate::task::Weights;

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
        WeightedConfusion::from(self).f1()
    }

    /// Matthews' correlation of what is covered and what is positive; `None` where one of them does not
    /// vary.
    pub fn mcc(self) -> Option<f64> {
        WeightedConfusion::from(self).mcc()
    }

    /// The measures on one line: shares with their intervals, and F1 and Matthews' correlation.
    pub fn measures(self) -> String {
        let share = |share: Option<Share>| share.map_or("-".to_owned(), |own| own.to_string());
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

/// The weights of true and false positives and negatives.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WeightedConfusion {
    /// Of positive examples that are covered.
    pub tp: f64,
    /// Of positive examples that are not.
    pub fn_: f64,
    /// Of negative examples that are not covered.
    pub tn: f64,
    /// Of negative examples that are.
    pub fp: f64,
}

impl From<Confusion> for WeightedConfusion {
    fn from(own: Confusion) -> Self {
        let [tp, fn_, tn, fp] = [own.tp, own.fn_, own.tn, own.fp].map(|n| n as f64);
        Self { tp, fn_, tn, fp }
    }
}

impl WeightedConfusion {
    /// The share of the weight that is right.
    pub fn accuracy(self) -> Option<f64> {
        let Self { tp, fn_, tn, fp } = self;
        share(tp + tn, tp + fn_ + tn + fp)
    }

    /// The share of positive examples in the weight that is covered.
    pub fn precision(self) -> Option<f64> {
        share(self.tp, self.tp + self.fp)
    }

    /// The share of the positive weight that is covered.
    pub fn recall(self) -> Option<f64> {
        share(self.tp, self.tp + self.fn_)
    }

    /// The harmonic mean of precision and recall.
    pub fn f1(self) -> Option<f64> {
        share(2.0 * self.tp, 2.0 * self.tp + self.fp + self.fn_)
    }

    /// Matthews' correlation.
    pub fn mcc(self) -> Option<f64> {
        let Self { tp, fn_, tn, fp } = self;
        let product = (tp + fp) * (tp + fn_) * (tn + fp) * (tn + fn_);
        (product > 0.0).then(|| (tp * tn - fp * fn_) / product.sqrt())
    }

    /// The measures on one line. They have no intervals: weights do not say how many examples there are.
    pub fn measures(self) -> String {
        format!(
            "accuracy {}, precision {}, recall {}, F1 {}, MCC {}",
            number(self.accuracy()),
            number(self.precision()),
            number(self.recall()),
            number(self.f1()),
            number(self.mcc())
        )
    }
}

/// A part of a whole that is more than nothing.
fn share(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

fn number(number: Option<f64>) -> String {
    number.map_or("-".to_owned(), |own| format!("{own:.3}"))
}

/// How a theory does on examples: their counts, and their weights where they have some.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// The numbers of examples.
    pub counts: Confusion,
    /// Their weights.
    pub weighted: Option<WeightedConfusion>,
}

impl Evaluation {
    /// What is covered of examples that have these weights.
    pub fn new(coverage: &Coverage, examples: [&[Atom]; 2], weights: &Weights) -> Self {
        let weighted = weights.are_given().then(|| {
            let [tp, fn_, tn, fp] = weights.confusion(coverage, examples);
            WeightedConfusion { tp, fn_, tn, fp }
        });
        Self {
            counts: Confusion::from(coverage),
            weighted,
        }
    }

    /// The measures, as a Prolog comment; those by weight on a line of their own.
    pub fn measures(self) -> String {
        format!("% {}\n{}", self.counts.measures(), self.weighted_measures())
    }

    /// The measures by weight, as a Prolog comment; empty without weights.
    pub fn weighted_measures(self) -> String {
        let line = |own: WeightedConfusion| format!("% by weight: {}\n", own.measures());
        self.weighted.map_or(String::new(), line)
    }
}

impl std::ops::AddAssign for Evaluation {
    fn add_assign(&mut self, other: Self) {
        self.counts += other.counts;
        if let Some(more) = other.weighted {
            let own = self.weighted.get_or_insert_default();
            own.tp += more.tp;
            own.fn_ += more.fn_;
            own.tn += more.tn;
            own.fp += more.fp;
        }
    }
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

    /// The same by the proofs that there is time for: see [`theory_while`](kibitz_prolog::Evaluator::theory_while).
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
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
