use std::cell::OnceCell;
use std::ops::ControlFlow;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::goal::TabledGoal;
use super::join_plan::Definition;
use super::native_goal::NativeGoal;
use crate::prover::code::{DYNAMIC, Rule};
use crate::prover::compile::Compiler;
use crate::prover::{Answers, Database, Limits, Proof, Prover, ProverError};
use crate::term::{Atom, Clause, Constant, Literal, Symbol, Term};

/// All answers are forgotten once they hold more values than this.
const MAX_REMEMBERED: usize = 1_000_000;

/// A compiled goal with its remembered answers.
#[derive(Debug)]
pub(super) struct Table<'d> {
    /// The goal, whose variables are numbered as they come.
    pub(super) literal: Literal,
    rule: Rule,
    n_vars: u32,
    /// The call of a native relation that it consists of.
    pub(super) direct: Option<NativeGoal<'d>>,
    /// Whether it is decided without any native relation: such goals recur with few different answers.
    pub(super) is_of_facts: bool,
    /// Its definition by the only clause of its predicate, made when first needed.
    pub(super) definition: OnceCell<Option<Rc<Definition<'d>>>>,
    proofs: FxHashMap<Box<[Term]>, Proof>,
    answers: FxHashMap<Box<[Term]>, Rc<Answers>>,
}

/// Proves goals again and again with other values of their variables: each goal is compiled once,
/// and its answers are remembered (tabling).
pub struct TabledProver<'d> {
    pub(super) prover: Prover<'d>,
    goals: FxHashMap<Literal, TabledGoal>,
    pub(super) tables: Vec<Table<'d>>,
    n_values: usize,
}

impl std::fmt::Debug for TabledProver<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TabledProver")
            .field("goals", &self.tables.len())
            .finish_non_exhaustive()
    }
}

impl<'d> TabledProver<'d> {
    /// A prover with these bounds for every question.
    pub fn new(db: &'d Database, limits: Limits) -> Self {
        let mut prover = Prover::new(db, limits);
        prover.machine.code.restart();
        prover.machine.keep_code();
        Self {
            prover,
            goals: FxHashMap::default(),
            tables: Vec::new(),
            n_values: 0,
        }
    }

