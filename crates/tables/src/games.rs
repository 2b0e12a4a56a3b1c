//! Rows that are chess games, as PGN text.
//!
//! The official Lichess set is a folder of Parquet files, `data/year=YYYY/month=MM/`, with one row
//! a game: tags are columns, and the moves stand as text in the column `movetext`. Such files are
//! read as a stream of PGN, so that whatever reads a collection reads them without a copy, and with
//! the same counts of good, repaired and bad games. A row is one game, whatever its `movetext` holds;
//! its number is that of the game.

use std::{collections::VecDeque, fmt::Write as _, io, io::Read, sync::Arc};

use kibitz_experiment::{DataFile, DataPart};

use crate::{Layout, Table, TableError, parquet::ParquetFile};

/// The column with the moves.
pub const MOVES: &str = "movetext";

/// Rows whose text is written at once.
const ROWS: usize = 256;

/// Whether the rows of a data file are games: it is Parquet with a column [`MOVES`].
///
/// # Errors
/// [`TableError`] if a file cannot be read.
pub fn is_rows_of_games(file: &DataFile) -> Result<bool, TableError> {
    if !is_parquet(file)? {
        return Ok(false);
    }
    let columns = Table::open(file, Layout::default())?.columns()?;
    Ok(columns.iter().any(|column| column.name == MOVES))
}

