//! Measured values: the outputs of cells, summarized over replicates.

use std::collections::BTreeMap;

use schemars::JsonSchema;

use crate::published::{to_twelve_digits, twelve_digits};
use kibitz_experiment::{Datum, Field, FieldType, Output, Records, Value};

/// The figure that stands for several replicates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Summary {
    /// Their mean, with their standard deviation.
    #[default]
    Mean,
    /// Their median, with 1.4826 times their median absolute deviation: the standard deviation of
    /// normal replicates, robust against outliers.
    Median,
}

/// A measured value.
///
/// Of several replicates it is the mean or the median; of texts, the mode.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// The value itself.
    pub value: Scalar,
    /// Standard deviation over replicates, or its robust estimate beside a median; none for a single
    /// replicate.
    pub std_dev: Option<f64>,
    /// Number of replicates; for a text, of those with this text.
    pub n: u32,
    /// The value's own standard error, averaged over replicates.
    pub std_error: Option<f64>,
    /// Sample size, over all replicates.
    pub n_samples: Option<u64>,
    /// The replicates in their order, where they are kept.
    pub replicates: Option<Vec<f64>>,
}

/// A number or a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// A finite number.
    Number(f64),
    /// A text.
    Text(String),
}

/// Whether a spread is so small a part of its value that it comes from the rounding of floating-point
/// numbers.
pub fn is_noise(spread: f64, value: f64) -> bool {
    spread <= 1e-9 * value.abs()
}

impl Measurement {
    /// A number without spread.
    pub fn exact(value: f64) -> Self {
        Self {
            value: Scalar::Number(value),
            std_dev: None,
            n: 1,
            std_error: None,
            n_samples: None,
            replicates: None,
        }
    }

    /// The value, if it is a number.
    pub fn number(&self) -> Option<f64> {
        match &self.value {
            Scalar::Number(value) => Some(*value),
            Scalar::Text(_) => None,
        }
    }

    /// Its text in `table.csv`.
    pub fn written(&self) -> String {
        match &self.value {
            Scalar::Number(value) => twelve_digits(*value),
            Scalar::Text(text) => text.clone(),
        }
    }

    /// Whether both are the same result: numbers up to a relative 1e-9, texts and counts exactly.
    pub fn same_as(&self, other: &Self) -> bool {
        fn close(a: f64, b: f64) -> bool {
            (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
        }
        fn both(a: Option<f64>, b: Option<f64>) -> bool {
            match (a, b) {
                (Some(a), Some(b)) => close(a, b),
                (None, None) => true,
                _ => false,
            }
        }
        let values = match (&self.value, &other.value) {
            (Scalar::Number(a), Scalar::Number(b)) => close(*a, *b),
            // A text such as `12` comes back from a file as a number.
            _ => self.written() == other.written(),
        };
        // A spread suffers from cancellation: it is accurate relative to the value.
        let spread = match (self.std_dev, other.std_dev, self.number()) {
            (Some(a), Some(b), Some(value)) => {
                (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(value.abs())
            }
            (a, b, _) => both(a, b),
        };
        values
            && spread
            && self.n == other.n
            && both(self.std_error, other.std_error)
            && self.n_samples == other.n_samples
    }

    /// Summarizes the replicates of a value, in their order; `None` without any.
    fn of(replicates: &[&Value], summary: Summary) -> Option<Self> {
        let n = u32::try_from(replicates.len()).unwrap_or(u32::MAX);
        let numbers: Vec<_> = replicates
            .iter()
            .filter_map(|value| match value {
                Value::Number(number) => Some(*number),
                Value::Text(_) => None,
            })
            .collect();
        if numbers.len() < replicates.len() {
            return Self::of_texts(replicates);
        }
        let count = f64::from(n);
        let values: Vec<f64> = numbers.iter().map(|number| number.value).collect();
        let (center, spread) = match summary {
            Summary::Mean => {
                let mean = values.iter().sum::<f64>() / count;
                let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
                (mean, (squares / (count - 1.0)).sqrt())
            }
            Summary::Median => {
                let middle = median(values.clone())?;
                let apart = values.iter().map(|value| (value - middle).abs());
                (middle, 1.4826 * median(apart.collect())?)
            }
        };
        let std_errors: Option<Vec<f64>> = numbers.iter().map(|number| number.std_error).collect();
        let samples: Option<Vec<u64>> = numbers.iter().map(|number| number.n_samples).collect();
        // Rounded here, so that values are judged as they will be read back from the file.
        (n > 0).then(|| Self {
            value: Scalar::Number(to_twelve_digits(center)),
            std_dev: (n > 1).then(|| to_twelve_digits(spread)),
            n,
            std_error: std_errors
                .map(|errors| to_twelve_digits(errors.iter().sum::<f64>() / count)),
            n_samples: samples.map(|samples| samples.iter().sum()),
            replicates: (n > 1).then(|| values.iter().copied().map(to_twelve_digits).collect()),
        })
    }

    /// The mode of texts; the earliest of equally frequent ones.
    fn of_texts(replicates: &[&Value]) -> Option<Self> {
        let texts: Vec<String> = replicates
            .iter()
            .map(|value| match value {
                Value::Text(text) => text.clone(),
                Value::Number(number) => twelve_digits(number.value),
            })
            .collect();
        let count = |text: &String| texts.iter().filter(|other| *other == text).count();
        let common = texts.iter().rev().max_by_key(|text| count(text))?;
        Some(Self {
            value: Scalar::Text(common.clone()),
            std_dev: None,
            n: u32::try_from(count(common)).unwrap_or(u32::MAX),
            std_error: None,
            n_samples: None,
            replicates: None,
        })
    }
}

/// The median; `None` without values.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let (low, high) = (
        values.get(values.len().checked_sub(1)? / 2)?,
        values[values.len() / 2],
    );
    Some(f64::midpoint(*low, high))
}

