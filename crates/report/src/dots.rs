//! Values as dots: differences in standard errors, and both values on their own scale.

use kibitz_lab::record::{RecordedCell, RecordedColumn, RecordedTable};
use kibitz_lab::{Counts, Outcome};
use kibitz_svg::at;
use maud::{Markup, html};

use crate::context::View;
use crate::number::{in_errors, tick, ticks};
use crate::outcomes::{self, class, key, mark_at};

/// Differences beyond so many standard errors are drawn at the edge.
const EDGE: f64 = 8.0;
/// Tables of more printed rows are too long to draw.
const MOST_ROWS: usize = 48;
/// So few rows are drawn on the scale of their column, too.
const FEW_ROWS: usize = 8;
/// Of a panel.
const WIDTH: f64 = 260.0;
const RIGHT: f64 = 8.0;

/// Longer names of rows are cut.
const LONGEST_LABEL: usize = 24;

/// The cells of a column that can be drawn.
type PlottedCells<'t> = Vec<&'t RecordedCell>;

/// The columns that have a value of a kind, each with its cells of another.
fn columns(
    table: &RecordedTable,
    is_reason: impl Fn(&RecordedCell) -> bool,
    is_drawn: impl Fn(&RecordedCell) -> bool,
) -> Vec<(&RecordedColumn, PlottedCells<'_>)> {
    let drawn = table.columns.iter().filter_map(|column| {
        let own = table.cells.iter().filter(|cell| cell.column == column.name);
        let own: PlottedCells<'_> = own.filter(|cell| is_drawn(cell)).collect();
        own.iter()
            .any(|cell| is_reason(cell))
            .then_some((column, own))
    });
    drawn.collect()
}

/// Published and reproduced values of the first column that can be drawn on its own scale.
pub(crate) fn first(view: &View<'_>) -> Option<Markup> {
    let drawn = columns(view.table, has_scale, has_both);
    let (column, cells) = drawn
        .into_iter()
        .find(|(_, cells)| cells.len() <= MOST_ROWS)?;
    Some(html! { div.panels { (scale(column, &cells)) } p.meta { (legend_of_values()) } })
}

/// Both drawings of a table, as far as they can be made.
pub(crate) fn figure(view: &View<'_>) -> Markup {
    let table = view.table;
    let printed = table.cells.iter().filter(|cell| cell.printed.is_some());
    let mut rows: Vec<&str> = printed.map(|cell| cell.row.as_str()).collect();
    rows.dedup();
    if rows.is_empty() || rows.len() > MOST_ROWS {
        return html! {};
    }
    let has_errors = |cell: &RecordedCell| cell.errors.is_some();
    let in_errors = columns(table, has_errors, has_errors);
    let on_scale = if rows.len() <= FEW_ROWS {
        columns(table, has_scale, has_both)
    } else {
        Vec::new()
    };
    html! {
        @if !in_errors.is_empty() {
            h2 id="errors" { "Differences in standard errors" }
            figure {
                div.panels { @for (column, cells) in &in_errors { (units(column, cells)) } }
                figcaption {
                    "Reproduced minus published, in standard errors of the reproduced value. The published value adds its own error where that is known, and elsewhere at most that of its rounding. "
                    "Differences by chance alone are mostly within the shaded two. "
                    "Values beyond " (EDGE) " are at the edge with their number. The shape is the outcome."
                    (key(&table.outcomes))
                }
            }
        }
        @if !on_scale.is_empty() {
            h2 id="scale" { "Values on the scale of their column" }
            figure {
                div.panels { @for (column, cells) in &on_scale { (scale(column, cells)) } }
                figcaption { (legend()) }
            }
        }
    }
}

fn has_both(cell: &RecordedCell) -> bool {
    cell.number.is_some() && cell.printed_number.is_some()
}

/// Whether a cell shows more than two values: then its column is worth a drawing.
fn has_scale(cell: &RecordedCell) -> bool {
    let is_wide = cell
        .std_dev
        .or(cell.std_error)
        .is_some_and(|error| error > 0.0)
        || cell.accepted.is_some_and(|[low, high]| high > low)
        || !cell.replicates.is_empty();
    has_both(cell) && is_wide
}

fn legend() -> Markup {
    html! {
        (legend_of_values())
        span.sample { svg viewBox="0 0 16 16" aria-hidden="true" { path.null d="M3 3l10 10M13 3L3 13" {} } " baseline" } " "
        span.sample { svg viewBox="0 0 16 16" aria-hidden="true" { circle.one cx="5" cy="8" r="2" {} circle.one cx="11" cy="8" r="2" {} } " replicates" }
    }
}

