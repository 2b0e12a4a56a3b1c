//! Wilson score intervals of proportions.

use super::{Interval, two_sided_z};
use crate::error::{SampleError, check_share};

/// Wilson score interval of a binomial probability, from successes in independent trials.
///
/// Stays within 0 to 1, and is sound for few trials and for proportions near 0 or 1.
///
/// # Source
/// Wilson 1927, "Probable inference, the law of succession, and statistical inference".
///
/// # Errors
/// [`SampleError::TooFew`] without trials, [`SampleError::MoreSuccessesThanTrials`],
/// [`SampleError::NotAShare`] for a level outside 0 to 1.
pub fn wilson_interval(successes: u64, trials: u64, level: f64) -> Result<Interval, SampleError> {
    check_share(level)?;
    let share = share(successes, trials)?;
    let n = trials as f64;
    let z2 = two_sided_z(level).powi(2);
    let center = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let reach = (z2 * (share * (1.0 - share) / n + z2 / (4.0 * n * n))).sqrt() / (1.0 + z2 / n);
    Ok(Interval {
        // Exactly 0 and 1 in exact arithmetic.
        low: if successes == 0 { 0.0 } else { center - reach },
        high: if successes == trials {
            1.0
        } else {
            center + reach
        },
        level,
    })
}

fn share(successes: u64, trials: u64) -> Result<f64, SampleError> {
    if trials == 0 {
        return Err(SampleError::TooFew {
            needed: 1,
            found: 0,
        });
    }
    if successes > trials {
        return Err(SampleError::MoreSuccessesThanTrials { successes, trials });
    }
    Ok(successes as f64 / trials as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn agrees_with_wilson_by_hand() {
        // 8 of 10 at z^2 = 3.841458820694124.
        let interval = wilson_interval(8, 10, 0.95).unwrap();
        assert!(
            (interval.low - 0.490_162_471_536_64).abs() < 1e-9,
            "{interval:?}"
        );
        assert!(
            (interval.high - 0.943_317_848_545_625).abs() < 1e-9,
            "{interval:?}"
        );
    }

    #[test]
    fn refuses_impossible_counts() {
        assert_eq!(
            wilson_interval(3, 2, 0.9),
            Err(SampleError::MoreSuccessesThanTrials {
                successes: 3,
                trials: 2
            })
        );
        assert!(wilson_interval(0, 0, 0.9).is_err());
    }

    proptest! {
        #[test]
        fn the_interval_holds_the_share_and_mirrors(
            (successes, trials) in (1u64..500).prop_flat_map(|n| (0..=n, Just(n))),
            level in 0.01f64..0.999,
        ) {
            let interval = wilson_interval(successes, trials, level).unwrap();
            prop_assert!(0.0 <= interval.low && interval.high <= 1.0);
            prop_assert!(interval.contains(successes as f64 / trials as f64));
            let mirror = wilson_interval(trials - successes, trials, level).unwrap();
            prop_assert!((mirror.low - (1.0 - interval.high)).abs() < 1e-12);
        }
    }
}
