//! Portable Game Notation: reading and writing collections.
//!
//! [`read_games`] reads a collection as a stream: memory is bounded by the longest game, not by the
//! collection. The priorities of the reader, in order:
//!
//! 1. It never panics and never loses its place, for any input.
//! 2. It yields each game whole or not at all. An illegal, ambiguous or unreadable move, a missing
//!    result or contradictory tags make a game bad; bad games are counted and reported with name,
//!    line and reason, see [`Policy`].
//! 3. It is fast.
//!
//! Comments, annotations and variations are skipped. Text that is not UTF-8 is read as Latin-1, as in
//! the PGN standard (section 4.1). Games may start from a position in the tag `FEN`, in standard chess
//! or Chess960; other variants are bad games.
//!
//! [`write_games`] writes the export format of the standard, which reads back to the same games.

mod error;
mod tee;
mod validate;
mod visitor;
mod write;

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::{self, Chain, Cursor, Read},
};

use pgn_reader::Reader;

pub use error::{BadGame, BadGameReason, ReadError};
use tee::{BufferHandle, TeeReader, count_lines};
use visitor::{Built, GameBuilder};
pub use write::{write_game, write_games};

use crate::Game;

/// Limit of a tag line, in bytes.
const MAX_TAG_LINE: usize = 8192;

/// Limit of the text of a game, in bytes.
const MAX_GAME: usize = 64 << 20;

/// Limit of bad games described in a [`Tally`].
const MAX_REPORTED: usize = 1000;

/// How to treat bad games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// Skip it, and count and report it in the [`Tally`].
    #[default]
    Skip,
    /// End with an error.
    Fail,
}

impl Policy {
    /// The policy that ends at the first bad game.
    pub fn strict() -> Policy {
        Policy::Fail
    }
}

/// Counts of the games read so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of good games.
    pub n_games: u64,
    /// Number of bad games.
    pub n_bad: u64,
    /// Number of bad games for each reason ([`BadGameReason::label`]).
    pub n_bad_by_reason: BTreeMap<&'static str, u64>,
    /// The first thousand bad games.
    pub bad_games: Vec<BadGame>,
    /// Number of good games with a tag read as Latin-1 because it is not UTF-8.
    pub n_latin1: u64,
}

impl Tally {
    /// A report of the bad games, one per line; `None` without bad games.
    pub fn report(&self) -> Option<String> {
        let n_games = self.n_games + self.n_bad;
        let mut text = format!("{} of {n_games} games are bad and left out", self.n_bad);
        for bad in &self.bad_games {
            text.extend(["\n  ", &bad.to_string()]);
        }
        let n_more = self.n_bad - self.bad_games.len() as u64;
        if n_more > 0 {
            let _ = write!(text, "\n  and {n_more} more");
        }
        (self.n_bad > 0).then_some(text)
    }
}

/// Reads the games of a collection as a stream; messages call it `name`.
///
/// # Examples
///
/// ```
/// use kibitz_board::pgn::{Policy, read_games};
///
/// let text = "1. e4 e5 2. Ke2 1-0\n\n1. e4 e5 2. Ke3 1-0\n";
/// let mut games = read_games("two.pgn", text.as_bytes(), Policy::default());
/// assert_eq!(games.by_ref().count(), 1);
/// assert_eq!(games.tally().bad_games[0].to_string(), "two.pgn:3: game 2: illegal move 2. Ke3");
/// ```
pub fn read_games<R: Read>(name: impl Into<String>, reader: R, policy: Policy) -> Collection<R> {
    Collection {
        name: name.into(),
        policy,
        state: State::Unopened(reader),
        line: 1,
        tally: Tally::default(),
    }
}

/// Reads all games of a collection without bad games; messages call it `name`.
///
/// # Errors
/// [`ReadError`] for input that is not PGN, or at the first bad game.
///
/// # Examples
///
/// ```
/// use kibitz_board::pgn::read_all;
///
/// let games = read_all("one.pgn", b"1. e4 e5 1-0\n")?;
/// assert_eq!(games[0].n_plies(), 2);
/// # Ok::<(), kibitz_board::pgn::ReadError>(())
/// ```
pub fn read_all(name: impl Into<String>, bytes: &[u8]) -> Result<Vec<Game>, ReadError> {
    read_games(name, bytes, Policy::strict()).collect()
}

