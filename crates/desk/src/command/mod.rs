//! The commands of the runner, complete but for reading arguments and printing.
//!
//! Each takes the options of the command line and returns an [`Answer`](crate::Answer): text for both
//! streams and the exit code. The program only translates arguments and shows progress.

pub(crate) mod add_data;
pub(crate) mod cell;
pub(crate) mod cells;
pub(crate) mod check;
pub(crate) mod dataset;
pub(crate) mod dry_run;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod graph;
pub(crate) mod jobs;
pub(crate) mod kinds;
pub(crate) mod list;
pub(crate) mod new;
pub(crate) mod refresh;
pub(crate) mod reproduce;
pub(crate) mod schema;
