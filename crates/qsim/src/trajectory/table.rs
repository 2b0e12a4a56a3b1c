//! Trajectories in CSV files.

use std::ops::Range;

use kibitz_text::{Diagnostics, Location, SourceFile, suggestion};

use super::Trajectory;
use crate::model::Model;
use crate::rows::{Row, Rows, cell};
use crate::system::System;

/// The name of the column of times.
const TIME: &str = "time";

/// Maximum number of errors reported per file.
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
        self.read_trajectory_as(file, text, &[])
    }

    /// The same of a file whose columns have other names: pairs of the name in the file and `time` or a
    /// variable; a column paired with nothing is left out.
    ///
    /// # Errors
    /// As [`read_trajectory`](Self::read_trajectory), and if the file has no column of such a name.
    pub fn read_trajectory_as(
        &self,
        file: &str,
        text: &str,
        columns: &[(String, String)],
    ) -> Result<Trajectory, Diagnostics> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let source = SourceFile::new(file, text);
        let mut reading = TableReader {
            model: &self.model,
            renamed: columns,
            mistakes: Diagnostics::new(),
            has_decimal_comma: false,
            table: Table {
                source,
                delimiter: Rows::new(text).delimiter(),
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
struct TableReader<'m> {
    model: &'m Model,
    /// Names of columns in the file, with the names of their variables.
    renamed: &'m [(String, String)],
    mistakes: Diagnostics,
    /// Whether a decimal comma is among them: of many only the first is reported.
    has_decimal_comma: bool,
    table: Table,
    /// The number of the column of times.
    time: Option<usize>,
    n_fields: usize,
    times: Vec<f64>,
    /// By variable and sample.
    columns: Vec<Vec<Option<f64>>>,
}

impl TableReader<'_> {
    fn report(&mut self, span: Range<usize>, message: String, label: String) {
        let mistake = self.table.source.error_at(span, message);
        self.mistakes.push(mistake.with_label(label));
    }

    fn read(&mut self, text: &str) {
        let mut rows = Rows::new(text);
        let Some(head) = rows.next() else {
            let label = format!("write `{TIME}` and names of variables");
            let message = "a trajectory needs a row that names its columns".to_owned();
            self.report(0..0, message, label);
            return;
        };
        self.read_head(&head);
        if self.time.is_none() {
            return;
        }
        for row in rows {
            self.read_sample(&row);
            if self.mistakes.len() >= MOST_TOLD {
                let more = "reading ends here: there may be more mistakes".to_owned();
                self.report(row.span(row.len()), more, String::new());
                break;
            }
        }
    }

    fn read_head(&mut self, head: &Row<'_>) {
        self.n_fields = head.len();
        for (own, _) in self.renamed {
            if (0..head.len()).all(|field| head.get(field) != own) {
                let message = format!("the file has no column `{own}`");
                let label = suggestion(own, (0..head.len()).map(|field| head.get(field)));
                self.report(head.span(0), message, label);
            }
        }
        let names = self.model.variables().iter().map(|v| v.name.as_str());
        let known: Vec<&str> = std::iter::once(TIME).chain(names).collect();
        for field in 0..head.len() {
            let written = head.get(field);
            let renamed = self.renamed.iter().find(|(own, _)| own == written);
            let name = renamed.map_or(written, |(_, name)| name);
            if renamed.is_some() && name.is_empty() {
                continue;
            }
            let at = known.iter().position(|known| *known == name);
            let before = match at {
                None => {
                    let message = match name {
                        "" => "a column has no name".to_owned(),
                        _ => format!("the system has no variable `{name}`"),
                    };
                    let label = suggestion(name, known.iter().copied());
                    self.report(head.span(field), message, label);
                    continue;
                }
                Some(0) => self.time.replace(field),
                Some(at) => self.table.fields[at - 1].replace(field),
            };
            if before.is_some() {
                let message = format!("there are two columns `{name}`");
                self.report(head.span(field), message, String::new());
            }
        }
        if self.time.is_none() {
            let message = format!("unknown column `{TIME}`");
            let label = "the first row names the columns".to_owned();
            self.report(head.span(0), message, label);
        } else if self.mistakes.is_empty() && self.table.fields.iter().all(Option::is_none) {
            let message = "no variable of the system has a column".to_owned();
            let label = suggestion("", known[1..].iter().copied());
            self.report(head.span(0), message, label);
        }
    }

    fn read_sample(&mut self, record: &Row<'_>) {
        if let Some(message) = record.wrong_length(self.n_fields) {
            self.report(record.line(), message, String::new());
            return;
        }
        let fields = self.table.fields.clone();
        let time_field = self.time.unwrap_or_default();
        let mut number = |field: usize| {
            let written = record.get(field);
            if written.is_empty() {
                return None;
            }
            let found = finite(written);
            let with_point = written.replacen(',', ".", 1);
            if found.is_none() && finite(&with_point).is_some() {
                if !std::mem::replace(&mut self.has_decimal_comma, true) {
                    let message = format!("cannot read the decimal comma of `{written}`");
                    let label =
                        format!("write decimal points, as in `{with_point}`, in the whole file");
                    self.report(record.span(field), message, label);
                }
            } else if found.is_none() {
                let message = format!("`{written}` is not a finite number");
                let label = "write a number, or nothing where none was measured".to_owned();
                self.report(record.span(field), message, label);
            }
            found
        };
        let time = number(time_field);
        let values: Vec<Option<f64>> = fields.into_iter().map(|field| number(field?)).collect();
        let span = record.span(time_field);
        match (time, self.times.last()) {
            (None, _) if record.get(time_field).is_empty() => {
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
        self.table.rows.push(record.start);
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

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|x: &f64| x.is_finite())
}
