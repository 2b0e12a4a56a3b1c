//! A plot as SVG, narrow enough that its words can be read on a telephone.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::legend::Legend;
use super::scale::{Scale, TickedAxis, place};
use super::{Panel, Plot, PlotKind, Series};

/// Width in pixels; the height follows from what is drawn.
pub(super) const WIDTH: u32 = 440;
/// Height of the only panel, and of one of several.
const HEIGHT: u32 = 250;
const HEIGHT_OF_SEVERAL: u32 = 180;
/// Height of a row of bars that lie, for each of its bars, and between rows.
const BAR: u32 = 15;
const GAP: u32 = 9;
/// Plotters writes four fifths of it: 13 pixels.
const FONT: f64 = 16.2;
/// About the width of a character, in pixels.
pub(super) const CHARACTER: f64 = 7.2;
/// Share of the place of a row that its bars fill.
const FILLED: f64 = 0.8;
/// Bars are drawn upright only if the names of the rows have room below them.
const PLOT_WIDTH: f64 = 350.0;
/// Colors that color-blind readers distinguish (Okabe and Ito), and that show on white.
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
/// Of lines that are no values.
const GUIDE: (u32, u32) = (2, 3);

pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(super) type DrawResult<'a> =
    Result<(), DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>>;

/// The plot as a file.
pub(super) fn svg(plot: &Plot) -> String {
    let legend = Legend::new(plot);
    let heights: Vec<u32> = plot
        .panels
        .iter()
        .map(|panel| height(plot, panel))
        .collect();
    let size = (WIDTH, legend.height() + heights.iter().sum::<u32>());
    let mut text = String::new();
    let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
    // Text has no device that could fail.
    let _ = all(&area, plot, &legend, &heights);
    drop(area);
    text + "\n"
}

fn all<'a>(area: &Area<'a>, plot: &Plot, legend: &Legend, heights: &[u32]) -> DrawResult<'a> {
    area.fill(&WHITE)?;
    let (top, mut rest) = area.split_vertically(legend.height());
    legend.draw(&top)?;
    // Panels below each other have one place for their labels, so that their axes are in line.
    let is_bars = plot.kind == PlotKind::Bars;
    let widths = plot.panels.iter();
    let labels = widths.map(|panel| vertical(panel, plot, is_bars).widest());
    let labels = labels.max().unwrap_or(0);
    for (panel, height) in plot.panels.iter().zip(heights) {
        let (own, below) = rest.split_vertically(*height);
        if lies(plot, panel) {
            lying_bars(&own, plot, panel)?;
        } else {
            upright(&own, plot, panel, labels)?;
        }
        rest = below;
    }
    area.present()
}

/// Whether bars go from left to right, for the names of their rows have no room below them.
fn lies(plot: &Plot, panel: &Panel) -> bool {
    let Some(rows) = plot.rows.as_ref().filter(|_| plot.kind == PlotKind::Bars) else {
        return false;
    };
    let widest = rows
        .iter()
        .map(|row| row.chars().count())
        .max()
        .unwrap_or(0);
    let room = PLOT_WIDTH / rows.len().max(1) as f64;
    widest as f64 * CHARACTER > room || rows.len() * panel.series.len() > 40
}

fn height(plot: &Plot, panel: &Panel) -> u32 {
    if lies(plot, panel) {
        let n_rows = plot.rows.as_ref().map_or(0, Vec::len);
        let n_rows = u32::try_from(n_rows).unwrap_or(u32::MAX / 1000);
        let n_series = u32::try_from(panel.series.len().max(1)).unwrap_or(1);
        n_rows * (BAR * n_series + GAP) + 56
    } else if plot.panels.len() == 1 {
        HEIGHT
    } else {
        HEIGHT_OF_SEVERAL
    }
}

pub(super) fn font() -> TextStyle<'static> {
    ("sans-serif", FONT)
        .into_text_style(&(WIDTH, HEIGHT))
        .color(&BLACK)
}

/// A number as a coordinate.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a plot has a few hundred pixels"
)]
pub(super) fn pixels(number: f64) -> i32 {
    number as i32
}

