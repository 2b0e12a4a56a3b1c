//! PAL's algorithm for randomly generated examples: bottom-up covering by constrained
//! generalization.
//!
//! A clause starts as an example with all background facts that relate two of its arguments, and is
//! generalized with the other examples one by one as long as no negative example is covered. Only
//! literals that relate the same places of the head are generalized together, so that clauses get
//! shorter with every example. Unlike PAL itself it asks nothing and needs no
//! `Domain` of `kibitz-pal`.
//!
//! # Source
//! Morales 1992, section 6.1 and Table 6.1.

use kibitz_prolog::{Atom, Clause, Evaluator, Limits, Literal, Term};
use kibitz_prolog::{Compatibility, LiteralRef, lgg_clauses_with};
use rustc_hash::FxHashSet;

use super::{Hypothesis, LearnError, Learner, Progress, Stop};
use crate::problem::Problem;
use crate::task::Task;

/// PAL's algorithm for random examples: clauses that cover all positive examples and no negative one.
///
/// Background predicates that are not given by facts of two arguments are ignored. A positive
/// example that cannot be distinguished from a negative one stays as a clause of its own.
///
/// # Examples
/// ```
/// use kibitz_ilp::learn::Covering;
/// use kibitz_ilp::{Source, Study, Task};
///
/// let source = |name, text| Source { name, text };
/// let mut task = Task::from_popper(
///     source("exs.pl", "pos(up(1,2)). pos(up(2,4)). neg(up(2,1)). neg(up(3,3))."),
///     source("bk.pl", "less(1,2). less(1,3). less(1,4). less(2,3). less(2,4). less(3,4)."),
///     source("bias.pl", "head_pred(up,2). body_pred(less,2)."),
/// )?;
/// let theory = task.learn(&Covering::default())?;
/// assert_eq!(theory.text, "up(A,B) :- less(A,B).\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Covering {
    /// A class for each argument of the target, from the left (0 where there is none): the same two
    /// values become the same variable only at arguments of one class.
    pub classes: Vec<u32>,
}

impl Learner for Covering {
    fn name(&self) -> &'static str {
        "covering"
    }

    /// Needs positive examples.
    fn learn(
        &self,
        problem: &Problem<'_>,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Hypothesis, LearnError> {
        learn(problem, &self.classes, progress)
    }
}

fn learn(
    problem: &Problem<'_>,
    classes: &[u32],
    progress: &mut dyn Progress,
) -> Result<Hypothesis, LearnError> {
    let (task, db) = (problem.task(), problem.database());
    let facts: FxHashSet<&Atom> = (task.background.iter())
        .filter(|clause| clause.body.is_empty())
        .map(|clause| &clause.head)
        .collect();
    let mut evaluator = Evaluator::new(db, Limits::default(), &task.positive, &task.negative);
    let mut open: Vec<usize> = (0..task.positive.len()).collect();
    let mut learned = Hypothesis::new(Vec::new(), Stop::Complete, 0);
    while let Some((&first, rest)) = open.split_first() {
        let mut current = LabeledClause::of_example(task, &facts, &task.positive[first]);
        let mut stored = Vec::new();
        for &example in rest {
            if !progress.keep_going() {
                learned.stop = Stop::Interrupted;
                return Ok(learned);
            }
            learned.steps += 1;
            let other = LabeledClause::of_example(task, &facts, &task.positive[example]);
            match current.generalized_with(&other, classes) {
                Some(wider) if !evaluator.admits_negative(&wider.clause)? => current = wider,
                _ => stored.push(example),
            }
        }
        let clause = current.clause.normalized();
        let covered = evaluator.clause(&clause)?;
        open = stored;
        open.retain(|&example| !covered.positive.contains(example));
        let counts = [
            covered.positive.count_ones(..),
            covered.negative.count_ones(..),
        ];
        progress.clause(&clause, &task.symbols, counts[0], counts[1]);
        learned.clauses.push(clause);
    }
    Ok(learned)
}

