//! Portable Game Notation: reading and writing collections.
//!
//! [`read_games`] reads a collection as a stream: memory is bounded by the longest game, not by the
//! collection. The priorities of the reader, in order:
//!
//! 1. It never panics and never loses its place, for any input.
//! 2. It yields each game whole or not at all. An illegal, ambiguous or unreadable move, a missing
//!    result or contradictory tags make a game bad; bad games are counted and reported with name,
//!    line and reason, see [`Policy`].
//! 3. It reads departures from the standard that have one meaning, and counts and reports each such
//!    [`Repair`]; [`Collection::refusing_repairs`] makes these games bad.
//! 4. It is fast.
//!
//! Comments, annotations and variations are skipped; [`Collection::comments`] gives the comments. Tags
//! that are not UTF-8 are read as Windows-1252, which is Latin-1 (PGN standard, section 4.1) with
//! letters for control characters, and count as repairs. Games may start from a position in the tag
//! `FEN`, in standard chess or Chess960; other variants are bad games.
//!
//! [`write_games`] writes the export format of the standard, which reads back to the same games.

mod error;
mod game_text;
mod parse;
mod result;
mod spelling;
mod split;
mod tag;
mod validate;
mod visitor;
mod words;
mod write;

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::{self, Chain, Cursor, Read},
};

pub use error::{BadGame, BadGameReason, ReadError, Repair, RepairedGame};
use game_text::GameText;
use kibitz_text::FileFormat;
use parse::{ParsedGame, parse};
use split::Splitter;
pub use write::{write_game, write_game_as_tagged, write_games};

use crate::Game;

/// Limits of bad games and of repairs described in a [`Tally`].
const MAX_REPORTED: usize = 1000;

/// Limits of them in a short report.
const MAX_SHOWN: usize = 8;

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
    /// Number of good games with repairs.
    pub n_repaired: u64,
    /// Number of repairs of each kind ([`Repair::label`]).
    pub n_repairs_by_kind: BTreeMap<&'static str, u64>,
    /// The first thousand repairs.
    pub repairs: Vec<RepairedGame>,
    /// Number of good games with a tag read as Windows-1252 because it is not UTF-8.
    pub n_windows1252: u64,
}

impl Tally {
    /// Counts the repairs of one good game, each with its line.
    fn count_repairs(&mut self, name: &str, number: u64, repairs: Vec<(Repair, u64)>) {
        self.n_repaired += u64::from(!repairs.is_empty());
        for (repair, line) in repairs {
            *self.n_repairs_by_kind.entry(repair.label()).or_default() += 1;
            if self.repairs.len() < MAX_REPORTED {
                self.repairs.push(RepairedGame {
                    name: name.to_owned(),
                    line,
                    number,
                    repair,
                });
            }
        }
    }

    /// Counts a bad game.
    fn count_bad(&mut self, bad: &BadGame) {
        self.n_bad += 1;
        *self.n_bad_by_reason.entry(bad.reason.label()).or_default() += 1;
        if self.bad_games.len() < MAX_REPORTED {
            self.bad_games.push(bad.clone());
        }
    }
}

impl Tally {
    /// A report of the first eight bad games and repairs, one per line; `None` without any.
    pub fn report(&self) -> Option<String> {
        self.report_of(MAX_SHOWN)
    }

    /// A report of the first thousand bad games and repairs, one per line; `None` without any.
    pub fn full_report(&self) -> Option<String> {
        self.report_of(MAX_REPORTED)
    }

    fn report_of(&self, n_most: usize) -> Option<String> {
        let n_games = self.n_games + self.n_bad;
        let games = if n_games == 1 { "game" } else { "games" };
        let of_games = |n: u64| {
            let verb = if n == 1 { "is" } else { "are" };
            format!("{n} of {n_games} {games} {verb}")
        };
        let listed = |headline: String, lines: Vec<String>, n: u64| {
            let mut text = headline;
            let n_more = n - lines.len() as u64;
            for line in lines {
                text.extend(["\n  ", &line]);
            }
            if n_more > 0 {
                let _ = write!(text, "\n  and {n_more} more");
            }
            (n > 0).then_some(text)
        };
        let bad = self.bad_games.iter().take(n_most);
        let repairs = self.repairs.iter().take(n_most);
        let bad = listed(
            format!("{} bad and left out", of_games(self.n_bad)),
            bad.map(BadGame::to_string).collect(),
            self.n_bad,
        );
        let repaired = listed(
            format!("{} read with repairs", of_games(self.n_repaired)),
            repairs.map(RepairedGame::to_string).collect(),
            self.n_repairs_by_kind.values().sum(),
        );
        let parts: Vec<String> = bad.into_iter().chain(repaired).collect();
        (!parts.is_empty()).then(|| parts.join("\n"))
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
        refuses_repairs: false,
        state: State::Unopened(reader),
        text: GameText::default(),
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
    refuses_repairs: bool,
    state: State<R>,
    /// The text of the last game read.
    text: GameText,
    tally: Tally,
}

/// A reader that begins with bytes already taken from it.
type RewoundReader<R> = Chain<Cursor<Vec<u8>>, R>;

/// The state of the reader.
#[derive(Debug)]
enum State<R> {
    Unopened(R),
    Open(Splitter<RewoundReader<R>>),
    Ended,
}

impl<R: Read> Collection<R> {
    /// Treats games that need repairs as bad.
    #[must_use]
    pub fn refusing_repairs(mut self) -> Self {
        self.refuses_repairs = true;
        self
    }

