//! Adapters of teachers.

use kibitz_prolog::{Clause, Constant};

use crate::{Change, Example, Judgement, PalError, Teacher, Verdict};

/// A teacher that accepts a final definition without ending the search, so that the learner asks
/// about all examples.
#[derive(Debug)]
pub struct UnsatisfiedTeacher<T>(pub T);

impl<T: Teacher> Teacher for UnsatisfiedTeacher<T> {
    fn classify(
        &mut self,
        example: &Example,
        state: Constant,
        change: &Change,
    ) -> Result<Verdict, PalError> {
        self.0.classify(example, state, change)
    }

    fn judge(&mut self, definition: &Clause) -> Result<Judgement, PalError> {
        Ok(match self.0.judge(definition)? {
            Judgement::Stop => Judgement::Accept,
            judgement => judgement,
        })
    }

    fn counterexample(&mut self, theory: &[Clause]) -> Result<Option<Example>, PalError> {
        self.0.counterexample(theory)
    }

    fn keep_going(&mut self) -> bool {
        self.0.keep_going()
    }
}

/// A teacher that ends the search once a condition fails, such as a deadline.
pub struct Interruptible<'a, F> {
    /// The teacher.
    pub teacher: &'a mut dyn Teacher,
    /// Evaluated before each generated example.
    pub condition: F,
}

impl<F> std::fmt::Debug for Interruptible<'_, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Interruptible").finish_non_exhaustive()
    }
}

impl<F: FnMut() -> bool> Teacher for Interruptible<'_, F> {
    fn classify(
        &mut self,
        example: &Example,
        state: Constant,
        change: &Change,
    ) -> Result<Verdict, PalError> {
        self.teacher.classify(example, state, change)
    }

    fn judge(&mut self, definition: &Clause) -> Result<Judgement, PalError> {
        self.teacher.judge(definition)
    }

    fn counterexample(&mut self, theory: &[Clause]) -> Result<Option<Example>, PalError> {
        self.teacher.counterexample(theory)
    }

    fn keep_going(&mut self) -> bool {
        (self.condition)() && self.teacher.keep_going()
    }
}
