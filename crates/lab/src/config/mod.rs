//! Experiment files: from text to checked, planned experiments.
//!
//! A file is read in two steps, because serde loses positions inside flattened and tagged types.
//! First the [`envelope`], then `[params]` by the kind's own type (`params`), both with every
//! mistake at once ([`kibitz_text::toml`]). Every mistake of every file is collected (`checks`)
//! before anything runs ([`catalog`]).
//!
//! # How to add a table
//! `new PAPER/TABLE --kind KIND` writes a commented skeleton to
//! `experiments/PAPER/TABLE.toml`. Fill in `[params]`, copy the printed values into
//! `[published]` with all their digits, choose tolerances before looking at our numbers, run
//! `reproduce PAPER/TABLE`, and record the result with `--bless`.

pub(crate) mod baseline;
pub mod catalog;
mod check_outcomes;
mod checks;
pub mod deviation;
pub mod entry;
pub mod envelope;
pub mod experiment;
pub(crate) mod expression;
mod figures;
mod files;
pub mod load;
pub mod papers;
mod params;
pub mod self_check;
mod variant;
mod wide;
