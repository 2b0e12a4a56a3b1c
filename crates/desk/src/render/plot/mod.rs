//! `plot.svg`: a table as bars or lines; the same bytes for the same values.

mod draw;
mod legend;
mod scale;

use std::collections::BTreeMap;

use regex::{Captures, Regex};

use super::named;
use kibitz_lab::config::entry::{Entry, TableColumn};
use kibitz_lab::config::envelope::{PlotAxis, PlotKind, PlotSpec};
use kibitz_lab::measurement::{Measurement, Table};
use kibitz_lab::published::PublishedValue;

/// A value at a place of the horizontal axis.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    x: f64,
    y: f64,
    /// Two standard errors, where they are drawn.
    reach: Option<f64>,
}

/// Points or bars of one color.
#[derive(Debug, Default, PartialEq)]
struct Series {
    name: String,
    ours: Vec<Point>,
    printed: Vec<(f64, f64)>,
    baseline: Vec<(f64, f64)>,
}

#[derive(Debug, Default, PartialEq)]
struct Axis {
    label: String,
    is_log: bool,
}

/// Series on one vertical axis.
#[derive(Debug, Default, PartialEq)]
struct Panel {
    y: Axis,
    series: Vec<Series>,
}

/// What is drawn.
#[derive(Debug, PartialEq)]
struct Plot {
    kind: PlotKind,
    x: Axis,
    /// The names of the rows, where the rows are the places.
    rows: Option<Vec<String>>,
    has_diagonal: bool,
    has_errors: bool,
    /// The column of the baseline.
    baseline: Option<String>,
    panels: Vec<Panel>,
}

/// The plot that the experiment asks for, if it does.
pub(crate) fn plot_svg(entry: &Entry, table: &Table) -> Option<String> {
    let spec = entry.experiment.file.plot.as_ref()?;
    Some(draw::svg(&Plot::new(entry, spec, table)))
}

/// A row that is drawn, and what the pattern finds in its name.
struct Row<'r> {
    name: &'r str,
    shown: String,
    series: Option<String>,
    x: Option<f64>,
}

impl<'r> Row<'r> {
    /// The row, unless the pattern leaves it out.
    fn new(name: &'r str, pattern: Option<&Regex>) -> Option<Self> {
        let Some(pattern) = pattern else {
            return Some(Self {
                name,
                shown: name.to_owned(),
                series: None,
                x: None,
            });
        };
        let found = pattern.captures(name)?;
        let group = |name: &str| group(&found, name);
        Some(Self {
            name,
            shown: group("name").unwrap_or_else(|| name.to_owned()),
            series: group("series"),
            x: group("x").and_then(|text| text.parse().ok()),
        })
    }
}

fn group(found: &Captures<'_>, name: &str) -> Option<String> {
    Some(found.name(name)?.as_str().to_owned())
}

impl Plot {
    fn new(entry: &Entry, spec: &PlotSpec, table: &Table) -> Self {
        let pattern = spec.pattern().and_then(Result::ok);
        let has_group = |name: &str| {
            let mut names = pattern.iter().flat_map(Regex::capture_names).flatten();
            names.any(|known| known == name)
        };
        let over_rows = spec.x.is_none() && !spec.across && !has_group("x");
        let names = entry.rows(table);
        let rows: Vec<Row<'_>> = names
            .iter()
            .filter_map(|name| Row::new(name, pattern.as_ref()))
            .collect();
        let label = |name: &str| {
            let column = entry.columns.iter().find(|column| column.name == name);
            column.map_or_else(String::new, named)
        };
        let x_label = match (&spec.x_label, &spec.x) {
            (Some(label), _) => label.clone(),
            (None, Some(column)) => label(column.get_ref()),
            (None, None) => String::new(),
        };
        let columns: Vec<&str> = spec.y.iter().collect();
        let groups: Vec<&[&str]> = if spec.panels {
            columns.chunks(1).collect()
        } else {
            vec![&columns[..]]
        };
        let panels = groups.into_iter().map(|columns| Panel {
            y: Axis {
                label: match (&spec.y_label, columns) {
                    (Some(label), _) => label.clone(),
                    (None, [one]) => label(one),
                    (None, _) => shared_unit(entry, columns),
                },
                is_log: spec.log.contains(&PlotAxis::Y),
            },
            series: series_of(entry, spec, table, &rows, columns, over_rows),
        });
        Self {
            kind: spec.kind,
            x: Axis {
                label: x_label,
                is_log: spec.log.contains(&PlotAxis::X),
            },
            has_diagonal: spec.diagonal,
            has_errors: spec.errors,
            baseline: spec.baseline.as_ref().map(|name| name.get_ref().clone()),
            panels: panels.collect(),
            rows: over_rows.then(|| rows.iter().map(|row| row.shown.clone()).collect()),
        }
    }
}

