//! Integration tests, in one program so that they are linked once.

mod command_line;
mod common;
mod counts;
mod definitions;
mod evaluation;
mod layouts;
mod learners;
mod limits;
mod lists;
mod print_read;
mod strangers;
mod swi_prolog;
mod swipl;
#[cfg(feature = "tcp")]
mod teacher;
#[cfg(not(feature = "tcp"))]
mod without_tcp;
