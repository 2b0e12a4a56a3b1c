//! Tables of the calls of recursive theories.

mod theory;

use std::rc::Rc;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap};

use self::theory::{Rule, Slot, Step, Subgoal, TheoryRules};
use super::prover::TabledProver;
use crate::prover::{Database, Limits, Proof, ProverError};
use crate::term::{Atom, Clause, Term};

/// The value of a variable that has none.
const FREE: u32 = u32::MAX;
/// The table of the atom that is asked about.
const ROOT: usize = usize::MAX;
/// Most answers to one goal of the background.
const MAX_ANSWERS: usize = 200_000;
/// Examples that the tables do not decide, before the theory is given up.
const MAX_UNDECIDED: u32 = 3;
/// Bytes that a value, a state or an answer takes beside its numbers.
const OVERHEAD: usize = 64;

/// Answers to a goal of the background: the values of its open variables that matter, one answer after
/// the other.
#[derive(Debug)]
struct Answers {
    values: Vec<u32>,
    len: usize,
}

/// A call of a predicate of the theory.
#[derive(Debug)]
struct Table {
    /// Whether all its arguments are bound, so that one answer is all there is.
    is_test: bool,
    /// The values of the open arguments, with the height of their proofs.
    answers: IndexMap<Box<[u32]>, u32, FxBuildHasher>,
    /// Where its answers are waited for.
    consumers: Vec<State>,
}

/// A clause in the making: its literals before `at` hold.
#[derive(Clone, Debug)]
struct State {
    table: usize,
    rule: usize,
    at: usize,
    /// Rules within each other in the proofs of the calls so far.
    height: u32,
    values: Box<[u32]>,
}

impl State {
    /// The value of an argument of its rule; [`FREE`] if it has none.
    fn value(&self, slot: Slot) -> u32 {
        match slot {
            Slot::Var(var) => self.values[var],
            Slot::Value(value) => value,
        }
    }
}

/// States by height, the lowest first: the first proof found of an atom is one of the least height.
#[derive(Debug, Default)]
struct Queue {
    levels: Vec<Vec<State>>,
    lowest: usize,
}

impl Queue {
    fn push(&mut self, state: State) {
        let height = state.height as usize;
        if self.levels.len() <= height {
            self.levels.resize_with(height + 1, Vec::new);
        }
        self.levels[height].push(state);
        self.lowest = self.lowest.min(height);
    }

    fn pop(&mut self) -> Option<State> {
        while let Some(level) = self.levels.get_mut(self.lowest) {
            if let Some(state) = level.pop() {
                return Some(state);
            }
            self.lowest += 1;
        }
        None
    }

    fn clear(&mut self) {
        self.levels.clear();
        self.lowest = 0;
    }
}

/// Answers of goals of the background by goal and values; `None` if there are too many, or some are unknown.
type KnownAnswers = FxHashMap<(Subgoal, Box<[u32]>), Option<Rc<Answers>>>;

/// Decides what the clauses of a recursive theory cover, from tables of calls and their answers: a call
/// is made once, so that cycles end, and what it answers serves every clause that waits for it.
///
/// The theory's literals are taken from left to right, as [`Prover`](crate::Prover) takes them, and its
/// answers are the same wherever both decide.
///
/// # Source
/// Chen and Warren 1996, "Tabled evaluation with delaying for general logic programs", for programs
/// without negation of what they define.
#[derive(Debug)]
pub struct CallTables<'d> {
    prover: TabledProver<'d>,
    limits: Limits,
    terms: IndexSet<Term, FxBuildHasher>,
    /// Answers by goal of the background and values; none if there are too many, or some are unknown.
    known: KnownAnswers,
    theory: TheoryRules,
    calls: FxHashMap<(usize, Box<[u32]>), usize>,
    tables: Vec<Table>,
    queue: Queue,
    /// By clause, the first proof of the atom that was asked about last.
    proofs: Vec<Option<(u32, Box<[u32]>)>>,
    steps: u64,
    /// Bytes of the tables, and of what outlasts a theory.
    bytes: usize,
    kept_bytes: usize,
    n_undecided: u32,
}

