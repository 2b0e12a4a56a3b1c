//! Error bounds of a search that keeps only the best few moves at each node.
//!
//! At every node of level `i` (the root is level 1) the `f_i` best moves by some score are kept.
//! A *type 1 error* is that the ideal move is not among them; its probability at a node is the miss
//! rate A(`f_i`), taken to be the same at all nodes of a level and independent between nodes.
//!
//! # Source
//! Sugar 1975, section 2.2.3, pp. 37-42. [`simulation`] grows random trees in which the same things
//! can be counted.

pub mod simulation;

/// One level of a pruned tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// Moves kept at each node, `f_i`; at least 1.
    pub fanout: u32,
    /// Chance that the ideal move is not among them, A(`f_i`), from 0 to 1.
    pub miss_rate: f64,
}

/// Why a pruned tree or a level of it was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PruningError {
    /// No level was given.
    #[error("a tree has at least one level")]
    NoLevel,
    /// A level keeps no move.
    #[error("level {level} keeps no move")]
    NoFanout {
        /// Which level, from 1.
        level: usize,
    },
    /// A miss rate is no probability.
    #[error("the miss rate of level {level} is {value}, not a number from 0 to 1")]
    NotAProbability {
        /// Which level, from 1.
        level: usize,
        /// The value given.
        value: f64,
    },
    /// The tree has no such level.
    #[error("no level {level}: the tree has {n_levels} levels")]
    NoSuchLevel {
        /// Which level, from 1.
        level: usize,
        /// Number of levels.
        n_levels: usize,
    },
}

/// A tree in which every node of a level keeps the same number of moves.
///
/// # Examples
/// ```
/// use kibitz_stats::pruning::{Level, PrunedTree};
/// // CHUTE at a fanout of 7, which misses the master move in a quarter of the positions.
/// let tree = PrunedTree::new(vec![Level { fanout: 7, miss_rate: 0.25 }; 2])?;
/// assert_eq!(tree.lost_at(1)?, 0.25);
/// assert_eq!(tree.lost_at(2)?, 0.1875);
/// assert!((tree.any_missed(2)? - 0.867).abs() < 1e-3);
/// # Ok::<(), kibitz_stats::pruning::PruningError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PrunedTree {
    levels: Vec<Level>,
}

impl PrunedTree {
    /// A tree of these levels, the root's first.
    ///
    /// # Errors
    /// [`PruningError::NoLevel`], [`PruningError::NoFanout`], [`PruningError::NotAProbability`].
    pub fn new(levels: Vec<Level>) -> Result<Self, PruningError> {
        if levels.is_empty() {
            return Err(PruningError::NoLevel);
        }
        for (index, level) in levels.iter().enumerate() {
            if level.fanout == 0 {
                return Err(PruningError::NoFanout { level: index + 1 });
            }
            if !(0.0..=1.0).contains(&level.miss_rate) {
                return Err(PruningError::NotAProbability {
                    level: index + 1,
                    value: level.miss_rate,
                });
            }
        }
        Ok(Self { levels })
    }

    /// The levels, the root's first.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// The first levels, up to and including `level`.
    fn through(&self, level: usize) -> Result<&[Level], PruningError> {
        if level == 0 || level > self.levels.len() {
            return Err(PruningError::NoSuchLevel {
                level,
                n_levels: self.levels.len(),
            });
        }
        Ok(&self.levels[..level])
    }

    /// Number of nodes at a level below one node of level `from`: the product of the fanouts
    /// `f_from ... f_(level-1)`, 1 for `from` itself and above. From 1 it is the report's Z and N.
    ///
    /// # Errors
    /// [`PruningError::NoSuchLevel`]. The level after the last, of terminal nodes, exists here.
    pub fn n_nodes(&self, from: usize, level: usize) -> Result<f64, PruningError> {
        if level == 0 || from == 0 || level > self.levels.len() + 1 {
            return Err(PruningError::NoSuchLevel {
                level: level.min(from),
                n_levels: self.levels.len(),
            });
        }
        Ok(self.levels[..level - 1]
            .iter()
            .skip(from - 1)
            .map(|level| f64::from(level.fanout))
            .product())
    }

    /// Chance of at least one type 1 error at a level: 1a at level 1, 1b at level 2.
    ///
    /// The report writes the sum of the (binomial) chances of one, two, ... errors.
    ///
    /// # Errors
    /// [`PruningError::NoSuchLevel`].
    pub fn any_missed(&self, level: usize) -> Result<f64, PruningError> {
        let kept = 1.0 - self.last(level)?.miss_rate;
        Ok(1.0 - kept.powf(self.n_nodes(1, level)?))
    }

    /// Chance of a type 1 error at every node of a level.
    ///
    /// # Errors
    /// [`PruningError::NoSuchLevel`].
    pub fn all_missed(&self, level: usize) -> Result<f64, PruningError> {
        Ok(self.last(level)?.miss_rate.powf(self.n_nodes(1, level)?))
    }

    /// Chance that the ideal line of play is kept above a level, and lost at it.
    ///
    /// # Errors
    /// [`PruningError::NoSuchLevel`].
    pub fn lost_at(&self, level: usize) -> Result<f64, PruningError> {
        let miss_rate = self.last(level)?.miss_rate;
        let kept = if level > 1 {
            self.kept_through(level - 1)?
        } else {
            1.0
        };
        Ok(kept * miss_rate)
    }

    /// Chance that the ideal line of play is kept through a level.
    ///
    /// # Errors
    /// [`PruningError::NoSuchLevel`].
    pub fn kept_through(&self, level: usize) -> Result<f64, PruningError> {
        Ok(self
            .through(level)?
            .iter()
            .map(|level| 1.0 - level.miss_rate)
            .product())
    }

