//! Values, likelihood and gradient of one tree: the inner loops.

use std::ops::Range;

use super::{
    forest::{DRAWN, LEAF, LOST, Tree, n_children},
    won_value,
};

/// Values alternatives and choices of one tree after another, under fixed weights.
///
/// A tree is worked off level by level: the children of a level lie next to each other, so their
/// exponentials are one plain loop. Everything of one tree stays in the processor's cache; the
/// trees themselves are read once, in order. Loops over all nodes take no branches on what a node
/// is, for which there is no telling in advance.
#[derive(Debug, Clone)]
pub struct Evaluator {
    /// What one unit of each attribute adds to a leaf's value.
    unit_weights: Vec<f64>,
    /// The inner nodes in order, the root first.
    families: Vec<Family>,
    /// Families of each level, the root's first.
    levels: Vec<Range<usize>>,
    /// Per leaf: its value, later the slope of the log-likelihood with respect to it. There is one
    /// more place at the end, of no meaning, so that loops may look one leaf ahead.
    leaves: Vec<f64>,
    /// Per node: its value from the maximizer's side.
    values: Vec<f64>,
    /// Per node: the exponential that says how likely it is to be chosen, later the slope of the
    /// log-likelihood with respect to its value.
    slopes: Vec<f64>,
}

/// An inner node with its children.
#[derive(Debug, Clone, Copy, Default)]
struct Family {
    parent: usize,
    start: usize,
    end: usize,
    /// Sum of the children's exponentials, inverted.
    inverse: f64,
}

impl Family {
    #[inline]
    fn children(self) -> Range<usize> {
        self.start..self.end
    }
}

impl Evaluator {
    /// An evaluator with one weight per attribute, and the size of one stored unit of each.
    ///
    /// # Panics
    /// If weights and scales differ in number.
    ///
    /// # Examples
    /// ```
    /// use kibitz_stats::soft_minimax::{Evaluator, Forest, Side};
    /// let mut forest = Forest::new(1);
    /// let mut tree = forest.plant(Side::Minimizer, 2);
    /// tree.leaf(&[30]);
    /// tree.drawn();
    /// tree.finish(1, 0)?;
    /// let mut evaluator = Evaluator::new(&[2.0], &[0.1]);
    /// let tree = forest.get(0).expect("it was planted");
    /// let values: Vec<f64> = evaluator.alternatives(&tree).collect();
    /// assert_eq!(values, [-6.0, 0.0]);
    /// # Ok::<(), kibitz_stats::soft_minimax::TreeError>(())
    /// ```
    pub fn new(weights: &[f64], scales: &[f64]) -> Self {
        assert_eq!(weights.len(), scales.len(), "one scale per weight");
        Self {
            unit_weights: weights.iter().zip(scales).map(|(w, s)| w * s).collect(),
            families: Vec::new(),
            levels: Vec::new(),
            leaves: Vec::new(),
            values: Vec::new(),
            slopes: Vec::new(),
        }
    }

