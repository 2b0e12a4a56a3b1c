//! A plot as SVG, narrow enough that its words can be read on a telephone.

use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{Axis, Panel, Plot, PlotKind, Series};
use crate::printed::six_digits;

/// Width in pixels; the height follows from what is drawn.
const WIDTH: u32 = 440;
/// Height of the only panel, and of one of several.
const HEIGHT: u32 = 250;
const HEIGHT_OF_SEVERAL: u32 = 180;
/// Height of a row of bars that lie, for each of its bars, and between rows.
const BAR: u32 = 15;
const GAP: u32 = 9;
/// Plotters writes four fifths of it: 13 pixels.
const FONT: f64 = 16.2;
/// About the width of a character, in pixels.
const CHARACTER: f64 = 7.2;
/// Height of a line of the legend.
const LINE: u32 = 19;
/// Of a swatch in the legend, with the gap after it.
const SWATCH: f64 = 22.0;
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

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn<'a> = Result<(), DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>>;

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

fn all<'a>(area: &Area<'a>, plot: &Plot, legend: &Legend, heights: &[u32]) -> Drawn<'a> {
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

/// What the colors and marks mean, above the panels; nothing if there is one series alone.
struct Legend {
    /// Name, mark, and place of each.
    entries: Vec<(String, Mark, (i32, i32))>,
    n_lines: u32,
}

#[derive(Clone, Copy)]
enum Mark {
    Bar(RGBColor),
    Line(RGBColor, bool),
    Published,
    Guide,
    Errors,
}

impl Legend {
    fn new(plot: &Plot) -> Self {
        let mut marks: Vec<(String, Mark)> = Vec::new();
        let series = plot.panels.first().map_or(&[][..], |panel| &panel.series);
        // Each of several panels names what it shows at its axis.
        let is_named = plot.panels.len() > 1 && series.len() == 1;
        let all = || plot.panels.iter().flat_map(|panel| &panel.series);
        let is_printed = all().any(|one| !one.printed.is_empty());
        let has_baseline = all().any(|one| !one.baseline.is_empty());
        if series.len() > 1 || is_printed && !is_named {
            marks.extend(series.iter().enumerate().map(|(idx, one)| {
                let (color, is_dashed) = color_of(idx);
                let mark = match plot.kind {
                    PlotKind::Bars => Mark::Bar(color),
                    PlotKind::Lines => Mark::Line(color, is_dashed),
                };
                (one.name.clone(), mark)
            }));
        }
        if is_printed {
            marks.push(("published".to_owned(), Mark::Published));
        }
        if let (Some(column), true) = (&plot.baseline, has_baseline) {
            marks.push((column.clone(), Mark::Guide));
        }
        if plot.has_diagonal {
            marks.push(("equal values".to_owned(), Mark::Guide));
        }
        if plot.has_errors {
            marks.push(("two standard errors".to_owned(), Mark::Errors));
        }
        let (mut x, mut line) = (8.0, 0);
        let entries = marks.into_iter().map(|(name, mark)| {
            let width = SWATCH + name.chars().count() as f64 * CHARACTER + 14.0;
            if x > 8.0 && x + width > f64::from(WIDTH) {
                (x, line) = (8.0, line + 1);
            }
            let place = (x as i32, line * LINE as i32 + 6);
            x += width;
            (name, mark, place)
        });
        let entries: Vec<_> = entries.collect();
        let n_lines = if entries.is_empty() {
            0
        } else {
            line as u32 + 1
        };
        Self { entries, n_lines }
    }

    fn height(&self) -> u32 {
        match self.n_lines {
            0 => 0,
            n => n * LINE + 8,
        }
    }

