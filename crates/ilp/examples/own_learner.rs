//! A learner of your own: the first clause, of all in order of their length, that covers no negative
//! example, again and again until every positive example is covered.
//!
//! `cargo run -p kibitz-ilp --example own_learner`

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use kibitz_ilp::learn::{Hypothesis, LearnError, Learner, Progress, Stop};
use kibitz_ilp::{Problem, Study, Task};
use kibitz_prolog::{Atom, Clause, Evaluator, Limits, Literal, Term, bits_where};

/// Enumerates clauses over the variables of the head and one more.
struct ShortestFirst {
    max_literals: usize,
}

impl ShortestFirst {
    /// Every body literal over variables below `n_vars`.
    fn literals(task: &Task, n_vars: u32) -> Vec<Literal> {
        let mut literals = Vec::new();
        for mode in &task.bias.body {
            let mut rows: Vec<Vec<Term>> = vec![Vec::new()];
            for _ in &mode.arguments {
                let longer = |row: &Vec<Term>| {
                    let row = row.clone();
                    (0..n_vars).map(move |var| [&row[..], &[Term::var(var)]].concat())
                };
                rows = rows.iter().flat_map(longer).collect();
            }
            let atoms = rows
                .into_iter()
                .map(|args| Atom::new(mode.predicate.name, args));
            literals.extend(atoms.map(Literal::positive));
        }
        literals
    }
}

impl Learner for ShortestFirst {
    fn name(&self) -> &'static str {
        "shortest-first"
    }

    fn learn(
        &self,
        problem: &Problem<'_>,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Hypothesis, LearnError> {
        let task = problem.task();
        let n_vars = u32::try_from(task.target.arity).unwrap_or(0);
        let head = Atom::new(task.target.name, (0..n_vars).map(Term::var));
        let literals = Self::literals(task, n_vars + 1);
        let (positive, negative) = (&task.positive, &task.negative);
        let mut evaluator =
            Evaluator::new(problem.database(), Limits::default(), positive, negative);
        let mut open = bits_where(positive.len(), |_| true);
        let (mut clauses, mut steps) = (Vec::new(), 0);
        let mut bodies: Vec<Vec<Literal>> = vec![Vec::new()];
        for _ in 0..=self.max_literals {
            for body in &bodies {
                if open.is_clear() || !progress.keep_going() {
                    break;
                }
                steps += 1;
                let clause = Clause::new(head.clone(), body.clone()).normalized();
                let covered = evaluator.clause(&clause)?;
                if covered.negative.is_clear() && !covered.positive.is_disjoint(&open) {
                    open.difference_with(&covered.positive);
                    clauses.push(clause);
                }
            }
            let longer = bodies.iter().flat_map(|body| {
                literals
                    .iter()
                    .map(|literal| [&body[..], std::slice::from_ref(literal)].concat())
            });
            bodies = longer.collect();
        }
        let stop = if open.is_clear() {
            Stop::Complete
        } else {
            Stop::NoMoreClauses
        };
        Ok(Hypothesis::new(clauses, stop, steps))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut task = Task::from_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/family"))?;
    let theory = task.learn(&ShortestFirst { max_literals: 2 })?;
    print!("{theory}");
    assert!(theory.is_correct(), "{theory}");
    Ok(())
}

#[test]
fn it_learns_what_a_grandparent_is() {
    main().expect("a theory");
}
