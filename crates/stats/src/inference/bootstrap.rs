//! The cluster bootstrap: sampling variation of estimates over groups (games).

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::{Interval, Replicates};
use crate::error::SampleError;

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

/// Bootstrap replicates of the estimates of some parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Bootstrap {
    /// The replicates of each parameter, in order; none if no resample has an estimate.
    ///
    /// Those without an estimate, for example because the resample has no maximum, are counted: see
    /// [`Replicates`].
    pub parameters: Vec<Replicates>,
    /// Resamples without an estimate.
    pub n_lost: usize,
    /// Number of resamples.
    pub n_drawn: usize,
}

/// The cluster bootstrap: estimates from samples of n of the n groups, drawn with replacement.
///
/// Groups (games) are drawn, not single choices, because choices within a game are correlated. A
/// group drawn twice occurs twice in the sample given to `estimate`; samples are sorted, and fit
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
    let n_parameters = replicates.iter().flatten().map(Vec::len).max();
    let of_parameter = |parameter: usize| -> Replicates {
        let replicates = replicates.iter();
        replicates
            .map(|estimates| estimates.as_ref()?.get(parameter).copied())
            .collect()
    };
    Ok(Bootstrap {
        parameters: (0..n_parameters.unwrap_or(0)).map(of_parameter).collect(),
        n_lost: replicates.iter().filter(|found| found.is_none()).count(),
        n_drawn: replicates.len(),
    })
}

impl Bootstrap {
    /// Standard deviation of each parameter over the replicates.
    ///
    /// # Errors
    /// Those of [`Replicates::bootstrap_std_error`].
    pub fn std_errors(&self) -> Result<Vec<f64>, SampleError> {
        self.per_parameter(Replicates::bootstrap_std_error)
    }

    /// Percentile interval of each parameter: `(1 - level) / 2` of the replicates are on either side.
    ///
    /// # Errors
    /// Those of [`Replicates::percentile_interval`].
    pub fn percentile_intervals(&self, level: f64) -> Result<Vec<Interval>, SampleError> {
        self.per_parameter(|replicates| replicates.percentile_interval(level))
    }

    fn per_parameter<T>(
        &self,
        statistic: impl Fn(&Replicates) -> Result<T, SampleError>,
    ) -> Result<Vec<T>, SampleError> {
        if self.parameters.is_empty() {
            // No resample says how many parameters there are.
            let none: Replicates = (0..self.n_drawn).map(|_| None).collect();
            statistic(&none)?;
        }
        self.parameters.iter().map(statistic).collect()
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
    fn counts_failures_and_gives_no_error_if_they_are_many() {
        let groups: Vec<u32> = (0..10).collect();
        let options = BootstrapOptions {
            n_replicates: 2000,
            seed: 1,
        };
        let boot = bootstrap_groups(&groups, options, estimate).unwrap();
        // Group 0 is missing with probability 0.9^10 = 0.349, standard error 0.011.
        assert!((boot.n_lost as f64 / 2000.0 - 0.349).abs() < 0.04);
        assert_eq!(boot.parameters[0].n_used(), 2000 - boot.n_lost);
        let too_many = SampleError::TooManyLost {
            lost: boot.n_lost,
            drawn: 2000,
            allowed: 100,
        };
        assert_eq!(boot.std_errors(), Err(too_many.clone()));
        assert_eq!(boot.percentile_intervals(0.9), Err(too_many));
    }

    #[test]
    fn intervals_hold_their_share_of_the_replicates() {
        let groups: Vec<u32> = (0..10).collect();
        let sum = |sample: &[u32]| Some(vec![f64::from(sample.iter().sum::<u32>())]);
        let boot = bootstrap_groups(&groups, BootstrapOptions::default(), sum).unwrap();
        let interval = boot.percentile_intervals(0.9).unwrap()[0];
        let estimates = boot.parameters[0].estimates();
        let within = estimates.iter().filter(|&&sum| interval.contains(sum));
        let share = within.count() as f64 / estimates.len() as f64;
        assert!((0.9..0.95).contains(&share), "{share}");
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
        assert_eq!((failed.n_lost, failed.n_drawn), (1000, 1000));
        assert!(failed.std_errors().is_err() && failed.percentile_intervals(0.9).is_err());
    }
}
