//! Players that look ahead: trees of positions and what is chosen from them.
//!
//! - [`one_ply`]: the simple player model of Jansen, Dowe and Farr 2000, section 2: the positions
//!   one ply away as rows of attributes.
//! - [`player`]: choosing a move with probability proportional to the exponential of its value.
//! - [`self_play`]: games of such a player against itself, under a stated end-of-game policy.

pub mod one_ply;
pub mod player;
pub mod self_play;
