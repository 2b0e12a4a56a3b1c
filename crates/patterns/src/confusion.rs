//! Confusion counts: a definition compared with a reference, position by position.

use kibitz_pal::Example;
use kibitz_prolog::Clause;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::{ConceptError, Position, PreparedConcept};

/// A confusion matrix: the positions that a reference and a definition cover.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConfusionCounts {
    /// All positions.
    pub n_positions: u32,
    /// Positions that the reference covers.
    pub n_positive: u32,
    /// Positions that the definition covers.
    pub n_covered: u32,
    /// Positions that both cover.
    pub n_both: u32,
}

impl ConfusionCounts {
    pub(crate) fn count(&mut self, reference: bool, definition: bool) {
        self.n_positions += 1;
        self.n_positive += u32::from(reference);
        self.n_covered += u32::from(definition);
        self.n_both += u32::from(reference && definition);
    }

    /// Positive positions that the definition does not cover: false negatives.
    pub fn missed(&self) -> u32 {
        self.n_positive - self.n_both
    }

    /// Covered positions that are not positive: false positives.
    pub fn wrongly_covered(&self) -> u32 {
        self.n_covered - self.n_both
    }

    /// Positions that both cover or neither: true positives and true negatives.
    pub fn agreed(&self) -> u32 {
        self.n_positions + 2 * self.n_both - self.n_positive - self.n_covered
    }

    /// Share of the positions on which they agree, from 0 to 1; `None` without positions.
    pub fn accuracy(&self) -> Option<f64> {
        share(self.agreed(), self.n_positions)
    }

    /// Share of the covered positions that are positive, from 0 to 1; `None` if none is covered.
    pub fn precision(&self) -> Option<f64> {
        share(self.n_both, self.n_covered)
    }

    /// Share of the positive positions that are covered, from 0 to 1; `None` if none is positive.
    pub fn recall(&self) -> Option<f64> {
        share(self.n_both, self.n_positive)
    }
}

fn share(part: u32, whole: u32) -> Option<f64> {
    (whole > 0).then(|| f64::from(part) / f64::from(whole))
}

impl PreparedConcept {
    /// Compares a definition with the target on random legal positions: in half of them all attributes
    /// are random, the others are near the examples, where the concept is more frequent.
    ///
    /// # Errors
    /// The prover's own.
    pub fn compare_on_random(
        &self,
        definition: &[Clause],
        positions: u32,
        seed: u64,
    ) -> Result<ConfusionCounts, ConceptError> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let drawn = (1..=1000 * u64::from(positions)).map(|i| {
            let change = if i.is_multiple_of(2) { 1.0 } else { 0.3 };
            let example = &self.examples()[rng.random_range(..self.examples().len())];
            self.vary(example, change, &mut rng)
        });
        let legal = drawn.filter(|example| self.domain().is_legal(example));
        self.compare_on(definition, self.target(), legal.take(positions as usize))
    }

    /// Compares a definition with a reference on every legal placement of the pieces of the first
    /// example; three pieces have 262,144 placements.
    ///
    /// # Errors
    /// The prover's own.
    pub fn compare_everywhere(
        &self,
        definition: &[Clause],
        reference: &[Clause],
    ) -> Result<ConfusionCounts, ConceptError> {
        let attributes = self.domain().attributes();
        let first: Example = self.examples().first().cloned().unwrap_or_default();
        let variable: Vec<(usize, usize)> = (0..first.len())
            .flat_map(|c| (0..attributes.len()).map(move |a| (c, a)))
            .filter(|&(_, a)| !attributes[a].values.is_empty())
            .collect();
        let sizes = variable.iter().map(|&(_, a)| attributes[a].values.len());
        let placed = |mut number: usize| {
            let mut example = first.clone();
            for &(c, a) in &variable {
                let values = &attributes[a].values;
                example[c][a] = values[number % values.len()];
                number /= values.len();
            }
            example
        };
        let all = (0..sizes.product()).map(placed);
        let legal = all.filter(|example| self.domain().is_legal(example));
        self.compare_on(definition, reference, legal)
    }

    /// Compares a definition with a reference on these examples.
    ///
    /// # Errors
    /// The prover's own.
    pub fn compare_on(
        &self,
        definition: &[Clause],
        reference: &[Clause],
        examples: impl IntoIterator<Item = Example>,
    ) -> Result<ConfusionCounts, ConceptError> {
        let (mut reference, mut own) = (
            self.coverage_tester(reference)?,
            self.coverage_tester(definition)?,
        );
        let mut found = ConfusionCounts::default();
        for example in examples {
            let state = self.domain().state(&example);
            found.count(reference.holds(state)?, own.holds(state)?);
        }
        Ok(found)
    }

    /// Compares a definition with labeled positions; also returns the first position on which they
    /// differ.
    ///
    /// # Errors
    /// The prover's own, [`ConceptError::NotOfChess`], and the errors among the cases.
    pub fn compare_with(
        &self,
        definition: &[Clause],
        cases: impl IntoIterator<Item = Result<(Position, bool), ConceptError>>,
    ) -> Result<(ConfusionCounts, Option<Position>), ConceptError> {
        let mut own = self.coverage_tester(definition)?;
        let mut found = ConfusionCounts::default();
        let mut first = None;
        for case in cases {
            let (position, reference) = case?;
            let state = self.domain().chess_state(position.clone())?;
            let holds = own.holds(state)?;
            found.count(reference, holds);
            if holds != reference && first.is_none() {
                first = Some(position);
            }
        }
        Ok((found, first))
    }

    /// Labels positions by whether a definition covers them.
    ///
    /// # Errors
    /// As [`compare_with`](Self::compare_with), at once or in place of a position.
    pub fn labeled<'p>(
        &'p self,
        definition: &[Clause],
        positions: impl IntoIterator<Item = Position> + 'p,
    ) -> Result<impl Iterator<Item = Result<(Position, bool), ConceptError>> + 'p, ConceptError>
    {
        let mut tester = self.coverage_tester(definition)?;
        Ok(positions.into_iter().map(move |position| {
            let state = self.domain().chess_state(position.clone())?;
            Ok((position, tester.holds(state)?))
        }))
    }

    /// A random variant of an example: each attribute becomes random with probability `change`.
    pub(crate) fn vary(&self, example: &Example, change: f64, rng: &mut ChaCha8Rng) -> Example {
        let mut varied = example.clone();
        for component in &mut varied {
            for (value, attribute) in component.iter_mut().zip(self.domain().attributes()) {
                if !attribute.values.is_empty() && rng.random_bool(change) {
                    *value = attribute.values[rng.random_range(..attribute.values.len())];
                }
            }
        }
        varied
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_a_count() {
        let mut found = ConfusionCounts::default();
        for (reference, definition, n) in [
            (true, true, 3),
            (true, false, 1),
            (false, true, 2),
            (false, false, 4),
        ] {
            (0..n).for_each(|_| found.count(reference, definition));
        }
        assert_eq!(found.agreed(), 7);
        assert_eq!((found.missed(), found.wrongly_covered()), (1, 2));
        assert_eq!(found.accuracy(), Some(0.7));
        assert_eq!(found.precision(), Some(0.6));
        assert_eq!(found.recall(), Some(0.75));
        assert_eq!(ConfusionCounts::default().recall(), None);
    }
}
