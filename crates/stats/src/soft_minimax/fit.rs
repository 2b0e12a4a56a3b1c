//! Fitting the soft-minimax model by maximum likelihood.

use super::likelihood::SoftMinimax;
use crate::logit::{Fit, FitError};
use crate::optimize::{
    BfgsOptions, Curvature, Differentiable, FirstOrder, MultiStart, Objective, Optimum, StopReason,
    bfgs_from_all, scattered_starts,
};

/// Weights of a soft-minimax model, and what every start led to.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "a fit may have ended without a maximum: look at `fit.stop`"]
pub struct SoftMinimaxFit {
    /// The best maximum found; if no start found one, the highest point seen. Iterations and
    /// evaluations are those of all starts together; standard errors and covariance come from
    /// [`SoftMinimax::hessian`].
    pub fit: Fit,
    /// Where every start ended. The surface is not concave, so there may be several maxima: see
    /// [`MultiStart::distinct`].
    pub starts: MultiStart,
}

/// Starts lie this far from zero, in units of the scales. Fitted weights are of the order of the
/// scales: a chooser who heeds an attribute heeds its usual differences.
const REACH: f64 = 2.0;

impl SoftMinimax<'_> {
    /// `n` starts for [`fit`](Self::fit): all weights zero (the uniform model), then points drawn
    /// evenly around it.
    ///
    /// The box reaches as far as two standard deviations of leaf values for every attribute.
    /// Start `i` depends on the seed and `i` only.
    pub fn starts(&self, n: usize, seed: u64) -> Vec<Vec<f64>> {
        let reach: Vec<f64> = self.scales().iter().map(|scale| REACH * scale).collect();
        scattered_starts(&vec![0.0; reach.len()], &reach, n, seed)
    }

    /// Maximum likelihood by the BFGS method from several starts; without starts, from zero.
    ///
    /// # Errors
    /// [`FitError`] if there is nothing to fit or a start is unusable. That the likelihood has no
    /// maximum is not an error but a [`StopReason`] of the fit.
    pub fn fit(
        &self,
        starts: &[Vec<f64>],
        options: &BfgsOptions,
    ) -> Result<SoftMinimaxFit, FitError> {
        self.fit_with(starts, options, |points| Ok(self.first_orders(points)))
    }

    /// [`fit`](Self::fit), with value and gradient as `evaluate` tells them:
    /// [`first_orders`](Differentiable::first_orders), or what it told on an earlier occasion.
    ///
    /// So a long fit can be interrupted, and taken up again where it was: see [`bfgs_from_all`].
    ///
    /// # Errors
    /// As [`fit`](Self::fit), and the first error of `evaluate`.
    pub fn fit_with<E: From<FitError>>(
        &self,
        starts: &[Vec<f64>],
        options: &BfgsOptions,
        mut evaluate: impl FnMut(&[Vec<f64>]) -> Result<Vec<FirstOrder>, E>,
    ) -> Result<SoftMinimaxFit, E> {
        let starts = if starts.is_empty() {
            vec![vec![0.0; self.n_parameters()]]
        } else {
            starts.to_vec()
        };
        FitError::check(
            starts.iter().map(Vec::as_slice),
            self.n_parameters(),
            self.n_choices() == 0,
        )?;
        let ends = bfgs_from_all(self, &starts, options, &mut evaluate)?;
        self.look_around(ends, &mut evaluate)
    }

    /// Is the best end a maximum, and how sharp?
    fn look_around<E>(
        &self,
        starts: MultiStart,
        evaluate: &mut impl FnMut(&[Vec<f64>]) -> Result<Vec<FirstOrder>, E>,
    ) -> Result<SoftMinimaxFit, E> {
        let highest = || {
            let ends = starts.ends.iter();
            ends.max_by(|left, right| left.value.total_cmp(&right.value))
        };
        let end = starts
            .best()
            .or_else(highest)
            .expect("there is at least one start");
        let stencil = self.stencil(&end.point);
        let curvature = Curvature::new(&Self::hessian_from(&stencil, &evaluate(&stencil)?));
        let stop = match end.stop {
            StopReason::Converged if curvature.is_flat() => StopReason::NotIdentified,
            StopReason::Converged if !curvature.is_concave() => StopReason::NoProgress,
            stop => stop,
        };
        let total = |of: fn(&Optimum) -> usize| starts.ends.iter().map(of).sum::<usize>();
        let end = Optimum {
            iterations: total(|end| end.iterations),
            evaluations: total(|end| end.evaluations) + stencil.len(),
            ..end.clone()
        };
        let fit = Fit::at(end, stop, &curvature);
        Ok(SoftMinimaxFit { fit, starts })
    }
}
