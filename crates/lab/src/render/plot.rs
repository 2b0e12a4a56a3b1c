//! `plot.svg`: a table as bars or lines; the same bytes for the same values.

use std::collections::BTreeMap;
use std::ops::Range;

use plotters::coord::Shift;
use plotters::prelude::*;

use super::named;
use crate::config::entry::{Entry, TableColumn};
use crate::config::envelope::{PlotKind, PlotSpec};
use crate::measured::{Measured, Table};
use crate::printed::{Printed, six_digits};

/// Width and height in pixels.
const SIZE: (u32, u32) = (760, 440);
/// Labels of an axis at most.
const MOST_LABELS: usize = 20;
/// Share of the place of a row that its bars fill.
const FILLED: f64 = 0.8;
/// Colors that color-blind people tell apart (Okabe and Ito), and that show on white.
/// Further lines have the same once more, dashed.
const COLORS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];
/// Pixels of a dash and of the gap after it.
const DASH: (u32, u32) = (7, 4);

/// Points or bars of one color.
#[derive(Debug, Default, PartialEq)]
struct Series {
    name: String,
    ours: Vec<(f64, f64)>,
    printed: Vec<(f64, f64)>,
}

/// The plot that the experiment asks for, if it does.
pub(super) fn plot_svg(entry: &Entry, table: &Table) -> Option<String> {
    let plot = entry.experiment.file.plot.as_ref()?;
    let rows = entry.rows(table);
    let label = |name: &str| {
        let column = entry.columns.iter().find(|column| column.name == name);
        column.map_or_else(String::new, named)
    };
    let x_label = plot.x.as_ref().map(|x| label(x.get_ref()));
    let labels: Vec<String> = plot.y.iter().map(label).collect();
    let y_label = match &labels[..] {
        [one] => one.clone(),
        _ => shared_unit(entry, plot),
    };
    let series = series_of(entry, plot, table, &rows);
    let mut text = String::new();
    let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
    let rows = plot.x.is_none().then_some(&rows[..]);
    // Text has no device that could fail.
    let drawn = draw(
        &area,
        plot.kind,
        &series,
        rows,
        [x_label.as_deref().unwrap_or("row"), &y_label],
    );
    drop(area);
    drawn.ok().map(|()| text + "\n")
}

