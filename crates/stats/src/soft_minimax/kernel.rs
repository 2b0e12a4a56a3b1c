//! Values, likelihood and gradient of one tree under one or several sets of weights: the inner
//! loops.

use std::ops::Range;

use pulp::{Arch, NullaryFnOnce};

use super::{
    forest::{DRAWN, LEAF, LOST, Leaves, Tree, n_children},
    vectorized::{
        WIDTH, WORD, are_large, chunk, copy, dot, make_room, not_leaves, runs, subtract_largest,
        sums,
    },
    won_value,
};
use crate::exponential::exponentiate;

/// Values one tree after another under `L` sets of weights at once.
///
/// Works level by level: the children of a level are contiguous, so their exponentials are one plain
/// loop. The working set of a tree stays in cache; the trees themselves are read once, in order.
/// Loops over all nodes avoid unpredictable branches on the kind of node, and loops over families run
/// to the end of a chunk.
///
/// Decoding a tree costs a third of the arithmetic for one set of weights, so several sets share it,
/// as lanes. Every lane executes the same operations in the same order for any `L`, with bit-identical
/// results.
#[derive(Debug, Clone)]
pub(super) struct Kernel<const L: usize> {
    /// Weight of one stored unit of each attribute.
    unit_weights: Vec<[f64; L]>,
    /// The nodes other than leaves, in order, the root first.
    branches: Vec<u32>,
    /// The inner nodes.
    families: Vec<Family>,
    /// Per family: the sum of the children's exponentials, inverted.
    inverses: Vec<[f64; L]>,
    /// Families of each level, the root's first.
    levels: Vec<Range<usize>>,
    /// Per leaf: its value, later the derivative of the log-likelihood with respect to it.
    leaves: Vec<[f64; L]>,
    /// Per node: its value from the maximizer's side.
    values: Vec<[f64; L]>,
    /// Per node: the exponential of its value, for its choice probability.
    exponentials: Vec<[f64; L]>,
    /// Per node: the derivative of the log-likelihood with respect to its value.
    slopes: Vec<[f64; L]>,
    /// Per attribute: the derivative of the log-likelihood with respect to its weight.
    gradient: Vec<[f64; L]>,
}

/// The forward pass, from the leaves to the root. A type, because a closure is not reliably compiled
/// for the instruction set that `pulp` dispatches to.
struct Forward<'k, 't, const L: usize> {
    kernel: &'k mut Kernel<L>,
    tree: &'k Tree<'t>,
}

impl<const L: usize> NullaryFnOnce for Forward<'_, '_, L> {
    type Output = [f64; L];

    #[inline(always)]
    fn call(self) -> [f64; L] {
        self.kernel.evaluate(self.tree);
        self.kernel.choose(self.tree)
    }
}

/// The backward pass (reverse-mode differentiation), from the root to the leaves.
struct Backward<'k, 't, const L: usize> {
    kernel: &'k mut Kernel<L>,
    tree: &'k Tree<'t>,
}

impl<const L: usize> NullaryFnOnce for Backward<'_, '_, L> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { kernel, tree } = self;
        kernel.chain_slopes(tree);
        match tree.leaves() {
            Leaves::Narrow(units) => kernel.sum_slopes(units, tree),
            Leaves::Wide(units) => kernel.sum_slopes(units, tree),
        }
    }
}

/// An inner node with its children.
#[derive(Debug, Clone, Copy, Default)]
struct Family {
    parent: u32,
    start: u32,
    end: u32,
}

impl Family {
    #[inline]
    fn parent(self) -> usize {
        self.parent as usize
    }

