//! The learner that does best on a part of the examples that is held out.

use std::fmt;

use kibitz_prolog::{Atom, Clause, Limits, SymbolTable};

use super::{LearnError, Learned, Learner, Progress, Remark, Stop};
use crate::problem::Problem;

/// Fewest examples of a side to choose by.
const MIN_HELD_OUT: usize = 4;

/// Learns with each of several learners from one part of the examples, tests them on the other, and
/// learns from all examples with the best; of equals with the first. Of few examples all are learned from
/// and tested on. Learners take turns, each of twice as many steps as the one before, until they end;
/// learners after one that makes no mistake are not tried. A learner that is the best so far learns from
/// all examples at once, so that a search that is stopped has its theory.
pub struct Auto {
    /// The learners to choose among, those that end early first.
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
        let own = training.task();
        let (test, known) = (
            test.each_ref().map(|part| &part[..]),
            [&own.positive[..], &own.negative[..]],
        );
        let selection = Selection {
            own: self,
            problem,
            training: &training,
            examples: [test, known],
            is_split,
        };
        selection.learned(progress)
    }

    fn limits(&self) -> Limits {
        self.limits
    }
}

/// The choice among learners, in the middle of it.
struct Selection<'s> {
    own: &'s Auto,
    /// All examples, and those to learn from while learners are compared.
    problem: &'s Problem<'s>,
    training: &'s Problem<'s>,
    /// The examples to choose by, and those that are learned from until then.
    examples: [[&'s [Atom]; 2]; 2],
    is_split: bool,
}

/// A learner that was tested.
struct Tried<'l> {
    learner: &'l dyn Learner,
    /// Examples that it is right about: of those held out, and of those it learned from.
    right: [usize; 2],
    learned: Learned,
    /// Whether it learned from all examples and with all its steps.
    is_whole: bool,
}

/// What was learned from all examples, and how many of them it is right about.
struct Whole {
    learner: &'static str,
    learned: Learned,
    right: usize,
}

fn count(parts: [&[Atom]; 2]) -> usize {
    parts.iter().map(|part| part.len()).sum()
}