    /// Values of the alternatives at the root, from the side of the one who decides.
    ///
    /// # Panics
    /// If the tree's leaves do not have one attribute per weight; so do the other methods.
    pub fn alternatives(&mut self, tree: &Tree<'_>) -> impl Iterator<Item = f64> + '_ {
        self.evaluate(tree);
        let sign = tree.first().sign();
        self.values[self.families[0].children()]
            .iter()
            .map(move |value| sign * value)
    }

    /// Natural logarithm of the probability of the chosen alternative.
    pub fn log_likelihood(&mut self, tree: &Tree<'_>) -> f64 {
        self.evaluate(tree);
        self.choose(tree)
    }

    /// [`log_likelihood`](Self::log_likelihood), and adds its gradient, per unit of the stored
    /// attributes, to `gradient`.
    pub(super) fn add_gradient(&mut self, tree: &Tree<'_>, gradient: &mut [f64]) -> f64 {
        let log_likelihood = self.log_likelihood(tree);
        self.chain_slopes(tree);
        for (attribute, slope) in gradient.iter_mut().enumerate() {
            let column = tree.column(attribute);
            *slope += dot(column, &self.leaves[..column.len()]);
        }
        log_likelihood
    }

    /// Fills in the values of all nodes below the root, and the slopes between them.
    fn evaluate(&mut self, tree: &Tree<'_>) {
        self.find_families(tree);
        self.value_leaves(tree);
        self.place_values(tree);
        self.slopes.clear();
        self.slopes.resize(tree.n_nodes(), 0.0);
        for depth in (1..self.levels.len()).rev() {
            self.average(depth, tree.first().after(depth).sign());
        }
    }

    fn find_families(&mut self, tree: &Tree<'_>) {
        let codes = tree.codes();
        self.families.clear();
        self.families.resize(codes.len(), Family::default());
        let mut n_families = 0;
        let mut start = 1;
        for (parent, &code) in codes.iter().enumerate() {
            let n_children = n_children(code);
            let end = start + n_children;
            self.families[n_families] = Family {
                parent,
                start,
                end,
                inverse: 0.0,
            };
            n_families += usize::from(n_children > 0);
            start = end;
        }
        self.families.truncate(n_families);

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

    fn value_leaves(&mut self, tree: &Tree<'_>) {
        assert_eq!(
            tree.n_attributes(),
            self.unit_weights.len(),
            "one weight per attribute"
        );
        self.leaves.clear();
        self.leaves.resize(tree.n_leaves() + 1, 0.0);
        for (attribute, weight) in self.unit_weights.iter().enumerate() {
            for (value, &unit) in self.leaves.iter_mut().zip(tree.column(attribute)) {
                *value += weight * f64::from(unit);
            }
        }
    }

    /// Puts the values of leaves and ends where their nodes are; inner nodes get theirs later.
    fn place_values(&mut self, tree: &Tree<'_>) {
        let codes = tree.codes();
        self.values.clear();
        self.values.resize(codes.len(), 0.0);
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
                        LOST => self.values[node] = lost,
                        DRAWN => self.values[node] = 0.0,
                        _ => {}
                    }
                }
            }
        }
    }

    /// All children of a level's families.
    fn children_of(&self, level: &Range<usize>) -> Range<usize> {
        let families = &self.families[level.clone()];
        families[0].start..families[families.len() - 1].end
    }

    /// Gives the parents of a level the softmax-weighted mean of their children's values.
    fn average(&mut self, depth: usize, sign: f64) {
        let level = self.levels[depth].clone();
        let children = self.children_of(&level);
        let families = &mut self.families[level];
        let exponents = &mut self.slopes[children.clone()];
        let mut all_tame = true;
        for (exponent, value) in exponents.iter_mut().zip(&self.values[children.clone()]) {
            *exponent = sign * value;
            all_tame &= value.abs() < TAME;
        }
        if !all_tame {
            for family in families.iter() {
                subtract_largest(&mut self.slopes[family.children()]);
            }
        }
        for exponent in &mut self.slopes[children] {
            *exponent = exponent.exp();
        }
        for family in families {
            let values = &self.values[family.children()];
            let (mut total, mut weighted) = (0.0, 0.0);
            for (exp, value) in self.slopes[family.children()].iter().zip(values) {
                total += exp;
                weighted += exp * value;
            }
            family.inverse = total.recip();
            self.values[family.parent] = weighted * family.inverse;
        }
    }

    /// The choice at the root: its log-probability, and the slopes of the alternatives.
    fn choose(&mut self, tree: &Tree<'_>) -> f64 {
        let sign = tree.first().sign();
        let alternatives = self.families[0].children();
        let slopes = &mut self.slopes[alternatives.clone()];
        for (slope, value) in slopes.iter_mut().zip(&self.values[alternatives]) {
            *slope = sign * value;
        }
        subtract_largest(slopes);
        let chosen = slopes[tree.chosen()];
        let mut total = 0.0;
        for slope in slopes.iter_mut() {
            *slope = slope.exp();
            total += *slope;
        }
        // d ln p_c / d v_i = sign ([i = c] - p_i).
        for slope in slopes.iter_mut() {
            *slope *= -sign / total;
        }
        slopes[tree.chosen()] += sign;
        chosen - total.ln()
    }

    /// Carries the slopes of the log-likelihood from the root downwards, and collects those of
    /// the leaves.
    ///
    /// The mean `m` of children chosen with probabilities `p_i` obeys
    /// `d m / d v_i = p_i (1 + sign (v_i - m))`.
    fn chain_slopes(&mut self, tree: &Tree<'_>) {
        for (depth, level) in self.levels.iter().enumerate().skip(1) {
            let sign = tree.first().after(depth).sign();
            for family in &self.families[level.clone()] {
                let mean = self.values[family.parent];
                let factor = self.slopes[family.parent] * family.inverse;
                let values = &self.values[family.children()];
                for (slope, value) in self.slopes[family.children()].iter_mut().zip(values) {
                    *slope *= factor * (1.0 + sign * (value - mean));
                }
            }
        }
        let mut leaf = 0;
        for (slope, &code) in self.slopes.iter().zip(tree.codes()) {
            self.leaves[leaf] = *slope;
            leaf += usize::from(code == LEAF);
        }
    }
}

/// Exponentials of values up to this size, and sums and ratios of them, neither overflow nor lose
/// anything; most trees hold none larger.
const TAME: f64 = 300.0;

/// Makes the largest exponent zero, which changes no ratio of exponentials.
fn subtract_largest(exponents: &mut [f64]) {
    let largest = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for exponent in exponents {
        *exponent -= largest;
    }
}

/// Sum of products in a fixed order that leaves room for parallel additions.
fn dot(column: &[i16], slopes: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let (columns, columns_rest) = column.as_chunks::<LANES>();
    let (slopes, slopes_rest) = slopes.as_chunks::<LANES>();
    for (units, slopes) in columns.iter().zip(slopes) {
        for lane in 0..LANES {
            sums[lane] += f64::from(units[lane]) * slopes[lane];
        }
    }
    for ((sum, unit), slope) in sums.iter_mut().zip(columns_rest).zip(slopes_rest) {
        *sum += f64::from(*unit) * slope;
    }
    sums.iter().sum()
}
