//! Fitting the soft-minimax model by maximum likelihood.
//!
//! # Two stages
//! A BFGS ascent takes about twenty passes over the data, most of them far from any maximum, where a
//! subsample would do. So a data set of at least [`STAGED_FROM`] choices is fitted in two stages:
//!
//! 1. All starts ascend, with a loose tolerance, on a subsample of a tenth of the groups, which gives
//!    its distinct maxima and their Hessians.
//! 2. From each of these maxima one ascent on all groups leads to a maximum of the full likelihood,
//!    which counts for every start of the first stage that led there. A start without a maximum in
//!    the subsample ascends on all groups from its first point.
//!
//! The subsample's Hessian, times ten, estimates the full one. As the first estimate of BFGS it makes
//! the steps of the second stage nearly Newton's: a handful suffice, to the tolerance of a fit in one
//! stage. (The outer product of gradients, as in Berndt, Hall, Hall and Hausman 1974, estimates the
//! Hessian well only if the model is true, and no model of a chess player is.)

use nalgebra::{DMatrix, DVector};

use super::likelihood::SoftMinimax;
use crate::logit::{Fit, FitError, NoMaximum, not_identified, separating};
use crate::optimize::{
    BfgsOptions, Curvature, DistinctOptimum, FirstOrder, LONG_STEP, MultiStart, Objective, Optimum,
    Probe, Start, StopReason, bfgs_from_all, scaled_step, scattered_starts,
};

/// Fitted weights of a soft-minimax model, and the end of every start.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "a fit may have ended without a maximum: look at `fit.stop`"]
pub struct SoftMinimaxFit {
    /// The highest maximum found, or the highest point if no start converged. Iterations and evaluations
    /// are totals over all starts; standard errors and covariance come from
    /// [`SoftMinimax::hessian`].
    pub fit: Fit,
    /// The end of every start. The likelihood is not concave and may have several maxima: see
    /// [`MultiStart::distinct`].
    pub starts: MultiStart,
}

/// Half-width of the box of random starts, in units of the scales, which is the order of magnitude of
/// fitted weights.
const REACH: f64 = 2.0;

/// Least number of choices for a fit in two stages. A tenth of them still determines four weights to
/// some ten percent.
pub const STAGED_FROM: u64 = 4000;

/// [`BfgsOptions::tolerance`] of the first stage: subsampling moves its maxima a thousand times as
/// far.
const ROUGH: f64 = 1e-5;

/// [`BfgsOptions::tolerance`] of an ascent that only provides the warm start of cross-validation
/// folds: leaving out a fold moves the maximum ten times as far.
const ROUGHEST: f64 = 1e-4;

/// Options with a looser tolerance.
fn roughly(options: &BfgsOptions, tolerance: f64) -> BfgsOptions {
    BfgsOptions {
        tolerance: options.tolerance.max(tolerance),
        ..options.clone()
    }
}

/// Distance, in units of the scales, below which two maxima of the first stage are the same.
const SAME: f64 = 1e-3;

/// Evaluates value and gradient of likelihoods at points.
type Evaluate<'e, 'a, E> =
    dyn FnMut(&[Probe<'_, SoftMinimax<'a>>]) -> Result<Vec<FirstOrder>, E> + 'e;

/// A likelihood to maximize, and its starts; zero if there are none.
#[derive(Debug, Clone)]
pub struct Task<'a> {
    /// The likelihood.
    pub likelihood: SoftMinimax<'a>,
    /// The starting points.
    pub starts: Vec<Vec<f64>>,
}

impl<'a> SoftMinimax<'a> {
    /// `n` starts for [`fit`](Self::fit): all weights zero (the uniform model), then uniform draws from
    /// a box around it.
    ///
    /// The half-width of the box is two standard deviations of leaf values for every attribute.
    /// Start `i` depends on the seed and `i` only.
    pub fn starts(&self, n: usize, seed: u64) -> Vec<Vec<f64>> {
        let reach: Vec<f64> = self.scales().iter().map(|scale| REACH * scale).collect();
        scattered_starts(&vec![0.0; reach.len()], &reach, n, seed)
    }

    /// Maximum likelihood estimates by BFGS from several starts; without starts, from zero.
    ///
    /// With at least [`STAGED_FROM`] choices the starts ascend on a tenth of the groups first, and only
    /// the distinct maxima found there go on to all groups.
    ///
    /// # Errors
    /// [`FitError`] without data or attributes, for an unusable start, or on overflow. A likelihood
    /// without a maximum is not an error but a [`StopReason`] of the fit.
    pub fn fit(
        &self,
        starts: &[Vec<f64>],
        options: &BfgsOptions,
    ) -> Result<SoftMinimaxFit, FitError> {
        self.fit_with(starts, options, |probes| Ok(Self::first_orders_of(probes)))
    }

