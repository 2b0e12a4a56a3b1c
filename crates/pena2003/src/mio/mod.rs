//! Minesweeper for Mio.

mod compiled;
pub(crate) mod lesson;
pub(crate) mod player;
pub(crate) mod relations;
pub(crate) mod sampler;
mod sight;
