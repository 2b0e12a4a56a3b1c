//! Tables as polars frames: joining ours with print, and CSV that survives quotes and newlines.

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

/// Text columns of equal length, by name.
pub(crate) type TextColumns = Vec<(&'static str, Vec<Option<String>>)>;

/// Writes text columns as CSV with a header line.
pub(crate) fn to_csv(columns: TextColumns) -> Result<Vec<u8>, FrameError> {
    let height = columns.first().map_or(0, |(_, values)| values.len());
    let columns = columns
        .into_iter()
        .map(|(name, values)| Column::new(name.into(), values))
        .collect();
    let mut frame = DataFrame::new(height, columns)?;
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

/// A place in a table: row, column, and the index of what is there.
pub(crate) type Place<'a> = (&'a str, &'a str, u32);

/// What is in one place of the joined table, as indices into both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Joined {
    pub(crate) row: u32,
    pub(crate) column: u32,
    pub(crate) ours: Option<u32>,
    pub(crate) printed: Option<u32>,
}

/// Joins ours with print on row and column; the result is sorted as `rows` and `columns` are.
///
/// Every place appears, filled on either side or on neither.
pub(crate) fn join(
    rows: &[&str],
    columns: &[&str],
    ours: &[Place<'_>],
    printed: &[Place<'_>],
) -> Result<Vec<Joined>, FrameError> {
    let index = |idx: usize| u32::try_from(idx).unwrap_or(u32::MAX);
    let places: Vec<(usize, usize)> = (0..rows.len())
        .flat_map(|row| (0..columns.len()).map(move |column| (row, column)))
        .collect();
    let grid = df!(
        "row" => places.iter().map(|(row, _)| rows[*row]).collect::<Vec<_>>(),
        "column" => places.iter().map(|(_, column)| columns[*column]).collect::<Vec<_>>(),
        "row_idx" => places.iter().map(|(row, _)| index(*row)).collect::<Vec<_>>(),
        "column_idx" => places.iter().map(|(_, column)| index(*column)).collect::<Vec<_>>(),
    )?;
    let side = |name: &str, places: &[Place<'_>]| {
        df!(
            "row" => places.iter().map(|place| place.0).collect::<Vec<_>>(),
            "column" => places.iter().map(|place| place.1).collect::<Vec<_>>(),
            name => places.iter().map(|place| place.2).collect::<Vec<_>>(),
        )
    };
    let keys = ["row", "column"];
    let left = || JoinArgs::new(JoinType::Left);
    let joined = grid
        .join(&side("ours", ours)?, keys, keys, left(), None)?
        .join(&side("printed", printed)?, keys, keys, left(), None)?
        .sort(["row_idx", "column_idx"], SortMultipleOptions::default())?;
    let numbers = |name: &'static str| -> Result<Vec<Option<u32>>, FrameError> {
        Ok(joined.column(name)?.u32()?.iter().collect())
    };
    let (row, column) = (numbers("row_idx")?, numbers("column_idx")?);
    let (ours, printed) = (numbers("ours")?, numbers("printed")?);
    Ok((0..joined.height())
        .filter_map(|idx| {
            Some(Joined {
                row: row[idx]?,
                column: column[idx]?,
                ours: ours[idx],
                printed: printed[idx],
            })
        })
        .collect())
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
        let values: Vec<Option<String>> =
            texts.iter().map(|text| Some((*text).to_owned())).collect();
        let bytes = to_csv(vec![
            ("value", values.clone()),
            ("sd", vec![None; texts.len()]),
        ])
        .unwrap();
        let lines: Vec<_> = values.into_iter().map(|value| vec![value, None]).collect();
        assert_eq!(from_csv(&bytes, &["value", "sd"]).unwrap(), lines);
    }

    #[test]
    fn an_empty_table_is_a_header() {
        let bytes = to_csv(vec![("row", vec![]), ("value", vec![])]).unwrap();
        assert_eq!(String::from_utf8(bytes.clone()).unwrap(), "row,value\n");
        assert_eq!(
            from_csv(&bytes, &["value"]).unwrap(),
            Vec::<Vec<Option<String>>>::new()
        );
    }

    #[test]
    fn places_come_in_table_order() {
        let joined = join(
            &["b", "a"],
            &["y", "x"],
            &[("a", "x", 0), ("b", "y", 1)],
            &[("b", "y", 7)],
        )
        .unwrap();
        let found: Vec<_> = joined
            .iter()
            .map(|place| (place.row, place.column, place.ours, place.printed))
            .collect();
        assert_eq!(
            found,
            [
                (0, 0, Some(1), Some(7)),
                (0, 1, None, None),
                (1, 0, None, None),
                (1, 1, Some(0), None)
            ]
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_survives_csv(texts in proptest::collection::vec("\\PC[\\PC\n\",]*", 1..5)) {
            let values: Vec<Option<String>> = texts.into_iter().map(Some).collect();
            let bytes = to_csv(vec![("value", values.clone())]).unwrap();
            let lines: Vec<_> = values.into_iter().map(|value| vec![value]).collect();
            proptest::prop_assert_eq!(from_csv(&bytes, &["value"]).unwrap(), lines);
        }
    }
}
