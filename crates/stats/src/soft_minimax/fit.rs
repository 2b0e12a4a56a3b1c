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

use nalgebra::{DMatrix, DVector};

use super::likelihood::SoftMinimax;
use crate::logit::{Fit, FitError};
use crate::optimize::{
    BfgsOptions, Curvature, DistinctOptimum, FirstOrder, LONG_STEP, MultiStart, Objective, Optimum,
    Probe, Start, StopReason, bfgs_from_all, scaled_step, scattered_starts,
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
const ROUGH: f64 = 1e-5;

/// Tolerance of a climb that only leads to where those to parts begin: leaving out a fold moves a
/// maximum ten times as far.
const ROUGHEST: f64 = 1e-4;

/// Options of a climb that only leads near a maximum.
fn roughly(options: &BfgsOptions, tolerance: f64) -> BfgsOptions {
    BfgsOptions {
        tolerance: options.tolerance.max(tolerance),
        ..options.clone()
    }
}

/// Maxima of the first stage closer than this, in units of the scales, are one.
const SAME: f64 = 1e-3;

/// Tells value and gradient of likelihoods at some points.
type Evaluate<'e, 'a, E> =
    dyn FnMut(&[Probe<'_, SoftMinimax<'a>>]) -> Result<Vec<FirstOrder>, E> + 'e;

/// A likelihood to be maximized, and where to start from: from zero, where there are no starts.
#[derive(Debug, Clone)]
pub struct Task<'a> {
    /// The likelihood.
    pub likelihood: SoftMinimax<'a>,
    /// Points.
    pub starts: Vec<Vec<f64>>,
}

impl<'a> SoftMinimax<'a> {
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
        self.fit_with(starts, options, |probes| Ok(Self::first_orders_of(probes)))
    }

    /// [`fit`](Self::fit), with value and gradient as `evaluate` tells them for this likelihood or
    /// that of some of its groups: [`first_orders_of`](Self::first_orders_of), or what it told on an
    /// earlier occasion.
    ///
    /// So a long fit can be interrupted, and taken up again where it was: see [`bfgs_from_all`].
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
        let starts = climb_from(&[task], options, &mut evaluate)?.swap_remove(0);
        let (end, around) = look_around(&[(self, &starts)], &mut evaluate)?.swap_remove(0);
        let total = |of: fn(&Optimum) -> usize| starts.ends.iter().map(of).sum::<usize>();
        let end = Optimum {
            iterations: total(|end| end.iterations),
            evaluations: total(|end| end.evaluations) + 2 * self.n_parameters(),
            ..end
        };
        let stop = match end.stop {
            StopReason::Converged if around.is_ridge(&end.point, &self.scales()) => {
                StopReason::Separated
            }
            stop => stop,
        };
        let fit = Fit::at(end, stop, &around.curvature);
        Ok(SoftMinimaxFit { fit, starts })
    }

    /// The best maxima of likelihoods of the same trees, one per task, without standard errors.
    ///
    /// All are looked for at once, which costs less than one after another: reading a tree is
    /// shared. With many choices, whether a maximum determines all weights is asked of a tenth of
    /// the groups, which saves as much as finding it costs.
    ///
    /// Arguments and errors are those of [`fit_with`](Self::fit_with).
    ///
    /// # Errors
    /// As [`fit_with`](Self::fit_with).
    pub fn maxima_with<E: From<FitError>>(
        tasks: &[Task<'a>],
        options: &BfgsOptions,
        mut evaluate: impl FnMut(&[Probe<'_, Self>]) -> Result<Vec<FirstOrder>, E>,
    ) -> Result<Vec<Optimum>, E> {
        let starts = climb_from(tasks, options, &mut evaluate)?;
        let parts = tasks.iter().map(|task| task.likelihood.sample_if_large());
        let parts: Vec<Self> = parts.collect();
        let found: Vec<(&Self, &MultiStart)> = parts.iter().zip(&starts).collect();
        let there = look_around(&found, &mut evaluate)?;
        Ok(there.into_iter().map(|(end, _)| end).collect())
    }

    /// The maxima of `parts` of this likelihood that are next to its own, without standard errors;
    /// each part is as large as where one fold of a cross-validation is left out.
    ///
    /// Its own maximum is climbed to roughly, from `starts`, and with the curvature there a few steps
    /// lead to those of the parts. Whether a part determines all weights is not looked at. The other
    /// arguments are those of [`fit_with`](Self::fit_with).
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
        let found = climb_from(&[task], &roughly(options, ROUGHEST), &mut evaluate)?;
        let sample = self.sample_if_large();
        let there = look_around(&[(&sample, &found[0])], &mut evaluate)?;
        let (end, around) = &there[0];
        let covariance = around.curvature.covariance();
        let starts = parts.iter().map(|part| {
            let start = part.start_from(end.point.clone(), covariance.as_ref(), &sample);
            (part, start)
        });
        let starts: Vec<(&Self, Start)> = starts.collect();
        bfgs_from_all(&starts, options, &mut evaluate)
    }

    /// What the curvature is asked of where it may be rough: a tenth of the groups of many choices.
    fn sample_if_large(&self) -> Self {
        match self.n_choices() {
            ..STAGED_FROM => self.clone(),
            _ => self.sample(),
        }
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
}

/// Climbs from the starts of all tasks, in one stage or two.
fn climb_from<'a, E: From<FitError>>(
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
        climb_in_stages(&tasks, options, evaluate)
    } else {
        let starts = tasks.iter().map(|Task { likelihood, starts }| {
            let starts = starts.iter().cloned().map(Start::from);
            (likelihood, starts.collect())
        });
        climb(starts, options, evaluate)
    }
}