fn legend_of_values() -> Markup {
    html! {
        span.sample { svg viewBox="0 0 16 16" aria-hidden="true" { line.print x1="8" x2="8" y1="1" y2="15" {} } " published" } " "
        span.sample { svg viewBox="0 0 16 16" aria-hidden="true" { line.ci.matches x1="0" x2="16" y1="8" y2="8" {} circle.dot.matches cx="8" cy="8" r="4" {} } " reproduced, with two standard errors or deviations; the shape is the outcome" } " "
        span.sample { svg viewBox="0 0 16 16" aria-hidden="true" { rect.band x="0" y="2" width="16" height="12" {} } " tolerance" } " "
    }
}

fn label(row: &str) -> Markup {
    let cut = row.char_indices().nth(LONGEST_LABEL).map(|(end, _)| end);
    html! {
        @match cut {
            Some(end) => { title { (row) } (row[..end]) "…" }
            None => (row),
        }
    }
}

/// The place that the names of some rows take.
fn left(cells: &[&RecordedCell]) -> f64 {
    let sizes = cells.iter().map(|cell| cell.row.chars().count());
    let longest = sizes.max().unwrap_or_default().min(LONGEST_LABEL + 1);
    // Most letters are narrower than six and a half units.
    (17.0 + 6.2 * longest as f64).max(60.0)
}

/// In words what a drawing shows; the table above it has the values.
fn told(cells: &[&RecordedCell]) -> String {
    let counts: Counts = cells.iter().map(|cell| cell.outcome).collect();
    format!("{} rows: {}", cells.len(), outcomes::told(&counts))
}

fn height_of_row(n: usize) -> f64 {
    if n <= FEW_ROWS { 22.0 } else { 15.0 }
}

fn title(column: &RecordedColumn) -> Markup {
    html! {
        h3 { (column.name) }
        p { (column.doc) @if !column.unit.is_empty() { ", " (column.unit) } }
    }
}

/// A thin line for each row.
fn rules(n: usize, step: f64, left: f64) -> Markup {
    let width = at(WIDTH - left - RIGHT);
    let rows = (0..n).map(|idx| format!("M{} {}h{width}", at(left), at(step * (idx as f64 + 0.5))));
    html! { path.row0 d=(rows.collect::<String>()) {} }
}

/// The names of the rows.
fn labels(cells: &[&RecordedCell], step: f64, left: f64) -> Markup {
    html! {
        g.t.e transform={ "translate(" (at(left - 9.0)) " 3.5)" } {
            @for (idx, cell) in cells.iter().enumerate() {
                text y=(at(step * (idx as f64 + 0.5))) { (label(&cell.row)) }
            }
        }
    }
}

/// A column in units of the standard error.
fn units(column: &RecordedColumn, cells: &[&RecordedCell]) -> Markup {
    let step = height_of_row(cells.len());
    let (bottom, left) = (step * cells.len() as f64, left(cells));
    let x = |errors: f64| {
        left + (errors.clamp(-EDGE, EDGE) + EDGE) / (2.0 * EDGE) * (WIDTH - left - RIGHT)
    };
    html! {
        div {
            (title(column))
            svg viewBox={ "0 0 " (WIDTH) " " (bottom + 15.0) } role="img"
                aria-label={ (column.name) ", differences in standard errors. " (told(cells)) } {
                rect.band x=(at(x(-2.0))) y="0" width=(at(x(2.0) - x(-2.0))) height=(at(bottom)) {}
                (rules(cells.len(), step, left))
                line.zero x1=(at(x(0.0))) x2=(at(x(0.0))) y1="0" y2=(at(bottom)) {}
                (labels(cells, step, left))
                @for (idx, cell) in cells.iter().enumerate() {
                    @let y = step * (idx as f64 + 0.5);
                    @let errors = cell.errors.unwrap_or_default();
                    g class=(class(cell.outcome)) { (mark_at(cell.outcome, x(errors), y, 10.0)) }
                    @if errors > EDGE { text.s.e x=(at(x(EDGE) - 8.0)) y=(at(y + 3.5)) { (in_errors(errors)) } }
                    @if errors < -EDGE { text.s x=(at(x(-EDGE) + 8.0)) y=(at(y + 3.5)) { (in_errors(errors)) } }
                }
                @for value in [-4.0, 0.0, 4.0] {
                    text.s.c x=(at(x(value))) y=(at(bottom + 11.0)) { (tick(value)) }
                }
            }
        }
    }
}

