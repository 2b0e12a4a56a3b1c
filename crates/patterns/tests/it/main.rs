//! Integration tests, in one program so that they are linked once.

mod ask;
mod concepts;
mod every_position;
mod given;
mod laws;
mod learn;
mod placements;
mod sub_patterns;
mod swi_prolog;
mod verify;