    #[inline]
    fn children(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl<const L: usize> Kernel<L> {
    /// `weights[lane]` holds one weight per attribute, `scales` the size of one stored unit of
    /// each.
    pub(super) fn new(weights: [&[f64]; L], scales: &[f64]) -> Self {
        for lane in weights {
            assert_eq!(lane.len(), scales.len(), "one scale per weight");
        }
        let unit = |(attribute, scale): (usize, &f64)| weights.map(|lane| lane[attribute] * scale);
        Self {
            unit_weights: scales.iter().enumerate().map(unit).collect(),
            branches: Vec::new(),
            families: Vec::new(),
            inverses: Vec::new(),
            levels: Vec::new(),
            leaves: Vec::new(),
            values: Vec::new(),
            exponentials: Vec::new(),
            slopes: Vec::new(),
            gradient: Vec::new(),
        }
    }

    /// Values of the alternatives at the root, from the maximizer's side.
    ///
    /// # Panics
    /// Unless the tree's leaves have one attribute per weight; so do the other methods.
    pub(super) fn alternatives(&mut self, tree: &Tree<'_>) -> &[[f64; L]] {
        self.log_likelihood(tree);
        &self.values[self.families[0].children()]
    }

    /// Natural logarithm of the probability of the chosen alternative.
    pub(super) fn log_likelihood(&mut self, tree: &Tree<'_>) -> [f64; L] {
        Arch::new().dispatch(Forward { kernel: self, tree })
    }

    /// The gradient of the [`log_likelihood`](Self::log_likelihood) just computed for this tree, per
    /// stored unit: calls `add` with every attribute and its derivatives.
    pub(super) fn gradient(&mut self, tree: &Tree<'_>, mut add: impl FnMut(usize, [f64; L])) {
        Arch::new().dispatch(Backward { kernel: self, tree });
        for (attribute, slopes) in self.gradient.iter().enumerate() {
            add(attribute, *slopes);
        }
    }

    /// Computes the values of all nodes below the root, and their exponentials.
    #[inline(always)]
    fn evaluate(&mut self, tree: &Tree<'_>) {
        self.find_families(tree.codes());
        self.value_leaves(tree);
        self.place_values(tree);
        make_room(&mut self.exponentials, tree.n_nodes());
        for depth in (1..self.levels.len()).rev() {
            self.average(depth, tree.first().after(depth).sign());
        }
    }

    #[inline(always)]
    fn find_families(&mut self, codes: &[u8]) {
        self.branches.clear();
        self.families.clear();
        let mut start = 1;
        let (words, rest) = codes.as_chunks::<WORD>();
        let last = std::array::from_fn(|index| rest.get(index).copied().unwrap_or(LEAF));
        for (word, at) in words.iter().chain([&last]).zip((0..).step_by(WORD)) {
            let mut branches = not_leaves(word);
            while branches != 0 {
                let index = branches.trailing_zeros();
                branches &= branches - 1;
                let parent = at + index;
                self.branches.push(parent);
                let n_children = n_children(word[index as usize]);
                if n_children > 0 {
                    let end = start + u32::from(n_children);
                    self.families.push(Family { parent, start, end });
                    start = end;
                }
            }
        }
        make_room(&mut self.inverses, self.families.len());

        self.levels.clear();
        let mut level = 0..1;
        while !level.is_empty() {
            let children_end = self.families[level.end - 1].end;
            let rest = &self.families[level.end..];
            let n_below = rest.partition_point(|family| family.parent < children_end);
            self.levels.push(level.clone());
            level = level.end..level.end + n_below;
        }
    }

    #[inline(always)]
    fn value_leaves(&mut self, tree: &Tree<'_>) {
        assert_eq!(
            tree.n_attributes(),
            self.unit_weights.len(),
            "one weight per attribute"
        );
        make_room(&mut self.leaves, tree.n_leaves());
        self.leaves[..tree.n_leaves()].fill([0.0; L]);
        match tree.leaves() {
            Leaves::Narrow(units) => self.add_units(units, tree),
            Leaves::Wide(units) => self.add_units(units, tree),
        }
    }

    /// Adds the weighted attributes to the values of the leaves, column after column.
    #[inline(always)]
    fn add_units<U: Copy + Into<f64>>(&mut self, units: &[U], tree: &Tree<'_>) {
        let columns = units.chunks_exact(tree.n_leaves().max(1));
        for (column, weights) in columns.zip(&self.unit_weights) {
            for (values, &unit) in self.leaves.iter_mut().zip(column) {
                let unit = unit.into();
                for (value, weight) in values.iter_mut().zip(weights) {
                    *value += weight * unit;
                }
            }
        }
    }

    /// Derivatives with respect to the weights, from those with respect to the leaves.
    #[inline(always)]
    fn sum_slopes<U: Copy + Into<f64>>(&mut self, units: &[U], tree: &Tree<'_>) {
        self.gradient.clear();
        // A loop, because a closure is not compiled for the dispatched instruction set.
        for column in units.chunks_exact(tree.n_leaves().max(1)) {
            self.gradient.push(dot(column, &self.leaves));
        }
        self.gradient.resize(tree.n_attributes(), [0.0; L]);
    }

    /// Scatters the values of leaves and terminal nodes to their nodes; inner nodes follow later.
    #[inline(always)]
    fn place_values(&mut self, tree: &Tree<'_>) {
        let codes = tree.codes();
        make_room(&mut self.values, codes.len());
        for (leaf, nodes) in runs(&self.branches, codes.len()) {
            copy(
                &self.leaves[leaf..],
                &mut self.values[nodes.start..],
                nodes.len(),
            );
        }
        if self.branches.len() == self.families.len() {
            return;
        }
        let mut branches = self.branches[1..]
            .iter()
            .map(|branch| *branch as usize)
            .peekable();
        for (above, level) in self.levels.iter().enumerate() {
            let depth = above + 1;
            let lost = -tree.first().after(depth).sign() * won_value(depth);
            let end = self.children_of(level).end;
            while let Some(node) = branches.next_if(|node| *node < end) {
                match codes[node] {
                    LOST => self.values[node] = [lost; L],
                    DRAWN => self.values[node] = [0.0; L],
                    _ => {}
                }
            }
        }
    }

    /// All children of a level's families.
    #[inline(always)]
    fn children_of(&self, level: &Range<usize>) -> Range<usize> {
        let families = &self.families[level.clone()];
        families[0].children().start..families[families.len() - 1].children().end
    }

    /// Gives the parents of a level the softmax-weighted mean of their children's values.
    #[inline(always)]
    fn average(&mut self, depth: usize, sign: f64) {
        let level = self.levels[depth].clone();
        let children = self.children_of(&level);
        let exponents = &mut self.exponentials[children.clone()];
        let values = &self.values[children.clone()];
        let mut is_wild = false;
        for (exponents, values) in exponents.iter_mut().zip(values) {
            for lane in 0..L {
                exponents[lane] = sign * values[lane];
                is_wild |= values[lane].abs() >= TAME;
            }
        }
        if is_wild {
            for family in &self.families[level.clone()] {
                let children = family.children();
                let lanes = are_large(&self.values[children.start..], children.len(), TAME);
                if lanes.contains(&true) {
                    subtract_largest(&mut self.exponentials[children], lanes);
                }
            }
        }
        exponentiate(self.exponentials[children].as_flattened_mut());
        let inverses = &mut self.inverses[level.clone()];
        for (family, inverse) in self.families[level].iter().zip(inverses) {
            let Family { start, .. } = *family;
            let exponentials = &self.exponentials[start as usize..];
            let (total, weighted) = sums(
                exponentials,
                &self.values[start as usize..],
                family.children().len(),
            );
            *inverse = total.map(f64::recip);
            let mean = &mut self.values[family.parent()];
            for lane in 0..L {
                mean[lane] = weighted[lane] * inverse[lane];
            }
        }
    }

    /// The choice at the root: its log-probability, and the derivatives by alternative.
    #[inline(always)]
    fn choose(&mut self, tree: &Tree<'_>) -> [f64; L] {
        let sign = tree.first().sign();
        let alternatives = self.families[0].children();
        make_room(&mut self.slopes, tree.n_nodes());
        let slopes = &mut self.slopes[alternatives.clone()];
        for (slopes, values) in slopes.iter_mut().zip(&self.values[alternatives]) {
            *slopes = values.map(|value| sign * value);
        }
        subtract_largest(slopes, [true; L]);
        let mut log_likelihood = slopes[tree.chosen()];
        exponentiate(slopes.as_flattened_mut());
        for lane in 0..L {
            let total: f64 = slopes.iter().map(|slopes| slopes[lane]).sum();
            log_likelihood[lane] -= total.ln();
            // d ln p_c / d v_i = sign ([i = c] - p_i).
            for slopes in slopes.iter_mut() {
                slopes[lane] *= -sign / total;
            }
            slopes[tree.chosen()][lane] += sign;
        }
        log_likelihood
    }

    /// Propagates the derivatives of the log-likelihood from the root to the leaves (chain rule).
    ///
    /// The mean `m` of children chosen with probabilities `p_i` satisfies
    /// `d m / d v_i = p_i (1 + sign (v_i - m))`.
    #[inline(always)]
    fn chain_slopes(&mut self, tree: &Tree<'_>) {
        for (depth, level) in self.levels.iter().enumerate().skip(1) {
            let sign = tree.first().after(depth).sign();
            let inverses = &self.inverses[level.clone()];
            for (family, inverse) in self.families[level.clone()].iter().zip(inverses) {
                let mean = self.values[family.parent()];
                let mut factor = self.slopes[family.parent()];
                for lane in 0..L {
                    factor[lane] *= inverse[lane];
                }
                let start = family.start as usize;
                for at in (start..family.end as usize).step_by(WIDTH) {
                    let exponentials = chunk(&self.exponentials[at..]);
                    let values = chunk(&self.values[at..]);
                    let mut slopes = [[0.0; L]; WIDTH];
                    for child in 0..WIDTH {
                        for lane in 0..L {
                            let share = 1.0 + sign * (values[child][lane] - mean[lane]);
                            slopes[child][lane] =
                                exponentials[child][lane] * (factor[lane] * share);
                        }
                    }
                    self.slopes[at..at + WIDTH].copy_from_slice(&slopes);
                }
            }
        }
        for (leaf, nodes) in runs(&self.branches, tree.n_nodes()) {
            copy(
                &self.slopes[nodes.start..],
                &mut self.leaves[leaf..],
                nodes.len(),
            );
        }
    }
}

/// Bound on values whose exponentials, sums and ratios neither overflow nor lose precision; most
/// trees stay within it.
const TAME: f64 = 300.0;

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::super::forest::Forest;
    use super::super::tests::{SCALES, push_random_tree};
    use super::*;

    #[test]
    fn instruction_sets_give_the_same_bits() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(33);
        let mut forest = Forest::new(SCALES.len());
        for _ in 0..50 {
            push_random_tree(&mut forest, &mut rng, 4);
        }
        let bits = |arch: Arch, tree: &Tree<'_>| -> Vec<u64> {
            let mut kernel = Kernel::new([&[0.3, -0.2, 1.7], &[1.1, 0.01, -0.4]], &SCALES);
            let kernel = &mut kernel;
            let likelihood = arch.dispatch(Forward { kernel, tree });
            arch.dispatch(Backward { kernel, tree });
            let all = kernel.gradient.iter().flatten().chain(&likelihood);
            all.map(|value| value.to_bits()).collect()
        };
        for tree in forest.iter() {
            assert_eq!(bits(Arch::new(), &tree), bits(Arch::Scalar, &tree));
        }
    }
}
