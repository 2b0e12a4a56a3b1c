use super::{Alternative, Choice, Continuation, Machine, Step};
use crate::prover::cell::Cell;
use crate::prover::database::Database;
use crate::term::Term;

/// Noting what could be tried instead, and going back to it.
impl Machine {
    pub(super) fn choose(&mut self, alternative: Alternative, then: Continuation) {
        self.choices.push(Choice {
            alternative,
            then,
            trail: self.heap.trail.len(),
            cells: self.heap.cells.len(),
            frames: self.frames.len(),
            args: self.args.len(),
        });
    }

    /// Notes a choice whose arguments are the registers.
    pub(super) fn choose_with_args(&mut self, alternative: Alternative, then: Continuation) {
        self.choose(alternative, then);
        self.args.extend_from_slice(&self.regs);
    }

    pub(super) fn backtrack(&mut self, db: &Database) -> Step {
        let Some(choice) = self.choices.pop() else {
            return Step::Fail;
        };
        self.heap.undo(choice.trail, choice.cells);
        self.frames.truncate(choice.frames);
        let n_args = match choice.alternative {
            Alternative::Facts { n_args, .. }
            | Alternative::Rules { n_args, .. }
            | Alternative::Native { n_args, .. } => n_args,
            _ => 0,
        };
        self.regs.clear();
        self.regs
            .extend_from_slice(&self.args[choice.args..choice.args + n_args]);
        self.args.truncate(choice.args);
        match choice.alternative {
            Alternative::Continue => Step::Continue(choice.then),
            Alternative::Facts { entry, cursor, .. } => {
                self.try_facts(db, entry, cursor, choice.then)
            }
            Alternative::Rules {
                source,
                next,
                depth,
                negated,
                ..
            } => self.try_rules(db, source, next, choice.then, depth, negated),
            Alternative::Native { next, end, .. } => self.try_native(db, next..end, choice.then),
            Alternative::Between { next, high } => self.try_between(next, high, db, choice.then),
            Alternative::FindallEnd { result, collected } => {
                let terms: Vec<Term> = self.collected.drain(collected..).collect();
                let items: Vec<Cell> = terms
                    .iter()
                    .map(|term| self.heap.push_term(term, &mut Vec::new()))
                    .collect();
                let list = self.heap.list(&items);
                if self.heap.unify(result, list, &db.statics) {
                    Step::Continue(choice.then)
                } else {
                    Step::Fail
                }
            }
        }
    }
}
