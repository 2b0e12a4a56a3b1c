//! Published figures as data, for methods that take them as input.

use std::{collections::BTreeMap, sync::Arc};

use kibitz_experiment::{CellError, Context, Field, FieldType, Records, Values};
use kibitz_heuristics::chute::N_HEURISTICS;
use kibitz_stats::moments::PairedMoments;
use kibitz_tables::{Layout, Table, TableError};

use crate::scored_games::score_row;

/// The table of scores over all positions, and that over those where the moves differ.
pub(crate) const SCORE_TABLES: [&str; 2] = ["table4-2-1", "table4-2-2"];

/// Columns of the tables of scores, in the order of [`figures`].
pub(crate) const COLUMNS: [&str; 7] = [
    "chute-mean",
    "chute-sd",
    "master-mean",
    "master-sd",
    "mean-diff",
    "sd-diff",
    "norm-diff",
];

/// Our figures for a row of a table of scores.
pub(crate) fn figures(pairs: PairedMoments) -> [Option<f64>; COLUMNS.len()] {
    let PairedMoments {
        first,
        second,
        difference,
    } = pairs;
    [
        first.mean(),
        first.std_dev(),
        second.mean(),
        second.std_dev(),
        difference.mean(),
        difference.std_dev(),
        pairs.normalized_difference(),
    ]
}

/// Published values: the figures of a data file with the columns table, row, column and printed.
pub(crate) struct PublishedFigures {
    file: String,
    figures: BTreeMap<[Arc<str>; 3], f64>,
}

impl PublishedFigures {
    /// Reads the figures.
    pub(crate) fn read(data: &str, ctx: &Context<'_>) -> Result<Self, CellError> {
        let file = ctx.data(data)?;
        let text = |name| Field::new(name, FieldType::Text, "", "");
        let printed = Field::new("printed", FieldType::Float, "", "");
        let fields = [text("table"), text("row"), text("column"), printed];
        let mut figures = BTreeMap::new();
        let table = Table::open(&file, Layout::default())?;
        table.read(&fields, None, |records| {
            add(&records, &mut figures);
            Ok::<_, TableError>(())
        })?;
        let file = file.entry().to_owned();
        Ok(Self { file, figures })
    }

    /// A figure.
    pub(crate) fn figure(&self, table: &str, row: &str, column: &str) -> Result<f64, CellError> {
        let place = [table, row, column].map(Arc::from);
        self.figures.get(&place).copied().ok_or_else(|| {
            let file = &self.file;
            CellError::new(format!("`{file}` has no `{row}.{column}` of {table}"))
        })
    }

    /// The correlations of Table 4.3, by heuristic.
    pub(crate) fn correlations(&self) -> Result<Vec<f64>, CellError> {
        let of = |heuristic| self.figure("table4-3", &score_row(heuristic), "cor");
        (0..N_HEURISTICS).map(of).collect()
    }

    /// The figures of a table of [`SCORE_TABLES`]: each heuristic's row, then the polynomial's.
    pub(crate) fn scores(&self, table: &str) -> Result<Vec<[f64; COLUMNS.len()]>, CellError> {
        let row = |number| {
            let row = score_row(number);
            let mut figures = [0.0; COLUMNS.len()];
            for (figure, column) in figures.iter_mut().zip(COLUMNS) {
                *figure = self.figure(table, &row, column)?;
            }
            Ok(figures)
        };
        (0..=N_HEURISTICS).map(row).collect()
    }
}

fn add(records: &Records, found: &mut BTreeMap<[Arc<str>; 3], f64>) {
    let mut texts: Vec<&[Option<Arc<str>>]> = Vec::new();
    let mut numbers: &[Option<f64>] = &[];
    for (_, values) in records.columns() {
        match values {
            Values::Text(values) => texts.push(values),
            Values::Float(values) => numbers = values,
            _ => {}
        }
    }
    for (line, number) in numbers.iter().enumerate() {
        let name = |place: usize| texts.get(place)?.get(line)?.clone();
        if let (Some(table), Some(row), Some(column), Some(number)) =
            (name(0), name(1), name(2), number)
        {
            found.insert([table, row, column], *number);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    /// The data file repeats the published values of the experiments, and is complete for three tables.
    #[test]
    fn print_is_that_of_the_experiments() {
        let csv = include_str!("../../../data/sugar1975/print.csv");
        let read: BTreeMap<&str, f64> = csv
            .lines()
            .skip(1)
            .map(|line| {
                let (place, value) = line.rsplit_once(',').unwrap();
                (place, value.parse().unwrap())
            })
            .collect();
        let mut printed = BTreeMap::new();
        let folder = "../../experiments/sugar1975";
        let whole = ["table4-2-1", "table4-2-2", "table4-3"];
        for table in whole.into_iter().chain(["ranking", "variance-explained"]) {
            let text = std::fs::read_to_string(format!("{folder}/{table}.toml")).unwrap();
            let file: toml::Table = text.parse().unwrap();
            for (row, values) in file["published"].as_table().unwrap() {
                for (column, value) in values.as_table().unwrap() {
                    let value = value
                        .as_float()
                        .or(value.as_integer().map(|value| value as f64));
                    if let Some(value) = value {
                        printed.insert(format!("{table},{row},{column}"), value);
                    }
                }
            }
        }
        for (place, value) in &read {
            assert_eq!(Some(value), printed.get(*place), "{place}");
        }
        for place in printed.keys() {
            let is_whole = whole
                .iter()
                .any(|table| place.starts_with(&format!("{table},")));
            assert!(!is_whole || read.contains_key(place.as_str()), "{place}");
        }
    }
}
