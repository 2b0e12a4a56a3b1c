//! The parser of descriptive notation: from the text of a move to a [`ParsedMove`], without the
//! position.

use kibitz_board::{CastlingSide, File, Rank, Role};

/// The content of a move's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ParsedMove {
    pub(super) action: Action,
    pub(super) promotion: Option<Role>,
    pub(super) en_passant: bool,
    pub(super) check: bool,
}

/// Castling, or the move of one piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Castling, on a named side or on the only possible one.
    Castle(Option<CastlingSide>),
    /// A move without capture.
    Advance {
        piece: PieceName,
        origin: SquareName,
        target: SquareName,
    },
    /// A capture; `target` holds the square as far as it is given.
    Capture {
        piece: PieceName,
        origin: SquareName,
        captured: PieceName,
        target: SquareName,
    },
}

/// The half of the board from which a piece comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wing {
    King,
    Queen,
}

/// The name of a piece: `N`, `QR`, `BP`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PieceName {
    pub(super) role: Role,
    /// Wing of a rook, bishop or knight.
    pub(super) wing: Option<Wing>,
    /// Possible files of a pawn with this name; every file for pieces.
    pub(super) files: FileSet,
}

/// The name of a square: whole (`QB3`), without the wing (`B3`), or a rank or file alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SquareName {
    pub(super) files: FileSet,
    /// Rank from the mover's side, `Rank::First` nearest.
    pub(super) rank: Option<Rank>,
}

impl SquareName {
    pub(super) const ANY: SquareName = SquareName {
        files: FileSet::ALL,
        rank: None,
    };
}

/// A set of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileSet(u8);

impl FileSet {
    pub(super) const ALL: FileSet = FileSet(0xff);

    pub(super) fn contains(self, file: File) -> bool {
        self.0 & (1 << file.to_u32()) != 0
    }

    /// Files of a name such as `QB`, `B` or `K`.
    fn named(name: &str) -> Option<FileSet> {
        Some(FileSet(match name {
            "QR" => 0b0000_0001,
            "QN" => 0b0000_0010,
            "QB" => 0b0000_0100,
            "Q" => 0b0000_1000,
            "K" => 0b0001_0000,
            "KB" => 0b0010_0000,
            "KN" => 0b0100_0000,
            "KR" => 0b1000_0000,
            "R" => 0b1000_0001,
            "N" => 0b0100_0010,
            "B" => 0b0010_0100,
            _ => return None,
        }))
    }
}

const A_MOVE: &str = "a move such as P-K4, KtxB, Q-R5ch or O-O";
const A_PIECE: &str = "a piece: K, Q, R, B, N or Kt, or P, perhaps with its wing or file";
const A_SQUARE: &str = "a square such as K4, QB3 or R8";
const A_CAPTURED_PIECE: &str =
    "the captured piece: Q, R, B, N or Kt, or P, perhaps with its square";

/// Reads the text of one move.
///
/// # Errors
/// A description of the token expected at the first mismatch.
pub(super) fn parse(text: &str) -> Result<ParsedMove, &'static str> {
    let mut rest: String = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_ascii_uppercase())
        .collect::<String>()
        .replace("KT", "N");
    let mut description = ParsedMove {
        action: Action::Castle(None),
        promotion: None,
        en_passant: false,
        check: false,
    };
    strip_marks(&mut rest, &mut description);
    if rest.is_empty() {
        return Err(A_MOVE);
    }
    if let Some(castling) = castling(&rest) {
        description.action = castling;
        return Ok(description);
    }

    let split = rest.find(['-', 'X', '*', ':', '×']).ok_or(A_MOVE)?;
    let (piece, action) = rest.split_at(split);
    let (piece, origin) = split_place(piece);
    let piece = piece_name(piece).ok_or(A_PIECE)?;
    let origin = origin
        .map_or(Some(SquareName::ANY), square_name)
        .ok_or(A_SQUARE)?;
    let is_capture = !action.starts_with('-');
    let mut target = action.trim_start_matches(['-', 'X', '*', ':', '×']);
    if piece.role == Role::Pawn {
        (target, description.promotion) = split_promotion(target);
    }
    description.action = if is_capture {
        let (captured, place) = split_place(target);
        let captured = piece_name(captured)
            .filter(|captured| captured.role != Role::King)
            .ok_or(A_CAPTURED_PIECE)?;
        let target = place
            .map_or(Some(SquareName::ANY), square_name)
            .ok_or(A_SQUARE)?;
        Action::Capture {
            piece,
            origin,
            captured,
            target,
        }
    } else {
        let target = square_name(target)
            .filter(|square| square.rank.is_some() && square.files != FileSet::ALL)
            .ok_or(A_SQUARE)?;
        Action::Advance {
            piece,
            origin,
            target,
        }
    };
    Ok(description)
}

