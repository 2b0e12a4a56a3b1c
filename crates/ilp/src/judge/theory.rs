//! A learned definition with the examples it was proved to cover.

use std::fmt::{self, Write as _};

use kibitz_prolog::{Clause, Coverage, Limits, Predicate, SymbolTable};
use kibitz_text::counted;

use super::evaluation::Evaluation;
use super::reading_order::ReadingOrder;
use super::theory_error::TheoryError;
use super::verify::verify;
use crate::learn::mml::Message;
use crate::learn::{Hypothesis, Learner, Progress, Reach, Remark, Stop};
use crate::problem::Problem;
use crate::task::Task;

/// A learned definition that was printed, read back and proved on the examples of its task.
///
/// It is displayed as Prolog text that can be loaded, with the counts in comments.
#[derive(Clone, Debug)]
pub struct Theory {
    /// The learner's name.
    pub learner: String,
    /// The predicate that is defined.
    pub target: Predicate,
    /// The clauses, in the order in which they should be read. Literals whose order does not matter are in
    /// that of a reader, too: `parent(A,C), parent(C,B)`.
    pub clauses: Vec<Clause>,
    /// The task's symbols and those of predicates that the learner invented.
    pub symbols: SymbolTable,
    /// The clauses as Prolog text, one a line.
    pub text: String,
    /// Covered examples, clause by clause; clauses of invented predicates cover none.
    pub coverage: Vec<Coverage>,
    /// Covered examples of the whole theory.
    pub total: Coverage,
    /// How it does on the examples of its task.
    pub training: Evaluation,
    /// Whether the learner's clauses were wrong more often than right, and were dropped.
    pub is_discarded: bool,
    /// Why the search ended.
    pub stop: Stop,
    /// The learner that found it, where one was chosen among several.
    pub chosen: Option<&'static str>,
    /// Those of several learners that a limit ended, with the limit, where the theory makes mistakes.
    pub unfinished: Vec<(&'static str, Stop)>,
    /// The clauses that the learner looked at.
    pub reach: Reach,
    /// See [`Hypothesis::steps`]; the same on every machine.
    pub steps: u64,
    /// Determinate literals that the learner left out; see [`Hypothesis::n_left_out`].
    pub n_left_out: usize,
    /// How long its message is (mml); see [`Theory::message`].
    message: Option<Message>,
}

impl Theory {
    /// Whether it covers every positive example and no negative one, by proofs that all ended.
    pub fn is_correct(&self) -> bool {
        let [_, fn_, _, fp] = self.total.confusion();
        fn_ + fp + self.total.undecided == 0
    }

    /// How long the message of the printed clauses is, given the examples of the task (mml). There is
    /// none where the verified theory is not the one that the message tells.
    pub fn message(&self) -> Option<&Message> {
        self.message.as_ref()
    }

    /// Why the search ended, in words.
    pub fn ending(&self) -> &'static str {
        let is_complete = self.total.confusion()[1] == 0;
        if self.is_discarded {
            return "the clauses that were found are wrong more often than right, and are left out";
        }
        match self.stop {
            Stop::Complete if is_complete => "every positive example is covered",
            Stop::Complete if self.clauses.is_empty() => {
                "the clauses that the learner took for right cannot be proved, and are left out"
            }
            Stop::Complete => {
                "the learner saw every positive example covered, but not all can be proved"
            }
            Stop::NoMoreClauses => "no further clause is good enough",
            Stop::ClauseLimit => "the limit on clauses is reached",
            Stop::OutOfSteps => "the limit on steps is reached; this is the best theory so far",
            Stop::OutOfMemory => "the memory limit is reached; this is the best theory so far",
            Stop::Interrupted => "the search was stopped; this is the best theory so far",
        }
    }

    /// The counts on one line, as a Prolog comment.
    pub fn headline(&self) -> String {
        let (name, arity) = (self.symbols.name(self.target.name), self.target.arity);
        let learner = match self.chosen {
            Some(chosen) => format!("{} ({chosen})", self.learner),
            None => self.learner.clone(),
        };
        let clauses = counted(self.clauses.len(), "clause", "clauses");
        let counts = Counts(&self.total);
        format!("% {name}/{arity} by {learner}, {clauses}: {counts}")
    }

    /// The bounds that the clauses were looked for in, where the search ended because of them, as a
    /// Prolog comment; empty otherwise.
    pub fn bounds(&self) -> String {
        let bounds = match self.stop {
            Stop::NoMoreClauses => self.reach.to_string(),
            Stop::ClauseLimit => "--max-clauses allows more clauses".to_owned(),
            Stop::OutOfSteps if self.unfinished.is_empty() => {
                "--max-steps allows more steps".to_owned()
            }
            Stop::OutOfSteps | Stop::Complete | Stop::OutOfMemory | Stop::Interrupted => {
                String::new()
            }
        };
        let mut text = match (self.stop, bounds.is_empty()) {
            (_, true) => String::new(),
            (Stop::NoMoreClauses, _) => format!("% looked for: {bounds}\n"),
            _ => format!("% {bounds}\n"),
        };
        text += &self.limits();
        if self.n_left_out > 0 && self.stop != Stop::Complete {
            let literals = counted(
                self.n_left_out,
                "determinate literal",
                "determinate literals",
            );
            let _ = writeln!(
                text,
                "% {literals} left out: what can be said of their variables takes too long to evaluate"
            );
        }
        text
    }

