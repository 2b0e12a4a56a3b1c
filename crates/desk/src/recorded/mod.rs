//! Gathers everything that is recorded in a workspace, as the data of [`kibitz_lab::record`].

mod gather;
mod problems;
