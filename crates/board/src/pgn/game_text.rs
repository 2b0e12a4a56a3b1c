//! The text of one game, line by line, as the [`Splitter`](super::split::Splitter) gives it.

use memchr::{memchr, memchr2_iter, memchr3};

use super::{
    error::{BadGameReason, Repair},
    result, tag, words,
};

/// Longest text of one game that is read, in bytes.
pub(super) const MAX_GAME: usize = 64 << 20;

/// Longest tag line that is read, in bytes.
pub(super) const MAX_TAG_LINE: usize = 8192;

/// The text of one game.
#[derive(Debug, Default)]
pub(super) struct GameText {
    /// Its lines, each with a line feed.
    pub(super) text: Vec<u8>,
    /// One-based number of its first line in the collection.
    pub(super) first_line: u64,
    /// What makes it a bad game already, with the line.
    pub(super) fault: Option<(BadGameReason, u64)>,
    /// The repairs, with their lines.
    pub(super) repairs: Vec<(Repair, u64)>,
    /// Bytes of the longest line of tags.
    pub(super) tag_line: usize,
    state: State,
}

/// How far the text of a game has been read.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four things that a text shows, in any combination"
)]
struct State {
    /// Names of the tags, and their lines.
    tags: Vec<(Vec<u8>, Vec<u8>)>,
    /// Whether there was anything but tags and comments.
    has_moves: bool,
    /// Whether there was a result.
    has_result: bool,
    /// Whether a blank line or a comment has followed the last tag or move.
    is_apart: bool,
    /// Whether a blank line has.
    is_after_blank: bool,
    /// The line with the brace of a comment that is still open.
    comment: Option<u64>,
    /// Open variations, and the line on which the outermost begins.
    depth: usize,
    variation: u64,
    /// The last number of a move.
    last_number: Option<u32>,
}

impl State {
    /// Whether the game has no tags so far.
    fn is_untagged(&self) -> bool {
        self.tags.is_empty()
    }
}

/// Whose a line is.
pub(super) enum LineOwner {
    /// The game's own.
    Own,
    /// The game's own up to this byte; there the next one begins.
    OwnUpTo(usize),
    /// The first of the next game.
    Next,
}

