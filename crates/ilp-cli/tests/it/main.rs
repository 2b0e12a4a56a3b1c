//! Integration tests, in one program so that they are linked once.

mod claims;
mod classes;
mod command_line;
#[path = "../../../ilp/tests/it/common.rs"]
mod common;
mod counts;
mod definitions;
mod evaluation;
mod graph;
#[cfg(unix)]
mod interrupts;
mod learners;
mod limits;
mod recursion;
mod settings;
mod strangers;
#[expect(dead_code, reason = "several programs are run at once here")]
#[path = "../../../prolog/tests/it/swipl.rs"]
mod swipl;
mod teacher;
mod theories;
mod weights;