/// Strips trailing marks: annotations, check, mate and en passant.
fn strip_marks(rest: &mut String, description: &mut ParsedMove) {
    const CHECKS: [&str; 9] = ["(CH)", "CHECK", "CH.", "CH", "MATE", "+", "#", "DBL", "DIS"];
    const EN_PASSANT: [&str; 4] = ["(E.P.)", "(EP)", "E.P.", "EP"];
    loop {
        let length = rest.len();
        while rest.ends_with(['!', '?', '.', ',']) && !rest.ends_with("E.P.") {
            rest.pop();
        }
        if let Some(mark) = CHECKS.iter().find(|mark| rest.ends_with(**mark)) {
            rest.truncate(rest.len() - mark.len());
            description.check = true;
        }
        if let Some(mark) = EN_PASSANT.iter().find(|mark| rest.ends_with(**mark)) {
            rest.truncate(rest.len() - mark.len());
            description.en_passant = true;
        }
        if rest.len() == length {
            return;
        }
    }
}

/// The castling move that the text denotes, if any.
fn castling(text: &str) -> Option<Action> {
    if let Some(side) = text.strip_prefix("CASTLES") {
        return match side.trim_matches(['(', ')', '-']) {
            "" => Some(Action::Castle(None)),
            "K" | "KR" => Some(Action::Castle(Some(CastlingSide::KingSide))),
            "Q" | "QR" => Some(Action::Castle(Some(CastlingSide::QueenSide))),
            _ => None,
        };
    }
    match text.replace('0', "O").replace('-', "").as_str() {
        "OO" => Some(Action::Castle(Some(CastlingSide::KingSide))),
        "OOO" => Some(Action::Castle(Some(CastlingSide::QueenSide))),
        _ => None,
    }
}

/// Splits `N(Q4)` and `N/Q4` into piece and square.
fn split_place(text: &str) -> (&str, Option<&str>) {
    match text.split_once(['(', '/']) {
        Some((piece, place)) => (piece, Some(place.trim_end_matches(')'))),
        None => (text, None),
    }
}

/// Splits the promotion off a pawn's target: `K8=Q`, `K8(Q)`, `K8/Q`, `K8Q`, `R(Q)`.
///
/// A square has a rank and a promotion has none, which distinguishes `PxR(Q)` from `PxR(Q8)`.
fn split_promotion(target: &str) -> (&str, Option<Role>) {
    let open = target.trim_end_matches(')');
    let promotion = match open.chars().next_back() {
        Some('Q') => Role::Queen,
        Some('R') => Role::Rook,
        Some('B') => Role::Bishop,
        Some('N') => Role::Knight,
        _ => return (target, None),
    };
    let before = &open[..open.len() - 1];
    let square = before.trim_end_matches(['=', '/', '(']);
    let is_marked = square.len() < before.len() || square.ends_with(|c: char| c.is_ascii_digit());
    if is_marked {
        (square, Some(promotion))
    } else {
        (target, None)
    }
}

fn piece_name(name: &str) -> Option<PieceName> {
    if let Some(file) = name.strip_suffix('P') {
        let files = if file.is_empty() {
            FileSet::ALL
        } else {
            FileSet::named(file)?
        };
        return Some(PieceName {
            role: Role::Pawn,
            wing: None,
            files,
        });
    }
    let (wing, role) = match name {
        "K" => (None, Role::King),
        "Q" => (None, Role::Queen),
        _ => {
            let (wing, role) = if let Some(role) = name.strip_prefix('K') {
                (Some(Wing::King), role)
            } else if let Some(role) = name.strip_prefix('Q') {
                (Some(Wing::Queen), role)
            } else {
                (None, name)
            };
            let role = match role {
                "R" => Role::Rook,
                "B" => Role::Bishop,
                "N" => Role::Knight,
                _ => return None,
            };
            (wing, role)
        }
    };
    Some(PieceName {
        role,
        wing,
        files: FileSet::ALL,
    })
}

