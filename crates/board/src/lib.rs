//! Chess positions, games and game collections.
//!
//! A thin, typed layer over `shakmaty` (rules) and `pgn-reader` (PGN), and the only crate of the
//! workspace that names them: every other crate says `kibitz_board::Chess`, so that the rules of
//! chess come from one place.
//!
//! - [`Game`] is one game, legal by construction, with its [`Tags`], and [`GameKey`] names its
//!   move sequence.
//! - [`legal_move_counts`] counts the legal moves of both sides without listing them.
//! - [`pgn`] reads collections of any size as a stream, reports every game it cannot use, and
//!   writes games; [`open`] opens files for it.
//! - [`source`] says which games of a collection count.
//! - [`collection`] finds the records in a collection that are the same game with slips.
//! - [`descriptive`] reads and writes English descriptive notation.
//! - [`Endgame`] numbers the positions of small endgames up to symmetry.
//! - [`AttackMap`] says who attacks and defends what.

mod attack_map;
pub mod collection;
pub mod descriptive;
mod endgame;
mod game;
mod key;
mod mobility;
pub mod open;
pub mod pgn;
pub mod source;
mod tags;

pub use attack_map::{AttackMap, pawn_advances, reach};
pub use endgame::{Endgame, EndgameError};
pub use game::{Game, IllegalMove, Plies};
pub use key::{GameKey, ParseGameKeyError};
pub use mobility::{Surveyor, legal_move_counts, pseudo_legal_move_counts, screens, survey};
pub use shakmaty::{
    Bitboard, Board, ByColor, ByRole, CastlingMode, CastlingSide, Chess, Color, EnPassantMode,
    File, FromSetup, KnownOutcome, Move, MoveList, Outcome, Piece, PlayError, Position,
    PositionError, Rank, Role, Setup, Square, attacks, fen, san, uci, zobrist,
};
pub use tags::{Date, ParseDateError, Tags};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
