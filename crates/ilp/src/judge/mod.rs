//! What is said about a learned theory: verified, tested on other examples, explained, and why nothing was
//! learned.
//!
//! This module calls the learners' contract and asks them; no learner calls it.

mod decision;
mod decision_table;
mod evaluation;
mod explain;
mod explanation;
#[cfg(feature = "json")]
mod json;
mod reading_order;
mod study;
mod theory;
mod theory_error;
mod verify;
mod why_not;
mod wrongly_covered;

pub use decision::{Decision, Ruling};
pub use decision_table::DecisionTable;
pub use evaluation::{Confusion, Evaluation, Share, WeightedConfusion};
pub use explanation::{By, Explanation, FailedClause, ProvedGoal, Reason};
#[cfg(feature = "json")]
pub use json::raised_json;
pub use study::Study;
pub use theory::Theory;
pub use theory_error::{Cause, TheoryError};
pub use verify::{VerifiedCoverage, VerifyError};
pub use why_not::WhyNot;
