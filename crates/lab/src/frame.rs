//! Tables as polars frames: CSV that survives quotes and newlines.

use std::io::Cursor;

use polars::prelude::*;

/// Why a table cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum FrameError {
    /// polars refuses, for example because a CSV file is damaged.
    #[error(transparent)]
    Polars(#[from] PolarsError),
    /// A column the table should have is missing.
    #[error("column `{0}` is missing")]
    MissingColumn(&'static str),
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
