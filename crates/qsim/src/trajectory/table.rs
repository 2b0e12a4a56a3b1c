//! Trajectories in CSV files.

use std::ops::Range;

use kibitz_text::{Diagnostic, Diagnostics, Location, SourceFile, counted, suggestion};

use super::Trajectory;
use crate::model::Model;
use crate::system::System;

/// The name of the column of times.
const TIME: &str = "time";

/// Most mistakes that are told of one file.
const MOST_TOLD: usize = 10;

/// A file with samples, kept so that messages can quote it.
#[derive(Clone, Debug)]
pub(super) struct Table {
    source: SourceFile,
    delimiter: u8,
    /// Where the row of each sample begins, in bytes.
    rows: Vec<usize>,
    /// By variable, the number of its column.
    fields: Vec<Option<usize>>,
}

impl Table {
    /// The cell of a variable in a sample; of none, the cell of the time.
    pub(super) fn place(&self, sample: usize, variable: Option<usize>) -> Location {
        let field = variable.and_then(|variable| self.fields[variable]);
        let text = self.source.text();
        let span = cell(text, self.rows[sample], field.unwrap_or(0), self.delimiter);
        Location::new(self.source.path(), text, span)
    }
}

/// The byte range of a field in the record that begins at `start`, without blanks around it.
fn cell(text: &str, start: usize, field: usize, delimiter: u8) -> Range<usize> {
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

impl System {
    /// Reads a trajectory of this system from CSV; `file` is the name that messages show.
    ///
    /// The first row names the columns: `time`, and variables of the system in any order. Columns are
    /// separated by commas, semicolons or tabs. A variable without a column is not observed, and
    /// neither is one at a sample where its cell is empty. Times increase from row to row.
    ///
    /// # Errors
    /// All mistakes of the file, up to some number.
    pub fn read_trajectory(&self, file: &str, text: &str) -> Result<Trajectory, Diagnostics> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let source = SourceFile::new(file, text);
        let first_line = text.lines().find(|line| !line.trim().is_empty());
        let first_line = first_line.unwrap_or_default();
        let count = |byte: &u8| first_line.bytes().filter(|found| found == byte).count();
        // `max_by_key` returns the last maximum: a comma where nothing separates.
        let delimiter = [b'\t', b';', b',']
            .into_iter()
            .max_by_key(count)
            .unwrap_or(b',');
        let mut reading = Reading {
            model: &self.model,
            mistakes: Diagnostics::new(),
            table: Table {
                source,
                delimiter,
                rows: Vec::new(),
                fields: vec![None; self.model.variables().len()],
            },
            time: None,
            n_fields: 0,
            times: Vec::new(),
            columns: vec![Vec::new(); self.model.variables().len()],
        };
        reading.read(text);
        reading.finish()
    }
}

/// The state of reading a file.
struct Reading<'m> {
    model: &'m Model,
    mistakes: Diagnostics,
    table: Table,
    /// The number of the column of times.
    time: Option<usize>,
    n_fields: usize,
    times: Vec<f64>,
    /// By variable and sample.
    columns: Vec<Vec<Option<f64>>>,
}

