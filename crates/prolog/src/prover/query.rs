use rustc_hash::FxHashMap;

use super::ProverError;
use super::cell::Cell;
use super::code::{Code, DYNAMIC, HeadCheck, PreparedTheory, Rule};
use super::compile::Compiler;
use super::database::{Database, calls_any};
use super::heap::{CELLS_PER_STEP, VarNumbers};
use super::limits::{Answers, Limits, Proof};
use super::machine::Machine;
use crate::term::{Atom, Clause, Constant, Literal, Predicate, Term};

/// Proves goals from a [`Database`], one query at a time.
///
/// # Examples
/// ```
/// # use kibitz_prolog::{Database, Limits, Proof, Prover, SymbolTable, read_clauses, read_clause};
/// let mut symbols = SymbolTable::new();
/// let program = read_clauses(
///     "edge(a,b). edge(b,c). path(X,Y) :- edge(X,Y). path(X,Z) :- edge(X,Y), path(Y,Z).",
///     &mut symbols,
/// )?;
/// let db = Database::builder().clauses(&program).build(&mut symbols)?;
/// let mut prover = Prover::new(&db, Limits::default());
/// let query = read_clause("q :- path(a, X)", &mut symbols)?.body;
/// let answers = prover.solutions(&query, 10)?;
/// assert_eq!(answers.bindings.len(), 2);
/// assert_eq!(answers.end, Proof::Refuted);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Prover<'d> {
    pub(super) db: &'d Database,
    pub(crate) limits: Limits,
    pub(super) machine: Machine,
    pub(super) steps: u64,
    /// Whether the last query raised an error that counts as a failure.
    pub(super) raised: Option<ProverError>,
}

