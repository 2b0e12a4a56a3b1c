//! Passive learning: PAL with given examples instead of perturbation.

use kibitz_prolog::Clause;

use crate::failure_set::CompiledPattern;
use crate::learner::{Effect, Pal, Search};
use crate::pattern::Pattern;
use crate::saturation::Saturator;
use crate::{
    Change, Domain, Ending, Example, Generator, Outcome, PalError, PalResult, Step, Teacher,
    Verdict,
};

impl Pal<'_> {
    /// Learns from given examples alone, and asks the teacher about each in turn.
    ///
    /// The first example is the initial one and must be positive; the others generalize its bottom
    /// clause, and each has a step in the result. Positive examples whose definition is refused are
    /// stored. Those that stay uncovered become the examples of further clauses, without another
    /// query or step. A satisfied teacher ends a clause; later examples that it does not cover are
    /// stored, too.
    ///
    /// The [`Change`] of an example is its difference from the last one that the definition was
    /// generalized with.
    ///
    /// # Errors
    /// [`PalError::NoExample`] without examples, [`PalError::WrongComponent`] and
    /// [`PalError::IllegalExample`] for examples that the domain does not allow,
    /// [`PalError::OtherComponents`] if the number of components differs from the first example's,
    /// and otherwise as [`Pal::learn`].
    ///
    /// # Source
    /// Morales 1992, sections 5.3.4 and 5.4.1.
    pub fn learn_from_given(
        mut self,
        examples: &[Example],
        teacher: &mut dyn Teacher,
    ) -> Result<PalResult, PalError> {
        for (i, example) in (1..).zip(examples) {
            self.check_shape(i, example)?;
            if example.len() != examples[0].len() {
                return Err(PalError::OtherComponents {
                    example: i,
                    found: example.len(),
                    expected: examples[0].len(),
                });
            }
        }
        self.check_initial(examples.get(..1).unwrap_or_default(), teacher)?;
        let mut learned = PalResult::default();
        let mut search = self.start(&examples[0], teacher)?;
        let mut open = Vec::new();
        for example in &examples[1..] {
            if search.satisfied {
                self.store(example, &search, &mut open, teacher)?;
                continue;
            }
            let change = difference(self.saturator.cache.domain, &search.base, example);
            let answer = self.ask(&mut search, example.clone(), change, &mut open, teacher)?;
            search.satisfied |= matches!(answer, Effect::Stop);
        }
        self.conclude(&search.pattern, ending(&search), &mut open, &mut learned)?;
        while !open.is_empty() && learned.clauses.len() < self.params.max_clauses {
            let mut search = self.start(&open.remove(0), teacher)?;
            let mut refused = Vec::new();
            for example in std::mem::take(&mut open) {
                if search.satisfied
                    || self.generalize(&mut search, &example, teacher)? != Some(true)
                {
                    refused.push(example);
                }
            }
            self.conclude(&search.pattern, ending(&search), &mut refused, &mut learned)?;
            open = refused;
        }
        learned.steps = self.steps;
        learned.open = open;
        Ok(learned)
    }

    /// Asks about an example after the definition became final, and stores it if it is positive and
    /// not covered.
    fn store(
        &mut self,
        example: &Example,
        search: &Search,
        open: &mut Vec<Example>,
        teacher: &mut dyn Teacher,
    ) -> Result<(), PalError> {
        let state = self.saturator.cache.domain.state(example);
        if self.covers(&search.pattern, state)? {
            return Ok(());
        }
        let outcome = match teacher.classify(example, state, &Change::Given)? {
            Verdict::Positive => {
                open.push(example.clone());
                Outcome::Stored
            }
            Verdict::Negative => {
                self.negatives.push((example.clone(), state));
                Outcome::Negative
            }
            Verdict::Stop => Outcome::Stopped,
        };
        self.steps.push(Step {
            example: example.clone(),
            change: Change::Given,
            outcome,
            definition: None,
        });
        Ok(())
    }

    /// The bottom clause of a positive example as a definition. Neither a teacher nor mirror images
    /// take part.
    ///
    /// The learner keeps the bottom clauses it has derived.
    ///
    /// # Errors
    /// As [`Pal::learn`].
    pub fn saturate(&mut self, example: &Example) -> Result<Definition, PalError> {
        self.check_shape(1, example)?;
        let all: Vec<usize> = (0..example.len()).collect();
        let pattern = (self.saturator).bottom_clause(example, &all, self.params.dynamic)?;
        Ok(Definition(pattern))
    }

    /// A definition of this learner generalized with a positive example: their constrained relative
    /// lgg.
    ///
    /// # Errors
    /// As [`Pal::learn`].
    ///
    /// # Source
    /// Morales 1992, section 5.2.4, Table 5.4.
    pub fn generalize_with(
        &mut self,
        definition: &Definition,
        example: &Example,
    ) -> Result<Definition, PalError> {
        self.check_shape(1, example)?;
        Ok(Definition(self.generalized(&definition.0, example)?))
    }

    /// Which literals of a definition of this learner fail in an example, those that describe its
    /// components first.
    ///
    /// # Errors
    /// As [`Pal::learn`].
    ///
    /// # Source
    /// Morales 1992, section 5.3.2.
    pub fn failure_set(
        &mut self,
        definition: &Definition,
        example: &Example,
    ) -> Result<Vec<bool>, PalError> {
        self.check_shape(1, example)?;
        let Saturator {
            cache, interner, ..
        } = &mut self.saturator;
        let compiled = CompiledPattern::new(&definition.0, interner, cache)?;
        compiled.failures(example, cache)
    }

    /// A definition of this learner as a clause, before the final reduction.
    pub fn clause(&self, definition: &Definition) -> Clause {
        (definition.0).to_clause(self.concept, &self.saturator.interner)
    }

    /// Number of literals of this clause plus number of constants in its head.
    pub fn size(&self, definition: &Definition) -> usize {
        definition.0.size(&self.saturator.interner)
    }
}

/// A definition that can be generalized further.
#[derive(Clone, Debug)]
pub struct Definition(Pattern);

fn ending(search: &Search) -> Ending {
    if search.satisfied {
        Ending::Satisfied
    } else {
        Ending::Exhausted
    }
}

/// The difference of two examples.
fn difference(domain: &dyn Domain, old: &Example, new: &Example) -> Change {
    if (domain.exchanged(old)).is_some_and(|(exchanged, _)| exchanged == *new) {
        return Change::Exchanged;
    }
    let mut class = Vec::new();
    for (component, (old, new)) in old.iter().zip(new).enumerate() {
        for (argument, attributes) in domain.arguments().iter().enumerate() {
            if attributes.iter().any(|&a| old[a] != new[a]) {
                class.push(Generator {
                    component,
                    argument,
                });
            }
        }
    }
    Change::Perturbed(class)
}
