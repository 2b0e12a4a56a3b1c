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

    /// Needs what one of the learners needs. Without negative examples there is nothing to choose by: the
    /// first learner that can do without is taken.
    fn learn(
        &self,
        problem: &Problem<'_>,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Learned, LearnError> {
        let task = problem.task();
        if task.negative.is_empty() {
            let mut learned = Err(LearnError::NoNegatives);
            for learner in &self.learners {
                learned = learner.learn(problem, progress);
                if !matches!(learned, Err(LearnError::NoNegatives)) {
                    break;
                }
            }
            return learned;
        }
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
        // Learners that were right about all they learned from.
        let mut faultless = Vec::new();
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
            if right[1] == n(known) {
                faultless.push(learner.name());
            }
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
        // Where calls are looked up among the examples, a part of them tells nothing of a learner. Else
        // one that was right about all of it may be right about all examples, too.
        if is_split {
            let tried = best.learner.name();
            let others = self.learners.iter().filter(|own| {
                own.name() != tried && (task.bias.recursion || faultless.contains(&own.name()))
            });
            for other in others {
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
                let is_right = task.bias.recursion || n_right(&other)? == n(all);
                if is_right && n_right(&learned)? + size(&other) < n_right(&other)? + size(&learned)
                {
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
    use std::fmt::Write as _;

    use super::*;
    use crate::learn::{Foil, Lff};
    use crate::{Literal, Source, Task, Term};

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

    /// Learns by heart from fewer than twenty positive examples, and a clause from them all.
    struct ByHeart;

    impl Learner for ByHeart {
        fn name(&self) -> &'static str {
            "by-heart"
        }

        fn learn(
            &self,
            problem: &Problem<'_>,
            _: &mut (dyn Progress + Send),
        ) -> Result<Learned, LearnError> {
            let examples = &problem.task().positive;
            let clauses = if examples.len() == 20 {
                vec![clause(problem, "right")]
            } else {
                examples.iter().cloned().map(Clause::fact).collect()
            };
            Ok(Learned::new(clauses, Stop::Complete, 1))
        }
    }

    /// Learns a clause that is wrong about one example.
    struct Nearly;

    impl Learner for Nearly {
        fn name(&self) -> &'static str {
            "nearly"
        }

        fn learn(
            &self,
            problem: &Problem<'_>,
            _: &mut (dyn Progress + Send),
        ) -> Result<Learned, LearnError> {
            let clauses = vec![clause(problem, "near")];
            Ok(Learned::new(clauses, Stop::Complete, 1))
        }
    }

    fn clause(problem: &Problem<'_>, body: &str) -> Clause {
        let task = problem.task();
        let atom = |name| Atom::new(name, [Term::var(0)]);
        let body = atom(task.symbols.get(body).expect("interned"));
        Clause::new(atom(task.target.name), vec![Literal::positive(body)])
    }

    fn auto(learners: Vec<Box<dyn Learner>>) -> Auto {
        Auto {
            learners,
            share: 0.3,
            seed: 1,
            limits: Limits::default(),
        }
    }

    #[test]
    fn a_learner_without_a_fault_is_asked_again() {
        let source = |name, text| Source { name, text };
        let (mut examples, mut background) = (String::new(), String::new());
        for i in 0..20 {
            let _ = write!(examples, "pos(t(p{i})). neg(t(n{i})). ");
            let _ = write!(background, "right(p{i}). ");
            if i > 0 {
                let _ = write!(background, "near(p{i}). ");
            }
        }
        let mut task = Task::from_popper(
            source("exs.pl", &examples),
            source("bk.pl", &background),
            source(
                "bias.pl",
                "head_pred(t,1). body_pred(right,1). body_pred(near,1).",
            ),
        )
        .expect("a task");
        let own = auto(vec![Box::new(Nearly), Box::new(ByHeart)]);
        let theory = task.learn(&own).expect("learned");
        assert!(theory.is_correct(), "{theory}");
    }

    #[test]
    fn without_negative_examples_a_learner_that_needs_none_is_taken() {
        let source = |name, text| Source { name, text };
        let mut task = Task::from_popper(
            source("exs.pl", "pos(t(a)). pos(t(b)). pos(t(c))."),
            source("bk.pl", "q(a). q(b). q(c). r(d). r(e). r(a)."),
            source("bias.pl", "head_pred(t,1). body_pred(q,1). body_pred(r,1)."),
        )
        .expect("a task");
        let own = auto(vec![
            Box::new(Lff::default()),
            Box::new(crate::learn::Mml::default()),
        ]);
        assert!(task.learn(&own).is_ok());
        let own = auto(vec![Box::new(Lff::default())]);
        assert!(task.learn(&own).is_err());
    }
}
