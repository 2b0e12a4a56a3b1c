//! Integration tests, in one program so that they are linked once.

mod brute_force;
mod command_line;
mod common;
mod few_behaviors;
mod learning;
mod measured;
mod numerical;
mod press;
mod problems;
mod properties;
mod real_behaviors;
mod round_trip;
mod sequences;
mod simulation;
mod table8_3;
mod trajectories;
mod warnings;
