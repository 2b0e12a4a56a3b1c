//! The context of a move: features shared by all heuristics, computed once.

use kibitz_board::{
    AttackMap, AttackUpdate, Bitboard, Board, CastlingSide, File, Move, Role, Square, attacks,
};

use super::Context;

/// A piece that a move moves; castling moves two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MovedPiece {
    /// Origin.
    pub from: Square,
    /// Target square.
    pub to: Square,
    /// Role before the move.
    pub role: Role,
    /// Role after the move; differs only for a promotion.
    pub becomes: Role,
}

/// The pieces moved: the piece, and the rook when castling.
#[inline]
pub(super) fn moved_pieces(m: Move) -> (MovedPiece, Option<MovedPiece>) {
    if let Move::Castle { king, rook } = m {
        let (king_file, rook_file) = match m.castling_side() {
            Some(CastlingSide::QueenSide) => (File::C, File::D),
            _ => (File::G, File::F),
        };
        let moved = |from: Square, file, role| MovedPiece {
            from,
            to: Square::from_coords(file, from.rank()),
            role,
            becomes: role,
        };
        return (
            moved(king, king_file, Role::King),
            Some(moved(rook, rook_file, Role::Rook)),
        );
    }
    let role = m.role();
    let becomes = m.promotion().unwrap_or(role);
    (
        MovedPiece {
            from: m.from().unwrap_or(m.to()),
            to: m.to(),
            role,
            becomes,
        },
        None,
    )
}

/// A legal move in a [`Context`], with the features that heuristics share.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MoveContext<'a> {
    /// The position before the move.
    pub before: &'a Context<'a>,
    /// The move.
    pub m: Move,
    /// The piece moved; the king when castling.
    pub piece: MovedPiece,
    /// The rook when castling.
    pub castled_rook: Option<MovedPiece>,
    /// The captured piece and its square, which for a capture en passant is not the target square.
    pub captured: Option<(Square, Role)>,
    /// The board after the move.
    pub board: Board,
    /// Attacks and defenses after the move.
    pub attacks: AttackMap,
    /// Own pieces under damaging attack after the move.
    pub damaged: Bitboard,
    /// Pieces of either side that own sliders, unmoved, attack or defend only after the move.
    pub uncovered_by_us: Bitboard,
    /// Pieces of either side that enemy sliders attack or defend only after the move.
    pub uncovered_by_them: Bitboard,
    /// What the move changed in the attack map.
    update: AttackUpdate,
    /// Pieces that attack a square that the move changed, before it or after it.
    touched: Bitboard,
    /// Target squares of the pieces moved.
    arrived: Bitboard,
    attacked: Bitboard,
    attacked_before: Bitboard,
}

