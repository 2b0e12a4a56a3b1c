//! Values of alternatives and choice probabilities under one set of weights.

use super::{forest::Tree, kernel::Kernel};

/// Evaluates one tree after another under fixed weights.
#[derive(Debug, Clone)]
pub struct Evaluator(Kernel<1>);

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
    /// let mut tree = forest.begin_tree(Side::Minimizer, 2);
    /// tree.leaf(&[30]);
    /// tree.drawn();
    /// tree.finish(1, 0)?;
    /// let mut evaluator = Evaluator::new(&[2.0], &[0.1]);
    /// let tree = forest.get(0).expect("it was built");
    /// let values: Vec<f64> = evaluator.alternatives(&tree).collect();
    /// assert_eq!(values, [-6.0, 0.0]);
    /// # Ok::<(), kibitz_stats::soft_minimax::TreeError>(())
    /// ```
    pub fn new(weights: &[f64], scales: &[f64]) -> Self {
        Self(Kernel::new([weights], scales))
    }

    /// Values of the alternatives at the root, from the side to move.
    ///
    /// # Panics
    /// Unless the tree's leaves have one attribute per weight; so do the other methods.
    pub fn alternatives(&mut self, tree: &Tree<'_>) -> impl Iterator<Item = f64> + '_ {
        let sign = tree.first().sign();
        let values = self.0.alternatives(tree).iter();
        values.map(move |[value]| sign * value)
    }

    /// Natural logarithm of the probability of the chosen alternative.
    pub fn log_likelihood(&mut self, tree: &Tree<'_>) -> f64 {
        let [log_likelihood] = self.0.log_likelihood(tree);
        log_likelihood
    }
}
