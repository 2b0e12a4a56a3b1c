//! The writer of PGN, in export format.

use std::io::{self, Write};

use shakmaty::{Chess, Color, EnPassantMode, Position, fen::Fen, san::SanPlus};

use crate::{Game, tags::normalize};

/// Limit of a line of moves, in characters (PGN standard, section 8.2.1).
const LINE_LENGTH: usize = 80;

/// Writes games in sequence, with a blank line after the tags and after the moves of each.
///
/// # Errors
///
/// Those of `out`.
pub fn write_games<'a>(
    mut out: impl Write,
    games: impl IntoIterator<Item = &'a Game>,
) -> io::Result<()> {
    for game in games {
        write_game(&mut out, game)?;
    }
    Ok(())
}

/// Writes one game: the seven tags of the standard's roster, the other known tags, the rest, and
/// the moves without comments in lines of at most 80 characters.
///
/// [`read_games`](super::read_games) gives the same game back if the texts of its tags are
/// normalized, as [`Tags::set`](crate::Tags::set) leaves them, and shorter than 8,000 bytes.
///
/// # Errors
///
/// Those of `out`.
///
/// # Examples
///
/// ```
/// use kibitz_board::pgn::{Policy, read_games, write_game};
///
/// let text = "[White \"Loyd\"]\n\n1.f3 {why?} e5 2.g4 Qh4# 0-1";
/// let game = read_games("one", text.as_bytes(), Policy::default()).next().expect("one game")?;
/// let mut pgn = Vec::new();
/// write_game(&mut pgn, &game)?;
/// assert_eq!(String::from_utf8_lossy(&pgn), "\
/// [Event \"?\"]
/// [Site \"?\"]
/// [Date \"????.??.??\"]
/// [Round \"?\"]
/// [White \"Loyd\"]
/// [Black \"?\"]
/// [Result \"0-1\"]
///
/// 1. f3 e5 2. g4 Qh4# 0-1
///
/// ");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_game(mut out: impl Write, game: &Game) -> io::Result<()> {
    write_tags(&mut out, game)?;
    writeln!(out)?;
    write_moves(&mut out, game)?;
    writeln!(out)
}

/// Writes one game with `tags` as they are, and no others; names are taken to be PGN symbols. It reads
/// back as the same game if the tags are those that [`Collection::tags`](super::Collection::tags) gave.
///
/// # Errors
///
/// Those of `out`.
pub fn write_game_as_tagged(
    mut out: impl Write,
    game: &Game,
    tags: &[(String, String)],
) -> io::Result<()> {
    for (name, value) in tags {
        write_tag(&mut out, name, value)?;
    }
    if !tags.is_empty() {
        writeln!(out)?;
    }
    write_moves(&mut out, game)?;
    writeln!(out)
}

fn write_tags(out: &mut impl Write, game: &Game) -> io::Result<()> {
    let tags = game.tags();
    let or_unknown = |text: &str| match normalize(text) {
        text if text.is_empty() => "?".to_owned(),
        text => text,
    };
    write_tag(out, "Event", &or_unknown(&tags.event))?;
    write_tag(out, "Site", &or_unknown(&tags.site))?;
    write_tag(out, "Date", &tags.date.to_string())?;
    write_tag(out, "Round", &or_unknown(&tags.round))?;
    write_tag(out, "White", &or_unknown(&tags.white))?;
    write_tag(out, "Black", &or_unknown(&tags.black))?;
    write_tag(out, "Result", game.outcome().as_str())?;
    for (name, elo) in [("WhiteElo", tags.white_elo), ("BlackElo", tags.black_elo)] {
        if let Some(elo) = elo {
            write_tag(out, name, &elo.to_string())?;
        }
    }
    if !tags.eco.is_empty() {
        write_tag(out, "ECO", &normalize(&tags.eco))?;
    }
    for (name, value) in tags.other() {
        write_tag(out, name, value)?;
    }
    if !game.castling_mode().is_standard() {
        write_tag(out, "Variant", "Chess960")?;
    }
    if !game.starts_normally() {
        write_tag(out, "SetUp", "1")?;
        let fen = Fen::from_position(game.start(), EnPassantMode::Legal);
        write_tag(out, "FEN", &fen.to_string())?;
    }
    Ok(())
}

fn write_tag(out: &mut impl Write, name: &str, value: &str) -> io::Result<()> {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
    writeln!(out, "[{name} \"{value}\"]")
}

/// The move text: numbers, moves and the result.
fn write_moves(out: &mut impl Write, game: &Game) -> io::Result<()> {
    let mut column = 0;
    let mut write_word = |word: &str| {
        let separator = match column {
            0 => "",
            column if column + 1 + word.len() > LINE_LENGTH => "\n",
            _ => " ",
        };
        column = match separator {
            " " => column + 1 + word.len(),
            _ => word.len(),
        };
        write!(out, "{separator}{word}")
    };
    let mut position: Chess = game.start().clone();
    for (ply, &m) in game.moves().iter().enumerate() {
        let number = position.fullmoves();
        match position.turn() {
            Color::White => write_word(&format!("{number}."))?,
            Color::Black if ply == 0 => write_word(&format!("{number}..."))?,
            Color::Black => {}
        }
        write_word(&SanPlus::from_move_and_play_unchecked(&mut position, m).to_string())?;
    }
    write_word(game.outcome().as_str())?;
    writeln!(out)
}
