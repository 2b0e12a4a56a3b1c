//! Minesweeper for Mio.

mod compiled;
#[cfg(feature = "tcp")]
pub(crate) mod lesson;
pub(crate) mod player;
pub(crate) mod relations;
pub(crate) mod sampler;
mod sight;