    /// The learners that a limit ended, a limit on a line.
    fn limits(&self) -> String {
        let limits = [
            (Stop::OutOfSteps, "steps", "--max-steps allows more steps"),
            (Stop::OutOfMemory, "memory", "--memory-limit allows more"),
        ];
        let mut text = String::new();
        for (limit, what, option) in limits {
            let own = self.unfinished.iter().filter(|(_, own)| *own == limit);
            let own: Vec<&str> = own.map(|(name, _)| *name).collect();
            if !own.is_empty() {
                let names = own.join(", ");
                let _ = writeln!(text, "% ran out of {what}: {names} ({option})");
            }
        }
        text
    }

    /// Lines about proofs that met a bound, raised an error or were not made, as Prolog comments; empty
    /// if there are none.
    pub fn undecided(&self) -> String {
        self.total.undecided_lines(&self.symbols)
    }

    /// The clauses as Prolog text that can be loaded, each with its counts.
    pub fn program(&self) -> String {
        let mut text = String::from(":- style_check(-singleton).\n");
        let counted = self.clauses.iter().zip(&self.coverage);
        for ((clause, coverage), line) in counted.zip(self.text.lines()) {
            text.push_str(line);
            if clause.head.predicate() == self.target {
                let _ = write!(text, "  % {}", Counts(coverage));
            }
            text.push('\n');
        }
        text
    }
}

impl Problem<'_> {
    /// Learns a definition of the target and verifies it by proof.
    ///
    /// # Errors
    /// [`TheoryError`] if the learner fails, or if its clauses cannot be verified.
    pub fn learn(
        &self,
        learner: &dyn Learner,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Theory, TheoryError> {
        let mut progress = Unfolding {
            task: self.task(),
            order: ReadingOrder::new(self.task()),
            progress,
        };
        // Nothing is learned where the task as it was read takes all the memory that is allowed.
        let fits = self.task().bytes() <= learner.limits().memory;
        let learned = if fits {
            learner.learn(self, &mut progress)
        } else {
            Ok(Hypothesis::new(Vec::new(), Stop::OutOfMemory, 0))
        };
        let learned = learned.map_err(|error| TheoryError::by(self, error))?;
        let mut theory =
            self.theory_while(learner.name(), learned, learner.limits(), &mut || {
                progress.keep_verifying()
            })?;
        if theory.chosen.is_none() {
            theory.reach = learner.reach(self.task());
        }
        Ok(theory)
    }

    /// Verifies clauses that were learned under a learner's name.
    ///
    /// # Errors
    /// [`TheoryError`] if they cannot be proved within reason, or do not read back.
    pub fn theory(
        &self,
        learner: &str,
        learned: Hypothesis,
        limits: Limits,
    ) -> Result<Theory, TheoryError> {
        self.theory_while(learner, learned, limits, &mut || true)
    }

    /// The same by the proofs that there is time for. Where some are left out, the clauses stay as they
    /// are.
    ///
    /// # Errors
    /// As [`Problem::theory`].
    pub fn theory_while(
        &self,
        learner: &str,
        learned: Hypothesis,
        limits: Limits,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Theory, TheoryError> {
        let symbols = learned.symbols(&self.task().symbols);
        let mut message = learned.message().cloned();
        let unfolded = learned.clauses.into_iter();
        let unfolded: Vec<Clause> = unfolded
            .map(|clause| self.task().unfolded(&clause))
            .collect();
        let mut clauses = ReadingOrder::new(self.task()).of_theory(&unfolded);
        let mut verify = |clauses: &[Clause]| {
            let verified = verify(self, clauses, &symbols, limits, keep_going);
            verified.map_err(|error| TheoryError::by(self, error))
        };
        let mut verified = verify(&clauses)?;
        // Clauses that prove nothing, alone or for others, do not belong to the theory. One whose proofs
        // do not end can still keep negative examples from being covered by others: it stays.
        // Without positive examples none can tell.
        let mut place = if self.task().positive.is_empty() || verified.total.left_out > 0 {
            clauses.len()
        } else {
            0
        };
        while place < clauses.len() {
            let is_idle = clauses[place].head.predicate() == self.task().target
                && verified.clauses[place].positive.is_clear();
            if is_idle {
                let mut fewer = clauses.clone();
                fewer.remove(place);
                let without = verify(&fewer)?;
                if without.total.left_out > 0 {
                    break;
                }
                if verified.total.positive.is_subset(&without.total.positive)
                    && without.total.negative.is_subset(&verified.total.negative)
                {
                    (clauses, verified) = (fewer, without);
                    message = None;
                    continue;
                }
            }
            place += 1;
        }
        let [tp, _, _, fp] = verified.total.confusion();
        let task = self.task();
        let examples = [&task.positive[..], &task.negative[..]];
        let [right, _, _, wrong] = task.weights.confusion(&verified.total, examples);
        let costs = task.search.costs;
        let is_discarded = costs.weighted_loss([0.0, wrong]) > costs.weighted_loss([right, 0.0])
            && verified.total.left_out == 0;
        if is_discarded {
            clauses.clear();
            verified = verify(&clauses)?;
            message = None;
        }
        // What a learner holds to be covered may be another thing than what can be proved.
        let message = message.filter(|own| own.tells(self.task(), [tp, fp]));
        let stop = match learned.stop {
            Stop::OutOfMemory => Stop::OutOfMemory,
            _ if verified.total.left_out > 0 => Stop::Interrupted,
            stop => stop,
        };
        Ok(Theory {
            learner: learner.to_owned(),
            target: self.task().target,
            clauses,
            is_discarded,
            symbols: symbols.clone(),
            text: verified.text,
            coverage: verified.clauses,
            training: Evaluation::new(&verified.total, examples, &task.weights),
            total: verified.total,
            stop,
            chosen: learned.chosen.map(|own| own.learner),
            unfinished: learned.unfinished,
            reach: match learned.chosen {
                Some(chosen) => chosen.reach,
                None => Reach::of_bias(self.task()),
            },
            steps: learned.steps,
            n_left_out: learned.n_left_out,
            message,
        })
    }
}

/// Shows the clauses of a learner as they are printed.
struct Unfolding<'p> {
    task: &'p Task,
    order: ReadingOrder<'p>,
    progress: &'p mut (dyn Progress + Send),
}

