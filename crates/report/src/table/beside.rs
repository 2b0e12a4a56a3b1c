//! The tables in the paper's own shape: published values above reproduced ones.

use kibitz_lab::Outcome;
use kibitz_lab::record::{RecordedCell, RecordedColumn};
use kibitz_text::with_decimals;
use maud::{Markup, html};

use crate::context::View;
use crate::number::{decimals, in_errors, shown, six};
use crate::outcomes::{legend, mark, word};
use crate::page::scrolling;

/// As many printed rows are shown as groups of lines, and more in one line each.
const FEW_ROWS: usize = 4;
/// Longer texts are wrapped.
const LONG: usize = 24;

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
        let (cell, anchor) = (self.cell(at), &self.view.anchors[at]);
        let is_long = is_long(&cell.ours_shown) || cell.printed.as_deref().is_some_and(is_long);
        html! {
            @if View::has_sheet(cell) {
                td class=[is_long.then_some("wrap")] id={ "at-" (at) } { a href=(self.view.link(at, self.part)) { (inner) } }
            } @else {
                td class=[is_long.then_some("wrap")] id=(anchor) { (inner) }
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
        @if cell.outcome == Outcome::Info { (shown(&cell.ours_shown)) } @else { b { (shown(&cell.ours_shown)) } }
        @if !cell.spread_shown.is_empty() { small { " ± " (cell.spread_shown) } }
    }
}

fn is_long(text: &str) -> bool {
    text.chars().count() > LONG
}

/// Few rows: published and reproduced value, difference, outcome and baseline, one line each.
fn grouped(cells: &Cells<'_>) -> Markup {
    let columns = cells.columns();
    let rows = cells.rows(&columns);
    let has_errors = cells.at.iter().any(|at| cells.cell(*at).errors.is_some());
    html! {
        table.big.stick {
            caption {
                span.cap {
                    "Reproduced values are rounded like the published ones, with more digits where the outcome needs them; ± is the standard error, or the standard deviation over replicates. Select a value to see everything about it."
                }
            }
            (head("value", &columns))
            @for (row, places) in rows {
                @let cell_of = |at: &Option<usize>| at.map(|at| cells.cell(at));
                tbody {
                    tr { th scope="rowgroup" { (row) } td colspan=(columns.len()) {} }
                    tr.p {
                        th scope="row" { "published" }
                        @for at in &places {
                            @let printed = cell_of(at).and_then(|cell| cell.printed.as_deref()).unwrap_or_default();
                            td class=[is_long(printed).then_some("wrap")] { (shown(printed)) }
                        }
                    }
                    tr.o {
                        th scope="row" { "reproduced" }
                        @for at in &places {
                            @match at { Some(at) => (cells.value(*at, &reproduced(cells.cell(*at)))), None => td {} }
                        }
                    }
                    tr {
                        th scope="row" { "difference" }
                        @for at in &places { td { @if let Some(cell) = cell_of(at) { (difference(cell)) } } }
                    }
                    @if has_errors {
                        tr {
                            th scope="row" { "in standard errors" }
                            @for at in &places { td { @if let Some(cell) = cell_of(at) { (errors(cell)) } } }
                        }
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
    }
}

/// Reproduced minus published, rounded like the values.
fn difference(cell: &RecordedCell) -> String {
    let Some(difference) = &cell.difference else {
        return "–".to_owned();
    };
    let (Ok(value), Some(digits)) = (difference.parse::<f64>(), decimals(&cell.ours_shown)) else {
        return shown(difference);
    };
    let text = with_decimals(value, digits);
    let is_zero = text.parse() == Ok(0.0);
    let sign = if value > 0.0 && !is_zero { "+" } else { "" };
    shown(&format!("{sign}{text}"))
}

/// A difference in standard errors; a large one is bold if it is judged.
fn errors(cell: &RecordedCell) -> Markup {
    html! {
        @match cell.errors {
            Some(errors) if errors.abs() > 3.0 && cell.outcome != Outcome::Info => b { (in_errors(errors)) },
            Some(errors) => (in_errors(errors)),
            None => "–",
        }
    }
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
    value.parse::<f64>().map_or_else(|_| value.to_owned(), six)
}

/// One line per row: the reproduced value with its mark below the published one.
fn dense(cells: &Cells<'_>, caption: &str) -> Markup {
    let columns = cells.columns();
    let rows = cells.rows(&columns);
    let outcomes = || cells.at.iter().map(|at| cells.cell(*at).outcome);
    let has_marks = outcomes().any(|outcome| outcome != Outcome::Info);
    let figure = |cell: &RecordedCell| {
        html! {
            @match &cell.printed {
                Some(printed) => {
                    small { span.vh { "published " } (shown(printed)) span.vh { ", reproduced " } }
                    @let is_judged = cell.outcome != Outcome::Info;
                    b class=[(!is_judged).then_some("info")] { (shown(&cell.ours_shown)) }
                    @if is_judged { " " (mark(cell.outcome)) span.vh { " " (cell.outcome.word()) } }
                }
                None => (reproduced(cell)),
            }
        }
    };
    html! {
        table.dense.stick {
            caption { span.cap { b { (caption) } @if has_marks { " " (legend(outcomes(), "../")) "." } @if cells.at.iter().any(|at| View::has_sheet(cells.cell(*at))) { " Select a value to see everything about it." } @else { " ± is the standard error, or the standard deviation over replicates." } } }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_rounded_like_their_values() {
        let told = |shown: &str, difference: &str| {
            let cell = RecordedCell {
                ours_shown: shown.to_owned(),
                difference: Some(difference.to_owned()),
                ..crate::rounding::empty_cell()
            };
            super::difference(&cell)
        };
        assert_eq!(told("1300", "-1834.66037736"), "−1835");
        assert_eq!(told("55.1", "12.5"), "+12.5");
        assert_eq!(told("3.1", "-0.00412"), "0.0");
        assert_eq!(told("3", "0"), "0");
        assert_eq!(told("yes", "1"), "1");
    }
}