/// Streaming reader of a collection, an iterator over its games; see [`read_games`].
///
/// Fused after an error.
#[derive(Debug)]
pub struct Collection<R> {
    name: String,
    policy: Policy,
    state: State<R>,
    line: u64,
    tally: Tally,
}

/// The state of the reader.
#[derive(Debug)]
enum State<R> {
    Unopened(R),
    Open(Open<R>),
    Ended,
}

/// A collection checked to be text, and its parser.
#[derive(Debug)]
struct Open<R> {
    reader: Reader<TeeReader<Chain<Cursor<Vec<u8>>, R>>>,
    buffered: BufferHandle,
    /// Whether the parser stopped within a game, whose rest must be skipped.
    is_amid_game: bool,
}

/// The next item of a collection.
enum Next {
    Game { game: Box<Game>, is_latin1: bool },
    Bad(BadGame),
    Nothing,
}

impl<R: Read> Collection<R> {
    /// Name of the collection.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// One-based first line of the last game read.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Counts of the games read so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Consumes the reader, and returns the counts.
    pub fn into_tally(self) -> Tally {
        self.tally
    }

    fn io_error(&self, source: io::Error) -> ReadError {
        ReadError::Io {
            name: self.name.clone(),
            line: self.line,
            source,
        }
    }

    /// Checks the first bytes, and sets up the parser.
    fn open(&self, mut reader: R) -> Result<Open<R>, ReadError> {
        let mut head = Vec::new();
        reader
            .by_ref()
            .take(64)
            .read_to_end(&mut head)
            .map_err(|error| self.io_error(error))?;
        if let Some(found) = not_pgn(&head) {
            return Err(ReadError::NotPgn {
                name: self.name.clone(),
                found,
            });
        }
        let (tee, buffered) = TeeReader::new(Cursor::new(head).chain(reader), MAX_GAME);
        let reader = Reader::build(tee)
            .set_supported_tag_line_length(MAX_TAG_LINE)
            .finish();
        Ok(Open {
            reader,
            buffered,
            is_amid_game: false,
        })
    }

    /// Reads the next item; `None` at the end.
    fn read_next(&mut self, open: &mut Open<R>) -> Result<Option<Next>, ReadError> {
        let number = self.tally.n_games + self.tally.n_bad + 1;
        // A fault here lies in the rest of a bad game already reported.
        while let Err(_fault) = open.seek_game() {
            if let Some(failure) = open.buffered.get().take_failure() {
                return Err(self.io_error(failure));
            }
        }
        open.buffered.get().begin_game(open.reader.buffer().len());
        if open.reader.buffer().is_empty() {
            return Ok(None);
        }
        self.line = open.buffered.get().line();
        let visit = match open.reader.read_game(&mut GameBuilder) {
            Ok(Some(visit)) => visit,
            Ok(None) => return Ok(None),
            Err(fault) => {
                if let Some(failure) = open.buffered.get().take_failure() {
                    return Err(self.io_error(failure));
                }
                open.is_amid_game = true;
                Err((parser_fault(&fault), None))
            }
        };
        let buffered = open.buffered.get();
        let text = buffered.game(open.reader.buffer().len());
        let bad = |reason, n_before: usize| {
            Ok(Some(Next::Bad(BadGame {
                name: self.name.clone(),
                line: buffered.line() + count_lines(&text[..n_before]),
                number,
                first_line: self.line,
                reason,
            })))
        };
        if buffered.overflown() {
            return bad(BadGameReason::TooLong { limit: MAX_GAME }, 0);
        }
        // Unreadable text explains the errors after it.
        if let Some(place) = validate::first_unreadable(text) {
            let text = excerpt(&text[place.clone()]);
            return bad(BadGameReason::Unreadable { text }, place.start);
        }
        match visit {
            Ok(Built::Game { game, is_latin1 }) => Ok(Some(Next::Game { game, is_latin1 })),
            Ok(Built::Nothing) => Ok(Some(Next::Nothing)),
            Err((reason, tag)) => {
                let place = tag.and_then(|tag| validate::find_tag(text, tag));
                bad(reason, place.unwrap_or_else(|| text.trim_ascii_end().len()))
            }
        }
    }
}