/// The color of a series, and whether its line is dashed.
pub(super) fn color_of(idx: usize) -> (RGBColor, bool) {
    (COLORS[idx % COLORS.len()], idx >= COLORS.len())
}

/// Lines, or bars that stand, over numbers or over rows whose names are short.
fn upright<'a>(area: &Area<'a>, plot: &Plot, panel: &Panel, labels: i32) -> DrawResult<'a> {
    let is_bars = plot.kind == PlotKind::Bars;
    let series = &panel.series;
    let mut places: Vec<f64> = (series.iter())
        .flat_map(|one| {
            let ours = one.ours.iter().map(|point| point.x);
            ours.chain(one.printed.iter().map(|point| point.0))
        })
        .collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let gaps = places.windows(2).map(|pair| pair[1] - pair[0]);
    let gap = gaps.fold(f64::INFINITY, f64::min);
    let gap = if gap.is_finite() { gap } else { 1.0 };
    let mut xs = Scale::new(places.iter().copied(), &plot.x, false);
    if let Some(rows) = &plot.rows {
        xs.range = -0.5..rows.len().max(1) as f64 - 0.5;
        xs.ticks = (0..rows.len()).map(|idx| idx as f64).collect();
    } else if let (true, Some(first), Some(last)) = (is_bars, places.first(), places.last()) {
        xs.range = first - gap / 2.0..last + gap / 2.0;
    } else if plot.x.is_log && places.len() <= 8 {
        xs.ticks = places.iter().filter_map(|x| place(*x, true)).collect();
    }
    let ys = vertical(panel, plot, is_bars);
    if plot.has_diagonal {
        (xs.range, xs.ticks) = (ys.range.clone(), ys.ticks.clone());
    }
    let mut chart = ChartBuilder::on(area)
        .margin_top(8)
        .margin_right(14)
        .margin_left(4)
        .x_label_area_size(46)
        .y_label_area_size(labels + 32)
        .build_cartesian_2d(xs.ticked(), ys.ticked())?;
    let name_of = |x: &f64| match &plot.rows {
        None => xs.shown(*x),
        Some(rows) => {
            let here = (rows.iter().enumerate()).find(|(idx, _)| (*idx as f64 - x).abs() < 1e-6);
            here.map_or_else(String::new, |(_, row)| row.clone())
        }
    };
    chart
        .configure_mesh()
        .disable_x_mesh()
        .bold_line_style(BLACK.mix(0.15))
        .light_line_style(TRANSPARENT)
        .axis_style(BLACK.mix(0.5))
        .label_style(font())
        .axis_desc_style(font())
        .x_label_formatter(&name_of)
        .y_label_formatter(&|y| ys.shown(*y))
        .x_desc(plot.x.label.as_str())
        .y_desc(panel.y.label.as_str())
        .draw()?;
    let at = |x: f64, y: f64| Some((place(x, xs.is_log)?, place(y, ys.is_log)?));
    if plot.has_diagonal {
        let line = [ys.range.start, ys.range.end].map(|end| (end, end));
        chart.draw_series(DashedLineSeries::new(
            line,
            GUIDE.0,
            GUIDE.1,
            BLACK.stroke_width(1),
        ))?;
    }
    let width = FILLED * gap / series.len().max(1) as f64;
    for (idx, one) in series.iter().enumerate() {
        let (color, is_dashed) = color_of(idx);
        let baseline = one.baseline.iter().filter_map(|(x, y)| at(*x, *y));
        let thin = color.stroke_width(1);
        chart.draw_series(DashedLineSeries::new(baseline, GUIDE.0, GUIDE.1, thin))?;
        let left = idx as f64 * width - FILLED * gap / 2.0;
        let points = || {
            let points = one.ours.iter();
            points.filter_map(|point| Some((*point, at(point.x, point.y)?)))
        };
        for (point, (x, _)) in points().filter(|_| !is_bars) {
            let Some(reach) = point.reach.filter(|reach| *reach > 0.0) else {
                continue;
            };
            let ends = [point.y - reach, point.y + reach];
            let lowest = ys.range.start;
            let ends = ends.map(|y| place(y, ys.is_log).unwrap_or(lowest));
            let [low, high] = ends.map(|y| y.clamp(ys.range.start, ys.range.end));
            chart.plotting_area().draw(&PathElement::new(
                vec![(x, low), (x, high)],
                color.mix(0.6).stroke_width(2),
            ))?;
        }
        if is_bars {
            chart.draw_series(points().map(|(_, (x, y))| {
                Rectangle::new([(x + left, 0.0), (x + left + width, y)], color.filled())
            }))?;
        } else if is_dashed {
            let line = points().map(|(_, at)| at);
            chart.draw_series(DashedLineSeries::new(
                line,
                DASH.0,
                DASH.1,
                color.stroke_width(2),
            ))?;
        } else {
            chart.draw_series(LineSeries::new(
                points().map(|(_, at)| at),
                color.stroke_width(2),
            ))?;
        }
        if !is_bars {
            // A small square: circles are published values.
            for (_, at) in points() {
                let dot = EmptyElement::at(at) + Rectangle::new([(-2, -2), (2, 2)], color.filled());
                chart.plotting_area().draw(&dot)?;
            }
        }
        let center = if is_bars { left + width / 2.0 } else { 0.0 };
        let printed = one.printed.iter().filter_map(|(x, y)| at(*x, *y));
        // Beside its bar a circle is known by its place, beside lines that cross by its color.
        let ink = if is_bars { BLACK } else { color };
        let printed = printed.map(|(x, y)| (x + center, y));
        chart.draw_series(printed.map(|at| Circle::new(at, 4, ink.stroke_width(2))))?;
    }
    Ok(())
}