impl<'d> CallTables<'d> {
    /// Tables with these bounds on each question.
    pub fn new(db: &'d Database, limits: Limits) -> Self {
        Self {
            prover: TabledProver::new(db, limits),
            limits,
            terms: IndexSet::default(),
            known: FxHashMap::default(),
            theory: TheoryRules::default(),
            calls: FxHashMap::default(),
            tables: Vec::new(),
            queue: Queue::default(),
            proofs: Vec::new(),
            steps: 0,
            bytes: 0,
            kept_bytes: 0,
            n_undecided: 0,
        }
    }

    /// Makes a theory the one that is asked about; whether tables can decide it. They cannot where it
    /// negates or cuts what it defines, where the background calls it, and where it calls itself with
    /// terms that are put together; and they need not where nothing calls itself.
    ///
    /// # Errors
    /// [`ProverError::NotCallable`] for a number as a goal.
    pub fn load(&mut self, theory: &[Clause]) -> Result<bool, ProverError> {
        self.forget();
        self.n_undecided = 0;
        if self.kept_bytes > self.limits.memory / 2 {
            self.known.clear();
            self.terms.clear();
            self.kept_bytes = 0;
        }
        let number = &mut |term: &Term| {
            let (index, _) = self.terms.insert_full(term.clone());
            u32::try_from(index).unwrap_or(FREE)
        };
        let rules = TheoryRules::new(theory, &mut self.prover, number)?;
        let can_decide = rules.is_some();
        self.theory = rules.unwrap_or_default();
        Ok(can_decide)
    }

    /// Steps that the last question took.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Sets the most steps of a question.
    pub fn limit_steps(&mut self, steps: u64) {
        self.limits.steps = steps;
    }

    /// Looks for a proof of a ground atom by each clause of the theory; whether the tables decide it.
    pub fn ask(&mut self, example: &Atom) -> bool {
        self.steps = 0;
        self.proofs.clear();
        self.proofs.resize(self.theory.n_clauses, None);
        if self.n_undecided >= MAX_UNDECIDED {
            return false;
        }
        let Some(predicate) = self.theory.predicate(example.predicate()) else {
            return true;
        };
        let args: Box<[u32]> = example.args.iter().map(|arg| self.number(arg)).collect();
        for rule in 0..self.theory.n_clauses {
            if self.theory.rules[rule].predicate == predicate {
                self.begin(ROOT, rule, &args);
            }
        }
        let is_decided = self.run().is_some();
        if !is_decided {
            // Tables in the making hold less than there is.
            self.forget();
            self.n_undecided += 1;
        }
        is_decided
    }

    /// Whether a clause covers the atom that was asked about last.
    #[inline]
    pub fn covers(&self, clause: usize) -> bool {
        self.proofs[clause].is_some()
    }

    /// The clause and the values of its variables, by their numbers, in a proof of the least height of
    /// the atom that was asked about last. Variables that occur once have none.
    pub fn proof(&self) -> Option<(usize, Vec<Option<Term>>)> {
        let proofs = self.proofs.iter().enumerate();
        let found = proofs.filter_map(|(clause, own)| own.as_ref().map(|own| (clause, own)));
        let (clause, (_, values)) = found.min_by_key(|(_, (height, _))| *height)?;
        let term = |value: &u32| self.terms.get_index(*value as usize).cloned();
        Some((clause, values.iter().map(term).collect()))
    }

    fn forget(&mut self) {
        self.calls.clear();
        self.tables.clear();
        self.queue.clear();
        self.bytes = 0;
    }

    fn number(&mut self, term: &Term) -> u32 {
        let (index, is_new) = self.terms.insert_full(term.clone());
        if is_new {
            self.kept_bytes += OVERHEAD + term.size() * size_of::<Term>();
        }
        u32::try_from(index).unwrap_or(FREE)
    }