impl<R: Read> Open<R> {
    /// Seeks the beginning of the next game, past the rest of the current one.
    fn seek_game(&mut self) -> io::Result<()> {
        if self.is_amid_game {
            self.reader.skip_game()?;
            self.is_amid_game = false;
        }
        self.reader.has_more().map(drop)
    }
}

/// Translates an error of the parser.
fn parser_fault(fault: &io::Error) -> BadGameReason {
    // The parser has two errors, distinguished only by their texts.
    if fault.to_string().contains("comment") {
        BadGameReason::UnterminatedComment
    } else {
        BadGameReason::UnterminatedTag {
            limit: MAX_TAG_LINE,
        }
    }
}

/// The beginning of unreadable text, for a message.
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

/// The format of an input that is not PGN, by its first bytes.
fn not_pgn(head: &[u8]) -> Option<&'static str> {
    const KNOWN: [(&[u8], &str); 8] = [
        (
            b"\xff\xfe\0\0",
            "UTF-32 (little-endian) text: convert it to UTF-8",
        ),
        (
            b"\0\0\xfe\xff",
            "UTF-32 (big-endian) text: convert it to UTF-8",
        ),
        (
            b"\xff\xfe",
            "UTF-16 (little-endian) text: convert it to UTF-8",
        ),
        (b"\xfe\xff", "UTF-16 (big-endian) text: convert it to UTF-8"),
        (b"\x28\xb5\x2f\xfd", "zstd-compressed data"),
        (b"\x1f\x8b", "gzip-compressed data: decompress it first"),
        (b"BZh", "bzip2-compressed data: decompress it first"),
        (b"PK\x03\x04", "a zip archive: unpack it first"),
    ];
    if let Some((_, found)) = KNOWN.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Some(found);
    }
    // UTF-16 without a byte order mark, by the zero bytes of ASCII letters.
    let n_zeros_at = |offset: usize| {
        head.iter()
            .skip(offset)
            .step_by(2)
            .filter(|&&byte| byte == 0)
            .count()
    };
    match (n_zeros_at(0), n_zeros_at(1)) {
        (0, 0) => None,
        (0, _) => Some("UTF-16 (little-endian) text: convert it to UTF-8"),
        (_, 0) => Some("UTF-16 (big-endian) text: convert it to UTF-8"),
        _ => Some("binary data"),
    }
}

impl<R: Read> Iterator for Collection<R> {
    type Item = Result<Game, ReadError>;

    fn next(&mut self) -> Option<Result<Game, ReadError>> {
        let mut open = match std::mem::replace(&mut self.state, State::Ended) {
            State::Ended => return None,
            State::Open(open) => open,
            State::Unopened(reader) => match self.open(reader) {
                Ok(open) => open,
                Err(error) => return Some(Err(error)),
            },
        };
        loop {
            match self.read_next(&mut open) {
                Err(error) => return Some(Err(error)),
                Ok(None) => {
                    if self.tally.n_games + self.tally.n_bad > 0 {
                        return None;
                    }
                    return Some(Err(ReadError::Empty {
                        name: self.name.clone(),
                    }));
                }
                Ok(Some(Next::Nothing)) => {}
                Ok(Some(Next::Game { game, is_latin1 })) => {
                    self.tally.n_games += 1;
                    self.tally.n_latin1 += u64::from(is_latin1);
                    self.state = State::Open(open);
                    return Some(Ok(*game));
                }
                Ok(Some(Next::Bad(bad))) => {
                    self.tally.n_bad += 1;
                    *self
                        .tally
                        .n_bad_by_reason
                        .entry(bad.reason.label())
                        .or_default() += 1;
                    if self.policy == Policy::Fail {
                        return Some(Err(bad.into()));
                    }
                    if self.tally.bad_games.len() < MAX_REPORTED {
                        self.tally.bad_games.push(bad);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_all_gives_every_game_or_an_error() {
        let good = "1. e4 e5 1-0\n\n1. d4 d5 0-1\n";
        let games = read_all("good.pgn", good.as_bytes()).unwrap();
        assert_eq!(games.len(), 2);

        let bad = format!("{good}\n1. e4 e5 2. Ke3 1-0\n\n{good}");
        let error = read_all("bad.pgn", bad.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), "bad.pgn:5: game 3: illegal move 2. Ke3");
        assert!(matches!(
            read_all("none.pgn", b""),
            Err(ReadError::Empty { .. })
        ));
    }
}
