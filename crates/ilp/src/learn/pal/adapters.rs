//! Teachers made of other teachers.

use super::{Change, Example, Judgement, PalError, Teacher, Verdict};
use crate::term::{Clause, Constant};

/// A teacher who is never satisfied, so that all examples are asked about.
#[derive(Debug)]
pub struct Patient<T>(pub T);

impl<T: Teacher> Teacher for Patient<T> {
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

    fn keep_going(&mut self) -> bool {
        self.0.keep_going()
    }
}

/// A teacher who goes on for as long as a condition holds.
pub struct GoingOnWhile<'a, F> {
    /// The teacher.
    pub teacher: &'a mut dyn Teacher,
    /// Asked before each state that is looked at.
    pub condition: F,
}

impl<F> std::fmt::Debug for GoingOnWhile<'_, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GoingOnWhile").finish_non_exhaustive()
    }
}

impl<F: FnMut() -> bool> Teacher for GoingOnWhile<'_, F> {
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

    fn keep_going(&mut self) -> bool {
        (self.condition)() && self.teacher.keep_going()
    }
}
