//! What can be said of a chess position or a move as a number.
//!
//! - [`attributes`]: the attributes ("advisors") of the player-strategy paper (Jansen, Dowe and
//!   Farr 2000), from a player's point of view and in whole units, ready for flat arrays.

pub mod attributes;
