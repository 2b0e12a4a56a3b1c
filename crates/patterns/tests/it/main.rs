//! Integration tests, in one program so that they are linked once.

mod agreement;
mod concepts;
mod every_position;
mod interactive;
mod laws;
mod learn;
mod passive;
mod placements;
mod sub_patterns;
mod swi_prolog;
mod verify;
