//! Integration tests, in one program so that they are linked once.

mod print_read;
mod swi_prolog;
mod swipl;
