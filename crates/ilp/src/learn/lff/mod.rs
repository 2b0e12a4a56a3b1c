//! Learning from failures: programs are generated from small to large and tested by proof, and what
//! failed says which others need no test.
//!
//! A clause that covers no positive example has no longer clause that does; one that covers no negative
//! example needs no longer one. Single clauses are joined to the theory of fewest literals that covers
//! every positive example. With recursion, a clause that calls the target is first tested together with
//! all clauses that could end its calls: what fails then fails with each of them. A program has one
//! recursive clause with one call or two, or two with one call each, and any number of others. Where a bias allows invention, one clause may call
//! one invented predicate, which calls nothing but the background.
//!
//! # Source
//! Cropper and Morel 2021, "Learning programs by learning from failures"; joining as in Cropper and
//! Hocquette 2023. The search here has no solver.

mod cover;
mod invention;
mod language;
mod params;
mod programs;
mod results;
mod search;
mod state;
mod tester;
mod vocabulary;

use kibitz_prolog::Limits;

use super::learner::steps_of_turn;
use super::{Hypothesis, LearnError, Learner, Progress, Reach};
use crate::problem::Problem;
use crate::task::Task;
use language::MAX_VARS;
pub use params::Lff;
use state::Search;

/// Search steps of the first turn beside other learners.
const STEPS_OF_FIRST_TURN: u64 = 500_000;

