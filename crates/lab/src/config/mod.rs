//! Experiment files: from text to checked, planned experiments.
//!
//! A file is read in two steps, because serde loses positions inside flattened and tagged types.
//! First the [`envelope`], then `[params]` by the kind's own type ([`params`]), both with every
//! mistake at once ([`kibitz_text::toml`]). Every mistake of every file is collected ([`checks`])
//! before anything runs ([`catalog`]).
//!
//! # How to add a table
//! `new PAPER/TABLE --kind KIND` writes a commented skeleton to
//! `experiments/PAPER/TABLE.toml`. Fill in `[params]`, copy the printed values into
//! `[published]` with all their digits, choose tolerances before looking at our numbers, run
//! `reproduce PAPER/TABLE`, and record the result with `--bless`.

pub(crate) mod baseline;
pub(crate) mod catalog;
mod check_outcomes;
mod checks;
pub(crate) mod deviation;
pub(crate) mod entry;
pub(crate) mod envelope;
pub(crate) mod experiment;
pub(crate) mod expression;
mod figures;
mod files;
pub(crate) mod load;
pub(crate) mod papers;
mod params;
pub(crate) mod self_check;
mod variant;
mod wide;
