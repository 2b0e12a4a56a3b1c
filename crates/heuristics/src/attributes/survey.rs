//! One look at all men of a position, which tells of several attributes.

use kibitz_board::{
    Bitboard, Board, ByColor, ByRole, Chess, Color, Position, Role, Surveyor, legal_move_counts,
    survey,
};
use pulp::{Arch, NullaryFnOnce};

use super::{
    attacks::{TENTHS_DEARER, TENTHS_LESSER},
    balance,
    center_control::CENTER,
    material::PieceValues,
};

/// What was seen of a position from which attributes follow; see
/// [`AttributeSet::survey`](super::AttributeSet::survey).
#[derive(Debug, Clone)]
pub struct Survey {
    legal_moves: ByColor<u32>,
    /// None if only moves were looked at.
    attacks: Option<Attacks>,
}

/// What the men of both sides attack.
#[derive(Debug, Clone, Default)]
pub(super) struct Attacks {
    /// Center squares, each as often as it is attacked.
    center: ByColor<u32>,
    /// Attacks on enemy men, in tenths.
    pub(super) tenths: ByColor<u32>,
}

impl Survey {
    /// Looks at everything.
    pub(super) fn of(position: &Chess) -> Self {
        // Where the processor counts the squares of a set in one instruction, it does.
        Arch::new().dispatch(Look(position))
    }

    /// Looks at moves alone.
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
        attacks.expect("the survey is for a set that looks at attacks")
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

/// A type, because a closure would not surely be compiled for the instructions that the processor
/// has.
struct Look<'a>(&'a Chess);

impl NullaryFnOnce for Look<'_> {
    type Output = Survey;

    #[inline(always)]
    fn call(self) -> Survey {
        let Self(position) = self;
        let board = position.board();
        let mut seen = Seen {
            men: ByColor {
                white: board.white(),
                black: board.black(),
            },
            dearer: dearer(board),
            attacks: Attacks::default(),
        };
        let legal_moves = survey(position, &mut seen);
        let mut attacks = seen.attacks;
        if position.maybe_ep_square().is_some() {
            // A pawn takes a pawn.
            let captures = position.en_passant_moves().len();
            attacks.tenths[position.turn()] += TENTHS_LESSER * u32::try_from(captures).unwrap_or(0);
        }
        Survey {
            legal_moves,
            attacks: Some(attacks),
        }
    }
}

/// What adds up while the men are met.
struct Seen {
    men: ByColor<Bitboard>,
    /// Men of both sides that are dearer than one of each kind.
    dearer: ByRole<Bitboard>,
    attacks: Attacks,
}

impl Surveyor for Seen {
    #[inline(always)]
    fn meet(&mut self, color: Color, role: Role, attacked: Bitboard, legal: Bitboard) {
        let prey = legal & self.men[!color];
        self.attacks.center[color] += size(attacked & CENTER);
        self.attacks.tenths[color] += TENTHS_LESSER * size(prey)
            + (TENTHS_DEARER - TENTHS_LESSER) * size(prey & self.dearer[role]);
    }
}

/// No king is ever taken, and to a king, which is dearer than all, no man is dearer.
#[inline(always)]
fn dearer(board: &Board) -> ByRole<Bitboard> {
    ByRole::new_with(|role| {
        let is_dearer = |other: Role| PieceValues::of(other) > PieceValues::of(role);
        let others = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
            .into_iter()
            .filter(|other| role != Role::King && is_dearer(*other));
        others.fold(Bitboard::EMPTY, |men, other| men | board.by_role(other))
    })
}

#[inline(always)]
fn size(squares: Bitboard) -> u32 {
    squares.0.count_ones()
}
