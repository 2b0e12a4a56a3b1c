//! Backtracking over the steps of a compiled clause, by conflict-directed backjumping.
//!
//! Where a step's tuples come from is the [`Source`]'s business: tables of a problem in numbers, or
//! answers of the prover.
//!
//! # Source
//! Prosser, Hybrid algorithms for the constraint satisfaction problem, 1993.

use std::ops::Range;

use smallvec::SmallVec;

/// Gives the tuples of literals.
pub(super) trait Source {
    /// What it knows of a literal.
    type Literal;
    type Error;

    /// Where the tuples are that agree with the values of the literal's inputs: each takes
    /// [`Source::width`] places.
    fn tuples(
        &mut self,
        literal: &Self::Literal,
        values: &[u32],
    ) -> Result<Range<usize>, Self::Error>;

    /// Places that a tuple takes, at least one.
    fn width(step: &Step<Self::Literal>) -> usize;

    /// The value in a place of a tuple.
    fn output(&self, literal: &Self::Literal, tuple: usize, place: usize) -> u32;
}

/// A literal in its turn. Arguments are places among the values of a match.
#[derive(Clone, Debug)]
pub(super) struct Step<L> {
    pub(super) literal: L,
    pub(super) outputs: SmallVec<[Output; 1]>,
    /// The steps that bound the inputs and compared outputs of this one.
    pub(super) parents: Steps,
}

/// What becomes of a value in a tuple.
#[derive(Clone, Debug)]
pub(super) struct Output {
    /// Where it is in the tuple.
    pub(super) place: usize,
    /// Where it is among the values of the match.
    pub(super) value: usize,
    /// If the step gives the variable its value, the others of its type that have one by then;
    /// otherwise the two must be equal.
    pub(super) rivals: Option<Vec<usize>>,
}

/// A set of steps. From the 64th on they share a bit, which makes them all stand for one another:
/// jumps are shorter there, never wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Steps(u64);

impl Steps {
    const SHARED: usize = 63;

    pub(super) fn one(step: usize) -> Self {
        Self(1 << step.min(Self::SHARED))
    }

    pub(super) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn has(self, step: usize) -> bool {
        self.0 & Self::one(step).0 != 0
    }

    /// Without a step, unless others share its bit.
    pub(super) fn without(self, step: usize) -> Self {
        if step < Self::SHARED {
            Self(self.0 & !Self::one(step).0)
        } else {
            self
        }
    }
}

/// A match in the making.
pub(super) struct Execution<'m, S: Source> {
    pub(super) source: S,
    pub(super) steps: &'m [Step<S::Literal>],
    /// Of the variables, then the constants.
    pub(super) values: &'m mut [u32],
    /// Tuples that may still be looked at.
    pub(super) left: &'m mut u64,
}

impl<S: Source> Execution<'_, S> {
    /// Gives the outputs of a step the values of a tuple; whether they agree.
    #[inline]
    fn take(&mut self, step: &Step<S::Literal>, tuple: usize, distinct: bool) -> bool {
        step.outputs.iter().all(|output| {
            let value = self.source.output(&step.literal, tuple, output.place);
            match &output.rivals {
                None => self.values[output.value] == value,
                Some(rivals) => {
                    self.values[output.value] = value;
                    !distinct || rivals.iter().all(|&rival| self.values[rival] != value)
                }
            }
        })
    }

    /// Whether there is a match; not if that would take too many tuples, which `left` tells.
    pub(super) fn is_provable(&mut self) -> Result<bool, S::Error> {
        Ok(self.conflict(0)?.is_none())
    }

    /// None if the steps from here on can be proved, otherwise the steps that this is owed to: to
    /// choose differently elsewhere would not help.
    fn conflict(&mut self, mut at: usize) -> Result<Option<Steps>, S::Error> {
        let (step, tuples) = loop {
            let Some(step) = self.steps.get(at) else {
                return Ok(None);
            };
            let tuples = self.source.tuples(&step.literal, self.values)?;
            // A test that holds binds nothing: nobody comes back to it.
            if !step.outputs.is_empty() || tuples.is_empty() {
                break (step, tuples);
            }
            if !self.spend() {
                return Ok(Some(Steps::default()));
            }
            at += 1;
        };
        let mut conflict = step.parents;
        let mut tuple = tuples.start;
        while tuple < tuples.end {
            if !self.spend() {
                return Ok(Some(Steps::default()));
            }
            if self.take(step, tuple, false) {
                match self.conflict(at + 1)? {
                    None => return Ok(None),
                    Some(other) if !other.has(at) => return Ok(Some(other)),
                    Some(other) => conflict = conflict.union(other.without(at)),
                }
            }
            tuple += S::width(step);
        }
        Ok(Some(conflict))
    }

    /// Counts a tuple, if it may be looked at.
    fn spend(&mut self) -> bool {
        let may = *self.left > 0;
        *self.left = self.left.saturating_sub(1);
        may
    }

    /// Calls `visit` with the values for every match in which different variables of a type have
    /// different values, until it says no, which is the answer then. Of each literal `most` tells how
    /// many tuples are taken.
    pub(super) fn embed(
        &mut self,
        at: usize,
        most: &impl Fn(&S::Literal) -> usize,
        visit: &mut dyn FnMut(&[u32]) -> bool,
    ) -> Result<bool, S::Error> {
        let Some(step) = self.steps.get(at) else {
            return Ok(visit(self.values));
        };
        let tuples = self.source.tuples(&step.literal, self.values)?;
        for tuple in tuples.step_by(S::width(step)).take(most(&step.literal)) {
            if !self.spend() {
                return Ok(false);
            }
            if self.take(step, tuple, true) && !self.embed(at + 1, most, visit)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
