//! Minesweeper for Mio.

pub(crate) mod relations;
pub(crate) mod sampler;

#[cfg(test)]
mod trial;
