//! Standard errors from samples, and what became of the samples that have no estimate.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use kibitz_experiment::{Number, Resample, Resampling, SamplesUsed};
use kibitz_stats::inference::Replicates;

/// The figures that a sample gives, or why it gives none.
pub(crate) type Estimates = Result<Vec<f64>, String>;

/// Standard errors of figures, and the samples that these lack.
#[derive(Debug)]
pub(crate) struct Errors {
    method: Resampling,
    /// The figures that some samples have no estimate of.
    pub(crate) used: SamplesUsed,
}

impl Errors {
    pub(crate) fn new(resample: &Resample) -> Self {
        Self {
            method: resample.method,
            used: SamplesUsed::default(),
        }
    }

    /// The standard error of a figure from its estimates in all samples, or why a sample has none.
    ///
    /// `None` if too many samples lack one. The row has a note about missing estimates in any case.
    pub(crate) fn std_error<'e>(
        &mut self,
        row: &str,
        column: &str,
        estimates: impl IntoIterator<Item = Result<f64, &'e str>>,
    ) -> Option<f64> {
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        let mut lost = |reason| *reasons.entry(reason).or_default() += 1;
        let found = estimates.into_iter().map(|estimate| match estimate {
            Ok(estimate) if estimate.is_finite() => Some(estimate),
            Ok(_) => {
                lost("the figure is undefined there");
                None
            }
            Err(reason) => {
                lost(reason);
                None
            }
        });
        let replicates: Replicates = found.collect();
        let std_error = match self.method {
            Resampling::Jackknife => replicates.jackknife_std_error(),
            Resampling::Bootstrap => replicates.bootstrap_std_error(),
        };
        if !replicates.is_complete() {
            let mut text = replicates.to_string();
            if std_error.is_err() {
                text.push_str(", too few for a standard error");
            }
            // The commonest reason; the first of equally common ones.
            let commonest = reasons.iter().rev().max_by_key(|(_, count)| **count);
            if let Some((reason, _)) = commonest {
                let _ = write!(text, " ({reason})");
            }
            self.used.add(row, column, text);
        }
        std_error.ok()
    }

    /// Figures with their standard errors, from the figures of all samples; `places` names the row and
    /// the column of each.
    pub(crate) fn numbers<'p>(
        &mut self,
        places: impl IntoIterator<Item = (&'p str, &'p str)>,
        figures: &[f64],
        samples: &[Estimates],
    ) -> Vec<Number> {
        let places = places.into_iter().zip(figures).enumerate();
        let number = |(at, ((row, column), figure)): (usize, ((&str, &str), &f64))| {
            let estimates = samples.iter().map(|sample| match sample {
                Ok(figures) => Ok(figures[at]),
                Err(reason) => Err(reason.as_str()),
            });
            Number {
                std_error: self.std_error(row, column, estimates),
                ..Number::new(*figure)
            }
        };
        places.map(number).collect()
    }
}

#[cfg(test)]
mod tests {
    use kibitz_experiment::{Context, Output, Runner, Value};
    use proptest::prelude::*;

    use super::*;

    fn errors(method: Resampling) -> Errors {
        Errors::new(&Resample {
            by: "game".to_owned(),
            method,
            draws: 200,
        })
    }

    /// The note about the figures in a row called `row`.
    fn told(errors: Errors) -> Option<String> {
        struct Bare;
        impl Runner for Bare {}
        let mut output = Output::default();
        let ctx = Context::new("cell", 0, None, &Bare);
        errors.used.tell(&ctx, &mut output).unwrap();
        match output.get("row", "samples-used")? {
            Value::Text(text) => Some(text.clone()),
            Value::Number(number) => panic!("{number:?}"),
        }
    }

    #[test]
    fn a_few_lost_samples_are_told_and_many_leave_no_error() {
        let estimate = |errors: &mut Errors, n_lost: usize| {
            let estimates = (0..200).map(|at| match at {
                at if at < n_lost => Err("no maximum: `b` separates"),
                at => Ok((at % 9) as f64),
            });
            errors.std_error("row", "weight", estimates)
        };
        let mut few = errors(Resampling::Bootstrap);
        assert!(estimate(&mut few, 2).is_some());
        let text = "weight: 198 of 200 (no maximum: `b` separates)";
        assert_eq!(told(few).as_deref(), Some(text));
        let mut many = errors(Resampling::Bootstrap);
        assert!(estimate(&mut many, 11).is_none());
        let text = "weight: 189 of 200, too few for a standard error (no maximum: `b` separates)";
        assert_eq!(told(many).as_deref(), Some(text));
        let mut jackknife = errors(Resampling::Jackknife);
        assert!(estimate(&mut jackknife, 1).is_none());
        let mut none = errors(Resampling::Bootstrap);
        assert!(estimate(&mut none, 0).is_some_and(|error| error > 0.0));
        assert_eq!(told(none), None);
    }

    proptest! {
        /// For any pattern of failures: standard errors use the remaining estimates, and failures are counted.
        #[test]
        fn any_pattern_of_failures_is_counted(
            samples in prop::collection::vec(0u8..40, 40..120),
        ) {
            // A sample fails as a whole, or its second figure is undefined.
            let estimates: Vec<Estimates> = samples
                .iter()
                .map(|kind| match kind {
                    0 => Err("first".to_owned()),
                    1 => Err("second".to_owned()),
                    2 => Ok(vec![1.0, f64::NAN]),
                    other => Ok(vec![f64::from(*other), f64::from(*other) / 3.0]),
                })
                .collect();
            let mut errors = errors(Resampling::Bootstrap);
            let places = [("row", "a"), ("row", "b")];
            let numbers = errors.numbers(places, &[20.0, 7.0], &estimates);
            let count = |up_to: u8| samples.iter().filter(|kind| **kind <= up_to).count();
            let told = told(errors).unwrap_or_default();
            for (number, lost) in [(numbers[0], count(1)), (numbers[1], count(2))] {
                prop_assert_eq!(number.std_error.is_some(), 20 * lost <= samples.len());
                let text = format!("{} of {}", samples.len() - lost, samples.len());
                prop_assert_eq!(told.contains(&text), lost > 0, "{}", told);
            }
            // The error is that of the samples that are left, as if no other had been drawn.
            if let Some(std_error) = numbers[0].std_error {
                let left: Vec<Estimates> = estimates.iter().filter(|it| it.is_ok()).cloned().collect();
                let mut alone = self::errors(Resampling::Bootstrap);
                let alone = alone.numbers([("row", "a")], &[20.0], &left);
                prop_assert_eq!(alone[0].std_error, Some(std_error));
            }
        }
    }
}
