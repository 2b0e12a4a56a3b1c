//! A table's page: ours beside print, what each figure is worth, and what redoes it.

mod beside;
mod dots;
mod explained;
mod sheet;

use kibitz_lab::Outcome;
use kibitz_lab::recorded::{RecordedTable, Together};
use maud::{Markup, PreEscaped, html};

use crate::number::{expected, probability};
use crate::outcomes::{bar, key, told, words};
use crate::page::{Page, scrolling};
use crate::site::{Context, View};
use crate::text::{line, paragraphs};
use crate::{Picture, origin};

/// One of the pages of a table; the first tells everything but the figures of later rows.
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
    let body = html! {
        p.kicker {
            @if let Some(paper) = paper { (paper.short) }
            @if !table.place.is_empty() { ", " (table.place) }
            @if table.is_scanned { ". Published values were read from a scan" }
        }
        h1 { (table.finding.as_ref().unwrap_or(&table.title)) @if !is_first { " (" (part + 1) ")" } }
        @if table.finding.is_some() { p.meta { (table.title) } }
        @if table.is_of_last_run { p { b { "These are values of the last run; " } "other inputs decided the recorded ones." } }
        @for notice in &table.notices { p.notice role="note" { b { "Beware: " } (notice) } }
        @if is_first && is_judged { (score(table)) }
        @if is_first { @for picture in pictures { (drawn(picture)) } }
        (parts(view, part))
        h2 id="table" { @if is_judged { "Published and reproduced values" } @else { "The table" } }
        (beside::tables(view, part, is_judged))
        @if is_first {
            @if is_judged { (words(Outcome::ALL.into_iter().filter(|one| table.outcomes.of(*one) > 0), "../")) }
            (dots::figure(view))
            @if let Some(plot) = &table.plot { (plotted(table, plot)) }
            (explained::deviations(context, view))
            (explained::fitted(table))
            (explained::self_checks(table))
            h2 id="notes" { "Notes" }
            @if let Some(notes) = &table.notes { (paragraphs(context, notes)) }
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
        shortcuts.push(("Redo it".to_owned(), "#redo".to_owned(), "r"));
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
        title: format!("{} – Kibitz", table.title),
        about: format!("{}: {}.", table.id, told(&table.outcomes)),
        above: above.into_iter().collect(),
        name: Some(name),
        shortcuts,
        body,
    }
    .html()
}

/// The counts, and the tests of all values at once.
fn score(table: &RecordedTable) -> Markup {
    html! {
        section.score aria-label="In short" {
            div {
                h2 { "Compared" }
                p.n { (table.outcomes.compared()) " values" }
                (bar(&table.outcomes, false))
                (key(&table.outcomes))
            }
            @if let Some(Together { cells, found, expected: by_chance, p }) = table.joint.rows {
                div {
                    h2 { "Permutation test" }
                    p.n { (probability(p)) }
                    p { (found) " of " (cells) " values are within tolerance; with rows shuffled " (expected(by_chance)) " would be" }
                }
            }
            @if let Some(Together { cells, found, expected: by_chance, p }) = table.joint.errors {
                div {
                    h2 { "All differences together" }
                    p.n { (probability(p)) }
                    p { (found) " of " (cells) " values with a standard error are outside, " (expected(by_chance)) " expected by chance (Bonferroni-adjusted)" }
                }
            }
        }
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

fn plotted(table: &RecordedTable, plot: &str) -> Markup {
    // Its size is that of the page, and its words stand in the table above.
    let plot = plot.replacen(
        "<svg ",
        &format!(
            "<svg role=\"img\" aria-label=\"{}\" ",
            attribute(&table.title)
        ),
        1,
    );
    html! {
        figure.plot {
            h2 id="plot" { "As a picture" }
            div.paper-white { (PreEscaped(plot)) }
            figcaption { "Lines: reproduced. Circles: published." }
        }
    }
}

/// A text within quotation marks.
fn attribute(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;")
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
                th.l scope="col" { "what" }
                th.l scope="col" { "unit" }
                th.l scope="col" { "tolerance" }
                th.l scope="col" { "baseline" }
            } }
            tbody {
                @for column in &table.columns {
                    tr {
                        th scope="row" { code { (column.name) } }
                        td.l.wrap { (column.doc) @if let Some(follows) = &column.follows { "; follows: " code { (follows) } } }
                        td.l { (column.unit) }
                        td.l.wrap { (column.tolerance) @if let Some(set) = column.tolerance_set { ", " (set) } @if let Some(why) = &column.why { ": " (why) } }
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
