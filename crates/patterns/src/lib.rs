//! Chess patterns by inductive logic programming.
//!
//! Positions with any pieces, with or without kings, become native relations of logic programs
//! ([`relations`]) and a domain for PAL ([`ChessDomain`]). A [`Concept`] declares a pattern to learn:
//! initial examples, background predicates, and a target definition that answers PAL's queries. The
//! rules of chess are those of `kibitz_board`.
//!
//! [`strategy`] has rule-based endgame strategies over such concepts, [`can_run`] patterns of
//! unstoppable pawns.
//!
//! # Source
//! Morales 1992, chapters 5 to 7, appendices A to G.

mod background_definitions;
mod bundled_concepts;
pub mod can_run;
mod chess_constants;
mod concept;
mod concept_domain;
mod confusion;
mod coverage;
mod declarations;
mod diagram;
mod domain;
mod error;
mod example_text;
mod instances;
mod position;
mod prepared_concept;
pub mod relations;
mod simplify;
pub mod strategy;
mod targets;
mod teaching_set;
mod test_set;

pub use bundled_concepts::{BUNDLED_CONCEPTS, BundledConcept};
pub use chess_constants::ChessConstants;
pub use concept::{Board, Concept};
pub use concept_domain::ConceptDomain;
pub use confusion::ConfusionCounts;
pub use diagram::draw;
pub use domain::{Axis, Changes, ChessDomain, PlacementDomain, Places};
pub use error::ConceptError;
pub use position::{PieceMove, Position};
pub use prepared_concept::PreparedConcept;
pub use simplify::negations_last;
pub use teaching_set::TeachingSetParams;
pub use test_set::{Agreement, CounterexampleTeacher, TestSet, TestSetParams};

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