/// The unit of all columns drawn, if they have the same.
fn shared_unit(entry: &Entry, columns: &[&str]) -> String {
    let drawn = |column: &&TableColumn| columns.contains(&column.name.as_str());
    let mut units = entry
        .columns
        .iter()
        .filter(drawn)
        .map(|column| &column.unit);
    let first = units.next().cloned().unwrap_or_default();
    if units.all(|unit| *unit == first) {
        first
    } else {
        String::new()
    }
}

/// The number at the end of a column's name: 3 of `p3`.
fn number_of(column: &str) -> Option<f64> {
    let digits = column.trim_start_matches(|c: char| !c.is_ascii_digit());
    digits.parse().ok()
}

/// The values, by series in the order of the table. A value without a place is left out.
fn series_of(
    entry: &Entry,
    spec: &PlotSpec,
    table: &Table,
    rows: &[Row<'_>],
    columns: &[&str],
    over_rows: bool,
) -> Vec<Series> {
    let mut all: Vec<Series> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for (idx, row) in rows.iter().enumerate() {
        let ours = |column: &str| table.get(row.name, column);
        let printed = |column: &str| entry.experiment.printed(row.name, column)?.number();
        let number = |column: &str| {
            let own = ours(column).and_then(Measurement::number);
            own.or_else(|| printed(column))
        };
        let in_column = spec.x.as_ref().and_then(|column| number(column.get_ref()));
        let part = row.series.clone().or_else(|| {
            let column = spec.series.as_ref()?.get_ref();
            let printed = entry.experiment.printed(row.name, column);
            let printed = printed.map(PublishedValue::to_string);
            Some(
                ours(column)
                    .map(Measurement::written)
                    .or(printed)
                    .unwrap_or_default(),
            )
        });
        let part = part.or_else(|| spec.across.then(|| row.shown.clone()));
        for (at_column, column) in columns.iter().enumerate() {
            let x = if over_rows {
                Some(idx as f64)
            } else if spec.across {
                number_of(column).or(Some(at_column as f64))
            } else {
                row.x.or(in_column)
            };
            let Some(x) = x else { continue };
            let name = match &part {
                None => (*column).to_owned(),
                Some(part) if spec.across || columns.len() == 1 => part.clone(),
                Some(part) => format!("{part}, {column}"),
            };
            let at = *known.entry(name.clone()).or_insert_with(|| {
                all.push(Series {
                    name,
                    ..Series::default()
                });
                all.len() - 1
            });
            let value = ours(column);
            let reach = value.filter(|_| spec.errors).and_then(|value| {
                let error = value.std_error.or_else(|| {
                    let deviation = value.std_dev?;
                    (value.n > 1).then(|| deviation / f64::from(value.n).sqrt())
                });
                error.map(|error| 2.0 * error)
            });
            let one = &mut all[at];
            let point = value.and_then(Measurement::number);
            one.ours.extend(point.map(|y| Point { x, y, reach }));
            one.printed.extend(printed(column).map(|y| (x, y)));
            if let Some(column) = &spec.baseline {
                one.baseline
                    .extend(number(column.get_ref()).map(|y| (x, y)));
            }
        }
    }
    // Rows with published values come first in a table; a line goes from left to right.
    for one in &mut all {
        one.ours.sort_by(|a, b| a.x.total_cmp(&b.x));
        one.baseline.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_names_series_places_and_rows() {
        let pattern = Regex::new(r"^(?:all, (?<series>\d+ players), (?<x>\d+) games?)$").ok();
        let row = Row::new("all, 5 players, 20 games", pattern.as_ref()).expect("it is drawn");
        assert_eq!(row.series.as_deref(), Some("5 players"));
        assert_eq!(row.x, Some(20.0));
        assert_eq!(row.shown, "all, 5 players, 20 games");
        assert!(Row::new("four, 5 players, 20 games", pattern.as_ref()).is_none());
        assert!(Row::new("anything", None).is_some());
    }

    #[test]
    fn columns_across_have_the_numbers_of_their_names() {
        assert_eq!(number_of("p3"), Some(3.0));
        assert_eq!(number_of("within-12"), Some(12.0));
        assert_eq!(number_of("above"), None);
    }
}
