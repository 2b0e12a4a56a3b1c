//! Gathers everything that is recorded in a workspace, as the data of [`kibitz_lab::recorded`].

mod gather;
mod problems;
