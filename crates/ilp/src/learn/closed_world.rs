//! Closed-world specialization: exceptions to over-general clauses become a predicate of their own.
//!
//! For each clause that covers negative examples, those examples, seen through the variables of the
//! clause's head, are the positive examples of a new predicate, and the covered positive examples
//! its negative ones. A learner defines it, and the clause gets its negation as a condition. What
//! the definition gets wrong can be treated in the same way again.
//!
//! # Source
//! Bain and Muggleton 1991; Bain 1991; Morales 1992, section 6.1.

use kibitz_prolog::{
    Argument, Atom, BitSet, Clause, Direction, Evaluator, Limits, Literal, Mode, Predicate, Symbol,
    Term, Var,
};

use super::{Hypothesis, LearnError, Learner, Progress};
use crate::problem::Problem;
use crate::task::{Bias, Task};

/// Closed-world specialization of the theory of another learner, which also defines the exceptions.
///
/// New predicates are named `exception_to_`, the target and a number. Each clause is followed by the
/// definition of its exceptions; a clause whose exceptions cannot be told from its positive examples
/// stays as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClosedWorld<L> {
    /// The learner of the theory and of the exceptions.
    pub learner: L,
    /// Most levels of exceptions to exceptions.
    pub rounds: usize,
}

impl<L: Learner> Learner for ClosedWorld<L> {
    fn name(&self) -> &'static str {
        "closed-world"
    }

    fn learn(
        &self,
        problem: &Problem<'_>,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Hypothesis, LearnError> {
        let general = self.learner.learn(problem, progress)?;
        let mut task = problem.task().clone();
        let n_known = task.symbols.names().count();
        let (clauses, steps) = self.specialize(&mut task, &general.clauses, progress)?;
        Ok(Hypothesis {
            invented: task
                .symbols
                .names()
                .skip(n_known)
                .map(str::to_owned)
                .collect(),
            n_left_out: general.n_left_out,
            ..Hypothesis::new(clauses, general.stop, general.steps + steps)
        })
    }

    fn limits(&self) -> Limits {
        self.learner.limits()
    }
}

impl<L: Learner> ClosedWorld<L> {
    /// A learner's theory with at most three levels of exceptions.
    pub fn new(learner: L) -> Self {
        Self { learner, rounds: 3 }
    }

    /// Adds exceptions to the clauses of a theory that cover negative examples of the task, whose
    /// table then has the names of the new predicates; and the steps that this took.
    ///
    /// # Errors
    /// Whatever the learner or the prover reports.
    pub fn specialize(
        &self,
        task: &mut Task,
        theory: &[Clause],
        progress: &mut (dyn Progress + Send),
    ) -> Result<(Vec<Clause>, u64), LearnError> {
        let mut specialization = Specialization {
            learner: &self.learner,
            progress,
            steps: 0,
        };
        let clauses = specialization.of_theory(task, theory, self.rounds)?;
        Ok((clauses, specialization.steps))
    }
}

struct Specialization<'a> {
    learner: &'a dyn Learner,
    progress: &'a mut (dyn Progress + Send),
    steps: u64,
}

impl Specialization<'_> {
    fn of_theory(
        &mut self,
        task: &mut Task,
        theory: &[Clause],
        rounds: usize,
    ) -> Result<Vec<Clause>, LearnError> {
        let mut result = Vec::new();
        for clause in theory {
            let exceptions = match rounds.checked_sub(1) {
                Some(left) => self.of_clause(task, clause, left)?,
                None => None,
            };
            result.extend(exceptions.unwrap_or_else(|| vec![clause.clone()]));
        }
        Ok(result)
    }

    /// The clause with an exception, and the definition of the exception; `None` where there is none.
    fn of_clause(
        &mut self,
        task: &mut Task,
        clause: &Clause,
        rounds: usize,
    ) -> Result<Option<Vec<Clause>>, LearnError> {
        let db = task.database()?;
        let mut evaluator = Evaluator::new(&db, Limits::default(), &task.positive, &task.negative);
        let coverage = evaluator.clause(clause)?;
        if coverage.negative.is_clear() || coverage.positive.is_clear() {
            return Ok(None);
        }
        let vars = head_vars(clause);
        let stem = format!("exception_to_{}", task.symbols.name(task.target.name));
        let name = task.symbols.fresh(&stem);
        let project = |examples: &[Atom], set: &BitSet| -> Vec<Atom> {
            let mut atoms = indexmap::IndexSet::<Atom, rustc_hash::FxBuildHasher>::default();
            for i in set.ones() {
                if let Some(values) = head_values(clause, &vars, &examples[i]) {
                    atoms.insert(Atom::new(name, values));
                }
            }
            atoms.into_iter().collect()
        };
        let exceptions = project(&task.negative, &coverage.negative);
        let regular = project(&task.positive, &coverage.positive);
        if exceptions.iter().any(|atom| regular.contains(atom)) {
            // The head does not tell an exception from a regular case.
            return Ok(None);
        }
        let bias = Bias {
            head: head_mode(task, clause, &vars, name),
            max_clauses: None,
            ..task.bias.clone()
        };
        let mut inner = Task::new(task.symbols.clone(), bias);
        inner.positive = exceptions;
        inner.negative = regular;
        inner.background.clone_from(&task.background);
        inner.natives.clone_from(&task.natives);
        let learned = (self.learner).learn(&Problem::new(&mut inner)?, self.progress)?;
        self.steps += learned.steps;
        if learned.clauses.is_empty() {
            return Ok(None);
        }
        inner.symbols = learned.symbols(&inner.symbols);
        let definition = self.of_theory(&mut inner, &learned.clauses, rounds)?;
        task.symbols = inner.symbols;
        let mut special = clause.clone();
        let args = vars.iter().map(|var| Term::Var(*var));
        special.body.push(Literal::negative(Atom::new(name, args)));
        Ok(Some([vec![special], definition].concat()))
    }
}

/// The distinct variables of a clause's head, from left to right.
fn head_vars(clause: &Clause) -> Vec<Var> {
    let mut vars = Vec::new();
    clause.head.for_each_var(&mut |var| {
        if !vars.contains(&var) {
            vars.push(var);
        }
    });
    vars
}

/// The values of the head's variables for an example it covers.
fn head_values(clause: &Clause, vars: &[Var], example: &Atom) -> Option<Vec<Term>> {
    let bindings = kibitz_prolog::unify_atoms(&clause.head, example)?;
    Some(
        vars.iter()
            .map(|var| bindings.apply(&Term::Var(*var)))
            .collect(),
    )
}

fn head_mode(task: &Task, clause: &Clause, vars: &[Var], name: Symbol) -> Mode {
    let arguments = vars
        .iter()
        .map(|var| {
            let place = clause
                .head
                .args
                .iter()
                .position(|arg| *arg == Term::Var(*var));
            let known = place.and_then(|place| task.bias.head.arguments.get(place));
            Argument {
                direction: Direction::In,
                kind: known.map_or(Symbol::TRUE, |argument| argument.kind),
            }
        })
        .collect();
    Mode {
        predicate: Predicate {
            name,
            arity: vars.len(),
        },
        arguments,
        recall: None,
    }
}
