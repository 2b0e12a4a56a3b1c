//! Learners of logic programs from the years before 1992, with which PAL's thesis compares it: [`Mis`],
//! [`Itou`] and [`Cigol`].
//!
//! Each is a [`Learner`](kibitz_ilp::learn::Learner) of `kibitz-ilp` and asks a user or an oracle: by
//! default it takes the answers from the examples of the task. They learn from few, clean examples, and
//! are here to be compared with.
//!
//! # Source
//! Morales 1992, section 4.5.1 and Table 4.4; each learner names its own paper.

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