/// A square, a rank alone, or a file alone.
fn square_name(name: &str) -> Option<SquareName> {
    let file = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let rank = match &name[file.len()..] {
        "" => None,
        digits => Some(
            digits
                .parse()
                .ok()
                .and_then(|n: u32| Rank::try_from(n.checked_sub(1)?).ok())?,
        ),
    };
    let files = if file.is_empty() {
        FileSet::ALL
    } else {
        FileSet::named(file)?
    };
    (rank.is_some() || !file.is_empty()).then_some(SquareName { files, rank })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advance(text: &str) -> (Role, Option<Wing>, SquareName, SquareName, Option<Role>) {
        match parse(text).unwrap() {
            ParsedMove {
                action:
                    Action::Advance {
                        piece,
                        origin,
                        target,
                    },
                promotion,
                ..
            } => (piece.role, piece.wing, origin, target, promotion),
            other => panic!("{text} is not an advance: {other:?}"),
        }
    }

    fn square(files: &str, rank: u32) -> SquareName {
        SquareName {
            files: FileSet::named(files).unwrap(),
            rank: Some(Rank::new(rank - 1)),
        }
    }

    #[test]
    fn advances_name_piece_wing_origin_and_target() {
        let any = SquareName::ANY;
        assert_eq!(
            advance("P-Q4"),
            (Role::Pawn, None, any, square("Q", 4), None)
        );
        assert_eq!(
            advance("KT - KB3"),
            (Role::Knight, None, any, square("KB", 3), None)
        );
        assert_eq!(
            advance("qkt-q2"),
            (Role::Knight, Some(Wing::Queen), any, square("Q", 2), None)
        );
        assert_eq!(
            advance("KKt-K2"),
            (Role::Knight, Some(Wing::King), any, square("K", 2), None)
        );
        assert_eq!(
            advance("KT(Q4)-B3"),
            (Role::Knight, None, square("Q", 4), square("B", 3), None)
        );
        assert_eq!(
            advance("R(1)-K1"),
            (
                Role::Rook,
                None,
                SquareName {
                    files: FileSet::ALL,
                    rank: Some(Rank::First)
                },
                square("K", 1),
                None
            )
        );
    }

    #[test]
    fn promotions_are_told_from_places() {
        for text in ["P-K8=Q", "P-K8(Q)", "P-K8/Q", "P-K8Q", "P-K8 = Q ch"] {
            assert_eq!(advance(text).4, Some(Role::Queen), "{text}");
        }
        assert_eq!(parse("PxR(Q)").unwrap().promotion, Some(Role::Queen));
        assert_eq!(parse("PxR(Q8)").unwrap().promotion, None);
        assert_eq!(parse("PxR(Q8)=Kt").unwrap().promotion, Some(Role::Knight));
        assert_eq!(parse("PxR").unwrap().promotion, None);
        assert_eq!(parse("BPxQB").unwrap().promotion, None);
    }

    #[test]
    fn marks_are_taken_off() {
        let plain = parse("B-N5").unwrap();
        assert!(!plain.check);
        for text in [
            "B-N5ch",
            "B-N5 ch.",
            "B-N5+!",
            "B-N5 dis ch",
            "B-N5#",
            "B-N5 mate!?",
        ] {
            assert_eq!(
                parse(text).unwrap(),
                ParsedMove {
                    check: true,
                    ..plain.clone()
                },
                "{text}"
            );
        }
        for text in ["PxP e.p.", "PxPep", "PxP (e.p.)!", "PxP e.p. ch"] {
            assert!(parse(text).unwrap().en_passant, "{text}");
        }
    }

    #[test]
    fn castling_has_many_names() {
        let side = |text| match parse(text).unwrap().action {
            Action::Castle(side) => side,
            other => panic!("{text} is not castling: {other:?}"),
        };
        for text in ["O-O", "0-0", "o-o ch", "Castles K", "castles (KR)", "OO"] {
            assert_eq!(side(text), Some(CastlingSide::KingSide), "{text}");
        }
        for text in ["O-O-O", "0-0-0", "Castles QR"] {
            assert_eq!(side(text), Some(CastlingSide::QueenSide), "{text}");
        }
        assert_eq!(side("Castles"), None);
    }

    #[test]
    fn errors_name_the_expected_token() {
        for (text, expected) in [
            ("", A_MOVE),
            ("e4", A_MOVE),
            ("Castles west", A_MOVE),
            ("Z-K4", A_PIECE),
            ("QQ-K4", A_PIECE),
            ("P-", A_SQUARE),
            ("P-K9", A_SQUARE),
            ("P-K0", A_SQUARE),
            ("P-4", A_SQUARE),
            ("P-K", A_SQUARE),
            ("N(Z3)-K4", A_SQUARE),
            ("NxK", A_CAPTURED_PIECE),
            ("Nx", A_CAPTURED_PIECE),
            ("N×é", A_CAPTURED_PIECE),
        ] {
            assert_eq!(parse(text), Err(expected), "{text}");
        }
    }
}
