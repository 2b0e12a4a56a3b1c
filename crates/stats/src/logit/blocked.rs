//! The conditional logit model on choice sets that need not fit into memory.

use std::collections::BTreeMap;
use std::io::{self, Read, Seek};
use std::sync::Mutex;

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::kernel::{self, Partial};
use super::{ConditionalLogit, Fit, FitError, NoMaximum, fit};
use crate::choice::{ChoiceBlocks, ChoiceSets, Sample};
use crate::optimize::{
    Differentiable, FirstOrder, NewtonOptions, Objective, SecondOrder, StopReason,
    TwiceDifferentiable,
};
use crate::sum::CompensatedSum;

/// Blocks that are computed together, in parallel; results do not depend on it.
const BLOCKS_AT_ONCE: usize = 16;

/// The conditional logit likelihood of [`ChoiceBlocks`]: bit for bit that of [`ConditionalLogit`].
#[derive(Debug)]
pub struct BlockedLogit<'a, F> {
    blocks: &'a ChoiceBlocks<F>,
    sample: Sample,
    /// Why a pass failed, after which values are not numbers.
    failure: Mutex<Option<io::Error>>,
}

impl<'a, F: Read + Seek + Send> BlockedLogit<'a, F> {
    /// The model on all decisions, with one weight per attribute.
    pub fn new(blocks: &'a ChoiceBlocks<F>) -> Self {
        Self::with(blocks, Sample::default())
    }

    fn with(blocks: &'a ChoiceBlocks<F>, sample: Sample) -> Self {
        Self {
            blocks,
            sample,
            failure: Mutex::new(None),
        }
    }

    /// The same on the decisions of groups, see [`ChoiceSets::by_groups`].
    #[must_use]
    pub fn by_groups(&self, groups: &[u32]) -> Self {
        let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
        for &group in groups {
            *counts.entry(group).or_default() += 1;
        }
        let sample = Sample {
            counts: Some(counts),
            attributes: self.sample.attributes.clone(),
        };
        Self::with(self.blocks, sample)
    }

    /// Number of observed choices.
    ///
    /// # Errors
    /// Of reading.
    pub fn n_choices(&self) -> io::Result<u64> {
        let mut n_choices = 0;
        self.blocks
            .visit_sample(&self.sample, |sets| n_choices += sets.n_choices())?;
        Ok(n_choices)
    }

    /// See [`ConditionalLogit::uniform_bits`].
    ///
    /// # Errors
    /// Of reading.
    pub fn uniform_bits(&self) -> io::Result<f64> {
        let mut sum = CompensatedSum::default();
        self.blocks.visit_sample(&self.sample, |sets| {
            for set in sets.iter() {
                sum.add(f64::from(set.count()) * (set.n_alternatives() as f64).log2());
            }
        })?;
        Ok(sum.value())
    }

    /// See [`ConditionalLogit::fit_newton`].
    ///
    /// # Errors
    /// Of reading; within, why there is no fit.
    pub fn fit_newton(
        &self,
        start: &[f64],
        options: &NewtonOptions,
    ) -> io::Result<Result<Fit, FitError>> {
        let is_empty = self.n_choices()? == 0;
        if let Err(error) = FitError::check([start], self.n_parameters(), is_empty) {
            return Ok(Err(error));
        }
        let aggregated = self.blocks.aggregated(&self.sample)?;
        let fit = match &aggregated {
            Some(sets) => fit::newton_fit(&ConditionalLogit::new(sets), start, options),
            None => fit::newton_fit(self, start, options),
        };
        self.checked(fit)
    }

    /// See [`ConditionalLogit::no_maximum`].
    ///
    /// # Errors
    /// Of reading.
    pub fn no_maximum(&self, weights: &[f64], stop: StopReason) -> io::Result<Option<NoMaximum>> {
        let mut failure = None;
        let is_separated_by = |attributes: &[usize]| {
            let sample = Sample {
                attributes: Some(attributes.to_vec()),
                ..self.sample.clone()
            };
            let model = Self::with(self.blocks, sample);
            let start = vec![0.0; attributes.len()];
            match model.fit_newton(&start, &NewtonOptions::default()) {
                Ok(fit) => fit.is_ok_and(|fit| fit.stop == StopReason::Separated),
                Err(error) => {
                    failure = Some(error);
                    false
                }
            }
        };
        let why = super::no_maximum::no_maximum(self, weights, stop, is_separated_by);
        match failure {
            Some(error) => Err(error),
            None => self.checked(why),
        }
    }

    /// What was computed, unless a pass failed.
    fn checked<T>(&self, computed: T) -> io::Result<T> {
        let mut failure = self
            .failure
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        failure.take().map_or(Ok(computed), Err)
    }

    fn evaluate(&self, weights: &[f64], order: u8) -> Partial {
        let mut total = Partial::zero(weights.len());
        let mut waiting: Vec<ChoiceSets> = Vec::with_capacity(BLOCKS_AT_ONCE);
        let mut add = |blocks: &mut Vec<ChoiceSets>| {
            let partials: Vec<Partial> = blocks
                .par_iter()
                .map(|sets| ConditionalLogit::new(sets).evaluate(weights, order))
                .collect();
            for partial in &partials {
                total.add(partial);
            }
            blocks.clear();
        };
        let read = self.blocks.visit_sample(&self.sample, |sets| {
            waiting.push(sets);
            if waiting.len() == BLOCKS_AT_ONCE {
                add(&mut waiting);
            }
        });
        add(&mut waiting);
        if let Err(error) = read {
            let failure = self.failure.lock();
            *failure.unwrap_or_else(std::sync::PoisonError::into_inner) = Some(error);
            total.value.add(f64::NAN);
        }
        total
    }
}

impl<F: Read + Seek + Send> Objective for BlockedLogit<'_, F> {
    fn n_parameters(&self) -> usize {
        match &self.sample.attributes {
            Some(attributes) => attributes.len(),
            None => self.blocks.n_attributes(),
        }
    }

    fn scales(&self) -> Vec<f64> {
        let spreads = self.blocks.spreads();
        match &self.sample.attributes {
            Some(attributes) => super::scales(attributes.iter().map(|&of| spreads[of])),
            None => super::scales(spreads.iter().copied()),
        }
    }

    fn value(&self, point: &[f64]) -> f64 {
        self.evaluate(point, kernel::VALUE).value.value()
    }
}

impl<F: Read + Seek + Send> Differentiable for BlockedLogit<'_, F> {
    fn first_order(&self, point: &[f64]) -> FirstOrder {
        let total = self.evaluate(point, kernel::GRADIENT);
        FirstOrder {
            value: total.value.value(),
            gradient: DVector::from_vec(total.gradient),
        }
    }
}

impl<F: Read + Seek + Send> TwiceDifferentiable for BlockedLogit<'_, F> {
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
