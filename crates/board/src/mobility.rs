//! Mobility: the number of legal moves of each side, counted without move generation.
//!
//! The mobility balance of the player-strategy paper needs the legal moves of both sides after every
//! legal move, and generating them would dominate its cost. So this module counts with bitboards: one
//! pass over the pieces of both sides computes every attack once, which gives the moves and the
//! squares denied to the other king.

use pulp::{Arch, NullaryFnOnce};
use shakmaty::{
    Bitboard, Board, ByColor, Castles, CastlingSide, Chess, Color, Position, Role, Square,
    attacks::{
        between, bishop_attacks, king_attacks, knight_attacks, pawn_attacks, queen_attacks, ray,
        rook_attacks,
    },
};

/// Number of legal moves of each side, with castling and with every promotion counted separately.
///
/// For the side to move this is `position.legal_moves().len()`. The other side is counted after a null
/// move: it may not leave its king attacked, has no en passant, and cannot capture a king, so giving
/// check gains no move.
///
/// # Examples
/// ```
/// use kibitz_board::{Chess, legal_move_counts};
/// let counts = legal_move_counts(&Chess::default());
/// assert_eq!((counts.white, counts.black), (20, 20));
/// ```
pub fn legal_move_counts(position: &Chess) -> ByColor<u32> {
    // For the POPCNT instruction where the processor has it.
    Arch::new().dispatch(CountLegalMoves(position))
}

/// A type, because a closure is not reliably compiled for the instruction set that `pulp` dispatches
/// to.
struct CountLegalMoves<'a>(&'a Chess);

impl NullaryFnOnce for CountLegalMoves<'_> {
    type Output = ByColor<u32>;

    #[inline(always)]
    fn call(self) -> ByColor<u32> {
        legal_move_counts_with(self.0, &mut ())
    }
}

/// A visitor of the attacks that [`legal_move_counts_with`] computes.
pub trait AttackVisitor {
    /// Visits a piece: the squares it attacks, with empty squares and own pieces, and those among them
    /// that a legal move reaches (without castling and en passant).
    ///
    /// Pawns come in sets, without two that attack the same square; kings come last.
    fn visit(&mut self, color: Color, role: Role, attacked: Bitboard, legal: Bitboard);
}

impl AttackVisitor for () {
    #[inline(always)]
    fn visit(&mut self, _: Color, _: Role, _: Bitboard, _: Bitboard) {}
}

/// [`legal_move_counts`] with a visitor, to share the computation of attacks.
///
/// Always inlined, for the instruction set of a caller under [`pulp::Arch::dispatch`].
///
/// # Examples
/// ```
/// use kibitz_board::{Bitboard, Chess, Color, Role, AttackVisitor, legal_move_counts_with};
/// struct Attacked(Bitboard);
/// impl AttackVisitor for Attacked {
///     fn visit(&mut self, color: Color, _: Role, attacked: Bitboard, _: Bitboard) {
///         if color == Color::White {
///             self.0 |= attacked;
///         }
///     }
/// }
/// let mut attacked = Attacked(Bitboard::EMPTY);
/// assert_eq!(legal_move_counts_with(&Chess::default(), &mut attacked).white, 20);
/// // All but the corners of the first three ranks.
/// assert_eq!(attacked.0.count(), 22);
/// ```
#[inline(always)]
pub fn legal_move_counts_with(position: &Chess, visitor: &mut impl AttackVisitor) -> ByColor<u32> {
    let board = position.board();
    let turn = position.turn();
    let castles = position.castles();
    // After a legal move the side that made it is not in check, so only the side to move can be.
    let checkers = position.checkers();
    let mover = scan_side(board, turn, checkers, visitor);
    let other = scan_side(board, !turn, Bitboard::EMPTY, visitor);
    let en_passant = position
        .maybe_ep_square()
        .map_or(0, |to| en_passant_moves(board, turn, mover.king, to));
    let mover_king = king_moves(board, turn, &mover, other.attacked, checkers);
    let other_king = king_moves(board, !turn, &other, mover.attacked, Bitboard::EMPTY);
    visitor.visit(turn, Role::King, king_attacks(mover.king), mover_king);
    visitor.visit(!turn, Role::King, king_attacks(other.king), other_king);
    let to_move = mover.moves
        + en_passant
        + size(mover_king)
        + castling_moves(board, turn, &mover, checkers, castles);
    let waiting = other.moves
        + size(other_king)
        + castling_moves(board, !turn, &other, Bitboard::EMPTY, castles);
    turn.fold_wb(
        ByColor {
            white: to_move,
            black: waiting,
        },
        ByColor {
            white: waiting,
            black: to_move,
        },
    )
}

