//! All that is known of one value: a sheet at the foot of the page, opened by its address alone.

use kibitz_lab::Outcome;
use kibitz_lab::record::RecordedCell;
use maud::{Markup, html};

use crate::context::{Context, View};
use crate::dots::on_a_line;
use crate::number::{by_spread, decimals, in_errors, shown};
use crate::outcomes::{class, word};
use crate::text::{coded, line};

/// The sheets of a page.
pub(super) fn all(context: &Context<'_>, view: &View<'_>, part: usize) -> Markup {
    let cells = view.parts[part].clone();
    let compared = cells.filter(|at| View::has_sheet(&view.table.cells[*at]));
    html! {
        section aria-label="Single values" { @for at in compared { (sheet(context, view, at, part)) } }
    }
}

fn sheet(context: &Context<'_>, view: &View<'_>, at: usize, part: usize) -> Markup {
    let (table, cell, anchor) = (view.table, &view.table.cells[at], &view.anchors[at]);
    let column = table
        .columns
        .iter()
        .find(|column| column.name == cell.column);
    let unit = column.map_or("", |column| column.unit.as_str());
    let first = if part == 0 {
        String::new()
    } else {
        view.file(0)
    };
    let is_judged = cell.outcome != Outcome::Info;
    html! {
        article class={ "cell " (class(cell.outcome)) } id=(anchor) {
            a.x href={ "#at-" (at) } { "Close" }
            h3 { (cell.row) ", " (cell.column) @if !unit.is_empty() { " (" (unit) ")" } }
            (on_a_line(cell))
            div.cols {
                (values(cell))
                @if is_judged { (judgement(context, cell)) }
                div {
                    (reason(context, cell, &first))
                    @if is_judged {
                        @match context.code_link(&table.kind) {
                            Some(link) => p { a href=(link) { "Code" } },
                            None => p { a href={ (first) "#redo" } { "Reproduce it" } },
                        }
                    }
                }
            }
        }
    }
}

/// The published and the reproduced value, its error, their difference.
fn values(cell: &RecordedCell) -> Markup {
    let spread = cell.std_error.or(cell.std_dev);
    let by = |value: f64| by_spread(value, spread);
    html! {
        dl {
            dt { "published" } dd { (shown(cell.printed.as_deref().unwrap_or("nothing"))) }
            dt { "reproduced" } dd { (reproduced(cell)) }
            @if let Some(error) = cell.std_error {
                dt { "standard error" } dd { (by_spread(error, Some(error))) }
                @if let (Some(value), None, true) = (cell.number, cell.std_dev, error > 0.0 && cell.outcome != Outcome::Info) {
                    dt { "95% interval" } dd { (by(value - 1.96 * error)) " to " (by(value + 1.96 * error)) }
                }
            }
            @if let Some([low, high]) = cell.interval { dt { "interval" } dd { (by(low)) " to " (by(high)) } }
            @if let Some(deviation) = cell.std_dev { dt { "standard deviation" } dd { (by_spread(deviation, Some(deviation))) " over " (cell.replicates_n) " replicates" } }
            @else if cell.replicates_n > 1 { dt { "replicates" } dd { (cell.replicates_n) } }
            @if let Some(samples) = cell.samples { dt { "trials" } dd { (samples) } }
            @if let (Some(difference), Some(_)) = (&cell.difference, &cell.printed) {
                dt { "difference" }
                dd {
                    @match difference.parse::<f64>() { Ok(number) => (by_spread(number, Some(number.abs()))), Err(_) => (shown(difference)) }
                    @if let Some(errors) = cell.errors { " (" (in_errors(errors)) " standard errors)" }
                }
            }
        }
    }
}

/// The reproduced value with the digits of the published one, or with more if its spread supports them;
/// the attribute has all of them.
fn reproduced(cell: &RecordedCell) -> Markup {
    let (Some(number), Some(exact)) = (cell.number, &cell.ours) else {
        return html! { (shown(cell.ours.as_deref().unwrap_or("none"))) };
    };
    let by_spread = by_spread(number, cell.std_error.or(cell.std_dev));
    let plain = by_spread.replace('−', "-");
    let is_finer = decimals(&plain) > decimals(&cell.ours_shown);
    let text = if is_finer {
        by_spread
    } else {
        shown(&cell.ours_shown)
    };
    let is_exact = text.replace('−', "-").parse::<f64>() == Ok(number);
    html! { @if is_exact { (text) } @else { data value=(exact) { (text) } } }
}

/// Tolerance, baselines, outcome.
fn judgement(context: &Context<'_>, cell: &RecordedCell) -> Markup {
    html! {
        dl {
            dt { "tolerance" } dd { (cell.tolerance) }
            @for (what, value) in &cell.baselines {
                dt { "baseline" }
                dd { @if let Some(value) = value { (shown(value)) ", " } (line(context, what)) }
            }
            dt { "outcome" } dd { (word(cell.outcome)) }
        }
    }
}

/// Why the outcome is what it is; `first` is the page with the deviations.
fn reason(context: &Context<'_>, cell: &RecordedCell, first: &str) -> Markup {
    let is_met = matches!(
        cell.outcome,
        Outcome::Matches | Outcome::MatchesWeakly | Outcome::Inconclusive | Outcome::Fitted
    );
    let is_far = cell.errors.is_some_and(|errors| errors.abs() > 3.0);
    html! {
        @if is_met && is_far { p { b { "More than three standard errors off:" } " the difference is within the tolerance but larger than sampling error explains." } }
        @match cell.deviation {
            Some(idx) => {
                p { "Reason: " a href={ (first) "#deviation-" (idx + 1) } { "deviation " (idx + 1) } ". " (coded(&beginning(&cell.reason))) }
            }
            None if !cell.reason.is_empty() => { p { (line(context, &cell.reason)) } }
            None if cell.outcome == Outcome::Info => { p { "not compared" } }
            None => {}
        }
    }
}

/// The first words of a reason.
fn beginning(reason: &str) -> String {
    let words: Vec<&str> = reason.split_whitespace().collect();
    if words.len() <= 16 {
        return words.join(" ");
    }
    format!("{} …", words[..14].join(" "))
}
