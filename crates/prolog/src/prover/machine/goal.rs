//! Goals: what each kind of them does.

use super::{Alternative, Catch, Continuation, Frame, Machine, Step};
use crate::prover::ProverError;
use crate::prover::builtin::Builtin;
use crate::prover::code::{Code, DYNAMIC, Goal, Span};
use crate::prover::database::Database;
use crate::prover::heap::Sources;
use crate::prover::limits::Limits;

impl Machine {
    /// Carries out one goal; `None` if the depth bound was met inside a negation.
    #[expect(
        clippy::inline_always,
        reason = "a call for each goal costs an eighth of the time of coverage"
    )]
    #[inline(always)]
    pub(super) fn execute(
        &mut self,
        db: &Database,
        limits: Limits,
        goal: Goal,
        frame: Frame,
        after: Continuation,
    ) -> Result<Option<Step>, ProverError> {
        let Frame {
            env,
            depth,
            negated,
            ..
        } = frame;
        let step = match goal {
            Goal::Fail => Step::Fail,
            Goal::Cut => {
                self.choices.truncate(frame.cut as usize);
                Step::Continue(after)
            }
            Goal::Builtin(Builtin::Between, span) => {
                self.load_args(db, span, env);
                self.between(db, after)?
            }
            Goal::Builtin(Builtin::Throw, span) => {
                self.load_args(db, span, env);
                self.throw(db)?
            }
            Goal::Builtin(builtin, span) => {
                self.load_args(db, span, env);
                if builtin.run(&self.regs, &mut self.heap, &db.statics, &db.names)? {
                    Step::Continue(after)
                } else {
                    Step::Fail
                }
            }
            Goal::Or(first, second) => {
                let second = self.block(second, frame, after, None);
                self.choose(Alternative::Continue, second);
                let first = self.block(first, frame, after, None);
                Step::Continue(first)
            }
            Goal::IfThenElse(condition, then, otherwise) => {
                let otherwise = self.block(otherwise, frame, after, None);
                let height = self.height();
                self.choose(Alternative::Continue, otherwise);
                let then = self.block(then, frame, after, None);
                Step::Continue(self.block(condition, frame, then, Some(height)))
            }
            Goal::Not(block) => {
                let height = self.height();
                self.choose(Alternative::Continue, after);
                // Where the block succeeds: forget the way out just noted, and fail.
                let refuse = Span {
                    start: Code::REFUSE | DYNAMIC,
                    len: 2,
                };
                let frame = Frame {
                    negated: true,
                    ..frame
                };
                let refuse = self.block(refuse, frame, after, Some(height));
                Step::Continue(self.block(block, frame, refuse, Some(height + 1)))
            }
            Goal::Findall { block, result } => {
                self.load_args(db, result, env);
                let alternative = Alternative::FindallEnd {
                    result: self.regs[0],
                    collected: self.collected.len(),
                };
                let height = self.height();
                self.choose(alternative, after);
                Step::Continue(self.block(block, frame, after, Some(height + 1)))
            }
            Goal::Collect(span) => {
                self.load_args(db, span, env);
                self.collected.push(self.records.len());
                self.heap
                    .record(self.regs[0], &db.statics, &mut self.records);
                Step::Fail
            }
            Goal::Catch { block, otherwise } => {
                self.load_args(db, otherwise, env);
                let height = self.height();
                let catch = Catch {
                    is_inside: true,
                    depth,
                    negated,
                    records: self.records.len(),
                    collected: self.collected.len(),
                };
                self.choose_with_args(Alternative::Catch(catch), after);
                Step::Continue(self.block(block, frame, after, Some(height + 1)))
            }
            Goal::EndCatch => {
                self.end_catch(frame.cut - 1);
                Step::Continue(after)
            }
            Goal::CallTerm(span) => {
                self.load_args(db, span, env);
                self.call_term(db, frame, after)?
            }
            Goal::Call(target, span) => {
                if depth >= limits.depth {
                    self.cut_off.get_or_insert(self.last);
                    return Ok(if negated { None } else { Some(Step::Fail) });
                }
                self.load_args(db, span, env);
                self.call(db, target, span.len as usize, after, depth + 1, negated)?
            }
        };
        Ok(Some(step))
    }

    /// Builds the arguments of a goal into the registers.
    fn load_args(&mut self, db: &Database, span: Span, env: u32) {
        self.regs.clear();
        let sources = Sources {
            statics: &db.statics,
            code: &db.code,
            dynamic: &self.code,
        };
        for i in 0..span.len {
            let value = self.heap.build(sources.arg(span, i), env, sources);
            self.regs.push(value);
        }
    }
}