impl Progress for Unfolding<'_> {
    fn clause(&mut self, clause: &Clause, symbols: &SymbolTable, positive: usize, negative: usize) {
        let clause = self.order.of(&self.task.unfolded(clause));
        self.progress.clause(&clause, symbols, positive, negative);
    }

    fn remark(&mut self, remark: &Remark) {
        self.progress.remark(remark);
    }

    fn tried(&mut self, learner: &'static str, n_right: usize, n: usize) {
        self.progress.tried(learner, n_right, n);
    }

    fn keep_going(&mut self) -> bool {
        self.progress.keep_going()
    }

    fn keep_verifying(&mut self) -> bool {
        self.progress.keep_verifying()
    }
}

struct Counts<'c>(&'c Coverage);

impl fmt::Display for Counts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [tp, fn_, tn, fp] = self.0.confusion();
        write!(f, "tp {tp} fn {fn_} tn {tn} fp {fp}")
    }
}

impl fmt::Display for Theory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.headline())?;
        let steps = counted(self.steps, "step", "steps");
        writeln!(f, "% {}; {steps}", self.ending())?;
        if let Some(message) = &self.message {
            write!(f, "{message}")?;
        }
        f.write_str(&self.training.weighted_measures())?;
        f.write_str(&self.bounds())?;
        f.write_str(&self.undecided())?;
        f.write_str(&self.program())
    }
}

#[cfg(test)]
mod tests {
    use kibitz_prolog::read_clauses;

    use super::*;
    use crate::Source;

    /// The theory of these clauses, where `e` leads from 10 to 20 to 30 to 40, where (10,40) is negative,
    /// and from 50 to 60 to 70, where (50,70) is positive.
    fn judged(clauses: &str) -> String {
        let source = |name, text| Source { name, text };
        let mut task = Task::from_popper(
            source("exs.pl", "pos(t(50,70)). neg(t(10,40))."),
            source(
                "bk.pl",
                "e(10,20). e(20,30). e(30,40). e(50,60). e(60,70). next(X,Y) :- Y is X+1.",
            ),
            source(
                "bias.pl",
                "head_pred(t,2). body_pred(e,2). body_pred(next,2). enable_recursion.",
            ),
        )
        .expect("a task");
        let clauses = read_clauses(clauses, &mut task.symbols).expect("clauses");
        let problem = Problem::new(&mut task).expect("compiles");
        let limits = Limits {
            steps: 10_000,
            ..Limits::default()
        };
        let learned = Hypothesis::new(clauses, Stop::Complete, 0);
        let theory = problem.theory("given", learned, limits).expect("a theory");
        theory.text
    }

    #[test]
    fn a_clause_that_proves_nothing_is_dropped() {
        let kept = "t(A,B) :- e(A,B).\nt(A,B) :- e(A,C), t(C,B).\n";
        assert_eq!(judged(&format!("t(A,B) :- e(B,A). {kept}")), kept);
    }

    #[test]
    fn a_clause_stays_without_which_more_negative_examples_are_covered() {
        let theory = "t(A,B) :- e(A,B).\nt(A,B) :- next(A,C), t(C,B).\nt(A,B) :- e(A,C), t(C,B).\n";
        assert_eq!(judged(theory), theory);
    }
}