impl<'a> MoveContext<'a> {
    /// The context of a legal move of `before`.
    pub fn new(before: &'a Context<'a>, m: Move) -> MoveContext<'a> {
        let (piece, castled_rook) = moved_pieces(m);
        let mut context = MoveContext {
            before,
            m,
            piece,
            castled_rook,
            captured: None,
            board: before.board().clone(),
            attacks: before.attacks.clone(),
            damaged: Bitboard::EMPTY,
            uncovered_by_us: Bitboard::EMPTY,
            uncovered_by_them: Bitboard::EMPTY,
            update: AttackUpdate::default(),
            touched: Bitboard::EMPTY,
            arrived: Bitboard::EMPTY,
            attacked: Bitboard::EMPTY,
            attacked_before: Bitboard::EMPTY,
        };
        context.play();
        context
    }

    /// Makes this the context of another legal move of the same position, which costs less than a new one.
    pub fn turn_to(&mut self, m: Move) {
        self.attacks.clone_from(&self.before.attacks);
        self.board.clone_from(self.before.board());
        self.m = m;
        (self.piece, self.castled_rook) = moved_pieces(m);
        self.play();
    }

    /// Plays the move on the board and the attack map of the position.
    fn play(&mut self) {
        self.captured = self.m.capture().map(|role| {
            let square = match self.m {
                Move::EnPassant { from, to } => Square::from_coords(to.file(), from.rank()),
                _ => self.m.to(),
            };
            (square, role)
        });
        let mut left = Bitboard::EMPTY;
        self.arrived = Bitboard::EMPTY;
        for moved in self.moved() {
            left.add(moved.from);
            self.arrived.add(moved.to);
        }
        if let Some((square, _)) = self.captured {
            left.add(square);
        }
        for square in left {
            self.board.discard_piece_at(square);
        }
        for moved in self.moved() {
            self.board
                .set_piece_at(moved.to, moved.becomes.of(self.before.us));
        }
        let changed = left | self.arrived;
        self.update = self.attacks.update(&self.board, changed);
        self.touched = changed.into_iter().fold(Bitboard::EMPTY, |set, square| {
            set | self.before.attacks.attackers_to(square) | self.attacks.attackers_to(square)
        });
        self.attacked = Bitboard::EMPTY;
        self.attacked_before = Bitboard::EMPTY;
        for moved in self.moved() {
            self.attacked |= self.attacks.attacks_from(moved.to);
            self.attacked_before |= self.before.attacks.attacks_from(moved.from);
        }
        self.find_damaged(changed);
        self.find_uncovered();
    }

    fn find_damaged(&mut self, changed: Bitboard) {
        // An exchange depends on the piece, on its attackers and defenders, and on the lines behind them.
        let concerned = changed
            .into_iter()
            .fold(changed | self.update.targets, |set, square| {
                set | self.attacks.attacks_from(square)
            });
        let on_lines = changed.into_iter().fold(Bitboard::EMPTY, |set, square| {
            set | attacks::queen_attacks(square, Bitboard::EMPTY)
        });
        let (ours, theirs) = (self.ours(), self.theirs());
        let mut again = ours & concerned;
        let never_lined = self.board.knights();
        for square in ours & on_lines & !concerned {
            let attackers = self.attacks.attackers_to(square);
            let is_behind = |attacker| (attacks::ray(square, attacker) & changed).any();
            if (attackers & theirs).any() && (attackers & !never_lined).into_iter().any(is_behind) {
                again.add(square);
            }
        }
        self.damaged = *self.before.damaged.get(self.before.us) & ours & !again;
        for square in again {
            if (self.attacks.attackers_to(square) & theirs).any() && self.damages(square) {
                self.damaged.add(square);
            }
        }
    }

    fn find_uncovered(&mut self) {
        // Only unmoved sliders that saw a square that has changed can see farther.
        let targets = self.board.occupied() & !self.arrived;
        let ours = self.ours();
        (self.uncovered_by_us, self.uncovered_by_them) = (Bitboard::EMPTY, Bitboard::EMPTY);
        for slider in self.update.pieces & self.board.sliders() & !self.arrived {
            let new = self.attacks.attacks_from(slider)
                & !self.before.attacks.attacks_from(slider)
                & targets;
            if ours.contains(slider) {
                self.uncovered_by_us |= new;
            } else {
                self.uncovered_by_them |= new;
            }
        }
    }

    /// The pieces moved: one, or king and rook when castling.
    #[inline]
    pub fn moved(&self) -> impl Iterator<Item = MovedPiece> + use<> {
        std::iter::once(self.piece).chain(self.castled_rook)
    }

    /// Own pieces after the move.
    #[inline]
    pub fn ours(&self) -> Bitboard {
        self.board.by_color(self.before.us)
    }

    /// Enemy pieces after the move.
    #[inline]
    pub fn theirs(&self) -> Bitboard {
        self.board.by_color(self.before.them)
    }

    /// Own pieces that did not move.
    #[inline]
    pub fn unmoved(&self) -> Bitboard {
        self.ours() & !self.arrived
    }

    /// Squares that the moved pieces attack after the move.
    #[inline]
    pub fn attacked(&self) -> Bitboard {
        self.attacked
    }

    /// Squares that the moved pieces attacked before the move.
    #[inline]
    pub fn attacked_before(&self) -> Bitboard {
        self.attacked_before
    }

    /// Pieces that attack a square from which, to which or on which the move moves or captures, before
    /// the move or after it: the attacks and defenses of all others are as they were.
    #[inline]
    pub fn touched(&self) -> Bitboard {
        self.touched
    }

    /// Enemy pieces that attack `square` after the move.
    #[inline]
    pub fn enemies_attacking(&self, square: Square) -> Bitboard {
        self.attacks.attackers_to(square) & self.theirs()
    }

    /// Whether the own piece on `square` is under damaging attack after the move.
    #[inline]
    pub fn is_damaged(&self, square: Square) -> bool {
        self.damaged.contains(square)
    }

    /// Whether the own piece on `square` was under damaging attack before the move.
    #[inline]
    pub fn was_damaged(&self, square: Square) -> bool {
        self.before.damaged.get(self.before.us).contains(square)
    }

    /// Whether there is a damaging attack on the piece on `square` after the move.
    pub fn damages(&self, square: Square) -> bool {
        self.before.is_damaging(&self.board, &self.attacks, square)
    }
}

