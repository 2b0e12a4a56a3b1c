use std::hash::BuildHasherDefault;
use std::ops::ControlFlow;

use indexmap::IndexMap;
use rustc_hash::FxHasher;

use super::builtin::Builtin;
use super::cell::Cell;
use super::code::{Code, DYNAMIC, Goal, PreparedTheory, Rule, Span, Target};
use super::compile::Compiler;
use super::database::Database;
use super::facts::Cursor;
use super::heap::{Heap, Sources};
use super::query::Limits;
use super::{Proof, ProverError};
use crate::reader::literal_from_term;
use crate::term::{Constant, Predicate, Term};

const NONE: u32 = u32::MAX;

/// A block of goals being carried out. Frames do not change once made; where a computation stands
/// is a [`Continuation`].
#[derive(Clone, Copy)]
struct Frame {
    goals: Span,
    env: u32,
    /// What to do when the block is done.
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

/// What to try next, and the state to go back to.
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
    /// More answers of a native relation, from this index of the collected ones.
    Native { next: usize, n_args: usize },
    /// More whole numbers up to a bound.
    Between { next: i64, high: i64 },
    /// All answers of a `findall` are collected.
    FindallEnd { result: Cell, collected: usize },
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
    collected: Vec<Term>,
    /// Code of the current theory or query, then of goals called by `call/N`.
    pub(super) code: Code,
    pub(super) theory: IndexMap<Predicate, Vec<Rule>, BuildHasherDefault<FxHasher>>,
    /// Lengths of the code that belongs to the theory or query; what follows is from `call/N`.
    loaded: (usize, usize),
    cut_off: bool,
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

    fn reset(&mut self) {
        self.frames.clear();
        self.choices.clear();
        self.args.clear();
        self.native_answers.clear();
        self.collected.clear();
        self.cut_off = false;
        self.code.goals.truncate(self.loaded.0);
        self.code.args.truncate(self.loaded.1);
    }

    /// Starts a query with `n_vars` fresh variables at the bottom of the heap.
    pub(super) fn start(&mut self, goals: Span, n_vars: u32) {
        self.reset();
        self.heap.clear();
        let env = self.heap.variables(n_vars);
        self.first_frame(goals, env);
    }

