//! A bounded prover for definite clauses with negation as failure.
//!
//! Ground facts live in tables with hash indexes by bound arguments, rules are run as in Prolog
//! (left to right, with backtracking, cut, disjunction and if-then-else), and [`NativeRelation`]s
//! answer in Rust. Every query is bounded in resolution steps and in depth, and tells when it was
//! the bound that ended it.

mod arithmetic;
mod builtin;
mod cell;
mod code;
mod compile;
mod database;
mod error;
mod facts;
mod heap;
mod limits;
mod machine;
mod names;
mod native;
mod query;
mod tabled;

pub use code::PreparedTheory;
pub use database::{Database, DatabaseBuilder};
pub use error::ProverError;
pub use limits::{Answers, Limits, Proof};
pub use native::{NativeError, NativeRelation, Signature};
pub use query::Prover;
pub use tabled::{AdaptiveJoin, CallTables, Conjunction, Join, TabledGoal, TabledProver};

#[cfg(test)]
mod tests;
