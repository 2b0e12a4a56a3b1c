//! The cluster bootstrap: sampling variation of estimates over groups (games).

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::Interval;
use crate::error::{SampleError, check_share};
use crate::summary::{quantile, std_dev};

/// Number of resamples, and the seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "serde",
    serde(rename_all = "kebab-case", deny_unknown_fields, default)
)]
pub struct BootstrapOptions {
    /// Number of resamples.
    pub n_replicates: usize,
    /// Seed; replicate `i` draws from stream `i` of a `ChaCha8` generator with this seed.
    pub seed: u64,
}

impl Default for BootstrapOptions {
    fn default() -> Self {
        Self {
            n_replicates: 1000,
            seed: 0,
        }
    }
}

/// Bootstrap replicates of an estimate.
#[derive(Debug, Clone, PartialEq)]
pub struct Bootstrap {
    /// The estimates of the replicates that have one, in order; one number per parameter.
    pub estimates: Vec<Vec<f64>>,
    /// Replicates without an estimate, for example because the resample has no maximum.
    ///
    /// Standard errors and intervals leave them out, and are too narrow if they are many.
    pub n_failed: usize,
}

/// The cluster bootstrap: estimates from samples of n of the n groups, drawn with replacement.
///
/// Groups (games) are drawn, not single choices, because choices within a game are correlated. A
/// group drawn twice stands twice in the sample given to `estimate`; samples are sorted, and fit
/// [`ChoiceSets::by_groups`](crate::ChoiceSets::by_groups). Replicates run in parallel and do not
/// depend on the number of threads.
///
/// # Source
/// Efron 1979, "Bootstrap methods: another look at the jackknife", over clusters.
///
/// # Errors
/// [`SampleError::TooFew`] without groups.
///
/// # Examples
/// ```
/// use kibitz_stats::inference::{BootstrapOptions, bootstrap_groups};
/// let groups: Vec<u32> = (0..100).collect();
/// let mean = |sample: &[u32]| {
///     Some(vec![sample.iter().map(|&g| f64::from(g)).sum::<f64>() / sample.len() as f64])
/// };
/// let boot = bootstrap_groups(&groups, BootstrapOptions::default(), mean)?;
/// // The standard error of the mean of 0..100 is 28.87 / 10.
/// assert!((boot.std_errors()?[0] - 2.887).abs() < 0.2);
/// # Ok::<(), kibitz_stats::SampleError>(())
/// ```
pub fn bootstrap_groups(
    groups: &[u32],
    options: BootstrapOptions,
    estimate: impl Fn(&[u32]) -> Option<Vec<f64>> + Sync,
) -> Result<Bootstrap, SampleError> {
    if groups.is_empty() {
        return Err(SampleError::TooFew {
            needed: 1,
            found: 0,
        });
    }
    let replicates: Vec<Option<Vec<f64>>> = (0..options.n_replicates)
        .into_par_iter()
        .map(|replicate| {
            let mut rng = ChaCha8Rng::seed_from_u64(options.seed);
            rng.set_stream(replicate as u64);
            let draw = |_: &u32| groups[rng.random_range(0..groups.len())];
            let mut sample: Vec<u32> = groups.iter().map(draw).collect();
            sample.sort_unstable();
            estimate(&sample)
        })
        .collect();
    let estimates: Vec<Vec<f64>> = replicates.into_iter().flatten().collect();
    Ok(Bootstrap {
        n_failed: options.n_replicates - estimates.len(),
        estimates,
    })
}

impl Bootstrap {
    /// Standard deviation of each parameter over the replicates.
    ///
    /// # Errors
    /// [`SampleError::TooFew`] with fewer than two estimates.
    pub fn std_errors(&self) -> Result<Vec<f64>, SampleError> {
        self.per_parameter(2, std_dev)
    }

    /// Percentile interval of each parameter: `(1 - level) / 2` of the replicates lie on either side.
    ///
    /// # Errors
    /// [`SampleError::TooFew`] without estimates, [`SampleError::NotAShare`].
    pub fn percentile_intervals(&self, level: f64) -> Result<Vec<Interval>, SampleError> {
        check_share(level)?;
        let tail = (1.0 - level) / 2.0;
        self.per_parameter(1, |values| {
            Ok(Interval {
                low: quantile(values, tail)?,
                high: quantile(values, 1.0 - tail)?,
                level,
            })
        })
    }

    fn per_parameter<T>(
        &self,
        needed: usize,
        statistic: impl Fn(&[f64]) -> Result<T, SampleError>,
    ) -> Result<Vec<T>, SampleError> {
        let found = self.estimates.len();
        if found < needed {
            return Err(SampleError::TooFew { needed, found });
        }
        (0..self.estimates[0].len())
            .map(|k| {
                statistic(
                    &self
                        .estimates
                        .iter()
                        .map(|estimate| estimate[k])
                        .collect::<Vec<_>>(),
                )
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_pool<T: Send>(n_threads: usize, work: impl FnOnce() -> T + Send) -> T {
        rayon::ThreadPoolBuilder::new()
            .num_threads(n_threads)
            .build()
            .unwrap()
            .install(work)
    }

    /// The mean group number; fails when group 0 was not drawn.
    fn estimate(sample: &[u32]) -> Option<Vec<f64>> {
        assert!(sample.is_sorted() && sample.len() == 10);
        let sum: u32 = sample.iter().sum();
        (sample[0] == 0).then(|| vec![f64::from(sum) / 10.0])
    }

    #[test]
    fn does_not_depend_on_threads_but_on_the_seed() {
        let groups: Vec<u32> = (0..10).collect();
        let run = |n_threads, seed| {
            in_pool(n_threads, || {
                let options = BootstrapOptions {
                    n_replicates: 500,
                    seed,
                };
                bootstrap_groups(&groups, options, estimate).unwrap()
            })
        };
        assert_eq!(run(1, 3), run(4, 3));
        assert_ne!(run(1, 3), run(1, 4));
    }

    #[test]
    fn counts_failures_and_leaves_them_out() {
        let groups: Vec<u32> = (0..10).collect();
        let options = BootstrapOptions {
            n_replicates: 2000,
            seed: 1,
        };
        let boot = bootstrap_groups(&groups, options, estimate).unwrap();
        assert_eq!(boot.estimates.len() + boot.n_failed, 2000);
        // Group 0 is missing with probability 0.9^10 = 0.349, standard error 0.011.
        assert!((boot.n_failed as f64 / 2000.0 - 0.349).abs() < 0.04);
        let interval = boot.percentile_intervals(0.9).unwrap()[0];
        let within = boot
            .estimates
            .iter()
            .filter(|e| interval.contains(e[0]))
            .count();
        let share = within as f64 / boot.estimates.len() as f64;
        assert!((0.9..0.93).contains(&share), "{share}");
    }

    #[test]
    fn refuses_invalid_requests() {
        let none = bootstrap_groups(&[], BootstrapOptions::default(), |_| None);
        assert_eq!(
            none,
            Err(SampleError::TooFew {
                needed: 1,
                found: 0
            })
        );
        let failed = bootstrap_groups(&[1, 2], BootstrapOptions::default(), |_| None).unwrap();
        assert_eq!(failed.n_failed, 1000);
        assert!(failed.std_errors().is_err() && failed.percentile_intervals(0.9).is_err());
    }
}