impl GameText {
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.fault = None;
        self.repairs.clear();
        self.tag_line = 0;
        self.state = State::default();
    }

    /// Whether there is nothing but comments.
    pub(super) fn is_void(&self) -> bool {
        self.state.is_untagged() && !self.state.has_moves
    }

    /// Whether a comment is open.
    pub(super) fn is_in_comment(&self) -> bool {
        self.state.comment.is_some()
    }

    fn fault(&mut self, reason: BadGameReason, line: u64) {
        self.fault.get_or_insert((reason, line));
    }

    /// Adds a line, unless it is the next game's.
    pub(super) fn take(&mut self, line: &[u8], number: u64) -> LineOwner {
        if line.len() > MAX_GAME {
            // What the rest of the line opened or closed is not known.
            self.fault(BadGameReason::TooLong { limit: MAX_GAME }, self.first_line);
            self.state = State {
                has_moves: true,
                has_result: true,
                ..State::default()
            };
            self.push(b"");
            return LineOwner::Own;
        }
        let content = line.trim_ascii();
        let tag = content.first().filter(|&&byte| byte == b'[');
        let tag = tag.and_then(|_| tag::name(content));
        if let Some(begun) = self.state.comment {
            if tag::is_whole(content) {
                self.fault(BadGameReason::UnterminatedComment, begun);
                return LineOwner::Next;
            }
        } else if let Some(name) = tag {
            return self.take_tag(name, content, number);
        }
        if content.is_empty() && self.state.comment.is_none() {
            (self.state.is_apart, self.state.is_after_blank) = (true, true);
            self.push(if self.state.has_moves { b" " } else { b"" });
            return LineOwner::Own;
        }
        self.take_moves(line, number)
    }

    fn take_tag(&mut self, name: &[u8], content: &[u8], number: u64) -> LineOwner {
        let state = &mut self.state;
        let known = state.tags.iter().find(|(known, _)| known == name);
        let begins_game = name == b"Event" && state.is_after_blank && !state.tags.is_empty();
        if state.has_moves || state.is_apart && known.is_some() || begins_game {
            return LineOwner::Next;
        }
        if state.is_apart && !state.tags.is_empty() {
            self.repairs.push((Repair::GapAmongTags, number));
        }
        if known.is_some_and(|(_, line)| line != content) {
            let name = String::from_utf8_lossy(name).into_owned();
            self.repairs.push((Repair::RepeatedTag { name }, number));
        }
        (state.is_apart, state.is_after_blank) = (false, false);
        state.tags.push((name.to_vec(), content.to_vec()));
        let without = tag::without_comments(content);
        if let Some(without) = &without {
            let repair = (Repair::GapAmongTags, number);
            if !self.repairs.contains(&repair) {
                self.repairs.push(repair);
            }
            if without.is_open {
                state.comment = Some(number);
            }
        }
        let content = without.as_ref().map_or(content, |without| &without.tags);
        let repaired = tag::repaired(content);
        if let Some((_, repair)) = &repaired {
            self.repairs.push((repair.clone(), number));
        }
        let line = repaired.as_ref().map_or(content, |(line, _)| line);
        if line.len() > MAX_TAG_LINE {
            let limit = MAX_TAG_LINE;
            self.fault(BadGameReason::UnterminatedTag { limit }, number);
        }
        self.tag_line = self.tag_line.max(line.len() + 1);
        self.push(line);
        LineOwner::Own
    }

    /// Adds a line of comments and moves.
    fn take_moves(&mut self, line: &[u8], number: u64) -> LineOwner {
        if self.state.comment.is_none() && line.starts_with(b"%") {
            self.push(if self.state.has_moves { line } else { b"" });
            return LineOwner::Own;
        }
        let had_moves = self.state.has_moves;
        if had_moves && !self.state.is_apart && self.take_plain(line) {
            return LineOwner::Own;
        }
        let mut at = 0;
        // Where the first word before any move begins: comments before it are left out.
        let mut first_word = None;
        while let Some(&byte) = line.get(at) {
            if self.state.comment.is_some() {
                match memchr(b'}', &line[at..]) {
                    None => break,
                    Some(length) => at += length + 1,
                }
                self.state.comment = None;
                continue;
            }
            match byte {
                b'{' => self.state.comment = Some(number),
                b';' => break,
                b'(' => {
                    if self.state.depth == 0 {
                        self.state.variation = number;
                    }
                    self.state.depth += 1;
                }
                b')' => self.state.depth = self.state.depth.saturating_sub(1),
                // A tag behind a comment among the tags.
                b'[' if !self.state.has_moves && tag::is_whole_prefix(&line[at..]) => {
                    let content = line[at..].trim_ascii();
                    let name = tag::name(content).expect("a tag has a name");
                    self.state.is_apart = true;
                    if let LineOwner::Own = self.take_tag(name, content, number) {
                        return LineOwner::Own;
                    }
                    self.push(b"");
                    return LineOwner::OwnUpTo(at);
                }
                b'[' if tag::is_whole_prefix(&line[at..]) => {
                    self.repairs.push((Repair::TagAmidLine, number));
                    self.push(&line[first_word.unwrap_or(0)..at]);
                    return LineOwner::OwnUpTo(at);
                }
                b' ' | b'\t' => {}
                _ => {
                    let length = line[at..].iter().position(|&byte| ends_word(byte));
                    let word = &line[at..length.map_or(line.len(), |length| at + length.max(1))];
                    // Moves from the first are another game's after a blank line amid a variation,
                    // and after a result where games have no tags.
                    let is_first = || number_of(word) == Some((1, false));
                    let state = &self.state;
                    let is_next = match state.depth {
                        0 => {
                            state.has_result
                                && (state.is_apart || state.is_untagged() && is_first())
                        }
                        _ => state.is_apart && is_first(),
                    };
                    if is_next {
                        if !state.is_apart && !line[..at].trim_ascii().is_empty() {
                            self.repairs.push((Repair::GameAmidLine, number));
                        }
                        self.push(&line[..at]);
                        return LineOwner::OwnUpTo(at);
                    }
                    if self.state.depth == 0 {
                        first_word.get_or_insert(at);
                        self.take_word(word, number);
                    }
                    at += word.len();
                    continue;
                }
            }
            at += 1;
        }
        if !self.state.has_moves {
            self.state.is_apart = true;
            self.push(b"");
            return LineOwner::Own;
        }
        let line = match first_word {
            Some(at) if !had_moves => &line[at..],
            _ => line,
        };
        // The parser takes a bracket at the beginning of a line for a tag.
        if line.starts_with(b"[") {
            self.text.push(b' ');
        }
        self.push(line);
        LineOwner::Own
    }

    /// Adds a line if there are only moves and results on it: most lines of most collections.
    fn take_plain(&mut self, line: &[u8]) -> bool {
        let state = &mut self.state;
        let is_plain = state.comment.is_none()
            && state.depth == 0
            && memchr3(b'{', b'(', b';', line).is_none()
            && memchr(b'[', line).is_none();
        if !is_plain {
            return false;
        }
        let line_end = line.trim_ascii_end();
        let last_word = line_end.rsplit(|&byte| ends_word(byte)).next();
        let last_word = last_word.unwrap_or_default();
        let before = &line_end[..line_end.len() - last_word.len()];
        // The next game may begin behind a result.
        if state.is_untagged() && (state.has_result || has_result(before)) {
            return false;
        }
        state.has_result |= is_result(last_word) || has_result(before);
        let numbers = line.rsplit(|&byte| ends_word(byte)).filter_map(number_of);
        if let Some((last, _)) = { numbers }.next() {
            state.last_number = Some(last);
        }
        self.push(line);
        true
    }

    fn take_word(&mut self, word: &[u8], number: u64) {
        let state = &mut self.state;
        let of_move = number_of(word);
        if state.has_moves && state.is_apart {
            let is_next = of_move.zip(state.last_number);
            let is_next = is_next
                .is_none_or(|((found, is_black), last)| found == last + u32::from(!is_black));
            if is_next {
                self.repairs.push((Repair::BlankLineAmongMoves, number));
            } else {
                let found = String::from_utf8_lossy(word).into_owned();
                self.fault(BadGameReason::MovesOutOfOrder { found }, number);
            }
        } else if !state.has_moves
            && state.tags.is_empty()
            && of_move.is_some_and(|(found, is_black)| found != 1 || is_black)
        {
            let found = String::from_utf8_lossy(word).into_owned();
            self.fault(BadGameReason::MovesOutOfOrder { found }, number);
        }
        let state = &mut self.state;
        (state.is_apart, state.is_after_blank) = (false, false);
        state.has_moves = true;
        state.has_result |= is_result(word);
        if let Some((found, _)) = of_move {
            state.last_number = Some(found);
        }
    }

    pub(super) fn push(&mut self, line: &[u8]) {
        if self.text.len() + line.len() >= MAX_GAME {
            self.fault(BadGameReason::TooLong { limit: MAX_GAME }, self.first_line);
            return;
        }
        self.text.extend_from_slice(line);
        self.text.push(b'\n');
    }

    /// What can be said once the whole text is there.
    pub(super) fn end(&mut self) {
        if let Some(begun) = self.state.comment {
            self.fault(BadGameReason::UnterminatedComment, begun);
        } else if self.state.depth > 0 {
            self.fault(BadGameReason::UnterminatedVariation, self.state.variation);
        }
    }
}

