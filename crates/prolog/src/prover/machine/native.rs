use std::ops::{ControlFlow, Range};

use super::{Alternative, Continuation, Machine, Step};
use crate::prover::cell::Cell;
use crate::prover::database::Database;
use crate::prover::{NativeRelation, ProverError};
use crate::term::Constant;

/// Relations answered in Rust: those of the caller, and the integers of `between/3`.
impl Machine {
    pub(super) fn call_native(
        &mut self,
        db: &Database,
        native: &dyn NativeRelation,
        then: Continuation,
    ) -> Result<Step, ProverError> {
        let signature = native.signature();
        let mut bound = Vec::with_capacity(self.regs.len());
        for &cell in &self.regs {
            bound.push(match self.heap.deref(cell) {
                Cell::Const(constant) => Some(constant),
                Cell::Ref(_) => None,
                _ => return Err(ProverError::CompoundArgument(signature.predicate)),
            });
        }
        if !signature.allows(|i| bound[i].is_some()) {
            return Err(ProverError::Mode(signature.predicate));
        }
        let is_test = bound.iter().all(Option::is_some);
        let answers = self.native_answers.len();
        let collected = &mut self.native_answers;
        let mut any = false;
        native.solve(&bound, &mut |tuple| {
            let agrees = tuple.len() == bound.len()
                && tuple
                    .iter()
                    .zip(&bound)
                    .all(|(value, own)| own.is_none_or(|own| own == *value));
            if agrees {
                any = true;
                collected.extend_from_slice(tuple);
                if is_test {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        })?;
        if is_test {
            return Ok(if any {
                Step::Continue(then)
            } else {
                Step::Fail
            });
        }
        let end = self.native_answers.len();
        Ok(self.try_native(db, answers..end, then))
    }

    /// Tries the answers in this part of the collected ones; later ones belong to goals that are
    /// given up by now.
    pub(super) fn try_native(
        &mut self,
        db: &Database,
        Range { mut start, end }: Range<usize>,
        then: Continuation,
    ) -> Step {
        let arity = self.regs.len();
        self.native_answers.truncate(end);
        while start + arity <= end {
            let (trail, cells) = (self.heap.trail.len(), self.heap.cells.len());
            let more = start + 2 * arity <= end;
            if more {
                let alternative = Alternative::Native {
                    next: start + arity,
                    end,
                    n_args: arity,
                };
                self.choose_with_args(alternative, then);
            }
            let unified = (0..arity).all(|i| {
                let value = Cell::Const(self.native_answers[start + i]);
                self.heap.unify(self.regs[i], value, &db.statics)
            });
            if unified {
                return Step::Continue(then);
            }
            self.heap.undo(trail, cells);
            if more {
                self.choices.pop();
                self.args.truncate(self.args.len() - arity);
            }
            start += arity;
        }
        Step::Fail
    }

    pub(super) fn between(
        &mut self,
        db: &Database,
        then: Continuation,
    ) -> Result<Step, ProverError> {
        let bound = |cell: Cell| match self.heap.deref(cell) {
            Cell::Const(Constant::Int(value)) => Ok(Some(value)),
            Cell::Const(Constant::Symbol(name))
                if matches!(db.names.get(name), "inf" | "infinite") =>
            {
                Ok(Some(i64::MAX))
            }
            Cell::Ref(_) => Ok(None),
            _ => Err(ProverError::Type {
                builtin: "between/3",
                expected: "integers",
            }),
        };
        let (Some(low), Some(high)) = (bound(self.regs[0])?, bound(self.regs[1])?) else {
            return Err(ProverError::Unbound("between/3"));
        };
        match bound(self.regs[2])? {
            Some(value) if (low..=high).contains(&value) => Ok(Step::Continue(then)),
            Some(_) => Ok(Step::Fail),
            None => {
                // The variable to bind is kept on the heap, where alternatives find it.
                let variable = self.regs[2];
                self.args.push(variable);
                let step = self.try_between(low, high, db, then);
                Ok(step)
            }
        }
    }

    /// Binds the variable on top of the saved arguments to the next number.
    pub(super) fn try_between(
        &mut self,
        next: i64,
        high: i64,
        db: &Database,
        then: Continuation,
    ) -> Step {
        let variable = self
            .args
            .last()
            .copied()
            .unwrap_or(Cell::Const(Constant::Int(next)));
        if next > high {
            return Step::Fail;
        }
        if next < high {
            // The choice keeps the variable below its own mark.
            self.choose(
                Alternative::Between {
                    next: next + 1,
                    high,
                },
                then,
            );
        }
        if self
            .heap
            .unify(variable, Cell::Const(Constant::Int(next)), &db.statics)
        {
            Step::Continue(then)
        } else {
            Step::Fail
        }
    }
}
