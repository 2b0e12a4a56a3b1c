//! The tables in the paper's own shape: published values above reproduced ones.

use kibitz_lab::Outcome;
use kibitz_lab::record::{RecordedCell, RecordedColumn};
use maud::{Markup, html};

use crate::context::View;
use crate::number::{in_errors, shown};
use crate::outcomes::{mark, word};
use crate::page::scrolling;

/// As many printed rows are shown as groups of lines, and more in one line each.
const FEW_ROWS: usize = 4;

/// The cells of a page that are chosen, with their places.
struct Cells<'v> {
    view: &'v View<'v>,
    part: usize,
    at: Vec<usize>,
}

impl<'v> Cells<'v> {
    fn new(view: &'v View<'v>, part: usize, wanted: impl Fn(&RecordedCell) -> bool) -> Self {
        let range = view.parts[part].clone();
        let at = range.filter(|at| wanted(&view.table.cells[*at])).collect();
        Self { view, part, at }
    }

    fn cell(&self, at: usize) -> &'v RecordedCell {
        &self.view.table.cells[at]
    }

    fn columns(&self) -> Vec<&'v RecordedColumn> {
        let is_used = |column: &&RecordedColumn| {
            self.at
                .iter()
                .any(|at| self.cell(*at).column == column.name)
        };
        self.view.table.columns.iter().filter(is_used).collect()
    }

    /// The rows, each with the place of its cell in every column.
    fn rows(&self, columns: &[&RecordedColumn]) -> Vec<(&'v str, Vec<Option<usize>>)> {
        let mut rows: Vec<(&str, Vec<Option<usize>>)> = Vec::new();
        for at in &self.at {
            let cell = self.cell(*at);
            if rows.last().is_none_or(|(row, _)| *row != cell.row) {
                rows.push((&cell.row, vec![None; columns.len()]));
            }
            let column = columns.iter().position(|column| column.name == cell.column);
            if let (Some(column), Some((_, cells))) = (column, rows.last_mut()) {
                cells[column] = Some(*at);
            }
        }
        rows
    }

    /// A value that opens its sheet, or has only its address.
    fn value(&self, at: usize, inner: &Markup) -> Markup {
        let anchor = &self.view.anchors[at];
        html! {
            @if View::has_sheet(self.cell(at)) {
                td id={ "at-" (at) } { a href=(self.view.link(at, self.part)) { (inner) } }
            } @else {
                td id=(anchor) { (inner) }
            }
        }
    }
}

/// The values that are published, and those that are not.
pub(super) fn tables(view: &View<'_>, part: usize, is_judged: bool) -> Markup {
    if !is_judged {
        let all = Cells::new(view, part, |_| true);
        return scrolling("The table", &dense(&all, "No published counterpart."));
    }
    let printed = Cells::new(view, part, |cell| cell.printed.is_some());
    let others = Cells::new(view, part, |cell| {
        cell.printed.is_none() && cell.ours.is_some()
    });
    let n_rows = printed.rows(&printed.columns()).len();
    html! {
        @if n_rows == 0 { p { "No values of these rows are published." } }
        @else if n_rows <= FEW_ROWS && view.parts.len() == 1 { (scrolling("Published and reproduced values", &grouped(&printed))) }
        @else { (scrolling("Published and reproduced values", &dense(&printed, "Published values in gray, and below them the reproduced ones with their outcome."))) }
        @if !others.at.is_empty() {
            details open[n_rows == 0] {
                summary { "Values that the paper does not report" }
                (scrolling("Not published", &dense(&others, "Not published, so not compared.")))
            }
        }
    }
}

fn head(first: &str, columns: &[&RecordedColumn]) -> Markup {
    html! {
        thead { tr {
            th.l scope="col" { (first) }
            @for column in columns {
                th scope="col" { (column.name) @if !column.unit.is_empty() { small { (column.unit) } } }
            }
        } }
    }
}

fn reproduced(cell: &RecordedCell) -> Markup {
    html! {
        (shown(&cell.ours_shown))
        @if !cell.spread_shown.is_empty() { small { " ± " (cell.spread_shown) } }
    }
}