/// Climbs from every start of every likelihood.
fn climb<'p, 'a: 'p, E>(
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

/// Climbs from every start, first on a sample of the groups: see the module.
///
/// Steps and evaluations are counted in both stages, those of the second at the first of the
/// starts that they are common to.
pub(super) fn climb_in_stages<'a, E>(
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
    let mut found = climb(starts, &roughly(options, ROUGH), evaluate)?;

    let maxima: Vec<Vec<DistinctOptimum>> = (found.iter().zip(&samples))
        .map(|(found, sample)| found.distinct(&sample.scales(), SAME))
        .collect();
    let points = samples.iter().zip(&maxima).flat_map(|(sample, maxima)| {
        let maxima = maxima.iter();
        maxima.map(move |maximum| (sample, maximum.optimum.point.as_slice()))
    });
    let mut surroundings = surroundings(points, evaluate)?.into_iter();

    // The starts of the second stage, and of which in the first they are the common end.
    let mut second: Vec<Vec<Start>> = Vec::new();
    let mut origins: Vec<Vec<usize>> = Vec::new();
    for (((task, sample), maxima), found) in tasks.iter().zip(&samples).zip(maxima).zip(&found) {
        let mut starts = Vec::new();
        for (maximum, around) in maxima.into_iter().zip(surroundings.by_ref()) {
            let (point, covariance) = (maximum.optimum.point, around.curvature.covariance());
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
    let tops = climb(starts, options, evaluate)?;
    let mut origins = origins.into_iter();
    for (found, tops) in found.iter_mut().zip(tops) {
        for (mut top, origins) in tops.ends.into_iter().zip(origins.by_ref()) {
            for number in origins {
                let first = &mut found.ends[number];
                first.iterations += std::mem::take(&mut top.iterations);
                first.evaluations += std::mem::take(&mut top.evaluations);
                *first = Optimum {
                    iterations: first.iterations,
                    evaluations: first.evaluations,
                    ..top.clone()
                };
            }
        }
    }
    Ok(found)
}

/// Derivatives of a likelihood at a point.
struct Around {
    gradient: DVector<f64>,
    curvature: Curvature,
}

impl Around {
    /// Whether the surface rises on and on from the point: the slope may be small, but then the
    /// curvature is so as well, and the way to where it says that the top is stays long.
    fn is_ridge(&self, point: &[f64], scales: &[f64]) -> bool {
        let step = self.curvature.step(&self.gradient);
        scaled_step(step.as_slice(), point, scales) > LONG_STEP
    }
}

/// The derivatives of likelihoods at points; each costs two gradients per weight.
fn surroundings<'p, 'a: 'p, E>(
    points: impl IntoIterator<Item = (&'p SoftMinimax<'a>, &'p [f64])>,
    evaluate: &mut Evaluate<'_, 'a, E>,
) -> Result<Vec<Around>, E> {
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
        Around {
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

/// Is the best of some ends a maximum, and how sharp, as these likelihoods show, which may be of a
/// part of what was climbed on?
fn look_around<'p, 'a: 'p, E>(
    found: &[(&'p SoftMinimax<'a>, &'p MultiStart)],
    evaluate: &mut Evaluate<'_, 'a, E>,
) -> Result<Vec<(Optimum, Around)>, E> {
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
    let surroundings = surroundings(points, evaluate)?;
    let judge = |(&(_, starts), around): (&(_, &'p MultiStart), Around)| {
        let end = end(starts);
        let stop = match end.stop {
            StopReason::Converged if around.curvature.is_flat() => StopReason::NotIdentified,
            StopReason::Converged if !around.curvature.is_concave() => StopReason::NoProgress,
            stop => stop,
        };
        let end = Optimum {
            stop,
            ..end.clone()
        };
        (end, around)
    };
    Ok(found.iter().zip(surroundings).map(judge).collect())
}
