//! The front page: what came of each paper, at a glance.

use kibitz_lab::recorded::{Paper, RecordedTable};
use kibitz_lab::{Counts, Outcome};
use maud::{Markup, html};

use crate::number::probability;
use crate::outcomes::{bar, key, words};
use crate::page::{Page, command};
use crate::site::Context;
use crate::text::article;

/// A table is the best or the worst of a paper only if it has as many compared cells.
const FEWEST: usize = 6;

pub(crate) fn page(context: &Context<'_>) -> String {
    let recorded = context.recorded;
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
        .zip(["1", "2", "3", "4", "5", "6", "7", "8"])
        .map(|(paper, key)| (paper.short.clone(), format!("{}/index.html", paper.id), key))
        .collect();
    shortcuts.push(("Explorations".to_owned(), "#explorations".to_owned(), "x"));
    let body = html! {
        h1 { (title) }
        div.lead { (own.lead) }
        (bar(&counts, false))
        (key(&counts))
        p.meta { (counts.headline()) "." }
        (words(Outcome::COUNTED, ""))
        (command(&format!("{} reproduce", recorded.program)))
        @if !context.beside.is_empty() {
            ul {
                @for page in &context.beside {
                    li { a href=(page.path) { (page.title) } ": " (page.about) }
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
        @for paper in &papers { (told(context, paper)) }
        h2 id="left-out" { "What was left out, and why" }
        ul {
            @for paper in &papers {
                @for table in paper.printed_tables.iter().filter(|table| table.tables.is_empty()) {
                    li { (paper.short) ", " b { (table.place) } @if let Some(note) = &table.note { ": " (plain(note)) } "." }
                }
                @for (place, reason) in &paper.not_attempted {
                    li { (paper.short) ", " b { (place) } ": " (reason) "." }
                }
            }
        }
        @if !others.is_empty() {
            h2 id="explorations" { "Explorations" }
            @for paper in others { (explored(context, paper)) }
        }
        (own.sections)
        @if !recorded.datasets.is_empty() {
            h2 id="datasets" { "Datasets" }
            p { "What tables read: computed once, kept, and written for other programs by one command." }
            ul {
                @for dataset in &recorded.datasets {
                    li { a href={ (dataset.id) ".html" } { (dataset.id) } " " (dataset.title) }
                }
            }
        }
    };
    Page {
        about: format!(
            "{} published values, compared one by one.",
            counts.compared()
        ),
        title: format!("{title} – Kibitz"),
        above: Vec::new(),
        name: None,
        shortcuts,
        body,
    }
    .html()
}

/// Notes without their marks of code.
fn plain(note: &str) -> String {
    note.replace('`', "")
}

/// The outcomes of several tables.
pub(crate) fn total<'t>(tables: impl IntoIterator<Item = &'t RecordedTable>) -> Counts {
    let mut counts = Counts::default();
    for table in tables {
        counts.merge(&table.outcomes);
    }
    counts
}

fn told(context: &Context<'_>, paper: &Paper) -> Markup {
    let tables = context.tables_of(paper);
    let counts = total(tables.iter().copied());
    let conclusion = paper
        .article
        .as_deref()
        .map(|text| article(context, text, "").lead);
    let share = |table: &&&RecordedTable| {
        let n = table.outcomes.compared();
        (table.outcomes.matching() * 100_000 / n.max(1), n)
    };
    let ranked = || {
        let in_print = |table: &&&RecordedTable| {
            let mut printed = paper.printed_tables.iter();
            printed.any(|printed| printed.tables.contains(&table.id))
        };
        let judged = tables
            .iter()
            .filter(|table| table.outcomes.compared() >= FEWEST);
        judged.filter(in_print)
    };
    let best = ranked().max_by_key(share);
    let worst = ranked().min_by_key(|table| {
        let (share, n) = share(table);
        (share, usize::MAX - n)
    });
    let n_printed = paper.printed_tables.len();
    let n_rebuilt = paper
        .printed_tables
        .iter()
        .filter(|table| !table.tables.is_empty())
        .count();
    let link = |table: &RecordedTable| {
        let (matching, of) = (table.outcomes.matching(), table.outcomes.compared());
        html! { a href={ (table.id) ".html" } { (table.name()) } ", " (matching) " of " (of) " match" }
    };
    let joint = ranked().filter_map(|table| Some((table, table.joint.errors?.p)));
    let rarest = joint.min_by(|one, other| one.1.total_cmp(&other.1));
    html! {
        article.paper aria-labelledby={ "p-" (paper.id) } {
            div {
                h3 id={ "p-" (paper.id) } { a href={ (paper.id) "/index.html" } { (paper.title) } }
                p.meta { (paper.short) }
                @match conclusion {
                    Some(text) => (text),
                    None => @if let Some(text) = &paper.differences { p { (text) } }
                }
            }
            div {
                (bar(&counts, false))
                (key(&counts))
                dl.facts {
                    @if n_printed > 0 {
                        dt { "rebuilt" }
                        dd { (n_rebuilt) " of " (n_printed) " tables and figures in print, by " (tables.len()) " tables" }
                    }
                    @if let Some(best) = best { dt { "best" } dd { (link(best)) } }
                    @if let Some(worst) = worst { dt { "worst" } dd { (link(worst)) } }
                    @if let Some((table, p)) = rarest {
                        dt { "joint p" }
                        dd { "rarest " (probability(p)) " by errors, in " a href={ (table.id) ".html" } { (table.name()) } }
                    }
                    dt { "in print" }
                    dd.names {
                        @for table in tables.iter().filter(|table| table.outcomes.compared() > 0) {
                            a href={ (table.id) ".html" } { (table.name()) } " "
                        }
                    }
                }
            }
        }
    }
}

fn explored(context: &Context<'_>, paper: &Paper) -> Markup {
    html! {
        p { (paper.citation) " Most of these tables have no published counterpart." }
        ul.explored {
            @for table in context.tables_of(paper) {
                li { a href={ (table.id) ".html" } { (table.finding.as_ref().unwrap_or(&table.title)) } }
            }
        }
        p { a href={ (paper.id) "/index.html" } { "All explorations and their results" } }
    }
}