/// Number of pseudo-legal moves of each side, which may leave the king attacked; without castling and
/// en passant. Independent of the side to move.
pub fn pseudo_legal_move_counts(board: &Board) -> ByColor<u32> {
    ByColor::new_with(|color| {
        let us = board.by_color(color);
        let them = board.by_color(!color);
        let target = !us & !(them & board.kings());
        let pieces: u32 = (us & !board.pawns())
            .into_iter()
            .map(|from| size(board.attacks_from(from) & target))
            .sum();
        pieces + pawn_moves(us & board.pawns(), color, board.occupied(), them, target)
    })
}

/// The attacks and moves of one side.
struct SideScan {
    king: Square,
    /// Squares attacked by the side, those of its own pieces included.
    attacked: Bitboard,
    /// Number of legal moves, without king moves, castling and en passant.
    moves: u32,
}

#[inline(always)]
fn scan_side(
    board: &Board,
    color: Color,
    checkers: Bitboard,
    visitor: &mut impl AttackVisitor,
) -> SideScan {
    let occupied = board.occupied();
    let us = board.by_color(color);
    let them = board.by_color(!color);
    let king = king_of(board, color);
    let pinned = slider_blockers(board, king, !color) & us;
    // Target squares of pieces other than the king: in check, capturing or blocking a single checker.
    let target = match checkers.single_square() {
        Some(checker) => between(king, checker).with(checker),
        None if checkers.any() => Bitboard::EMPTY,
        None => !us & !(them & board.kings()),
    };

    let mut attacked = king_attacks(king);
    let mut moves = 0;
    for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
        for from in us & board.by_role(role) {
            let attacks = match role {
                Role::Knight => knight_attacks(from),
                Role::Bishop => bishop_attacks(from, occupied),
                Role::Rook => rook_attacks(from, occupied),
                _ => queen_attacks(from, occupied),
            };
            // A pinned knight cannot move: none of its targets lies on the pin ray.
            let legal = attacks & target & pin_ray(pinned, king, from);
            attacked |= attacks;
            moves += size(legal);
            visitor.visit(color, role, attacks, legal);
        }
    }

    let prey = them & target;
    let men = (us & board.pawns() & pinned).into_iter();
    let alone = men.map(|from| (from.into(), ray(king, from)));
    let sets = [(us & board.pawns() & !pinned, Bitboard::FULL)];
    for (pawns, line) in sets.into_iter().chain(alone) {
        moves += pawn_moves(pawns, color, occupied, them, target & line);
        for attacks in pawn_capture_sides(pawns, color) {
            attacked |= attacks;
            visitor.visit(color, Role::Pawn, attacks, attacks & prey & line);
        }
    }
    SideScan {
        king,
        attacked,
        moves,
    }
}

/// The pin ray of a piece on `from`; every square if it is not pinned.
#[inline(always)]
fn pin_ray(pinned: Bitboard, king: Square, from: Square) -> Bitboard {
    if pinned.contains(from) {
        ray(king, from)
    } else {
        Bitboard::FULL
    }
}

#[inline(always)]
fn size(squares: Bitboard) -> u32 {
    squares.0.count_ones()
}

fn king_of(board: &Board, color: Color) -> Square {
    board
        .king_of(color)
        .expect("a legal position has both kings")
}

/// Blockers: pieces of either color that stand alone between the square `king` and a slider of
/// `sliders`. Those of the king's color are pinned; the others give discovered check by leaving the
/// line.
///
/// # Examples
/// ```
/// use kibitz_board::{Board, Color, Square, slider_blockers};
/// let board = Board::from_ascii_board_fen(b"4r2k/8/8/8/4N3/8/8/4K3").unwrap();
/// assert_eq!(slider_blockers(&board, Square::E1, Color::Black), Square::E4.into());
/// ```
#[inline(always)]
pub fn slider_blockers(board: &Board, king: Square, sliders: Color) -> Bitboard {
    let pinners = board.by_color(sliders)
        & ((rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens())
            | (bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens()));
    let mut slider_blockers = Bitboard::EMPTY;
    for pinner in pinners {
        let between = between(king, pinner) & board.occupied();
        if !between.more_than_one() {
            slider_blockers |= between;
        }
    }
    slider_blockers
}

/// Squares attacked by the pawns, toward the a-file and toward the h-file.
#[inline(always)]
fn pawn_capture_sides(pawns: Bitboard, color: Color) -> [Bitboard; 2] {
    let west = (pawns & !Bitboard::from_file(shakmaty::File::A)).shift(color.fold_wb(7, -9));
    let east = (pawns & !Bitboard::from_file(shakmaty::File::H)).shift(color.fold_wb(9, -7));
    [west, east]
}

#[inline(always)]
fn pawn_moves(
    pawns: Bitboard,
    color: Color,
    occupied: Bitboard,
    them: Bitboard,
    target: Bitboard,
) -> u32 {
    let forward = color.fold_wb(8, -8);
    let third_rank =
        Bitboard::from_rank(color.fold_wb(shakmaty::Rank::Third, shakmaty::Rank::Sixth));
    let single = pawns.shift(forward) & !occupied;
    let double = (single & third_rank).shift(forward) & !occupied;
    let [west, east] = pawn_capture_sides(pawns, color);
    let prey = them & target;
    // A step to the last rank counts as four moves, one per promotion.
    let weighed = |to: Bitboard| size(to) + 3 * size(to & Bitboard::BACKRANKS);
    weighed(single & target) + size(double & target) + weighed(west & prey) + weighed(east & prey)
}

