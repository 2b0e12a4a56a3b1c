//! CSV and TSV, line by line.

use std::{
    io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom},
    num::IntErrorKind,
    ops::Range,
};

use csv::{ErrorKind, Position, Reader, ReaderBuilder, StringRecord};
use kibitz_experiment::{DataPart, Datum, Field, FieldType, ReadSeek, Records};

use crate::{ColumnType, FoundColumn, Layout, TableError, hive::Partition, usual_separator};

/// Records that are given at once.
const GROUP: usize = 1 << 14;

/// Records whose values are looked at to tell the type of a column.
const LOOKED_AT: usize = 1000;

/// A file whose header has been read.
pub(crate) struct CsvFile {
    name: String,
    reader: Reader<BufReader<Box<dyn ReadSeek>>>,
    header: Vec<String>,
    separator: u8,
    /// Lines above the header, which the reader does not count.
    n_above: u64,
    /// Whether the last record has several lines.
    is_long: bool,
}

/// Where the values of a declared column come from.
enum Place<'p> {
    Field(usize),
    Folder(Option<&'p str>),
}

impl CsvFile {
    /// A file whose fields are separated as declared, as its first line says, or as usual.
    pub(crate) fn open(
        name: &str,
        data: &DataPart,
        declared: Option<u8>,
    ) -> Result<Self, TableError> {
        let mut file = data
            .open()
            .map_err(|error| TableError::Data(error.to_string()))?;
        let said = separator_line(name, &mut file)?;
        if let Some((said, declared)) = said.as_ref().zip(declared)
            && said.separator != declared
        {
            let wanted = format!("`separator = {:?}` is declared", char::from(declared));
            return Err(said.contradicted(name, &wanted));
        }
        let separator = declared.or(said.as_ref().map(|said| said.separator));
        let separator = separator.unwrap_or_else(|| usual_separator(name));
        let n_above = u64::from(said.is_some());
        let mut reader = ReaderBuilder::new()
            .delimiter(separator)
            .from_reader(BufReader::with_capacity(1 << 16, file));
        let header = reader.headers();
        let header = header.map_err(|error| mistake(name, &[], n_above, &error))?;
        let header: Vec<String> = header.iter().map(str::to_owned).collect();
        if header.is_empty() {
            let file = name.to_owned();
            return Err(TableError::Empty { file });
        }
        if let (Some(said), [only]) = (&said, header.as_slice()) {
            if kibitz_text::separator_line(only.as_bytes()).is_some() {
                return Err(said.contradicted(name, "line 2 says it again"));
            }
            if let Some(other) = separator_of(only, separator) {
                let wanted = format!("line 2 has {:?} alone", char::from(other));
                return Err(said.contradicted(name, &wanted));
            }
        }
        let mut sorted: Vec<&String> = header.iter().collect();
        sorted.sort();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(TableError::Twice {
                file: name.to_owned(),
                column: pair[0].clone(),
            });
        }
        Ok(Self {
            name: name.to_owned(),
            reader,
            header,
            separator,
            n_above,
            is_long: false,
        })
    }

    /// The declared layout, with the separator that the file has.
    fn layout(&self, declared: &Layout) -> Layout {
        Layout {
            separator: Some(self.separator),
            ..declared.clone()
        }
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.header.clone()
    }

    /// The columns with the types that their first values suggest.
    pub(crate) fn columns(mut self, layout: &Layout) -> Result<Vec<FoundColumn>, TableError> {
        let layout = &self.layout(layout);
        let mut first: Vec<StringRecord> = Vec::new();
        let mut record = StringRecord::new();
        while first.len() < LOOKED_AT && self.next(&mut record)? {
            first.push(record.clone());
        }
        let header = self.header.into_iter().enumerate();
        let columns = header.map(|(at, name)| {
            let values = first.iter().filter_map(|record| record.get(at));
            let values = values.filter(|text| !layout.is_absent(text));
            let of = type_of(values.clone(), layout);
            FoundColumn {
                name,
                found: ColumnType::Texts(of),
                has_decimal_commas: of == FieldType::Float && { values }
                    .any(|text| text.contains(',')),
            }
        });
        Ok(columns.collect())
    }

    /// Number of records; all of them are read.
    pub(crate) fn n_records(mut self) -> Result<u64, TableError> {
        let (mut record, mut n) = (StringRecord::new(), 0);
        while self.next(&mut record)? {
            n += 1;
        }
        Ok(n)
    }

    fn next(&mut self, record: &mut StringRecord) -> Result<bool, TableError> {
        let read = self.reader.read_record(record);
        // A quotation mark that does not end takes the rest of the file into one field.
        let is_suspect = match &read {
            Ok(is_there) => !is_there && self.is_long,
            Err(error) => matches!(error.kind(), ErrorKind::UnequalLengths { .. }),
        };
        if is_suspect && let Some(line) = self.open_quote()? {
            let file = self.name.clone();
            return Err(TableError::OpenQuote { file, line });
        }
        self.is_long = matches!(read, Ok(true)) && record.iter().any(|text| text.contains('\n'));
        read.map_err(|error| mistake(&self.name, &self.header, self.n_above, &error))
    }

    /// The line of a quotation mark that does not end before the file does. Nothing can be read after
    /// it.
    fn open_quote(&mut self) -> Result<Option<u64>, TableError> {
        let file = self.reader.get_mut();
        let found = file
            .seek(SeekFrom::Start(0))
            .and_then(|_| open_quote(file, self.separator));
        found.map_err(|error| TableError::io(&self.name, &error))
    }

    /// Where the declared columns are.
    fn places<'p>(
        &self,
        fields: &[Field],
        partitions: &'p [Partition],
    ) -> Result<Vec<Place<'p>>, TableError> {
        let place = |field: &Field| {
            if let Some(at) = self.header.iter().position(|name| *name == field.name) {
                return Ok(Place::Field(at));
            }
            let folder = partitions.iter().find(|it| it.key == field.name);
            let folder = folder.map(|partition| Place::Folder(partition.value.as_deref()));
            folder.ok_or_else(|| {
                let keys = partitions.iter().map(|partition| &partition.key);
                TableError::Missing {
                    file: self.name.clone(),
                    column: field.name.to_string(),
                    known: self.header.iter().chain(keys).cloned().collect(),
                }
            })
        };
        fields.iter().map(place).collect()
    }

    /// Gives records to `each`; the number of those read.
    pub(crate) fn read<E: From<TableError>>(
        mut self,
        fields: &[Field],
        partitions: &[Partition],
        layout: &Layout,
        range: Option<&Range<u64>>,
        each: &mut impl FnMut(Records) -> Result<(), E>,
    ) -> Result<u64, E> {
        let layout = &self.layout(layout);
        let places = self.places(fields, partitions)?;
        let mut group = Records::new(fields.to_vec());
        // Whether a number of a column had a point, and whether one had a comma.
        let mut marks = vec![[false; 2]; fields.len()];
        let (mut record, mut n) = (StringRecord::new(), 0_u64);
        while range.is_none_or(|range| n < range.end) && self.next(&mut record)? {
            n += 1;
            if range.is_some_and(|range| n <= range.start) {
                continue;
            }
            let mut values = Vec::with_capacity(fields.len());
            for ((field, place), marks) in fields.iter().zip(&places).zip(&mut marks) {
                let text = match place {
                    Place::Field(at) => record.get(*at).unwrap_or_default(),
                    Place::Folder(value) => value.unwrap_or_default(),
                };
                let line = || record.position().map_or(0, Position::line) + self.n_above;
                let value = datum(text, field.of, layout).ok_or_else(|| TableError::Value {
                    file: self.name.clone(),
                    place: format!(":{}", line()),
                    column: field.name.to_string(),
                    declared: field.of,
                    found: shown(text) + too_large(text, field.of),
                })?;
                if layout.has_decimal_commas() && field.of == FieldType::Float {
                    marks[0] |= text.contains('.');
                    marks[1] |= text.contains(',');
                    if *marks == [true; 2] {
                        return Err(E::from(TableError::Decimals {
                            file: self.name.clone(),
                            line: line(),
                            column: field.name.to_string(),
                            found: shown(text),
                        }));
                    }
                }
                values.push(value);
            }
            group.push(values).map_err(TableError::Data)?;
            if group.len() == GROUP {
                each(std::mem::replace(&mut group, Records::new(fields.to_vec())))?;
            }
        }
        if !group.is_empty() {
            each(group)?;
        }
        Ok(n)
    }
}

