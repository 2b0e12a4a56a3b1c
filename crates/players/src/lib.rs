//! Models of chess players after Jansen, Dowe and Farr 2000: weights of attributes, inferred from the
//! moves that somebody chose.
//!
//! - [`one_ply`]: decisions and fits of the simple model, section 2 of the paper.
//! - [`four_ply`]: the same of the model that looks ahead, section 3.
//! - [`coding`]: what moves cost under weights that were fitted to other games.
//! - [`attribution`]: which of several players made the moves of a game.
//! - [`Session`]: whoever waits for a long fit: progress, interruption, seeds, memory of steps.

pub mod attribution;
pub mod coding;
mod error;
pub mod four_ply;
pub mod one_ply;
mod session;

pub use error::{Error, no_maximum};
pub use session::{RememberedStep, Session, Unattended};
