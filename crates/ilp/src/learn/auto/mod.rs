//! The theory of several learners that says most about the examples in the fewest bits.
//!
//! Learners take turns, each of twice as many steps as the one before, and learn from all examples, so that
//! a search that is stopped has the best theory so far. Theories are compared by the message of theory and
//! labels in one code; see [`Scale`]. Where this does not settle it, learners learn again without one part
//! of the examples after the other, and those that are clearly worse on these parts are left out.
//!
//! A learner that has `n` steps takes no more than `4 n` in all its turns and tests.

mod candidate;
mod selection;

use std::fmt;

use kibitz_prolog::{Limits, SymbolTable};

use self::selection::Selection;
use super::{Hypothesis, LearnError, Learner, Progress, Reach, Remark};
use crate::problem::Problem;
use crate::task::{Split, Task};

/// Fewest examples of a side in a part to test on.
const MIN_HELD_OUT: usize = 2;

/// The theory of several learners that says most about the examples in the fewest bits.
///
/// What it learns has the message, the bounds and the ending of the learner that found it.
pub struct Auto {
    /// The learners to choose among, those that end early first.
    pub learners: Vec<Box<dyn Learner>>,
    /// The parts of the examples, each of which is tested on.
    pub folds: usize,
    /// Seed of the choice of these parts.
    pub seed: u64,
    /// The turns after which the search ends if none has brought a better theory; `None` to go on until
    /// all learners have ended.
    pub patience: Option<u32>,
    /// Bounds on queries to the background.
    pub limits: Limits,
}

impl fmt::Debug for Auto {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.learners.iter().map(Learner::name).collect();
        f.debug_struct("Auto")
            .field("learners", &names)
            .field("folds", &self.folds)
            .field("seed", &self.seed)
            .field("patience", &self.patience)
            .finish_non_exhaustive()
    }
}

impl Learner for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    /// Needs what one of the learners needs. Without negative examples theories are not compared: the
    /// first learner that can do without is taken.
    fn learn(
        &self,
        problem: &Problem<'_>,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Hypothesis, LearnError> {
        if problem.task().negative.is_empty() {
            return self.learn_from_positives(problem, progress);
        }
        let (task, database) = (problem.task(), problem.database());
        let problem = Problem::with_database(task, database).shared(self.listing_steps());
        Selection::new(self, &problem, folds(self, task)).run(progress)
    }

    fn limits(&self) -> Limits {
        self.limits
    }

    fn reach(&self, task: &Task) -> Reach {
        Reach {
            equates_constants: true,
            ..Reach::of_bias(task)
        }
    }
}

/// Examples to learn from, and others to test on, part by part. None where a handful of examples would tell
/// nothing of a learner, or where calls are looked up among the examples, of which each is needed.
fn folds(own: &Auto, task: &Task) -> Vec<Split> {
    let fewest = task.positive.len().min(task.negative.len());
    if task.bias.recursion || own.folds < 2 || fewest < MIN_HELD_OUT * own.folds {
        return Vec::new();
    }
    task.folds(own.folds, own.seed)
}

/// How many times the steps of one of its turns a learner may take in all.
const STEPS_OF_ALL: u64 = 4;

impl Auto {
    /// The most search steps that listing the background may take: as many as a learner takes in all.
    fn listing_steps(&self) -> Option<u64> {
        let steps = self.learners.iter().filter_map(Learner::max_steps).max();
        steps.map(|most| most.saturating_mul(STEPS_OF_ALL))
    }

    fn learn_from_positives(
        &self,
        problem: &Problem<'_>,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Hypothesis, LearnError> {
        let mut learned = Err(LearnError::NoNegatives);
        for learner in &self.learners {
            learned = learner.learn(problem, progress);
            if !matches!(learned, Err(LearnError::NoNegatives)) {
                return learned.map(|own| own.by(&**learner, problem.task()));
            }
        }
        learned
    }
}

/// Says nothing of clauses that are tried only.
struct Quiet<'p>(&'p mut (dyn Progress + Send));

impl Progress for Quiet<'_> {
    fn clause(&mut self, _: &kibitz_prolog::Clause, _: &SymbolTable, _: usize, _: usize) {}

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

    use kibitz_prolog::{Atom, Clause, Literal, Term};

    use super::*;
    use crate::learn::{Foil, Lff, Stop};
    use crate::{Source, Study};

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
            folds: 5,
            seed: 1,
            patience: None,
            limits: Limits::default(),
        };
        let theory = task.learn(&auto).expect("learned");
        assert!(theory.is_correct(), "{theory}");
        assert_eq!(theory.chosen, Some("lff"));
        // The limits are those of the learner that found it.
        assert_eq!(theory.reach, Lff::default().reach(&task));
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
        ) -> Result<Hypothesis, LearnError> {
            let examples = &problem.task().positive;
            let clauses = if examples.len() == 20 {
                vec![clause(problem, "right")]
            } else {
                examples.iter().cloned().map(Clause::fact).collect()
            };
            Ok(Hypothesis::new(clauses, Stop::Complete, 1))
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
        ) -> Result<Hypothesis, LearnError> {
            let clauses = vec![clause(problem, "near")];
            Ok(Hypothesis::new(clauses, Stop::Complete, 1))
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
            folds: 5,
            seed: 1,
            patience: None,
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

    /// Says no after so many questions.
    struct Patience(usize);

    impl Progress for Patience {
        fn keep_going(&mut self) -> bool {
            self.0 = self.0.saturating_sub(1);
            self.0 > 0
        }
    }

    /// Never ends by itself.
    struct Endless;

    impl Learner for Endless {
        fn name(&self) -> &'static str {
            "endless"
        }

        fn learn(
            &self,
            _: &Problem<'_>,
            progress: &mut (dyn Progress + Send),
        ) -> Result<Hypothesis, LearnError> {
            while progress.keep_going() {}
            Ok(Hypothesis::interrupted())
        }
    }

    #[test]
    fn a_search_that_is_stopped_has_the_best_theory_on_all_examples() {
        let source = |name, text| Source { name, text };
        let mut task = Task::from_popper(
            source(
                "exs.pl",
                "pos(t(a)). pos(t(b)). pos(t(c)). neg(t(d)). neg(t(e)).",
            ),
            source("bk.pl", "near(a). near(b). other(d)."),
            source(
                "bias.pl",
                "head_pred(t,1). body_pred(near,1). body_pred(other,1).",
            ),
        )
        .expect("a task");
        let own = auto(vec![Box::new(Nearly), Box::new(Endless)]);
        let theory = task
            .learn_with(&own, &mut Patience(1_000))
            .expect("learned");
        assert_eq!(theory.text, "t(A) :- near(A).\n");
        assert_eq!(
            (theory.chosen, theory.stop),
            (Some("nearly"), Stop::Interrupted)
        );
    }
}
