//! Recursive theories: those that learning from failures finds, under the same criterion.
//!
//! A recursive clause is no conjunction of features, since what it covers depends on the other clauses.
//! Theories are compared in a code that has both: of each literal its predicate, and for each argument
//! one of the clause's variables, or a constant; literals and clauses in any order.

use kibitz_prolog::{Clause, Term, Var};

use super::masses::{Masses, covered};
use super::message::{Code, log_star, own_examples};
use super::{Criterion, Message, Mml, Noise, Subject};
use crate::learn::{Hypothesis, LearnError, Learner as _, Lff, Progress, Stop};
use crate::problem::Problem;
use crate::task::Task;

/// The better of a theory without recursion and of one that may have it.
pub(super) fn better(
    own: &Mml,
    problem: &Problem<'_>,
    (code, masses, is_sample): (&Code, Option<&Masses>, bool),
    plain: Hypothesis,
    progress: &mut (dyn Progress + Send),
) -> Result<Hypothesis, LearnError> {
    let task = problem.task();
    let usual = Lff::default();
    let lff = Lff {
        max_steps: usual.max_steps.min(own.max_steps),
        limits: own.limits,
        ..usual
    };
    let recursive = lff.learn(problem, progress)?;
    let mut message = |learned: &Hypothesis| -> Result<([f64; 2], [usize; 2]), LearnError> {
        let unfolded = learned.clauses.iter().map(|clause| task.unfolded(clause));
        let clauses: Vec<Clause> = unfolded.collect();
        let examples = [&task.positive[..], &task.negative[..]];
        let coverage = problem.coverage_of(&clauses, examples, own.limits, &mut || {
            progress.keep_verifying()
        })?;
        let [tp, _, _, fp] = coverage.confusion();
        let theory = theory(own.criterion, task, &clauses);
        let [p, q] = covered(masses, &coverage);
        Ok(([theory, code.labels(p, q)], [tp, fp]))
    };
    let ((first, _), (second, n_covered)) = (message(&plain)?, message(&recursive)?);
    let steps = plain.steps + recursive.steps;
    let sum = |[theory, labels]: [f64; 2]| theory + labels;
    if sum(second) >= sum(first) || recursive.stop == Stop::Interrupted {
        return Ok(Hypothesis { steps, ..plain });
    }
    Ok(Hypothesis {
        message: Some(Message {
            criterion: own.criterion,
            theory: second[0],
            labels: second[1],
            empty: code.theory(0, 0.0) + code.labels(0, 0),
            least: code.labels(code.n[0], 0).min(sum(second)),
            within: vec!["what learning from failures looks at".to_owned()],
            is_exact: own.noise == Noise::None,
            n_in_class: Vec::new(),
            subject: Subject {
                clauses: recursive.clauses.clone(),
                n: own_examples([task.positive.len(), task.negative.len()], is_sample),
                covered: own_examples(n_covered, is_sample),
            },
        }),
        steps,
        ..recursive
    })
}

/// What a theory takes that may be recursive, as many times as the task says.
pub(super) fn theory(criterion: Criterion, task: &Task, clauses: &[Clause]) -> f64 {
    let n_literals = clauses.iter().map(|clause| 1 + clause.body.len());
    let weight = task.search.size_weight.unwrap_or(1.0);
    if criterion == Criterion::Mdl {
        return weight * n_literals.sum::<usize>() as f64;
    }
    let orders = |n: usize| (2..=n).map(|i| (i as f64).log2()).sum::<f64>();
    let mut predicates: Vec<_> = task.bias.body.iter().map(|mode| mode.predicate).collect();
    predicates.sort_unstable();
    predicates.dedup();
    let a_predicate = (predicates.len().max(1) as f64).log2();
    let a_constant = (task.symbols.names().count().max(2) as f64).log2();
    let clause_bits = |clause: &Clause| {
        let mut vars: Vec<Var> = Vec::new();
        clause.for_each_var(&mut |var| {
            if !vars.contains(&var) {
                vars.push(var);
            }
        });
        let a_var = (vars.len().max(1) as f64).log2();
        let arg = |term: &Term| match term {
            Term::Var(_) => a_var,
            _ => a_constant,
        };
        let head: f64 = clause.head.args.iter().map(arg).sum();
        let literals = clause.body.iter().map(|literal| {
            let args: f64 = literal.atom.args.iter().map(arg).sum();
            a_predicate + args
        });
        let n = clause.body.len();
        log_star(n + 1) + head + literals.sum::<f64>() - orders(n)
    };
    let clauses_bits: f64 = clauses.iter().map(clause_bits).sum();
    weight * (log_star(clauses.len() + 1) + clauses_bits - orders(clauses.len()))
}