impl Reading<'_> {
    fn report(&mut self, span: Range<usize>, message: String, label: String) {
        let mistake = self.table.source.error_at(span, message);
        self.mistakes.push(mistake.with_label(label));
    }

    fn read(&mut self, text: &str) {
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(self.table.delimiter)
            .has_headers(false)
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let mut record = csv::StringRecord::new();
        let mut is_head = true;
        loop {
            match reader.read_record(&mut record) {
                Ok(false) => break,
                Ok(true) => {}
                // Text is UTF-8, rows may have any length, and nothing else goes wrong in memory.
                Err(error) => {
                    self.mistakes.push(Diagnostic::new(error.to_string()));
                    break;
                }
            }
            let start = record.position().map_or(0, csv::Position::byte);
            let start = usize::try_from(start).unwrap_or(usize::MAX);
            let start = first_of_record(text, start);
            // A line of blanks is no sample.
            if record.iter().all(str::is_empty) && record.len() == 1 {
                continue;
            }
            if is_head {
                self.read_head(text, start, &record);
                is_head = false;
                if self.time.is_none() {
                    break;
                }
            } else {
                self.read_sample(text, start, &record);
            }
            if self.mistakes.len() >= MOST_TOLD {
                let more = "reading ends here: there may be more mistakes".to_owned();
                self.report(self.span(text, start, record.len()), more, String::new());
                break;
            }
        }
        if is_head {
            let label = format!("write `{TIME}` and names of variables");
            let message = "a trajectory needs a row that names its columns".to_owned();
            self.report(0..0, message, label);
        }
    }

    fn span(&self, text: &str, start: usize, field: usize) -> Range<usize> {
        cell(text, start, field, self.table.delimiter)
    }

    fn read_head(&mut self, text: &str, start: usize, head: &csv::StringRecord) {
        self.n_fields = head.len();
        let names = self.model.variables().iter().map(|v| v.name.as_str());
        let known: Vec<&str> = std::iter::once(TIME).chain(names).collect();
        for (field, name) in head.iter().enumerate() {
            let at = known.iter().position(|known| *known == name);
            let before = match at {
                None => {
                    let message = match name {
                        "" => "a column has no name".to_owned(),
                        _ => format!("the system has no variable `{name}`"),
                    };
                    let label = suggestion(name, known.iter().copied());
                    self.report(self.span(text, start, field), message, label);
                    continue;
                }
                Some(0) => self.time.replace(field),
                Some(at) => self.table.fields[at - 1].replace(field),
            };
            if before.is_some() {
                let message = format!("there are two columns `{name}`");
                self.report(self.span(text, start, field), message, String::new());
            }
        }
        if self.time.is_none() {
            let message = format!("unknown column `{TIME}`");
            let label = "the first row names the columns".to_owned();
            self.report(self.span(text, start, 0), message, label);
        } else if self.mistakes.is_empty() && self.table.fields.iter().all(Option::is_none) {
            let message = "no variable of the system has a column".to_owned();
            let label = suggestion("", known[1..].iter().copied());
            self.report(self.span(text, start, 0), message, label);
        }
    }

    fn read_sample(&mut self, text: &str, start: usize, record: &csv::StringRecord) {
        if record.len() != self.n_fields {
            let message = format!(
                "the row has {}, expected {}",
                counted(record.len(), "cell", "cells"),
                self.n_fields
            );
            let end = start
                + text[start..]
                    .find(['\n', '\r'])
                    .unwrap_or(text.len() - start);
            self.report(start..end, message, String::new());
            return;
        }
        let fields = self.table.fields.clone();
        let time_field = self.time.unwrap_or_default();
        let mut number = |field: usize| {
            let written = record.get(field).unwrap_or_default();
            if written.is_empty() {
                return None;
            }
            let found = written.parse().ok().filter(|x: &f64| x.is_finite());
            if found.is_none() {
                let message = format!("`{written}` is not a finite number");
                let label = "write a number, or nothing where none was measured".to_owned();
                self.report(
                    cell(text, start, field, self.table.delimiter),
                    message,
                    label,
                );
            }
            found
        };
        let time = number(time_field);
        let values: Vec<Option<f64>> = fields.into_iter().map(|field| number(field?)).collect();
        let span = self.span(text, start, time_field);
        match (time, self.times.last()) {
            (None, _) if record.get(time_field) == Some("") => {
                let message = "the sample has no time".to_owned();
                self.report(span, message, String::new());
            }
            (Some(time), Some(&last)) if time <= last => {
                let message = format!("times increase from row to row: {time} follows {last}");
                self.report(span, message, String::new());
            }
            _ => {}
        }
        self.times.push(time.unwrap_or(f64::NAN));
        self.table.rows.push(start);
        for (column, value) in self.columns.iter_mut().zip(values) {
            column.push(value);
        }
    }

    fn finish(mut self) -> Result<Trajectory, Diagnostics> {
        if self.mistakes.is_empty() && self.times.is_empty() {
            let end = self.table.source.text().len();
            let message = "a trajectory needs a sample".to_owned();
            self.report(end..end, message, "write a row of numbers".to_owned());
        }
        let columns = self.columns.into_iter().zip(&self.table.fields);
        let columns = columns.map(|(values, field)| field.is_some().then_some(values));
        let trajectory = Trajectory {
            times: self.times,
            columns: columns.collect(),
            table: Some(self.table),
        };
        self.mistakes.in_reading_order().into_result(trajectory)
    }
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