/// A value for a message.
fn shown(text: &str) -> String {
    const LENGTH: usize = 40;
    let begin: String = text.chars().take(LENGTH).collect();
    let more = if begin.len() < text.len() { "…" } else { "" };
    format!("`{}{more}`", begin.escape_debug())
}

/// What to add about a number that has no place in its type.
fn too_large(text: &str, of: FieldType) -> &'static str {
    let is_digit = |byte: u8| byte.is_ascii_digit();
    match (of, text.trim_ascii()) {
        (FieldType::Float, text)
            if text.bytes().any(is_digit) && text.parse().is_ok_and(f64::is_infinite) =>
        {
            ", which is too large for a number of 64 bits"
        }
        (FieldType::Int, text) => match text.parse::<i64>().map_err(|error| *error.kind()) {
            Err(IntErrorKind::PosOverflow | IntErrorKind::NegOverflow) => {
                ", which is too large for an integer of 64 bits"
            }
            _ => "",
        },
        _ => "",
    }
}

/// The line of a quotation mark that does not end before the file does.
fn open_quote(file: &mut impl BufRead, separator: u8) -> io::Result<Option<u64>> {
    let (mut line, mut opened) = (1, None);
    // Whether a field begins, and whether a quotation mark has just ended one.
    let (mut begins, mut was_closed) = (true, None);
    let mut is_first = true;
    loop {
        let bytes = file.fill_buf()?;
        if bytes.is_empty() {
            return Ok(opened);
        }
        let n_bytes = bytes.len();
        let mark: &[u8] = if is_first { b"\xef\xbb\xbf" } else { b"" };
        is_first = false;
        for &byte in bytes.strip_prefix(mark).unwrap_or(bytes) {
            let reopened = was_closed.take();
            match byte {
                b'"' if opened.is_some() => was_closed = opened.take(),
                b'"' if begins => opened = Some(line),
                b'"' => opened = reopened,
                _ => {}
            }
            begins = opened.is_none() && (byte == separator || matches!(byte, b'\n' | b'\r'));
            line += u64::from(byte == b'\n');
        }
        file.consume(n_bytes);
    }
}

