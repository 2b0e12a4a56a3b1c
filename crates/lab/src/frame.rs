//! Data frames: CSV and Parquet by polars.

use std::fs::File;
use std::io::Cursor;
use std::path::PathBuf;

use kibitz_experiment::{Datum, Field, FieldType, Records, Values};
use polars::io::parquet::write::BatchedWriter;
use polars::prelude::*;

use crate::measured::{Scalar, Table};

/// Why a table cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum FrameError {
    /// An error of polars, for example about a damaged CSV file.
    #[error(transparent)]
    Polars(#[from] PolarsError),
    /// A missing column.
    #[error("column `{0}` is missing")]
    MissingColumn(&'static str),
    /// A text where a number stands.
    #[error("`{0}` is not a number")]
    NotANumber(String),
}

/// Writes lines of text as CSV with a header line.
pub(crate) fn to_csv<const N: usize>(
    names: [&str; N],
    lines: impl IntoIterator<Item = [Option<String>; N]>,
) -> Result<Vec<u8>, FrameError> {
    let mut columns = names.map(|name| (name, Vec::new()));
    for line in lines {
        for ((_, values), text) in columns.iter_mut().zip(line) {
            values.push(text);
        }
    }
    let height = columns.first().map_or(0, |(_, values)| values.len());
    let columns = columns.map(|(name, values)| Column::new(name.into(), values));
    let mut frame = DataFrame::new(height, columns.into())?;
    let mut bytes = Vec::new();
    CsvWriter::new(&mut bytes).finish(&mut frame)?;
    Ok(bytes)
}

/// Reads the named columns of a CSV file as text, line by line; empty fields are absent.
pub(crate) fn from_csv(
    bytes: &[u8],
    names: &[&'static str],
) -> Result<Vec<Vec<Option<String>>>, FrameError> {
    let frame = CsvReadOptions::default()
        .with_infer_schema_length(Some(0))
        .into_reader_with_file_handle(Cursor::new(bytes))
        .finish()?;
    let mut lines = vec![Vec::with_capacity(names.len()); frame.height()];
    for name in names {
        let column = frame
            .column(name)
            .map_err(|_| FrameError::MissingColumn(name))?;
        for (line, text) in lines.iter_mut().zip(column.str()?.iter()) {
            line.push(text.map(str::to_owned));
        }
    }
    Ok(lines)
}

/// The columns of a table that is read as a dataset, with one record a value.
pub(crate) fn table_fields() -> Vec<Field> {
    [
        ("row", FieldType::Text, "row of the table"),
        ("column", FieldType::Text, "column of the table"),
        ("value", FieldType::Float, "the value, if it is a number"),
        ("text", FieldType::Text, "the value, if it is a text"),
        (
            "std-error",
            FieldType::Float,
            "its standard error, if it has one",
        ),
    ]
    .map(|(name, of, doc)| Field::new(name, of, "", doc))
    .to_vec()
}

/// The values of a table as records of [`table_fields`].
pub(crate) fn table_records(table: &Table) -> Records {
    let float = |value: Option<f64>| value.map_or(Datum::Absent, Datum::Float);
    let mut records = Records::new(table_fields());
    for (row, column, value) in table.iter() {
        let text = match &value.value {
            Scalar::Text(text) => Datum::Text(text),
            Scalar::Number(_) => Datum::Absent,
        };
        let (number, std_error) = (float(value.number()), float(value.std_error));
        // Tables hold finite numbers, so that every record fits.
        let _ = records.push([row.into(), column.into(), number, text, std_error]);
    }
    records
}

/// Records as Parquet.
pub(crate) fn to_parquet(records: Records) -> Result<Vec<u8>, FrameError> {
    parquet_bytes(&mut to_frame(records)?)
}

/// A Parquet file that is written as its records come.
pub(crate) struct PartFile {
    writer: BatchedWriter<File>,
    n_records: usize,
}

impl PartFile {
    /// Begins a file with the first records.
    pub(crate) fn begin(file: File, records: Records) -> Result<Self, FrameError> {
        let frame = to_frame(records)?;
        let writer = ParquetWriter::new(file).with_compression(ParquetCompression::Zstd(None));
        let mut part = Self {
            writer: writer.batched(frame.schema())?,
            n_records: 0,
        };
        part.write(&frame)?;
        Ok(part)
    }

    /// Adds records with the same columns.
    pub(crate) fn add(&mut self, records: Records) -> Result<(), FrameError> {
        self.write(&to_frame(records)?)
    }

    fn write(&mut self, frame: &DataFrame) -> Result<(), FrameError> {
        self.n_records += frame.height();
        Ok(self.writer.write_batch(frame)?)
    }

    /// Ends the file; the number of its records.
    pub(crate) fn end(self) -> Result<usize, FrameError> {
        self.writer.finish()?;
        Ok(self.n_records)
    }
}

/// Records as a frame; consumed column by column, to save memory.
fn to_frame(records: Records) -> Result<DataFrame, FrameError> {
    let height = records.len();
    let columns = records.into_columns().map(|(field, values)| {
        let name = field.name.as_ref().into();
        match values {
            Values::Int(values) => Column::new(name, values),
            Values::Float(values) => Column::new(name, values),
            Values::Bool(values) => Column::new(name, values),
            Values::Text(values) => {
                let texts = values.iter().map(Option::as_deref);
                StringChunked::from_iter_options(name, texts).into_column()
            }
        }
    });
    Ok(DataFrame::new(height, columns.collect())?)
}

fn parquet_bytes(frame: &mut DataFrame) -> Result<Vec<u8>, FrameError> {
    let mut bytes = Vec::new();
    let writer = ParquetWriter::new(&mut bytes);
    writer
        .with_compression(ParquetCompression::Zstd(None))
        .finish(frame)?;
    Ok(bytes)
}

/// The records of parts of a dataset, in order, as groups of [`GROUP`] records: how they fall into
/// parts cannot be told from them. Memory is that of one group and of a row group.
fn read_groups(
    parts: &[PathBuf],
    mut each: impl FnMut(&mut DataFrame) -> Result<(), FrameError>,
) -> Result<(), FrameError> {
    let mut held: Option<DataFrame> = None;
    for path in parts {
        let open = || File::open(path).map_err(PolarsError::from);
        let mut lengths = Vec::new();
        for group in &ParquetReader::new(open()?).get_metadata()?.row_groups {
            lengths.push(group.num_rows());
        }
        // A part without records still has columns.
        if lengths.is_empty() {
            lengths.push(0);
        }
        let mut start = 0;
        for length in lengths {
            let reader = ParquetReader::new(open()?).with_slice(Some((start, length)));
            start += length;
            let group = reader.finish()?;
            match &mut held {
                Some(held) => held.vstack_mut(&group).map(drop)?,
                None => held = Some(group),
            }
            while let Some(all) = held.as_mut().filter(|all| all.height() > GROUP) {
                let mut first = all.slice(0, GROUP);
                *all = all.slice(i64::try_from(GROUP).unwrap_or(i64::MAX), usize::MAX);
                first.align_chunks();
                each(&mut first)?;
            }
        }
    }
    if let Some(mut last) = held {
        last.align_chunks();
        each(&mut last)?;
    }
    Ok(())
}

/// Records of a row group of a dataset that is written as one file.
const GROUP: usize = 1 << 18;

/// The first records of a dataset.
pub(crate) fn first_records(parts: &[PathBuf], n: usize) -> Result<DataFrame, FrameError> {
    let mut first = DataFrame::empty();
    for (idx, path) in parts.iter().enumerate() {
        let file = File::open(path).map_err(PolarsError::from)?;
        let left = n - first.height();
        let part = ParquetReader::new(file)
            .with_slice(Some((0, left)))
            .finish()?;
        if idx == 0 {
            first = part;
        } else {
            first.vstack_mut(&part)?;
        }
        if first.height() >= n {
            break;
        }
    }
    Ok(first)
}

/// The first values of a column, as text.
pub(crate) fn first_values(frame: &DataFrame, name: &str, n: usize) -> Result<String, FrameError> {
    let column = frame.column(name)?.head(Some(n)).cast(&DataType::String)?;
    let values = column.str()?.iter();
    let values: Vec<&str> = values.map(|value| value.unwrap_or("-")).collect();
    Ok(values.join(", "))
}

/// Writes the records of parts as one CSV file.
pub(crate) fn write_csv(parts: &[PathBuf], mut file: &File) -> Result<(), FrameError> {
    let mut has_header = true;
    read_groups(parts, |frame| {
        let mut writer = CsvWriter::new(&mut file).include_header(has_header);
        has_header = false;
        Ok(writer.finish(frame)?)
    })
}

/// Writes the records of parts as one Parquet file; its bytes do not depend on the parts.
pub(crate) fn write_parquet(parts: &[PathBuf], file: &File) -> Result<(), FrameError> {
    let mut writer: Option<BatchedWriter<&File>> = None;
    read_groups(parts, |frame| {
        let begun = match writer.take() {
            Some(begun) => begun,
            None => ParquetWriter::new(file)
                .with_compression(ParquetCompression::Zstd(None))
                .with_row_group_size(Some(GROUP))
                .batched(frame.schema())?,
        };
        Ok(writer.insert(begun).write_batch(frame)?)
    })?;
    if let Some(writer) = writer {
        writer.finish()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_survives_csv() {
        let texts = [
            "plain",
            "a,b",
            "say \"hi\"",
            "two\nlines",
            " padded ",
            "1.50",
        ];
        let lines = texts.map(|text| [Some(text.to_owned()), None]);
        let bytes = to_csv(["value", "sd"], lines.clone()).unwrap();
        assert_eq!(from_csv(&bytes, &["value", "sd"]).unwrap(), lines);
    }

    #[test]
    fn an_empty_table_is_a_header() {
        let bytes = to_csv(["row", "value"], []).unwrap();
        assert_eq!(String::from_utf8(bytes.clone()).unwrap(), "row,value\n");
        assert_eq!(
            from_csv(&bytes, &["value"]).unwrap(),
            Vec::<Vec<Option<String>>>::new()
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_survives_csv(texts in proptest::collection::vec("\\PC[\\PC\n\",]*", 1..5)) {
            let lines: Vec<_> = texts.into_iter().map(|text| [Some(text)]).collect();
            let bytes = to_csv(["value"], lines.clone()).unwrap();
            proptest::prop_assert_eq!(from_csv(&bytes, &["value"]).unwrap(), lines);
        }
    }
}
