//! The learner that does best on a part of the examples that is held out.

use std::fmt;

use super::{LearnError, Learned, Learner, Progress, Remark, Stop};
use crate::problem::Problem;
use crate::prover::Limits;
use crate::term::{Atom, Clause, SymbolTable};

/// Fewest examples of a side to choose by.
const MIN_HELD_OUT: usize = 4;

/// Learns with each of several learners from one part of the examples, tests them on the other, and
/// learns from all examples with the best; of equals with the first. Of few examples all are learned from
/// and tested on. Learners after one that makes no mistake are not tried.
pub struct Auto {
    /// The learners to choose among.
    pub learners: Vec<Box<dyn Learner>>,
    /// The share of the examples to test on.
    pub share: f64,
    /// Seed of the choice of these examples.
    pub seed: u64,
    /// Bounds on queries to the background.
    pub limits: Limits,
}

impl fmt::Debug for Auto {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.learners.iter().map(Learner::name).collect();
        f.debug_struct("Auto")
            .field("learners", &names)
            .field("share", &self.share)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}

impl Learner for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    /// Needs what one of the learners needs.
    fn learn(
        &self,
        problem: &Problem<'_>,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Learned, LearnError> {
        let task = problem.task();
        let split = task.held_out(self.share, self.seed);
        // A handful of examples tells nothing about a learner, and what is left of few is too little to
        // learn from: all serve for both then.
        let is_split = split.test.iter().all(|part| part.len() >= MIN_HELD_OUT);
        let training = if is_split {
            task.with_examples(split.training)
        } else {
            task.clone()
        };
        let training = Problem::with_database(&training, problem.database());
        let test = if is_split {
            split.test
        } else {
            [task.positive.clone(), task.negative.clone()]
        };
        let n = |parts: [&[Atom]; 2]| parts.iter().map(|part| part.len()).sum::<usize>();
        let own = training.task();
        let (test, known) = (
            test.each_ref().map(|part| &part[..]),
            [&own.positive[..], &own.negative[..]],
        );
        let mut best: Option<Tried<'_>> = None;
        let (mut failed, mut steps) = (None, 0);
        for learner in &self.learners {
            let learned = match learner.learn(&training, &mut Quiet(progress)) {
                Ok(learned) => learned,
                Err(error) => {
                    failed = Some(error);
                    continue;
                }
            };
            if learned.stop == Stop::Interrupted {
                let mut learned = best.map_or(learned, |best| best.learned);
                learned.stop = Stop::Interrupted;
                return Ok(learned);
            }
            steps += learned.steps;
            let mut right = [0, 0];
            for (right, part) in right.iter_mut().zip([test, known]) {
                *right = self.n_right(&training, &learned, part)?;
            }
            progress.tried(learner.name(), right[0], n(test));
            if best.as_ref().is_none_or(|best| right > best.right) {
                best = Some(Tried {
                    learner: &**learner,
                    right,
                    learned,
                });
            }
            // Nobody after it can be better.
            if right == [n(test), n(known)] {
                break;
            }
        }
        let Some(best) = best else {
            return Err(failed.unwrap_or(LearnError::Other("no learner is given".to_owned())));
        };
        let mut learned = best.learner.learn(problem, progress)?;
        steps += learned.steps;
        // From more examples the limit on steps is met earlier.
        let all = [&task.positive[..], &task.negative[..]];
        let n_right = |learned: &Learned| self.n_right(problem, learned, all);
        if is_split && n_right(&best.learned)? > n_right(&learned)? {
            learned.clauses = best.learned.clauses;
            learned.invented = best.learned.invented;
        }
        // Where calls are looked up among the examples, a part of them tells nothing of a learner.
        if is_split && task.bias.recursion {
            let tried = best.learner.name();
            for other in self.learners.iter().filter(|own| own.name() != tried) {
                if learned.stop == Stop::Interrupted || n_right(&learned)? == n(all) {
                    break;
                }
                let Ok(other) = other.learn(problem, &mut Quiet(progress)) else {
                    continue;
                };
                steps += other.steps;
                // A literal and a mistake cost the same.
                let size =
                    |learned: &Learned| learned.clauses.iter().map(Clause::len).sum::<usize>();
                if n_right(&learned)? + size(&other) < n_right(&other)? + size(&learned) {
                    learned = other;
                }
            }
        }
        learned.steps = steps;
        Ok(learned)
    }

    fn limits(&self) -> Limits {
        self.limits
    }
}

impl Auto {
    /// The examples that what was learned is right about.
    fn n_right(
        &self,
        problem: &Problem<'_>,
        learned: &Learned,
        examples: [&[Atom]; 2],
    ) -> Result<usize, LearnError> {
        let task = problem.task();
        let unfolded = learned.clauses.iter().map(|clause| task.unfolded(clause));
        let clauses: Vec<Clause> = unfolded.collect();
        let counts = problem.test(&clauses, examples, self.limits)?;
        Ok(counts.tp + counts.tn)
    }
}

/// A learner that was tested.
struct Tried<'l> {
    learner: &'l dyn Learner,
    /// Examples that it is right about: of those held out, and of those it learned from.
    right: [usize; 2],
    learned: Learned,
}

/// Tells nothing of clauses that are tried only.
struct Quiet<'p>(&'p mut (dyn Progress + Send));

impl Progress for Quiet<'_> {
    fn clause(&mut self, _: &Clause, _: &SymbolTable, _: usize, _: usize) {}

    fn remark(&mut self, remark: &Remark) {
        self.0.remark(remark);
    }

    fn keep_going(&mut self) -> bool {
        self.0.keep_going()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::{Foil, Lff};
    use crate::{Source, Task};

    #[derive(Default)]
    struct Tries(Vec<(&'static str, usize, usize)>);

    impl Progress for Tries {
        fn tried(&mut self, learner: &'static str, n_right: usize, n: usize) {
            self.0.push((learner, n_right, n));
        }
    }

    #[test]
    fn the_learner_that_is_right_about_others_is_taken() {
        // Foil sees no gain in either literal of the chain.
        let source = |name, text| Source { name, text };
        let mut task = Task::from_popper(
            source(
                "exs.pl",
                "pos(total(9,9,0,1,4,5)). pos(total(3,4,5,2,5,12)). pos(total(2,5,12,3,6,21)).
                 pos(total(1,0,7,7,1,15)). neg(total(9,9,0,1,4,1)). neg(total(3,4,5,2,5,7)).
                 neg(total(2,5,12,3,6,9)). neg(total(1,0,7,7,1,8)).",
            ),
            source(
                "bk.pl",
                "plus(X,Y,Z) :- integer(X), integer(Y), Z is X + Y.",
            ),
            source(
                "bias.pl",
                "head_pred(total,6). body_pred(plus,3). direction(plus,(in,in,out)). max_vars(7).",
            ),
        )
        .expect("a task");
        let auto = Auto {
            learners: vec![Box::new(Foil::default()), Box::new(Lff::default())],
            share: 0.3,
            seed: 1,
            limits: Limits::default(),
        };
        let mut tries = Tries::default();
        let theory = task.learn_with(&auto, &mut tries).expect("learned");
        assert!(theory.is_correct(), "{theory}");
        assert_eq!(tries.0, [("foil", 4, 8), ("lff", 8, 8)]);
    }
}
