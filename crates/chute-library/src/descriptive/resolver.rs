//! Resolves a parsed move to a legal move of the position.

use kibitz_board::{Bitboard, CastlingSide, Chess, Color, Move, Position, Rank, Role, Square};

use super::{
    DescriptiveError, describe,
    parser::{Action, ParsedMove, PieceName, SquareName, Wing, parse},
};

/// Reads a move in descriptive notation: the legal move of `position` that `text` denotes.
///
/// A check mark restricts the choice to moves that give check; its absence does not, as in most books.
/// The wing of a bishop follows from the color of its square, the wing of a rook or knight from its
/// file: of two knights the one nearer to the a-file is the queen's knight.
///
/// # Errors
/// [`DescriptiveError::Unreadable`] with the token expected, [`DescriptiveError::Ambiguous`] with
/// every legal reading, [`DescriptiveError::Illegal`] with the nearest legal moves.
pub fn read_move(position: &Chess, text: &str) -> Result<Move, DescriptiveError> {
    read_move_with(position, text, None)
}

/// [`read_move`] with the wings on which the pieces began the game, if they are known.
///
/// Writers disagree whether the queen's rook is the rook that began there or the one that is there now;
/// the first interpretation has precedence.
pub(super) fn read_move_with(
    position: &Chess,
    text: &str,
    origins: Option<&Origins>,
) -> Result<Move, DescriptiveError> {
    let description = parse(text).map_err(|expected| DescriptiveError::Unreadable {
        text: text.trim().to_owned(),
        expected,
    })?;
    let mut readings = readings_of(position, &description, origins);
    if readings.is_empty() && origins.is_some() {
        readings = readings_of(position, &description, None);
    }
    let text = text.trim().to_owned();
    match readings[..] {
        [reading] => Ok(reading),
        [] => Err(DescriptiveError::Illegal {
            text,
            candidates: in_words(position, &nearest(position, &description)),
        }),
        _ => Err(DescriptiveError::Ambiguous {
            text,
            candidates: in_words(position, &readings),
        }),
    }
}

/// Whether `m` is the only legal move that `text` can denote.
pub(super) fn means_only(position: &Chess, text: &str, m: Move) -> bool {
    parse(text).is_ok_and(|description| readings_of(position, &description, None) == [m])
}

/// All legal moves that match.
fn readings_of(position: &Chess, description: &ParsedMove, origins: Option<&Origins>) -> Vec<Move> {
    let fits = |m: &Move| {
        m.promotion() == description.promotion.or(m.promotion())
            && (m.is_promotion() || description.promotion.is_none())
            && (m.is_en_passant() || !description.en_passant)
            && match description.action {
                Action::Castle(side) => is_castling(*m, side),
                Action::Advance {
                    piece,
                    origin,
                    target,
                } => {
                    !m.is_capture()
                        && mover_fits(position, *m, piece, origins)
                        && m.from()
                            .is_some_and(|from| place_fits(position, from, origin))
                        && place_fits(position, m.to(), target)
                }
                Action::Capture {
                    piece,
                    origin,
                    captured,
                    target,
                } => {
                    mover_fits(position, *m, piece, origins)
                        && m.from()
                            .is_some_and(|from| place_fits(position, from, origin))
                        && captured_fits(position, *m, captured, origins)
                        && place_fits(position, m.to(), target)
                }
            }
    };
    let mut readings: Vec<Move> = position.legal_moves().into_iter().filter(fits).collect();
    if description.check && readings.iter().any(|&m| gives_check(position, m)) {
        readings.retain(|&m| gives_check(position, m));
    }
    readings
}

/// The nearest legal moves to a text that matches none.
fn nearest(position: &Chess, description: &ParsedMove) -> Vec<Move> {
    let of_piece = |role| -> Vec<Move> {
        let is_of_role = |m: &Move| m.role() == role && !m.is_castle();
        position
            .legal_moves()
            .into_iter()
            .filter(is_of_role)
            .collect()
    };
    let (all, near): (Vec<Move>, Vec<Move>) = match description.action {
        Action::Castle(_) => {
            return position
                .legal_moves()
                .into_iter()
                .filter(|m| m.is_castle())
                .collect();
        }
        Action::Advance { piece, target, .. } => {
            let all = of_piece(piece.role);
            let is_near = |m: &&Move| place_fits(position, m.to(), target);
            let near = all.iter().filter(is_near).copied().collect();
            (all, near)
        }
        Action::Capture {
            piece, captured, ..
        } => {
            let all = of_piece(piece.role);
            let is_near = |m: &&Move| m.capture() == Some(captured.role);
            let near = all.iter().filter(is_near).copied().collect();
            (all, near)
        }
    };
    if near.is_empty() { all } else { near }
}