impl std::fmt::Debug for Prover<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prover")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl<'d> Prover<'d> {
    /// A prover with these bounds for every query.
    pub fn new(db: &'d Database, limits: Limits) -> Self {
        Self {
            db,
            limits,
            machine: Machine::default(),
            steps: 0,
            raised: None,
        }
    }

    /// The bounds of every query.
    #[inline]
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The error that the last query ended in, if the database lets it count as a failure.
    #[inline]
    pub fn raised(&self) -> Option<&ProverError> {
        self.raised.as_ref()
    }

    /// Steps taken by the last query.
    #[inline]
    pub fn steps(&self) -> u64 {
        let cells = self.machine.heap.spent() / i64::from(CELLS_PER_STEP);
        self.steps + u64::try_from(cells).unwrap_or(0)
    }

    /// The clause of the database that the last query was in when an error or a bound ended it.
    pub fn last_clause(&self) -> Option<&'d Clause> {
        self.db.clause_of(self.machine.last_goal()?)
    }

    pub(super) fn set_steps(&mut self, steps: u64) {
        self.steps = steps;
        self.machine.heap.settle();
    }

    /// Searches for a proof of a conjunction.
    ///
    /// # Errors
    /// [`ProverError`] for goals that cannot be carried out.
    pub fn prove(&mut self, goals: &[Literal]) -> Result<Proof, ProverError> {
        self.start(goals)?;
        self.first_proof()
    }

    /// The first `max` answers to a conjunction, in the order of their proofs.
    ///
    /// # Errors
    /// [`ProverError`] for goals that cannot be carried out.
    pub fn solutions(&mut self, goals: &[Literal], max: usize) -> Result<Answers, ProverError> {
        let n_vars = self.start(goals)?;
        let first = self.first_proof()?;
        self.answers(first, n_vars, max)
    }

    /// The values of the first variables in the first `max` proofs, of which one was looked for.
    pub(super) fn answers(
        &mut self,
        mut end: Proof,
        n_vars: u32,
        max: usize,
    ) -> Result<Answers, ProverError> {
        let mut bindings: Vec<Vec<Term>> = Vec::new();
        let mut bytes = 0;
        while end == Proof::Proved && bindings.len() < max {
            let mut vars = VarNumbers::default();
            let heap = &self.machine.heap;
            let before = heap.spent();
            let values =
                (0..n_vars).map(|v| heap.to_term(Cell::Ref(v), &mut vars, &self.db.statics));
            let values = values.collect::<Result<_, _>>();
            match values {
                Ok(values) => bindings.push(values),
                Err(error) => {
                    end = self.failed(error)?;
                    break;
                }
            }
            let heap = &self.machine.heap;
            let cells = usize::try_from(heap.spent() - before).unwrap_or(usize::MAX);
            let terms = cells.saturating_add(n_vars as usize);
            bytes += size_of::<Vec<Term>>() + terms.saturating_mul(size_of::<Term>());
            if heap.is_over() || bytes > self.limits.memory {
                // The last answer may be incomplete.
                bindings.pop();
                end = match self.machine.over(self.limits, bytes) {
                    Ok(end) => end,
                    Err(error) => self.failed(error)?,
                };
                break;
            }
            end = self.next_proof()?;
        }
        Ok(Answers { bindings, end })
    }

    /// Appends the first `max` answers in which all variables are constants to `rows`, the value of
    /// each variable of each answer; says how the search ended.
    ///
    /// # Errors
    /// [`ProverError`] for goals that cannot be carried out.
    pub fn tuples(
        &mut self,
        goals: &[Literal],
        max: usize,
        rows: &mut Vec<Constant>,
    ) -> Result<Proof, ProverError> {
        let n_vars = self.start(goals)?;
        let first = self.first_proof()?;
        self.rows(first, n_vars, max, rows)
    }

    /// The same of the first variables, once the first proof was looked for.
    pub(super) fn rows(
        &mut self,
        mut end: Proof,
        n_vars: u32,
        max: usize,
        rows: &mut Vec<Constant>,
    ) -> Result<Proof, ProverError> {
        let mut found = 0;
        while end == Proof::Proved && found < max {
            let row = rows.len();
            rows.extend(
                (0..n_vars).map_while(|v| match self.machine.heap.deref(Cell::Ref(v)) {
                    Cell::Const(constant) => Some(constant),
                    _ => None,
                }),
            );
            if rows.len() - row == n_vars as usize {
                found += 1;
            } else {
                rows.truncate(row);
            }
            if size_of_val(&rows[..]) > self.limits.memory {
                return Ok(Proof::OutOfMemory);
            }
            end = self.next_proof()?;
        }
        Ok(end)
    }

    fn start(&mut self, goals: &[Literal]) -> Result<u32, ProverError> {
        let mut n_vars = 0;
        for goal in goals {
            (goal.atom).for_each_var(&mut |var| n_vars = n_vars.max(var.0 + 1));
        }
        self.machine.theory.clear();
        self.machine.code.restart();
        let mut resolve = self.db;
        let (body, total) =
            Compiler::new(&mut self.machine.code, DYNAMIC, &mut resolve).query(goals, n_vars)?;
        self.machine.keep_code();
        self.machine.start(body, total, self.limits);
        self.steps = 0;
        self.raised = None;
        Ok(n_vars)
    }

    /// Makes clauses ready to be tried on examples.
    ///
    /// # Errors
    /// [`ProverError::NotCallable`] for a number as a goal.
    pub fn prepare(&self, clauses: &[Clause]) -> Result<PreparedTheory, ProverError> {
        self.prepared(clauses, |mut compiler, clause| compiler.clause(clause))
    }

    fn prepared(
        &self,
        clauses: &[Clause],
        compile: impl Fn(Compiler<'_, &Database>, &Clause) -> Result<Rule, ProverError>,
    ) -> Result<PreparedTheory, ProverError> {
        let mut code = Code::default();
        code.restart();
        let mut rules = Vec::with_capacity(clauses.len());
        let mut resolve = self.db;
        for clause in clauses {
            let rule = compile(Compiler::new(&mut code, DYNAMIC, &mut resolve), clause)?;
            rules.push((clause.head.predicate(), rule));
        }
        let heads: Vec<Predicate> = rules.iter().map(|(predicate, _)| *predicate).collect();
        let mut by_predicate: FxHashMap<Predicate, Vec<_>> = FxHashMap::default();
        if clauses.iter().any(|clause| calls_any(&clause.body, &heads)) {
            for &(predicate, rule) in &rules {
                by_predicate.entry(predicate).or_default().push(rule);
            }
        }
        Ok(PreparedTheory {
            code,
            rules,
            by_predicate,
            checks: (clauses.iter())
                .map(|clause| HeadCheck::all(&clause.head.args))
                .collect(),
        })
    }

    /// Makes a theory the one that [`Prover::covers`] uses.
    pub fn load(&mut self, theory: &PreparedTheory) {
        self.machine.load(theory);
    }

    /// Whether a loaded clause covers a ground atom: its head matches and its body can be proved.
    ///
    /// Clauses of the loaded theory may call each other. Counts steps for this one test.
    ///
    /// # Errors
    /// [`ProverError`] for goals that cannot be carried out.
    pub fn covers(
        &mut self,
        theory: &PreparedTheory,
        clause: usize,
        example: &Atom,
    ) -> Result<Proof, ProverError> {
        let Some(&(predicate, rule)) = theory.rules.get(clause) else {
            return Ok(Proof::Refuted);
        };
        self.steps = 0;
        self.raised = None;
        let refuted = |check: &HeadCheck| check.refutes(&example.args);
        if predicate.name != example.name
            || predicate.arity != example.args.len()
            || theory.checks[clause].iter().any(refuted)
            || !(self.machine).start_rule(self.db, rule, &example.args, self.limits)
        {
            return Ok(Proof::Refuted);
        }
        self.first_proof()
    }

    /// The values of a clause's variables, by their numbers, in the first proof by which it covers a
    /// ground atom; the clauses of its theory may call each other. `None` if there is none within the
    /// bounds.
    ///
    /// # Errors
    /// [`ProverError`] for goals that cannot be carried out.
    pub fn witness(
        &mut self,
        theory: &[Clause],
        clause: usize,
        example: &Atom,
    ) -> Result<Option<Vec<Term>>, ProverError> {
        let prepared = self.prepared(theory, |mut compiler, clause| {
            compiler.numbered_clause(clause)
        })?;
        self.load(&prepared);
        if !self.covers(&prepared, clause, example)?.is_proved() {
            return Ok(None);
        }
        let mut vars = VarNumbers::default();
        let heap = &self.machine.heap;
        let values = (0..theory[clause].var_bound())
            .map(|v| heap.to_term(Cell::Ref(v), &mut vars, &self.db.statics));
        values.collect::<Result<_, _>>().map(Some)
    }

    pub(super) fn first_proof(&mut self) -> Result<Proof, ProverError> {
        let found = self.machine.run(self.db, self.limits, &mut self.steps);
        found.or_else(|error| self.failed(error))
    }

    fn next_proof(&mut self) -> Result<Proof, ProverError> {
        let found = (self.machine).next_proof(self.db, self.limits, &mut self.steps);
        found.or_else(|error| self.failed(error))
    }

    /// The end of a search by an error, if the database lets it count as a failure.
    fn failed(&mut self, error: ProverError) -> Result<Proof, ProverError> {
        let error = self.in_clause(error);
        if !self.db.tolerates(&error) {
            return Err(error);
        }
        self.raised = Some(error);
        Ok(Proof::Refuted)
    }

    fn in_clause(&self, error: ProverError) -> ProverError {
        match self.last_clause() {
            Some(clause) => ProverError::In(Box::new(clause.clone()), Box::new(error)),
            None => error,
        }
    }
}
