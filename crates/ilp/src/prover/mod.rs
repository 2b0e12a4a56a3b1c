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
mod definition;
mod direct;
mod error;
mod facts;
mod heap;
mod join;
mod machine;
mod native;
mod parts;
mod query;
mod tabled;
mod trial;

pub use code::PreparedTheory;
pub use database::{Database, DatabaseBuilder};
pub use error::ProverError;
pub use join::Join;
pub use native::{NativeError, NativeRelation, Signature};
pub use parts::Conjunction;
pub use query::{Answers, Limits, Proof, Prover};
pub use tabled::{TabledGoal, TabledProver};
pub use trial::Trial;

#[cfg(test)]
mod tests;
