//! From the text of one game to the game: parsed, looked at again, and repaired where that helps.

use memchr::memchr_iter;
use pgn_reader::Reader;
use shakmaty::{Color, Position};

use super::{
    error::{BadGameReason, Repair},
    spelling, validate,
    visitor::{GameBuilder, TagCollector, VisitedGame, decode},
    words,
};
use crate::Game;

/// A game and the repairs that reading it took, each with the number of line ends before it.
#[derive(Debug)]
pub(super) struct ParsedGame {
    pub(super) built: VisitedGame,
    pub(super) repairs: Vec<(Repair, u64)>,
    /// The text with its words spelled as in the standard, if it had to be.
    pub(super) respelled: Option<Vec<u8>>,
}

/// What is wrong with a text, with the number of line ends before the place.
pub(super) type TextFault = (BadGameReason, u64);

/// The game of a text whose longest tag line has `tag_line` bytes; a text that cannot be read is
/// tried again with its moves and results spelled as the standard has them.
///
/// # Errors
/// What is wrong with the text as it stands.
pub(super) fn parse(text: &[u8], tag_line: usize) -> Result<ParsedGame, TextFault> {
    let as_written = parse_standard(text, tag_line);
    let may_be_spelling = match &as_written {
        Err((reason, _)) => matches!(
            reason,
            BadGameReason::Unreadable { .. }
                | BadGameReason::IllegalMove { .. }
                | BadGameReason::NoResult
        ),
        Ok(parsed) => parsed
            .repairs
            .iter()
            .any(|(repair, _)| matches!(repair, Repair::ResultOfTag(_) | Repair::NoResult)),
    };
    let respelled = may_be_spelling.then(|| parse_respelled(text, tag_line));
    respelled.flatten().map_or(as_written, Ok)
}

/// The game of a text whose words are not spelled as in the standard; `None` if they are, or if that
/// does not help.
fn parse_respelled(text: &[u8], tag_line: usize) -> Option<ParsedGame> {
    let (standard, respelled_words) = spelling::respelled(text)?;
    let mut parsed = parse_standard(&standard, tag_line).ok()?;
    parsed
        .repairs
        .extend(respelled_words.into_iter().map(|word| {
            let line = count_lines(&text[..word.offset]);
            let (found, read) = (word.found, word.read);
            (Repair::Spelling { found, read }, line)
        }));
    parsed.respelled = Some(standard);
    Some(parsed)
}

fn parse_standard(text: &[u8], tag_line: usize) -> Result<ParsedGame, TextFault> {
    let mut rest = text;
    let mut reader = Reader::build(&mut rest)
        .set_supported_tag_line_length(tag_line)
        .finish();
    let visit = match reader.read_game(&mut GameBuilder) {
        Ok(Some(visit)) => visit,
        // Tags and comments that do not end have been found before.
        Ok(None) | Err(_) => Err((BadGameReason::NoResult, None)),
    };
    let n_ahead = reader.buffer().len();
    let end = text.len() - n_ahead - rest.len();
    let start = visit.as_ref().ok().map(|built| first_move(&built.game));
    let repairs_of_words = match validate::check(&text[..end], start) {
        Ok(repairs) => repairs,
        // What could not be read explains what is wrong after it.
        Err(place) => {
            let line = count_lines(&text[..place.start]);
            let is_null_move = words::is_null_move(&text[place.clone()]);
            let text = excerpt(&text[place]);
            let reason = if is_null_move {
                BadGameReason::NullMove { written: text }
            } else {
                BadGameReason::Unreadable { text }
            };
            return Err((reason, line));
        }
    };
    match visit {
        Ok(mut built) => {
            let last = count_lines(text[..end].trim_ascii_end());
            let repairs = std::mem::take(&mut built.repairs).into_iter();
            let repairs = repairs.map(|repair| {
                let tag = repair.tag().and_then(|tag| validate::find_tag(text, tag));
                let line = tag.map_or(last, |offset| count_lines(&text[..offset]));
                (repair, line)
            });
            let of_words = repairs_of_words.into_iter();
            let of_words = of_words.chain(at_moves(&text[..end], &mut built.repairs_of_moves));
            let of_words = of_words.map(|(repair, at)| (repair, count_lines(&text[..at])));
            Ok(ParsedGame {
                repairs: repairs.chain(of_words).collect(),
                respelled: None,
                built,
            })
        }
        Err((reason, tag)) => {
            let place = tag.and_then(|tag| validate::find_tag(text, tag));
            let place = place.unwrap_or_else(|| text[..end].trim_ascii_end().len());
            Err((reason, count_lines(&text[..place])))
        }
    }
}

/// Repairs of moves, with the offsets of these moves in place of their numbers.
fn at_moves(text: &[u8], repairs: &mut Vec<(Repair, usize)>) -> Vec<(Repair, usize)> {
    if repairs.is_empty() {
        return Vec::new();
    }
    let offsets: Vec<usize> = words::moves(text).collect();
    let offset = |ply: usize| offsets.get(ply).copied().unwrap_or(text.len());
    let repairs = std::mem::take(repairs).into_iter();
    repairs.map(|(repair, ply)| (repair, offset(ply))).collect()
}

/// The move with which the moves of a game begin.
fn first_move(game: &Game) -> validate::Start {
    let start = game.start();
    validate::Start {
        number: start.fullmoves().get(),
        is_black: start.turn() == Color::Black,
        is_initial: game.starts_normally(),
    }
}

/// The tags of the text of a game as they are written, in order.
pub(super) fn tags(text: &[u8], tag_line: usize) -> Vec<(String, String)> {
    let reader = Reader::build(text).set_supported_tag_line_length(tag_line);
    let read = reader.finish().read_game(&mut TagCollector);
    read.ok().flatten().unwrap_or_default()
}

/// The comments of the main line of the text of a game, each with the number of moves before it.
pub(super) fn comments(text: &[u8]) -> Vec<(usize, String)> {
    let comments = words::comments(text);
    let comments = comments.map(|(n_moves, text)| (n_moves, decode(text).0.into_owned()));
    comments.collect()
}

/// Number of line ends in `bytes`.
fn count_lines(bytes: &[u8]) -> u64 {
    memchr_iter(b'\n', bytes).count() as u64
}

/// The beginning of something unreadable, for a message.
fn excerpt(bytes: &[u8]) -> String {
    const LENGTH: usize = 20;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * LENGTH)]);
    let mut excerpt: String = text
        .chars()
        .take(LENGTH)
        .flat_map(char::escape_debug)
        .collect();
    if text.chars().count() > LENGTH {
        excerpt.push('…');
    }
    excerpt
}
