//! The inner loop: log-likelihood, gradient and Hessian of a run of choice sets in one pass.
//!
//! Sets are taken in blocks that fit the nearest cache. Within a block every step (differences to
//! the chosen alternative, values, exponentials) is one plain loop over all alternatives, which
//! the compiler turns into vector instructions. Sums run in a fixed order of four lanes.

use std::ops::Range;

use pulp::{Arch, NullaryFnOnce};

use crate::choice::{ChoiceSet, ChoiceSets, Column};
use crate::exponential::exponentiate;
use crate::sum::CompensatedSum;

/// Compute the value only.
pub(super) const VALUE: u8 = 0;
/// Compute the value and the gradient.
pub(super) const GRADIENT: u8 = 1;
/// Compute the value, the gradient and the Hessian.
pub(super) const HESSIAN: u8 = 2;

/// Alternatives per block, roughly: a block ends with the set that reaches this number.
const BLOCK: usize = 512;

/// Contribution of some sets to the log-likelihood and its derivatives.
#[derive(Debug)]
pub(super) struct Partial {
    pub(super) value: CompensatedSum,
    pub(super) gradient: Vec<f64>,
    /// Lower triangle, row by row; see [`packed`].
    pub(super) hessian: Vec<f64>,
}

impl Partial {
    pub(super) fn zero(n_attributes: usize) -> Self {
        Self {
            value: CompensatedSum::default(),
            gradient: vec![0.0; n_attributes],
            hessian: vec![0.0; packed(n_attributes, 0)],
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.value.merge(other.value);
        for (sum, term) in self.gradient.iter_mut().zip(&other.gradient) {
            *sum += term;
        }
        for (sum, term) in self.hessian.iter_mut().zip(&other.hessian) {
            *sum += term;
        }
    }
}

/// Place of row `row`, column `col <= row` in a packed lower triangle.
pub(super) fn packed(row: usize, col: usize) -> usize {
    row * (row + 1) / 2 + col
}

/// The weights, and room to work in.
#[derive(Debug)]
pub(super) struct Kernel<'a> {
    columns: &'a [Column],
    /// Weight of one unit of every attribute.
    unit_weights: Vec<f64>,
    /// Per attribute: the block's alternatives, each minus its set's chosen one, in units.
    differences: Vec<Vec<f64>>,
    /// Logarithms of the frequency weights of the block's alternatives.
    offsets: Vec<f64>,
    /// Values of the block's alternatives relative to the chosen one, then their exponentials.
    exps: Vec<f64>,
    /// Exponentials times differences of one attribute.
    weighted: Vec<f64>,
    /// The block's sets: end in the block, and how often the set counts.
    ends: Vec<(usize, f64)>,
    /// Per set of the block: largest value.
    tops: Vec<f64>,
    /// Per set of the block: sum of exponentials, inverted.
    inverse_sums: Vec<f64>,
    /// Per attribute and set of the block: mean difference under the model.
    means: Vec<Vec<f64>>,
}

/// The computation on a loaded block. A type, because a closure is not reliably compiled for the
/// instruction set that `pulp` dispatches to.
struct Block<'k, 'a, const ORDER: u8> {
    kernel: &'k mut Kernel<'a>,
    total: &'k mut Partial,
}

impl<const ORDER: u8> NullaryFnOnce for Block<'_, '_, ORDER> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.kernel.exponentials();
        self.kernel.add_block::<ORDER>(self.total);
    }
}

impl<'a> Kernel<'a> {
    pub(super) fn new(columns: &'a [Column], weights: &[f64]) -> Self {
        Self {
            columns,
            unit_weights: columns
                .iter()
                .zip(weights)
                .map(|(column, weight)| column.scale() * weight)
                .collect(),
            differences: vec![Vec::new(); columns.len()],
            offsets: Vec::new(),
            exps: Vec::new(),
            weighted: Vec::new(),
            ends: Vec::new(),
            tops: Vec::new(),
            inverse_sums: Vec::new(),
            means: vec![Vec::new(); columns.len()],
        }
    }

