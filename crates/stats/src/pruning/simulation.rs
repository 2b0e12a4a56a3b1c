//! Monte Carlo check of the formulas: random game trees searched with forward pruning.
//!
//! Each node has `branching` moves. Terminal nodes have random values, the others the negamax of
//! their successors', so that every node has an ideal move. A search keeps, at a node, the ideal
//! move and random others, or misses it with the miss rate of the level.

use rand::{Rng, RngExt, seq::SliceRandom};

use super::PrunedTree;

/// The outcome of a search of one random tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Type 1 errors at each level, the root's first, among the nodes that the search visits.
    pub errors: Vec<u32>,
    /// Levels through which the ideal line of play is kept, from the root.
    pub kept_through: usize,
    /// Whether the search gives the root its true value.
    pub is_value_true: bool,
}

impl Outcome {
    /// Whether no visited node missed its ideal move.
    pub fn is_perfect(&self) -> bool {
        self.errors.iter().all(|&errors| errors == 0)
    }
}

/// Grows a random tree with the levels of `tree`, and searches it with forward pruning.
///
/// Nodes have `branching` moves, at least one more than any level keeps: where all are kept, none
/// can be missed. Time and memory are those of the whole tree, `branching` to the power of the
/// number of levels. The result depends on the generator alone.
///
/// # Panics
/// If `branching` is not greater than every fanout.
///
/// # Examples
/// ```
/// use kibitz_stats::pruning::{Level, PrunedTree, simulation::simulate};
/// use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
///
/// let never = PrunedTree::new(vec![Level { fanout: 2, miss_rate: 0.0 }; 3])?;
/// let outcome = simulate(&never, 4, &mut ChaCha8Rng::seed_from_u64(1));
/// assert!(outcome.is_perfect() && outcome.is_value_true);
/// assert_eq!(outcome.kept_through, 3);
/// # Ok::<(), kibitz_stats::pruning::PruningError>(())
/// ```
pub fn simulate(tree: &PrunedTree, branching: u32, rng: &mut impl Rng) -> Outcome {
    assert!(
        tree.levels().iter().all(|level| level.fanout < branching),
        "every level keeps fewer moves than a node has"
    );
    let node = grow(tree, 0, branching as usize, rng);
    Outcome {
        is_value_true: node.truth.total_cmp(&node.found).is_eq(),
        errors: node.errors,
        kept_through: node.kept_through,
    }
}

/// A node with its true value and its value in the search.
struct Node {
    /// Negamax value, for the side to move.
    truth: f64,
    /// The value that the search gives it.
    found: f64,
    /// Type 1 errors at this level and those below.
    errors: Vec<u32>,
    kept_through: usize,
}

fn grow(tree: &PrunedTree, depth: usize, branching: usize, rng: &mut impl Rng) -> Node {
    let Some(level) = tree.levels().get(depth) else {
        let value = rng.random();
        return Node {
            truth: value,
            found: value,
            errors: Vec::new(),
            kept_through: 0,
        };
    };
    let children: Vec<Node> = (0..branching)
        .map(|_| grow(tree, depth + 1, branching, rng))
        .collect();
    // The worst for the opponent.
    let ideal = (0..branching)
        .min_by(|&a, &b| children[a].truth.total_cmp(&children[b].truth))
        .unwrap_or(0);
    let is_missed = rng.random_bool(level.miss_rate);
    let mut others: Vec<usize> = (0..branching).filter(|&child| child != ideal).collect();
    others.shuffle(rng);
    let n_others = level.fanout as usize - usize::from(!is_missed);
    let kept = others[..n_others]
        .iter()
        .copied()
        .chain((!is_missed).then_some(ideal));

    let mut errors = vec![0; tree.levels().len() - depth];
    errors[0] = u32::from(is_missed);
    let mut found = f64::NEG_INFINITY;
    for child in kept {
        found = found.max(-children[child].found);
        for (sum, below) in errors[1..].iter_mut().zip(&children[child].errors) {
            *sum += below;
        }
    }
    Node {
        truth: -children[ideal].truth,
        found,
        errors,
        kept_through: if is_missed {
            0
        } else {
            1 + children[ideal].kept_through
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pruning::Level;
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    const N_TREES: u32 = 4000;

    fn check(counted: u32, expected: f64) -> Result<(), TestCaseError> {
        let n = f64::from(N_TREES);
        let share = f64::from(counted) / n;
        let std_error = (expected * (1.0 - expected) / n).sqrt();
        // Five standard errors, and one tree for chances so small that they are not normal.
        prop_assert!(
            (share - expected).abs() <= 5.0 * std_error + 1.0 / n,
            "{share} counted, {expected} expected"
        );
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        #[test]
        fn formulas_hold_in_random_trees(
            levels in prop::collection::vec((1u32..4, 0.02f64..0.7), 2..4),
            seed in any::<u64>(),
        ) {
            let level = |&(fanout, miss_rate): &(u32, f64)| Level { fanout, miss_rate };
            let tree = PrunedTree::new(levels.iter().map(level).collect()).unwrap();
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let outcomes: Vec<Outcome> =
                (0..N_TREES).map(|_| simulate(&tree, 4, &mut rng)).collect();
            let count = |holds: &dyn Fn(&Outcome) -> bool| {
                u32::try_from(outcomes.iter().filter(|outcome| holds(outcome)).count()).unwrap()
            };
            let n = levels.len();
            for level in 1..=n {
                let errors = |outcome: &Outcome| outcome.errors[level - 1];
                let n_nodes = tree.n_nodes(1, level).unwrap();
                check(count(&|o| errors(o) > 0), tree.any_missed(level).unwrap())?;
                check(
                    count(&|o| f64::from(errors(o)) >= n_nodes),
                    tree.all_missed(level).unwrap(),
                )?;
                check(
                    count(&|o| o.kept_through == level - 1),
                    tree.lost_at(level).unwrap(),
                )?;
                check(
                    count(&|o| o.kept_through >= level),
                    tree.kept_through(level).unwrap(),
                )?;
            }
            let bound = tree.perfect_below(1, n + 1).unwrap();
            check(count(&Outcome::is_perfect), bound)?;
            // A bound: errors may cancel, and without errors the value is true.
            let n_true = count(&|o| o.is_value_true);
            prop_assert!(n_true >= count(&Outcome::is_perfect));
            prop_assert!(outcomes.iter().all(|o| o.is_value_true || !o.is_perfect()));
        }
    }
}
