//! Fitting the soft-minimax model by maximum likelihood.
//!
//! # In two stages
//! A climb takes about twenty passes over the data, most of them far from any maximum, where a
//! part of the data would show the way as well. So in a data set of at least [`STAGED_FROM`]
//! choices
//!
//! 1. all starts climb on a tenth of the groups, roughly, and the different maxima found there and
//!    their curvatures are noted;
//! 2. from each of these maxima one climb on all groups leads to a maximum of the whole, which
//!    counts for every start that led there. A start that found no maximum of the tenth climbs on
//!    all groups from where it started.
//!
//! The tenth's curvature, times ten, is that of the whole but for sampling. As the first estimate
//! of the quasi-Newton method it makes the steps of the second stage nearly Newton's: a handful
//! lead to the same maximum as before, for the second stage is as exact as a climb in one stage.
//! (The outer products of the gradients, as Berndt, Hall, Hall and Hausman 1974 use them, estimate
//! the curvature well only if the model is true, which no model of a chess player is.)

use nalgebra::DMatrix;

use super::likelihood::SoftMinimax;
use crate::logit::{Fit, FitError};
use crate::optimize::{
    BfgsOptions, Curvature, Differentiable, FirstOrder, MultiStart, Objective, Optimum, Start,
    StopReason, bfgs_from_all, scattered_starts,
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

/// Choices from which on a fit goes in two stages. A tenth of them still tells four weights to some
/// ten percent.
pub const STAGED_FROM: u64 = 4000;

/// Tolerance of the first stage, in terms of [`BfgsOptions::tolerance`]: sampling moves its maxima
/// a thousand times as far.
const ROUGH: f64 = 1e-6;

/// Maxima of the first stage closer than this, in units of the scales, are one.
const SAME: f64 = 1e-3;

/// Tells value and gradient of a likelihood at some points.
type Evaluate<'e, L, E> = dyn FnMut(&L, &[Vec<f64>]) -> Result<Vec<FirstOrder>, E> + 'e;

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
    /// With many choices the starts climb on a tenth of the groups first, and only the different
    /// maxima found there are carried on to all groups.
    ///
    /// # Errors
    /// [`FitError`] if there is nothing to fit or a start is unusable. That the likelihood has no
    /// maximum is not an error but a [`StopReason`] of the fit.
    pub fn fit(
        &self,
        starts: &[Vec<f64>],
        options: &BfgsOptions,
    ) -> Result<SoftMinimaxFit, FitError> {
        self.fit_with(
            starts,
            options,
            |part, points| Ok(part.first_orders(points)),
        )
    }

    /// [`fit`](Self::fit), with value and gradient as `evaluate` tells them for this likelihood or
    /// that of some of its groups: [`first_orders`](Differentiable::first_orders), or what it told
    /// on an earlier occasion.
    ///
    /// So a long fit can be interrupted, and taken up again where it was: see [`bfgs_from_all`].
    ///
    /// # Errors
    /// As [`fit`](Self::fit), and the first error of `evaluate`.
    pub fn fit_with<E: From<FitError>>(
        &self,
        starts: &[Vec<f64>],
        options: &BfgsOptions,
        mut evaluate: impl FnMut(&Self, &[Vec<f64>]) -> Result<Vec<FirstOrder>, E>,
    ) -> Result<SoftMinimaxFit, E> {
        let starts = self.climb_from(starts, options, &mut evaluate)?;
        let (end, curvature) = self.look_around(&starts, &mut evaluate)?;
        let total = |of: fn(&Optimum) -> usize| starts.ends.iter().map(of).sum::<usize>();
        let end = Optimum {
            iterations: total(|end| end.iterations),
            evaluations: total(|end| end.evaluations) + 2 * self.n_parameters(),
            ..end
        };
        let stop = end.stop;
        let fit = Fit::at(end, stop, &curvature);
        Ok(SoftMinimaxFit { fit, starts })
    }

    /// The best maximum alone, without standard errors: with many choices, whether it determines all
    /// weights is asked of a tenth of the groups, which saves as much as finding it costs.
    ///
    /// Arguments and errors are those of [`fit_with`](Self::fit_with).
    ///
    /// # Errors
    /// As [`fit_with`](Self::fit_with).
    pub fn maximum_with<E: From<FitError>>(
        &self,
        starts: &[Vec<f64>],
        options: &BfgsOptions,
        mut evaluate: impl FnMut(&Self, &[Vec<f64>]) -> Result<Vec<FirstOrder>, E>,
    ) -> Result<Optimum, E> {
        let starts = self.climb_from(starts, options, &mut evaluate)?;
        let (end, _) = if self.n_choices() < STAGED_FROM {
            self.look_around(&starts, &mut evaluate)?
        } else {
            self.sample().look_around(&starts, &mut evaluate)?
        };
        Ok(end)
    }

    /// Climbs from every start, or from zero, in one stage or two.
    fn climb_from<E: From<FitError>>(
        &self,
        starts: &[Vec<f64>],
        options: &BfgsOptions,
        evaluate: &mut Evaluate<'_, Self, E>,
    ) -> Result<MultiStart, E> {
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
        if self.n_choices() < STAGED_FROM {
            self.climb(starts, options, evaluate)
        } else {
            self.climb_in_stages(&starts, options, evaluate)
        }
    }

    /// The maximum next to that of `fit`, the fit to `whole`, of which this likelihood is a large
    /// part, as it is where one fold of a cross-validation is left out.
    ///
    /// The curvature at the fit is nearly that of the part, so a few steps lead there; whether the
    /// part determines all weights as the whole does is not looked at again. Where the fit found no
    /// maximum, it is a climb from its last point. `evaluate` is that of
    /// [`fit_with`](Self::fit_with).
    ///
    /// # Errors
    /// As [`fit_with`](Self::fit_with).
    pub fn refit_with<E: From<FitError>>(
        &self,
        fit: &Fit,
        whole: &Self,
        options: &BfgsOptions,
        mut evaluate: impl FnMut(&Self, &[Vec<f64>]) -> Result<Vec<FirstOrder>, E>,
    ) -> Result<Optimum, E> {
        FitError::check(
            [fit.weights.as_slice()],
            self.n_parameters(),
            self.n_choices() == 0,
        )?;
        let start = self.start_from(fit.weights.clone(), fit.covariance.as_ref(), whole);
        let mut ends = self.climb([start], options, &mut evaluate)?.ends;
        Ok(ends.swap_remove(0))
    }

    /// A start at a maximum of another likelihood of these trees, where the curvature per choice
    /// is about the same.
    fn start_from(
        &self,
        point: Vec<f64>,
        covariance: Option<&DMatrix<f64>>,
        other: &Self,
    ) -> Start {
        let ratio = other.n_choices() as f64 / self.n_choices() as f64;
        Start {
            point,
            covariance: covariance.map(|covariance| covariance * ratio),
        }
    }

    /// Climbs from every start.
    fn climb<E>(
        &self,
        starts: impl IntoIterator<Item: Into<Start>>,
        options: &BfgsOptions,
        evaluate: &mut Evaluate<'_, Self, E>,
    ) -> Result<MultiStart, E> {
        let starts: Vec<Start> = starts.into_iter().map(Into::into).collect();
        bfgs_from_all(self, &starts, options, |points| evaluate(self, points))
    }

    /// Climbs from every start, first on a sample of the groups: see the module.
    ///
    /// Steps and evaluations are counted in both stages, those of the second at the first of the
    /// starts that they are common to.
    pub(super) fn climb_in_stages<E>(
        &self,
        starts: &[Vec<f64>],
        options: &BfgsOptions,
        evaluate: &mut Evaluate<'_, Self, E>,
    ) -> Result<MultiStart, E> {
        let rough = BfgsOptions {
            tolerance: options.tolerance.max(ROUGH),
            ..options.clone()
        };
        let sample = self.sample();
        let mut ends = sample.climb(starts.to_vec(), &rough, evaluate)?.ends;

        let maxima = MultiStart { ends: ends.clone() }.distinct(&self.scales(), SAME);
        let mut climbs: Vec<(Start, Vec<usize>)> = Vec::new();
        for maximum in maxima {
            let point = maximum.optimum.point;
            let covariance = sample.curvature(&point, evaluate)?.covariance();
            let start = self.start_from(point, covariance.as_ref(), &sample);
            climbs.push((start, maximum.starts));
        }
        for (number, (start, end)) in starts.iter().zip(&ends).enumerate() {
            if !end.stop.converged() {
                climbs.push((start.clone().into(), vec![number]));
            }
        }

        let (second, numbers): (Vec<Start>, Vec<Vec<usize>>) = climbs.into_iter().unzip();
        let tops = self.climb(second, options, evaluate)?.ends;
        for (mut top, numbers) in tops.into_iter().zip(numbers) {
            for number in numbers {
                let first = &mut ends[number];
                first.iterations += std::mem::take(&mut top.iterations);
                first.evaluations += std::mem::take(&mut top.evaluations);
                *first = Optimum {
                    iterations: first.iterations,
                    evaluations: first.evaluations,
                    ..top.clone()
                };
            }
        }
        Ok(MultiStart { ends })
    }

    /// The curvature at a point; costs two gradients per weight.
    fn curvature<E>(
        &self,
        point: &[f64],
        evaluate: &mut Evaluate<'_, Self, E>,
    ) -> Result<Curvature, E> {
        let stencil = self.stencil(point);
        let there = evaluate(self, &stencil)?;
        Ok(Curvature::new(&Self::hessian_from(&stencil, &there)))
    }

    /// Is the best of some ends a maximum, and how sharp, as these data show, all or a part?
    fn look_around<E>(
        &self,
        starts: &MultiStart,
        evaluate: &mut Evaluate<'_, Self, E>,
    ) -> Result<(Optimum, Curvature), E> {
        let highest = || {
            let ends = starts.ends.iter();
            ends.max_by(|left, right| left.value.total_cmp(&right.value))
        };
        let end = starts
            .best()
            .or_else(highest)
            .expect("there is at least one start");
        let curvature = self.curvature(&end.point, evaluate)?;
        let stop = match end.stop {
            StopReason::Converged if curvature.is_flat() => StopReason::NotIdentified,
            StopReason::Converged if !curvature.is_concave() => StopReason::NoProgress,
            stop => stop,
        };
        let end = Optimum {
            stop,
            ..end.clone()
        };
        Ok((end, curvature))
    }
}
