//! Logic programs and their induction.
//!
//! A general library, without knowledge of any game: terms and clauses with a reader and a printer of
//! Prolog text, theta-subsumption, least general generalization, a bounded prover that takes
//! relations computed in Rust, and learners on top of them. The learners are those that Morales 1992
//! compares PAL with (Foil, mFoil, Golem, closed-world specialization, Cigol, MIS and Itou), and
//! those of Peña Castillo and Wrobel 2003 (Mio, beside Progol); learning from failures is for small
//! and recursive programs.
//!
//! # Examples
//! A task is read from files, learned, and its theory verified:
//! ```
//! use kibitz_ilp::Task;
//! use kibitz_ilp::learn::Foil;
//!
//! let mut task = Task::from_dir("examples/family")?;
//! let theory = task.learn(&Foil::default())?;
//! assert_eq!(theory.text, "grandparent(A,B) :- parent(C,B), parent(A,C).\n");
//! assert!(theory.is_correct());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Map
//! | folder | contents |
//! | --- | --- |
//! | `term` | symbols, terms, atoms, clauses, substitutions, unification |
//! | `reader`, `printer` | Prolog text in and out, inverse to each other |
//! | `subsume` | theta-subsumption as constraint satisfaction, equivalence, Plotkin's reduction |
//! | `lgg` | least general generalization, within labels where a learner has some |
//! | `prover` | facts, rules and [`NativeRelation`]s, with bounds on steps and depth; `prover/tabled`: goals that recur, and joins over constants |
//! | `encoded` | a task in numbers: dictionary of terms, relations with indexes, modes |
//! | `eval` | clauses in numbers: literals, their decoding, canonical forms, matchers, the memo of answers |
//! | `schedule` | the order of a conjunction's goals, tests first |
//! | `coverage` | covered examples as bit sets |
//! | `task` | examples, background and bias, their file layouts, the bias checker |
//! | `problem` | a task with its compiled background ([`Problem`]) |
//! | [`learn`] | the contract of learners ([`learn::Learner`]), their list ([`learn::Algorithm`]), and the learners |
//! | `verify` | a printed theory, read back and proved on the examples |
//! | `evaluation` | counts and measures of a theory on other examples, parts of a task to test on |
//! | `explain`, `why_not` | why an example is covered or not, why nothing was learned |
//! | `json` | theories and measures for programs, with the feature `json` |
//! | `theory` | the verified result of a learner ([`Theory`]) |
//!
//! Invariants: symbols mean something only with their table, which is passed along; no clock or
//! environment is read, files only by [`Task::from_dir`], and nothing is printed; the network is only
//! used with the feature `tcp`; every search is bounded in steps and gives the same result
//! everywhere. The program `kibitz-ilp` adds time limits and printing.

mod encoded;
mod eval;
mod judge;
pub mod learn;
mod problem;
mod subsume;
mod task;

#[cfg(feature = "json")]
pub use judge::raised_json;
pub use judge::{
    By, Cause, Confusion, ExampleError, Explanation, FailedClause, ProvedGoal, Reason, Share,
    Theory, Unsolved, Verified, VerifyError, WhyNot,
};
pub use problem::Problem;
pub use subsume::{equivalent, reduced, subsumes, subsuming_substitution};
pub use task::{
    Bias, ConstantSet, Constraints, Findings, Issue, IssueKind, Layout, LoadError, SearchSetting,
    SearchSettings, Source, Split, Task, TaskError,
};

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
