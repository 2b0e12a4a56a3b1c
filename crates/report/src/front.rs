//! The front page: what was found, at a glance.

use std::collections::BTreeMap;

use kibitz_lab::record::{Paper, RecordedTable};
use kibitz_lab::{Counts, Outcome};
use maud::{Markup, html};

use crate::context::Context;
use crate::number::grouped;
use crate::outcomes::{RULE, aside, bar};
use crate::page::{Page, command};
use crate::text::{Finding, article, coded};
use crate::{Picture, picture, scatter};

pub(crate) fn page(context: &Context<'_>, drawn: &BTreeMap<&str, Vec<Picture>>) -> String {
    let recorded = context.recorded;
    // Explorations have no published values, so they stand apart and no count includes them.
    let (papers, others): (Vec<&Paper>, Vec<&Paper>) = recorded
        .papers
        .iter()
        .filter(|paper| !context.tables_of(paper).is_empty())
        .partition(|paper| paper.is_published);
    let counts = total(papers.iter().flat_map(|paper| context.tables_of(paper)));
    let own = recorded.article.as_deref().unwrap_or("# Results\n");
    let own = article(context, own, "");
    let title = own.title.unwrap_or_else(|| "Results".to_owned());
    let mut shortcuts: Vec<(String, String, &str)> = papers
        .iter()
        // One key for each paper; a ninth paper would have no key.
        .zip(["1", "2", "3", "4", "5", "6", "7", "8"])
        .map(|(paper, key)| (paper.short.clone(), format!("{}/index.html", paper.id), key))
        .collect();
    if !others.is_empty() {
        shortcuts.push(("Explorations".to_owned(), "#explorations".to_owned(), "x"));
    }
    let body = html! {
        h1 { (title) }
        div.lead { (own.lead) }
        div.hero {
            (scatter::figure(context, &papers))
            (numbers(context, &counts))
        }
        @if !own.findings.is_empty() {
            section aria-labelledby="findings" {
                h2 id="findings" { "Findings" }
                div.cards {
                    @for finding in &own.findings { (card(context, finding, drawn)) }
                }
            }
        }
        @if !recorded.left_out.is_empty() {
            h2 id="not-shown" { "Not shown" }
            p { "These tables and datasets cannot be shown, and no count includes them:" }
            ul {
                @for (id, why) in &recorded.left_out { li { b { (id) } ": " (why) "." } }
            }
        }
        h2 id="papers" { "The papers" }
        @for paper in &papers { (row(context, paper)) }
        @if !others.is_empty() {
            h2 id="explorations" { "Explorations" }
            @for paper in others { (explored(context, paper)) }
        }
        (own.sections)
        @if !recorded.datasets.is_empty() {
            h2 id="datasets" { "Datasets" }
            p { "Kibitz computes the records that tables read once, keeps them, and exports them as Parquet or CSV." }
            ul.explored {
                @for dataset in &recorded.datasets {
                    li { a href={ (dataset.id) ".html" } { (coded(&dataset.title)) } " " span.soft { (dataset.id) } }
                }
            }
        }
        (left_out(&papers))
        h2 id="redo" { "Reproduce the results" }
        p { "In a checkout of the repository, this command rebuilds the tables of the papers:" }
        (command(&format!("{} reproduce", recorded.program)))
        @if let Some(table) = papers.iter().flat_map(|paper| context.tables_of(paper)).next() {
            p { "With the name of a table it rebuilds that table:" }
            (command(&format!("{} reproduce {}", recorded.program, table.id)))
        }
    };
    Page {
        about: format!("{}.", counts.headline()),
        title: format!("{title} – Kibitz"),
        above: Vec::new(),
        name: None,
        shortcuts,
        body,
        program: &context.recorded.program,
    }
    .html()
}

/// The outcomes of several tables.
pub(crate) fn total<'t>(tables: impl IntoIterator<Item = &'t RecordedTable>) -> Counts {
    let mut counts = Counts::default();
    for table in tables {
        counts.merge(&table.outcomes);
    }
    counts
}

/// The headline counts, and where to go on.
fn numbers(context: &Context<'_>, counts: &Counts) -> Markup {
    let word = |n: usize, one: &'static str, many: &'static str| if n == 1 { one } else { many };
    let (matching, inconclusive) = (counts.matching(), counts.of(Outcome::Inconclusive));
    let differing = counts.differing();
    let aside = aside(counts);
    html! {
        section.counts id="counts" tabindex="-1" aria-label="All values compared" {
            dl {
                dt.matches { b { (grouped(matching)) } " " (word(matching, "matches", "match")) }
                dd {
                    "within the tolerance; "
                    b { (grouped(counts.of(Outcome::Matches))) }
                    " of these in a test that could have failed, since a trivial baseline misses the value"
                }
                dt.inconclusive { b { (grouped(inconclusive)) } " inconclusive" }
                dd { "the reproduced values vary so much that any plausible value would match" }
                dt.unexplained { b { (grouped(differing)) } " " (word(differing, "differs", "differ")) }
                dd {
                    b { (grouped(counts.of(Outcome::DiffersExplained))) } " with a demonstrated cause, "
                    b { (grouped(counts.of(Outcome::DiffersUnexplained))) } " without one"
                }
            }
            (bar(counts, false))
            p.meta { "Of " (grouped(counts.compared())) " values compared. " @if !aside.is_empty() { (aside) " " } a href=(RULE) { "How outcomes are decided" } }
            @if !context.beside.is_empty() {
                ul.beside {
                    @for page in context.beside {
                        li { a href=(page.path) { b { (page.title) } } " " (page.about) }
                    }
                }
            }
        }
    }
}