/// From the lowest to the highest of what is drawn of some cells.
fn ends(cells: &[&RecordedCell]) -> (f64, f64) {
    let values = cells.iter().flat_map(|cell| {
        let (value, error) = (cell.number.unwrap_or_default(), 2.0 * spread(cell));
        let baselines = cell
            .baselines
            .iter()
            .filter_map(|(_, value)| value.as_deref()?.parse().ok());
        let accepted = cell.accepted.into_iter().flatten();
        [value - error, value + error]
            .into_iter()
            .chain(cell.printed_number)
            .chain(accepted)
            .chain(cell.interval.into_iter().flatten())
            .chain(baselines)
            .chain(cell.replicates.iter().copied())
            .collect::<Vec<f64>>()
    });
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    let pad = if high > low { (high - low) * 0.05 } else { 1.0 };
    (low - pad, high + pad)
}

fn spread(cell: &RecordedCell) -> f64 {
    cell.std_dev.or(cell.std_error).unwrap_or_default()
}

/// One cell between two values, at a height, in the color of the group around it.
fn drawn(cell: &RecordedCell, x: &dyn Fn(f64) -> f64, y: f64, half: f64) -> Markup {
    let value = cell.number.unwrap_or_default();
    let error = 2.0 * spread(cell);
    let interval = cell.interval.unwrap_or([value - error, value + error]);
    // Baselines are for compared values.
    let judged = cell
        .baselines
        .iter()
        .filter(|_| cell.outcome != Outcome::Info);
    let mut baselines: Vec<f64> = judged
        .filter_map(|(_, value)| value.as_deref()?.parse().ok())
        .collect();
    baselines.dedup();
    let cross =
        |baseline: &f64| format!("M{} {}l7 7m0-7l-7 7", at(x(*baseline) - 3.5), at(y - 3.5));
    html! {
        @if let Some([low, high]) = cell.accepted {
            @let width = at((x(high) - x(low)).max(1.0));
            path.band d={ "M" (at(x(low))) " " (at(y - half)) "h" (width) "v" (at(2.0 * half)) "h-" (width) "z" } {}
        }
        @if !baselines.is_empty() { path.null d=(baselines.iter().map(cross).collect::<String>()) {} }
        @for one in &cell.replicates { circle.one cx=(at(x(*one))) cy=(at(y + half * 0.6)) r="1.6" {} }
        @if interval[1] > interval[0] {
            path.ci d={ "M" (at(x(interval[0]))) " " (at(y)) "h" (at(x(interval[1]) - x(interval[0]))) } {}
        }
        @if let Some(printed) = cell.printed_number {
            path.print d={ "M" (at(x(printed))) " " (at(y - half)) "v" (at(2.0 * half)) } {}
        }
        (mark_at(cell.outcome, x(value), y, 10.0))
    }
}

/// A column on its own scale.
fn scale(column: &RecordedColumn, cells: &[&RecordedCell]) -> Markup {
    let step = height_of_row(cells.len());
    let (bottom, left) = (step * cells.len() as f64, left(cells));
    let (low, high) = ends(cells);
    let x = |value: f64| left + (value - low) / (high - low) * (WIDTH - left - RIGHT);
    html! {
        div {
            (title(column))
            svg viewBox={ "0 0 " (WIDTH) " " (bottom + 18.0) } role="img" aria-label={ (column.name) ". " (told(cells)) } {
                (rules(cells.len(), step, left))
                (labels(cells, step, left))
                @for (idx, cell) in cells.iter().enumerate() {
                    @let y = step * (idx as f64 + 0.5);
                    g class=(class(cell.outcome)) { (drawn(cell, &x, y, step * 0.38)) }
                }
                line.axis x1=(at(left)) x2=(at(WIDTH - RIGHT)) y1=(at(bottom + 1.0)) y2=(at(bottom + 1.0)) {}
                @for value in ticks(low, high) { text.s.c x=(at(x(value))) y=(at(bottom + 13.0)) { (tick(value)) } }
            }
        }
    }
}

/// One value on a line, for its sheet; only of values that are compared.
pub(crate) fn on_a_line(cell: &RecordedCell) -> Markup {
    let is_evidence = !matches!(
        cell.outcome,
        Outcome::Derived | Outcome::Input | Outcome::Info
    );
    if !(is_evidence && has_scale(cell)) {
        return html! {};
    }
    let (low, high) = ends(&[cell]);
    let x = |value: f64| (6.0 + (value - low) / (high - low) * 288.0).round();
    html! {
        svg.one-line viewBox="0 0 300 26" {
            (drawn(cell, &x, 13.0, 9.0))
        }
    }
}
