//! The soft-minimax likelihood of a data set of trees.

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::LN_2;

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::evaluator::Evaluator;
use super::forest::{Forest, Tree};
use super::kernel::Kernel;
use super::trees::Trees;
use crate::optimize::{Differentiable, FirstOrder, Objective, Probe};
use crate::sum::CompensatedSum;

/// The soft-minimax likelihood of a data set, or of some of its groups.
///
/// An evaluation costs one pass over the trees, shared among the threads of the current rayon pool; no
/// result depends on the number of threads or of stored trees.
///
/// # Examples
/// ```
/// use kibitz_stats::BfgsOptions;
/// use kibitz_stats::soft_minimax::{Side, SoftMinimax, Trees};
/// // Thirty decisions between 2 and 1; the better is chosen in two of three.
/// let trees = Trees::build(&[1.0], 30, usize::MAX, |chunk, forest| {
///     let mut tree = forest.begin_tree(Side::Maximizer, 2);
///     tree.leaf(&[2]);
///     tree.leaf(&[1]);
///     tree.finish(usize::from(chunk % 3 == 0), 0)
/// })?;
/// let model = SoftMinimax::new(&trees);
/// assert_eq!(model.uniform_bits(), 30.0);
/// let fitted = model.fit(&model.starts(4, 1), &BfgsOptions::default())?;
/// assert!((fitted.fit.weights[0] - 2f64.ln()).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct SoftMinimax<'a> {
    trees: &'a Trees,
    /// Frequency of each group; all 1 if `None`.
    counts: Option<BTreeMap<u32, u32>>,
    /// The attribute of each parameter.
    active: Vec<usize>,
}

impl<'a> SoftMinimax<'a> {
    /// The likelihood of all trees.
    pub fn new(trees: &'a Trees) -> Self {
        Self {
            trees,
            counts: None,
            active: (0..trees.n_attributes()).collect(),
        }
    }

    /// The likelihood of the trees of the given groups. A group named twice counts twice, as in a
    /// bootstrap sample; a group without trees adds nothing.
    #[must_use]
    pub fn by_groups(&self, groups: &[u32]) -> Self {
        let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
        for &group in groups {
            *counts.entry(group).or_default() += self.count(group);
        }
        Self {
            counts: Some(counts),
            ..self.clone()
        }
    }

