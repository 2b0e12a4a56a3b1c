//! Qualitative simulation after Kuipers' QSIM.
//!
//! A qualitative differential equation has variables with ordered landmarks instead of numbers, and
//! constraints such as "the flow is an increasing function of the difference of the levels"; it
//! represents a family of ordinary differential equations. The simulation derives every behavior that
//! a system of the family can have. Morales 1992, chapter 8, learns such models from states.
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
//! amount falls to 0.
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
//! | module | contents |
//! | --- | --- |
//! | `quantity`, `sign` | [`QuantitySpace`], [`Magnitude`], [`Direction`], [`QValue`]; sign arithmetic |
//! | `constraint`, `relation` | [`Constraint`], and its evaluation: directions, signs, corresponding values, infinities |
//! | `model` | [`Model`]: [acceptance](Model::accepts), [all states](Model::states), [legal states](Model::legal_states), operating regions, energy, [unconstrained variables](Model::unconnected) |
//! | `partial`, `completion`, `plan` | a [`PartialState`] and its completions: arc consistency and backtracking |
//! | `transitions`, `successors`, `step` | P- and I-transitions, Waltz filtering, global filters |
//! | `start`, `simulate`, `discovery`, `frame` | [`Model::simulate`]: initial states, the tree of behaviors, new landmarks |
//! | `tree`, `removal` | [`BehaviorTree`] and its [`Behavior`]s; [`Removal`], explanations |
//! | `envisionment` | [`Model::envision`]: the state graph |
//! | `sequence` | [`Model::follow`]: whether a model has a behavior through given states |
//! | `trajectory` | [`System::cover`]: whether a sampled [`Trajectory`] is among the behaviors |
//! | `chatter` | variables that can [chatter](Model::chattering) |
//! | `exercise` | [`System::exercises`]: which state comes next, and why the others cannot |
//! | `system`, `bundled` | [`System`]: TOML files with errors in their place, and those that come with the crate |
//! | [`learn`] | models from states: Genmodel, a genetic algorithm |
//! | [`press`] | loop analysis: responses of signed digraphs, XMILE models |
//! | [`render`] | text, JSON, DOT, SVG |
//!
//! Invariants: magnitudes are meaningful only with their quantity space; no clock, file or
//! environment is read and nothing is printed; every simulation is bounded in states and
//! deterministic on every platform. The program `kibitz-qsim` adds files and output.

mod bundled;
mod chatter;
mod completion;
mod constraint;
mod discovery;
mod envisionment;
mod exercise;
mod frame;
mod index;
pub mod learn;
mod model;
mod options;
mod partial;
mod plan;
pub mod press;
mod quantity;
mod relation;
mod removal;
pub mod render;
mod rows;
mod sequence;
mod sign;
mod simulate;
mod start;
mod step;
mod successors;
mod system;
mod trajectory;
mod transitions;
mod tree;

pub use bundled::{BUNDLED, BundledSystem};
pub use completion::Refusal;
pub use constraint::{Constraint, ConstraintError, ConstraintKind, Objection};
pub use envisionment::Envisionment;
pub use exercise::{Choice, Exercise, ExerciseError};
pub use model::{
    Energy, EnergyTrend, Model, ModelError, Region, State, States, Transition,
    UnconnectedVariables, Variable,
};
pub use options::Options;
pub use partial::{PartialState, ValueSet};
pub use quantity::{Direction, MAX_LANDMARKS, Magnitude, QValue, QuantitySpace, SpaceError};
pub use removal::{Removal, RemovedSuccessor};
pub use sequence::SequenceError;
pub use start::StartError;
pub use step::{Ending, Filter};
pub use system::System;
#[cfg(feature = "schemars")]
pub use system::schema;
pub use trajectory::{
    Blame, CheckError, CheckParams, Cover, CoverStep, LandmarkError, LandmarkValues, Trajectory,
    TrajectoryError, UncoveredSample,
};
pub use transitions::Phase;
pub use tree::{Behavior, BehaviorTree, TreeState};

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
