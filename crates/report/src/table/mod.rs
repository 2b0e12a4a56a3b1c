//! A table's page: the finding, the values, why they differ, and how to reproduce them.

mod beside;
mod explained;
mod sheet;

use kibitz_lab::record::{JointFinding, RecordedTable};
use maud::{Markup, html};

use crate::context::{Context, View};
use crate::number::{expected, probability};
use crate::outcomes::{RULE, aside, bar, told};
use crate::page::{Page, scrolling};
use crate::picture::plot;
use crate::text::{coded, line, paragraphs, unmarked};
use crate::{Picture, dots, origin};

/// One of the pages of a table; the first shows everything but the values of later rows.
pub(crate) fn page(
    context: &Context<'_>,
    view: &View<'_>,
    part: usize,
    pictures: &[Picture],
) -> String {
    let table = view.table;
    let paper = context.paper(table.paper());
    let is_first = part == 0;
    let is_judged = table.cells.iter().any(|cell| cell.printed.is_some());
    // A table of many rows has several pages. All that is said of the table as a whole is on the
    // first.
    let body = html! {
        p.kicker {
            @if let Some(paper) = paper { (paper.short) }
            @if !table.place.is_empty() { ", " (coded(&table.place)) }
            @if table.is_scanned { ". Published values were read from a scan" }
        }
        h1 class=[table.finding.as_ref().map(|_| "long")] { (coded(table.finding.as_ref().unwrap_or(&table.title))) @if !is_first { " (" (part + 1) ")" } }
        @if table.finding.is_some() { p.subtitle { (coded(&table.title)) } }
        @if table.is_of_last_run { p { b { "These are values of the last run; " } "other inputs decided the recorded ones." } }
        @for notice in &table.notices { p.notice role="note" { b { "Beware: " } (coded(notice)) } }
        @if is_first && is_judged { (counts(table)) }
        @if is_first {
            @if let Some(plot) = &table.plot { (plotted(table, plot)) }
            @for picture in pictures { (drawn(picture)) }
        }
        (parts(view, part))
        h2 id="table" { @if is_judged { "Published and reproduced values" } @else { "The table" } }
        (beside::tables(view, part, is_judged))
        @if is_first {
            (explained::deviations(context, view))
            (together(table))
            (dots::figure(view))
            (explained::fitted(table))
            (explained::self_checks(table))
            @if let Some(notes) = &table.notes { h2 id="notes" { "Method and notes" } (paragraphs(context, notes)) }
            (columns(context, table))
            (origin::section(context, &table.id, &table.kind, &table.origin, true))
            (neighbors(context, table))
        }
        (sheet::all(context, view, part))
    };
    let name = if is_first {
        table.name().to_owned()
    } else {
        format!("{} ({})", table.name(), part + 1)
    };
    let above = paper.map(|paper| (paper.short.clone(), format!("../{}/index.html", paper.id)));
    let mut shortcuts = Vec::new();
    if let Some(link) = context.code_link(&table.kind) {
        shortcuts.push(("Code".to_owned(), link, "c"));
    }
    if is_first {
        shortcuts.push(("Reproduce".to_owned(), "#redo".to_owned(), "r"));
        let idx = paper.map(|paper| context.tables_of(paper));
        let tables = idx.unwrap_or_default();
        let at = tables.iter().position(|other| other.id == table.id);
        if let Some(next) = at.and_then(|at| tables.get(at + 1)) {
            shortcuts.push((
                "Next table".to_owned(),
                format!("{}.html", next.name()),
                "n",
            ));
        }
    }
    Page {
        title: format!("{} – Kibitz", unmarked(&table.title)),
        about: format!("{}: {}.", table.id, told(&table.outcomes)),
        above: above.into_iter().collect(),
        name: Some(name),
        shortcuts,
        body,
        program: &context.recorded.program,
    }
    .html()
}

/// The counts in one sentence, their bar, and the rule behind the words.
fn counts(table: &RecordedTable) -> Markup {
    html! {
        @let is_compared = table.outcomes.compared() > 0;
        @let aside = aside(&table.outcomes);
        section.counted aria-label="In short" {
            p {
                @if is_compared { (table.outcomes.headline()) ". " }
                @else { "The values of this table are not counted. " }
                a href={ "../" (RULE) } { "How outcomes are decided" }
            }
            @if is_compared { (bar(&table.outcomes, false)) }
            @if !aside.is_empty() { p.meta { (aside) } }
        }
    }
}

