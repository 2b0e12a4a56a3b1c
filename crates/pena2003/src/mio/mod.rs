//! Minesweeper for Mio.

mod compiled_rule;
mod observation;
pub(crate) mod player;
pub(crate) mod relations;
pub(crate) mod sampler;