    fn draw<'a>(&self, area: &Area<'a>) -> Drawn<'a> {
        for (name, mark, (x, y)) in &self.entries {
            let (x, middle) = (*x, y + LINE as i32 / 2);
            match *mark {
                Mark::Bar(color) => area.draw(&Rectangle::new(
                    [(x + 2, middle - 5), (x + 14, middle + 5)],
                    color.filled(),
                ))?,
                Mark::Line(color, is_dashed) => {
                    let ends: &[[i32; 2]] = if is_dashed {
                        &[[0, 7], [9, 16]]
                    } else {
                        &[[0, 16]]
                    };
                    for [from, to] in ends {
                        let line = vec![(x + from, middle), (x + to, middle)];
                        area.draw(&PathElement::new(line, color.stroke_width(3)))?;
                    }
                }
                Mark::Published => {
                    area.draw(&Circle::new((x + 8, middle), 4, BLACK.stroke_width(2)))?;
                }
                Mark::Guide => {
                    for from in [0, 6, 12] {
                        let dash = vec![(x + from, middle), (x + from + 3, middle)];
                        area.draw(&PathElement::new(dash, BLACK.stroke_width(1)))?;
                    }
                }
                Mark::Errors => {
                    let line = vec![(x + 8, middle - 6), (x + 8, middle + 6)];
                    area.draw(&PathElement::new(line, BLACK.stroke_width(1)))?;
                }
            }
            let style = font().pos(Pos::new(HPos::Left, VPos::Center));
            area.draw(&Text::new(name.clone(), (x + SWATCH as i32, middle), style))?;
        }
        Ok(())
    }
}

fn font() -> TextStyle<'static> {
    ("sans-serif", FONT)
        .into_text_style(&(WIDTH, HEIGHT))
        .color(&BLACK)
}

/// The color of a series, and whether its line is dashed.
fn color_of(idx: usize) -> (RGBColor, bool) {
    (COLORS[idx % COLORS.len()], idx >= COLORS.len())
}

/// Numbers along an axis, as they are drawn, and how they are written.
struct Scale {
    range: Range<f64>,
    ticks: Vec<f64>,
    is_log: bool,
}

impl Scale {
    /// The least scale that holds all numbers, somewhat wider; `from_zero` also holds zero.
    fn new(numbers: impl Iterator<Item = f64>, axis: &Axis, from_zero: bool) -> Self {
        let is_log = axis.is_log;
        let drawn = numbers.filter_map(|number| place(number, is_log));
        let start = if from_zero && !is_log {
            (0.0, 0.0)
        } else {
            (f64::INFINITY, f64::NEG_INFINITY)
        };
        let (low, high) = drawn.fold(start, |(low, high), at| (low.min(at), high.max(at)));
        if low > high {
            return Self {
                range: 0.0..1.0,
                ticks: vec![0.0, 1.0],
                is_log: false,
            };
        }
        let margin = if high > low { 0.04 * (high - low) } else { 0.5 };
        let is_edge = from_zero && low == 0.0 && !is_log;
        let range = if is_edge { 0.0 } else { low - margin }..high + margin;
        let ticks = if is_log {
            log_ticks(&range)
        } else {
            ticks(&range, 5)
        };
        Self {
            range,
            ticks,
            is_log,
        }
    }

    fn ticked(&self) -> Ticked {
        Ticked {
            range: self.range.clone(),
            ticks: self.ticks.clone(),
        }
    }

    fn shown(&self, at: f64) -> String {
        six_digits(if self.is_log { 10f64.powf(at) } else { at })
    }

    /// Pixels of the longest label.
    fn widest(&self) -> u32 {
        let labels = self
            .ticks
            .iter()
            .map(|tick| self.shown(*tick).chars().count());
        (labels.max().unwrap_or(1) as f64 * CHARACTER) as u32
    }
}

/// An axis with the ticks that it has: of plotters' own axes none has both and a free choice of labels.
struct Ticked {
    range: Range<f64>,
    ticks: Vec<f64>,
}

