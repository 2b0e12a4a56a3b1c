//! Datasets and queries over them, through the runner.
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]

mod choices;
mod parts;
mod queries;
mod workspace;