    /// The clause of the database that the last query was in when an error or a bound ended it.
    pub fn last_clause(&self) -> Option<&'d Clause> {
        self.prover.last_clause()
    }

    /// Compiles a goal; literals that differ in the names of their variables are the same goal.
    ///
    /// # Errors
    /// [`ProverError::NotCallable`] for a number as a goal.
    pub fn goal(&mut self, literal: &Literal) -> Result<TabledGoal, ProverError> {
        let goal = Clause {
            head: Atom::new(Symbol::TRUE, []),
            body: vec![literal.clone()],
        };
        let goal = goal.normalized();
        if let Some(&known) = goal.body.first().and_then(|own| self.goals.get(own)) {
            return Ok(known);
        }
        let n_vars = goal.var_bound();
        let clause = Clause {
            head: Atom::new(Symbol::TRUE, (0..n_vars).map(Term::var)),
            ..goal
        };
        self.prover.machine.forget_calls();
        let mut resolve = self.prover.db;
        let code = &mut self.prover.machine.code;
        let rule = Compiler::new(code, DYNAMIC, &mut resolve).clause(&clause)?;
        let db = self.prover.db;
        let direct = NativeGoal::new(rule, code, db);
        self.prover.machine.keep_code();
        let goal = TabledGoal(self.tables.len());
        self.tables.push(Table {
            literal: clause.body[0].clone(),
            rule,
            n_vars,
            direct,
            is_of_facts: clause.body.iter().all(|goal| db.is_of_facts(&goal.atom)),
            definition: OnceCell::new(),
            proofs: FxHashMap::default(),
            answers: FxHashMap::default(),
        });
        self.goals
            .extend(clause.body.into_iter().map(|own| (own, goal)));
        Ok(goal)
    }

    /// Whether a goal can be proved with these values of its variables, in the order in which they
    /// come first; a variable among the values is open.
    ///
    /// # Errors
    /// [`ProverError`] for goals that cannot be carried out.
    pub fn prove(&mut self, goal: TabledGoal, values: &[Term]) -> Result<Proof, ProverError> {
        if let Some(found) = self.is_true(goal, values)? {
            return Ok(found);
        }
        self.prover.steps = 0;
        if let Some(found) = self.tables[goal.0].proofs.get(values) {
            self.prover.set_steps(1);
            return Ok(*found);
        }
        let found = self.start(goal, values)?;
        if !found.is_cut_short() {
            self.make_room(values.len());
            self.tables[goal.0].proofs.insert(values.into(), found);
        }
        Ok(found)
    }

    /// The same, remembered only for goals that no native relation decides.
    ///
    /// # Errors
    /// [`ProverError`] for goals that cannot be carried out.
    #[inline]
    pub fn prove_once(&mut self, goal: TabledGoal, values: &[Term]) -> Result<Proof, ProverError> {
        if self.tables[goal.0].is_of_facts {
            return self.prove(goal, values);
        }
        match self.is_true(goal, values)? {
            Some(found) => Ok(found),
            None => self.start(goal, values),
        }
    }

    /// All answers to a goal, remembered as by [`prove_once`](Self::prove_once).
    pub(super) fn answers_once(
        &mut self,
        goal: TabledGoal,
        values: &[Term],
    ) -> Result<Rc<Answers>, ProverError> {
        if self.tables[goal.0].is_of_facts {
            self.answers(goal, values)
        } else {
            Ok(Rc::new(self.solutions(goal, values, usize::MAX)?))
        }
    }

    /// Whether a goal is a call of a native relation.
    #[inline]
    pub fn is_native(&self, goal: TabledGoal) -> bool {
        self.direct(goal).is_some()
    }

    /// The call of a native relation that a goal consists of.
    pub(super) fn direct(&self, goal: TabledGoal) -> Option<&NativeGoal<'d>> {
        self.tables[goal.0].direct.as_ref()
    }

    /// All answers to a goal, values for all its variables.
    pub(super) fn answers(
        &mut self,
        goal: TabledGoal,
        values: &[Term],
    ) -> Result<Rc<Answers>, ProverError> {
        if let Some(found) = self.tables[goal.0].answers.get(values) {
            self.prover.set_steps(1);
            return Ok(Rc::clone(found));
        }
        let found = Rc::new(self.solutions(goal, values, usize::MAX)?);
        if !found.end.is_cut_short() {
            self.make_room(found.bindings.iter().map(Vec::len).sum::<usize>() + values.len());
            let answers = &mut self.tables[goal.0].answers;
            answers.insert(values.into(), Rc::clone(&found));
        }
        Ok(found)
    }

    /// Appends the first `max` answers in which all variables are constants to `rows`, the value of
    /// each variable of each answer; says how the search ended. This is not remembered.
    ///
    /// # Errors
    /// [`ProverError`] for goals that cannot be carried out.
    pub fn tuples(
        &mut self,
        goal: TabledGoal,
        values: &[Term],
        max: usize,
        rows: &mut Vec<Constant>,
    ) -> Result<Proof, ProverError> {
        if let Some(end) = self.ask(goal, values, max, rows)? {
            return Ok(end);
        }
        let first = self.start(goal, values)?;
        self.prover
            .rows(first, self.tables[goal.0].n_vars, max, rows)
    }

    /// Proves a query whose code is not kept.
    pub(super) fn prove_apart(&mut self, goals: &[Literal]) -> Result<Proof, ProverError> {
        let code = std::mem::take(&mut self.prover.machine.code);
        let found = self.prover.prove(goals);
        self.prover.machine.code = code;
        self.prover.machine.keep_code();
        found
    }

    /// The first `max` answers to a goal, values for all its variables. This is not remembered.
    ///
    /// # Errors
    /// [`ProverError`] for goals that cannot be carried out.
    pub fn solutions(
        &mut self,
        goal: TabledGoal,
        values: &[Term],
        max: usize,
    ) -> Result<Answers, ProverError> {
        let mut rows = Vec::new();
        if let Some(end) = self.ask(goal, values, max, &mut rows)? {
            let n_vars = self.tables[goal.0].n_vars as usize;
            let of_row = |row: &[Constant]| row.iter().map(|value| Term::Const(*value)).collect();
            let bindings = rows.chunks_exact(n_vars).map(of_row).collect();
            return Ok(Answers { bindings, end });
        }
        let first = self.start(goal, values)?;
        self.prover.answers(first, self.tables[goal.0].n_vars, max)
    }

    /// Whether a goal can be proved. This is not remembered.
    ///
    /// # Errors
    /// [`ProverError`] for goals that cannot be carried out.
    #[inline]
    pub fn proof(&mut self, goal: TabledGoal, values: &[Term]) -> Result<Proof, ProverError> {
        match self.is_true(goal, values)? {
            Some(found) => Ok(found),
            None => self.start(goal, values),
        }
    }

    /// The error that the last goal beside those of native relations ended in, if it counts as a failure.
    #[inline]
    pub fn raised(&self) -> Option<&ProverError> {
        self.prover.raised()
    }

    /// Whether a goal that only asks a native relation is true; none if it is another goal.
    fn is_true(&mut self, goal: TabledGoal, values: &[Term]) -> Result<Option<Proof>, ProverError> {
        let Some(direct) = &mut self.tables[goal.0].direct else {
            return Ok(None);
        };
        let mut holds = false;
        let asked = direct.ask(values, |_| {
            holds = true;
            ControlFlow::Break(())
        })?;
        let proof = if holds == direct.positive {
            Proof::Proved
        } else {
            Proof::Refuted
        };
        self.prover.set_steps(1);
        Ok(asked.then_some(proof))
    }

    /// Appends the values of the variables in the first `max` answers to a goal with variables that
    /// only asks a native relation; none if it is another goal.
    fn ask(
        &mut self,
        goal: TabledGoal,
        values: &[Term],
        max: usize,
        rows: &mut Vec<Constant>,
    ) -> Result<Option<Proof>, ProverError> {
        let direct = self.tables[goal.0].direct.as_mut();
        let Some(direct) = direct.filter(|own| own.positive && !values.is_empty() && max > 0)
        else {
            return Ok(None);
        };
        let memory = self.prover.limits.memory;
        let (mut end, mut n) = (Proof::Refuted, 0);
        let asked = direct.ask(values, |row| {
            rows.extend_from_slice(row);
            n += 1;
            if size_of_val(&rows[..]) > memory {
                end = Proof::OutOfMemory;
            } else if n == max {
                end = Proof::Proved;
            } else {
                return ControlFlow::Continue(());
            }
            ControlFlow::Break(())
        })?;
        self.prover.set_steps(1);
        Ok(asked.then_some(end))
    }

    fn start(&mut self, goal: TabledGoal, values: &[Term]) -> Result<Proof, ProverError> {
        let Prover {
            db,
            limits,
            machine,
            steps,
            raised,
        } = &mut self.prover;
        *steps = 0;
        *raised = None;
        if !machine.start_rule(db, self.tables[goal.0].rule, values, *limits) {
            return Ok(Proof::Refuted);
        }
        self.prover.first_proof()
    }

    fn make_room(&mut self, n_values: usize) {
        if self.n_values > MAX_REMEMBERED {
            for table in &mut self.tables {
                table.proofs.clear();
                table.answers.clear();
            }
            self.n_values = 0;
        }
        self.n_values += n_values + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prover::tests::database;
    use crate::{SymbolTable, read_clause};

    const PROGRAM: &str = "edge(1,2). edge(2,3). edge(3,4). edge(2,4).
        path(A,B) :- edge(A,B). path(A,B) :- edge(A,C), path(C,B).
        dead_end(A) :- \\+ edge(A,_).";

    fn with_prover<T>(ask: impl FnOnce(&mut TabledProver<'_>, &mut SymbolTable) -> T) -> T {
        let (db, mut symbols) = database(PROGRAM);
        ask(&mut TabledProver::new(&db, Limits::default()), &mut symbols)
    }

    fn literal(text: &str, symbols: &mut SymbolTable) -> Literal {
        let clause = read_clause(&format!("q :- {text}"), symbols).expect("valid");
        clause.body.into_iter().next().expect("one literal")
    }

    fn int(value: i64) -> Term {
        Term::Const(Constant::Int(value))
    }

    #[test]
    fn names_of_variables_do_not_matter() {
        with_prover(|prover, symbols| {
            let mut goal = |text: &str| prover.goal(&literal(text, symbols)).expect("callable");
            assert_eq!(goal("path(A, B)"), goal("path(X, Y)"));
            assert_ne!(goal("path(A, B)"), goal("path(A, A)"));
            assert_ne!(goal("path(A, B)"), goal("\\+ path(A, B)"));
        });
    }

    #[test]
    fn a_goal_is_proved_with_the_values_given() {
        with_prover(|prover, symbols| {
            let path = prover.goal(&literal("path(A, B)", symbols));
            let apart = prover.goal(&literal("\\+ path(A, B)", symbols));
            let (path, apart) = (path.expect("callable"), apart.expect("callable"));
            // The second time from memory.
            for _ in 0..2 {
                for (from, to, holds) in [(1, 4, true), (4, 1, false), (3, 2, false)] {
                    let values = [int(from), int(to)];
                    let mut found = |goal| prover.prove(goal, &values).expect("provable");
                    assert_eq!(found(path).is_proved(), holds);
                    assert_eq!(found(apart).is_proved(), !holds);
                }
                let open = prover.prove(path, &[int(4), Term::var(1)]);
                assert_eq!(open, Ok(Proof::Refuted));
            }
        });
    }

    #[test]
    fn answers_have_values_for_all_variables() {
        with_prover(|prover, symbols| {
            let path = prover
                .goal(&literal("path(A, B)", symbols))
                .expect("callable");
            let values = [int(2), Term::var(1)];
            let mut rows = Vec::new();
            let end = prover.tuples(path, &values, 10, &mut rows);
            assert_eq!(end, Ok(Proof::Refuted));
            let expected = [2, 3, 2, 4, 2, 4].map(Constant::Int);
            assert_eq!(rows, expected);
            for _ in 0..2 {
                let answers = prover.answers(path, &values).expect("provable");
                let found: Vec<Term> = answers.bindings.iter().flatten().cloned().collect();
                assert_eq!(found, expected.map(Term::Const));
            }
        });
    }
}
