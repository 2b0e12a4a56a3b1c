//! The likelihood of a data set of trees.

use std::collections::BTreeMap;
use std::f64::consts::LN_2;

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::evaluator::Evaluator;
use super::forest::{Forest, Tree};
use super::trees::Trees;
use crate::optimize::{Differentiable, FirstOrder, Objective};
use crate::sum::CompensatedSum;

/// The soft-minimax likelihood of a data set, or of some of its groups.
///
/// Cost of every evaluation: one pass over the trees, shared among the threads of the current
/// rayon pool; no result depends on how many they are, nor on how many trees are stored.
///
/// # Examples
/// ```
/// use kibitz_stats::soft_minimax::{Method, Side, SoftMinimax, Trees};
/// // Thirty decisions between 2 and 1; the better is chosen in two of three.
/// let trees = Trees::build(&[1.0], 30, usize::MAX, |chunk, forest| {
///     let mut tree = forest.plant(Side::Maximizer, 2);
///     tree.leaf(&[2]);
///     tree.leaf(&[1]);
///     tree.finish(usize::from(chunk % 3 == 0), 0)
/// })?;
/// let model = SoftMinimax::new(&trees);
/// assert_eq!(model.uniform_bits(), 30.0);
/// let fitted = model.fit(&model.starts(4, 1), &Method::default())?;
/// assert!((fitted.fit.weights[0] - 2f64.ln()).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct SoftMinimax<'a> {
    trees: &'a Trees<'a>,
    /// How often each group counts; every group once if `None`.
    counts: Option<BTreeMap<u32, u32>>,
}

impl<'a> SoftMinimax<'a> {
    /// The likelihood of all trees.
    pub fn new(trees: &'a Trees<'a>) -> Self {
        Self {
            trees,
            counts: None,
        }
    }

    /// The likelihood of the trees of the given groups; a group named twice counts twice, as a
    /// bootstrap sample needs it, and one without trees adds nothing.
    #[must_use]
    pub fn by_groups(&self, groups: &[u32]) -> Self {
        let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
        for &group in groups {
            *counts.entry(group).or_default() += self.count(group);
        }
        Self {
            trees: self.trees,
            counts: Some(counts),
        }
    }

    /// The data set.
    pub fn trees(&self) -> &'a Trees<'a> {
        self.trees
    }

    /// Number of observed choices: the trees, each as often as its group counts.
    pub fn n_choices(&self) -> u64 {
        self.trees
            .groups()
            .map(|group| u64::from(self.count(group)))
            .sum()
    }

    /// Natural logarithm of the likelihood.
    ///
    /// # Panics
    /// If there is not one weight per attribute; so do all methods that take weights.
    pub fn log_likelihood(&self, weights: &[f64]) -> f64 {
        let total = self.sum(weights, |evaluator, tree, _| evaluator.log_likelihood(tree));
        total.value.value()
    }

    /// Natural logarithms of the probabilities of the choices, one per tree of the data set in
    /// order; zero for trees whose group does not count.
    ///
    /// Adding them up by group gives the likelihood of every game.
    pub fn log_likelihoods(&self, weights: &[f64]) -> Vec<f64> {
        let by_chunk: Vec<Vec<f64>> = self.by_chunk(weights, |evaluator, chunk, forest| {
            let heads = self.trees.heads_of(chunk).iter().enumerate();
            heads
                .map(|(index, head)| match forest.get(index) {
                    Some(tree) if self.count(head.group) > 0 => evaluator.log_likelihood(&tree),
                    _ => 0.0,
                })
                .collect()
        });
        by_chunk.concat()
    }

    /// Information content of the choices in bits, `-log2` of the likelihood.
    ///
    /// # Source
    /// Jansen, Dowe and Farr 2000, section 2.2, "I-Inferred".
    pub fn bits(&self, weights: &[f64]) -> f64 {
        -self.log_likelihood(weights) / LN_2
    }

    /// Information content of the choices in bits if all alternatives are equally likely.
    ///
    /// # Source
    /// Jansen, Dowe and Farr 2000, section 2.2, "I-Random".
    pub fn uniform_bits(&self) -> f64 {
        self.trees
            .heads()
            .map(|head| f64::from(self.count(head.group)) * f64::from(head.n_alternatives).log2())
            .collect::<CompensatedSum>()
            .value()
    }

    /// [`bits`](Self::bits) as a percentage of [`uniform_bits`](Self::uniform_bits), the paper's
    /// column "Comp (%)". NaN if nothing could be chosen.
    pub fn compression_percent(&self, weights: &[f64]) -> f64 {
        100.0 * self.bits(weights) / self.uniform_bits()
    }