    /// Starts the body of a rule whose head unifies with the arguments; false if it does not.
    pub(super) fn start_rule(&mut self, db: &Database, rule: Rule, args: &[Cell]) -> bool {
        self.reset();
        let env = self.heap.variables(rule.n_vars);
        let sources = Sources {
            statics: &db.statics,
            code: &db.code,
            dynamic: &self.code,
        };
        let matches = args.iter().zip(0..).all(|(&value, i)| {
            self.heap
                .unify_arg(sources.arg(rule.head, i), env, value, sources)
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
            let Continuation { frame, next } = match step {
                Step::Continue(continuation) => continuation,
                Step::Fail => {
                    if self.choices.is_empty() {
                        return Ok(if self.cut_off {
                            Proof::TooDeep
                        } else {
                            Proof::Refuted
                        });
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
            let after = if next + 1 == current.goals.len {
                current.then
            } else {
                Continuation {
                    frame,
                    next: next + 1,
                }
            };
            let goal = self.goal(db, current.goals, next);
            step = match self.execute(db, limits, goal, current, after)? {
                Some(step) => step,
                None => return Ok(Proof::TooDeep),
            };
        }
    }

    fn sources<'a>(&'a self, db: &'a Database) -> Sources<'a> {
        Sources {
            statics: &db.statics,
            code: &db.code,
            dynamic: &self.code,
        }
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

    /// Carries out one goal; `None` if the depth bound was met inside a negation.
    fn execute(
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
                    start: REFUSE | DYNAMIC,
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
                let term = self
                    .heap
                    .to_term(self.regs[0], &mut Vec::new(), &db.statics);
                self.collected.push(term);
                Step::Fail
            }
            Goal::CallTerm(span) => {
                self.load_args(db, span, env);
                self.call_term(db, frame, after)?
            }
            Goal::Call(target, span) => {
                if depth >= limits.depth {
                    self.cut_off = true;
                    return Ok(if negated { None } else { Some(Step::Fail) });
                }
                self.load_args(db, span, env);
                self.call(db, target, span.len as usize, after, depth + 1, negated)?
            }
        };
        Ok(Some(step))
    }

    fn height(&self) -> u32 {
        u32::try_from(self.choices.len()).expect("step limits bound the choices")
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
        let index = u32::try_from(self.frames.len()).expect("step limits bound the frames");
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

    fn choose(&mut self, alternative: Alternative, then: Continuation) {
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
    fn choose_with_args(&mut self, alternative: Alternative, then: Continuation) {
        self.choose(alternative, then);
        self.args.extend_from_slice(&self.regs);
    }

    fn backtrack(&mut self, db: &Database) -> Step {
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
            Alternative::Native { next, .. } => self.try_native(db, next, choice.then),
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

    fn call(
        &mut self,
        db: &Database,
        target: Target,
        arity: usize,
        then: Continuation,
        depth: u32,
        negated: bool,
    ) -> Result<Step, ProverError> {
        let (entry_index, predicate) = match target {
            Target::Entry(index) => {
                let (predicate, _) = db
                    .entries
                    .get_index(index as usize)
                    .expect("indexes come from the database");
                (Some(index), *predicate)
            }
            Target::Named(predicate) => (None, predicate),
        };
        debug_assert_eq!(predicate.arity, arity);
        let in_theory = !self.theory.is_empty() && self.theory.contains_key(&predicate);
        let entry = entry_index.map(|index| (index, &db.entries[index as usize]));
        let Some((index, entry)) = entry.filter(|(_, entry)| entry.defined) else {
            return if in_theory {
                Ok(self.try_rules(db, RuleSource::Theory(predicate), 0, then, depth, negated))
            } else {
                Err(ProverError::UnknownPredicate(predicate))
            };
        };
        if let Some(native) = &entry.native {
            return self.call_native(db, native.as_ref(), then);
        }
        if in_theory {
            // The theory's clauses come after the program's own.
            self.choose_with_args(
                Alternative::Rules {
                    source: RuleSource::Theory(predicate),
                    next: 0,
                    n_args: arity,
                    depth,
                    negated,
                },
                then,
            );
        }
        if entry.facts.is_empty() {
            return Ok(self.try_rules(db, RuleSource::Entry(index), 0, then, depth, negated));
        }
        if !entry.rules.is_empty() {
            self.choose_with_args(
                Alternative::Rules {
                    source: RuleSource::Entry(index),
                    next: 0,
                    n_args: arity,
                    depth,
                    negated,
                },
                then,
            );
        }
        let cursor = entry.facts.search(&self.regs);
        Ok(self.try_facts(db, index, cursor, then))
    }

    fn try_facts(
        &mut self,
        db: &Database,
        entry: u32,
        mut cursor: Cursor,
        then: Continuation,
    ) -> Step {
        let table = &db.entries[entry as usize].facts;
        let mut row = table.advance(&mut cursor);
        while let Some(current) = row {
            row = table.advance(&mut cursor);
            let more = row.is_some();
            let (trail, cells) = (self.heap.trail.len(), self.heap.cells.len());
            if more {
                // The cursor has already passed the row to try next; step back to it.
                let cursor = match cursor {
                    Cursor::All(next) => Cursor::All(next - 1),
                    Cursor::Chain { mask, .. } => Cursor::Chain {
                        mask,
                        row: row.unwrap_or(u32::MAX),
                    },
                };
                let n_args = table.arity;
                self.choose_with_args(
                    Alternative::Facts {
                        entry,
                        cursor,
                        n_args,
                    },
                    then,
                );
            }
            let unified = self
                .regs
                .iter()
                .zip(table.row(current))
                .all(|(&arg, &cell)| self.heap.unify(arg, cell, &db.statics));
            if unified {
                return Step::Continue(then);
            }
            self.heap.undo(trail, cells);
            if more {
                self.choices.pop();
                self.args.truncate(self.args.len() - table.arity);
            }
        }
        Step::Fail
    }

    fn try_rules(
        &mut self,
        db: &Database,
        source: RuleSource,
        mut next: u32,
        then: Continuation,
        depth: u32,
        negated: bool,
    ) -> Step {
        let rule_at = |machine: &Self, i: u32| -> Option<Rule> {
            let rules = match source {
                RuleSource::Entry(entry) => Some(&db.entries[entry as usize].rules),
                RuleSource::Theory(predicate) => machine.theory.get(&predicate),
            };
            rules?.get(i as usize).copied()
        };
        // Skips rules whose head cannot match, so that the last one leaves no choice behind.
        let find = |machine: &Self, mut i: u32| {
            while let Some(rule) = rule_at(machine, i) {
                if machine.may_match(db, rule) {
                    return Some((i, rule));
                }
                i += 1;
            }
            None
        };
        let mut candidate = find(self, next);
        while let Some((index, rule)) = candidate {
            next = index + 1;
            candidate = find(self, next);
            let cut = self.height();
            let (trail, cells) = (self.heap.trail.len(), self.heap.cells.len());
            if let Some((index, _)) = candidate {
                let n_args = self.regs.len();
                self.choose_with_args(
                    Alternative::Rules {
                        source,
                        next: index,
                        n_args,
                        depth,
                        negated,
                    },
                    then,
                );
            }
            let env = self.heap.variables(rule.n_vars);
            let sources = Sources {
                statics: &db.statics,
                code: &db.code,
                dynamic: &self.code,
            };
            let unified = self.regs.iter().zip(0..).all(|(&value, i)| {
                self.heap
                    .unify_arg(sources.arg(rule.head, i), env, value, sources)
            });
            if unified {
                if rule.body.len == 0 {
                    return Step::Continue(then);
                }
                let frame = u32::try_from(self.frames.len()).expect("step limits bound the frames");
                self.frames.push(Frame {
                    goals: rule.body,
                    env,
                    then,
                    cut,
                    depth,
                    negated,
                });
                return Step::Continue(Continuation { frame, next: 0 });
            }
            self.heap.undo(trail, cells);
            if candidate.is_some() {
                self.choices.pop();
                self.args.truncate(self.args.len() - self.regs.len());
            }
        }
        Step::Fail
    }

    /// A quick look at the atomic arguments of a rule's head.
    fn may_match(&self, db: &Database, rule: Rule) -> bool {
        let sources = self.sources(db);
        self.regs
            .iter()
            .zip(0..)
            .all(|(&value, i)| match (sources.arg(rule.head, i), value) {
                (super::code::Arg::Const(own), Cell::Const(constant)) => own == constant,
                (super::code::Arg::Const(_), Cell::Struct(_))
                | (super::code::Arg::Struct(..) | super::code::Arg::Static(_), Cell::Const(_)) => {
                    false
                }
                (super::code::Arg::Struct(name, span), Cell::Struct(address)) => {
                    self.heap.at(address, &db.statics) == Cell::Functor(name, span.len)
                }
                _ => true,
            })
    }

    fn call_native(
        &mut self,
        db: &Database,
        native: &dyn super::NativeRelation,
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
        Ok(self.try_native(db, answers, then))
    }

    fn try_native(&mut self, db: &Database, next: usize, then: Continuation) -> Step {
        let arity = self.regs.len();
        let end = self.native_answers.len();
        let mut next = next;
        while next + arity <= end {
            let (trail, cells) = (self.heap.trail.len(), self.heap.cells.len());
            let more = next + 2 * arity <= end;
            if more {
                let alternative = Alternative::Native {
                    next: next + arity,
                    n_args: arity,
                };
                self.choose_with_args(alternative, then);
            }
            let unified = (0..arity).all(|i| {
                let value = Cell::Const(self.native_answers[next + i]);
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
            next += arity;
        }
        Step::Fail
    }

    fn between(&mut self, db: &Database, then: Continuation) -> Result<Step, ProverError> {
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
                expected: "whole numbers",
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
    fn try_between(&mut self, next: i64, high: i64, db: &Database, then: Continuation) -> Step {
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

    /// Calls the term in the first register with the other registers as further arguments.
    fn call_term(
        &mut self,
        db: &Database,
        frame: Frame,
        then: Continuation,
    ) -> Result<Step, ProverError> {
        let mut addresses = Vec::new();
        let goal = self.heap.to_term(self.regs[0], &mut addresses, &db.statics);
        let extra: Vec<Term> = self.regs[1..]
            .iter()
            .map(|&cell| self.heap.to_term(cell, &mut addresses, &db.statics))
            .collect();
        let goal = match goal {
            Term::Const(Constant::Symbol(name)) => Term::compound(name, extra),
            Term::Compound(name, args) => Term::compound(name, args.iter().cloned().chain(extra)),
            Term::Var(_) | Term::Const(_) => return Err(ProverError::NotCallable),
        };
        let literals = goal
            .conjuncts()
            .into_iter()
            .map(literal_from_term)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|_| ProverError::NotCallable)?;
        let n_vars = u32::try_from(addresses.len()).expect("fewer than 2^32 variables");
        let mut resolve = db;
        let (body, total) =
            Compiler::new(&mut self.code, DYNAMIC, &mut resolve).query(&literals, n_vars)?;
        let env = self.heap.variables(total);
        for (i, address) in addresses.into_iter().enumerate() {
            self.heap.cells[env as usize + i] = Cell::Ref(address);
        }
        let height = self.height();
        Ok(Step::Continue(self.block(
            body,
            Frame { env, ..frame },
            then,
            Some(height),
        )))
    }
}

/// Where every query's code keeps the two goals that end a negation whose block succeeded.
pub(super) const REFUSE: u32 = 0;

/// Code that starts with the goals at [`REFUSE`].
pub(super) fn query_code() -> Code {
    Code {
        goals: vec![Goal::Cut, Goal::Fail],
        args: Vec::new(),
    }
}
