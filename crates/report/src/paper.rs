//! A paper's page: the article, its tables in order, slips in print, what was left out.

use kibitz_lab::recorded::{Paper, RecordedTable};
use maud::{Markup, html};

use crate::front::total;
use crate::number::probability;
use crate::outcomes::{bar, key, told};
use crate::page::{Page, command, scrolling};
use crate::site::Context;
use crate::text::{article, line};

pub(crate) fn page(context: &Context<'_>, paper: &Paper) -> String {
    let tables = context.tables_of(paper);
    let counts = total(tables.iter().copied());
    let text = paper
        .article
        .as_deref()
        .map(|text| article(context, text, "../"));
    let program = &context.recorded.program;
    let mut shortcuts = vec![("Tables".to_owned(), "#tables".to_owned(), "t")];
    let keys = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
    let printed = paper.printed_tables.iter().filter_map(|table| {
        let first = table.tables.first()?;
        Some((table.place.clone(), format!("../{first}.html")))
    });
    shortcuts.extend(
        printed
            .zip(keys)
            .map(|((place, link), key)| (place, link, key)),
    );
    let body = html! {
        p.kicker { @if paper.is_published { "Replication" } @else { "Explorations" } }
        h1 { (paper.title) }
        p.meta.measure {
            (paper.citation)
            @if let Some(link) = &paper.link {
                " " a href=(link) { (link.trim_start_matches("https://")) }
            }
        }
        @match text {
            Some(text) => {
                section.abstract aria-label="Conclusion" { (text.lead) }
                div.article { (text.sections) }
            }
            None => @if let Some(text) = &paper.differences { p { (text) } }
        }
        h2 id="tables" { "The tables" }
        (bar(&counts, false))
        (key(&counts))
        p.meta { (counts.headline()) "." }
        @if !paper.printed_tables.is_empty() { (in_print(context, paper)) }
        @let (evidence, others): (Vec<&RecordedTable>, Vec<&RecordedTable>) = tables.iter().copied().partition(|table| table.is_evidence);
        h3 { @if paper.is_published { "Each with its outcomes" } @else { "Explorations" } }
        (listing(&others))
        @if !evidence.is_empty() {
            h3 id="how-we-know" { "How we know" }
            p { "Tables that support an interpretation." }
            (listing(&evidence))
        }
        p.meta.measure {
            "Joint p by errors: the probability of a difference as rare as the rarest, if both sides differed "
            "by their errors alone; small where they do not. By rows: the share of shuffles of our rows that match "
            "as often; small where our rows match their own."
        }
        @if !paper.errata.is_empty() {
            h2 id="errata" { "Errors in the paper" }
            ul { @for slip in &paper.errata { li { (line(context, slip)) } } }
        }
        @if !paper.not_attempted.is_empty() {
            h2 id="left-out" { "Not attempted" }
            ul { @for (place, reason) in &paper.not_attempted { li { b { (place) } ": " (reason) "." } } }
        }
        h2 id="redo" { "Redo it" }
        (command(&format!("{program} reproduce {}", paper.id)))
    };
    Page {
        title: format!("{} – Kibitz", paper.title),
        about: format!("{}: {}.", paper.short, told(&counts)),
        above: Vec::new(),
        name: Some(paper.short.clone()),
        shortcuts,
        body,
    }
    .html()
}

/// Every table in print, and what became of it.
fn in_print(context: &Context<'_>, paper: &Paper) -> Markup {
    let rebuilt = |id: &String| {
        let view = context.view(id);
        html! {
            @match view {
                Some(view) => {
                    a href={ "../" (id) ".html" } { (view.table.name()) }
                    @let (matching, of) = (view.table.outcomes.matching(), view.table.outcomes.compared());
                    @if of > 0 { ": " (matching) " of " (of) " match" } @else { ": shown" }
                }
                None => { (id) ": not recorded yet" }
            }
            br;
        }
    };
    let table = html! {
        table.lines {
            caption { "Every table and figure in print" }
            thead { tr { th.l scope="col" { "in print" } th.l scope="col" { "rebuilt as" } th.l scope="col" { "what it holds, or why not" } } }
            tbody {
                @for table in &paper.printed_tables {
                    tr {
                        th scope="row" { (table.place) }
                        td.l { @for id in &table.tables { (rebuilt(id)) } @if table.tables.is_empty() { "–" } }
                        td.l.wrap { @if let Some(note) = &table.note { (line(context, note)) } @else { span.soft { "figures" } } }
                    }
                }
            }
        }
    };
    scrolling("Tables in print", &table)
}

fn listing(tables: &[&RecordedTable]) -> Markup {
    let p = |together: Option<kibitz_lab::recorded::Together>| {
        together.map(|together| {
            probability(together.p)
                .replace("p = ", "")
                .replace("p ", "")
        })
    };
    let table = html! {
        table.lines {
            caption.vh { "Tables, how many of the published values match, and the joint p" }
            thead { tr {
                th.l scope="col" { "table" }
                th.l scope="col" { "what" }
                th.l scope="col" { "outcomes" }
                th scope="col" { "match" }
                th scope="col" { "of" }
                th scope="col" { "joint p" small { "by errors" } }
                th scope="col" { "joint p" small { "by rows" } }
            } }
            tbody {
                @for table in tables {
                    @let of = table.outcomes.compared();
                    tr {
                        td.l { a href={ (table.name()) ".html" } { (table.name()) } }
                        td.l.wrap { (table.finding.as_ref().unwrap_or(&table.title)) br; span.soft { (table.place) } }
                        td.bars { (bar(&table.outcomes, true)) }
                        td { @if of > 0 { (table.outcomes.matching()) } @else { "–" } }
                        td { @if of > 0 { (of) } @else { "–" } }
                        td { (p(table.joint.errors).unwrap_or_default()) }
                        td { (p(table.joint.rows).unwrap_or_default()) }
                    }
                }
            }
        }
    };
    scrolling("The tables and their outcomes", &table)
}