    /// Name of the collection.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// One-based first line of the last game read.
    pub fn line(&self) -> u64 {
        self.text.first_line.max(1)
    }

    /// The tags of the last game read, in their order and with their values as they are written:
    /// empty, unknown and repeated ones, too, where [`Tags`](crate::Tags) has the meaning alone.
    ///
    /// # Examples
    /// ```
    /// use kibitz_board::pgn::{Policy, read_games};
    ///
    /// let text = "[White \"-\"]\n[WhiteElo \"\"]\n\n1. e4 *\n";
    /// let mut games = read_games("one", text.as_bytes(), Policy::default());
    /// let game = games.next().expect("there is a game")?;
    /// assert_eq!((game.tags().white.as_str(), game.tags().white_elo), ("", None));
    /// let tags = [("White", "-"), ("WhiteElo", "")];
    /// assert_eq!(games.tags(), tags.map(|(name, value)| (name.to_owned(), value.to_owned())));
    /// # Ok::<(), kibitz_board::pgn::ReadError>(())
    /// ```
    pub fn tags(&self) -> Vec<(String, String)> {
        parse::tags(&self.text.text, self.text.tag_line)
    }

    /// The comments among the moves of the last game read, in braces or from a semicolon to the end of
    /// the line, in order, each with the number of moves before it. Those in variations, and those
    /// before the first move, are left out.
    ///
    /// # Examples
    /// ```
    /// use kibitz_board::pgn::{Policy, read_games};
    ///
    /// let text = "1. e4 { [%eval 0.3] } 1... e5 (1... c5 { sharp }) 2. Nf3 { calm } *\n";
    /// let mut games = read_games("one", text.as_bytes(), Policy::default());
    /// assert!(games.next().is_some_and(|game| game.is_ok()));
    /// let found = [(1, " [%eval 0.3] "), (3, " calm ")];
    /// assert_eq!(games.comments(), found.map(|(n_moves, text)| (n_moves, text.to_owned())));
    /// ```
    pub fn comments(&self) -> Vec<(usize, String)> {
        parse::comments(&self.text.text)
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
            line: self.line(),
            source,
        }
    }

    /// Checks the first bytes, and sets up the splitter.
    fn open(&self, mut reader: R) -> Result<Splitter<RewoundReader<R>>, ReadError> {
        let mut head = Vec::new();
        reader
            .by_ref()
            .take(FileFormat::HEAD)
            .read_to_end(&mut head)
            .map_err(|error| self.io_error(error))?;
        if let Some(found) = FileFormat::of(&head) {
            return Err(ReadError::NotPgn {
                name: self.name.clone(),
                found,
            });
        }
        Ok(Splitter::new(Cursor::new(head).chain(reader)))
    }

    /// Reads the text of the next game, past mere comments; `false` at the end.
    fn read_text(&mut self, splitter: &mut Splitter<RewoundReader<R>>) -> Result<bool, ReadError> {
        loop {
            match splitter.next_game(&mut self.text) {
                Ok(false) => return Ok(false),
                Ok(true) if self.text.is_void() && self.text.fault.is_none() => {}
                Ok(true) => return Ok(true),
                Err(error) => return Err(self.io_error(error)),
            }
        }
    }

    /// Parses the present text, and counts the game as good or bad.
    fn game(&mut self) -> Result<Game, BadGame> {
        let game = self.read_game();
        match &game {
            Ok(_) => self.tally.n_games += 1,
            Err(bad) => self.tally.count_bad(bad),
        }
        game
    }