impl Selection<'_> {
    fn all(&self) -> [&[Atom]; 2] {
        let task = self.problem.task();
        [&task.positive, &task.negative]
    }

    fn learned(&self, progress: &mut (dyn Progress + Send)) -> Result<Learned, LearnError> {
        let mut best: Option<Tried<'_>> = None;
        let mut whole: Option<Whole> = None;
        let (mut failed, mut steps) = (None, 0);
        // Learners that were right about all they learned from.
        let mut faultless = Vec::new();
        let mut is_over = false;
        let mut left: Vec<&dyn Learner> = self.own.learners.iter().map(|own| &**own).collect();
        'turns: for turn in 0.. {
            let mut unfinished = Vec::new();
            for learner in left {
                let in_turn = learner.in_turn(turn);
                let is_last = in_turn.is_none();
                let now: &dyn Learner = in_turn.as_deref().unwrap_or(learner);
                let learned = match now.learn(self.training, &mut Quiet(progress)) {
                    Ok(learned) => learned,
                    Err(error) => {
                        failed = Some(error);
                        continue;
                    }
                };
                steps += learned.steps;
                is_over = learned.stop == Stop::Interrupted;
                let has_ended = is_last || learned.stop != Stop::OutOfSteps;
                let mut right = [0, 0];
                for (right, part) in right.iter_mut().zip(self.examples) {
                    *right = self.n_right(self.training, &learned, part, progress)?;
                }
                let [n_test, n_known] = self.examples.map(count);
                if has_ended && !is_over {
                    progress.tried(learner.name(), right[0], n_test);
                    if right[1] == n_known {
                        faultless.push(learner.name());
                    }
                } else if !is_over {
                    unfinished.push(learner);
                }
                if best.as_ref().is_none_or(|best| right > best.right) {
                    best = Some(Tried {
                        learner,
                        right,
                        learned,
                        is_whole: is_last && !self.is_split,
                    });
                    // Nobody after it can be better.
                    if is_over || right == [n_test, n_known] {
                        break 'turns;
                    }
                    // Should there be no time for others, this is learned from all examples.
                    if has_ended && self.is_split {
                        let new = self.learn_whole(learner, progress)?;
                        steps += new.learned.steps;
                        is_over = new.learned.stop == Stop::Interrupted;
                        if whole.as_ref().is_none_or(|whole| new.right >= whole.right) {
                            whole = Some(new);
                        }
                    }
                }
                if is_over {
                    break 'turns;
                }
            }
            left = unfinished;
            if left.is_empty() {
                break;
            }
        }
        let Some(best) = best else {
            let nobody = || LearnError::Other("no learner is given".to_owned());
            return Err(failed.unwrap_or_else(nobody));
        };
        let of_part = self.n_right(self.problem, &best.learned, self.all(), progress)?;
        let mut chosen = match whole {
            Some(whole) if is_over || whole.learner == best.learner.name() => whole,
            _ if is_over || best.is_whole => Whole {
                learner: best.learner.name(),
                right: of_part,
                learned: best.learned.clone(),
            },
            _ => {
                let new = self.learn_whole(best.learner, progress)?;
                steps += new.learned.steps;
                is_over = new.learned.stop == Stop::Interrupted;
                match whole {
                    Some(whole) if is_over && whole.right > new.right => whole,
                    _ => new,
                }
            }
        };
        // From more examples the limit on steps is met earlier.
        if self.is_split && of_part > chosen.right {
            chosen.learned = best.learned;
            chosen.right = of_part;
        }
        // Where calls are looked up among the examples, a part of them tells nothing of a learner. Else
        // one that was right about all of it may be right about all examples, too.
        if self.is_split {
            let has_recursion = self.problem.task().bias.recursion;
            let others = self.own.learners.iter().filter(|own| {
                own.name() != best.learner.name()
                    && (has_recursion || faultless.contains(&own.name()))
            });
            for other in others {
                if is_over || chosen.right == count(self.all()) {
                    break;
                }
                let Ok(other) = self.learn_whole(&**other, &mut Quiet(progress)) else {
                    continue;
                };
                steps += other.learned.steps;
                is_over = other.learned.stop == Stop::Interrupted;
                // A literal and a mistake cost the same.
                let size = |whole: &Whole| {
                    let clauses = whole.learned.clauses.iter();
                    clauses.map(Clause::len).sum::<usize>()
                };
                let is_right = has_recursion || other.right == count(self.all());
                if is_right && chosen.right + size(&other) < other.right + size(&chosen) {
                    chosen = other;
                }
            }
        }
        let mut learned = chosen.learned;
        learned.steps = steps;
        if is_over {
            learned.stop = Stop::Interrupted;
        }
        Ok(learned)
    }

    /// What a learner learns from all examples.
    fn learn_whole(
        &self,
        learner: &dyn Learner,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Whole, LearnError> {
        let learned = learner.learn(self.problem, progress)?;
        Ok(Whole {
            learner: learner.name(),
            right: self.n_right(self.problem, &learned, self.all(), progress)?,
            learned,
        })
    }

    /// The examples that what was learned is right about, as far as there is time to find out.
    fn n_right(
        &self,
        problem: &Problem<'_>,
        learned: &Learned,
        examples: [&[Atom]; 2],
        progress: &mut (dyn Progress + Send),
    ) -> Result<usize, LearnError> {
        let task = problem.task();
        let unfolded = learned.clauses.iter().map(|clause| task.unfolded(clause));
        let clauses: Vec<Clause> = unfolded.collect();
        let limits = self.own.limits;
        let coverage = problem.coverage_of(&clauses, examples, limits, &mut || {
            progress.keep_verifying()
        })?;
        let [tp, _, tn, _] = coverage.confusion();
        Ok(tp + tn)
    }
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

    fn keep_verifying(&mut self) -> bool {
        self.0.keep_verifying()
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use kibitz_prolog::{Literal, Term};

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
