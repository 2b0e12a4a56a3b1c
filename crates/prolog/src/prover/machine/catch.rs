//! Errors, caught.

use super::{Alternative, Continuation, Frame, Machine, Step};
use crate::prover::ProverError;
use crate::prover::code::Span;
use crate::prover::database::Database;
use crate::prover::heap::VarNumbers;
use crate::term::{Term, Var};

impl Machine {
    /// Leaves the goal of a `catch`: its choice goes if nothing was chosen since, otherwise it waits
    /// until backtracking leads back inside.
    pub(super) fn end_catch(&mut self, catch: u32) {
        let place = catch as usize;
        if self.choices.len() == place + 1 {
            if let Some(choice) = self.choices.pop() {
                self.args.truncate(choice.args);
            }
            return;
        }
        let alternative = self
            .choices
            .get_mut(place)
            .map(|choice| &mut choice.alternative);
        if let Some(Alternative::Catch(own)) = alternative {
            own.is_inside = false;
            let then = Continuation {
                frame: super::NONE,
                next: 0,
            };
            self.choose(Alternative::Rearm { catch }, then);
        }
    }

    /// Throws the first register.
    pub(super) fn throw(&mut self, db: &Database) -> Result<Step, ProverError> {
        let mut vars = VarNumbers::default();
        self.ball = Some(self.heap.to_term(self.regs[0], &mut vars, &db.statics)?);
        Err(ProverError::Thrown)
    }

    /// Goes on with the recovery of the innermost `catch` whose catcher fits an error.
    ///
    /// # Errors
    /// The error, if there is none.
    pub(super) fn caught(
        &mut self,
        db: &Database,
        error: ProverError,
    ) -> Result<Step, ProverError> {
        if !error.is_of_goal() {
            return Err(error);
        }
        let ball = self.ball.take().unwrap_or_else(|| ball(&error, db));
        loop {
            let is_open = |choice: &super::Choice| matches!(&choice.alternative, Alternative::Catch(own) if own.is_inside);
            let Some(place) = self.choices.iter().rposition(is_open) else {
                return Err(error);
            };
            self.choices.truncate(place + 1);
            let Some(choice) = self.choices.pop() else {
                return Err(error);
            };
            let Alternative::Catch(own) = choice.alternative else {
                return Err(error);
            };
            self.heap.undo(choice.trail, choice.cells);
            self.frames.truncate(choice.frames);
            self.regs.clear();
            self.regs
                .extend_from_slice(&self.args[choice.args..choice.args + 2]);
            self.args.truncate(choice.args);
            self.records.truncate(own.records);
            self.collected.truncate(own.collected);
            let (trail, cells) = (self.heap.trail.len(), self.heap.cells.len());
            let thrown = self.heap.push_term(&ball, &mut Vec::new());
            if !self.heap.unify(self.regs[0], thrown, &db.statics) {
                self.heap.undo(trail, cells);
                continue;
            }
            self.regs.remove(0);
            let frame = Frame {
                goals: Span { start: 0, len: 0 },
                env: 0,
                then: choice.then,
                cut: self.height(),
                depth: own.depth,
                negated: own.negated,
            };
            return self.call_term(db, frame, choice.then);
        }
    }
}

/// The term of an error, as the standard has it; names that the program does not have are left out.
fn ball(error: &ProverError, db: &Database) -> Term {
    let name = |name: &str| db.names.find(name).map_or(Term::NIL, Term::symbol);
    let compound = |functor: &str, args: Vec<Term>| match db.names.find(functor) {
        Some(functor) => Term::compound(functor, args),
        None => Term::NIL,
    };
    let any = |n| Term::Var(Var(n));
    let mut inner = error;
    while let ProverError::In(_, error) = inner {
        inner = error;
    }
    let formal = match inner {
        ProverError::Unbound(_) => name("instantiation_error"),
        ProverError::Type { .. } | ProverError::NotCallable => {
            compound("type_error", vec![any(1), any(2)])
        }
        ProverError::Arithmetic(_) => compound("evaluation_error", vec![any(1)]),
        ProverError::UnknownPredicate(_) => compound("existence_error", vec![any(1), any(2)]),
        _ => any(1),
    };
    compound("error", vec![formal, any(0)])
}
