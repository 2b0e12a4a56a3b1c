//! PAL without its example generator: the examples come from outside, in order.

use super::learner::{Answer, Search};
use super::pattern::Pattern;
use super::{
    Change, Domain, Ending, Example, Generator, Outcome, Pal, PalError, PalLearned, Step, Teacher,
    Verdict,
};
use crate::term::Clause;

impl Pal<'_> {
    /// Learns from given examples alone, asking the teacher about each in turn.
    ///
    /// The first example is the initial one, whose pattern the others generalize; it alone must be
    /// positive. The steps tell what came of the others. Positive examples whose definition was
    /// refused are stored and tried again in the end, as the start of a further clause, if the
    /// definition does not cover them; the teacher is not asked about them a second time, and what
    /// comes of them then is no step of its own. A teacher who is satisfied ends a clause; of the
    /// examples that were to come those it does not cover are left for further clauses.
    ///
    /// How an example came about is told as what differs from the last one that the definition was
    /// generalized with.
    ///
    /// # Errors
    /// [`PalError::NoExample`] for none, [`PalError::WrongComponent`] and
    /// [`PalError::IllegalExample`] for examples that the domain does not allow,
    /// [`PalError::OtherComponents`] for one with more or fewer components than the first, and
    /// otherwise as [`Pal::learn`].
    ///
    /// # Source
    /// Morales 1992, sections 5.3.4 and 5.4.1.
    pub fn follow(
        mut self,
        examples: &[Example],
        teacher: &mut dyn Teacher,
    ) -> Result<PalLearned, PalError> {
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
        self.check(examples.get(..1).unwrap_or_default(), teacher)?;
        let mut learned = PalLearned::default();
        let mut search = self.start(&examples[0], teacher)?;
        let mut open = Vec::new();
        for example in &examples[1..] {
            if search.satisfied {
                self.set_aside(example, &search, &mut open, teacher)?;
                continue;
            }
            let change = difference(self.deriver.base.domain, &search.base, example);
            let answer = self.ask(&mut search, example.clone(), change, &mut open, teacher)?;
            search.satisfied |= matches!(answer, Answer::Stopped);
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

    /// Asks about an example that a finished definition was not generalized with, and stores it if
    /// it is positive and not covered.
    fn set_aside(
        &mut self,
        example: &Example,
        search: &Search,
        open: &mut Vec<Example>,
        teacher: &mut dyn Teacher,
    ) -> Result<(), PalError> {
        let state = self.deriver.base.domain.state(example);
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

    /// The definition that an example, taken for positive, is the start of. Neither a teacher nor
    /// symmetric examples are asked for.
    ///
    /// The learner can be asked for many, and remembers what it derived.
    ///
    /// # Errors
    /// As [`Pal::learn`].
    pub fn define(&mut self, example: &Example) -> Result<Definition, PalError> {
        self.check_shape(1, example)?;
        let all: Vec<usize> = (0..example.len()).collect();
        let pattern = self.deriver.pattern(example, &all, self.params.dynamic)?;
        Ok(Definition(pattern))
    }

    /// A definition of this learner generalized with an example in the same way.
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

    /// The clause that a definition of this learner is, before the final reduction.
    pub fn clause(&self, definition: &Definition) -> Clause {
        (definition.0).to_clause(self.concept, &self.deriver.lexicon)
    }

    /// Number of literals of this clause, and of constants that its head still has.
    pub fn size(&self, definition: &Definition) -> usize {
        definition.0.size(&self.deriver.lexicon)
    }
}

/// A definition generalized from some examples, to be generalized further.
#[derive(Clone, Debug)]
pub struct Definition(Pattern);

fn ending(search: &Search) -> Ending {
    if search.satisfied {
        Ending::Satisfied
    } else {
        Ending::Exhausted
    }
}

/// The arguments in which two examples differ.
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
