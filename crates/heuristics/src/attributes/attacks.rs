//! Attacks on enemy men, under each reading of what an attack is.

use kibitz_board::{
    Bitboard, Board, Chess, Color, Position, Role, Square,
    attacks::{bishop_attacks, king_attacks, knight_attacks, queen_attacks, ray, rook_attacks},
    screens,
};
use pulp::{Arch, NullaryFnOnce};

use super::{center_control::pawn_attack_sides, material::PieceValues};

/// Attack on a man of equal or lesser value, in tenths of an attack.
const TENTHS_LESSER: u32 = 1;
/// Attack on a dearer man, in tenths of an attack.
const TENTHS_DEARER: u32 = 10;

/// `player`'s attacks on enemy men minus the opponent's attacks, in tenths of an attack.
///
/// Every pair of attacking and attacked man counts: ten tenths if the target is dearer than the
/// attacker, one tenth if it is not, by [`PieceValues`].
///
/// The paper leaves open whether an attack must be a legal capture, and whether the king is a man
/// to be attacked; we take the reading that fits print best: a man attacks what it could legally
/// capture, en passant included, if it were its side's turn, so that pinned men and guarded targets
/// of a king count accordingly, and checks do not count. It also leaves open what the king's own
/// attacks are worth: as the king is dearer than every other man, its attacks count one tenth.
///
/// # Source
/// Jansen, Dowe and Farr 2000, section 3.1: "Attacks against pieces of equal or lesser value are
/// considered to be worth only one tenth of an attack against a more valuable piece."
pub fn attack_balance(position: &Chess, player: Color) -> i16 {
    // Where the processor counts the squares of a set in one instruction, it does.
    Arch::new().dispatch(Balance { position, player })
}

/// A type, because a closure would not surely be compiled for the instructions that the processor
/// has.
struct Balance<'a> {
    position: &'a Chess,
    player: Color,
}

impl NullaryFnOnce for Balance<'_> {
    type Output = i16;

    #[inline(always)]
    fn call(self) -> i16 {
        balance(self.position, self.player)
    }
}

#[inline(always)]
fn balance(position: &Chess, player: Color) -> i16 {
    let own = all_tenths(position, player);
    let opponent = all_tenths(position, !player);
    own - opponent
}

/// The side's attacks in tenths, en passant included.
#[inline(always)]
fn all_tenths(position: &Chess, color: Color) -> i16 {
    let mut tenths = side_tenths(position.board(), color, &Leeway::of(position, color));
    if color == position.turn() && position.maybe_ep_square().is_some() {
        // A pawn takes a pawn.
        let captures = position.en_passant_moves().len();
        tenths += TENTHS_LESSER * u32::try_from(captures).unwrap_or(0);
    }
    i16::try_from(tenths).unwrap_or(i16::MAX)
}

/// What keeps the men of a side from capturing.
struct Leeway {
    /// Where the men other than the king may land.
    target: Bitboard,
    /// Men that may only move on the line through their king.
    pinned: Bitboard,
}

impl Leeway {
    #[inline(always)]
    fn of(position: &Chess, color: Color) -> Self {
        let board = position.board();
        let checkers = if color == position.turn() {
            position.checkers()
        } else {
            Bitboard::EMPTY
        };
        Self {
            // In check by one man only that man may be captured, by two none but by the king.
            target: match (checkers.any(), checkers.single_square()) {
                (false, _) => Bitboard::FULL,
                (true, Some(checker)) => checker.into(),
                (true, None) => Bitboard::EMPTY,
            },
            pinned: (board.king_of(color)).map_or(Bitboard::EMPTY, |king| {
                screens(board, king, !color) & board.by_color(color)
            }),
        }
    }
}

/// Attacks of the side's men on men other than the king, in tenths, without en passant.
#[inline(always)]
fn side_tenths(board: &Board, color: Color, leeway: &Leeway) -> u32 {
    let us = board.by_color(color);
    let prey = board.by_color(!color) & !board.kings();
    let target = prey & leeway.target;
    let mut tenths = 0;

    let dearer = dearer_than(board, Role::Pawn);
    let our_pawns = us & board.pawns();
    for squares in pawn_attack_sides(our_pawns & !leeway.pinned, color) {
        tenths += weigh(squares & target, dearer);
    }
    let king = board.king_of(color);
    // Where a man may capture as far as pins are concerned.
    let allowed = |from: Square| match king {
        Some(king) if leeway.pinned.contains(from) => target & ray(king, from),
        _ => target,
    };
    for from in our_pawns & leeway.pinned {
        for squares in pawn_attack_sides(from.into(), color) {
            tenths += weigh(squares & allowed(from), dearer);
        }
    }
    if let Some(king) = king {
        tenths += TENTHS_LESSER * king_captures(board, color, king, prey);
    }

    let occupied = board.occupied();
    for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
        let dearer = dearer_than(board, role);
        for from in us & board.by_role(role) {
            let squares = match role {
                Role::Knight => knight_attacks(from),
                Role::Bishop => bishop_attacks(from, occupied),
                Role::Rook => rook_attacks(from, occupied),
                _ => queen_attacks(from, occupied),
            };
            tenths += weigh(squares & allowed(from), dearer);
        }
    }
    tenths
}