/// The vertical scale of a panel; with a diagonal it is that of the horizontal axis as well.
fn vertical(panel: &Panel, plot: &Plot, from_zero: bool) -> Scale {
    let numbers = panel.series.iter().flat_map(|one| {
        let ours = one.ours.iter().flat_map(|point| {
            let reach = point.reach.filter(|_| !panel.y.is_log).unwrap_or(0.0);
            [point.y - reach, point.y + reach]
        });
        let printed = one.printed.iter().chain(&one.baseline);
        ours.chain(printed.map(|point| point.1))
    });
    let places = panel
        .series
        .iter()
        .flat_map(|one| one.ours.iter().map(|point| point.x));
    let places = places.filter(|_| plot.has_diagonal);
    Scale::new(numbers.chain(places), &panel.y, from_zero)
}

/// Bars from left to right, a row below the other, each with its value.
fn lying_bars<'a>(area: &Area<'a>, plot: &Plot, panel: &Panel) -> DrawResult<'a> {
    let rows = plot.rows.as_deref().unwrap_or_default();
    let series: &[Series] = &panel.series;
    let xs = vertical(panel, plot, true);
    let widest = rows
        .iter()
        .map(|row| row.chars().count())
        .max()
        .unwrap_or(0);
    let labels = pixels(widest as f64 * CHARACTER) + 14;
    let n_rows = rows.len().max(1) as f64;
    let ticks: Vec<f64> = (0..rows.len()).map(|idx| idx as f64).collect();
    let mut chart = ChartBuilder::on(area)
        .margin_top(8)
        .margin_right(14)
        .margin_left(4)
        .x_label_area_size(46)
        .y_label_area_size(labels.min(pixels(f64::from(WIDTH)) / 2))
        .build_cartesian_2d(
            xs.ticked(),
            TickedAxis {
                // The range is reversed, so that the first row is at the top as in the table.
                range: n_rows - 0.5..-0.5,
                ticks,
            },
        )?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .bold_line_style(BLACK.mix(0.15))
        .light_line_style(TRANSPARENT)
        .axis_style(BLACK.mix(0.5))
        .label_style(font())
        .axis_desc_style(font())
        .x_label_formatter(&|x| xs.shown(*x))
        .y_label_formatter(&|y| {
            let here = (rows.iter().enumerate()).find(|(idx, _)| (*idx as f64 - y).abs() < 1e-6);
            here.map_or_else(String::new, |(_, row)| row.clone())
        })
        .x_desc(panel.y.label.as_str())
        .draw()?;
    let width = FILLED / series.len().max(1) as f64;
    for (idx, one) in series.iter().enumerate() {
        let (color, _) = color_of(idx);
        let top = idx as f64 * width - FILLED / 2.0;
        // A logarithmic axis has no zero to begin at.
        let start = xs
            .range
            .start
            .max(if xs.is_log { xs.range.start } else { 0.0 });
        let bars = one
            .ours
            .iter()
            .filter_map(|point| Some((point.x, place(point.y, xs.is_log)?)));
        chart.draw_series(bars.map(|(row, to)| {
            let corners = [(start, row + top), (to, row + top + width)];
            Rectangle::new(corners, color.filled())
        }))?;
        let printed = one
            .printed
            .iter()
            .filter_map(|(row, value)| Some((place(*value, xs.is_log)?, row + top + width / 2.0)));
        chart.draw_series(printed.map(|at| Circle::new(at, 4, BLACK.stroke_width(2))))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{Axis, Point};
    use super::*;

    fn axis(label: &str, is_log: bool) -> Axis {
        Axis {
            label: label.to_owned(),
            is_log,
        }
    }

    fn points(of: &[(f64, f64)]) -> Vec<Point> {
        let point = |(x, y): &(f64, f64)| Point {
            x: *x,
            y: *y,
            reach: None,
        };
        of.iter().map(point).collect()
    }

    fn plot(kind: PlotKind, series: Vec<Series>, rows: Option<&[&str]>) -> Plot {
        Plot {
            kind,
            x: axis("row", false),
            rows: rows.map(|rows| rows.iter().map(|row| (*row).to_owned()).collect()),
            has_diagonal: false,
            has_errors: false,
            baseline: None,
            panels: vec![Panel {
                y: axis("moves", false),
                series,
            }],
        }
    }

    #[test]
    fn published_values_are_circles_beside_bars_or_lines() {
        let series = || {
            vec![
                Series {
                    name: "first".to_owned(),
                    ours: points(&[(0.0, 1.0), (1.0, 3.0)]),
                    printed: vec![(1.0, 2.0)],
                    baseline: Vec::new(),
                },
                Series {
                    name: "second".to_owned(),
                    ours: points(&[(0.0, 2.0)]),
                    ..Series::default()
                },
            ]
        };
        let rows: [&[&str]; 2] = [
            &["a <b>", "c"],
            &[
                "a <b>",
                "a row whose name has no room below its bars, and lies",
            ],
        ];
        for rows in rows {
            let bars = svg(&plot(PlotKind::Bars, series(), Some(rows)));
            // One in the legend.
            assert_eq!(bars.matches("<circle").count(), 2, "{bars}");
            for text in ["first", "second", "a &lt;b&gt;", "moves", "published"] {
                assert!(bars.contains(text), "{text} is not in {bars}");
            }
            assert_eq!(bars, svg(&plot(PlotKind::Bars, series(), Some(rows))));
        }
        let lines = svg(&plot(PlotKind::Lines, series(), None));
        assert_eq!(lines.matches("<circle").count(), 2, "{lines}");
        assert!(!svg(&plot(PlotKind::Lines, Vec::new(), None)).contains("<circle"));
    }

    #[test]
    fn guides_and_errors_are_named() {
        let mut one = plot(
            PlotKind::Lines,
            vec![Series {
                name: "one".to_owned(),
                ours: vec![Point {
                    x: 1.0,
                    y: 10.0,
                    reach: Some(2.0),
                }],
                baseline: vec![(1.0, 5.0), (10.0, 5.0)],
                ..Series::default()
            }],
            None,
        );
        one.baseline = Some("chance".to_owned());
        (one.has_diagonal, one.has_errors) = (true, true);
        (one.x.is_log, one.panels[0].y.is_log) = (true, true);
        let drawn = svg(&one);
        for text in ["chance", "equal values", "two standard errors"] {
            assert!(drawn.contains(text), "{text} is not in {drawn}");
        }
    }
}