/// Values by row and column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    values: BTreeMap<(String, String), Measurement>,
}

impl Table {
    /// A value.
    pub fn get(&self, row: &str, column: &str) -> Option<&Measurement> {
        // A map with owned pairs as keys has no lookup by borrowed pairs.
        self.values.get(&(row.to_owned(), column.to_owned()))
    }

    /// Sets a value; a new row stands behind the others.
    pub fn insert(&mut self, row: &str, column: &str, value: Measurement) {
        self.values
            .insert((row.to_owned(), column.to_owned()), value);
    }

    /// Row, column and value, row by row.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, &Measurement)> {
        self.values
            .iter()
            .map(|((row, column), value)| (row.as_str(), column.as_str(), value))
    }

    /// Adds the rows of a cell, summarized over its replicates by the `summary` of each column.
    ///
    /// A value that some replicates lack is left out: a mean over the rest would look complete.
    pub(crate) fn add_cell(&mut self, replicates: &[&Output], summary: impl Fn(&str) -> Summary) {
        let Some(first) = replicates.first() else {
            return;
        };
        for (row, column, _) in first.values() {
            let values: Option<Vec<&Value>> = replicates
                .iter()
                .map(|output| output.get(row, column))
                .collect();
            if let Some(measured) =
                values.and_then(|values| Measurement::of(&values, summary(column)))
            {
                self.insert(row, column, measured);
            }
        }
    }

    /// The rows that have values, each once.
    pub fn rows(&self) -> impl Iterator<Item = &str> {
        let mut last = None;
        let rows = self.values.keys().map(|(row, _)| row.as_str());
        rows.filter(move |row| last.replace(*row) != Some(*row))
    }

    /// Copies the values of these rows from another table.
    pub(crate) fn add_rows_of(&mut self, other: &Self, rows: &[String]) {
        for (row, column, value) in other.iter() {
            if rows.iter().any(|wanted| wanted == row) {
                self.insert(row, column, value.clone());
            }
        }
    }
}

/// The columns of a table that is read as a dataset, with one record a value.
pub fn table_fields() -> Vec<Field> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use kibitz_experiment::Number;

    fn measured(values: &[Value]) -> Measurement {
        Measurement::of(&values.iter().collect::<Vec<_>>(), Summary::Mean).unwrap()
    }

    #[test]
    fn replicates_become_mean_and_spread() {
        let all = measured(&[2.0.into(), 4.0.into(), 9.0.into()]);
        assert_eq!(all.value, Scalar::Number(5.0));
        assert_eq!(all.std_dev, Some(3.605_551_275_46)); // the square root of 13
        assert_eq!(all.n, 3);
        assert_eq!(measured(&[2.0.into()]).std_dev, None);
    }

    #[test]
    fn a_median_ignores_outliers() {
        let all = |last: f64| {
            let values = [1.0, 2.0, 3.0, 4.0, last].map(Value::from);
            Measurement::of(&values.iter().collect::<Vec<_>>(), Summary::Median).unwrap()
        };
        assert_eq!(all(5.0).value, Scalar::Number(3.0));
        assert_eq!(all(5.0).std_dev, Some(1.4826));
        assert_eq!(all(5e9).value, all(5.0).value);
        assert_eq!(all(5e9).std_dev, all(5.0).std_dev);
    }

    #[test]
    fn own_uncertainty_is_kept() {
        let number =
            |value, error, n| Value::from(Number::new(value).with_std_error(error).with_samples(n));
        let all = measured(&[number(1.0, 0.1, 10), number(1.0, 0.3, 30)]);
        assert_eq!(all.std_error, Some(0.2));
        assert_eq!(all.n_samples, Some(40));
    }

    #[test]
    fn the_commonest_text_wins() {
        let all = measured(&["a".into(), "b".into(), "b".into()]);
        assert_eq!((all.written().as_str(), all.n), ("b", 2));
        let tie = measured(&["a".into(), "b".into()]);
        assert_eq!((tie.written().as_str(), tie.n), ("a", 1));
    }

    #[test]
    fn a_value_missing_from_one_replicate_is_missing() {
        let mut whole = Output::default();
        whole.row("r").set("x", 1.0).set("y", 2.0);
        let mut half = Output::default();
        half.row("r").set("x", 3.0);
        let mut table = Table::default();
        table.add_cell(&[&whole, &half], |_| Summary::Mean);
        assert_eq!(table.get("r", "x").and_then(Measurement::number), Some(2.0));
        assert_eq!(table.get("r", "y"), None);
    }
}
