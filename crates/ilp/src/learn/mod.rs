//! Learners: from a [`Problem`](crate::Problem) to clauses.
//!
//! [`Learner`] is the contract that all of them keep. PAL (`kibitz-pal`) and the older ones (`kibitz-ilp-classics`)
//! keep it as well; the list of all, by their names, is in `kibitz-ilp-cli`.

pub mod bottom_clause;
pub mod closed_world;
pub mod covering;
pub mod foil;
pub mod golem;
pub mod lff;
pub mod mfoil;
pub mod mio;
pub mod mml;
pub mod progol;

mod auto;
mod encode;
mod learner;
mod message_length;
mod outcome;
mod proof_count;
mod reach;

pub use auto::Auto;
pub use closed_world::ClosedWorld;
pub use covering::Covering;
pub use foil::Foil;
pub use golem::Golem;
pub use learner::Learner;
pub use lff::Lff;
pub use mfoil::Mfoil;
pub use mio::Mio;
pub use mml::Mml;
pub use outcome::{
    ChosenLearner, Hypothesis, LearnError, NoProgress, Progress, SearchReport, Stop,
};
pub use progol::Progol;
pub use reach::Reach;

pub use crate::encoded::{Remark, RemarkKind};
