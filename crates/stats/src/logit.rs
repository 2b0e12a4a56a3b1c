//! The conditional logit model.
//!
//! An alternative has the utility `v = Σ weight_k · attribute_k`, and alternative `i` is chosen with
//! the softmax probability `exp(v_i) / Σ_j exp(v_j)`. Only differences within a choice set matter:
//! an attribute that is constant in every set has no identifiable weight.
//!
//! # Source
//! McFadden 1974, "Conditional logit analysis of qualitative choice behavior". The same model is
//! the one-ply player of Jansen, Dowe and Farr 2000, section 2.1, equations (1) to (3).

mod blocked;
mod fit;
mod kernel;
mod no_maximum;

use std::f64::consts::LN_2;

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use crate::choice::{ChoiceSets, Column, SETS_PER_BLOCK};
use crate::optimize::{Differentiable, FirstOrder, Objective, SecondOrder, TwiceDifferentiable};
use crate::sum::CompensatedSum;

pub use blocked::BlockedLogit;
pub use fit::{Fit, FitError};
use kernel::{Kernel, Partial};
pub use no_maximum::{Flaw, NoMaximum};
pub(crate) use no_maximum::{not_identified, separating};

/// Sets whose terms are summed by one thread before the partial sums are added up, in order.
///
/// A constant, so that the order of additions, and with it every bit of a result, is the same for
/// any number of threads.
const SETS_PER_CHUNK: usize = SETS_PER_BLOCK;

/// The conditional logit likelihood of a data set.
///
/// An evaluation costs one pass over the alternatives, shared among the threads of the current rayon
/// pool; no result depends on their number.
///
/// # Examples
/// ```
/// use kibitz_stats::{ChoiceSets, ConditionalLogit};
/// let mut builder = ChoiceSets::builder(1);
/// for chosen in [0, 0, 0, 1] {
///     builder.push(0, chosen, [[1.0], [0.0]])?;
/// }
/// let sets = builder.build();
/// let model = ConditionalLogit::new(&sets);
/// assert_eq!(model.uniform_bits(), 4.0);
/// // Three of four choices took the alternative that is 1 better: odds of 3 to 1.
/// let fit = model.fit()?;
/// assert!((fit.weights[0] - 3f64.ln()).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ConditionalLogit<'a> {
    sets: &'a ChoiceSets,
}

impl<'a> ConditionalLogit<'a> {
    /// The model on `sets`, with one weight per attribute.
    pub fn new(sets: &'a ChoiceSets) -> Self {
        Self { sets }
    }

    /// The data.
    pub fn sets(&self) -> &'a ChoiceSets {
        self.sets
    }

    /// Log-likelihood: the sum over sets of ln Pr(chosen); 0 without data.
    ///
    /// # Source
    /// Jansen, Dowe and Farr 2000, equation (3), in logarithms. The largest utility is subtracted
    /// before exponentials are summed (log-sum-exp), to avoid overflow.
    ///
    /// # Panics
    /// Unless there is one weight per attribute.
    pub fn log_likelihood(&self, weights: &[f64]) -> f64 {
        self.evaluate(weights, kernel::VALUE).value.value()
    }

    /// Information content of the choices in bits: their code length under the model.
    ///
    /// # Source
    /// Jansen, Dowe and Farr 2000, section 2.2: I(move i) = -log2 Pr(move i), summed.
    ///
    /// # Panics
    /// Unless there is one weight per attribute.
    pub fn bits(&self, weights: &[f64]) -> f64 {
        // Subtracting from zero gives a certain choice 0 bits rather than -0.
        0.0 - self.log_likelihood(weights) / LN_2
    }

    /// Information content in bits when every alternative is equally likely ("I-Random").
    pub fn uniform_bits(&self) -> f64 {
        self.sets
            .iter()
            .map(|set| f64::from(set.count()) * (set.n_alternatives() as f64).log2())
            .collect::<CompensatedSum>()
            .value()
    }

    /// Compression: [`bits`](Self::bits) as a percentage of [`uniform_bits`](Self::uniform_bits), as
    /// in the paper's column "Comp (%)".
    ///
    /// NaN without choices (no data, or one alternative everywhere).
    ///
    /// # Panics
    /// Unless there is one weight per attribute.
    pub fn compression_percent(&self, weights: &[f64]) -> f64 {
        100.0 * self.bits(weights) / self.uniform_bits()
    }

    /// Choice probabilities of the alternatives of set `index`, or `None` past the last set.
    ///
    /// They lie in 0..=1 and sum to 1.
    ///
    /// # Panics
    /// Unless there is one weight per attribute.
    pub fn probabilities(&self, weights: &[f64], index: usize) -> Option<Vec<f64>> {
        self.check(weights);
        let set = self.sets.get(index)?;
        Some(Kernel::new(self.sets.columns(), weights).probabilities(&set))
    }

    fn check(self, weights: &[f64]) {
        assert_eq!(
            weights.len(),
            self.sets.n_attributes(),
            "there must be one weight per attribute"
        );
    }

    fn evaluate(self, weights: &[f64], order: u8) -> Partial {
        self.check(weights);
        let n_chunks = self.sets.len().div_ceil(SETS_PER_CHUNK);
        let partials: Vec<Partial> = (0..n_chunks)
            .into_par_iter()
            .map_init(
                || Kernel::new(self.sets.columns(), weights),
                |kernel, chunk| {
                    let start = chunk * SETS_PER_CHUNK;
                    let end = (start + SETS_PER_CHUNK).min(self.sets.len());
                    match order {
                        kernel::VALUE => kernel.run::<{ kernel::VALUE }>(self.sets, start..end),
                        kernel::GRADIENT => {
                            kernel.run::<{ kernel::GRADIENT }>(self.sets, start..end)
                        }
                        _ => kernel.run::<{ kernel::HESSIAN }>(self.sets, start..end),
                    }
                },
            )
            .collect();
        let mut total = Partial::zero(weights.len());
        for partial in &partials {
            total.add(partial);
        }
        total
    }
}

/// Scales of weights of attributes with these largest differences within a set.
fn scales(spreads: impl Iterator<Item = f64>) -> Vec<f64> {
    let scale = |spread: f64| {
        if spread > 0.0 && spread.is_finite() {
            spread.recip()
        } else {
            1.0
        }
    };
    spreads.map(scale).collect()
}

impl Objective for ConditionalLogit<'_> {
    fn n_parameters(&self) -> usize {
        self.sets.n_attributes()
    }

    /// The weight that moves some alternative's utility by 1 against another of its set.
    fn scales(&self) -> Vec<f64> {
        scales(self.sets.columns().iter().map(Column::spread))
    }

    fn value(&self, point: &[f64]) -> f64 {
        self.log_likelihood(point)
    }
}

impl Differentiable for ConditionalLogit<'_> {
    fn first_order(&self, point: &[f64]) -> FirstOrder {
        let total = self.evaluate(point, kernel::GRADIENT);
        FirstOrder {
            value: total.value.value(),
            gradient: DVector::from_vec(total.gradient),
        }
    }
}

impl TwiceDifferentiable for ConditionalLogit<'_> {
    fn second_order(&self, point: &[f64]) -> SecondOrder {
        let total = self.evaluate(point, kernel::HESSIAN);
        let n = point.len();
        SecondOrder {
            value: total.value.value(),
            gradient: DVector::from_vec(total.gradient),
            hessian: DMatrix::from_fn(n, n, |row, col| {
                total.hessian[kernel::packed(row.max(col), row.min(col))]
            }),
        }
    }
}

#[cfg(test)]
mod tests;