fn in_words(position: &Chess, moves: &[Move]) -> Vec<String> {
    moves.iter().map(|&m| describe(position, m)).collect()
}

fn gives_check(position: &Chess, m: Move) -> bool {
    let mut next = position.clone();
    next.play_unchecked(m);
    next.is_check()
}

fn is_castling(m: Move, side: Option<CastlingSide>) -> bool {
    m.castling_side()
        .is_some_and(|castled| side.is_none_or(|side| side == castled))
}

fn mover_fits(position: &Chess, m: Move, piece: PieceName, origins: Option<&Origins>) -> bool {
    !m.is_castle()
        && m.role() == piece.role
        && m.from()
            .is_some_and(|from| name_fits(position, position.turn(), from, piece, origins))
}

fn captured_fits(position: &Chess, m: Move, piece: PieceName, origins: Option<&Origins>) -> bool {
    m.capture() == Some(piece.role)
        && name_fits(
            position,
            !position.turn(),
            captured_square(m),
            piece,
            origins,
        )
}

/// Square of the captured piece, which en passant is not the target square.
fn captured_square(m: Move) -> Square {
    match m {
        Move::EnPassant { from, to } => Square::from_coords(to.file(), from.rank()),
        _ => m.to(),
    }
}

/// Whether the piece of `color` on `square` may be called `name`, its role aside.
fn name_fits(
    position: &Chess,
    color: Color,
    square: Square,
    name: PieceName,
    origins: Option<&Origins>,
) -> bool {
    let Some(wing) = name.wing else {
        return name.files.contains(square.file());
    };
    if let Some(origins) = origins {
        return origins.wing(square) == Some(wing);
    }
    let alike = position.board().by_color(color) & position.board().by_role(name.role);
    if name.role == Role::Bishop {
        // White's queen's bishop stands on dark squares, Black's on light ones.
        return (wing == Wing::Queen) == (color.is_white() == square.is_dark());
    }
    let files = alike.into_iter().map(Square::file);
    let outermost = match wing {
        Wing::Queen => files.min(),
        Wing::King => files.max(),
    };
    outermost == Some(square.file())
}

fn place_fits(position: &Chess, square: Square, name: SquareName) -> bool {
    name.files.contains(square.file())
        && name
            .rank
            .is_none_or(|rank| rank == relative_rank(square, position.turn()))
}

/// Rank of a square from the side of `color`.
pub(super) fn relative_rank(square: Square, color: Color) -> Rank {
    color.fold_wb(square.rank(), square.rank().flip_vertical())
}

/// The wings on which the rooks, bishops and knights of a game began.
#[derive(Clone, Debug)]
pub(super) struct Origins {
    kings_wing: Bitboard,
    queens_wing: Bitboard,
}

impl Origins {
    /// The wings at the start of a game.
    pub(super) fn new() -> Origins {
        let pieces = Bitboard::from_rank(Rank::First) | Bitboard::from_rank(Rank::Eighth);
        let queens_half = Bitboard(0x0f0f_0f0f_0f0f_0f0f);
        Origins {
            kings_wing: pieces & !queens_half,
            queens_wing: pieces & queens_half,
        }
    }

    /// Follows a legal move.
    pub(super) fn play(&mut self, m: Move) {
        match m {
            Move::Castle { king, rook } => {
                let kingside = rook.file() > king.file();
                let file = if kingside {
                    kibitz_board::File::F
                } else {
                    kibitz_board::File::D
                };
                self.shift(rook, Square::from_coords(file, rook.rank()));
            }
            _ => {
                if let Some(from) = m.from() {
                    self.shift(from, m.to());
                }
            }
        }
    }

    fn wing(&self, square: Square) -> Option<Wing> {
        if self.kings_wing.contains(square) {
            Some(Wing::King)
        } else if self.queens_wing.contains(square) {
            Some(Wing::Queen)
        } else {
            None
        }
    }

    fn shift(&mut self, from: Square, to: Square) {
        for wing in [&mut self.kings_wing, &mut self.queens_wing] {
            wing.set(to, wing.contains(from));
            wing.discard(from);
        }
    }
}

#[cfg(test)]
mod tests {
    use kibitz_board::{CastlingMode, fen::Fen, uci::UciMove};
    use proptest::{collection::vec, prelude::*};

    use super::*;

    fn position(fen: &str) -> Chess {
        fen.parse::<Fen>()
            .unwrap()
            .into_position(CastlingMode::Standard)
            .unwrap()
    }

    fn check(fen: &str, text: &str, expected: &str) {
        let position = position(fen);
        let m = read_move(&position, text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            m.to_uci(CastlingMode::Standard),
            expected.parse::<UciMove>().unwrap(),
            "{text}"
        );
    }

