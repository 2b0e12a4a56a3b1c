//! The counts from which attributes are computed, by one pass over the pieces of a position.

use kibitz_board::{
    AttackVisitor, Bitboard, Board, ByColor, ByRole, Chess, Color, Position, Role,
    legal_move_counts, legal_move_counts_with,
};
use pulp::{Arch, NullaryFnOnce};

use super::{
    attacks::{TENTHS_GREATER, TENTHS_LESSER},
    balance,
    center_control::CENTER,
    material::PieceValues,
};

/// Legal moves and attacks of both sides in a position, from
/// [`AttributeSet::counts`](super::AttributeSet::counts).
#[derive(Debug, Clone)]
pub struct PositionCounts {
    legal_moves: ByColor<u32>,
    /// `None` if only moves were counted.
    attacks: Option<Attacks>,
}

/// Attacks of both sides.
#[derive(Debug, Clone, Default)]
pub(super) struct Attacks {
    /// Attacks on center squares.
    center: ByColor<u32>,
    /// Weighted attacks on enemy pieces, in tenths.
    pub(super) tenths: ByColor<u32>,
}

impl PositionCounts {
    /// Counts moves and attacks.
    pub(super) fn of(position: &Chess) -> Self {
        // For the POPCNT instruction where the processor has it.
        Arch::new().dispatch(CountAll(position))
    }

    /// Counts moves alone.
    pub(super) fn of_moves(position: &Chess) -> Self {
        Self {
            legal_moves: legal_move_counts(position),
            attacks: None,
        }
    }

    /// [`kibitz_board::legal_move_counts`] of the position.
    pub fn legal_moves(&self) -> ByColor<u32> {
        self.legal_moves
    }

    pub(super) fn attacks(&self) -> &Attacks {
        let attacks = self.attacks.as_ref();
        attacks.expect("the counts are for a set with attack attributes")
    }
}

impl Attacks {
    pub(super) fn center_control_balance(&self, player: Color) -> i16 {
        balance(self.center, player)
    }

    pub(super) fn attack_balance(&self, player: Color) -> i16 {
        balance(self.tenths, player)
    }
}

/// A type, because a closure is not reliably compiled for the instruction set that `pulp` dispatches
/// to.
struct CountAll<'a>(&'a Chess);

impl NullaryFnOnce for CountAll<'_> {
    type Output = PositionCounts;

    #[inline(always)]
    fn call(self) -> PositionCounts {
        let Self(position) = self;
        let board = position.board();
        let mut counter = AttackCounter {
            pieces: ByColor {
                white: board.white(),
                black: board.black(),
            },
            more_valuable: more_valuable(board),
            attacks: Attacks::default(),
        };
        let legal_moves = legal_move_counts_with(position, &mut counter);
        let mut attacks = counter.attacks;
        if position.maybe_ep_square().is_some() {
            // En passant, a pawn attacks a pawn.
            let captures = position.en_passant_moves().len();
            attacks.tenths[position.turn()] += TENTHS_LESSER * u32::try_from(captures).unwrap_or(0);
        }
        PositionCounts {
            legal_moves,
            attacks: Some(attacks),
        }
    }
}

/// Sums of attacks over the pieces visited.
struct AttackCounter {
    pieces: ByColor<Bitboard>,
    /// Pieces of both sides more valuable than a piece of each role.
    more_valuable: ByRole<Bitboard>,
    attacks: Attacks,
}

impl AttackVisitor for AttackCounter {
    #[inline(always)]
    fn visit(&mut self, color: Color, role: Role, attacked: Bitboard, legal: Bitboard) {
        let captures = legal & self.pieces[!color];
        self.attacks.center[color] += size(attacked & CENTER);
        self.attacks.tenths[color] += TENTHS_LESSER * size(captures)
            + (TENTHS_GREATER - TENTHS_LESSER) * size(captures & self.more_valuable[role]);
    }
}

/// Pieces more valuable than a piece of each role; none for the king, and never the king.
#[inline(always)]
fn more_valuable(board: &Board) -> ByRole<Bitboard> {
    ByRole::new_with(|role| {
        let is_more_valuable = |other: Role| PieceValues::of(other) > PieceValues::of(role);
        let others = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
            .into_iter()
            .filter(|other| role != Role::King && is_more_valuable(*other));
        others.fold(Bitboard::EMPTY, |men, other| men | board.by_role(other))
    })
}

#[inline(always)]
fn size(squares: Bitboard) -> u32 {
    squares.0.count_ones()
}
