//! CHUTE's 22 move heuristics and its scoring polynomial.
//!
//! CHUTE was a chess program of the University of Toronto. One polynomial of 22 heuristics chose the
//! moves it looked at and scored the positions it stopped at. A heuristic scores a *move*; the
//! polynomial adds the scores, and the score of a position is that of its best move.
//!
//! | to do | use |
//! | --- | --- |
//! | score the legal moves of a position | [`Context`], [`score_moves`] |
//! | rank them as the program did | [`Polynomial`], [`rank_moves`] |
//! | read a sentence that the report leaves open in another way | [`Readings`], [`Parameters::read`] |
//! | turn move scores into position scores | [`Accounts`] |
//! | score a position by its distance to the end of the game | [`ctw`] |
//! | record a finished game for the experiments | [`record_game`] |
//! | read what the tags of a game of its library say | [`library`] |
//! | bound scores by their uncertainty | [`least_factor`] |
//!
//! # Source
//! L. Sugar, *An Experimental Evaluation of Chess Playing Heuristics*, Technical Report CSRG-63,
//! University of Toronto, December 1975. The heuristics are described in Appendix 2, after a thesis
//! of Valenti's; what that description leaves open is said with each heuristic.
//!
//! # Examples
//! Adding a heuristic is one file with a [`Heuristic`], declared beside the others,
//! and one line in [`CHUTE`].
//! A heuristic sees a move through a [`MoveContext`]:
//! ```
//! use kibitz_board::{Chess, Position};
//! use kibitz_heuristics::chute::{CHUTE, Context, score_moves};
//!
//! let position = Chess::default();
//! let scored = score_moves(&Context::new(&position));
//! assert_eq!(scored.len(), 20);
//! let development = CHUTE.iter().position(|heuristic| heuristic.name() == "development");
//! let development = development.expect("development is in the list");
//! let knight = scored.iter().find(|scored| scored.m.to_string() == "Ng1-f3").expect("legal");
//! // From 3 squares and a pawn to 8 squares, 2 of them central, 2 pawns and the king: (22 - 4) * p7.
//! assert_eq!(knight.scores[development], 126.0);
//! ```

mod account;
mod context;
pub mod ctw;
mod exchange;
pub mod h00_attack_passed_pawn;
pub mod h01_attack_attacker;
pub mod h02_leave_attack;
pub mod h03_uncover_line;
pub mod h04_interpose;
pub mod h05_defenders;
pub mod h06_attack_piece;
pub mod h07_development;
pub mod h08_freedom;
pub mod h09_attack_last_moved;
pub mod h10_open_file;
pub mod h11_rook_behind_passed_pawn;
pub mod h12_capture;
pub mod h13_special_move;
pub mod h14_exposed_pieces;
pub mod h15_double_pieces;
pub mod h16_attack_king_squares;
pub mod h17_pin_on_target_square;
pub mod h18_pawn_moves;
pub mod h19_release_pin;
pub mod h20_same_piece;
pub mod h21_endgame_king;
pub mod library;
mod material_balance;
mod move_context;
mod overlap;
mod parameters;
mod pawns;
mod pins;
mod polynomial;
mod readings;
mod record;
#[cfg(test)]
mod tests;

pub use account::Accounts;
pub use context::{Context, History, development_value};
pub use exchange::{exchange_gain, is_damaging};
pub use material_balance::MaterialBalance;
pub use move_context::{MoveContext, Moved, moved_pieces};
pub use overlap::{UncertainScore, least_factor};
pub use parameters::Parameters;
pub use pawns::passed_pawns;
pub use pins::{Pin, pin_targets, pinners_of, pins_by};
pub use polynomial::{MoveScores, Polynomial, RankedMove, ScoredMove, rank_moves, score_moves};
pub use readings::{Reading, Readings};
pub use record::{PlyRecord, RecordError, record_game};

use crate::Heuristic;

/// The heuristics in the order of their numbers in the report, 0 to 21.
///
/// # Source
/// Sugar 1975, Table 3.1 and Appendix 2.
pub const CHUTE: &[&dyn Heuristic] = &[
    &h00_attack_passed_pawn::AttackPassedPawn,
    &h01_attack_attacker::AttackAttacker,
    &h02_leave_attack::LeaveAttack,
    &h03_uncover_line::UncoverLine,
    &h04_interpose::Interpose,
    &h05_defenders::Defenders,
    &h06_attack_piece::AttackPiece,
    &h07_development::Development,
    &h08_freedom::Freedom,
    &h09_attack_last_moved::AttackLastMoved,
    &h10_open_file::OpenFile,
    &h11_rook_behind_passed_pawn::RookBehindPassedPawn,
    &h12_capture::Capture,
    &h13_special_move::SpecialMove,
    &h14_exposed_pieces::ExposedPieces,
    &h15_double_pieces::DoublePieces,
    &h16_attack_king_squares::AttackKingSquares,
    &h17_pin_on_target_square::PinOnTargetSquare,
    &h18_pawn_moves::PawnMoves,
    &h19_release_pin::ReleasePin,
    &h20_same_piece::SamePiece,
    &h21_endgame_king::EndgameKing,
];

/// Number of heuristics.
pub const N_HEURISTICS: usize = CHUTE.len();