/// Men of both sides dearer than a man of `role`.
#[inline(always)]
fn dearer_than(board: &Board, role: Role) -> Bitboard {
    [Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
        .into_iter()
        .filter(|dearer| PieceValues::of(*dearer) > PieceValues::of(role))
        .fold(Bitboard::EMPTY, |men, dearer| men | board.by_role(dearer))
}

#[inline(always)]
fn weigh(attacked: Bitboard, dearer: Bitboard) -> u32 {
    TENTHS_LESSER * size(attacked) + (TENTHS_DEARER - TENTHS_LESSER) * size(attacked & dearer)
}

#[inline(always)]
fn size(squares: Bitboard) -> u32 {
    squares.0.count_ones()
}

/// Men in `prey` next to the king that nothing guards.
#[inline(always)]
fn king_captures(board: &Board, color: Color, king: Square, prey: Bitboard) -> u32 {
    // A slider guards the man behind the king, too.
    let occupied = board.occupied().without(king);
    let near = king_attacks(king) & prey;
    let unguarded = near
        .into_iter()
        .filter(|target| board.attacks_to(*target, !color, occupied).is_empty());
    u32::try_from(unguarded.count()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kibitz_board::{CastlingMode, Move, fen::Fen};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn balance_of(fen: &str) -> i16 {
        let fen: Fen = fen.parse().unwrap();
        let position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
        attack_balance(&position, Color::White)
    }

    #[test]
    fn targets_are_weighed_by_value() {
        // The knight on d5 forks queen c7 and rook f6 (ten tenths each) and attacks pawn b6 (one).
        // Black: the rook attacks nothing, the queen nothing.
        let fen = "7k/2q5/1p3r2/3N4/8/8/8/K7 w - - 0 1";
        assert_eq!(balance_of(fen), 21);
        // A bishop is no dearer than a knight; the bishop on f6 also attacks nothing but the a1
        // diagonal, on which it checks.
        let fen = "7k/8/5b2/3N4/8/8/8/K7 w - - 0 1";
        assert_eq!(balance_of(fen), 1);
    }

    #[test]
    fn pins_and_guards_matter() {
        // The knight e4 is pinned by the rook e8 and would take the queen c5; the rook takes the
        // knight; the queen attacks nothing else.
        let fen = "4r2k/8/8/2q5/4N3/8/8/4K3 w - - 0 1";
        assert_eq!(balance_of(fen), -1);
        // The king may take the pawn e2 unless the knight guards it; being in check by the pawn
        // changes nothing.
        let guarded = "7k/8/8/8/8/2n5/4p3/5K2 w - - 0 1";
        let free = "7k/8/8/8/8/1n6/4p3/5K2 w - - 0 1";
        assert_eq!(balance_of(guarded), 0);
        assert_eq!(balance_of(free), 1);
    }

    #[test]
    fn en_passant_is_an_attack_of_a_pawn_on_a_pawn() {
        let fen = "4k3/8/8/2pP4/8/8/8/4K3 w - c6 0 1";
        assert_eq!(balance_of(fen), 1);
    }

    /// The reference: the captures among the listed moves, each pair of men once.
    fn listed_tenths(position: &Chess) -> i16 {
        let pairs: BTreeSet<_> = position
            .legal_moves()
            .into_iter()
            .filter_map(|played: Move| {
                let captured = played.capture()?;
                let dearer = played.role() != Role::King
                    && PieceValues::of(captured) > PieceValues::of(played.role());
                Some((played.from(), played.to(), dearer))
            })
            .collect();
        pairs
            .into_iter()
            .map(|(_, _, dearer)| if dearer { 10 } else { 1 })
            .sum()
    }

    proptest! {
        #[test]
        fn legal_captures_agree_with_listing(
            choices in prop::collection::vec(any::<u16>(), 1..200),
        ) {
            let mut position = Chess::default();
            for choice in choices {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position.play_unchecked(moves[choice as usize % moves.len()]);
                let turn = position.turn();
                // Listing the side not to move takes a null move, which a check forbids.
                if let Ok(null) = position.clone().swap_turn() {
                    let expected = listed_tenths(&position) - listed_tenths(&null);
                    let found = attack_balance(&position, turn);
                    prop_assert_eq!(found, expected);
                } else {
                    let tenths = side_tenths(
                        position.board(),
                        turn,
                        &Leeway::of(&position, turn),
                    );
                    let en_passant = position.en_passant_moves().len();
                    let found = tenths + u32::try_from(en_passant).unwrap();
                    prop_assert_eq!(i16::try_from(found).unwrap(), listed_tenths(&position));
                }
            }
        }
    }
}
