//! From a stream of bytes to the texts of its games.
//!
//! A game ends where the next one begins: at a tag that follows moves, at a tag the game already
//! has, or at moves that follow a result. Blank lines alone end nothing, since people leave them
//! among moves and tags; an unclosed comment ends at the next line that is a tag.
//!
//! The text of a game has as many lines as in the collection, its tags before all else, and no
//! blank line among its moves, which the parser would take for its end.

use std::{
    collections::VecDeque,
    io::{self, BufRead, BufReader, Read},
};

use memchr::memchr2;

use super::{
    error::Repair,
    game_text::{GameText, LineOwner, MAX_GAME, MAX_TAG_LINE},
    tag,
};

/// Most lines that are joined to one on which a tag begins.
const MAX_TAG_LINES: usize = 8;

/// The end of a text for CP/M and DOS.
const CTRL_Z: u8 = 0x1a;

/// Cuts a collection into the texts of its games.
#[derive(Debug)]
pub(super) struct Splitter<R> {
    input: BufReader<R>,
    /// The line that is looked at, without its end; empty if there is none.
    line: Vec<u8>,
    /// One-based number of that line.
    number: u64,
    /// Number of lines that `line` was joined of, less one.
    n_joined: u64,
    /// Whether `line` had zero bytes or Ctrl-Z, which are blanks there now.
    had_stray: bool,
    /// Lines after `line` that have been read already, the last of them without its end.
    ahead: VecDeque<(Vec<u8>, bool)>,
    /// Whether `line` holds a line that belongs to no game yet.
    is_pending: bool,
    /// Whether the last line ended with a carriage return, whose line feed may follow.
    ended_with_return: bool,
}

impl<R: Read> Splitter<R> {
    pub(super) fn new(reader: R) -> Self {
        Self {
            input: BufReader::with_capacity(1 << 16, reader),
            line: Vec::new(),
            number: 0,
            n_joined: 0,
            had_stray: false,
            ahead: VecDeque::new(),
            is_pending: false,
            ended_with_return: false,
        }
    }

    /// The text of the next game; `false` at the end of the collection.
    ///
    /// # Errors
    /// Those of the reader.
    pub(super) fn next_game(&mut self, game: &mut GameText) -> io::Result<bool> {
        game.clear();
        let mut stray_before = None;
        while self.is_pending || self.next_line()? {
            if game.text.is_empty() {
                if let Some(line) = self.line.strip_prefix(b"\xef\xbb\xbf") {
                    self.line = line.to_vec();
                }
                if self.line.trim_ascii().is_empty() {
                    if std::mem::take(&mut self.had_stray) {
                        stray_before.get_or_insert(self.number);
                    }
                    self.is_pending = false;
                    continue;
                }
                game.first_line = self.number;
            }
            if !game.is_in_comment() && tag::is_cut(&self.line) && self.n_joined == 0 {
                self.join_tag()?;
            }
            let whose = game.take(&self.line, self.number);
            if !matches!(whose, LineOwner::Next) {
                let stray = std::mem::take(&mut self.had_stray).then_some(self.number);
                let stray = stray_before.take().or(stray);
                game.repairs
                    .extend(stray.map(|line| (Repair::StrayBytes, line)));
            }
            match whose {
                LineOwner::Own => {
                    self.is_pending = false;
                    let n_joined = std::mem::take(&mut self.n_joined);
                    if n_joined > 0 {
                        let n_lines = n_joined + 1;
                        let repair = Repair::TagOverLines { n_lines };
                        game.repairs.push((repair, self.number));
                    }
                    for _ in 0..n_joined {
                        game.push(b"");
                    }
                    self.number += n_joined;
                }
                LineOwner::OwnUpTo(end) => {
                    self.line.drain(..end);
                    self.is_pending = true;
                    break;
                }
                LineOwner::Next => {
                    self.is_pending = true;
                    break;
                }
            }
        }
        if game.text.is_empty() {
            return Ok(false);
        }
        game.end();
        Ok(true)
    }

    /// Joins to the line, with which a tag begins, those with which it ends.
    fn join_tag(&mut self) -> io::Result<()> {
        let mut joined = self.line.trim_ascii_end().to_vec();
        for n_joined in 1..=MAX_TAG_LINES {
            if self.ahead.len() < n_joined {
                let first = std::mem::take(&mut self.line);
                let had_stray = std::mem::take(&mut self.had_stray);
                let has_read = self.read_line()?;
                let next = std::mem::replace(&mut self.line, first);
                let next = (next, std::mem::replace(&mut self.had_stray, had_stray));
                if !has_read {
                    return Ok(());
                }
                self.ahead.push_back(next);
            }
            let next = self.ahead[n_joined - 1].0.trim_ascii();
            let is_tag = next.first() == Some(&b'[') && tag::name(next).is_some();
            if next.is_empty() || is_tag || joined.len() + next.len() > MAX_TAG_LINE {
                return Ok(());
            }
            joined.push(b' ');
            joined.extend_from_slice(next);
            if tag::is_complete(&joined) {
                let had_stray = self.ahead.drain(..n_joined).any(|(_, had_stray)| had_stray);
                self.had_stray |= had_stray;
                (self.line, self.n_joined) = (joined, n_joined as u64);
                return Ok(());
            }
        }
        Ok(())
    }

    /// The next line; `false` at the end.
    fn next_line(&mut self) -> io::Result<bool> {
        let is_there = if let Some(ahead) = self.ahead.pop_front() {
            (self.line, self.had_stray) = ahead;
            true
        } else {
            self.read_line()?
        };
        self.number += u64::from(is_there);
        self.is_pending = is_there;
        Ok(is_there)
    }

    /// Reads a line, which ends with a line feed, a carriage return or both; `false` at the end.
    fn read_line(&mut self) -> io::Result<bool> {
        self.line.clear();
        self.had_stray = false;
        let mut has_read = false;
        loop {
            let bytes = match self.input.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if self.ended_with_return && !bytes.is_empty() {
                self.ended_with_return = false;
                if bytes[0] == b'\n' {
                    self.input.consume(1);
                    continue;
                }
            }
            if bytes.is_empty() {
                break;
            }
            has_read = true;
            let end = memchr2(b'\n', b'\r', bytes);
            let length = end.unwrap_or(bytes.len());
            // More than this makes the game too long in any case.
            let room = (MAX_GAME + 1).saturating_sub(self.line.len());
            self.line.extend_from_slice(&bytes[..length.min(room)]);
            if let Some(end) = end {
                self.ended_with_return = bytes[end] == b'\r';
                self.input.consume(end + 1);
                break;
            }
            self.input.consume(length);
        }
        if memchr2(0, CTRL_Z, &self.line).is_some() {
            self.had_stray = true;
            for byte in &mut self.line {
                if matches!(*byte, 0 | CTRL_Z) {
                    *byte = b' ';
                }
            }
        }
        Ok(has_read)
    }
}