/// The tests of all values at once, as far as the table has any.
fn together(table: &RecordedTable) -> Markup {
    let (rows, errors) = (table.joint.rows, table.joint.errors);
    html! {
        @if rows.is_some() || errors.is_some() {
            h2 id="together" { "All values together" }
            ul {
                @if let Some(JointFinding { n_cells, n_found, expected: by_chance, p }) = rows {
                    li {
                        b { "Permutation test: " } (share(n_found, n_cells, "")) " within the tolerance; with rows shuffled "
                        (expected(by_chance)) " would be (" (probability(p)) ")."
                    }
                }
                @if let Some(JointFinding { n_cells, n_found, expected: by_chance, p }) = errors {
                    li {
                        b { "Standard errors: " } (share(n_found, n_cells, " with a standard error")) " outside of the tolerance; "
                        "sampling error alone would give " (expected(by_chance)) " (Bonferroni-adjusted " (probability(p)) ")."
                    }
                }
            }
        }
    }
}

/// How many of some values do something: `none of 4 values is`, `1 of 4 values is`.
fn share(n_found: usize, n: usize, which: &str) -> String {
    match (n_found, n) {
        (0, 1) => format!("the only value{which} is not"),
        (_, 1) => format!("the only value{which} is"),
        (0, _) => format!("none of {n} values{which} is"),
        (1, _) => format!("1 of {n} values{which} is"),
        _ => format!("{n_found} of {n} values{which} are"),
    }
}

fn drawn(picture: &Picture) -> Markup {
    html! {
        figure.picture {
            h2 { (picture.title) }
            (picture.body)
            figcaption { (picture.caption) }
        }
    }
}

fn plotted(table: &RecordedTable, svg: &str) -> Markup {
    html! { figure.picture { (plot(svg, &unmarked(&table.title))) } }
}

/// The pages of a long table.
fn parts(view: &View<'_>, part: usize) -> Markup {
    let n = view.parts.len();
    html! {
        @if n > 1 {
            nav.key aria-label="Pages of this table" {
                @for (idx, cells) in view.parts.iter().enumerate() {
                    @let (first, last) = (&view.table.cells[cells.start].row, &view.table.cells[cells.end - 1].row);
                    @if idx == part { b aria-current="page" { (first) " to " (last) } }
                    @else { a href=(view.file(idx)) { (first) " to " (last) } }
                }
            }
        }
    }
}

fn columns(context: &Context<'_>, table: &RecordedTable) -> Markup {
    let inner = html! {
        table.lines {
            caption.vh { "Columns and tolerances" }
            thead { tr {
                th.l scope="col" { "column" }
                th.l scope="col" { "meaning" }
                th.l scope="col" { "unit" }
                th.l scope="col" { "tolerance" }
                th.l scope="col" { "baseline" }
            } }
            tbody {
                @for column in &table.columns {
                    tr {
                        th scope="row" { code { (column.name) } }
                        td.l.wrap { (line(context, &column.doc)) @if let Some(follows) = &column.follows { "; follows: " code { (follows) } } }
                        td.l { (column.unit) }
                        td.l.wrap { (column.tolerance) @if let Some(set) = column.tolerance_set { ", " (set) } @if let Some(why) = &column.why { ": " (line(context, why)) } }
                        td.l.wrap { (line(context, &column.baselines.join(", "))) }
                    }
                }
            }
        }
    };
    html! { details { summary { "Columns and tolerances" } (scrolling("Columns and tolerances", &inner)) } }
}

fn neighbors(context: &Context<'_>, table: &RecordedTable) -> Markup {
    let paper = context.paper(table.paper());
    let tables = paper
        .map(|paper| context.tables_of(paper))
        .unwrap_or_default();
    let at = tables
        .iter()
        .position(|other| other.id == table.id)
        .unwrap_or(0);
    let before = at.checked_sub(1).and_then(|at| tables.get(at));
    html! {
        nav.key.after aria-label="Tables of this paper" {
            @if let Some(before) = before { a rel="prev" href={ (before.name()) ".html" } { "← " (before.name()) } }
            @if let Some(next) = tables.get(at + 1) { a rel="next" href={ (next.name()) ".html" } { (next.name()) " →" } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_told_with_their_numbers() {
        let told = [(0, 1), (1, 1), (0, 4), (1, 4), (3, 4)].map(|(found, n)| share(found, n, ""));
        assert_eq!(
            told,
            [
                "the only value is not",
                "the only value is",
                "none of 4 values is",
                "1 of 4 values is",
                "3 of 4 values are"
            ]
        );
    }
}
