//! A genetic algorithm over trees of constraints.

use rand::{Rng, RngExt};
use rustc_hash::FxHashSet;

use crate::constraint::Constraint;
use crate::model::{Model, ModelError, State, Variable};

/// Limit on the leaves of a tree.
const MAX_LEAVES: usize = 64;

/// Parameters of [`evolve`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeneticParams {
    /// Trees in the population.
    pub population: usize,
    /// Number of generations.
    pub generations: usize,
    /// Children in a generation; they replace the least fit trees.
    pub offspring: usize,
    /// Mean number of constraints of an initial tree.
    pub mean_size: f64,
    /// Trees in a tournament for parent.
    pub tournament: usize,
    /// Mutation rate: the share of the children that mutate.
    pub mutation: f64,
    /// Penalty on the fitness for each constraint of a tree.
    pub size_cost: f64,
}

impl Default for GeneticParams {
    /// The setting of section 8.4.2, with 92 children a generation for its total of about 3,400
    /// trees; the rest is our choice.
    fn default() -> Self {
        Self {
            population: 200,
            generations: 35,
            offspring: 92,
            mean_size: 7.8,
            tournament: 3,
            mutation: 0.3,
            size_cost: 0.001,
        }
    }
}

/// The result of [`evolve`].
#[derive(Clone, Debug, PartialEq)]
pub struct EvolvedModel {
    /// The constraints of the fittest tree, each once, in the order of the candidates.
    pub constraints: Vec<Constraint>,
    /// Its fitness, at most 1.
    pub fitness: f64,
    /// Number of trees evaluated.
    pub n_trees: usize,
}

/// Genetic programming: the fittest conjunction of candidates found.
///
/// A model is a binary tree whose leaves are constraints; it accepts the states that all of them
/// accept. Crossover replaces a subtree by one of another parent, mutation by a random tree. Parents
/// are chosen by tournament. The fitness is the mean of the shares of positive states accepted and
/// of negative states refused, less a penalty on the tree's size.
///
/// # Errors
/// [`ModelError`] for candidates that are ill-formed over the variables.
///
/// # Panics
/// If there are no candidates or no population, or a state does not have one value for each variable.
///
/// # Source
/// Varsek 1991, as Morales 1992, section 8.4.2, describes it: "different parameters that were
/// determined experimentally" for the fitness. The section leaves open how parents are chosen.
pub fn evolve(
    variables: &[Variable],
    candidates: &[Constraint],
    [positive, negative]: [&[State]; 2],
    params: &GeneticParams,
    rng: &mut impl Rng,
) -> Result<EvolvedModel, ModelError> {
    let model = Model::new(variables.to_vec(), candidates.to_vec())?;
    let refusals = [positive, negative].map(|states| Refusals::new(&model, states));
    let fitness = |tree: &Tree| {
        let accepted = refusals
            .each_ref()
            .map(|own| own.n_accepted(tree) as f64 / own.n_states.max(1) as f64);
        f64::midpoint(accepted[0], 1.0 - accepted[1])
            - params.size_cost * tree.leaves().count() as f64
    };
    let random = |leaves: usize, rng: &mut _| Tree::random(leaves, candidates.len(), rng);
    let mut living: Vec<(f64, Tree)> = (0..params.population)
        .map(|_| {
            // Uniform between 1 and `2 * mean_size - 1`.
            let size = 0.5 + rng.random::<f64>() * (2.0 * params.mean_size - 1.0).max(0.0);
            let leaves = (1..MAX_LEAVES).find(|n| size < *n as f64 + 0.5);
            let tree = random(leaves.unwrap_or(MAX_LEAVES), rng);
            (fitness(&tree), tree)
        })
        .collect();
    let mut n_trees = living.len();
    let by_fitness = |a: &(f64, Tree), b: &(f64, Tree)| b.0.total_cmp(&a.0);
    living.sort_by(by_fitness);
    for _ in 0..params.generations {
        // The population is sorted by fitness: the least index wins the tournament.
        let parent = |rng: &mut _| {
            let drawn = (0..params.tournament.max(1)).map(|_| draw(living.len(), rng));
            &living[drawn.min().unwrap_or(0)].1
        };
        let mut born = Vec::with_capacity(params.offspring);
        for _ in 0..params.offspring {
            let (mother, father) = (parent(rng), parent(rng));
            let mut child = mother.grafted(father.subtree(draw(father.0.len(), rng)), rng);
            if rng.random_bool(params.mutation.clamp(0.0, 1.0)) {
                let size = 1 + draw(3, rng);
                child = child.grafted(&random(size, rng).0, rng);
            }
            born.push((fitness(&child), child));
        }
        n_trees += born.len();
        living.truncate(params.population.saturating_sub(born.len()).max(1));
        living.extend(born);
        living.sort_by(by_fitness);
        living.truncate(params.population);
    }
    let (fitness, fittest) = living.swap_remove(0);
    let leaves: FxHashSet<usize> = fittest.leaves().collect();
    let constraints = (0..candidates.len()).filter(|index| leaves.contains(index));
    Ok(EvolvedModel {
        constraints: constraints.map(|index| candidates[index].clone()).collect(),
        fitness,
        n_trees,
    })
}

/// The states that each candidate refuses, as bit sets.
struct Refusals {
    n_states: usize,
    /// For each candidate, a bit for each state.
    refused: Vec<Vec<u64>>,
}

