//! Chess seen by inductive logic programming.
//!
//! Positions with any pieces, kings or not, become relations that a prover can ask ([`relations`]),
//! and a domain in which PAL learns patterns ([`ChessDomain`]). [`Concept`] is a concept to learn as
//! a file declares it: positions, background predicates by name, and a target definition to answer
//! PAL's questions from. The rules of chess are those of `kibitz_board`.
//!
//! [`strategy`] reads and follows rules over such concepts, which play an endgame, and [`can_run`] asks
//! the patterns of one about its pawn.
//!
//! # Source
//! Morales 1992, chapters 5 to 7, appendices A to G.

mod agreement;
pub mod can_run;
mod concept;
mod domain;
mod draw;
mod error;
mod example_text;
mod implications;
mod names;
mod placement;
mod position;
pub mod relations;
pub mod strategy;
mod trained_user;
mod vocabulary;
mod world;

pub use agreement::Agreement;
pub use concept::{Board, Concept, Prepared};
pub use domain::{Axis, Changes, ChessDomain, PlacementDomain, Places};
pub use draw::draw;
pub use error::ConceptError;
pub use names::Names;
pub use placement::Placements;
pub use position::{PieceMove, Position};
pub use trained_user::UserParams;
pub use world::World;

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