    fn error(fen: &str, text: &str) -> String {
        read_move(&position(fen), text).unwrap_err().to_string()
    }

    const ROOKS: &str = "4k3/8/8/8/8/8/4K3/R6R w - - 0 1";

    #[test]
    fn ranks_are_counted_by_the_mover() {
        check("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "P-K4", "e2e4");
        check("4k3/4p3/8/8/8/8/8/4K3 b - - 0 1", "P-K4", "e7e5");
    }

    #[test]
    fn wings_tell_rooks_knights_and_bishops_apart() {
        check(ROOKS, "QR-Q1", "a1d1");
        check(ROOKS, "KR-Q1", "h1d1");
        check(ROOKS, "R(R1)-QR8", "a1a8");
        let bishops = "4k3/8/8/8/8/8/8/2B1KB2 w - - 0 1";
        check(bishops, "KB-Q3", "f1d3");
        check(bishops, "QB-Q2", "c1d2");
        check("4k3/8/8/1b6/8/8/8/4K3 b - - 0 1", "QB-B3", "b5c6");
    }

    #[test]
    fn places_and_check_marks_tell_moves_apart() {
        let rooks = "4k3/8/8/3R4/8/8/8/3RK3 w - - 0 1";
        check(rooks, "R(1)-Q3", "d1d3");
        check(rooks, "R/5-Q3", "d5d3");
        // Both knights reach a bishop 7, one of them with check.
        let knights = "4k3/8/7N/3N4/8/8/8/4K3 w - - 0 1";
        check(knights, "N-B7ch", "d5c7");
        check("4k3/8/8/8/1b6/8/3PP3/2B1K2R w K - 0 1", "castles", "e1g1");
    }

    #[test]
    fn captures_name_the_captured_piece() {
        let exchange = "4k3/8/2p1b3/3P4/8/8/8/4K3 w - - 0 1";
        check(exchange, "PxP", "d5c6");
        check(exchange, "PxB", "d5e6");
        check(exchange, "QPxQBP", "d5c6");
        check(exchange, "P*P(QB6)", "d5c6");
        let en_passant = "4k3/8/8/2pPp3/8/8/8/4K3 w - e6 0 1";
        check(en_passant, "PxP e.p.", "d5e6");
        check(en_passant, "PxKP", "d5e6");
    }

    #[test]
    fn promotions_are_read() {
        let pawn = "3nk3/2P5/8/8/8/8/8/4K3 w - - 0 1";
        check(pawn, "P-B8=Q", "c7c8q");
        check(pawn, "P-B8(Kt)", "c7c8n");
        check(pawn, "PxN=R ch", "c7d8r");
        check(pawn, "PxKt(Q8)(Q)", "c7d8q");
    }

    #[test]
    fn errors_list_the_legal_readings() {
        assert_eq!(
            error(ROOKS, "R-Q1"),
            "`R-Q1` is ambiguous, it can mean R(QR1)-Q1 or R(KR1)-Q1"
        );
        assert_eq!(
            error("4k3/2P5/8/8/8/8/8/4K3 w - - 0 1", "P-B8"),
            "`P-B8` is ambiguous, it can mean P-B8=Q ch or P-B8=R ch or P-B8=B or P-B8=N"
        );
        assert_eq!(
            error("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "P-K5"),
            "no legal move is `P-K5`; legal would be P-K3, P-K4"
        );
        assert_eq!(
            error("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "O-O"),
            "no legal move is `O-O`, and no piece of this kind can move"
        );
        assert_eq!(
            error(ROOKS, "e4"),
            "cannot read `e4`: expected a move such as P-K4, KtxB, Q-R5ch or O-O"
        );
    }

    proptest! {
        #[test]
        fn written_moves_read_back(choices in vec(any::<u16>(), 0..200)) {
            let mut position = Chess::default();
            for choice in choices {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position.play_unchecked(moves[usize::from(choice) % moves.len()]);
            }
            for m in position.legal_moves() {
                let text = describe(&position, m);
                prop_assert_eq!(read_move(&position, &text), Ok(m), "{}", text);
            }
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".{0,12}") {
            match read_move(&Chess::default(), &text) {
                Ok(m) => prop_assert!(Chess::default().is_legal(m)),
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }

        #[test]
        fn anything_like_a_move_is_read_or_refused(
            text in r"[KQRBNP]{1,3}(\([KQ]?[KQRBN]?[0-9]?\))?[-x*][KQRBNP]{0,3}[0-9]?(=[QK])?( ?ch| e\.p\.)?"
        ) {
            match read_move(&Chess::default(), &text) {
                Ok(m) => prop_assert!(Chess::default().is_legal(m)),
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
    }
}