/// The value of a type that a text stands for; `None` if it stands for none.
pub(crate) fn datum<'t>(text: &'t str, of: FieldType, layout: &Layout) -> Option<Datum<'t>> {
    if layout.is_absent(text) {
        return Some(Datum::Absent);
    }
    let trimmed = text.trim_ascii();
    match of {
        FieldType::Text => Some(Datum::Text(text)),
        FieldType::Int => trimmed.parse().ok().map(Datum::Int),
        FieldType::Float => {
            let comma = trimmed.matches([',', '.']).eq([","]) && layout.has_decimal_commas();
            let number: f64 = if comma {
                trimmed.replace(',', ".").parse().ok()?
            } else {
                trimmed.parse().ok()?
            };
            number.is_finite().then_some(Datum::Float(number))
        }
        FieldType::Bool => {
            let is_any =
                |words: [&str; 2]| words.iter().any(|word| trimmed.eq_ignore_ascii_case(word));
            let is_true = is_any(["true", "yes"]);
            (is_true || is_any(["false", "no"])).then_some(Datum::Bool(is_true))
        }
    }
}

/// The narrowest type that all these texts stand for values of; text without any.
pub(crate) fn type_of(values: impl Iterator<Item = impl AsRef<str>>, layout: &Layout) -> FieldType {
    let mut left = vec![FieldType::Bool, FieldType::Int, FieldType::Float];
    let mut is_empty = true;
    for value in values {
        is_empty = false;
        left.retain(|of| datum(value.as_ref(), *of, layout).is_some());
    }
    let narrowest = left.first().filter(|_| !is_empty);
    narrowest.copied().unwrap_or(FieldType::Text)
}

/// The line above the header by which a file of a spreadsheet says what separates its fields.
pub(crate) struct SeparatorLine {
    /// The line.
    text: String,
    /// What it says.
    separator: u8,
    /// Its length in bytes, with its end.
    length: u64,
}

