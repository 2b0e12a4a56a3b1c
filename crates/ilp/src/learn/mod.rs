//! Learners: from a [`crate::Task`] to clauses.

pub mod bottom_clause;
pub mod cigol;
pub mod closed_world;
pub mod covering;
pub mod foil;
pub mod golem;
pub mod mfoil;
pub mod mio;
pub mod pal;
pub mod progol;

mod encode;
mod outcome;

pub use outcome::{LearnError, Learned, NoProgress, Progress, Stop};