/// Whether a byte ends a word among the moves.
fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'{' | b'}' | b'(' | b')' | b';' | b'[')
}

/// Whether a word is a result, or ends with the sign of an unknown one.
fn is_result(word: &[u8]) -> bool {
    matches!(word, b"1-0" | b"0-1" | b"1/2-1/2" | b"1/2")
        || word.ends_with(b"*")
        || matches!(
            word,
            b"wins" | b"won" | b"resigns" | b"resigned" | b"drawn" | b"draw"
        )
        || word.len() == 3 && str::from_utf8(word).is_ok_and(|word| result::of_word(word).is_some())
        || !word.is_ascii() && words::plain(word).is_some_and(|plain| is_result(plain.as_bytes()))
}

/// Whether a result is somewhere on a line.
fn has_result(line: &[u8]) -> bool {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let may_be_result = |at: usize| {
        line[at] == b'*' || at > 0 && is_digit(line.get(at - 1)) && is_digit(line.get(at + 1))
    };
    (memchr2_iter(b'-', b'*', line).any(may_be_result) || !line.is_ascii())
        && line.split(|&byte| ends_word(byte)).any(is_result)
}

/// The number of a move with which a word begins, and whether it is Black's: `12.`, `12...`.
fn number_of(word: &[u8]) -> Option<(u32, bool)> {
    let n_digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = &word[n_digits..];
    if !rest.starts_with(b".") {
        return None;
    }
    let number = std::str::from_utf8(&word[..n_digits]).ok()?.parse().ok()?;
    Some((number, rest.starts_with(b"..")))
}
