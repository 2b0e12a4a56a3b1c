//! Goals that are asked again and again: compiled once, with their answers remembered, and the ways
//! around the machine for goals over constants.
//!
//! A goal that is a call of one native relation is asked there; a [`Join`] tries a conjunction over
//! constants from left to right; a [`Conjunction`] is proved component by component; an
//! [`AdaptiveJoin`] begins as the one and goes on as the other. [`CallTables`] decide theories that call
//! themselves.

mod adaptive;
mod call_tables;
mod components;
mod goal;
mod join;
mod join_plan;
mod native_goal;
mod prover;

pub use adaptive::AdaptiveJoin;
pub use call_tables::CallTables;
pub use components::Conjunction;
pub use goal::TabledGoal;
pub use join_plan::Join;
pub use prover::TabledProver;
