//! Portable Game Notation: reading and writing collections.
//!
//! [`read_games`] reads a collection as a stream: memory is bounded by the longest game, not by
//! the collection. In order of priority the reader
//!
//! 1. never panics and never reads on in the wrong place, whatever the bytes;
//! 2. gives each game whole or not at all: a move that is illegal, ambiguous or unreadable, a
//!    missing result or contradictory tags make the game bad, and a bad game is counted and
//!    reported with name, line and reason, see [`Policy`];
//! 3. is fast.
//!
//! Comments, annotations and variations are passed over. Text that is no UTF-8 is read as
//! Latin-1, as the PGN standard (section 4.1) has it. Games may start from a position given by
//! the tag `FEN`, in standard chess or Chess960; other variants are bad games.
//!
//! [`write_games`] writes the export format of the standard, and reading it gives the same games.

mod audit;
mod error;
mod tap;
mod visitor;
mod write;

use std::{
    collections::BTreeMap,
    io::{self, Chain, Cursor, Read},
};

use pgn_reader::Reader;

pub use error::{BadGame, BadGameReason, ReadError};
use tap::{Tap, TapeHandle, count_lines};
use visitor::{Built, GameBuilder};
pub use write::{write_game, write_games};

use crate::Game;

/// Longest tag line that is read, in bytes.
const MAX_TAG_LINE: usize = 8192;

/// Longest text of one game that is read, in bytes.
const MAX_GAME: usize = 64 << 20;

/// Most bad games of which a [`Tally`] keeps the particulars.
const MAX_REPORTED: usize = 1000;

/// What to do with bad games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// Skip it, and count and report it in the [`Tally`].
    #[default]
    Skip,
    /// End with an error.
    Fail,
}

impl Policy {
    /// The policy to end at the first bad game.
    pub fn strict() -> Policy {
        Policy::Fail
    }
}

/// What has been read so far.
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
    /// Number of good games with a tag that was no UTF-8 and was read as Latin-1.
    pub n_latin1: u64,
}

/// Reads the games of a collection, one after the other; `name` stands for it in messages.
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

/// A collection that is being read: an iterator over its games, see [`read_games`].
///
/// After an error the iterator is at its end.
#[derive(Debug)]
pub struct Collection<R> {
    name: String,
    policy: Policy,
    state: State<R>,
    line: u64,
    tally: Tally,
}

/// How far a collection has been read.
#[derive(Debug)]
enum State<R> {
    Unopened(R),
    Open(Open<R>),
    Ended,
}

/// A collection whose first bytes have been looked at.
#[derive(Debug)]
struct Open<R> {
    reader: Reader<Tap<Chain<Cursor<Vec<u8>>, R>>>,
    tape: TapeHandle,
    /// Whether the parser gave up amid a game, so that its rest has to be passed over.
    is_amid_game: bool,
}

/// What stands next in a collection.
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

    /// One-based line at which the game that was read last begins.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// What has been read so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Gives up the collection for what has been read.
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

    /// Looks at the first bytes.
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
        let (tap, tape) = Tap::new(Cursor::new(head).chain(reader), MAX_GAME);
        let reader = Reader::build(tap)
            .set_supported_tag_line_length(MAX_TAG_LINE)
            .finish();
        Ok(Open {
            reader,
            tape,
            is_amid_game: false,
        })
    }

    /// Reads what stands next in `open`, or nothing at the end.
    fn read_next(&mut self, open: &mut Open<R>) -> Result<Option<Next>, ReadError> {
        let number = self.tally.n_games + self.tally.n_bad + 1;
        // A fault here lies in the rest of a bad game that has been reported.
        while let Err(_fault) = open.seek_game() {
            if let Some(failure) = open.tape.get().take_failure() {
                return Err(self.io_error(failure));
            }
        }
        open.tape.get().begin_game(open.reader.buffer().len());
        if open.reader.buffer().is_empty() {
            return Ok(None);
        }
        self.line = open.tape.get().line();
        let visit = match open.reader.read_game(&mut GameBuilder) {
            Ok(Some(visit)) => visit,
            Ok(None) => return Ok(None),
            Err(fault) => {
                if let Some(failure) = open.tape.get().take_failure() {
                    return Err(self.io_error(failure));
                }
                open.is_amid_game = true;
                Err((parser_fault(&fault), None))
            }
        };
        let tape = open.tape.get();
        let text = tape.game(open.reader.buffer().len());
        let bad = |reason, n_before: usize| {
            Ok(Some(Next::Bad(BadGame {
                name: self.name.clone(),
                line: tape.line() + count_lines(&text[..n_before]),
                number,
                first_line: self.line,
                reason,
            })))
        };
        if tape.overflown() {
            return bad(BadGameReason::TooLong { limit: MAX_GAME }, 0);
        }
        // What could not be read explains what is wrong after it.
        if let Some(place) = audit::first_unreadable(text) {
            let text = excerpt(&text[place.clone()]);
            return bad(BadGameReason::Unreadable { text }, place.start);
        }
        match visit {
            Ok(Built::Game { game, is_latin1 }) => Ok(Some(Next::Game { game, is_latin1 })),
            Ok(Built::Nothing) => Ok(Some(Next::Nothing)),
            Err((reason, tag)) => {
                let place = tag.and_then(|tag| audit::find_tag(text, tag));
                bad(reason, place.unwrap_or_else(|| text.trim_ascii_end().len()))
            }
        }
    }
}

impl<R: Read> Open<R> {
    /// Goes to the beginning of the next game, past the rest of the one before.
    fn seek_game(&mut self) -> io::Result<()> {
        if self.is_amid_game {
            self.reader.skip_game()?;
            self.is_amid_game = false;
        }
        self.reader.has_more().map(drop)
    }
}

/// What made the parser give up.
fn parser_fault(fault: &io::Error) -> BadGameReason {
    // The parser knows two faults, and only their texts tell them apart.
    if fault.to_string().contains("comment") {
        BadGameReason::UnterminatedComment
    } else {
        BadGameReason::UnterminatedTag {
            limit: MAX_TAG_LINE,
        }
    }
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

/// What the first bytes of an input are if not PGN.
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
    // Without a byte order mark, the zero bytes of ASCII letters give UTF-16 away.
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
