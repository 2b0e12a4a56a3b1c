//! Learners of logic programs from before 1992 that PAL's thesis compares it with: [`Mis`], [`Itou`]
//! and [`Cigol`]; and the operation that Marvin and Itou build on, [`absorption`].
//!
//! Each is a [`Learner`](kibitz_ilp::learn::Learner) of `kibitz-ilp` and queries an oracle; by default
//! the examples of the task answer. They learn from few noise-free examples and serve as baselines.
//!
//! # Source
//! Morales 1992, section 4.5.1 and Table 4.4; each learner names its own paper.

pub mod absorption;
pub mod cigol;
pub mod itou;
pub mod mis;

mod intra_construction;

pub use cigol::Cigol;
pub use itou::Itou;
pub use mis::Mis;

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
