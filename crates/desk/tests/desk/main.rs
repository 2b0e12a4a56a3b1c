//! The runner in temporary workspaces, with kinds that know no game.

#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests may panic like the tests themselves"
)]

mod absent;
mod after;
mod bench;
mod commands;
mod documents;
mod explorations;
mod kinds;
mod messages;
mod outcomes;
mod provenance;
mod reasons;
mod recorded;
mod refresh;
mod replicates;
mod resume;
mod runs;
mod states;
mod unrecorded;
mod workers;
mod workspace;
