//! Rank statistics of a scoring function: ranks of the chosen alternative, the miss rate when only
//! the best few are kept, and Samuel's coefficient.
//!
//! # Source
//! Sugar 1975, sections 3.3.1 and 1.2.3.

use std::ops::AddAssign;

/// The rank of a chosen alternative by score.
///
/// # Examples
/// ```
/// use kibitz_stats::ranking::Standing;
/// let standing = Standing::of(&[3.0, 5.0, 3.0, 1.0], 2).expect("the third of four");
/// // One is better, one equal stands before it, one is worse.
/// assert_eq!((standing.rank(), standing.better, standing.worse), (3, 1, 1));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// Alternatives with a greater score.
    pub better: u32,
    /// Alternatives with an equal score that come earlier in the list.
    pub equal_before: u32,
    /// Alternatives with a smaller score.
    pub worse: u32,
}

impl Standing {
    /// The standing of alternative `chosen`; `None` if it is out of range.
    pub fn of(scores: &[f64], chosen: usize) -> Option<Self> {
        let &own = scores.get(chosen)?;
        let mut standing = Self {
            better: 0,
            equal_before: 0,
            worse: 0,
        };
        for (index, score) in scores.iter().enumerate() {
            match score.total_cmp(&own) {
                std::cmp::Ordering::Greater => standing.better += 1,
                std::cmp::Ordering::Less => standing.worse += 1,
                std::cmp::Ordering::Equal if index < chosen => standing.equal_before += 1,
                std::cmp::Ordering::Equal => {}
            }
        }
        Some(standing)
    }

    /// Rank from 1, the best; of equals the earlier one ranks higher.
    pub fn rank(self) -> usize {
        1 + self.better as usize + self.equal_before as usize
    }
}

/// Frequencies of the chosen alternative's rank.
///
/// # Source
/// Sugar 1975, section 3.3.1: the share of positions in which the master move is among the first
/// `i` is P1 to P7, and P8 the share in which it is below the seventh.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RankCounts {
    /// `counts[i]` decisions in which the chosen alternative had rank `i + 1`.
    counts: Vec<u64>,
}

impl RankCounts {
    /// No decision yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts one decision. Ranks begin at 1; a rank of 0 counts as 1.
    pub fn record(&mut self, rank: usize) {
        let index = rank.saturating_sub(1);
        if self.counts.len() <= index {
            self.counts.resize(index + 1, 0);
        }
        self.counts[index] += 1;
    }

    /// Number of decisions.
    pub fn n_samples(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Decisions in which the chosen alternative had exactly this rank.
    pub fn exactly(&self, rank: usize) -> u64 {
        let index = rank.checked_sub(1);
        index
            .and_then(|index| self.counts.get(index))
            .copied()
            .unwrap_or(0)
    }

    /// Decisions in which the chosen alternative was among the first `fanout`.
    pub fn within(&self, fanout: usize) -> u64 {
        self.counts.iter().take(fanout).sum()
    }

    /// Share of [`within`](Self::within), the report's P of `fanout`; `None` without decisions.
    pub fn share_within(&self, fanout: usize) -> Option<f64> {
        let n = self.n_samples();
        (n > 0).then(|| self.within(fanout) as f64 / n as f64)
    }

    /// Chance that the chosen alternative is not among the first `fanout`: the report's type 1
    /// error A of `fanout`. `None` without decisions.
    pub fn miss_rate(&self, fanout: usize) -> Option<f64> {
        self.share_within(fanout).map(|share| 1.0 - share)
    }
}

impl AddAssign<&RankCounts> for RankCounts {
    fn add_assign(&mut self, other: &RankCounts) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (sum, count) in self.counts.iter_mut().zip(&other.counts) {
            *sum += count;
        }
    }
}

/// Samuel's correlation of a scoring function with the alternatives chosen.
///
/// C = (L - H) / (L + H), where L counts the alternatives scored lower than the chosen one and H
/// those scored higher, over all decisions. 1 if the chosen one is always on top, 0 by chance.
///
/// # Source
/// Samuel 1967, "Some studies in machine learning using the game of checkers II"; Sugar 1975,
/// section 1.2.3. Neither says how equal scores count; they are in neither L nor H here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SamuelCounts {
    /// L: alternatives scored lower than the chosen one.
    pub lower: u64,
    /// H: alternatives scored higher.
    pub higher: u64,
}