    /// The report's lower bound for the chance that a node of level `k` is scored perfectly by
    /// looking ahead to depth `n`: the product over levels `k+1` to `n-1` of (1 - A) to the power Z.
    ///
    /// Z is printed as the number of nodes of the whole tree at the level, though it should be that
    /// below the node, and the product leaves out level `k`, where the node's own moves are chosen;
    /// [`perfect_below`](Self::perfect_below) has both as they should be.
    ///
    /// # Errors
    /// [`PruningError::NoSuchLevel`] unless `1 <= k` and `n - 1` is at most the number of levels.
    pub fn perfect_as_printed(&self, k: usize, n: usize) -> Result<f64, PruningError> {
        self.perfect(k, k + 1, n, 1)
    }

    /// Lower bound for the chance that a node of level `k` is scored perfectly by looking ahead to
    /// terminal nodes at level `n`: the chance that none of the nodes below it, and not the node
    /// itself, misses its ideal move.
    ///
    /// A bound, since errors may cancel, and only if terminal nodes are ranked correctly.
    ///
    /// # Errors
    /// [`PruningError::NoSuchLevel`] unless `1 <= k` and `n - 1` is at most the number of levels.
    pub fn perfect_below(&self, k: usize, n: usize) -> Result<f64, PruningError> {
        self.perfect(k, k, n, k)
    }

    fn perfect(
        &self,
        k: usize,
        first: usize,
        n: usize,
        nodes_from: usize,
    ) -> Result<f64, PruningError> {
        self.through(k)?;
        self.through(n.saturating_sub(1))?;
        (first..n).try_fold(1.0, |product, level| {
            let kept = 1.0 - self.last(level)?.miss_rate;
            Ok(product * kept.powf(self.n_nodes(nodes_from, level)?))
        })
    }

    fn last(&self, level: usize) -> Result<Level, PruningError> {
        Ok(self.through(level)?[level - 1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use statrs::distribution::{Binomial, Discrete};

    fn tree(levels: &[(u32, f64)]) -> PrunedTree {
        let level = |&(fanout, miss_rate)| Level { fanout, miss_rate };
        PrunedTree::new(levels.iter().map(level).collect()).unwrap()
    }

    #[test]
    fn two_levels_by_hand() {
        let tree = tree(&[(2, 0.5), (3, 0.1)]);
        let close = |value: Result<f64, PruningError>, expected: f64| {
            let value = value.unwrap();
            assert!((value - expected).abs() < 1e-12, "{value}, not {expected}");
        };
        close(tree.n_nodes(1, 3), 6.0);
        close(tree.n_nodes(2, 3), 3.0);
        close(tree.any_missed(1), 0.5);
        close(tree.any_missed(2), 0.19);
        close(tree.all_missed(2), 0.01);
        close(tree.lost_at(2), 0.05);
        close(tree.kept_through(2), 0.45);
        close(tree.perfect_below(1, 3), 0.5 * 0.81);
        close(tree.perfect_below(2, 3), 0.9);
        close(tree.perfect_as_printed(1, 3), 0.81);
        // Nothing is chosen between level 2 and its children.
        close(tree.perfect_as_printed(2, 3), 1.0);
    }

    #[test]
    fn refuses_trees_and_levels_that_are_none() {
        let level = |fanout, miss_rate| Level { fanout, miss_rate };
        assert_eq!(PrunedTree::new(vec![]), Err(PruningError::NoLevel));
        assert_eq!(
            PrunedTree::new(vec![level(7, 0.2), level(0, 0.2)]),
            Err(PruningError::NoFanout { level: 2 })
        );
        assert!(PrunedTree::new(vec![level(7, 69.0)]).is_err());
        assert!(PrunedTree::new(vec![level(7, f64::NAN)]).is_err());
        let tree = tree(&[(7, 0.25)]);
        assert!(tree.lost_at(0).is_err() && tree.lost_at(2).is_err());
        assert!(tree.perfect_below(1, 0).is_err() && tree.perfect_below(1, 3).is_err());
        assert!(tree.n_nodes(1, 2).is_ok() && tree.n_nodes(1, 3).is_err());
    }

    proptest! {
        #[test]
        fn chances_are_chances_and_add_up(
            levels in prop::collection::vec((1u32..5, 0.0f64..=1.0), 1..5),
        ) {
            let tree = tree(&levels);
            let n = levels.len();
            // Lost somewhere or kept to the end.
            let lost: f64 = (1..=n).map(|level| tree.lost_at(level).unwrap()).sum();
            prop_assert!((lost + tree.kept_through(n).unwrap() - 1.0).abs() < 1e-12);
            for level in 1..=n {
                let nodes = levels[..level - 1].iter().map(|&(fanout, _)| u64::from(fanout)).product();
                let trials = Binomial::new(levels[level - 1].1, nodes).unwrap();
                // The sum that the report prints.
                let any: f64 = (1..=nodes).map(|k| trials.pmf(k)).sum();
                prop_assert!((any - tree.any_missed(level).unwrap()).abs() < 1e-9);
                let all = trials.pmf(nodes);
                prop_assert!((all - tree.all_missed(level).unwrap()).abs() < 1e-9);
                // Looking deeper can only lose.
                let shallow = tree.perfect_below(1, level).unwrap_or(1.0);
                prop_assert!(tree.perfect_below(1, level + 1).unwrap() <= shallow + 1e-12);
            }
        }
    }
}
