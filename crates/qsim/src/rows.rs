//! Rows of CSV files with the place of every cell.

use std::ops::Range;

use kibitz_text::counted;

/// The rows of a file, those of blanks left out. Cells are separated by what a first line `sep=;` says,
/// otherwise by commas, semicolons or tabs, whichever the first row has most.
pub(crate) struct Rows<'t> {
    text: &'t str,
    delimiter: u8,
    /// Where the rows begin, in bytes.
    start: usize,
    records: csv::StringRecordsIntoIter<&'t [u8]>,
}

/// A row, and its place in the text.
#[derive(Debug)]
pub(crate) struct Row<'t> {
    text: &'t str,
    delimiter: u8,
    /// Where it begins, in bytes.
    pub(crate) start: usize,
    cells: csv::StringRecord,
}

impl<'t> Rows<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let (first_line, rest) = text.split_once('\n').unwrap_or((text, ""));
        let said = kibitz_text::separator_line(first_line.as_bytes()).flatten();
        let start = if said.is_some() {
            text.len() - rest.len()
        } else {
            0
        };
        let delimiter = said.unwrap_or_else(|| usual_delimiter(text));
        let reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .has_headers(false)
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(&text.as_bytes()[start..]);
        Self {
            text,
            delimiter,
            start,
            records: reader.into_records(),
        }
    }

    pub(crate) fn delimiter(&self) -> u8 {
        self.delimiter
    }
}

impl<'t> Iterator for Rows<'t> {
    type Item = Row<'t>;

    fn next(&mut self) -> Option<Row<'t>> {
        loop {
            // Text is UTF-8, rows may have any length, and nothing else goes wrong in memory.
            let cells = self.records.next()?.ok()?;
            // Blank lines are not rows.
            if cells.len() == 1 && cells.iter().all(str::is_empty) {
                continue;
            }
            let start = cells.position().map_or(0, csv::Position::byte);
            let start = usize::try_from(start).unwrap_or(usize::MAX);
            let start = self.start.saturating_add(start);
            return Some(Row {
                text: self.text,
                delimiter: self.delimiter,
                start: first_of_record(self.text, start),
                cells,
            });
        }
    }
}

/// What separates the cells of the first row that is not blank.
fn usual_delimiter(text: &str) -> u8 {
    let first_row = text.lines().find(|line| !line.trim().is_empty());
    let first_row = first_row.unwrap_or_default();
    let count = |byte: &u8| first_row.bytes().filter(|found| found == byte).count();
    // `max_by_key` returns the last maximum: a comma where nothing separates.
    let delimiter = [b'\t', b';', b','].into_iter().max_by_key(count);
    delimiter.unwrap_or(b',')
}

impl Row<'_> {
    /// Number of cells.
    pub(crate) fn len(&self) -> usize {
        self.cells.len()
    }

    /// What is wrong with the number of cells, if it is not the number of columns.
    pub(crate) fn wrong_length(&self, columns: usize) -> Option<String> {
        let cells = counted(self.len(), "cell", "cells");
        (self.len() != columns).then(|| format!("the row has {cells}, expected {columns}"))
    }

    /// A cell, without blanks around it; empty where there is none.
    pub(crate) fn get(&self, at: usize) -> &str {
        self.cells.get(at).unwrap_or_default()
    }

    /// The bytes of a cell.
    pub(crate) fn span(&self, at: usize) -> Range<usize> {
        cell(self.text, self.start, at, self.delimiter)
    }

    /// The bytes of the line in which the row begins.
    pub(crate) fn line(&self) -> Range<usize> {
        let rest = &self.text[self.start..];
        self.start..self.start + rest.find(['\n', '\r']).unwrap_or(rest.len())
    }
}

/// The byte range of a field in the record that begins at `start`, without blanks around it.
pub(crate) fn cell(text: &str, start: usize, field: usize, delimiter: u8) -> Range<usize> {
    let mut is_quoted = false;
    let (mut from, mut number) = (start, 0);
    let mut end = text.len();
    for (at, &byte) in text.as_bytes().iter().enumerate().skip(start) {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\n' | b'\r' if !is_quoted => {
                end = at;
                break;
            }
            _ if byte == delimiter && !is_quoted => {
                if number == field {
                    end = at;
                    break;
                }
                number += 1;
                from = at + 1;
            }
            _ => {}
        }
    }
    let inner = &text[from..end];
    let from = from + (inner.len() - inner.trim_start().len());
    from..from + inner.trim().len()
}

/// Where a record begins that the reader found at `at`: it counts the line breaks before it.
fn first_of_record(text: &str, at: usize) -> usize {
    let at = text.floor_char_boundary(at);
    let rest = &text[at..];
    at + (rest.len() - rest.trim_start_matches(['\n', '\r']).len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of a spreadsheet sets the separator, and is not a row.
    #[test]
    fn a_separator_line_is_not_a_row() {
        let text = "sep=|\r\n\r\na,b|c\n1|2\n";
        let rows: Vec<Row<'_>> = Rows::new(text).collect();
        let cells: Vec<&str> = rows
            .iter()
            .flat_map(|row| [row.get(0), row.get(1)])
            .collect();
        assert_eq!(cells, ["a,b", "c", "1", "2"]);
        assert_eq!([&text[rows[0].span(1)], &text[rows[1].span(1)]], ["c", "2"]);
    }

    #[test]
    fn cells_have_places() {
        let text = "time,a\n0, 1 ,\"x\"\"\n,y\", 3\n";
        let of = |field| &text[cell(text, 7, field, b',')];
        assert_eq!(
            [of(0), of(1), of(2), of(3)],
            ["0", "1", "\"x\"\"\n,y\"", "3"]
        );
        assert_eq!(of(4), "3");
    }
}
