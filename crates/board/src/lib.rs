//! Chess positions, games and game collections.
//!
//! A thin, typed layer over `shakmaty` (rules) and `pgn-reader` (PGN), and the only crate of the
//! workspace that depends on them: every other crate says `kibitz_board::Chess`.
//!
//! - [`Game`]: a game, legal by construction, with its [`Tags`]; [`GameKey`]: a hash of its moves.
//! - [`pgn`]: a streaming PGN reader for collections of any size, which reports every bad game, and a
//!   writer; [`open`]: files, plain or compressed with zstd, gzip or bzip2.
//! - [`game_filter`]: filters of a collection by player, date, event, result and length.
//! - [`AttackMap`]: attackers and defenders of every square.
//! - [`legal_move_counts`]: legal moves of both sides, counted without move generation.
//! - [`Endgame`]: an index of the positions of small endgames up to symmetry.

mod attack_map;
#[cfg(feature = "diagram")]
pub mod diagram;
mod endgame;
mod game;
pub mod game_filter;
mod key;
mod mobility;
pub mod open;
pub mod pgn;
mod tags;

pub use attack_map::{AttackMap, AttackUpdate, pawn_advances, reach};
pub use endgame::{Endgame, EndgameError};
pub use game::{Game, IllegalMove, Plies};
pub use key::{GameKey, ParseGameKeyError};
pub use mobility::{
    AttackVisitor, legal_move_counts, legal_move_counts_with, pseudo_legal_move_counts,
    slider_blockers,
};
pub use shakmaty::{
    Bitboard, Board, ByColor, ByRole, CastlingMode, CastlingSide, Chess, Color, EnPassantMode,
    File, FromSetup, KnownOutcome, Move, MoveList, Outcome, Piece, PlayError, Position,
    PositionError, Rank, Role, Setup, Square, attacks, fen, san, uci, zobrist,
};
pub use tags::{Date, ParseDateError, Tags};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
