//! Learners: from a [`crate::Task`] to clauses.

pub mod cigol;
pub mod closed_world;
pub mod covering;
pub mod entailment;
pub mod foil;
pub mod golem;
pub mod mfoil;
pub mod mio;
pub mod pal;
pub mod progol;

mod outcome;
mod tables;

pub use outcome::{LearnError, Learned, NoProgress, Progress, Stop};