    /// Begins a clause for a call, if its head matches.
    fn begin(&mut self, table: usize, rule: usize, args: &[u32]) {
        let Rule { head, n_vars, .. } = &self.theory.rules[rule];
        let mut values = vec![FREE; *n_vars].into_boxed_slice();
        for (slot, &arg) in head.iter().zip(args) {
            let own = match slot {
                Slot::Value(value) => *value,
                Slot::Var(var) => {
                    let own = &mut values[*var];
                    if *own == FREE {
                        *own = arg;
                    }
                    *own
                }
            };
            if arg != FREE && own != arg {
                return;
            }
        }
        self.queue.push(State {
            table,
            rule,
            at: 0,
            height: 0,
            values,
        });
    }

    /// Carries out all states; none if a bound is met, or an answer unknown.
    fn run(&mut self) -> Option<()> {
        while let Some(state) = self.queue.pop() {
            self.steps += 1;
            if self.steps > self.limits.steps || self.bytes + self.kept_bytes > self.limits.memory {
                return None;
            }
            if self.is_answered(&state) {
                continue;
            }
            let theory = &self.theory.rules[state.rule];
            match theory.body.get(state.at) {
                None => self.answer(&state)?,
                Some(Step::Goal(goal, vars)) => {
                    let (goal, vars) = (*goal, Rc::clone(vars));
                    self.ask_background(&state, goal, &vars)?;
                }
                Some(Step::Call(predicate, args)) => {
                    let (predicate, args) = (*predicate, Rc::clone(args));
                    self.call(state, predicate, &args);
                }
            }
        }
        Some(())
    }

    /// Whether all that a state may lead to is known.
    fn is_answered(&self, state: &State) -> bool {
        if state.table == ROOT {
            return self.proofs[state.rule].is_some();
        }
        let table = &self.tables[state.table];
        table.is_test && !table.answers.is_empty()
    }

    /// Notes the answer of a clause all of whose literals hold, and hands it to those that wait.
    fn answer(&mut self, state: &State) -> Option<()> {
        let height = state.height + 1;
        if state.table == ROOT {
            self.proofs[state.rule] = Some((height, state.values.clone()));
            return Some(());
        }
        let head = &self.theory.rules[state.rule].head;
        let of_call = &self.tables[state.table];
        let row: Box<[u32]> = if of_call.is_test {
            Box::default()
        } else {
            head.iter().map(|slot| state.value(*slot)).collect()
        };
        if row.contains(&FREE) {
            return None;
        }
        let table = &mut self.tables[state.table];
        if table.answers.contains_key(&row) {
            return Some(());
        }
        self.bytes += OVERHEAD + size_of_val(&*row);
        let resumed: Vec<State> = (table.consumers.iter())
            .filter_map(|waiting| self.theory.resumed(waiting, &row, height))
            .collect();
        table.answers.insert(row, height);
        for state in resumed {
            self.queue.push(state);
        }
        Some(())
    }

    /// Goes on with each answer to a call of the theory, present and future.
    fn call(&mut self, state: State, predicate: usize, args: &[Slot]) {
        let args: Box<[u32]> = args.iter().map(|slot| state.value(*slot)).collect();
        let key = (predicate, args);
        let table = if let Some(&table) = self.calls.get(&key) {
            table
        } else {
            let table = self.tables.len();
            self.tables.push(Table {
                is_test: !key.1.contains(&FREE),
                answers: IndexMap::default(),
                consumers: Vec::new(),
            });
            for rule in 0..self.theory.rules.len() {
                if self.theory.rules[rule].predicate == predicate {
                    self.begin(table, rule, &key.1);
                }
            }
            self.bytes += OVERHEAD + size_of_val(&*key.1);
            self.calls.insert(key, table);
            table
        };
        let known = self.tables[table].answers.iter();
        let resumed: Vec<State> = known
            .filter_map(|(row, height)| self.theory.resumed(&state, row, *height))
            .collect();
        for state in resumed {
            self.queue.push(state);
        }
        let own = &mut self.tables[table];
        if !own.is_test || own.answers.is_empty() {
            self.bytes += OVERHEAD + size_of_val(&*state.values);
            own.consumers.push(state);
        }
    }