/// A clause whose body literals are labeled with the two places of the head they relate.
struct LabeledClause {
    clause: Clause,
    labels: Vec<Label>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Label {
    predicate: usize,
    places: [usize; 2],
}

impl LabeledClause {
    /// The example with every fact of the binary background predicates about its arguments.
    fn of_example(task: &Task, facts: &FxHashSet<&Atom>, example: &Atom) -> Self {
        let head = &task.bias.head.arguments;
        let mut body = Vec::new();
        let mut labels = Vec::new();
        for (predicate, mode) in task.bias.body.iter().enumerate() {
            for left in 0..example.args.len() {
                for right in (0..example.args.len()).filter(|&right| right != left) {
                    let typed = mode.arguments.len() == 2
                        && mode.arguments[0].kind == head[left].kind
                        && mode.arguments[1].kind == head[right].kind;
                    let args = [example.args[left].clone(), example.args[right].clone()];
                    let atom = Atom::new(mode.predicate.name, args);
                    if typed && facts.contains(&atom) {
                        body.push(Literal::positive(atom));
                        labels.push(Label {
                            predicate,
                            places: [left, right],
                        });
                    }
                }
            }
        }
        Self {
            clause: Clause::new(example.clone(), body),
            labels,
        }
    }

    /// The constrained least general generalization: of literals with one label, and with one
    /// variable for one pair of values at places of one class.
    fn generalized_with(&self, other: &Self, classes: &[u32]) -> Option<Self> {
        let labels = SameLabel {
            left: &self.labels,
            right: &other.labels,
            classes,
        };
        let lgg = lgg_clauses_with(&self.clause, &other.clause, &labels)?;
        Some(Self {
            labels: lgg.parents.iter().map(|&(i, _)| self.labels[i]).collect(),
            clause: lgg.clause,
        })
    }
}

struct SameLabel<'a> {
    left: &'a [Label],
    right: &'a [Label],
    classes: &'a [u32],
}

impl Compatibility for SameLabel<'_> {
    fn literals(&self, left: LiteralRef, right: LiteralRef) -> bool {
        match (left, right) {
            (LiteralRef::Body(i), LiteralRef::Body(j)) => self.left[i] == self.right[j],
            (left, right) => left == right,
        }
    }

    fn terms(
        &self,
        (left, _): (LiteralRef, &Term),
        _: (LiteralRef, &Term),
        argument: usize,
    ) -> Option<u32> {
        let place = match left {
            LiteralRef::Head => argument,
            LiteralRef::Body(i) => self.left[i].places[argument],
        };
        Some(self.classes.get(place).copied().unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use kibitz_prolog::print_clause;

    use super::*;
    use crate::Source;
    use crate::learn::NoProgress;

    fn theory(examples: &str, classes: &[u32]) -> Vec<String> {
        let source = |name, text| Source { name, text };
        let background = "less(1,2). less(1,3). less(1,4). less(2,3). less(2,4). less(3,4).";
        let bias = "head_pred(p,4). body_pred(less,2).";
        let mut task = Task::from_popper(
            source("exs.pl", examples),
            source("bk.pl", background),
            source("bias.pl", bias),
        )
        .expect("a task");
        let covering = Covering {
            classes: classes.to_vec(),
        };
        let problem = Problem::new(&mut task).expect("sound");
        let learned = covering.learn(&problem, &mut NoProgress).expect("learned");
        assert_eq!(learned.stop, Stop::Complete);
        let texts = learned.clauses.iter();
        texts
            .map(|c| print_clause(c, &task.symbols).to_string())
            .collect()
    }

    #[test]
    fn what_a_negative_example_forbids_starts_another_clause() {
        let found = theory(
            "pos(p(1,2,4,4)). pos(p(2,3,4,4)). pos(p(4,4,1,2)). neg(p(2,1,4,4)).",
            &[],
        );
        assert_eq!(
            found,
            [
                "p(A,B,4,4) :- less(A,B), less(A,4), less(B,4).",
                "p(4,4,1,2) :- less(1,4), less(1,4), less(1,2), less(2,4), less(2,4).",
            ]
        );
    }

    #[test]
    fn values_of_two_classes_are_two_variables() {
        let examples = "pos(p(1,1,3,3)). pos(p(2,2,4,4)). neg(p(4,4,1,1)).";
        let one = theory(examples, &[]);
        let two = theory(examples, &[0, 1, 0, 1]);
        assert_eq!(one, ["p(A,A,B,B) :- less(A,B)."]);
        assert_eq!(
            two,
            ["p(A,B,C,D) :- less(A,C), less(A,D), less(B,C), less(B,D)."]
        );
    }
}
