//! Minesweeper for Mio.

mod compiled_rule;
#[cfg(feature = "tcp")]
pub(crate) mod lesson;
mod observation;
pub(crate) mod player;
pub(crate) mod relations;
pub(crate) mod sampler;
