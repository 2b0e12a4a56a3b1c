//! Chess positions, games and game collections.
//!
//! A thin, typed layer over `shakmaty` (rules) and `pgn-reader` (PGN), and the only crate of the
//! workspace that names them: every other crate says `kibitz_board::Chess`, so that the rules of
//! chess come from one place.

mod attack_map;
pub mod descriptive;

pub use attack_map::{AttackMap, pawn_advances, reach};
pub use shakmaty::{
    Bitboard, Board, ByColor, ByRole, CastlingMode, CastlingSide, Chess, Color, EnPassantMode,
    File, FromSetup, KnownOutcome, Move, MoveList, Outcome, Piece, PlayError, Position,
    PositionError, Rank, Role, Setup, Square, attacks, fen, san, uci,
};