    /// Second derivatives of the log-likelihood, by central differences of the exact gradient.
    ///
    /// Good to about ten digits: the step is the cube root of the rounding error, in units of the
    /// scales plus the size of the weight. Costs two gradients per attribute.
    pub fn hessian(&self, weights: &[f64]) -> DMatrix<f64> {
        let n = weights.len();
        let scales = self.scales();
        let columns: Vec<DVector<f64>> = (0..n)
            .map(|attribute| {
                let step = f64::EPSILON.cbrt() * (scales[attribute] + weights[attribute].abs());
                let at = |step: f64| {
                    let mut point = weights.to_vec();
                    point[attribute] += step;
                    (point[attribute], self.first_order(&point).gradient)
                };
                let (low, below) = at(-step);
                let (high, above) = at(step);
                (above - below) / (high - low)
            })
            .collect();
        let hessian = DMatrix::from_columns(&columns);
        (&hessian + hessian.transpose()) / 2.0
    }

    #[inline]
    fn count(&self, group: u32) -> u32 {
        match &self.counts {
            None => 1,
            Some(counts) => counts.get(&group).copied().unwrap_or(0),
        }
    }

    /// Sums `term` over the trees, in order, each as often as it counts.
    fn sum(
        &self,
        weights: &[f64],
        term: impl Fn(&mut Evaluator, &Tree<'_>, &mut [f64]) -> f64 + Sync,
    ) -> Sums {
        let n = self.trees.n_attributes();
        let by_chunk = self.by_chunk(weights, |evaluator, chunk, forest| {
            let mut sums = Sums::zero(n);
            let mut gradient = vec![0.0; n];
            for (tree, head) in forest.iter().zip(self.trees.heads_of(chunk)) {
                let count = self.count(head.group);
                if count == 0 {
                    continue;
                }
                gradient.fill(0.0);
                let value = term(evaluator, &tree, &mut gradient);
                sums.add(f64::from(count), value, &gradient);
            }
            sums
        });
        let mut total = Sums::zero(n);
        for sums in &by_chunk {
            total.value.merge(sums.value);
            for (total, slope) in total.gradient.iter_mut().zip(&sums.gradient) {
                *total += slope;
            }
        }
        for (slope, scale) in total.gradient.iter_mut().zip(self.trees.scales()) {
            *slope *= scale;
        }
        total
    }

    /// Maps every chunk, in parallel, and returns the results in order. A chunk in which no tree
    /// counts is not planted anew for nothing: it comes as an empty forest if it is not stored.
    fn by_chunk<T: Send>(
        &self,
        weights: &[f64],
        map: impl Fn(&mut Evaluator, usize, &Forest) -> T + Sync,
    ) -> Vec<T> {
        (0..self.trees.n_chunks())
            .into_par_iter()
            .map_init(
                || {
                    (
                        Evaluator::new(weights, self.trees.scales()),
                        Forest::new(self.trees.n_attributes()),
                    )
                },
                |(evaluator, spare), chunk| {
                    let heads = self.trees.heads_of(chunk);
                    let counts = heads.iter().any(|head| self.count(head.group) > 0);
                    map(evaluator, chunk, self.trees.chunk(chunk, spare, counts))
                },
            )
            .collect()
    }
}

/// Sums over trees.
struct Sums {
    value: CompensatedSum,
    gradient: Vec<f64>,
}

impl Sums {
    fn zero(n: usize) -> Self {
        Self {
            value: CompensatedSum::default(),
            gradient: vec![0.0; n],
        }
    }

    fn add(&mut self, count: f64, value: f64, gradient: &[f64]) {
        self.value.add(count * value);
        for (total, slope) in self.gradient.iter_mut().zip(gradient) {
            *total += count * slope;
        }
    }
}

impl Objective for SoftMinimax<'_> {
    fn n_parameters(&self) -> usize {
        self.trees.n_attributes()
    }

    /// A weight matters when it moves a typical leaf's value by 1.
    fn scales(&self) -> Vec<f64> {
        let scale = |spread: f64| if spread > 0.0 { spread.recip() } else { 1.0 };
        self.trees.spreads().into_iter().map(scale).collect()
    }

    fn value(&self, point: &[f64]) -> f64 {
        self.log_likelihood(point)
    }
}

impl Differentiable for SoftMinimax<'_> {
    fn first_order(&self, point: &[f64]) -> FirstOrder {
        let total = self.sum(point, Evaluator::add_gradient);
        FirstOrder {
            value: total.value.value(),
            gradient: DVector::from_vec(total.gradient),
        }
    }
}