/// Legal target squares of the king, without castling.
#[inline(always)]
fn king_moves(
    board: &Board,
    color: Color,
    side: &SideScan,
    attacked_by_enemy: Bitboard,
    checkers: Bitboard,
) -> Bitboard {
    let mut denied = attacked_by_enemy | board.by_color(color);
    // A sliding checker also attacks through the king, along the line it checks on.
    for checker in checkers & board.sliders() {
        denied |= ray(checker, side.king).without(checker);
    }
    king_attacks(side.king) & !denied & !(board.by_color(!color) & board.kings())
}

fn castling_moves(
    board: &Board,
    color: Color,
    side: &SideScan,
    checkers: Bitboard,
    castles: &Castles,
) -> u32 {
    if checkers.any() || !castles.has_color(color) {
        return 0;
    }
    let king = side.king;
    let occupied = board.occupied();
    let mut moves = 0;
    for castling_side in CastlingSide::ALL {
        let Some(rook) = castles.rook(color, castling_side) else {
            continue;
        };
        let king_to = castling_side.king_to(color);
        let after = occupied
            .toggled(king)
            .toggled(rook)
            .toggled(castling_side.rook_to(color));
        let safe = |square, occupied| board.attacks_to(square, !color, occupied).is_empty();
        if castles.path(color, castling_side).is_disjoint(occupied)
            && safe(king_to, after)
            && between(king, king_to)
                .into_iter()
                .all(|square| safe(square, occupied.toggled(king)))
        {
            moves += 1;
        }
    }
    moves
}

fn en_passant_moves(board: &Board, color: Color, king: Square, to: Square) -> u32 {
    let capturers = board.pawns() & board.by_color(color) & pawn_attacks(!color, to);
    let mut moves = 0;
    for from in capturers {
        let captured = Square::from_coords(to.file(), from.rank());
        let after = board.occupied().toggled(from).toggled(captured).with(to);
        if board
            .attacks_to(king, !color, after)
            .without(captured)
            .is_empty()
        {
            moves += 1;
        }
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use shakmaty::{CastlingMode, EnPassantMode, fen::Fen};

    fn position(fen: &str) -> Chess {
        fen.parse::<Fen>()
            .unwrap()
            .into_position(CastlingMode::Standard)
            .unwrap()
    }

    /// The reference: list the moves. `None` for the side not to move when its null move is not a
    /// legal position for the rules library (the side to move is in check).
    fn listed(position: &Chess) -> (usize, Option<usize>) {
        let null = position.clone().swap_turn().ok();
        (
            position.legal_moves().len(),
            null.map(|other| other.legal_moves().len()),
        )
    }

    fn check(position: &Chess) {
        let turn = position.turn();
        let counts = legal_move_counts(position);
        let (to_move, other) = listed(position);
        let fen = Fen::from_position(position, EnPassantMode::Legal);
        assert_eq!(counts[turn] as usize, to_move, "side to move, {fen}");
        if let Some(other) = other {
            assert_eq!(counts[!turn] as usize, other, "side not to move, {fen}");
        }
    }

    #[test]
    fn side_giving_check_may_not_take_the_king() {
        // White checks along the e-file. The rook has 10 squares without the king's, the king 5.
        let counts = legal_move_counts(&position("4k3/8/8/8/4R3/8/8/4K3 b - - 0 1"));
        assert_eq!(counts.white, 3 + 2 + 4 + 3 + 5);
        assert_eq!(counts.black, 4);
    }

    #[test]
    fn pseudo_legal_moves_ignore_the_king() {
        // White: the pinned knight has 8 squares, the king 5, the attacked ones included.
        // Black: the rook has e7 to e4, a8 to d8 and f8, the king 5.
        let counts =
            pseudo_legal_move_counts(position("4r1k1/8/8/8/4N3/8/8/4K3 w - - 0 1").board());
        assert_eq!(counts.white, 8 + 5);
        assert_eq!(counts.black, 4 + 4 + 1 + 5);
    }

    #[test]
    fn special_moves_are_counted() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "8/8/8/KPpr4/8/8/8/4k3 w - c6 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "4k3/8/8/2pP4/8/8/8/3RK3 w - c6 0 1",
            "4k3/1P6/8/8/7b/8/5P2/4K3 w - - 0 1",
        ] {
            check(&position(fen));
        }
    }

    proptest! {
        #[test]
        fn agrees_with_listing_on_random_games(choices in prop::collection::vec(any::<u16>(), 1..200)) {
            let mut position = Chess::default();
            for choice in choices {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position.play_unchecked(moves[choice as usize % moves.len()]);
                check(&position);
            }
        }
    }
}
