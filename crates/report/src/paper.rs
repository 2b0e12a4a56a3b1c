//! A paper's page: the article, its tables in order, errors in the paper, tables that are not rebuilt.

use kibitz_lab::record::{Paper, RecordedTable};
use maud::{Markup, html};

use crate::context::Context;
use crate::front::total;
use crate::number::probability;
use crate::outcomes::{aside, bar, told};
use crate::page::{Page, command, scrolling};
use crate::text::{article, coded, line};

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
    // A published table that no table of ours rebuilds has no page to jump to.
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
            None => @if let Some(text) = &paper.differences { p { (line(context, text)) } }
        }
        h2 id="tables" { "The tables" }
        (bar(&counts, false))
        p.meta { (counts.headline()) ". " (aside(&counts)) }
        @if !paper.printed_tables.is_empty() { (published(context, paper)) }
        @let (evidence, others): (Vec<&RecordedTable>, Vec<&RecordedTable>) = tables.iter().copied().partition(|table| table.is_evidence);
        h3 { @if paper.is_published { "Tables and their outcomes" } @else { "Explorations" } }
        (listing("The tables and their outcomes", &others))
        @if !evidence.is_empty() {
            h3 id="how-we-know" { "How we know" }
            p { "These tables support an interpretation or another table." }
            (listing("Supporting tables and their outcomes", &evidence))
        }
        p.meta.measure {
            "Bonferroni-adjusted p: the probability of a difference as large as the largest if published and reproduced values "
            "differed by their standard errors alone. Permutation p: the share of shuffles of the reproduced rows that match "
            "as many published values."
        }
        @if !paper.errata.is_empty() {
            h2 id="errata" { "Errors in the paper" }
            ul { @for slip in &paper.errata { li { (line(context, slip)) } } }
        }
        @if !paper.not_attempted.is_empty() {
            h2 id="left-out" { "Not attempted" }
            ul { @for (place, reason) in &paper.not_attempted { li { b { (place) } ": " (line(context, reason)) "." } } }
        }
        h2 id="redo" { "Reproduce it" }
        (command(&format!("{program} reproduce {}", paper.id)))
    };
    Page {
        title: format!("{} – Kibitz", paper.title),
        about: format!("{}: {}.", paper.short, told(&counts)),
        above: Vec::new(),
        name: Some(paper.short.clone()),
        shortcuts,
        body,
        program: &context.recorded.program,
    }
    .html()
}

/// Every table that the paper publishes, and the tables that rebuild it.
fn published(context: &Context<'_>, paper: &Paper) -> Markup {
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
            caption { "Published tables and figures" }
            thead { tr { th.l scope="col" { "published" } th.l scope="col" { "rebuilt as" } th.l scope="col" { "notes" } } }
            tbody {
                @for table in &paper.printed_tables {
                    tr {
                        th scope="row" { (table.place) }
                        td.l { @for id in &table.tables { (rebuilt(id)) } @if table.tables.is_empty() { "–" } }
                        td.l.wrap { @if let Some(note) = &table.note { (line(context, note)) } @else { "" } }
                    }
                }
            }
        }
    };
    scrolling("Published tables", &table)
}

fn listing(label: &str, tables: &[&RecordedTable]) -> Markup {
    let p = |together: Option<kibitz_lab::record::JointFinding>| {
        together.map(|together| {
            probability(together.p)
                .replace("p = ", "")
                .replace("p ", "")
        })
    };
    let table = html! {
        table.lines {
            caption.vh { "Tables, how many of the published values match, and tests of all values together" }
            thead { tr {
                th.l scope="col" { "table" }
                th.l scope="col" { "finding" }
                th.l scope="col" { "outcomes" }
                th scope="col" { "match" }
                th scope="col" { "of" }
                th scope="col" { "p" small { "Bonferroni-adjusted" } }
                th scope="col" { "p" small { "permutation" } }
            } }
            tbody {
                @for table in tables {
                    @let of = table.outcomes.compared();
                    tr {
                        td.l { a href={ (table.name()) ".html" } { (table.name()) } }
                        td.l.wrap { (coded(table.finding.as_ref().unwrap_or(&table.title))) br; span.soft { (table.place) } }
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
    scrolling(label, &table)
}