/// Few rows: published and reproduced value, difference, outcome and baseline, one line each.
fn grouped(cells: &Cells<'_>) -> Markup {
    let columns = cells.columns();
    let rows = cells.rows(&columns);
    let has_plain = (cells.at.iter().map(|at| cells.cell(*at))).any(|cell| {
        cell.errors.is_none() && cell.difference.as_deref().is_some_and(|text| text != "0")
    });
    html! {
        table.big.stick {
            caption {
                span.cap {
                    "Reproduced values are rounded like the published ones; ± is the standard error (SE), or the standard deviation over replicates. Select a value to see everything about it."
                }
            }
            (head("value", &columns))
            @for (row, places) in rows {
                @let cell_of = |at: &Option<usize>| at.map(|at| cells.cell(at));
                tbody {
                    tr { th scope="rowgroup" { (row) } td colspan=(columns.len()) {} }
                    tr.p {
                        th scope="row" { "published" }
                        @for at in &places { td { @if let Some(cell) = cell_of(at) { (shown(cell.printed.as_deref().unwrap_or_default())) } } }
                    }
                    tr.o {
                        th scope="row" { "reproduced" }
                        @for at in &places {
                            @match at { Some(at) => (cells.value(*at, &reproduced(cells.cell(*at)))), None => td {} }
                        }
                    }
                    tr {
                        th scope="row" { "difference (SE)" }
                        @for at in &places { td { @if let Some(cell) = cell_of(at) { (difference(cell)) } } }
                    }
                    tr {
                        th scope="row" { "outcome" }
                        @for at in &places { td { @if let Some(cell) = cell_of(at) { (word(cell.outcome)) } } }
                    }
                    tr.soft {
                        th scope="row" { "baseline" }
                        @for at in &places { td { @if let Some(cell) = cell_of(at) { (baseline(cell)) } } }
                    }
                }
            }
        }
        @if has_plain { p.meta { "* a plain difference, for a value without a standard error" } }
    }
}

fn difference(cell: &RecordedCell) -> Markup {
    html! {
        @match (cell.errors, &cell.difference) {
            (Some(errors), _) => @if errors.abs() > 3.0 { b { (in_errors(errors)) } } @else { (in_errors(errors)) },
            (None, Some(difference)) => @if difference == "0" { "0" } @else { (plain(difference)) " *" },
            (None, None) => "–",
        }
    }
}

/// A difference with its sign and few digits.
fn plain(difference: &str) -> String {
    let value: f64 = difference.parse().unwrap_or_default();
    let sign = if value > 0.0 { "+" } else { "" };
    format!("{sign}{}", crate::number::six(value))
}

fn baseline(cell: &RecordedCell) -> Markup {
    let values: Vec<String> = cell
        .baselines
        .iter()
        .filter_map(|(_, value)| value.as_deref())
        .map(short)
        .collect();
    html! { @if values.is_empty() { "–" } @else { (values.join(", ")) } }
}

fn short(value: &str) -> String {
    value
        .parse::<f64>()
        .map_or_else(|_| value.to_owned(), crate::number::six)
}

/// One line per row: the reproduced value with its mark below the published one.
fn dense(cells: &Cells<'_>, caption: &str) -> Markup {
    let columns = cells.columns();
    let rows = cells.rows(&columns);
    let figure = |cell: &RecordedCell| {
        html! {
            @match &cell.printed {
                Some(printed) => {
                    small { span.vh { "published " } (shown(printed)) span.vh { ", reproduced " } }
                    b { (shown(&cell.ours_shown)) }
                    @if cell.outcome != Outcome::Info { " " (mark(cell.outcome)) span.vh { " " (cell.outcome.word()) } }
                }
                None => (reproduced(cell)),
            }
        }
    };
    html! {
        table.dense.stick {
            caption { span.cap { b { (caption) } @if cells.at.iter().any(|at| View::has_sheet(cells.cell(*at))) { " Select a value to see everything about it." } @else { " ± is the standard error, or the standard deviation over replicates." } } }
            (head("row", &columns))
            tbody {
                @for (row, places) in rows {
                    tr {
                        th scope="row" { (row) }
                        @for at in &places {
                            @match at { Some(at) => (cells.value(*at, &figure(cells.cell(*at)))), None => td {} }
                        }
                    }
                }
            }
        }
    }
}
