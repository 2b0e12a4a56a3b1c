//! Training and test sets, and cross-validation folds, by group.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::error::{SampleError, check_share};

/// Training and test groups; disjoint, each ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Training groups.
    pub train: Vec<u32>,
    /// Test groups.
    pub test: Vec<u32>,
}

/// A random train-test split of the groups.
///
/// The number of test groups is the share of the distinct groups, rounded, at least one and not
/// all. Depends on the seed and on which groups there are, not on their order or repetition.
///
/// # Errors
/// [`SampleError::NotAShare`], [`SampleError::TooFew`] with fewer than two groups.
///
/// # Examples
/// ```
/// use kibitz_stats::split::train_test;
/// let split = train_test(&[1, 2, 3, 4], 0.25, 7)?;
/// assert_eq!((split.train.len(), split.test.len()), (3, 1));
/// # Ok::<(), kibitz_stats::SampleError>(())
/// ```
pub fn train_test(groups: &[u32], test_share: f64, seed: u64) -> Result<Split, SampleError> {
    check_share(test_share)?;
    let groups = shuffled(groups, seed);
    if groups.len() < 2 {
        return Err(SampleError::TooFew {
            needed: 2,
            found: groups.len(),
        });
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a length lies between 0 and the length"
    )]
    let n_test = (test_share * groups.len() as f64).round() as usize;
    let (test, train) = groups.split_at(n_test.clamp(1, groups.len() - 1));
    Ok(Split {
        train: sorted(train.iter().copied()),
        test: sorted(test.iter().copied()),
    })
}

/// A random sample of `n` of the distinct groups, or all in their order if there are no more.
///
/// # Errors
/// As [`train_test`]: with fewer than two distinct groups, or an `n` of 0.
///
/// # Examples
/// ```
/// use kibitz_stats::split::draw;
/// let drawn = draw(&[1, 2, 3, 4], 2, 7)?;
/// assert_eq!(drawn.len(), 2);
/// assert_eq!(draw(&[3, 1], 5, 7)?, [3, 1]);
/// # Ok::<(), kibitz_stats::SampleError>(())
/// ```
pub fn draw(groups: &[u32], n: u32, seed: u64) -> Result<Vec<u32>, SampleError> {
    if n as usize >= groups.len() {
        return Ok(groups.to_vec());
    }
    let share = f64::from(n) / groups.len() as f64;
    Ok(train_test(groups, share, seed)?.test)
}

/// K-fold cross-validation: deals the groups into `n_folds` random folds; split `i` tests on fold `i`.
///
/// Every group is tested on exactly once; fold sizes differ by one at most.
///
/// # Errors
/// [`SampleError::BadFolds`] with fewer than two folds or more folds than distinct groups.
pub fn k_fold(groups: &[u32], n_folds: usize, seed: u64) -> Result<Vec<Split>, SampleError> {
    let groups = shuffled(groups, seed);
    let n_groups = groups.len();
    if n_folds < 2 || n_folds > n_groups {
        return Err(SampleError::BadFolds { n_groups, n_folds });
    }
    let dealt = |fold: usize, inside: bool| {
        let groups = groups.iter().enumerate();
        sorted(
            groups
                .filter(|(i, _)| (i % n_folds == fold) == inside)
                .map(|(_, &group)| group),
        )
    };
    Ok((0..n_folds)
        .map(|fold| Split {
            train: dealt(fold, false),
            test: dealt(fold, true),
        })
        .collect())
}

fn shuffled(groups: &[u32], seed: u64) -> Vec<u32> {
    let mut groups = sorted(groups.iter().copied());
    groups.dedup();
    groups.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    groups
}

fn sorted(groups: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut groups: Vec<u32> = groups.collect();
    groups.sort_unstable();
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn refuses_invalid_splits() {
        assert_eq!(
            train_test(&[4, 4], 0.5, 0),
            Err(SampleError::TooFew {
                needed: 2,
                found: 1
            })
        );
        assert_eq!(
            train_test(&[1, 2], 1.0, 0),
            Err(SampleError::NotAShare { value: 1.0 })
        );
        let too_many = SampleError::BadFolds {
            n_groups: 2,
            n_folds: 3,
        };
        assert_eq!(k_fold(&[1, 2], 3, 0), Err(too_many));
        assert!(k_fold(&[1, 2], 1, 0).is_err());
    }

    #[test]
    fn the_seed_decides() {
        let groups: Vec<u32> = (0..50).collect();
        let reversed: Vec<u32> = (0..50).rev().chain(0..50).collect();
        assert_eq!(train_test(&groups, 0.3, 1), train_test(&reversed, 0.3, 1));
        assert_ne!(train_test(&groups, 0.3, 1), train_test(&groups, 0.3, 2));
    }

    proptest! {
        #[test]
        fn every_group_is_tested_once(n_groups in 2u32..60, n_folds in 2usize..10, seed: u64) {
            prop_assume!(n_folds <= n_groups as usize);
            let groups: Vec<u32> = (0..n_groups).map(|group| group * 3).collect();
            let splits = k_fold(&groups, n_folds, seed).unwrap();
            let tested = sorted(splits.iter().flat_map(|split| split.test.clone()));
            prop_assert_eq!(&tested, &groups);
            for split in &splits {
                let all = sorted(split.train.iter().chain(&split.test).copied());
                prop_assert_eq!(&all, &groups);
                prop_assert!(split.test.len() >= groups.len() / n_folds);
            }
        }

        #[test]
        fn train_and_test_share_nothing(n_groups in 2u32..60, share in 0.01f64..0.99, seed: u64) {
            let groups: Vec<u32> = (0..n_groups).collect();
            let split = train_test(&groups, share, seed).unwrap();
            prop_assert!(!split.train.is_empty() && !split.test.is_empty());
            prop_assert_eq!(sorted(split.train.into_iter().chain(split.test)), groups);
        }
    }
}
