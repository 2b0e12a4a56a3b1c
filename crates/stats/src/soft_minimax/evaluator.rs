//! Values, likelihood and gradient of one tree: the inner loops.

use std::ops::Range;

use super::{
    Side,
    forest::{LEAF, Node, Tree, n_children},
    won_value,
};

/// Values alternatives and choices of one tree after another, under fixed weights.
///
/// A tree is worked off level by level: a level's nodes lie next to each other, so the
/// exponentials of a whole level are one plain loop. Everything of one tree stays in the
/// processor's cache; the trees themselves are read once, in order.
#[derive(Debug)]
pub struct Evaluator {
    /// What one unit of each attribute adds to a leaf's value.
    unit_weights: Vec<f64>,
    /// Nodes of each level, the root's first; the last is the deepest that has nodes.
    levels: Vec<Range<usize>>,
    /// Per leaf: its value, later the slope of the log-likelihood with respect to it.
    leaves: Vec<f64>,
    /// Per node: its value from the maximizer's side.
    values: Vec<f64>,
    /// Per node: its parent's value changes by this when its own value rises by one; at the
    /// root's children, the log-likelihood does.
    slopes: Vec<f64>,
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
        self.values[self.levels[1].clone()]
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
            *slope += dot(tree.column(attribute), &self.leaves);
        }
        log_likelihood
    }

    /// Fills in the values of all nodes below the root, and the slopes between them.
    fn evaluate(&mut self, tree: &Tree<'_>) {
        self.find_levels(tree);
        self.value_leaves(tree);
        self.place_values(tree);
        self.slopes.clear();
        self.slopes.resize(tree.n_nodes(), 0.0);
        for level in (1..self.levels.len() - 1).rev() {
            self.average(tree, level, tree.first().after(level));
        }
    }

    fn find_levels(&mut self, tree: &Tree<'_>) {
        self.levels.clear();
        let mut level = 0..1;
        while !level.is_empty() {
            self.levels.push(level.clone());
            let n_children: usize = tree.codes()[level.clone()]
                .iter()
                .map(|code| n_children(*code))
                .sum();
            level = level.end..level.end + n_children;
        }
    }

    fn value_leaves(&mut self, tree: &Tree<'_>) {
        assert_eq!(
            tree.n_attributes(),
            self.unit_weights.len(),
            "one weight per attribute"
        );
        self.leaves.clear();
        self.leaves.resize(tree.n_leaves(), 0.0);
        for (attribute, weight) in self.unit_weights.iter().enumerate() {
            for (value, &unit) in self.leaves.iter_mut().zip(tree.column(attribute)) {
                *value += weight * f64::from(unit);
            }
        }
    }

    /// Puts the values of leaves and ends where their nodes are.
    fn place_values(&mut self, tree: &Tree<'_>) {
        self.values.clear();
        let mut leaves = self.leaves.iter();
        let mut nodes = tree.nodes();
        for (depth, level) in self.levels.iter().enumerate() {
            let lost = -tree.first().after(depth).sign() * won_value(depth);
            self.values
                .extend(nodes.by_ref().take(level.len()).map(|node| match node {
                    Node::Leaf => *leaves.next().expect("there is a value for every leaf"),
                    Node::Lost => lost,
                    Node::Drawn | Node::Inner(_) => 0.0,
                }));
        }
    }

    /// Gives the inner nodes of a level the softmax-weighted mean of their children's values.
    fn average(&mut self, tree: &Tree<'_>, level: usize, side: Side) {
        let sign = side.sign();
        let below = self.levels[level + 1].clone();
        let parents = self.levels[level].clone();
        let codes = &tree.codes()[parents.clone()];

        let mut start = below.start;
        for n_children in codes.iter().map(|code| n_children(*code)) {
            let children = start..start + n_children;
            start = children.end;
            let largest = largest(&self.values[children.clone()], sign);
            for (slope, value) in self.slopes[children.clone()]
                .iter_mut()
                .zip(&self.values[children])
            {
                *slope = sign * value - largest;
            }
        }
        for slope in &mut self.slopes[below.clone()] {
            *slope = slope.exp();
        }
        let mut start = below.start;
        for (parent, n_children) in parents.zip(codes.iter().map(|code| n_children(*code))) {
            if n_children == 0 {
                continue;
            }
            let children = start..start + n_children;
            start = children.end;
            let (mut total, mut weighted) = (0.0, 0.0);
            for (exp, value) in self.slopes[children.clone()]
                .iter()
                .zip(&self.values[children.clone()])
            {
                total += exp;
                weighted += exp * value;
            }
            let mean = weighted / total;
            let inverse = total.recip();
            // d mean / d v_i = p_i (1 + sign (v_i - mean)).
            for (slope, value) in self.slopes[children.clone()]
                .iter_mut()
                .zip(&self.values[children])
            {
                *slope *= inverse * (1.0 + sign * (value - mean));
            }
            self.values[parent] = mean;
        }
    }

    /// The choice at the root: its log-probability, and the slopes of the alternatives.
    fn choose(&mut self, tree: &Tree<'_>) -> f64 {
        let sign = tree.first().sign();
        let alternatives = self.levels[1].clone();
        let values = &self.values[alternatives.clone()];
        let slopes = &mut self.slopes[alternatives];
        let largest = largest(values, sign);
        let mut total = 0.0;
        for (slope, value) in slopes.iter_mut().zip(values) {
            *slope = (sign * value - largest).exp();
            total += *slope;
        }
        // d ln p_c / d v_i = sign ([i = c] - p_i).
        for slope in slopes.iter_mut() {
            *slope *= -sign / total;
        }
        slopes[tree.chosen()] += sign;
        sign * values[tree.chosen()] - largest - total.ln()
    }

    /// Turns slopes between neighbors into slopes of the log-likelihood, from the root downwards,
    /// and collects those of the leaves.
    fn chain_slopes(&mut self, tree: &Tree<'_>) {
        let alternatives = tree.n_alternatives();
        let mut start = 1 + alternatives;
        for (parent, code) in tree.codes().iter().enumerate().skip(1) {
            let children = start..start + n_children(*code);
            start = children.end;
            let factor = self.slopes[parent];
            for slope in &mut self.slopes[children] {
                *slope *= factor;
            }
        }
        let slopes = self.slopes.iter().zip(tree.codes());
        let of_leaves = slopes.filter(|(_, code)| **code == LEAF);
        for (leaf, (slope, _)) in self.leaves.iter_mut().zip(of_leaves) {
            *leaf = *slope;
        }
    }
}

fn largest(values: &[f64], sign: f64) -> f64 {
    values.iter().fold(f64::NEG_INFINITY, |largest, value| {
        largest.max(sign * value)
    })
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