impl Learner for Lff {
    fn name(&self) -> &'static str {
        "lff"
    }

    /// Needs positive and negative examples.
    fn learn(
        &self,
        problem: &Problem<'_>,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Hypothesis, LearnError> {
        LearnError::without_examples(problem.task())?;
        let arity = problem.task().target.arity;
        if arity > MAX_VARS {
            return Err(LearnError::Other(format!(
                "lff takes targets of at most {MAX_VARS} arguments, and this one has {arity}; foil and mml take it"
            )));
        }
        Search::new(problem, self, progress).run()
    }

    fn in_turn(&self, turn: u32) -> Option<Box<dyn Learner>> {
        let max_steps = steps_of_turn(turn, STEPS_OF_FIRST_TURN, self.max_steps)?;
        Some(Box::new(Self { max_steps, ..*self }))
    }

    fn max_steps(&self) -> Option<u64> {
        Some(self.max_steps)
    }

    fn limits(&self) -> Limits {
        self.limits
    }

    fn reach(&self, task: &Task) -> Reach {
        let own = Reach::of_bias(task);
        Reach {
            max_body: own.max_body.or(Some(self.max_body)),
            max_vars: own.max_vars.or(Some(task.target.arity + self.max_new_vars)),
            equates_constants: true,
            ..own
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::Stop;
    use crate::{Source, Study, Theory};

    fn learned(examples: &str, background: &str, bias: &str) -> Theory {
        let source = |name, text| Source { name, text };
        let mut task = Task::from_popper(
            source("exs.pl", examples),
            source("bk.pl", background),
            source("bias.pl", bias),
        )
        .expect("a task");
        task.learn(&Lff::default()).expect("learned")
    }

    #[test]
    fn the_smallest_of_several_clauses_are_joined() {
        let theory = learned(
            "pos(grandma(ida,dee)). pos(grandma(ida,eli)). neg(grandma(abe,dee)).
             neg(grandma(abe,eli)). neg(grandma(ida,bo)). neg(grandma(cy,gus)). neg(grandma(bo,dee)).",
            "mother(ida,bo). mother(ida,cy). mother(bo,dee). father(abe,bo). father(abe,cy).
             father(cy,eli). father(eli,gus).",
            "head_pred(grandma,2). body_pred(mother,2). body_pred(father,2).",
        );
        assert!(theory.is_correct(), "{theory}");
        assert_eq!(theory.clauses.len(), 2, "{theory}");
        assert_eq!(theory.stop, Stop::Complete);
    }

    #[test]
    fn two_recursive_clauses_share_a_base() {
        let theory = learned(
            "pos(f([1,2,3,4],[2,4])). pos(f([1,1,1],[])). pos(f([3,2,1],[2])). pos(f([2],[2])). pos(f([4,1,2],[4,2])).
             neg(f([1,2,3],[2,3,7])). neg(f([1,1,1],[1,1,1])). neg(f([4,4],[4])).",
            "tail([_|T],T). head([H|_],H). empty([]). prepend(A,B,[A|B]). odd(1). odd(3).
             even(2). even(4).",
            "head_pred(f,2). body_pred(empty,1). body_pred(odd,1). body_pred(even,1).
             body_pred(head,2). body_pred(tail,2). body_pred(prepend,3). type(f,(list,list)).
             type(head,(list,element)). type(tail,(list,list)). type(empty,(list,)).
             type(odd,(element,)). type(even,(element,)). type(prepend,(element,list,list)).
             direction(f,(in,out)). direction(empty,(out,)). direction(head,(in,out)).
             direction(tail,(in,out)). direction(odd,(in,)). direction(even,(in,)).
             direction(prepend,(in,in,out)). enable_recursion. max_clauses(3).
             only_once(head). only_once(tail). only_once(prepend).",
        );
        assert!(theory.is_correct(), "{theory}");
        assert_eq!(theory.clauses.len(), 3, "{theory}");
    }

    #[test]
    fn a_target_of_too_many_arguments_is_an_error() {
        let task = |arity: usize| {
            let args = |last: &str| format!("{}{last}", "a,".repeat(arity - 1));
            let exs = format!("pos(p({})). neg(p({})).", args("b"), args("c"));
            let bias = format!("head_pred(p,{arity}). body_pred(q,1).");
            let source = |name, text| Source { name, text };
            Task::from_popper(
                source("exs.pl", &exs),
                source("bk.pl", "q(b)."),
                source("bias.pl", &bias),
            )
            .expect("a task")
        };
        let learned = |arity| task(arity).learn(&Lff::default());
        assert_eq!(learned(MAX_VARS).expect("learned").clauses.len(), 1);
        let error = learned(MAX_VARS + 1).expect_err("too many").to_string();
        assert!(
            error.contains("at most 32 arguments, and this one has 33"),
            "{error}"
        );
    }

    #[test]
    fn literals_of_many_arguments_keep_to_the_memory_limit() {
        let background = format!("row(a{}). row(b).", ",x".repeat(15));
        for (bias, target) in [
            ("head_pred(p,1). body_pred(row,16).", "p(a)"),
            // The target's own calls are as many.
            (
                "head_pred(p,16). body_pred(row,1). enable_recursion.",
                "p(a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,q)",
            ),
        ] {
            let source = |name, text| Source { name, text };
            let negative = target.replace("(a", "(z");
            let examples = format!("pos({target}). neg({negative}).");
            let mut task = Task::from_popper(
                source("exs.pl", &examples),
                source("bk.pl", &background),
                source("bias.pl", bias),
            )
            .expect("a task");
            let limits = Limits {
                memory: 10 << 20,
                ..Limits::default()
            };
            let theory = task.learn(&Lff {
                limits,
                ..Lff::default()
            });
            let theory = theory.expect("learned");
            assert_eq!(theory.stop, Stop::OutOfMemory, "{theory}");
        }
    }

    #[test]
    fn equality_may_be_declared_for_bodies() {
        let examples = "pos(p(a,a)). pos(p(b,b)). neg(p(a,b)). neg(p(b,a)).";
        let of = |equality: &str| {
            let bias = format!("head_pred(p,2). body_pred(q,1). body_pred(=,{equality}).");
            learned(examples, "q(a). q(b).", &bias)
        };
        assert_eq!(of("2").text, "p(A,A).\n");
        // A predicate of that name and another arity is not equality.
        assert_eq!(of("1").clauses.len(), 0);
    }

    #[test]
    fn limits_are_kept_and_told() {
        let examples = "pos(p(1)). pos(p(2)). neg(p(3)).";
        let bias = "head_pred(p,1). body_pred(q,1). body_pred(r,1). max_clauses(1).";
        let theory = learned(examples, "q(1). r(2).", bias);
        assert_eq!(theory.clauses.len(), 1);
        assert_eq!(theory.stop, Stop::ClauseLimit);
    }
}