/// A finding: a sentence, a picture, a number, and all of it leads to the table.
fn card(context: &Context<'_>, finding: &Finding, drawn: &BTreeMap<&str, Vec<Picture>>) -> Markup {
    let view = context.view(&finding.table);
    let drawn = drawn
        .get(finding.table.as_str())
        .map_or(&[][..], Vec::as_slice);
    let picture = view.and_then(|view| picture::of(view, drawn, &finding.title));
    // A row of boards needs the whole width.
    let is_wide = picture
        .as_ref()
        .is_some_and(|body| body.0.contains("class=\"strip"));
    html! {
        article.card.wide[is_wide] {
            h3 {
                @if view.is_some() { a href={ (finding.table) ".html" } { (finding.title) } }
                @else { (finding.title) }
            }
            @if let Some(picture) = picture { div.shown { (picture) } }
            (finding.body)
        }
    }
}

/// A paper: its conclusion, how much of it was rebuilt, and its outcomes.
fn row(context: &Context<'_>, paper: &Paper) -> Markup {
    let counts = total(context.tables_of(paper));
    let conclusion = paper
        .article
        .as_deref()
        .map(|text| article(context, text, "").lead);
    let n_rebuilt = (paper.printed_tables.iter())
        .filter(|table| !table.tables.is_empty())
        .count();
    html! {
        article.paper aria-labelledby={ "p-" (paper.id) } {
            div {
                h3 id={ "p-" (paper.id) } { a href={ (paper.id) "/index.html" } { (paper.title) } }
                p.meta { (paper.short) }
                @match conclusion {
                    Some(text) => (text),
                    None => @if let Some(text) = &paper.differences { p { (coded(text)) } }
                }
            }
            div {
                (bar(&counts, false))
                @if n_rebuilt > 0 {
                    p.meta { (n_rebuilt) " of " (paper.printed_tables.len()) " published tables and figures are rebuilt." }
                }
                p.meta { a href={ (paper.id) "/index.html" } { "Replication report" } }
            }
        }
    }
}

/// Explorations by topic, each with its finding as the text of its link.
fn explored(context: &Context<'_>, paper: &Paper) -> Markup {
    // What supports another table is listed on the page of all explorations.
    let tables: Vec<&RecordedTable> = context
        .tables_of(paper)
        .into_iter()
        .filter(|table| !table.is_evidence)
        .collect();
    let is_grouped = |table: &&&RecordedTable| {
        let mut topics = paper.topics.iter();
        topics.any(|(_, ids)| ids.contains(&table.id))
    };
    let others: Vec<&RecordedTable> = (tables.iter())
        .filter(|table| !is_grouped(table))
        .copied()
        .collect();
    let listed = |tables: &[&RecordedTable]| {
        html! {
            ul.explored {
                @for table in tables {
                    li { a href={ (table.id) ".html" } { (coded(table.finding.as_ref().unwrap_or(&table.title))) } }
                }
            }
        }
    };
    html! {
        p { "Questions that the papers leave open. Most of these tables have no published counterpart." }
        @for (title, ids) in &paper.topics {
            @let own: Vec<&RecordedTable> = tables.iter().filter(|table| ids.contains(&table.id)).copied().collect();
            @if !own.is_empty() { h3 { (title) } (listed(&own)) }
        }
        @if !others.is_empty() {
            @if !paper.topics.is_empty() { h3 { "Others" } }
            (listed(&others))
        }
        p { a href={ (paper.id) "/index.html" } { "All explorations and their results" } }
    }
}

/// The tables that are not rebuilt, with the reason.
fn left_out(papers: &[&Paper]) -> Markup {
    html! {
        h2 id="left-out" { "Tables that are not rebuilt" }
        details {
            summary { "Tables and figures of the papers that are not rebuilt, each with the reason" }
            ul {
                @for paper in papers {
                    @for table in paper.printed_tables.iter().filter(|table| table.tables.is_empty()) {
                        li { (paper.short) ", " b { (table.place) } @if let Some(note) = &table.note { ": " (coded(note)) } "." }
                    }
                    @for (place, reason) in &paper.not_attempted {
                        li { (paper.short) ", " b { (place) } ": " (coded(reason)) "." }
                    }
                }
            }
        }
    }
}
