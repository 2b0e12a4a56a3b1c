//! CHUTE's 22 move heuristics and its scoring polynomial.
//!
//! CHUTE was a chess program of the University of Toronto. A linear polynomial of 22 heuristics
//! ordered and pruned its moves, and was its static evaluation. A heuristic scores a *move*; the
//! polynomial adds the scores, and the score of a position is that of its best move.
//!
//! | to do | use |
//! | --- | --- |
//! | score the legal moves of a position | [`Context`], [`score_moves`] |
//! | rank them as the program did | [`Polynomial`], [`rank_moves`] |
//! | change the interpretation of an ambiguous sentence of the report | [`Interpretations`], [`Parameters::read`] |
//! | turn move scores into position scores | [`Accounts`] |
//! | score a position by its distance to the end of the game (closeness to win) | [`ctw`] |
//! | record a finished game for the experiments | [`record_game`] |
//! | read the annotations of CHUTE's game library | [`library`] |
//! | bound scores by their uncertainty | [`overlap_factor`] |
//!
//! # Source
//! L. Sugar, *An Experimental Evaluation of Chess Playing Heuristics*, Technical Report CSRG-63,
//! University of Toronto, December 1975. The heuristics are described in Appendix 2, after a thesis
//! of Valenti's; the documentation of each heuristic lists the points left open.
//!
//! # Examples
//! A new heuristic is one file with a [`Heuristic`], declared with the others, and one line in
//! [`CHUTE`]. It evaluates a move through a [`MoveContext`]:
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
mod h00_attack_passed_pawn;
mod h01_attack_attacker;
mod h02_leave_attack;
mod h03_uncover_line;
mod h04_interpose;
mod h05_defenders;
mod h06_attack_piece;
mod h07_development;
mod h08_freedom;
mod h09_attack_last_moved;
mod h10_open_file;
mod h11_rook_behind_passed_pawn;
mod h12_capture;
mod h13_special_move;
mod h14_exposed_pieces;
mod h15_double_pieces;
mod h16_attack_king_squares;
mod h17_pin_on_target_square;
mod h18_pawn_moves;
mod h19_release_pin;
mod h20_same_piece;
mod h21_endgame_king;
mod interpretations;
pub mod library;
mod material_balance;
mod move_context;
mod parameters;
pub(crate) mod pawns;
mod pins;
mod polynomial;
mod record;
mod score_bounds;
mod static_exchange;
#[cfg(test)]
mod tests;

pub use account::Accounts;
pub use context::{Context, History};
pub use h00_attack_passed_pawn::AttackPassedPawn;
pub use h01_attack_attacker::AttackAttacker;
pub use h02_leave_attack::LeaveAttack;
pub use h03_uncover_line::UncoverLine;
pub use h04_interpose::Interpose;
pub use h05_defenders::Defenders;
pub use h06_attack_piece::AttackPiece;
pub use h07_development::Development;
pub use h08_freedom::Freedom;
pub use h09_attack_last_moved::AttackLastMoved;
pub use h10_open_file::OpenFile;
pub use h11_rook_behind_passed_pawn::RookBehindPassedPawn;
pub use h12_capture::Capture;
pub use h13_special_move::SpecialMove;
pub use h14_exposed_pieces::ExposedPieces;
pub use h15_double_pieces::DoublePieces;
pub use h16_attack_king_squares::AttackKingSquares;
pub use h17_pin_on_target_square::PinOnTargetSquare;
pub use h18_pawn_moves::PawnMoves;
pub use h19_release_pin::ReleasePin;
pub use h20_same_piece::SamePiece;
pub use h21_endgame_king::EndgameKing;
pub use interpretations::{Interpretation, Interpretations};
pub use material_balance::MaterialBalance;
use move_context::moved_pieces;
pub use move_context::{MoveContext, MovedPiece};
pub use parameters::Parameters;
pub use pins::Pin;
pub use polynomial::{MoveScores, Polynomial, RankedMove, ScoredMove, rank_moves, score_moves};
pub use record::{PlyRecord, RecordError, record_game};
pub use score_bounds::{UncertainScore, overlap_factor};
pub(crate) use static_exchange::static_exchange;

use crate::Heuristic;

/// The heuristics in the order of their numbers in the report, 0 to 21.
///
/// # Source
/// Sugar 1975, Table 3.1 and Appendix 2.
pub const CHUTE: &[&dyn Heuristic] = &[
    &AttackPassedPawn,
    &AttackAttacker,
    &LeaveAttack,
    &UncoverLine,
    &Interpose,
    &Defenders,
    &AttackPiece,
    &Development,
    &Freedom,
    &AttackLastMoved,
    &OpenFile,
    &RookBehindPassedPawn,
    &Capture,
    &SpecialMove,
    &ExposedPieces,
    &DoublePieces,
    &AttackKingSquares,
    &PinOnTargetSquare,
    &PawnMoves,
    &ReleasePin,
    &SamePiece,
    &EndgameKing,
];

/// Number of heuristics.
pub const N_HEURISTICS: usize = CHUTE.len();