    /// Contribution of the sets `positions` of `sets`, with derivatives up to `ORDER`.
    pub(super) fn run<const ORDER: u8>(
        &mut self,
        sets: &ChoiceSets,
        positions: Range<usize>,
    ) -> Partial {
        let mut total = Partial::zero(self.columns.len());
        let mut position = positions.start;
        while position < positions.end {
            position = self.load(sets, position, positions.end);
            Arch::new().dispatch(Block::<ORDER> {
                kernel: self,
                total: &mut total,
            });
        }
        self.scale_to_real(&mut total);
        total
    }

    /// Choice probabilities of one set.
    pub(super) fn probabilities(&mut self, set: &ChoiceSet<'_>) -> Vec<f64> {
        self.clear();
        self.push(set);
        self.exponentials();
        let sum = sum(&self.exps);
        self.exps.iter().map(|exp| exp / sum).collect()
    }

    fn clear(&mut self) {
        self.ends.clear();
        self.offsets.clear();
        self.differences.iter_mut().for_each(Vec::clear);
    }

    fn push(&mut self, set: &ChoiceSet<'_>) {
        for (column, differences) in self.columns.iter().zip(&mut self.differences) {
            column.differences(set.rows(), set.chosen_row(), differences);
        }
        let start = self.ends.last().map_or(0, |&(end, _)| end);
        let end = start + set.n_alternatives();
        match set.offsets() {
            Some(offsets) => self.offsets.extend_from_slice(offsets),
            None => self.offsets.resize(end, 0.0),
        }
        self.ends.push((end, f64::from(set.count())));
    }

    /// Fills the block from `position` on; returns the position after it.
    fn load(&mut self, sets: &ChoiceSets, mut position: usize, end: usize) -> usize {
        self.clear();
        while position < end && self.ends.last().is_none_or(|&(len, _)| len < BLOCK) {
            let set = sets
                .get(position)
                .expect("positions lie below the number of sets");
            self.push(&set);
            position += 1;
        }
        position
    }

    /// Values of all alternatives of the block, and exponentials of their distance to the top.
    #[inline(always)]
    fn exponentials(&mut self) {
        self.exps.clear();
        self.exps.extend_from_slice(&self.offsets);
        for (&weight, differences) in self.unit_weights.iter().zip(&self.differences) {
            for (value, difference) in self.exps.iter_mut().zip(differences) {
                *value += weight * difference;
            }
        }
        self.tops.clear();
        let mut start = 0;
        for &(end, _) in &self.ends {
            let values = &mut self.exps[start..end];
            let top = max(values);
            for value in values {
                *value -= top;
            }
            self.tops.push(top);
            start = end;
        }
        exponentiate(&mut self.exps);
    }

    #[inline(always)]
    fn add_block<const ORDER: u8>(&mut self, total: &mut Partial) {
        self.inverse_sums.clear();
        let mut start = 0;
        for (&(end, count), &top) in self.ends.iter().zip(&self.tops) {
            // The chosen alternative has the value 0, so its log-probability is -ln of the sum. The
            // top counts 1; leaving it out keeps the digits of nearly sure choices.
            let beside_top = sum_beside_one(&self.exps[start..end]);
            total.value.add(-count * (top + beside_top.ln_1p()));
            self.inverse_sums.push((1.0 + beside_top).recip());
            start = end;
        }
        if ORDER == VALUE {
            return;
        }
        for attribute in 0..self.columns.len() {
            self.weighted.clear();
            let differences = &self.differences[attribute];
            self.weighted.extend(
                self.exps
                    .iter()
                    .zip(differences)
                    .map(|(exp, difference)| exp * difference),
            );
            self.add_gradient(attribute, total);
            if ORDER == HESSIAN {
                for other in 0..=attribute {
                    self.add_hessian(attribute, other, total);
                }
            }
        }
    }

