//! PAL learns patterns from descriptions of states, with examples that it generates itself.
//!
//! PAL is a bottom-up relation learner that asks membership queries. The bottom clause of an example,
//! relative to the background, is generalized with those of further examples by a constrained
//! relative least general generalization: only arguments with the same label, from the same
//! component of the state, are generalized together. The examples come from perturbation: arguments
//! of an example are changed so that some literal of the current definition fails. The states are
//! given by a [`Domain`], the facts about them by [`Feature`]s proved from a [`kibitz_prolog::Database`], and
//! the class of an example by a [`Teacher`].
//!
//! # Source
//! Morales 1992, chapter 5 and appendices A, G and H.

mod active;
mod background;
mod component_domain;
mod constrained_lgg;
mod domain;
mod dynamic;
mod error;
mod fact_cache;
mod failure_set;
mod feature;
mod interning;
mod labeled_lgg;
mod learner;
mod literals;
mod outcome;
mod pal_learner;
mod params;
mod passive;
mod pattern;
mod perturbation;
mod relative_subsumption;
mod saturation;
mod teacher;
mod teacher_adapters;
#[cfg(test)]
mod tests;

pub use active::success_set;
pub use background::Background;
pub use component_domain::ComponentDomain;
pub use constrained_lgg::{ConnectedBy, KeepComponents};
pub use domain::{Attribute, Component, Domain, Example};
pub use error::PalError;
pub use feature::Feature;
pub use learner::Pal;
pub use outcome::{Ending, Outcome, PalResult, Step};
pub use pal_learner::PalLearner;
pub use params::{ClassOrder, Novelty, PalParams};
pub use passive::Definition;
pub use perturbation::Generator;
pub use relative_subsumption::{equivalent_relative_to, reduced_relative_to, subsumes_relative_to};
pub use teacher::{Change, Judgement, Oracle, Teacher, Verdict};
pub use teacher_adapters::{Interruptible, UnsatisfiedTeacher};

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