    /// The data set.
    pub fn trees(&self) -> &'a Trees {
        self.trees
    }

    /// Number of observed choices: the trees, each as often as its group counts.
    pub fn n_choices(&self) -> u64 {
        self.trees
            .groups()
            .map(|group| u64::from(self.count(group)))
            .sum()
    }

    /// The submodel with these attributes, by index and in this order; the others have weight zero.
    ///
    /// One data set serves every subset of its attributes.
    ///
    /// # Panics
    /// If an index is out of range.
    #[must_use]
    pub fn restricted_to(&self, attributes: &[usize]) -> Self {
        let active = attributes.iter().map(|&index| self.active[index]).collect();
        Self {
            active,
            ..self.clone()
        }
    }

    /// The likelihood of a systematic subsample: every [`SAMPLE_STEP`]th group, in order.
    pub(super) fn sample(&self) -> Self {
        let groups: BTreeSet<u32> = self.trees.groups().collect();
        let counting = groups.into_iter().filter(|&group| self.count(group) > 0);
        let sample: Vec<u32> = counting.step_by(SAMPLE_STEP).collect();
        self.by_groups(&sample)
    }

    /// Log-likelihood.
    ///
    /// # Panics
    /// Unless there is one weight per attribute; so do all methods that take weights.
    pub fn log_likelihood(&self, weights: &[f64]) -> f64 {
        let probe = Probe {
            objective: self,
            point: weights.to_vec(),
        };
        Self::sums(&[probe], Derivatives::Value)[0].value.value()
    }

    /// Log-probabilities of the choices, one per tree of the data set in order; zero for trees of
    /// excluded groups.
    ///
    /// Their sums by group are the log-likelihoods of the games.
    pub fn log_likelihoods(&self, weights: &[f64]) -> Vec<f64> {
        let weights = self.all_weights(weights);
        let evaluator = || Evaluator::new(&weights, self.trees.scales());
        let is_needed = |group: u32| self.count(group) > 0;
        let tell = |evaluator: &mut Evaluator, chunk: usize, forest: &Forest| -> Vec<f64> {
            let summaries = self.trees.summaries_of(chunk).iter().enumerate();
            summaries
                .map(|(index, summary)| match forest.get(index) {
                    Some(tree) if self.count(summary.group) > 0 => evaluator.log_likelihood(&tree),
                    _ => 0.0,
                })
                .collect()
        };
        trees_by_chunk(self.trees, is_needed, evaluator, tell).concat()
    }

    /// The choices of the groups that count, one per tree in order: the group, the index of the chosen
    /// alternative, and the values of all alternatives from the side to move.
    pub fn valued_choices(&self, weights: &[f64]) -> Vec<(u32, usize, Vec<f64>)> {
        let weights = self.all_weights(weights);
        let evaluator = || Evaluator::new(&weights, self.trees.scales());
        let is_needed = |group: u32| self.count(group) > 0;
        let tell = |evaluator: &mut Evaluator, chunk: usize, forest: &Forest| -> Vec<_> {
            let summaries = self.trees.summaries_of(chunk).iter().enumerate();
            let counting = summaries.filter(|(_, summary)| is_needed(summary.group));
            let trees = counting.filter_map(|(index, _)| forest.get(index));
            trees
                .map(|tree| {
                    let values = evaluator.alternatives(&tree).collect();
                    (tree.group(), tree.chosen(), values)
                })
                .collect()
        };
        trees_by_chunk(self.trees, is_needed, evaluator, tell).concat()
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
            .summaries()
            .map(|summary| {
                f64::from(self.count(summary.group)) * f64::from(summary.n_alternatives).log2()
            })
            .collect::<CompensatedSum>()
            .value()
    }

    /// [`bits`](Self::bits) as a percentage of [`uniform_bits`](Self::uniform_bits), the paper's
    /// column "Comp (%)". NaN without choices.
    pub fn compression_percent(&self, weights: &[f64]) -> f64 {
        100.0 * self.bits(weights) / self.uniform_bits()
    }

    /// This likelihood at every point.
    pub(super) fn probes(&self, points: Vec<Vec<f64>>) -> Vec<Probe<'_, Self>> {
        let probe = |point| Probe {
            objective: self,
            point,
        };
        points.into_iter().map(probe).collect()
    }

    /// The gradient of the log-likelihood of every group at one point, by group; their sum is the
    /// gradient of the whole. One pass over the trees.
    pub fn group_scores(&self, weights: &[f64]) -> BTreeMap<u32, DVector<f64>> {
        let groups: BTreeSet<u32> = self.trees.groups().collect();
        let groups = groups.into_iter().filter(|&group| self.count(group) > 0);
        let of_groups: Vec<(u32, Self)> = groups
            .map(|group| (group, self.by_groups(&[group])))
            .collect();
        let probes = of_groups.iter().map(|(_, objective)| Probe {
            objective,
            point: weights.to_vec(),
        });
        let probes: Vec<Probe<'_, Self>> = probes.collect();
        let scores = Self::first_orders_of(&probes).into_iter();
        let groups = of_groups.iter().map(|(group, _)| *group);
        groups.zip(scores.map(|score| score.gradient)).collect()
    }

    /// Second derivatives of the log-likelihood, by central differences of the exact gradient.
    ///
    /// Good to about ten digits: the step is the cube root of the rounding error, in units of the
    /// scales plus the size of the weight. Costs two gradients per attribute.
    pub fn hessian(&self, weights: &[f64]) -> DMatrix<f64> {
        let stencil = self.stencil(weights);
        Self::hessian_from(&stencil, &self.first_orders(&stencil))
    }

    /// The stencil of the central differences: for every weight one point below, one above.
    pub(super) fn stencil(&self, weights: &[f64]) -> Vec<Vec<f64>> {
        let scales = self.scales();
        let beside = |attribute: usize, side: f64| {
            let step = f64::EPSILON.cbrt() * (scales[attribute] + weights[attribute].abs());
            let mut point = weights.to_vec();
            point[attribute] += side * step;
            point
        };
        (0..weights.len())
            .flat_map(|attribute| [-1.0, 1.0].map(|side| beside(attribute, side)))
            .collect()
    }

    /// Second derivatives from the derivatives at the points of a [`stencil`](Self::stencil).
    pub(super) fn hessian_from(stencil: &[Vec<f64>], there: &[FirstOrder]) -> DMatrix<f64> {
        let (points, _) = stencil.as_chunks::<2>();
        let (ends, _) = there.as_chunks::<2>();
        let columns: Vec<DVector<f64>> = (points.iter().zip(ends).enumerate())
            .map(|(attribute, ([low, high], [below, above]))| {
                (&above.gradient - &below.gradient) / (high[attribute] - low[attribute])
            })
            .collect();
        let hessian = DMatrix::from_columns(&columns);
        (&hessian + hessian.transpose()) / 2.0
    }

    /// One weight per attribute of the leaves, zero for attributes outside the submodel.
    fn all_weights(&self, weights: &[f64]) -> Vec<f64> {
        assert_eq!(weights.len(), self.active.len(), "one weight per attribute");
        let mut all = vec![0.0; self.trees.n_attributes()];
        for (&attribute, weight) in self.active.iter().zip(weights) {
            all[attribute] += weight;
        }
        all
    }

    #[inline]
    fn count(&self, group: u32) -> u32 {
        match &self.counts {
            None => 1,
            Some(counts) => counts.get(&group).copied().unwrap_or(0),
        }
    }

    /// Value and gradient of likelihoods of the same trees, each at its point.
    ///
    /// Cheaper than one after another: probes share the reading of trees, and points requested for
    /// several likelihoods are evaluated once.
    ///
    /// # Panics
    /// If the likelihoods are not of the same trees.
    pub fn first_orders_of(probes: &[Probe<'_, Self>]) -> Vec<FirstOrder> {
        let slope = |sums: &Sums, likelihood: &Self, attribute: usize| {
            sums.gradient[attribute] * likelihood.trees.scales()[attribute]
        };
        (Self::sums(probes, Derivatives::Gradient).iter().zip(probes))
            .map(|(sums, Probe { objective, .. })| {
                let active = objective.active.iter();
                let slopes = active.map(|&attribute| slope(sums, objective, attribute));
                FirstOrder {
                    value: sums.value.value(),
                    gradient: DVector::from_iterator(objective.active.len(), slopes),
                }
            })
            .collect()
    }

    /// The likelihoods at their points: sums over the trees in order, weighted by frequency.
    fn sums(probes: &[Probe<'_, Self>], wanted: Derivatives) -> Vec<Sums> {
        let Some(first) = probes.first() else {
            return Vec::new();
        };
        let trees = first.objective.trees;
        // Probes that differ only in their frequencies share a point: the trees are evaluated once
        // for all of them.
        let mut points: Vec<Vec<f64>> = Vec::new();
        let places: Vec<usize> = (probes.iter())
            .map(|Probe { objective, point }| {
                assert!(std::ptr::eq(objective.trees, trees), "of the same trees");
                let point = objective.all_weights(point);
                let known = points.iter().position(|other| *other == point);
                known.unwrap_or_else(|| {
                    points.push(point);
                    points.len() - 1
                })
            })
            .collect();

        let n = trees.n_attributes();
        let counts = |group: u32| -> Vec<u32> {
            let probes = probes.iter();
            probes.map(|probe| probe.objective.count(group)).collect()
        };
        let evaluators = || {
            let there = vec![(0.0, vec![0.0; n]); points.len()];
            (batches(&points, trees.scales()), there)
        };
        let is_needed = |group: u32| probes.iter().any(|probe| probe.objective.count(group) > 0);
        let add_chunk = |(batches, there): &mut Evaluators, chunk: usize, forest: &Forest| {
            let mut sums = vec![Sums::zero(n); probes.len()];
            // Neighboring trees are mostly of one group, so the counts are looked up once for each
            // stretch.
            let mut of_group: Option<(u32, Vec<u32>)> = None;
            for (tree, summary) in forest.iter().zip(trees.summaries_of(chunk)) {
                let (_, counts) = match &mut of_group {
                    Some(known) if known.0 == summary.group => known,
                    other => other.insert((summary.group, counts(summary.group))),
                };
                for (batch, (index, there)) in
                    batches.iter_mut().zip(there.chunks_mut(LANES).enumerate())
                {
                    let lanes = index * LANES..(index + 1) * LANES;
                    let mut counting = (places.iter().zip(&*counts).zip(&mut sums))
                        .filter(|((place, count), _)| **count > 0 && lanes.contains(*place))
                        .peekable();
                    if counting.peek().is_none() {
                        continue;
                    }
                    batch.evaluate(&tree, wanted, there);
                    for ((place, count), sums) in counting {
                        let (value, gradient) = &there[place - lanes.start];
                        sums.add(f64::from(*count), *value, gradient);
                    }
                }
            }
            sums
        };
        // Chunks are added in their order, so that the sum has the same bits for any number of
        // threads.
        let by_chunk = trees_by_chunk(trees, is_needed, evaluators, add_chunk);
        let mut totals = vec![Sums::zero(n); probes.len()];
        for sums in &by_chunk {
            for (total, sum) in totals.iter_mut().zip(sums) {
                total.merge(sum);
            }
        }
        totals
    }
}

/// Maps every chunk, in parallel, and returns the results in order. A chunk that is neither stored nor
/// needed for any group is not rebuilt, but passed as an empty forest.
fn trees_by_chunk<T: Send, E>(
    trees: &Trees,
    is_needed: impl Fn(u32) -> bool + Sync + Send,
    evaluator: impl Fn() -> E + Sync + Send,
    map: impl Fn(&mut E, usize, &Forest) -> T + Sync + Send,
) -> Vec<T> {
    (0..trees.n_chunks())
        .into_par_iter()
        .map_init(
            || (evaluator(), Forest::new(trees.n_attributes())),
            |(evaluator, spare), chunk| {
                let summaries = trees.summaries_of(chunk);
                let needed = summaries.iter().any(|summary| is_needed(summary.group));
                map(evaluator, chunk, trees.chunk(chunk, spare, needed))
            },
        )
        .collect()
}

/// A [`sample`](SoftMinimax::sample) holds one in `SAMPLE_STEP` groups.
const SAMPLE_STEP: usize = 10;

/// The derivatives requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Derivatives {
    Value,
    Gradient,
}

