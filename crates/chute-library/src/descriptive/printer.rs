//! The writer of descriptive notation.

use kibitz_board::{CastlingSide, Chess, File, Move, Position, Role, Square};

use super::resolver::{means_only, relative_rank};

/// A legal move of `position` in descriptive notation, as short as the position allows.
///
/// Knights are written `N`. The wing of a square, the square of a captured piece and the origin of the
/// mover are added, in this order, only to resolve ambiguity. [`read_move`](super::read_move) reads the
/// result back to the same move.
///
/// # Examples
/// ```
/// # use kibitz_board::Chess;
/// # use kibitz_chute_library::descriptive::{describe, read_move};
/// let position = Chess::default();
/// let m = read_move(&position, "kt-kb3")?;
/// assert_eq!(describe(&position, m), "N-KB3");
/// # Ok::<(), kibitz_chute_library::descriptive::DescriptiveError>(())
/// ```
pub fn describe(position: &Chess, m: Move) -> String {
    let suffix = suffix(position, m);
    let Some(from) = m.from().filter(|_| !m.is_castle()) else {
        let castling = match m.castling_side() {
            Some(CastlingSide::QueenSide) => "O-O-O",
            _ => "O-O",
        };
        return castling.to_owned() + &suffix;
    };
    let turn = position.turn();
    let piece = m.role().upper_char();
    let origin = format!("{piece}({})", square_name(from, relative_rank(from, turn)));
    let rank = relative_rank(m.to(), turn);
    let target = square_name(m.to(), rank);
    let attempts = if let Some(captured) = m.capture() {
        let captured = captured.upper_char();
        vec![
            format!("{piece}x{captured}"),
            format!("{piece}x{captured}({target})"),
            format!("{origin}x{captured}"),
            format!("{origin}x{captured}({target})"),
        ]
    } else {
        let short = format!("{}{}", short_file_name(m.to().file()), rank.char());
        vec![
            format!("{piece}-{short}"),
            format!("{piece}-{target}"),
            format!("{origin}-{short}"),
            format!("{origin}-{target}"),
        ]
    };
    let mut written = attempts.into_iter().map(|attempt| attempt + &suffix);
    let last = written.next_back().unwrap_or_default();
    written
        .find(|text| means_only(position, text, m))
        .unwrap_or(last)
}

/// Promotion, en passant, check and mate.
fn suffix(position: &Chess, m: Move) -> String {
    let mut next = position.clone();
    next.play_unchecked(m);
    let mut suffix = String::new();
    if let Some(role) = m.promotion() {
        suffix.push('=');
        suffix.push(role.upper_char());
    }
    if m.is_en_passant() {
        suffix.push_str(" e.p.");
    }
    if next.is_checkmate() {
        suffix.push_str(" mate");
    } else if next.is_check() {
        suffix.push_str(" ch");
    }
    suffix
}

fn square_name(square: Square, rank: kibitz_board::Rank) -> String {
    let file = match square.file() {
        File::A => "QR",
        File::B => "QN",
        File::C => "QB",
        File::D => "Q",
        File::E => "K",
        File::F => "KB",
        File::G => "KN",
        File::H => "KR",
    };
    format!("{file}{}", rank.char())
}

fn short_file_name(file: File) -> char {
    let role = match file {
        File::A | File::H => Role::Rook,
        File::B | File::G => Role::Knight,
        File::C | File::F => Role::Bishop,
        File::D => Role::Queen,
        File::E => Role::King,
    };
    role.upper_char()
}