impl Ranged for Ticked {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        let share = (value - self.range.start) / (self.range.end - self.range.start);
        from + (share * f64::from(to - from)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // Lines between the ticks are wanted as well: there are none.
        if hint.weight().allow_light_points() {
            Vec::new()
        } else {
            self.ticks.clone()
        }
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

/// Where a number is drawn; on a logarithmic axis only a positive one is.
fn place(number: f64, is_log: bool) -> Option<f64> {
    match is_log {
        false => Some(number),
        true => (number > 0.0).then(|| number.log10()),
    }
}

/// Round numbers within a range, about as many as wanted.
fn ticks(range: &Range<f64>, about: u32) -> Vec<f64> {
    let span = range.end - range.start;
    let unit = 10f64.powf((span / f64::from(about)).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * unit);
    let fits = |step: &f64| span / step <= f64::from(about) + 0.5;
    let step = steps.into_iter().find(fits).unwrap_or(10.0 * unit);
    let first = (range.start / step - 1e-9).ceil();
    let all = (0..2 * about).map(|idx| {
        // Without the noise of the last digits.
        let tick = (first + f64::from(idx)) * step;
        (tick / unit * 1e6).round() / 1e6 * unit
    });
    all.take_while(|tick| *tick <= range.end + 1e-9 * span)
        .collect()
}

/// Powers of ten within a range of logarithms; with their doubles and fives if they are few.
fn log_ticks(range: &Range<f64>) -> Vec<f64> {
    let powers = range.start.floor() as i32..=range.end.ceil() as i32;
    let steps: &[f64] = if range.end - range.start > 3.0 {
        &[1.0]
    } else {
        &[1.0, 2.0, 5.0]
    };
    let all = powers.flat_map(|power| {
        steps
            .iter()
            .map(move |step| f64::from(power) + step.log10())
    });
    all.filter(|at| range.contains(at)).collect()
}

/// Lines, or bars that stand, over numbers or over rows whose names are short.
fn upright<'a>(area: &Area<'a>, plot: &Plot, panel: &Panel, labels: u32) -> Drawn<'a> {
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
fn lying_bars<'a>(area: &Area<'a>, plot: &Plot, panel: &Panel) -> Drawn<'a> {
    let rows = plot.rows.as_deref().unwrap_or_default();
    let series: &[Series] = &panel.series;
    let xs = vertical(panel, plot, true);
    let widest = rows
        .iter()
        .map(|row| row.chars().count())
        .max()
        .unwrap_or(0);
    let labels = (widest as f64 * CHARACTER) as u32 + 14;
    let n_rows = rows.len().max(1) as f64;
    let ticks: Vec<f64> = (0..rows.len()).map(|idx| idx as f64).collect();
    let mut chart = ChartBuilder::on(area)
        .margin_top(8)
        .margin_right(14)
        .margin_left(4)
        .x_label_area_size(46)
        .y_label_area_size(labels.min(WIDTH / 2))
        .build_cartesian_2d(
            xs.ticked(),
            Ticked {
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
    use super::super::Point;
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
    fn bars_begin_at_zero_and_lines_use_the_whole_height() {
        let scale = |numbers: &[f64], from_zero| {
            Scale::new(numbers.iter().copied(), &Axis::default(), from_zero)
        };
        assert_eq!(scale(&[5.0, 10.0], true).range, 0.0..10.4);
        assert_eq!(scale(&[5.0, 10.0], false).range, 4.8..10.2);
        assert_eq!(scale(&[3.0], false).range, 2.5..3.5);
        assert_eq!(scale(&[], false).range, 0.0..1.0);
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks(&(0.0..10.4), 5), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        let small: Vec<String> = ticks(&(0.021..0.031), 5)
            .into_iter()
            .map(six_digits)
            .collect();
        assert_eq!(small, ["0.022", "0.024", "0.026", "0.028", "0.03"]);
        let shown: Vec<String> = log_ticks(&(-0.1..2.1))
            .into_iter()
            .map(|at| six_digits(10f64.powf(at)))
            .collect();
        assert_eq!(shown, ["1", "2", "5", "10", "20", "50", "100"]);
    }

    #[test]
    fn a_logarithmic_axis_has_no_place_for_zero() {
        assert_eq!(place(0.0, true), None);
        assert_eq!(place(100.0, true), Some(2.0));
        assert_eq!(place(-1.0, false), Some(-1.0));
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