impl SamuelCounts {
    /// Counts one decision.
    pub fn record(&mut self, standing: Standing) {
        self.lower += u64::from(standing.worse);
        self.higher += u64::from(standing.better);
    }

    /// The coefficient, from -1 to 1; `None` if no alternative differed in score.
    pub fn coefficient(self) -> Option<f64> {
        let (lower, higher) = (self.lower as f64, self.higher as f64);
        (self.lower + self.higher > 0).then(|| (lower - higher) / (lower + higher))
    }
}

impl AddAssign for SamuelCounts {
    fn add_assign(&mut self, other: Self) {
        self.lower += other.lower;
        self.higher += other.higher;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_printed_table_c2_1() {
        // Sugar 1975, appendix 3: totals of the three test games.
        let mut ranks = RankCounts::new();
        for (index, count) in [66, 32, 25, 18, 14, 10, 5, 43].into_iter().enumerate() {
            (0..count).for_each(|_| ranks.record(index + 1));
        }
        let percent =
            [1, 2, 3, 4, 5, 6, 7].map(|i| (100.0 * ranks.share_within(i).unwrap()).round());
        assert_eq!(percent, [31.0, 46.0, 58.0, 66.0, 73.0, 77.0, 80.0]);
        assert_eq!((ranks.within(7), ranks.n_samples()), (170, 213));
        assert!((ranks.miss_rate(7).unwrap() - 43.0 / 213.0).abs() < 1e-15);
    }

    #[test]
    fn nothing_counted_nothing_known() {
        let ranks = RankCounts::new();
        assert_eq!((ranks.n_samples(), ranks.exactly(0)), (0, 0));
        assert_eq!(ranks.share_within(3), None);
        assert_eq!(SamuelCounts::default().coefficient(), None);
        assert_eq!(Standing::of(&[1.0], 1), None);
    }

    #[test]
    fn samuels_coefficient_by_hand() {
        let mut counts = SamuelCounts::default();
        counts.record(Standing::of(&[4.0, 2.0, 2.0, 1.0, 0.0], 1).unwrap());
        assert_eq!((counts.lower, counts.higher), (2, 1));
        assert_eq!(counts.coefficient(), Some(1.0 / 3.0));
    }

    proptest! {
        #[test]
        fn ranks_are_places_in_the_sorted_list(
            scores in prop::collection::vec(-5..5_i32, 1..40),
            choice in any::<prop::sample::Index>(),
        ) {
            let scores: Vec<f64> = scores.into_iter().map(f64::from).collect();
            let chosen = choice.index(scores.len());
            let mut order: Vec<usize> = (0..scores.len()).collect();
            order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
            let standing = Standing::of(&scores, chosen).unwrap();
            prop_assert_eq!(order[standing.rank() - 1], chosen);

            let mut samuel = SamuelCounts::default();
            samuel.record(standing);
            if let Some(coefficient) = samuel.coefficient() {
                prop_assert!((-1.0..=1.0).contains(&coefficient));
                // Turning all scores around turns the coefficient around.
                let negated: Vec<f64> = scores.iter().map(|score| -score).collect();
                let mut turned = SamuelCounts::default();
                turned.record(Standing::of(&negated, chosen).unwrap());
                prop_assert_eq!(turned.coefficient(), Some(-coefficient));
            }
        }

        #[test]
        fn counts_add_up(
            left in prop::collection::vec(1..40_usize, 0..50),
            right in prop::collection::vec(1..40_usize, 1..50),
            fanout in 1..45_usize,
        ) {
            let count = |ranks: &[usize]| {
                let mut counts = RankCounts::new();
                for &rank in ranks {
                    counts.record(rank);
                }
                counts
            };
            let mut sum = count(&left);
            sum += &count(&right);
            prop_assert_eq!(&sum, &count(&[left, right].concat()));
            prop_assert_eq!(
                sum.within(fanout) + sum.exactly(fanout + 1),
                sum.within(fanout + 1)
            );
            // Keeping more never misses more often.
            prop_assert!(sum.miss_rate(fanout + 1) <= sum.miss_rate(fanout));
            prop_assert!(sum.miss_rate(45).unwrap().abs() < 1e-15);
        }
    }
}
