//! The experiment kind `command`: a step in any language.
//!
//! A step is a command line with declared inputs and one declared output. It runs in a temporary folder
//! that holds its inputs and nothing else, and its output is read back as a table or a dataset. The key of
//! its result covers the command line, its parameters, the content of its inputs, the values of declared
//! environment variables, and the output of its version command.
//!
//! | module | what it does |
//! | --- | --- |
//! | `step` | the parameters of the kind |
//! | [`input`] | inputs that no data manifest declares: **what a runner adds to the key** |
//! | `folder` | the temporary folder and the environment of a step |
//! | [`process`] | a process with bounded output that can be stopped, with all that it started |
//! | `output` | the file that a step writes, read back |
//!
//! Absolute paths are not policed: a step that reads `/etc/hosts`, the clock or the network does so without
//! the runner's knowledge.

mod folder;
pub mod input;
mod output;
pub mod process;
mod step;

use kibitz_experiment::{Code, Experiment as _, Kind};

pub use output::{empty_field, no_row};

/// The code that decides the results.
const CODE: Code = kibitz_experiment::code!();

/// The name of the kind.
pub const NAME: &str = step::Step::NAME;

/// Every kind of this crate.
pub fn kinds() -> Vec<Kind> {
    vec![Kind::of::<step::Step>(CODE)]
}