impl SeparatorLine {
    fn contradicted(&self, name: &str, why: &str) -> TableError {
        TableError::Separator {
            file: name.to_owned(),
            found: self.text.clone(),
            why: why.to_owned(),
        }
    }
}

/// The first line if it is `sep=` and a character; `file` is then behind it, and at its beginning
/// otherwise.
fn separator_line(
    name: &str,
    file: &mut Box<dyn ReadSeek>,
) -> Result<Option<SeparatorLine>, TableError> {
    /// Longest such line that is looked at, in bytes.
    const LENGTH: u64 = 64;
    let unreadable = |error: std::io::Error| TableError::io(name, &error);
    let mut head = Vec::new();
    let read = file.take(LENGTH).read_to_end(&mut head);
    read.map_err(unreadable)?;
    let found = separator_line_of(name, &head)?;
    let behind = found.as_ref().map_or(0, |found| found.length);
    file.seek(SeekFrom::Start(behind)).map_err(unreadable)?;
    Ok(found)
}

/// The same of the first bytes of a file.
fn separator_line_of(name: &str, head: &[u8]) -> Result<Option<SeparatorLine>, TableError> {
    // The mark of UTF-8 stands before the text.
    let start = if head.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    let end = head[start..].iter().position(|&byte| byte == b'\n');
    let end = end.map_or(head.len(), |end| start + end + 1);
    let line = &head[start..end];
    let shown = || {
        let line = String::from_utf8_lossy(line);
        line.trim_end_matches(['\r', '\n']).to_owned()
    };
    match kibitz_text::separator_line(line) {
        None => Ok(None),
        Some(Some(separator)) => Ok(Some(SeparatorLine {
            text: shown().trim_matches('"').to_owned(),
            separator,
            length: end as u64,
        })),
        Some(None) => Err(TableError::Separator {
            file: name.to_owned(),
            found: shown(),
            why: "expected `sep=` and one character, as in `sep=;`".to_owned(),
        }),
    }
}

/// What separates the fields of a file by its first line, if it is not what usually does.
pub(crate) fn separator(data: &DataPart, usual: u8) -> Result<Option<u8>, TableError> {
    /// Longest header that is looked at, in bytes.
    const LENGTH: u64 = 1 << 16;
    let mut file = data
        .open()
        .map_err(|error| TableError::Data(error.to_string()))?;
    if let Some(said) = separator_line(&data.name, &mut file)? {
        return Ok(Some(said.separator).filter(|&said| said != usual));
    }
    let mut header = Vec::new();
    BufReader::new(file.take(LENGTH))
        .read_until(b'\n', &mut header)
        .map_err(|error| TableError::io(&data.name, &error))?;
    Ok(separator_of(&String::from_utf8_lossy(&header), usual))
}

/// Number of lines above the header of a file: 1 if its first line says what separates fields.
pub(crate) fn lines_above(bytes: &[u8]) -> usize {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let line = bytes.split(|&byte| byte == b'\n').next();
    let said = line.and_then(kibitz_text::separator_line);
    usize::from(said.is_some())
}

/// What separates the names in a header, if it is not what usually does.
pub(crate) fn separator_of(header: &str, usual: u8) -> Option<u8> {
    // What stands in quotation marks separates nothing.
    let unquoted = header.split('"').step_by(2);
    let count = |byte: u8| -> usize {
        let found = unquoted
            .clone()
            .map(|text| text.matches(char::from(byte)).count());
        found.sum()
    };
    let most = b",|\t;".iter().copied().max_by_key(|&byte| count(byte))?;
    (count(usual) == 0 && count(most) > 0).then_some(most)
}

/// A mistake of the file, in our words; so many lines of it are not counted by the reader.
fn mistake(name: &str, header: &[String], n_above: u64, error: &csv::Error) -> TableError {
    let file = name.to_owned();
    let line = |pos: &Option<Position>| pos.as_ref().map_or(1, Position::line) + n_above;
    match error.kind() {
        ErrorKind::UnequalLengths {
            pos,
            expected_len,
            len,
        } => TableError::Fields {
            file,
            line: line(pos),
            n_found: *len,
            n_expected: *expected_len,
            header: header.to_vec(),
        },
        ErrorKind::Utf8 { pos, .. } => TableError::Encoding {
            file,
            line: line(pos),
        },
        _ => TableError::io(name, error),
    }
}
