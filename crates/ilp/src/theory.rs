//! A learned definition with the examples it was proved to cover.

use std::fmt::{self, Write as _};

use crate::coverage::Coverage;
use crate::learn::{Learned, Learner, NoProgress, Progress, Stop};
use crate::problem::Problem;
use crate::prover::Limits;
use crate::task::Task;
use crate::term::{Clause, Predicate, SymbolTable};
use crate::unsolved::Unsolved;
use crate::verify::verify;

/// A learned definition that was printed, read back and proved on the examples of its task.
///
/// It is displayed as Prolog text that can be loaded, with the counts in comments.
#[derive(Clone, Debug)]
pub struct Theory {
    /// The learner's name.
    pub learner: String,
    /// The predicate that is defined.
    pub target: Predicate,
    /// The clauses, in the order in which they should be read.
    pub clauses: Vec<Clause>,
    /// The task's symbols and those of predicates that the learner invented.
    pub symbols: SymbolTable,
    /// The clauses as Prolog text, one a line.
    pub text: String,
    /// Covered examples, clause by clause; clauses of invented predicates cover none.
    pub coverage: Vec<Coverage>,
    /// Covered examples of the whole theory.
    pub total: Coverage,
    /// Why the search ended.
    pub stop: Stop,
    /// Candidate literals or clauses evaluated; the same on every machine.
    pub steps: u64,
}

impl Theory {
    /// Whether it covers every positive example and no negative one.
    pub fn is_correct(&self) -> bool {
        let [_, fn_, _, fp] = self.total.confusion();
        fn_ + fp == 0
    }

    /// Why the search ended, in words.
    pub fn ending(&self) -> &'static str {
        let is_complete = self.total.confusion()[1] == 0;
        match self.stop {
            Stop::Complete if is_complete => "every positive example is covered",
            Stop::Complete => {
                "the learner saw every positive example covered, but not all can be proved"
            }
            Stop::NoMoreClauses => "no further clause is good enough",
            Stop::ClauseLimit => "the limit on clauses is reached",
            Stop::OutOfSteps => "the limit on steps is reached; this is the best theory so far",
            Stop::OutOfMemory => "the memory limit is reached; this is the best theory so far",
            Stop::Interrupted => "the time limit is reached; this is the best theory so far",
        }
    }

    /// The counts on one line, as a Prolog comment.
    pub fn headline(&self) -> String {
        let (name, arity) = (self.symbols.name(self.target.name), self.target.arity);
        let (learner, n) = (&self.learner, self.clauses.len());
        let counts = Counts(&self.total);
        format!("% {name}/{arity} by {learner}, {n} clauses: {counts}")
    }

    /// A line about proofs that met a bound, as a Prolog comment; empty if none did.
    pub fn undecided(&self) -> String {
        match self.total.undecided {
            0 => String::new(),
            n => format!("% {n} proofs met a bound and count as not covered\n"),
        }
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
    /// [`Unsolved`] if the learner fails, or if its clauses cannot be verified.
    pub fn learn(
        &self,
        learner: &dyn Learner,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Theory, Unsolved> {
        let learned = learner.learn(self, progress);
        let learned = learned.map_err(|error| Unsolved::by(self, error))?;
        self.theory(learner.name(), learned, learner.limits())
    }

    /// Verifies clauses that were learned under a learner's name.
    ///
    /// # Errors
    /// [`Unsolved`] if they cannot be proved within reason, or do not read back.
    pub fn theory(
        &self,
        learner: &str,
        learned: Learned,
        limits: Limits,
    ) -> Result<Theory, Unsolved> {
        let symbols = learned.symbols(&self.task().symbols);
        let verified = verify(self, &learned.clauses, &symbols, limits);
        let verified = verified.map_err(|error| Unsolved::by(self, error))?;
        Ok(Theory {
            learner: learner.to_owned(),
            target: self.task().target,
            clauses: learned.clauses,
            symbols,
            text: verified.text,
            coverage: verified.clauses,
            total: verified.total,
            stop: learned.stop,
            steps: learned.steps,
        })
    }
}

impl Task {
    /// Learns a definition of the target and verifies it by proof.
    ///
    /// # Errors
    /// [`Unsolved`] if the background cannot be compiled, the learner fails, or its clauses cannot
    /// be verified.
    pub fn learn(&mut self, learner: &dyn Learner) -> Result<Theory, Unsolved> {
        self.learn_with(learner, &mut NoProgress)
    }

    /// The same, watched by a [`Progress`], which may end the search.
    ///
    /// # Errors
    /// As [`Task::learn`].
    pub fn learn_with(
        &mut self,
        learner: &dyn Learner,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Theory, Unsolved> {
        match self.database() {
            Ok(database) => Problem::with_database(self, &database).learn(learner, progress),
            Err(error) => Err(Unsolved::before(self, error)),
        }
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
        writeln!(f, "% {}; {} steps", self.ending(), self.steps)?;
        f.write_str(&self.undecided())?;
        f.write_str(&self.program())
    }
}