/// Whether all files are Parquet.
fn is_parquet(file: &DataFile) -> Result<bool, TableError> {
    for part in file.parts() {
        let mut head = Vec::new();
        let reader = part
            .open()
            .map_err(|error| TableError::Data(error.to_string()))?;
        let read = reader.take(4).read_to_end(&mut head);
        read.map_err(|error| TableError::io(&part.name, &error))?;
        if head != b"PAR1" {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A reader of a collection as PGN text, perhaps compressed: the file itself, or what its rows hold.
///
/// # Errors
/// [`TableError`] if it cannot be opened, or is a folder of other files.
pub fn open(file: &DataFile) -> Result<Box<dyn Read + Send>, TableError> {
    if !is_parquet(file)? {
        return file
            .open()
            .map_err(|error| TableError::Data(error.to_string()));
    }
    Ok(Box::new(RowReader {
        entry: file.entry().to_owned(),
        parts: file.parts().into(),
        group: None,
        text: Vec::new(),
        at: 0,
    }))
}

/// The PGN text of the rows of several files.
struct RowReader {
    entry: String,
    parts: VecDeque<DataPart>,
    /// What is being read.
    group: Option<Group>,
    text: Vec<u8>,
    /// How much of the text has been given.
    at: usize,
}

/// A file and one of its row groups.
struct Group {
    file: ParquetFile,
    /// The number of the group to be read next.
    next: usize,
    tags: Vec<(String, Texts)>,
    moves: Texts,
    /// Rows of the group that have been written.
    n_written: usize,
}

type Texts = Vec<Option<Arc<str>>>;

impl Group {
    fn open(name: &str, part: &DataPart) -> Result<Self, TableError> {
        Ok(Self {
            file: ParquetFile::open(name, part)?,
            next: 0,
            tags: Vec::new(),
            moves: Vec::new(),
            n_written: 0,
        })
    }

    /// Reads the next row group; `false` if there is none.
    fn advance(&mut self, name: &str) -> Result<bool, TableError> {
        (self.tags, self.moves, self.n_written) = (Vec::new(), Vec::new(), 0);
        if self.next == self.file.n_groups() {
            return Ok(false);
        }
        let columns = self.file.columns();
        let is_there = |wanted: &str| columns.iter().any(|column| column.name == wanted);
        if !is_there(MOVES) {
            return Err(TableError::Missing {
                file: name.to_owned(),
                column: MOVES.to_owned(),
                known: self.file.names(),
            });
        }
        let has_date = is_there("Date");
        for (at, column) in columns.iter().enumerate() {
            let is_tag = !column.name.is_empty()
                && column
                    .name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            if column.found.of().is_none() || !is_tag {
                continue;
            }
            let texts = self.file.texts(self.next, at)?;
            if column.name == MOVES {
                self.moves = texts;
            } else {
                if column.name == "UTCDate" && !has_date {
                    self.tags.push(("Date".to_owned(), texts.clone()));
                }
                self.tags.push((column.name.clone(), texts));
            }
        }
        self.next += 1;
        Ok(true)
    }

    /// Writes some rows; `false` if none is left.
    fn write(&mut self, text: &mut Vec<u8>) -> bool {
        let end = self.moves.len().min(self.n_written + ROWS);
        let mut pgn = String::new();
        for row in self.n_written..end {
            let tags = self.tags.iter();
            let tags =
                tags.filter_map(|(name, texts)| Some((name.as_str(), texts.get(row)?.as_deref()?)));
            write_game(&mut pgn, tags, self.moves[row].as_deref());
            // Nobody needs it twice.
            self.moves[row] = None;
        }
        let is_more = end > self.n_written;
        self.n_written = end;
        text.extend_from_slice(pgn.as_bytes());
        is_more
    }
}

impl RowReader {
    /// Writes text of further rows; `false` at the end.
    fn fill(&mut self) -> Result<bool, TableError> {
        self.text.clear();
        self.at = 0;
        loop {
            if let Some(group) = &mut self.group {
                if group.write(&mut self.text) {
                    return Ok(true);
                }
                if group.advance(&self.entry)? {
                    continue;
                }
            }
            let Some(part) = self.parts.pop_front() else {
                return Ok(false);
            };
            let name = format!("{}/{}", self.entry, part.name);
            self.group = Some(Group::open(&name, &part)?);
        }
    }
}

impl Read for RowReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.text.len() {
            if !self.fill().map_err(io::Error::other)? {
                return Ok(0);
            }
        }
        let rest = &self.text[self.at..];
        let n = rest.len().min(buffer.len());
        buffer[..n].copy_from_slice(&rest[..n]);
        self.at += n;
        Ok(n)
    }
}

/// Writes a game: its tags, each on a line, and its moves on one.
///
/// Where the moves end without a result, that of the tag follows, since in this layout the moves
/// need not have it. A bracket that could begin a tag is written `<`, so that a row stays one game:
/// in a comment it says nothing, and elsewhere the game is bad, as it was.
fn write_game<'t>(
    pgn: &mut String,
    tags: impl Iterator<Item = (&'t str, &'t str)>,
    moves: Option<&str>,
) {
    let tags: Vec<(&str, &str)> = tags.collect();
    let event = tags.iter().find(|(name, _)| *name == "Event");
    // The tag that begins a game stands first.
    write_tag(pgn, "Event", event.map_or("?", |(_, value)| value));
    let mut result = None;
    for (name, value) in tags {
        match name {
            "Event" => continue,
            "Result" => result = Some(value),
            _ => {}
        }
        let is_date = matches!(name, "Date" | "UTCDate") && value.len() == 10;
        if is_date && value.bytes().filter(|byte| *byte == b'-').count() == 2 {
            write_tag(pgn, name, &value.replace('-', "."));
        } else {
            write_tag(pgn, name, value);
        }
    }
    pgn.push('\n');
    let Some(moves) = moves else {
        pgn.push_str("<no moves>\n\n");
        return;
    };
    let lines = moves.split(['\n', '\r']);
    let lines = lines.filter(|line| !line.trim().is_empty());
    // A comment up to the end of the line, or a line that is one, keeps its line.
    let has_lines = moves.contains(';') || lines.clone().any(|line| line.starts_with('%'));
    let mut text = String::new();
    for line in lines {
        // A line that is blank to the reader could end the game.
        let is_own_line = has_lines && !line.chars().all(is_blank);
        if !text.is_empty() {
            text.push(if is_own_line { '\n' } else { ' ' });
        }
        text.push_str(line);
    }
    push_moves(pgn, &text);
    let last = moves.split_ascii_whitespace().next_back();
    let is_ended = matches!(last, Some("1-0" | "0-1" | "1/2-1/2" | "*"));
    if let Some(result) = result.filter(|_| !is_ended) {
        let _ = write!(pgn, " {}", one_line(result));
    }
    pgn.push_str("\n\n");
}

/// Whether the reader of games takes a character for a blank: also a zero byte or Ctrl-Z, which it
/// reports.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\0' | '\u{1a}')
}

/// Moves in which no tag begins.
fn push_moves(pgn: &mut String, moves: &str) {
    let mut rest = moves;
    while let Some(at) = rest.find('[') {
        pgn.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let begins_tag = rest
            .trim_start_matches(is_blank)
            .starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        pgn.push(if begins_tag { '<' } else { '[' });
    }
    pgn.push_str(rest);
}

fn write_tag(pgn: &mut String, name: &str, value: &str) {
    let value = one_line(value).replace('\\', "\\\\").replace('"', "\\\"");
    let _ = writeln!(pgn, "[{name} \"{value}\"]");
}

fn one_line(text: &str) -> String {
    text.replace(|c: char| c.is_control(), " ")
}