    /// [`fit`](Self::fit) with the caller's evaluation of value and gradient:
    /// [`first_orders_of`](Self::first_orders_of), or its recorded answers.
    ///
    /// Replaying recorded answers resumes an interrupted fit: the same answers give the same steps.
    ///
    /// # Errors
    /// As [`fit`](Self::fit), and the first error of `evaluate`.
    pub fn fit_with<E: From<FitError>>(
        &self,
        starts: &[Vec<f64>],
        options: &BfgsOptions,
        mut evaluate: impl FnMut(&[Probe<'_, Self>]) -> Result<Vec<FirstOrder>, E>,
    ) -> Result<SoftMinimaxFit, E> {
        let task = Task {
            likelihood: self.clone(),
            starts: starts.to_vec(),
        };
        let starts = ascend_from(&[task], options, &mut evaluate)?.swap_remove(0);
        let (end, local) = classify_ends(&[(self, &starts)], &mut evaluate)?.swap_remove(0);
        let total = |of: fn(&Optimum) -> usize| starts.ends.iter().map(of).sum::<usize>();
        let end = Optimum {
            n_iterations: total(|end| end.n_iterations),
            n_evaluations: total(|end| end.n_evaluations) + 2 * self.n_parameters(),
            ..end
        };
        let stop = match end.stop {
            StopReason::Converged if local.is_ridge(&end.point, &self.scales()) => {
                StopReason::Separated
            }
            stop => stop,
        };
        let fit = Fit::at(end, stop, &local.curvature);
        Ok(SoftMinimaxFit { fit, starts })
    }

    /// The highest maxima of likelihoods of the same trees, one per task, without standard errors.
    ///
    /// All ascents run in lockstep and share the reading of trees. With many choices, identification
    /// of the weights is tested on a tenth of the groups, which halves the cost.
    ///
    /// The other arguments are those of [`fit_with`](Self::fit_with).
    ///
    /// # Errors
    /// As [`fit_with`](Self::fit_with).
    pub fn maxima_with<E: From<FitError>>(
        tasks: &[Task<'a>],
        options: &BfgsOptions,
        mut evaluate: impl FnMut(&[Probe<'_, Self>]) -> Result<Vec<FirstOrder>, E>,
    ) -> Result<Vec<Optimum>, E> {
        let starts = ascend_from(tasks, options, &mut evaluate)?;
        let parts = tasks.iter().map(|task| task.likelihood.sample_if_large());
        let parts: Vec<Self> = parts.collect();
        let found: Vec<(&Self, &MultiStart)> = parts.iter().zip(&starts).collect();
        let there = classify_ends(&found, &mut evaluate)?;
        Ok(there.into_iter().map(|(end, _)| end).collect())
    }

    /// The maxima of `parts` of this likelihood, such as the training sets of a cross-validation, by
    /// warm starts from its own maximum; without standard errors.
    ///
    /// Its own maximum is found from `starts` to a loose tolerance, and with the Hessian there a few
    /// steps lead to the maxima of the parts. Identification of the weights in a part is not tested.
    /// The other arguments are those of [`fit_with`](Self::fit_with).
    ///
    /// # Errors
    /// As [`fit_with`](Self::fit_with).
    pub fn maxima_of_parts<E: From<FitError>>(
        &self,
        parts: &[Self],
        starts: &[Vec<f64>],
        options: &BfgsOptions,
        mut evaluate: impl FnMut(&[Probe<'_, Self>]) -> Result<Vec<FirstOrder>, E>,
    ) -> Result<Vec<Optimum>, E> {
        let task = Task {
            likelihood: self.clone(),
            starts: starts.to_vec(),
        };
        let found = ascend_from(&[task], &roughly(options, ROUGHEST), &mut evaluate)?;
        let sample = self.sample_if_large();
        let there = classify_ends(&[(&sample, &found[0])], &mut evaluate)?;
        let (end, local) = &there[0];
        let covariance = local.curvature.covariance();
        let starts = parts.iter().map(|part| {
            let start = part.start_from(end.point.clone(), covariance.as_ref(), &sample);
            (part, start)
        });
        let starts: Vec<(&Self, Start)> = starts.collect();
        bfgs_from_all(&starts, options, &mut evaluate)
    }

    /// Why a fit that ended at `weights` found no maximum; `None` if it did.
    ///
    /// Names constant and collinear attributes by the directions in which the likelihood is flat, and
    /// separating ones by leaving out all that separation does not need: up to one fit per attribute.
    ///
    /// # Panics
    /// Unless there is one weight per attribute.
    pub fn no_maximum(&self, weights: &[f64], stop: StopReason) -> Option<NoMaximum> {
        let flaws = match stop {
            StopReason::Converged => return None,
            StopReason::NotIdentified => not_identified(&self.hessian(weights)),
            StopReason::Separated => separating(weights, &self.scales(), |attributes| {
                let rest = self.restricted_to(attributes);
                let fit = rest.fit(&[], &BfgsOptions::default());
                fit.is_ok_and(|fit| fit.fit.stop == StopReason::Separated)
            }),
            StopReason::OutOfBudget | StopReason::NoProgress => Vec::new(),
        };
        Some(NoMaximum { stop, flaws })
    }

    /// The likelihood for approximate curvature: a tenth of the groups if there are many choices.
    fn sample_if_large(&self) -> Self {
        match self.n_choices() {
            ..STAGED_FROM => self.clone(),
            _ => self.sample(),
        }
    }

    /// A warm start at a maximum of another likelihood of these trees, with about the same curvature
    /// per choice.
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
}

/// Ascents from the starts of all tasks, in one stage or two.
fn ascend_from<'a, E: From<FitError>>(
    tasks: &[Task<'a>],
    options: &BfgsOptions,
    evaluate: &mut Evaluate<'_, 'a, E>,
) -> Result<Vec<MultiStart>, E> {
    let mut tasks = tasks.to_vec();
    for Task { likelihood, starts } in &mut tasks {
        if starts.is_empty() {
            starts.push(vec![0.0; likelihood.n_parameters()]);
        }
        FitError::check(
            starts.iter().map(Vec::as_slice),
            likelihood.n_parameters(),
            likelihood.n_choices() == 0,
        )?;
    }
    let is_large = |task: &Task<'_>| task.likelihood.n_choices() >= STAGED_FROM;
    if tasks.iter().all(is_large) {
        ascend_in_stages(&tasks, options, evaluate)
    } else {
        let starts = tasks.iter().map(|Task { likelihood, starts }| {
            let starts = starts.iter().cloned().map(Start::from);
            (likelihood, starts.collect())
        });
        ascend(starts, options, evaluate)
    }
}

/// Ascents from every start of every likelihood.
fn ascend<'p, 'a: 'p, E>(
    starts: impl IntoIterator<Item = (&'p SoftMinimax<'a>, Vec<Start>)>,
    options: &BfgsOptions,
    evaluate: &mut Evaluate<'_, 'a, E>,
) -> Result<Vec<MultiStart>, E> {
    let mut numbers = Vec::new();
    let mut all = Vec::new();
    for (likelihood, starts) in starts {
        numbers.push(starts.len());
        all.extend(starts.into_iter().map(|start| (likelihood, start)));
    }
    let mut ends = bfgs_from_all(&all, options, evaluate)?.into_iter();
    let of_one = |number: usize| MultiStart {
        ends: ends.by_ref().take(number).collect(),
    };
    Ok(numbers.into_iter().map(of_one).collect())
}

/// Ascents from every start in two stages: see the module.
///
/// Steps and evaluations count in both stages; those of a second-stage ascent count for the first of
/// the starts that share it.
pub(super) fn ascend_in_stages<'a, E>(
    tasks: &[Task<'a>],
    options: &BfgsOptions,
    evaluate: &mut Evaluate<'_, 'a, E>,
) -> Result<Vec<MultiStart>, E> {
    let samples = tasks.iter().map(|task| task.likelihood.sample());
    let samples: Vec<SoftMinimax<'_>> = samples.collect();
    let starts = tasks.iter().zip(&samples).map(|(task, sample)| {
        let starts = task.starts.iter().cloned().map(Start::from);
        (sample, starts.collect())
    });
    let mut found = ascend(starts, &roughly(options, ROUGH), evaluate)?;

    let maxima: Vec<Vec<DistinctOptimum>> = (found.iter().zip(&samples))
        .map(|(found, sample)| found.distinct(&sample.scales(), SAME))
        .collect();
    let points = samples.iter().zip(&maxima).flat_map(|(sample, maxima)| {
        let maxima = maxima.iter();
        maxima.map(move |maximum| (sample, maximum.optimum.point.as_slice()))
    });
    let mut local_derivatives = local_derivatives(points, evaluate)?.into_iter();

    // The starts of the second stage, each with the first-stage starts that led to it.
    let mut second: Vec<Vec<Start>> = Vec::new();
    let mut origins: Vec<Vec<usize>> = Vec::new();
    for (((task, sample), maxima), found) in tasks.iter().zip(&samples).zip(maxima).zip(&found) {
        let mut starts = Vec::new();
        for (maximum, local) in maxima.into_iter().zip(local_derivatives.by_ref()) {
            let (point, covariance) = (maximum.optimum.point, local.curvature.covariance());
            starts.push((task.likelihood).start_from(point, covariance.as_ref(), sample));
            origins.push(maximum.starts);
        }
        for (number, (start, end)) in task.starts.iter().zip(&found.ends).enumerate() {
            if !end.stop.converged() {
                starts.push(start.clone().into());
                origins.push(vec![number]);
            }
        }
        second.push(starts);
    }
    let starts = tasks.iter().map(|task| &task.likelihood).zip(second);
    let tops = ascend(starts, options, evaluate)?;
    let mut origins = origins.into_iter();
    for (found, tops) in found.iter_mut().zip(tops) {
        for (mut top, origins) in tops.ends.into_iter().zip(origins.by_ref()) {
            for number in origins {
                let first = &mut found.ends[number];
                first.n_iterations += std::mem::take(&mut top.n_iterations);
                first.n_evaluations += std::mem::take(&mut top.n_evaluations);
                *first = Optimum {
                    n_iterations: first.n_iterations,
                    n_evaluations: first.n_evaluations,
                    ..top.clone()
                };
            }
        }
    }
    Ok(found)
}

/// Gradient and Hessian of a likelihood at a point.
struct LocalDerivatives {
    gradient: DVector<f64>,
    curvature: Curvature,
}

impl LocalDerivatives {
    /// Whether the likelihood rises toward infinity along a ridge: the slope may be small, but so is
    /// the curvature, and the Newton step stays long.
    fn is_ridge(&self, point: &[f64], scales: &[f64]) -> bool {
        let step = self.curvature.step(&self.gradient);
        scaled_step(step.as_slice(), point, scales) > LONG_STEP
    }
}

/// Gradients and Hessians of likelihoods at points; each costs two gradients per weight.
fn local_derivatives<'p, 'a: 'p, E>(
    points: impl IntoIterator<Item = (&'p SoftMinimax<'a>, &'p [f64])>,
    evaluate: &mut Evaluate<'_, 'a, E>,
) -> Result<Vec<LocalDerivatives>, E> {
    let mut stencils = Vec::new();
    let mut probes = Vec::new();
    for (likelihood, point) in points {
        let stencil = likelihood.stencil(point);
        probes.extend(likelihood.probes(stencil.clone()));
        stencils.push(stencil);
    }
    if probes.is_empty() {
        return Ok(Vec::new());
    }
    let there = evaluate(&probes)?;
    let mut there = there.as_slice();
    let of_one = |stencil: Vec<Vec<f64>>| {
        let (own, others) = there.split_at(stencil.len());
        there = others;
        LocalDerivatives {
            gradient: own
                .iter()
                .map(|there| &there.gradient)
                .sum::<DVector<f64>>()
                / own.len() as f64,
            curvature: Curvature::new(&SoftMinimax::hessian_from(&stencil, own)),
        }
    };
    Ok(stencils.into_iter().map(of_one).collect())
}

/// Classifies the best of each likelihood's ends, maximum or not, by the derivatives of the given
/// likelihoods, which may be subsamples of those maximized.
fn classify_ends<'p, 'a: 'p, E>(
    found: &[(&'p SoftMinimax<'a>, &'p MultiStart)],
    evaluate: &mut Evaluate<'_, 'a, E>,
) -> Result<Vec<(Optimum, LocalDerivatives)>, E> {
    let end = |starts: &'p MultiStart| {
        let highest = || {
            let ends = starts.ends.iter();
            ends.max_by(|left, right| left.value.total_cmp(&right.value))
        };
        starts
            .best()
            .or_else(highest)
            .expect("there is at least one start")
    };
    let points =
        (found.iter()).map(|&(likelihood, starts)| (likelihood, end(starts).point.as_slice()));
    let local_derivatives = local_derivatives(points, evaluate)?;
    let judge = |(&(_, starts), local): (&(_, &'p MultiStart), LocalDerivatives)| {
        let end = end(starts);
        let stop = match end.stop {
            StopReason::Converged if local.curvature.is_flat() => StopReason::NotIdentified,
            StopReason::Converged if !local.curvature.is_concave() => StopReason::NoProgress,
            stop => stop,
        };
        let end = Optimum {
            stop,
            ..end.clone()
        };
        (end, local)
    };
    Ok(found.iter().zip(local_derivatives).map(judge).collect())
}
