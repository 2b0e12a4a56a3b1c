use super::{Alternative, Choice, Continuation, Machine, Step};
use crate::prover::cell::Cell;
use crate::prover::database::Database;
use crate::prover::heap::CELLS_PER_STEP;

/// Choice points and backtracking.
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
        // Every return is paid for, so that answers without goals in between have an end.
        self.heap.spend(1);
        self.heap.undo(choice.trail, choice.cells);
        self.frames.truncate(choice.frames);
        let n_args = match choice.alternative {
            Alternative::Facts { n_args, .. }
            | Alternative::Rules { n_args, .. }
            | Alternative::Native { n_args, .. } => n_args,
            Alternative::Catch(_) => 2,
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
            Alternative::Between { next, high } => {
                self.heap.spend(CELLS_PER_STEP);
                self.try_between(next, high, db, choice.then)
            }
            Alternative::Catch(_) => Step::Fail,
            Alternative::Rearm { catch } => {
                if let Some(Alternative::Catch(own)) =
                    (self.choices.get_mut(catch as usize)).map(|choice| &mut choice.alternative)
                {
                    own.is_inside = true;
                }
                Step::Fail
            }
            Alternative::FindallEnd { result, collected } => {
                let mut starts = self.collected.split_off(collected);
                starts.push(self.records.len());
                let records = starts
                    .windows(2)
                    .map(|ends| &self.records[ends[0]..ends[1]]);
                let items: Vec<Cell> = records.map(|it| self.heap.recall(it)).collect();
                self.records.truncate(starts[0]);
                match self.heap.list(&items) {
                    Some(list) if self.heap.unify(result, list, &db.statics) => {
                        Step::Continue(choice.then)
                    }
                    _ => Step::Fail,
                }
            }
        }
    }
}
