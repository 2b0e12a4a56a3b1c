//! Running compiled goals: frames, continuations and choices on stacks of their own.

mod builtin;
mod call;
mod catch;
mod choice;
mod goal;
mod native;
mod terms;

use std::hash::BuildHasherDefault;

use indexmap::IndexMap;
use rustc_hash::FxHasher;

use super::ProverError;
use super::cell::Cell;
use super::code::{Arg, Code, DYNAMIC, Goal, PreparedTheory, Rule, Span};
use super::database::Database;
use super::facts::Cursor;
use super::heap::{Heap, Sources};
use super::limits::{Limits, Proof};
use crate::term::{Constant, Predicate, Term};

const NONE: u32 = u32::MAX;
/// The memory in use is added up once in this many steps.
const STEPS_BETWEEN_CHECKS: u64 = 1024;

/// A block of goals being carried out. Frames do not change once made; where a computation stands
/// is a [`Continuation`].
#[derive(Clone, Copy)]
struct Frame {
    goals: Span,
    env: u32,
    /// Where to go on when the block is done.
    then: Continuation,
    /// A cut in this block forgets all choices made since there were this many.
    cut: u32,
    depth: u32,
    /// Inside a negation, where a branch cut off by the depth bound must not count as failure.
    negated: bool,
}

/// The goal at `next` in the block of a frame.
#[derive(Clone, Copy)]
struct Continuation {
    frame: u32,
    next: u32,
}

/// A choice point: an alternative, and the state to go back to.
struct Choice {
    alternative: Alternative,
    then: Continuation,
    trail: usize,
    cells: usize,
    frames: usize,
    args: usize,
}

enum Alternative {
    /// Go on at the continuation.
    Continue,
    /// More facts of a database entry.
    Facts {
        entry: u32,
        cursor: Cursor,
        n_args: usize,
    },
    /// More rules of a predicate.
    Rules {
        source: RuleSource,
        next: u32,
        n_args: usize,
        depth: u32,
        negated: bool,
    },
    /// More answers of a native relation, in this part of the collected ones.
    Native {
        next: usize,
        end: usize,
        n_args: usize,
    },
    /// More integers up to a bound.
    Between { next: i64, high: i64 },
    /// Inside the goal of a `catch`, or after it: what to do about an error.
    Catch(Catch),
    /// Back inside the goal of the `catch` whose choice has this number.
    Rearm { catch: u32 },
    /// All answers of a `findall` are collected.
    FindallEnd { result: Cell, collected: usize },
}

/// A `catch` whose goal was begun.
#[derive(Clone, Copy)]
struct Catch {
    /// Whether its goal is being carried out.
    is_inside: bool,
    depth: u32,
    negated: bool,
    records: usize,
    collected: usize,
}

#[derive(Clone, Copy)]
enum RuleSource {
    Entry(u32),
    Theory(Predicate),
}

/// One step's outcome.
enum Step {
    Continue(Continuation),
    Fail,
}

/// The memory of a prover, reused from query to query.
#[derive(Default)]
pub(super) struct Machine {
    pub(super) heap: Heap,
    frames: Vec<Frame>,
    choices: Vec<Choice>,
    args: Vec<Cell>,
    regs: Vec<Cell>,
    native_answers: Vec<Constant>,
    /// Copies of answers to `findall`, and where each begins.
    records: Vec<Cell>,
    collected: Vec<usize>,
    /// Code of the current theory or query, then of goals called by `call/N`.
    pub(super) code: Code,
    /// What was thrown last.
    ball: Option<Term>,
    pub(super) theory: IndexMap<Predicate, Vec<Rule>, BuildHasherDefault<FxHasher>>,
    /// Lengths of the code that belongs to the theory or query; code of `call/N` follows.
    loaded: (usize, usize),
    /// The goal that was first cut off at the bound on depth.
    cut_off: Option<u32>,
    /// The goal carried out last.
    last: u32,
}

