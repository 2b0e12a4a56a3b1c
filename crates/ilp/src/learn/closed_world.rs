//! Closed-world specialization: exceptions to over-general clauses become a predicate of their own.
//!
//! For each clause that covers negative examples, those examples, seen through the variables of the
//! clause's head, are the positive examples of a new predicate, and the covered positive examples
//! its negative ones. A learner defines it, and the clause gets its negation as a condition. What
//! the definition gets wrong can be treated in the same way again.
//!
//! # Source
//! Bain and Muggleton 1991; Bain 1991; Morales 1992, section 6.1.

use super::{LearnError, Learned};
use crate::coverage::Evaluator;
use crate::mode::{Argument, Direction, Mode};
use crate::prover::Limits;
use crate::task::{Bias, Task};
use crate::term::{Atom, Clause, Literal, Predicate, Term, Var};

/// A learner for the exceptions.
pub type ExceptionLearner<'a> = dyn FnMut(&mut Task) -> Result<Learned, LearnError> + 'a;

/// Adds exceptions to the clauses of a theory that cover negative examples.
///
/// `max_rounds` bounds exceptions to exceptions. New predicates are named `exception_to_`, the
/// target and a number. The result lists each clause followed by the definition of its exceptions;
/// a clause whose exceptions cannot be told from its positive examples stays as it is.
///
/// # Errors
/// Whatever the learner or the prover reports.
pub fn specialize(
    task: &mut Task,
    theory: &[Clause],
    max_rounds: usize,
    learner: &mut ExceptionLearner<'_>,
) -> Result<Vec<Clause>, LearnError> {
    let mut result = Vec::new();
    for clause in theory {
        let db = task.database()?;
        let mut evaluator = Evaluator::new(&db, Limits::default(), &task.positive, &task.negative);
        let coverage = evaluator.clause(clause)?;
        if coverage.negative.is_clear() || coverage.positive.is_clear() || max_rounds == 0 {
            result.push(clause.clone());
            continue;
        }
        let vars = head_vars(clause);
        let stem = format!("exception_to_{}", task.symbols.name(task.target.name));
        let name = task.symbols.fresh(&stem);
        let project = |examples: &[Atom], set: &crate::BitSet| -> Vec<Atom> {
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
            result.push(clause.clone());
            continue;
        }
        let mut inner = Task {
            symbols: task.symbols.clone(),
            target: Predicate {
                name,
                arity: vars.len(),
            },
            positive: exceptions,
            negative: regular,
            background: task.background.clone(),
            natives: task.natives.clone(),
            bias: Bias {
                head: head_mode(task, clause, &vars, name),
                max_clauses: None,
                ..task.bias.clone()
            },
        };
        let learned = learner(&mut inner)?;
        if learned.clauses.is_empty() {
            result.push(clause.clone());
            continue;
        }
        let definition = specialize(&mut inner, &learned.clauses, max_rounds - 1, learner)?;
        task.symbols = inner.symbols;
        let mut special = clause.clone();
        let args = vars.iter().map(|var| Term::Var(*var));
        special.body.push(Literal::negative(Atom::new(name, args)));
        result.push(special);
        result.extend(definition);
    }
    Ok(result)
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
    let bindings = crate::unify_atoms(&clause.head, example)?;
    Some(
        vars.iter()
            .map(|var| bindings.apply(&Term::Var(*var)))
            .collect(),
    )
}

fn head_mode(task: &Task, clause: &Clause, vars: &[Var], name: crate::Symbol) -> Mode {
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
                kind: known.map_or(crate::Symbol::TRUE, |argument| argument.kind),
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