impl Refusals {
    /// Evaluates a model of all candidates on the states.
    fn new(model: &Model, states: &[State]) -> Self {
        let words = states.len().div_ceil(64);
        let mut refused = vec![vec![0; words]; model.constraints().len()];
        for (number, state) in states.iter().enumerate() {
            for (candidate, _) in model.objections(state, 0) {
                refused[candidate][number / 64] |= 1 << (number % 64);
            }
        }
        Self {
            n_states: states.len(),
            refused,
        }
    }

    /// Number of the states that all leaves of a tree accept.
    fn n_accepted(&self, tree: &Tree) -> usize {
        let mut all = vec![0; self.n_states.div_ceil(64)];
        for leaf in tree.leaves() {
            for (word, own) in all.iter_mut().zip(&self.refused[leaf]) {
                *word |= own;
            }
        }
        let refused: u32 = all.iter().map(|word: &u64| word.count_ones()).sum();
        self.n_states - refused as usize
    }
}

fn draw(n: usize, rng: &mut impl Rng) -> usize {
    rng.random_range(0..n)
}

/// A binary tree in prefix order: a candidate at each leaf, nothing at the nodes between.
#[derive(Clone, Debug, PartialEq)]
struct Tree(Vec<Option<usize>>);

impl Tree {
    fn random(n_leaves: usize, n_candidates: usize, rng: &mut impl Rng) -> Self {
        let mut nodes = Vec::new();
        // Sizes, in leaves, of the subtrees still to be made, the next one last.
        let mut open = vec![n_leaves.clamp(1, MAX_LEAVES)];
        while let Some(n) = open.pop() {
            if n == 1 {
                nodes.push(Some(draw(n_candidates, rng)));
            } else {
                nodes.push(None);
                let left = 1 + draw(n - 1, rng);
                open.extend([n - left, left]);
            }
        }
        Self(nodes)
    }

    fn leaves(&self) -> impl Iterator<Item = usize> {
        self.0.iter().copied().flatten()
    }

    /// The subtree that starts at this node.
    fn subtree(&self, start: usize) -> &[Option<usize>] {
        let mut open = 1;
        let mut end = start;
        while open > 0 {
            open = if self.0[end].is_some() {
                open - 1
            } else {
                open + 1
            };
            end += 1;
        }
        &self.0[start..end]
    }

    /// The tree with a random subtree replaced by `graft`; unchanged if that would be too large.
    fn grafted(&self, graft: &[Option<usize>], rng: &mut impl Rng) -> Self {
        let start = draw(self.0.len(), rng);
        let end = start + self.subtree(start).len();
        let nodes = [&self.0[..start], graft, &self.0[end..]].concat();
        if nodes.len() < 2 * MAX_LEAVES {
            Self(nodes)
        } else {
            self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::bundled::BundledSystem;
    use crate::learn::{LEARNED_KINDS, candidates};

    proptest! {
        #[test]
        fn grafts_make_trees(seed in any::<u64>(), sizes in prop::collection::vec(1..80_usize, 1..20)) {
            let rng = &mut ChaCha8Rng::seed_from_u64(seed);
            let mut tree = Tree::random(5, 9, rng);
            for size in sizes {
                let other = Tree::random(size, 9, rng);
                prop_assert_eq!(other.leaves().count(), size.min(MAX_LEAVES));
                tree = tree.grafted(other.subtree(draw(other.0.len(), rng)), rng);
                // Whole, binary, and not too large.
                prop_assert_eq!(tree.subtree(0).len(), tree.0.len());
                prop_assert_eq!(tree.0.len(), 2 * tree.leaves().count() - 1);
                prop_assert!(tree.leaves().count() <= MAX_LEAVES);
            }
        }
    }

    #[test]
    fn a_tree_is_the_conjunction_of_its_leaves() {
        let spring = BundledSystem::find("spring")
            .expect("sound")
            .read()
            .unwrap()
            .model;
        let variables = spring.variables();
        let all = candidates(variables, LEARNED_KINDS);
        let model = Model::new(variables.to_vec(), all.clone()).expect("sound");
        let states: Vec<State> = spring.states().step_by(3).take(150).collect();
        let refusals = Refusals::new(&model, &states);
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        for leaves in 1..20 {
            let tree = Tree::random(leaves / 4 + 1, all.len(), rng);
            let own = tree.leaves().map(|leaf| all[leaf].clone()).collect();
            let own = Model::new(variables.to_vec(), own).expect("sound");
            let accepted = states.iter().filter(|state| own.accepts(state)).count();
            assert_eq!(refusals.n_accepted(&tree), accepted);
        }
    }

    #[test]
    fn the_spring_evolves() {
        let spring = BundledSystem::find("spring")
            .expect("sound")
            .read()
            .unwrap()
            .model;
        let (positive, negative): (Vec<State>, Vec<State>) =
            spring.states().partition(|state| spring.accepts(state));
        let all = candidates(spring.variables(), LEARNED_KINDS);
        let evolve = |seed| {
            let rng = &mut ChaCha8Rng::seed_from_u64(seed);
            let examples = [&positive[..], &negative[..]];
            evolve(
                spring.variables(),
                &all,
                examples,
                &GeneticParams::default(),
                rng,
            )
            .expect("sound")
        };
        let evolved = evolve(1);
        assert_eq!(evolved, evolve(1));
        assert_eq!(evolved.n_trees, 200 + 35 * 92);
        let model = Model::new(spring.variables().to_vec(), evolved.constraints).expect("sound");
        assert!(positive.iter().all(|state| model.accepts(state)));
        let wrong = negative.iter().filter(|state| model.accepts(state)).count();
        assert!(wrong * 50 < negative.len(), "{wrong} of {}", negative.len());
    }
}