    #[inline(always)]
    fn add_gradient(&mut self, attribute: usize, total: &mut Partial) {
        let means = &mut self.means[attribute];
        means.clear();
        let mut gradient = 0.0;
        let mut start = 0;
        for (&(end, count), inverse) in self.ends.iter().zip(&self.inverse_sums) {
            let mean = sum(&self.weighted[start..end]) * inverse;
            gradient -= count * mean;
            means.push(mean);
            start = end;
        }
        total.gradient[attribute] += gradient;
    }

    #[inline(always)]
    fn add_hessian(&self, attribute: usize, other: usize, total: &mut Partial) {
        let differences = &self.differences[other];
        let means = self.means[attribute].iter().zip(&self.means[other]);
        let mut hessian = 0.0;
        let mut start = 0;
        for ((&(end, count), inverse), (mean, other_mean)) in
            self.ends.iter().zip(&self.inverse_sums).zip(means)
        {
            let product = dot(&self.weighted[start..end], &differences[start..end]) * inverse;
            hessian -= count * (product - mean * other_mean);
            start = end;
        }
        total.hessian[packed(attribute, other)] += hessian;
    }

    fn scale_to_real(&self, total: &mut Partial) {
        for (attribute, column) in self.columns.iter().enumerate() {
            total.gradient[attribute] *= column.scale();
            for (other, other_column) in self.columns[..=attribute].iter().enumerate() {
                total.hessian[packed(attribute, other)] *= column.scale() * other_column.scale();
            }
        }
    }
}

/// Largest of some values; minus infinity of none.
#[inline(always)]
fn max(values: &[f64]) -> f64 {
    let (quads, rest) = values.as_chunks::<4>();
    let mut lanes = [f64::NEG_INFINITY; 4];
    for quad in quads {
        for (lane, &value) in lanes.iter_mut().zip(quad) {
            // A plain comparison, not `f64::max`: one instruction, and a NaN shows in the sum anyway.
            *lane = if value > *lane { value } else { *lane };
        }
    }
    rest.iter()
        .chain(&lanes)
        .fold(f64::NEG_INFINITY, |top, &value| top.max(value))
}

/// Sum in four lanes.
#[inline(always)]
fn sum(terms: &[f64]) -> f64 {
    let (quads, rest) = terms.as_chunks::<4>();
    let mut lanes = [0.0; 4];
    for quad in quads {
        for (lane, term) in lanes.iter_mut().zip(quad) {
            *lane += term;
        }
    }
    join(lanes, rest.iter().copied())
}

/// Sum of exponentials less 1, the largest of them.
#[inline(always)]
fn sum_beside_one(exps: &[f64]) -> f64 {
    let (quads, rest) = exps.as_chunks::<4>();
    let mut lanes = [0.0; 4];
    let mut n_ones = [0.0; 4];
    for quad in quads {
        for ((lane, ones), &exp) in lanes.iter_mut().zip(&mut n_ones).zip(quad) {
            *lane += if exp < 1.0 { exp } else { 0.0 };
            *ones += if exp < 1.0 { 0.0 } else { exp };
        }
    }
    let small = |&exp: &f64| if exp < 1.0 { exp } else { 0.0 };
    let one = |&exp: &f64| if exp < 1.0 { 0.0 } else { exp };
    (join(n_ones, rest.iter().map(one)) - 1.0) + join(lanes, rest.iter().map(small))
}

/// Sum of products in four lanes.
#[inline(always)]
fn dot(left: &[f64], right: &[f64]) -> f64 {
    let (left_quads, left_rest) = left.as_chunks::<4>();
    let (right_quads, right_rest) = right.as_chunks::<4>();
    let mut lanes = [0.0; 4];
    for (left, right) in left_quads.iter().zip(right_quads) {
        for ((lane, left), right) in lanes.iter_mut().zip(left).zip(right) {
            *lane += left * right;
        }
    }
    join(
        lanes,
        left_rest
            .iter()
            .zip(right_rest)
            .map(|(left, right)| left * right),
    )
}

#[inline(always)]
fn join(lanes: [f64; 4], rest: impl Iterator<Item = f64>) -> f64 {
    rest.fold(
        (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]),
        |sum, term| sum + term,
    )
}
