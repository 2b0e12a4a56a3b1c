//! The context of a move: features shared by all heuristics, computed once.

use kibitz_board::{
    AttackMap, Bitboard, Board, CastlingSide, File, Move, Position, Role, Square, attacks,
};

use super::{Context, static_exchange::is_damaging};

/// A piece that a move moves; castling moves two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
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
pub(super) fn moved_pieces(m: Move) -> (Moved, Option<Moved>) {
    if let Move::Castle { king, rook } = m {
        let (king_file, rook_file) = match m.castling_side() {
            Some(CastlingSide::QueenSide) => (File::C, File::D),
            _ => (File::G, File::F),
        };
        let moved = |from: Square, file, role| Moved {
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
        Moved {
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
    pub piece: Moved,
    /// The rook when castling.
    pub castled_rook: Option<Moved>,
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
}

impl<'a> MoveContext<'a> {
    /// The context of a legal move of `before`.
    pub fn new(before: &'a Context<'a>, m: Move) -> MoveContext<'a> {
        let (piece, castled_rook) = moved_pieces(m);
        let captured = m.capture().map(|role| {
            let square = match m {
                Move::EnPassant { from, to } => Square::from_coords(to.file(), from.rank()),
                _ => m.to(),
            };
            (square, role)
        });
        let mut next = before.position.clone();
        next.play_unchecked(m);
        let board = next.board().clone();

        let arrived = castled_rook
            .into_iter()
            .fold(Bitboard::from_square(piece.to), |set, rook| {
                set.with(rook.to)
            });
        let changed = castled_rook
            .into_iter()
            .fold(arrived.with(piece.from), |set, rook| set.with(rook.from))
            .with(captured.map_or(Bitboard::EMPTY, |(square, _)| square.into()));

        let mut context = MoveContext {
            before,
            m,
            piece,
            castled_rook,
            captured,
            attacks: before.attacks.clone(),
            damaged: Bitboard::EMPTY,
            uncovered_by_us: Bitboard::EMPTY,
            uncovered_by_them: Bitboard::EMPTY,
            board,
        };
        context.attacks.update(&context.board, changed);
        context.find_damaged(changed);
        context.find_uncovered(changed, arrived);
        context
    }

    fn find_damaged(&mut self, changed: Bitboard) {
        // Everywhere else the lines of the square, its attackers and its defenders are unchanged, and so
        // is the static exchange.
        let concerned = changed.into_iter().fold(changed, |set, square| {
            set | attacks::queen_attacks(square, Bitboard::EMPTY)
                | self.before.attacks.attacks_from(square)
                | self.attacks.attacks_from(square)
        });
        let ours = self.ours();
        self.damaged = *self.before.damaged.get(self.before.us) & ours & !concerned;
        for square in ours & concerned {
            if is_damaging(&self.board, &self.attacks, square, self.before.parameters) {
                self.damaged.add(square);
            }
        }
    }

    fn find_uncovered(&mut self, changed: Bitboard, arrived: Bitboard) {
        // Only sliders that saw a square that has changed can see farther.
        let concerned = changed.into_iter().fold(Bitboard::EMPTY, |set, square| {
            set | self.before.attacks.attackers_to(square)
        });
        let targets = self.board.occupied() & !arrived;
        for slider in concerned & self.board.sliders() & !arrived {
            let new = self.attacks.attacks_from(slider)
                & !self.before.attacks.attacks_from(slider)
                & targets;
            if self.board.by_color(self.before.us).contains(slider) {
                self.uncovered_by_us |= new;
            } else {
                self.uncovered_by_them |= new;
            }
        }
    }

    /// The pieces moved: one, or king and rook when castling.
    pub fn moved(&self) -> impl Iterator<Item = Moved> + use<> {
        std::iter::once(self.piece).chain(self.castled_rook)
    }

    /// Own pieces after the move.
    pub fn ours(&self) -> Bitboard {
        self.board.by_color(self.before.us)
    }

    /// Enemy pieces after the move.
    pub fn theirs(&self) -> Bitboard {
        self.board.by_color(self.before.them)
    }

    /// Own pieces that did not move.
    pub fn unmoved(&self) -> Bitboard {
        self.moved()
            .fold(self.ours(), |set, moved| set.without(moved.to))
    }

    /// Squares that the moved pieces attack after the move.
    pub fn attacked(&self) -> Bitboard {
        self.moved().fold(Bitboard::EMPTY, |set, moved| {
            set | self.attacks.attacks_from(moved.to)
        })
    }

    /// Squares that the moved pieces attacked before the move.
    pub fn attacked_before(&self) -> Bitboard {
        self.moved().fold(Bitboard::EMPTY, |set, moved| {
            set | self.before.attacks.attacks_from(moved.from)
        })
    }

    /// Enemy pieces that attack `square` after the move.
    pub fn enemies_attacking(&self, square: Square) -> Bitboard {
        self.attacks.attackers_to(square) & self.theirs()
    }

    /// Whether the own piece on `square` is under damaging attack after the move.
    pub fn is_damaged(&self, square: Square) -> bool {
        self.damaged.contains(square)
    }

    /// Whether the own piece on `square` was under damaging attack before the move.
    pub fn was_damaged(&self, square: Square) -> bool {
        self.before.damaged.get(self.before.us).contains(square)
    }

    /// Whether the attack on the enemy piece on `square` is damaging after the move.
    pub fn damages(&self, square: Square) -> bool {
        is_damaging(&self.board, &self.attacks, square, self.before.parameters)
    }
}

#[cfg(test)]
mod tests {
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
            for m in position.legal_moves() {
                let moved = MoveContext::new(&context, m);
                prop_assert_eq!(&moved.attacks, &AttackMap::new(&moved.board));
                for square in moved.ours() {
                    let fresh = is_damaging(&moved.board, &moved.attacks, square, context.parameters);
                    prop_assert_eq!(moved.is_damaged(square), fresh, "{} {}", m, square);
                }
            }
        }
    }
}
