//! CSV files of the runner: named columns of text, whose fields may be absent.

use std::path::PathBuf;

use kibitz_experiment::{DataFile, Field, FieldType, Values};
use kibitz_tables::{Layout, Table, TableError, csv_line};

/// Why a CSV file cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CsvError {
    /// It is damaged.
    #[error(transparent)]
    Table(TableError),
    /// A missing column.
    #[error("column `{0}` is missing")]
    MissingColumn(String),
    /// A text where a number stands.
    #[error("`{0}` is not a number")]
    NotANumber(String),
}

impl From<TableError> for CsvError {
    fn from(error: TableError) -> Self {
        match error {
            TableError::Missing { column, .. } => Self::MissingColumn(column),
            error => Self::Table(error),
        }
    }
}

/// Writes lines of text as CSV with a header line.
pub fn to_csv<const N: usize>(
    names: [&str; N],
    lines: impl IntoIterator<Item = [Option<String>; N]>,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Writing to memory does not fail.
    let _ = csv_line(&mut bytes, names.map(Some));
    for line in lines {
        let _ = csv_line(&mut bytes, line.iter().map(Option::as_deref));
    }
    bytes
}

/// Reads the named columns of a CSV file as text, line by line; empty fields are absent. Its path is
/// for messages.
///
/// # Errors
/// If the file is damaged, or has no such column.
pub fn from_csv(
    path: &str,
    bytes: &[u8],
    names: &[&'static str],
) -> Result<Vec<Vec<Option<String>>>, CsvError> {
    let file = DataFile::new(path, PathBuf::from(path), Some(bytes.into()));
    let text = |name: &&'static str| Field::new(*name, FieldType::Text, "", "");
    let fields: Vec<Field> = names.iter().map(text).collect();
    let mut lines: Vec<Vec<Option<String>>> = Vec::new();
    Table::open(&file, Layout::default())?.read(&fields, None, |records| {
        let start = lines.len();
        lines.resize_with(start + records.len(), || Vec::with_capacity(names.len()));
        for (_, values) in records.columns() {
            let Values::Text(texts) = values else {
                continue;
            };
            for (line, text) in lines[start..].iter_mut().zip(texts) {
                line.push(text.as_deref().map(str::to_owned));
            }
        }
        Ok::<_, CsvError>(())
    })?;
    Ok(lines)
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
        let bytes = to_csv(["value", "sd"], lines.clone());
        assert_eq!(from_csv("", &bytes, &["value", "sd"]).unwrap(), lines);
    }

    #[test]
    fn an_empty_table_is_a_header() {
        let bytes = to_csv(["row", "value"], []);
        assert_eq!(String::from_utf8(bytes.clone()).unwrap(), "row,value\n");
        assert_eq!(
            from_csv("", &bytes, &["value"]).unwrap(),
            Vec::<Vec<Option<String>>>::new()
        );
    }

    #[test]
    fn a_damaged_file_is_told_with_its_line() {
        let error = |text: &str| {
            let error = from_csv("a.csv", text.as_bytes(), &["row", "value"]);
            error.unwrap_err().to_string()
        };
        assert_eq!(
            error("row,value\na,1\nb\n"),
            "a.csv:3: 1 field, the header has 2"
        );
        assert_eq!(error("row,text\na,1\n"), "column `value` is missing");
        assert!(
            error("").starts_with("a.csv: an empty file"),
            "{}",
            error("")
        );
    }

    /// The recorded files were written by several programs; ours writes the same bytes.
    #[test]
    fn recorded_files_are_written_as_they_are_read() {
        let results = concat!(env!("CARGO_MANIFEST_DIR"), "/../../results");
        let mut folders = vec![PathBuf::from(results)];
        let mut n_files = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.ends_with("verdicts.csv") {
                    // A log, which is added to and not written again.
                } else if path.extension().is_some_and(|it| it == "csv") {
                    let bytes = std::fs::read(&path).unwrap();
                    let header = bytes.split(|byte| *byte == b'\n').next().unwrap();
                    let header = String::from_utf8(header.to_vec()).unwrap();
                    let names: Vec<&'static str> = header.leak().split(',').collect();
                    let name = path.display().to_string();
                    let lines = from_csv(&name, &bytes, &names).unwrap();
                    let mut written = Vec::new();
                    csv_line(&mut written, names.into_iter().map(Some)).unwrap();
                    for line in lines {
                        csv_line(&mut written, line.iter().map(Option::as_deref)).unwrap();
                    }
                    assert!(written == bytes, "{name}");
                    n_files += 1;
                }
            }
        }
        assert!(n_files > 200, "{n_files}");
    }

    proptest::proptest! {
        #[test]
        fn any_text_survives_csv(texts in proptest::collection::vec("\\PC[\\PC\n\",]*", 1..5)) {
            let lines: Vec<_> = texts.into_iter().map(|text| [Some(text)]).collect();
            let bytes = to_csv(["value"], lines.clone());
            proptest::prop_assert_eq!(from_csv("", &bytes, &["value"]).unwrap(), lines);
        }
    }
}
