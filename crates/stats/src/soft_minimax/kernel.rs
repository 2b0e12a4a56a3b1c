//! Values, likelihood and gradient of one tree under one or several sets of weights: the inner
//! loops.

use std::ops::Range;

use pulp::{Arch, NullaryFnOnce};

use super::{
    forest::{DRAWN, LEAF, LOST, Leaves, Tree, n_children},
    won_value,
};
use crate::exponential::exponentiate;

/// Values one tree after another under `L` sets of weights at once.
///
/// A tree is worked off level by level: the children of a level lie next to each other, so their
/// exponentials are one plain loop. Everything of one tree stays in the processor's cache; the
/// trees themselves are read once, in order. Loops over all nodes take no branches on what a node
/// is, for which there is no telling in advance.
///
/// Reading a tree and finding out what hangs on what costs as much as the arithmetic, which is why
/// several sets of weights share it. Every lane is worked out with the same operations in the same
/// order whatever `L` is, so its figures are the same to the last bit.
#[derive(Debug, Clone)]
pub(super) struct Kernel<const L: usize> {
    /// What one unit of each attribute adds to a leaf's value.
    unit_weights: Vec<[f64; L]>,
    /// The inner nodes in order, the root first.
    families: Vec<Family>,
    /// Per family: the sum of the children's exponentials, inverted.
    inverses: Vec<[f64; L]>,
    /// Families of each level, the root's first.
    levels: Vec<Range<usize>>,
    /// Per leaf: its value, later the slope of the log-likelihood with respect to it. There is one
    /// more place at the end, of no meaning, so that loops may look one leaf ahead.
    leaves: Vec<[f64; L]>,
    /// Per node: its value from the maximizer's side.
    values: Vec<[f64; L]>,
    /// Per node: the exponential that says how likely it is to be chosen, later the slope of the
    /// log-likelihood with respect to its value.
    slopes: Vec<[f64; L]>,
    /// Per attribute: the slope of the log-likelihood with respect to its weight.
    gradient: Vec<[f64; L]>,
}

/// From the leaves to the root. A type, because a closure would not surely be compiled for the
/// instructions that the processor has.
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

/// Back from the root to the leaves.
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
            families: Vec::new(),
            inverses: Vec::new(),
            levels: Vec::new(),
            leaves: Vec::new(),
            values: Vec::new(),
            slopes: Vec::new(),
            gradient: Vec::new(),
        }
    }

    /// Values of the alternatives at the root, from the maximizer's side.
    ///
    /// # Panics
    /// If the tree's leaves do not have one attribute per weight; so do the other methods.
    pub(super) fn alternatives(&mut self, tree: &Tree<'_>) -> &[[f64; L]] {
        self.log_likelihood(tree);
        &self.values[self.families[0].children()]
    }

    /// Natural logarithm of the probability of the chosen alternative.
    pub(super) fn log_likelihood(&mut self, tree: &Tree<'_>) -> [f64; L] {
        Arch::new().dispatch(Forward { kernel: self, tree })
    }

    /// The gradient of what [`log_likelihood`](Self::log_likelihood) has just told of this tree,
    /// per unit of the stored attributes: calls `add` with every attribute and its slopes.
    pub(super) fn gradient(&mut self, tree: &Tree<'_>, mut add: impl FnMut(usize, [f64; L])) {
        Arch::new().dispatch(Backward { kernel: self, tree });
        for (attribute, slopes) in self.gradient.iter().enumerate() {
            add(attribute, *slopes);
        }
    }

    /// Fills in the values of all nodes below the root, and the slopes between them.
    #[inline(always)]
    fn evaluate(&mut self, tree: &Tree<'_>) {
        self.find_families(tree);
        self.value_leaves(tree);
        self.place_values(tree);
        self.slopes.clear();
        self.slopes.resize(tree.n_nodes(), [0.0; L]);
        for depth in (1..self.levels.len()).rev() {
            self.average(depth, tree.first().after(depth).sign());
        }
    }

    #[inline(always)]
    fn find_families(&mut self, tree: &Tree<'_>) {
        let codes = tree.codes();
        self.families.clear();
        self.families.resize(codes.len(), Family::default());
        let mut n_families = 0;
        let mut start = 1;
        for (parent, &code) in (0..).zip(codes) {
            let n_children = n_children(code);
            let end = start + u32::from(n_children);
            self.families[n_families] = Family { parent, start, end };
            n_families += usize::from(n_children > 0);
            start = end;
        }
        self.families.truncate(n_families);
        self.inverses.clear();
        self.inverses.resize(n_families, [0.0; L]);

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
        self.leaves.clear();
        self.leaves.resize(tree.n_leaves() + 1, [0.0; L]);
        match tree.leaves() {
            Leaves::Narrow(units) => self.add_units(units, tree),
            Leaves::Wide(units) => self.add_units(units, tree),
        }
    }

    /// Adds to the values of the leaves what their attributes, column after column, are worth.
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

    /// The slopes with respect to the weights, from those with respect to the leaves.
    #[inline(always)]
    fn sum_slopes<U: Copy + Into<f64>>(&mut self, units: &[U], tree: &Tree<'_>) {
        self.gradient.clear();
        let columns = units.chunks_exact(tree.n_leaves().max(1));
        self.gradient
            .extend(columns.map(|column| dot(column, &self.leaves)));
        self.gradient.resize(tree.n_attributes(), [0.0; L]);
    }

    /// Puts the values of leaves and ends where their nodes are; inner nodes get theirs later.
    #[inline(always)]
    fn place_values(&mut self, tree: &Tree<'_>) {
        let codes = tree.codes();
        self.values.clear();
        self.values.resize(codes.len(), [0.0; L]);
        let mut leaf = 0;
        for (value, &code) in self.values.iter_mut().zip(codes) {
            *value = self.leaves[leaf];
            leaf += usize::from(code == LEAF);
        }
        if codes.iter().any(|code| *code >= DRAWN) {
            for (above, level) in self.levels.iter().enumerate() {
                let depth = above + 1;
                let lost = -tree.first().after(depth).sign() * won_value(depth);
                for node in self.children_of(level) {
                    match codes[node] {
                        LOST => self.values[node] = [lost; L],
                        DRAWN => self.values[node] = [0.0; L],
                        _ => {}
                    }
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
        let exponents = &mut self.slopes[children.clone()];
        let values = &self.values[children.clone()];
        let mut largest = [0.0f64; L];
        for (exponents, values) in exponents.iter_mut().zip(values) {
            for lane in 0..L {
                exponents[lane] = sign * values[lane];
                let size = values[lane].abs();
                if size > largest[lane] {
                    largest[lane] = size;
                }
            }
        }
        let is_wild = largest.map(|largest| largest >= TAME);
        if is_wild.contains(&true) {
            for family in &self.families[level.clone()] {
                subtract_largest(&mut self.slopes[family.children()], is_wild);
            }
        }
        exponentiate(self.slopes[children].as_flattened_mut());
        let inverses = &mut self.inverses[level.clone()];
        for (family, inverse) in self.families[level].iter().zip(inverses) {
            let exponentials = &self.slopes[family.children()];
            let (mut total, mut weighted) = ([0.0; L], [0.0; L]);
            for (exps, values) in exponentials.iter().zip(&self.values[family.children()]) {
                for lane in 0..L {
                    total[lane] += exps[lane];
                    weighted[lane] += exps[lane] * values[lane];
                }
            }
            *inverse = total.map(f64::recip);
            let mean = &mut self.values[family.parent()];
            for lane in 0..L {
                mean[lane] = weighted[lane] * inverse[lane];
            }
        }
    }

    /// The choice at the root: its log-probability, and the slopes of the alternatives.
    #[inline(always)]
    fn choose(&mut self, tree: &Tree<'_>) -> [f64; L] {
        let sign = tree.first().sign();
        let alternatives = self.families[0].children();
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

    /// Carries the slopes of the log-likelihood from the root downwards, and collects those of
    /// the leaves.
    ///
    /// The mean `m` of children chosen with probabilities `p_i` obeys
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
                let values = &self.values[family.children()];
                for (slopes, values) in self.slopes[family.children()].iter_mut().zip(values) {
                    for lane in 0..L {
                        slopes[lane] *= factor[lane] * (1.0 + sign * (values[lane] - mean[lane]));
                    }
                }
            }
        }
        let mut leaf = 0;
        for (slopes, &code) in self.slopes.iter().zip(tree.codes()) {
            self.leaves[leaf] = *slopes;
            leaf += usize::from(code == LEAF);
        }
    }
}

