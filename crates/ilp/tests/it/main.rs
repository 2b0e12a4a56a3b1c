//! Integration tests, in one program so that they are linked once.

mod auto;
mod common;
mod generalization;
mod layouts;
mod lists;
mod swi_prolog;
#[path = "../../../prolog/tests/it/swipl.rs"]
mod swipl;
mod values;
