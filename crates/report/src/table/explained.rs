//! The causes of differences, fitted values, and whether a paper is consistent.

use kibitz_lab::Outcome;
use kibitz_lab::record::{RecordedDeviation, RecordedTable};
use kibitz_text::counted;
use maud::{Markup, html};

use crate::context::{Context, View};
use crate::number::grouped;
use crate::outcomes::{class, word};
use crate::text::{coded, line};

/// As many deviations are folded.
const MANY: usize = 6;
/// As many cells of a deviation are named.
const MOST_LINKS: usize = 16;

/// Declared differences: why, how large, and what shows it.
pub(super) fn deviations(context: &Context<'_>, view: &View<'_>) -> Markup {
    let all = &view.table.deviations;
    let is_folded = all.len() > MANY;
    html! {
        @if !all.is_empty() {
            h2 id="deviations" { "Declared differences" }
            @for (idx, deviation) in all.iter().enumerate() {
                @if is_folded {
                    details.fold {
                        summary { b { (idx + 1) ". " (deviation.cells.join(", ")) } }
                        (told(context, view, idx, deviation, false))
                    }
                } @else { (told(context, view, idx, deviation, true)) }
            }
        }
    }
}

fn told(
    context: &Context<'_>,
    view: &View<'_>,
    idx: usize,
    deviation: &RecordedDeviation,
    has_title: bool,
) -> Markup {
    let cells = view.table.cells.iter().enumerate();
    let own: Vec<usize> = cells
        .filter(|(_, cell)| cell.deviation == Some(idx))
        .map(|(at, _)| at)
        .collect();
    let outcomes = [Outcome::DiffersExplained, Outcome::DiffersUnexplained];
    let counts = outcomes.map(|outcome| {
        let n = own
            .iter()
            .filter(|at| view.table.cells[**at].outcome == outcome)
            .count();
        (outcome, n)
    });
    let main = if counts[0].1 > 0 {
        outcomes[0]
    } else {
        outcomes[1]
    };
    html! {
        div class={ "dev " (class(main)) } id={ "deviation-" (idx + 1) } {
            @if has_title { h3 { (idx + 1) ". " (deviation.cells.join(", ")) } }
            p.meta {
                @for (outcome, n) in counts.iter().filter(|(_, n)| *n > 0) { (word(*outcome)) ": " (counted(*n, "value", "values")) " · " }
                @if own.is_empty() { "no value differs now · " }
                @if let Some(up_to) = &deviation.up_to { "explains differences up to " (up_to) }
                @if let Some(tested) = &deviation.tested {
                    @if deviation.up_to.is_some() { " · " }
                    @match &deviation.predicts {
                        Some(predicts) => { "holds while " (figure(context, view, tested)) " is " (coded(&readable(predicts))) }
                        None => { "shown by " (figure(context, view, tested)) }
                    }
                }
            }
            p { (line(context, &one_line(&deviation.reason))) }
            @if let Some(decided_by) = &deviation.decided_by {
                p { b { "What would decide it: " } (line(context, &one_line(decided_by))) }
            }
            p.meta.names {
                @for at in own.iter().take(MOST_LINKS) {
                    @let cell = &view.table.cells[*at];
                    a href=(view.link(*at, 0)) { (cell.row) "." (cell.column) } " "
                }
                @if own.len() > MOST_LINKS { "and " (own.len() - MOST_LINKS) " more" }
            }
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A prediction with commas between the thousands of a count.
fn readable(predicts: &str) -> String {
    let count = predicts.parse::<usize>();
    count.map_or_else(|_| predicts.to_owned(), grouped)
}

/// The value that a deviation names, with a link where it is one.
fn figure(context: &Context<'_>, view: &View<'_>, name: &str) -> Markup {
    let (other, place) = match name.split_once(':') {
        Some((id, place)) if context.view(id).is_some() => (context.view(id), place.trim_start()),
        _ => (None, name),
    };
    let found = place.rsplit_once('.').and_then(|(row, column)| {
        let table = other.unwrap_or(view);
        let at = table.place(row, column)?;
        Some(if other.is_some() {
            format!("../{}", table.far_link(at))
        } else {
            view.link(at, 0)
        })
    });
    let found = found.or_else(|| Some(format!("../{}.html", other?.table.id)));
    let name = name
        .replace("{row}", "same row")
        .replace("{column}", "same column");
    html! { @match found { Some(link) => a href=(link) { (name) }, None => code { (name) } } }
}

/// The values whose interpretation was chosen by looking at the published ones.
pub(super) fn fitted(table: &RecordedTable) -> Markup {
    html! {
        @if !table.fitted.is_empty() {
            h2 id="fitted" { "Fitted values" }
            p { "An interpretation of these values was chosen by looking at the published ones; they are not counted." }
            ul {
                @for (cells, by, on) in &table.fitted {
                    li { b { (coded(by)) } ", chosen on " (coded(on)) ": " @for cell in cells { code { (cell) } " " } }
                }
            }
        }
    }
}

/// Whether published numbers agree with each other.
pub(super) fn self_checks(table: &RecordedTable) -> Markup {
    let checks = &table.self_checks;
    let n_hold = checks.iter().filter(|(holds, _)| *holds).count();
    html! {
        @if !checks.is_empty() {
            h2 id="self" { "Consistency of the published values" }
            p { (n_hold) " of " (checks.len()) " sums, ratios and repetitions of published values hold." }
            ul.num { @for (_, text) in checks.iter().filter(|(holds, _)| !holds) { li { b { "fails" } ": " (coded(text)) "." } } }
            @if n_hold > 0 {
                details {
                    summary { "Checks that hold" }
                    ul.num { @for (_, text) in checks.iter().filter(|(holds, _)| *holds) { li { (coded(text)) "." } } }
                }
            }
        }
    }
}