/// Contexts of moves of one position, one after the other.
pub(super) struct MoveContexts<'a> {
    before: &'a Context<'a>,
    last: Option<MoveContext<'a>>,
}

impl<'a> MoveContexts<'a> {
    pub(super) fn new(before: &'a Context<'a>) -> MoveContexts<'a> {
        MoveContexts { before, last: None }
    }

    pub(super) fn of(&mut self, m: Move) -> &MoveContext<'a> {
        if let Some(context) = &mut self.last {
            context.turn_to(m);
        }
        self.last
            .get_or_insert_with(|| MoveContext::new(self.before, m))
    }
}

#[cfg(test)]
mod tests {
    use kibitz_board::Position;
    use proptest::prelude::*;

    use super::*;
    use crate::chute::tests::{playout, position};

    #[test]
    fn castling_moves_king_and_rook() {
        let position = position("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1");
        let m = position
            .legal_moves()
            .into_iter()
            .find(|m| m.is_castle())
            .unwrap();
        let (king, rook) = moved_pieces(m);
        assert_eq!(
            (king.from, king.to, king.role),
            (Square::E1, Square::C1, Role::King)
        );
        let rook = rook.unwrap();
        assert_eq!(
            (rook.from, rook.to, rook.role),
            (Square::A1, Square::D1, Role::Rook)
        );
    }

    #[test]
    fn lines_opened_by_a_move_are_found() {
        // Ne4 leaves the e file: the rook e1 now sees the pawn e7, and the black bishop b7 the
        // rook h1.
        let position = position("4k3/1b2p3/8/8/4N3/8/8/K3R2R w - - 0 1");
        let context = Context::new(&position);
        let m = *position
            .legal_moves()
            .iter()
            .find(|m| m.to() == Square::C3)
            .unwrap();
        let moved = MoveContext::new(&context, m);
        assert_eq!(moved.uncovered_by_us, Square::E7.into());
        assert_eq!(moved.uncovered_by_them, Square::H1.into());
        assert!(moved.is_damaged(Square::H1));
        assert!(
            !moved.damages(Square::E7),
            "the king defends the pawn against the rook"
        );
    }

    proptest! {
        #[test]
        fn shared_work_agrees_with_work_done_afresh(choices in prop::collection::vec(any::<u16>(), 0..150)) {
            let (position, history) = playout(&choices);
            let context = Context::with(&position, history, &crate::chute::Parameters::PUBLISHED);
            let mut contexts = MoveContexts::new(&context);
            for m in position.legal_moves() {
                let moved = contexts.of(m);
                let mut next = position.clone();
                next.play_unchecked(m);
                prop_assert_eq!(&moved.board, next.board());
                prop_assert_eq!(&moved.attacks, &AttackMap::new(&moved.board));
                for square in moved.ours() {
                    let fresh = context.is_damaging(&moved.board, &moved.attacks, square);
                    prop_assert_eq!(moved.is_damaged(square), fresh, "{} {}", m, square);
                }
                let alone = MoveContext::new(&context, m);
                prop_assert_eq!(moved.uncovered_by_us, alone.uncovered_by_us);
                prop_assert_eq!(moved.uncovered_by_them, alone.uncovered_by_them);
                prop_assert_eq!(moved.touched(), alone.touched());
                let bits = |context: &MoveContext<'_>| context.scores().map(f64::to_bits);
                prop_assert_eq!(bits(moved), bits(&alone));
            }
        }
    }
}