/// Exponentials of values up to this size, and sums and ratios of them, neither overflow nor lose
/// anything; most trees hold none larger.
const TAME: f64 = 300.0;

/// Makes the largest exponent of some lanes zero, which changes no ratio of exponentials.
#[inline(always)]
fn subtract_largest<const L: usize>(exponents: &mut [[f64; L]], lanes: [bool; L]) {
    let mut largest = [f64::NEG_INFINITY; L];
    for exponents in &*exponents {
        for (largest, &exponent) in largest.iter_mut().zip(exponents) {
            // A plain comparison, not `f64::max`: one instruction, and a NaN shows in the sum anyway.
            *largest = if exponent > *largest {
                exponent
            } else {
                *largest
            };
        }
    }
    for (largest, is_wanted) in largest.iter_mut().zip(lanes) {
        *largest = if is_wanted { *largest } else { 0.0 };
    }
    for exponents in exponents {
        for (exponent, largest) in exponents.iter_mut().zip(largest) {
            *exponent -= largest;
        }
    }
}

/// Sums of products, one per lane, in a fixed order that leaves room for parallel additions. There
/// may be more slopes than units.
#[inline(always)]
fn dot<const L: usize, U: Copy + Into<f64>>(column: &[U], slopes: &[[f64; L]]) -> [f64; L] {
    const PARTS: usize = 4;
    let mut sums = [[0.0; L]; PARTS];
    let (columns, columns_rest) = column.as_chunks::<PARTS>();
    let (slopes, slopes_rest) = slopes[..column.len()].as_chunks::<PARTS>();
    let mut add = |part: usize, unit: U, slopes: &[f64; L]| {
        let unit = unit.into();
        for (sum, slope) in sums[part].iter_mut().zip(slopes) {
            *sum += unit * slope;
        }
    };
    for (units, slopes) in columns.iter().zip(slopes) {
        for part in 0..PARTS {
            add(part, units[part], &slopes[part]);
        }
    }
    for (part, (unit, slopes)) in columns_rest.iter().zip(slopes_rest).enumerate() {
        add(part, *unit, slopes);
    }
    let [a, b, c, d] = sums;
    std::array::from_fn(|lane| (a[lane] + b[lane]) + (c[lane] + d[lane]))
}
