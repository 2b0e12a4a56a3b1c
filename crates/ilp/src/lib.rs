//! Inductive logic programming.
//!
//! A general library, without knowledge of any game: tasks in five file formats, theta-subsumption, a
//! contract that learners of logic programs keep, learners, and verified theories. The learners are Foil,
//! mFoil, Golem and closed-world specialization, with which Morales 1992 compares PAL; Mio and Progol,
//! those of Peña Castillo and Wrobel 2003; learning by message length, under noise; and learning from
//! failures, for small and recursive programs.
//!
//! # Examples
//! A task is read from files, learned, and its theory verified:
//! ```
//! use kibitz_ilp::learn::Foil;
//! use kibitz_ilp::{Study, Task};
//!
//! let mut task = Task::from_dir("examples/family")?;
//! let theory = task.learn(&Foil::default())?;
//! assert_eq!(theory.text, "grandparent(A,B) :- parent(A,C), parent(C,B).\n");
//! assert!(theory.is_correct());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Map
//! | folder | contents |
//! | --- | --- |
//! | `subsume` | theta-subsumption as constraint satisfaction, equivalence, Plotkin's reduction |
//! | [`task`] | examples, background and bias, their file layouts, the bias checker, parts to test on: the crate `kibitz-ilp-task` |
//! | `problem` | a task with its compiled background ([`Problem`]) |
//! | `encoded` | a task in integers: dictionary of terms, relations with indexes, modes |
//! | `eval` | clauses in integers: literals, their decoding, canonical forms, matchers, the memo of answers |
//! | [`learn`] | the contract of learners ([`learn::Learner`]) and the learners |
//! | `judge` | what is said about a theory ([`Theory`]): verification by proof, measures on other examples, explanations, why examples are not covered; JSON with the feature `json` |
//!
//! Terms, reader and prover are those of [`kibitz_prolog`].
//!
//! Invariants: symbols mean something only with their table, which is passed along; no clock or
//! environment is read, files only by [`Task::from_dir`], and nothing is printed; every search is bounded
//! in steps and gives the same result everywhere; no learner calls `judge`. The program `kibitz-ilp`, in
//! `kibitz-ilp-cli`, adds time limits and printing.

mod encoded;
mod eval;
mod judge;
pub mod learn;
mod problem;
mod subsume;

#[cfg(feature = "json")]
pub use judge::raised_json;
pub use judge::{
    By, Cause, Confusion, Decision, DecisionTable, Evaluation, Explanation, FailedClause,
    ProvedGoal, Reason, Ruling, Share, Study, Theory, TheoryError, VerifiedCoverage, VerifyError,
    WeightedConfusion, WhyNot,
};
pub use kibitz_ilp_task as task;
pub use problem::Problem;
pub use subsume::{equivalent, reduced, subsumes, subsuming_substitution};
pub use task::{
    Bias, ConstantSet, Constraints, Costs, ExampleError, Findings, Issue, IssueKind, Layout,
    LoadError, LoneArgument, SearchSetting, SearchSettings, Source, Split, Task, TaskError,
    Weights,
};

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
