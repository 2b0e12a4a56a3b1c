//! Standard errors from replicates of an estimate, where some replicates may have none.

use std::fmt;

use super::Interval;
use super::jackknife::jackknife_std_error;
use crate::error::{SampleError, check_share};
use crate::summary::{quantile, std_dev};

/// The estimates of one quantity from resamples of the data; some may be missing.
///
/// A resample has no estimate if, for example, its likelihood has no maximum. Such resamples are
/// counted and never replaced:
///
/// - The bootstrap tolerates up to 5% missing replicates, and otherwise returns an error: the missing
///   ones are in the tails, so without them the standard error is too small.
/// - The jackknife tolerates none: the group without which there is no estimate is the most
///   influential one.
///
/// An estimate that is not finite counts as missing.
///
/// # Examples
/// ```
/// use kibitz_stats::inference::Replicates;
/// let estimates = |n_lost| (0..200).map(move |at| (at >= n_lost).then_some(f64::from(at % 7)));
/// let replicates: Replicates = estimates(2).collect();
/// assert_eq!(replicates.to_string(), "198 of 200");
/// assert!(replicates.bootstrap_std_error().is_ok());
/// let too_few: Replicates = estimates(11).collect();
/// assert!(too_few.bootstrap_std_error().is_err());
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Replicates {
    estimates: Vec<f64>,
    n_drawn: usize,
}

/// One bootstrap replicate in so many may lack an estimate.
const LOST_SHARE: usize = 20;

impl FromIterator<Option<f64>> for Replicates {
    fn from_iter<I: IntoIterator<Item = Option<f64>>>(estimates: I) -> Self {
        let mut replicates = Self::default();
        for estimate in estimates {
            replicates.n_drawn += 1;
            replicates
                .estimates
                .extend(estimate.filter(|estimate| estimate.is_finite()));
        }
        replicates
    }
}

impl Replicates {
    /// Resamples that have an estimate.
    pub fn n_used(&self) -> usize {
        self.estimates.len()
    }

    /// Number of resamples.
    pub fn n_drawn(&self) -> usize {
        self.n_drawn
    }

    /// Whether every resample has an estimate.
    pub fn is_complete(&self) -> bool {
        self.n_used() == self.n_drawn
    }

    /// The estimates, in the order of the resamples.
    pub fn estimates(&self) -> &[f64] {
        &self.estimates
    }

    /// The standard deviation of bootstrap replicates.
    ///
    /// # Errors
    /// [`SampleError::TooManyLost`] if more than one replicate in twenty has no estimate,
    /// [`SampleError::TooFew`] with fewer than two estimates.
    pub fn bootstrap_std_error(&self) -> Result<f64, SampleError> {
        self.check(self.n_drawn / LOST_SHARE)?;
        std_dev(&self.estimates)
    }

    /// The percentile interval of bootstrap replicates: `(1 - level) / 2` of them are on either side.
    ///
    /// # Errors
    /// [`SampleError::TooManyLost`] as for [`bootstrap_std_error`](Self::bootstrap_std_error),
    /// [`SampleError::TooFew`] without an estimate, [`SampleError::NotAShare`].
    pub fn percentile_interval(&self, level: f64) -> Result<Interval, SampleError> {
        check_share(level)?;
        self.check(self.n_drawn / LOST_SHARE)?;
        let tail = (1.0 - level) / 2.0;
        Ok(Interval {
            low: quantile(&self.estimates, tail)?,
            high: quantile(&self.estimates, 1.0 - tail)?,
            level,
        })
    }

    /// The delete-a-group jackknife ([`jackknife_std_error`]), where every replicate leaves out a group.
    ///
    /// # Errors
    /// [`SampleError::TooManyLost`] if a replicate has no estimate, [`SampleError::TooFew`] with
    /// fewer than two groups.
    pub fn jackknife_std_error(&self) -> Result<f64, SampleError> {
        self.check(0)?;
        jackknife_std_error(&self.estimates)
    }

    fn check(&self, allowed: usize) -> Result<(), SampleError> {
        let lost = self.n_drawn - self.n_used();
        if lost > allowed {
            return Err(SampleError::TooManyLost {
                lost,
                drawn: self.n_drawn,
                allowed,
            });
        }
        Ok(())
    }
}

/// As in `198 of 200`.
impl fmt::Display for Replicates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.n_used(), self.n_drawn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lost_replicates_are_counted_and_the_others_decide(
            found in prop::collection::vec(prop::option::weighted(0.95, -9.0f64..9.0), 0..120),
        ) {
            let kept: Vec<f64> = found.iter().copied().flatten().collect();
            let lost = found.len() - kept.len();
            let replicates: Replicates = found.iter().copied().collect();
            prop_assert_eq!((replicates.n_used(), replicates.n_drawn()), (kept.len(), found.len()));
            prop_assert_eq!(replicates.is_complete(), lost == 0);
            prop_assert_eq!(replicates.estimates(), kept.as_slice());

            let too_many = |allowed| SampleError::TooManyLost { lost, drawn: found.len(), allowed };
            // More than five percent, in exact arithmetic.
            let bootstrap = if 20 * lost > found.len() {
                Err(too_many(found.len() / 20))
            } else {
                std_dev(&kept)
            };
            prop_assert_eq!(replicates.bootstrap_std_error(), bootstrap);
            let jackknife = if lost > 0 {
                Err(too_many(0))
            } else {
                jackknife_std_error(&kept)
            };
            prop_assert_eq!(replicates.jackknife_std_error(), jackknife);
            let interval = replicates.percentile_interval(0.9);
            prop_assert_eq!(interval.is_ok(), 20 * lost <= found.len() && !kept.is_empty());
        }

        #[test]
        fn which_replicates_are_lost_does_not_matter(
            found in prop::collection::vec(-9.0f64..9.0, 40..100),
            places in prop::collection::vec(0usize..100, 0..3),
        ) {
            // Lost as NaN or as none, in front or anywhere: the same as if they had not been drawn,
            // but for the count.
            let mut with_lost: Vec<Option<f64>> = found.iter().copied().map(Some).collect();
            for (n, place) in places.iter().enumerate() {
                let lost = (n % 2 == 0).then_some(f64::NAN);
                with_lost.insert(place % (with_lost.len() + 1), lost);
            }
            let replicates: Replicates = with_lost.into_iter().collect();
            let whole: Replicates = found.iter().copied().map(Some).collect();
            prop_assert_eq!(replicates.n_drawn() - replicates.n_used(), places.len());
            if 20 * places.len() <= replicates.n_drawn() {
                prop_assert_eq!(replicates.bootstrap_std_error(), whole.bootstrap_std_error());
            }
        }
    }

    #[test]
    fn the_message_says_how_many_are_lost() {
        let replicates: Replicates = (0..40).map(|at| (at > 2).then_some(1.0)).collect();
        assert_eq!(
            replicates.bootstrap_std_error().unwrap_err().to_string(),
            "3 of 40 resamples have no estimate, and at most 2 may lack one"
        );
        assert_eq!(
            replicates.jackknife_std_error().unwrap_err().to_string(),
            "3 of 40 resamples have no estimate, and none may lack one"
        );
    }
}