/// Largest number of points evaluated together.
const LANES: usize = 4;

/// Evaluators of trees at some points, with their output: value and gradient, per stored unit, for
/// each point.
type Evaluators = (Vec<Box<dyn Batch>>, Vec<(f64, Vec<f64>)>);

/// Evaluation of a tree at up to [`LANES`] points.
trait Batch {
    /// Value and gradient of a tree at every point.
    fn evaluate(&mut self, tree: &Tree<'_>, wanted: Derivatives, there: &mut [(f64, Vec<f64>)]);
}

impl<const L: usize> Batch for Kernel<L> {
    fn evaluate(&mut self, tree: &Tree<'_>, wanted: Derivatives, there: &mut [(f64, Vec<f64>)]) {
        let values = self.log_likelihood(tree);
        for ((to, _), value) in there.iter_mut().zip(values) {
            *to = value;
        }
        if wanted == Derivatives::Gradient {
            self.gradient(tree, |attribute, slopes| {
                for ((_, to), slope) in there.iter_mut().zip(slopes) {
                    to[attribute] = slope;
                }
            });
        }
    }
}

/// The points in batches of [`LANES`]; spare lanes repeat a point and are ignored.
fn batches(points: &[Vec<f64>], scales: &[f64]) -> Vec<Box<dyn Batch>> {
    let batch = |points: &[Vec<f64>]| -> Box<dyn Batch> {
        let lane = |lane: usize| &points[lane.min(points.len() - 1)][..];
        match points.len() {
            1 => Box::new(Kernel::new([lane(0)], scales)),
            2 => Box::new(Kernel::new([lane(0), lane(1)], scales)),
            _ => Box::new(Kernel::<LANES>::new(std::array::from_fn(lane), scales)),
        }
    };
    points.chunks(LANES).map(batch).collect()
}

/// Sums over trees, at one point.
#[derive(Debug, Clone)]
struct Sums {
    value: CompensatedSum,
    /// Per unit of the stored attributes.
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

    fn merge(&mut self, other: &Self) {
        self.value.merge(other.value);
        for (total, slope) in self.gradient.iter_mut().zip(&other.gradient) {
            *total += slope;
        }
    }
}

impl Objective for SoftMinimax<'_> {
    fn n_parameters(&self) -> usize {
        self.active.len()
    }

    /// The weight that moves a typical leaf's value by 1.
    fn scales(&self) -> Vec<f64> {
        let scale = |spread: f64| if spread > 0.0 { spread.recip() } else { 1.0 };
        let spreads = self.trees.spreads();
        let active = self.active.iter();
        active.map(|&attribute| scale(spreads[attribute])).collect()
    }

    fn value(&self, point: &[f64]) -> f64 {
        self.log_likelihood(point)
    }
}

impl Differentiable for SoftMinimax<'_> {
    fn first_order(&self, point: &[f64]) -> FirstOrder {
        let mut there = self.first_orders(&[point.to_vec()]);
        there.swap_remove(0)
    }

    fn first_orders(&self, points: &[Vec<f64>]) -> Vec<FirstOrder> {
        Self::first_orders_of(&self.probes(points.to_vec()))
    }
}
