//! Experiment files: from text to checked, planned experiments.
//!
//! A file is read in two steps, because serde loses positions inside flattened and tagged types.
//! First the envelope ([`experiment`]), then `[params]` by the kind's own type
//! ([`Params`](crate::params::Params)), both by serde and with every problem at once
//! ([`decode`]). The envelope's types are the editor schema too. Every problem of every file is
//! collected ([`checks`]) before anything runs ([`catalog`]).
//!
//! # How to add a table
//! `new PAPER/TABLE --kind KIND` writes a commented skeleton to
//! `experiments/PAPER/TABLE.toml`. Fill in `[params]`, copy the printed values into
//! `[published]` with all their digits, choose tolerances before looking at our numbers, run
//! `reproduce PAPER/TABLE`, and record the result with `--bless`.

pub(crate) mod catalog;
mod checks;
pub(crate) mod decode;
pub(crate) mod experiment;
pub(crate) mod files;
pub(crate) mod load;
pub(crate) mod papers;
pub(crate) mod self_check;
pub(crate) mod wire;