    /// Goes on with each answer to a goal of the background.
    fn ask_background(&mut self, state: &State, goal: Subgoal, vars: &[usize]) -> Option<()> {
        let values: Box<[u32]> = vars.iter().map(|var| state.values[*var]).collect();
        let key = (goal, values);
        let known = if let Some(known) = self.known.get(&key) {
            known.clone()
        } else {
            let found = self.background_answers(goal, &key.1).map(Rc::new);
            self.kept_bytes += OVERHEAD
                + size_of_val(&*key.1)
                + found.as_ref().map_or(0, |own| size_of_val(&own.values[..]));
            self.known.insert(key.clone(), found.clone());
            found
        };
        let answers = known?;
        let is_needed = |place: usize| key.1[place] == FREE && goal.needs(place);
        let open: Vec<usize> = (0..vars.len()).filter(|place| is_needed(*place)).collect();
        self.steps += answers.len as u64;
        for n in 0..answers.len {
            let mut next = state.clone();
            next.at += 1;
            for (value, place) in answers.values[n * open.len()..].iter().zip(&open) {
                next.values[vars[*place]] = *value;
            }
            self.queue.push(next);
        }
        Some(())
    }

    /// What the prover answers; none if that is not all, or not known.
    fn background_answers(&mut self, goal: Subgoal, values: &[u32]) -> Option<Answers> {
        let mut n_open = 0;
        let of_value = |(place, value): (u32, &u32)| match self.terms.get_index(*value as usize) {
            Some(term) => term.clone(),
            None => Term::var(place),
        };
        let terms: Vec<Term> = (0..).zip(values).map(of_value).collect();
        let mut open: Vec<usize> = Vec::new();
        for (place, value) in values.iter().enumerate() {
            n_open += usize::from(*value == FREE);
            if *value == FREE && goal.needs(place) {
                open.push(place);
            }
        }
        let max = if open.is_empty() { 1 } else { MAX_ANSWERS };
        self.prover.prover.raised = None;
        let found = if goal.is_negative || n_open == 0 {
            let proof = self.prover.prove_once(goal.goal, &terms).ok()?;
            self.steps += self.prover.prover.steps();
            return match proof {
                Proof::Proved => Some(1),
                Proof::Refuted if self.prover.prover.raised.is_none() => Some(0),
                _ => None,
            }
            .map(|len| Answers {
                values: Vec::new(),
                len,
            });
        } else {
            self.prover.solutions(goal.goal, &terms, max).ok()?
        };
        self.steps += self.prover.prover.steps();
        let is_all = found.end == Proof::Refuted && self.prover.prover.raised.is_none();
        if open.is_empty() {
            let len = found.bindings.len();
            return (is_all || len > 0).then(|| Answers {
                values: Vec::new(),
                len,
            });
        }
        if !is_all {
            return None;
        }
        let mut rows: IndexSet<Box<[u32]>, FxBuildHasher> = IndexSet::default();
        for binding in &found.bindings {
            if !open.iter().all(|place| binding[*place].is_ground()) {
                return None;
            }
            rows.insert(
                open.iter()
                    .map(|place| self.number(&binding[*place]))
                    .collect(),
            );
        }
        Some(Answers {
            len: rows.len(),
            values: rows.iter().flatten().copied().collect(),
        })
    }
}

impl TheoryRules {
    /// A state that waited for a call, with an answer to it; none if the two do not agree.
    fn resumed(&self, waiting: &State, row: &[u32], height: u32) -> Option<State> {
        let mut next = waiting.clone();
        next.at += 1;
        next.height = next.height.max(height);
        let Some(Step::Call(_, args)) = self.rules[waiting.rule].body.get(waiting.at) else {
            return None;
        };
        // A test has no values to take.
        for (slot, value) in args.iter().zip(row) {
            let own = match slot {
                Slot::Value(own) => *own,
                Slot::Var(var) => {
                    let own = &mut next.values[*var];
                    if *own == FREE {
                        *own = *value;
                    }
                    *own
                }
            };
            if own != *value {
                return None;
            }
        }
        Some(next)
    }
}

#[cfg(test)]
mod tests;
