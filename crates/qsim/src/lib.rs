//! Qualitative simulation after Kuipers' QSIM.
//!
//! A qualitative model says in which direction things push, not how hard: variables have ordered
//! landmarks instead of numbers, and constraints such as "the flow is an increasing function of the
//! difference of the levels" stand for whole families of differential equations. The simulation
//! gives every behavior that any system of the family can have. Morales 1992, chapter 8, learns such
//! models from states.
//!
//! # Examples
//! ```
//! use kibitz_qsim::{System, render};
//!
//! let system = System::from_toml("decay.toml", r#"
//!     title = "A tank that empties"
//!     [variables]
//!     amount = { landmarks = ["0", "full"] }
//!     change = { landmarks = ["minf", "0"] }
//!     [[constraints]]
//!     kind = "m_minus"
//!     of = ["amount", "change"]
//!     corresponding = [["0", "0"]]
//!     [[constraints]]
//!     kind = "deriv"
//!     of = ["amount", "change"]
//!     [[initial]]
//!     amount = "full"
//! "#)?;
//! let tree = system.model.simulate(&system.initial, &system.options)?;
//! assert_eq!(
//!     render::behaviors_text(&system.title, &tree),
//!     "A tank that empties
//! 1 behavior, 3 states
//!
//! behavior 1: everything comes to rest
//! time      amount       change
//! t0        full/dec     minf..0/inc
//! (t0,t1)   0..full/dec  minf..0/inc
//! t1        0/std        0/std
//! (t1,inf)  0/std        0/std
//! ",
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Map
//! | module | what it holds |
//! | --- | --- |
//! | `quantity` | [`QuantitySpace`], [`Magnitude`], [`Direction`], [`QValue`] |
//! | `constraint`, `relation` | [`Constraint`]: what each kind accepts, corresponding values, infinities |
//! | `model` | [`Model`]: [acceptance](Model::accepts), [all states](Model::states), [legal states](Model::legal_states), operating regions |
//! | `partial`, `completion` | a [`PartialState`], and the states that it leaves open |
//! | `transitions`, `successors`, `step` | P- and I-transitions, tuples and Waltz filtering, what ends a behavior |
//! | `behaviors`, `tree_state`, `landmarks` | [`Model::simulate`]: the tree of behaviors, new landmarks, explanations |
//! | `envisionment` | [`Model::envision`]: the graph of states |
//! | `sequence` | [`Model::follow`]: whether a model can go through given states |
//! | `chatter`, `energy` | remedies against behaviors that no real system has |
//! | `system`, `systems` | [`System`]: TOML files with errors in their place, and those that come with the crate |
//! | [`learn`] | models from states: Genmodel, a genetic algorithm |
//! | [`render`] | text, JSON, DOT, SVG |
//!
//! Invariants: magnitudes mean something only with their space; no clock, file or environment is
//! read and nothing is printed; every simulation is bounded in states and gives the same result
//! everywhere. The program `kibitz-qsim` adds files and printing.

mod behaviors;
mod chatter;
mod completion;
mod constraint;
mod energy;
mod envisionment;
mod frame;
mod landmarks;
pub mod learn;
mod model;
mod options;
mod partial;
mod quantity;
mod relation;
pub mod render;
mod sequence;
mod sign;
mod step;
mod successors;
mod system;
mod systems;
mod transitions;
mod tree_state;

pub use behaviors::{Behavior, Behaviors, Removal, Removed, StartError};
pub use completion::Refusal;
pub use constraint::{Constraint, ConstraintError, ConstraintKind, Objection};
pub use envisionment::Envisionment;
pub use model::{
    Energy, EnergyTrend, Model, ModelError, Region, State, States, Transition, Variable,
};
pub use options::Options;
pub use partial::{PartialState, ValueSet};
pub use quantity::{
    Direction, INFINITY, MAX_LANDMARKS, MINUS_INFINITY, Magnitude, QValue, QuantitySpace,
    SpaceError, ZERO,
};
pub use sequence::SequenceError;
pub use step::{Ending, Filter};
pub use system::System;
#[cfg(feature = "schemars")]
pub use system::schema;
pub use systems::{BUNDLED, Bundled};
pub use transitions::Phase;
pub use tree_state::TreeState;

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