    fn read_game(&mut self) -> Result<Game, BadGame> {
        let number = self.tally.n_games + self.tally.n_bad + 1;
        let first_line = self.text.first_line;
        let bad = |reason, line| BadGame {
            name: self.name.clone(),
            line,
            number,
            first_line,
            reason,
        };
        if let Some((reason, line)) = &self.text.fault {
            return Err(bad(reason.clone(), *line));
        }
        let parsed = parse(&self.text.text, self.text.tag_line);
        let ParsedGame {
            built,
            repairs,
            respelled,
        } = parsed.map_err(|(reason, n_before)| bad(reason, first_line + n_before))?;
        // For `comments`: its moves are counted there.
        if let Some(respelled) = respelled {
            self.text.text = respelled;
        }
        let within = repairs.into_iter();
        let within = within.map(|(repair, n_before)| (repair, first_line + n_before));
        let mut repairs: Vec<_> = self.text.repairs.drain(..).chain(within).collect();
        repairs.sort_by_key(|(_, line)| *line);
        if self.refuses_repairs
            && let Some((repair, line)) = repairs.first()
        {
            return Err(bad(BadGameReason::NotStandard(repair.clone()), *line));
        }
        let is_windows1252 = |(repair, _): &_| matches!(repair, Repair::Windows1252 { .. });
        self.tally.n_windows1252 += u64::from(repairs.iter().any(is_windows1252));
        self.tally.count_repairs(&self.name, number, repairs);
        Ok(*built.game)
    }
}

impl<R: Read> Iterator for Collection<R> {
    type Item = Result<Game, ReadError>;

    fn next(&mut self) -> Option<Result<Game, ReadError>> {
        let mut splitter = match std::mem::replace(&mut self.state, State::Ended) {
            State::Ended => return None,
            State::Open(splitter) => splitter,
            State::Unopened(reader) => match self.open(reader) {
                Ok(splitter) => splitter,
                Err(error) => return Some(Err(error)),
            },
        };
        loop {
            match self.read_text(&mut splitter) {
                Err(error) => return Some(Err(error)),
                Ok(false) if self.tally.n_games + self.tally.n_bad > 0 => return None,
                Ok(false) => {
                    let name = self.name.clone();
                    return Some(Err(ReadError::Empty { name }));
                }
                Ok(true) => match self.game() {
                    Ok(game) => {
                        self.state = State::Open(splitter);
                        return Some(Ok(game));
                    }
                    Err(bad) if self.policy == Policy::Fail => return Some(Err(bad.into())),
                    Err(_) => {}
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Moves that had to be respelled are counted, and a long comment is not cut into pieces.
    #[test]
    fn comments_follow_the_moves_of_the_game() {
        let long = "é".repeat(300);
        let text = format!("1. e2-e4 e5 {{{long}}} 2. Ng1f3!! {{b}} *\n\n1. d4 *\n");
        let mut games = read_games("odd", text.as_bytes(), Policy::strict());
        assert_eq!(games.next().unwrap().unwrap().n_plies(), 3);
        assert_eq!(games.comments(), [(2, long), (3, "b".to_owned())]);
        assert_eq!(games.next().unwrap().unwrap().n_plies(), 1);
        assert_eq!(games.comments(), []);
    }

    /// A report of one game is in the singular.
    #[test]
    fn a_report_agrees_in_number_with_its_games() {
        let (bad, good) = ("1. Ke3 *\n\n", "1. e4 *\n\n");
        for (text, headline) in [
            (bad.to_owned(), "1 of 1 game is bad and left out"),
            (format!("{bad}{good}"), "1 of 2 games is bad and left out"),
            (bad.repeat(2), "2 of 2 games are bad and left out"),
        ] {
            let mut games = read_games("odd", text.as_bytes(), Policy::Skip);
            assert!(games.by_ref().all(|game| game.is_ok()));
            let report = games.tally().report().expect("a bad game");
            assert_eq!(report.lines().next(), Some(headline));
        }
    }

    /// Lists end with the number of what they leave out.
    #[test]
    fn a_report_is_of_whole_lines() {
        let text = "1. Ke3 *\n\n".repeat(30) + &"1. e4 e5+ 2. d4# $ *\n\n".repeat(3);
        let mut games = read_games("odd", text.as_bytes(), Policy::Skip);
        assert_eq!(games.by_ref().count(), 3);
        let report = games.tally().report().expect("bad games");
        let lines: Vec<&str> = report.lines().collect();
        assert_eq!(lines.len(), 1 + 8 + 1 + 1 + 8 + 1);
        assert_eq!(lines[8], "  odd:15: game 8: illegal move 1. Ke3");
        assert_eq!((lines[9], lines[19]), ("  and 22 more", "  and 1 more"));
        let full = games.tally().full_report().expect("bad games");
        assert_eq!(full.lines().count(), 1 + 30 + 1 + 9);
    }

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