/// The unit of all columns drawn, if they have the same.
fn shared_unit(entry: &Entry, plot: &PlotSpec) -> String {
    let drawn = |column: &&TableColumn| plot.y.iter().any(|name| name == column.name);
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

/// The values, by series in the order of the table. A value without a place is left out.
fn series_of(entry: &Entry, plot: &PlotSpec, table: &Table, rows: &[String]) -> Vec<Series> {
    let mut all: Vec<Series> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for (idx, row) in rows.iter().enumerate() {
        let ours = |column: &str| table.get(row, column);
        let printed = |column: &str| entry.experiment.printed(row, column)?.number();
        let x = plot.x.as_ref().map_or(Some(idx as f64), |column| {
            let column = column.get_ref();
            ours(column)
                .and_then(Measured::number)
                .or_else(|| printed(column))
        });
        let Some(x) = x else { continue };
        let part = plot.series.as_ref().map(|column| {
            let printed = entry.experiment.printed(row, column.get_ref());
            let printed = printed.map(Printed::to_string);
            ours(column.get_ref())
                .map(Measured::written)
                .or(printed)
                .unwrap_or_default()
        });
        for column in plot.y.iter() {
            let name = match (&part, plot.y.0.len()) {
                (None, _) => column.to_owned(),
                (Some(part), 1) => part.clone(),
                (Some(part), _) => format!("{part}, {column}"),
            };
            let at = *known.entry(name.clone()).or_insert_with(|| {
                all.push(Series {
                    name,
                    ..Series::default()
                });
                all.len() - 1
            });
            all[at]
                .ours
                .extend(ours(column).and_then(Measured::number).map(|y| (x, y)));
            all[at].printed.extend(printed(column).map(|y| (x, y)));
        }
    }
    // Rows with printed values come first in a table; a line goes from left to right.
    for one in &mut all {
        one.ours.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    all
}

/// The least range that holds all numbers, somewhat wider; bars are seen from zero.
fn range(numbers: impl Iterator<Item = f64>, from_zero: bool) -> Range<f64> {
    let start = if from_zero {
        (0.0, 0.0)
    } else {
        (f64::INFINITY, f64::NEG_INFINITY)
    };
    let (low, high) = numbers.fold(start, |(low, high), y| (low.min(y), high.max(y)));
    if low > high {
        return 0.0..1.0;
    }
    let margin = if high > low { 0.04 * (high - low) } else { 0.5 };
    let is_edge = from_zero && low == 0.0;
    (if is_edge { 0.0 } else { low - margin })..high + margin
}

/// Whether most lines end higher than they begin, so that the upper right corner is theirs.
fn rises(series: &[Series]) -> bool {
    let ends = |one: &Series| Some(one.ours.last()?.1 > one.ours.first()?.1);
    let n_rising = series.iter().filter(|one| ends(one) == Some(true)).count();
    2 * n_rising > series.len()
}

type Drawn<'a> = Result<(), DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>>;

/// Draws the series; over rows, whose names stand below, or over numbers.
fn draw<'a>(
    area: &DrawingArea<SVGBackend<'a>, Shift>,
    kind: PlotKind,
    series: &[Series],
    rows: Option<&[String]>,
    [x_label, y_label]: [&str; 2],
) -> Drawn<'a> {
    let points = || {
        series
            .iter()
            .flat_map(|one| one.ours.iter().chain(&one.printed))
    };
    let mut places: Vec<f64> = points().map(|point| point.0).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let gaps = places.windows(2).map(|pair| pair[1] - pair[0]);
    let gap = gaps.fold(f64::INFINITY, f64::min);
    let gap = if gap.is_finite() { gap } else { 1.0 };
    let xs = match rows {
        Some(rows) => -0.5..rows.len().max(1) as f64 - 0.5,
        None if kind == PlotKind::Bars => {
            let ends = places.first().zip(places.last());
            ends.map_or(0.0..1.0, |(first, last)| {
                first - gap / 2.0..last + gap / 2.0
            })
        }
        None => range(places.iter().copied(), false),
    };
    let ys = range(points().map(|point| point.1), kind == PlotKind::Bars);
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(72)
        .build_cartesian_2d(xs, ys)?;
    let name_of = |x: &f64| match rows {
        None => six_digits(*x),
        Some(rows) => {
            let here = rows
                .iter()
                .enumerate()
                .find(|(idx, _)| (*idx as f64 - x).abs() < 1e-6);
            here.map_or_else(String::new, |(_, row)| row.clone())
        }
    };
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .x_labels(
            rows.map_or(MOST_LABELS / 2, <[String]>::len)
                .clamp(2, MOST_LABELS),
        )
        .x_label_formatter(&name_of)
        .y_label_formatter(&|y| six_digits(*y))
        .x_desc(x_label)
        .y_desc(y_label)
        .draw()?;
    let width = FILLED * gap / series.len().max(1) as f64;
    for (idx, one) in series.iter().enumerate() {
        let color = COLORS[idx % COLORS.len()];
        let is_dashed = kind == PlotKind::Lines && idx >= COLORS.len();
        let (left, center) = match kind {
            PlotKind::Bars => {
                let left = idx as f64 * width - FILLED * gap / 2.0;
                (left, left + width / 2.0)
            }
            PlotKind::Lines => (0.0, 0.0),
        };
        let drawn = match kind {
            PlotKind::Bars => chart.draw_series(one.ours.iter().map(|(x, y)| {
                Rectangle::new([(x + left, 0.0), (x + left + width, *y)], color.filled())
            }))?,
            PlotKind::Lines if is_dashed => chart.draw_series(DashedLineSeries::new(
                one.ours.iter().copied(),
                DASH.0,
                DASH.1,
                color.stroke_width(2),
            ))?,
            PlotKind::Lines => chart.draw_series(LineSeries::new(
                one.ours.iter().copied(),
                color.stroke_width(2),
            ))?,
        };
        let height = if is_dashed { 1 } else { 4 };
        drawn.label(&one.name).legend(move |(x, y)| {
            Rectangle::new([(x + 4, y - height), (x + 16, y + height)], color.filled())
        });
        let printed = one.printed.iter().map(|(x, y)| (x + center, *y));
        // Beside its bar a circle is told by its place, beside lines that cross by its color.
        let ink = match kind {
            PlotKind::Bars => BLACK,
            PlotKind::Lines => color,
        };
        chart.draw_series(printed.map(|at| Circle::new(at, 4, ink.stroke_width(2))))?;
    }
    let corner = if kind == PlotKind::Lines && rises(series) {
        SeriesLabelPosition::LowerRight
    } else {
        SeriesLabelPosition::UpperRight
    };
    chart
        .configure_series_labels()
        .position(corner)
        .background_style(WHITE.mix(0.8))
        .draw()?;
    area.present()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(kind: PlotKind, series: &[Series], rows: Option<&[String]>) -> String {
        let mut text = String::new();
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        draw(&area, kind, series, rows, ["row", "moves"]).expect("text takes every drawing");
        drop(area);
        text
    }

    #[test]
    fn bars_stand_on_zero_and_lines_use_the_whole_height() {
        assert_eq!(range([5.0, 10.0].into_iter(), true), 0.0..10.4);
        assert_eq!(range([5.0, 10.0].into_iter(), false), 4.8..10.2);
        assert_eq!(range([3.0].into_iter(), false), 2.5..3.5);
        assert_eq!(range(std::iter::empty(), false), 0.0..1.0);
    }

    #[test]
    fn rising_lines_leave_the_lower_corner() {
        let line = |ours: &[(f64, f64)]| Series {
            ours: ours.to_vec(),
            ..Series::default()
        };
        let (up, down) = (
            line(&[(0.0, 1.0), (1.0, 3.0)]),
            line(&[(0.0, 3.0), (1.0, 1.0)]),
        );
        assert!(!rises(&[]));
        assert!(rises(std::slice::from_ref(&up)));
        assert!(!rises(&[up, down]));
    }

    #[test]
    fn what_is_printed_is_a_circle_beside_our_bars_or_lines() {
        let rows = ["a <b>".to_owned(), "c".to_owned()];
        let series = [
            Series {
                name: "first".to_owned(),
                ours: vec![(0.0, 1.0), (1.0, 3.0)],
                printed: vec![(1.0, 2.0)],
            },
            Series {
                name: "second".to_owned(),
                ours: vec![(0.0, 2.0)],
                printed: Vec::new(),
            },
        ];
        let bars = drawn(PlotKind::Bars, &series, Some(&rows));
        assert_eq!(bars.matches("<circle").count(), 1, "{bars}");
        for text in ["first", "second", "a &lt;b&gt;", "moves"] {
            assert!(bars.contains(text), "{text} is not in {bars}");
        }
        assert_eq!(bars, drawn(PlotKind::Bars, &series, Some(&rows)));
        let lines = drawn(PlotKind::Lines, &series, None);
        assert_eq!(lines.matches("<circle").count(), 1, "{lines}");
        assert!(!drawn(PlotKind::Lines, &[], None).contains("<circle"));
    }
}
