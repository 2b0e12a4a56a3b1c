//! Learners: from a [`Problem`](crate::Problem) to clauses.
//!
//! [`Learner`] is the contract that all of them keep, [`Algorithm`] the list of them.

pub mod bottom_clause;
pub mod cigol;
pub mod closed_world;
pub mod covering;
pub mod foil;
pub mod golem;
pub mod itou;
pub mod lff;
pub mod mfoil;
pub mod mio;
pub mod mis;
pub mod mml;
pub mod pal;
pub mod progol;

mod algorithm;
mod auto;
mod encode;
mod intra_construction;
mod learner;
mod outcome;
mod proof_count;
mod reach;

pub use algorithm::{Algorithm, NeedsMore, Settings, UnknownAlgorithm};
pub use auto::Auto;
pub use cigol::Cigol;
pub use closed_world::ClosedWorld;
pub use covering::Covering;
pub use foil::Foil;
pub use golem::Golem;
pub use itou::Itou;
pub use learner::Learner;
pub use lff::Lff;
pub use mfoil::Mfoil;
pub use mio::Mio;
pub use mis::Mis;
pub use mml::Mml;
pub use outcome::{LearnError, Learned, NoProgress, Progress, SearchReport, Stop};
pub use progol::Progol;
pub use reach::Reach;

pub use crate::encoded::{Remark, RemarkKind};