impl Machine {
    /// Makes the clauses of a theory the current code.
    pub(super) fn load(&mut self, theory: &PreparedTheory) {
        self.code.goals.clone_from(&theory.code.goals);
        self.code.args.clone_from(&theory.code.args);
        self.theory.clear();
        #[expect(
            clippy::iter_over_hash_type,
            reason = "the order of insertion is never looked at"
        )]
        for (predicate, rules) in &theory.by_predicate {
            self.theory.insert(*predicate, rules.clone());
        }
        self.keep_code();
    }

    /// Notes that the present code belongs to the query.
    pub(super) fn keep_code(&mut self) {
        self.loaded = (self.code.goals.len(), self.code.args.len());
    }

    /// Where in the database's code the goal carried out last is.
    pub(super) fn last_goal(&self) -> Option<usize> {
        (self.last & DYNAMIC == 0).then_some(self.last as usize)
    }

    fn reset(&mut self, limits: Limits) {
        self.heap.clear(limits);
        self.last = NONE;
        self.frames.clear();
        self.choices.clear();
        self.args.clear();
        self.native_answers.clear();
        self.records.clear();
        self.collected.clear();
        self.cut_off = None;
        self.forget_calls();
    }

    /// Forgets the code of goals called by `call/N`.
    pub(super) fn forget_calls(&mut self) {
        self.code.goals.truncate(self.loaded.0);
        self.code.args.truncate(self.loaded.1);
    }

    /// Starts a query with `n_vars` fresh variables at the bottom of the heap.
    pub(super) fn start(&mut self, goals: Span, n_vars: u32, limits: Limits) {
        self.reset(limits);
        let env = self.heap.variables(n_vars);
        self.first_frame(goals, env);
    }

    /// Starts the body of a rule whose head unifies with the arguments; false if it does not.
    pub(super) fn start_rule(
        &mut self,
        db: &Database,
        rule: Rule,
        args: &[Term],
        limits: Limits,
    ) -> bool {
        self.reset(limits);
        let env = self.heap.variables(rule.n_vars);
        let sources = Sources {
            statics: &db.statics,
            code: &db.code,
            dynamic: &self.code,
        };
        let heap = &mut self.heap;
        let mut vars = Vec::new();
        let matches = args.iter().zip(0..).all(|(term, i)| {
            // Constants are matched where they are; most examples have nothing else.
            match (sources.arg(rule.head, i), term) {
                (Arg::Const(own), Term::Const(value)) => own == *value,
                (Arg::Var(n), Term::Const(value)) => {
                    let place = (env + n) as usize;
                    let value = Cell::Const(*value);
                    if heap.cells[place] == Cell::Ref(env + n) {
                        heap.cells[place] = value;
                        true
                    } else {
                        heap.cells[place] == value
                            || heap.unify(heap.cells[place], value, &db.statics)
                    }
                }
                (arg, term) => {
                    let value = heap.push_term(term, &mut vars);
                    heap.unify_arg(arg, env, value, sources)
                }
            }
        });
        if matches {
            self.first_frame(rule.body, env);
        }
        matches
    }

    fn first_frame(&mut self, goals: Span, env: u32) {
        let then = Continuation {
            frame: NONE,
            next: 0,
        };
        self.frames.push(Frame {
            goals,
            env,
            then,
            cut: 0,
            depth: 0,
            negated: false,
        });
    }

    fn goal(&self, db: &Database, span: Span, i: u32) -> Goal {
        let index = span.start + i;
        if index & DYNAMIC == 0 {
            db.code.goals[index as usize]
        } else {
            self.code.goals[(index & !DYNAMIC) as usize]
        }
    }

    /// Searches for the first proof.
    pub(super) fn run(
        &mut self,
        db: &Database,
        limits: Limits,
        steps: &mut u64,
    ) -> Result<Proof, ProverError> {
        self.search(
            db,
            limits,
            steps,
            Step::Continue(Continuation { frame: 0, next: 0 }),
        )
    }

    /// Searches for the next proof after one was found.
    pub(super) fn next_proof(
        &mut self,
        db: &Database,
        limits: Limits,
        steps: &mut u64,
    ) -> Result<Proof, ProverError> {
        self.search(db, limits, steps, Step::Fail)
    }

    fn search(
        &mut self,
        db: &Database,
        limits: Limits,
        steps: &mut u64,
        mut step: Step,
    ) -> Result<Proof, ProverError> {
        loop {
            if self.heap.is_over() {
                return self.over(limits, 0);
            }
            let Continuation { frame, next } = match step {
                Step::Continue(continuation) => continuation,
                Step::Fail => {
                    if self.choices.is_empty() {
                        let Some(goal) = self.cut_off else {
                            return Ok(Proof::Refuted);
                        };
                        self.last = goal;
                        return Ok(Proof::TooDeep);
                    }
                    step = self.backtrack(db);
                    continue;
                }
            };
            if frame == NONE {
                return Ok(Proof::Proved);
            }
            let current = self.frames[frame as usize];
            if next == current.goals.len {
                step = Step::Continue(current.then);
                continue;
            }
            if *steps >= limits.steps {
                return Ok(Proof::OutOfSteps);
            }
            *steps += 1;
            if steps.is_multiple_of(STEPS_BETWEEN_CHECKS) && self.bytes() > limits.memory {
                return Ok(Proof::OutOfMemory);
            }
            let after = if next + 1 == current.goals.len {
                current.then
            } else {
                Continuation {
                    frame,
                    next: next + 1,
                }
            };
            let goal = self.goal(db, current.goals, next);
            self.last = current.goals.start + next;
            step = match self.execute(db, limits, goal, current, after) {
                Ok(Some(step)) => step,
                Ok(None) => return Ok(Proof::TooDeep),
                Err(error) => self.caught(db, error)?,
            };
        }
    }

    /// How a search ends that met the bound on work or on memory.
    pub(super) fn over(&self, limits: Limits, answers: usize) -> Result<Proof, ProverError> {
        if self.heap.is_full() || self.bytes() + answers > limits.memory {
            return Ok(Proof::OutOfMemory);
        }
        if self.regs.iter().any(|&cell| self.heap.is_cyclic(cell)) {
            return Err(ProverError::Cyclic);
        }
        Ok(Proof::OutOfSteps)
    }

    /// Bytes in use.
    fn bytes(&self) -> usize {
        self.heap.bytes()
            + size_of_val(&self.frames[..])
            + size_of_val(&self.choices[..])
            + size_of_val(&self.args[..])
            + size_of_val(&self.native_answers[..])
            + size_of_val(&self.records[..])
            + size_of_val(&self.code.goals[..])
            + size_of_val(&self.code.args[..])
    }

    fn sources<'a>(&'a self, db: &'a Database) -> Sources<'a> {
        Sources {
            statics: &db.statics,
            code: &db.code,
            dynamic: &self.code,
        }
    }

    fn height(&self) -> u32 {
        u32::try_from(self.choices.len()).expect("the bound on memory holds for choices")
    }

    /// A frame for a block inside the clause of `frame`; cuts reach out of it unless `cut` says
    /// otherwise.
    fn block(
        &mut self,
        goals: Span,
        frame: Frame,
        then: Continuation,
        cut: Option<u32>,
    ) -> Continuation {
        let index = u32::try_from(self.frames.len()).expect("the bound on memory holds for frames");
        self.frames.push(Frame {
            goals,
            then,
            cut: cut.unwrap_or(frame.cut),
            ..frame
        });
        Continuation {
            frame: index,
            next: 0,
        }
    }
}
