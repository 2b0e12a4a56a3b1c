//! A dataset's page: its columns, and how to get them.

use kibitz_lab::record::Dataset;
use maud::html;

use crate::context::Context;
use crate::origin;
use crate::page::{Page, command, scrolling};
use crate::text::{coded, line, paragraphs, unmarked};

pub(crate) fn page(context: &Context<'_>, dataset: &Dataset) -> String {
    let recorded = context.recorded;
    let (paper, name) = dataset.id.split_once('/').unwrap_or(("", &dataset.id));
    let above = context
        .paper(paper)
        .filter(|paper| !context.tables_of(paper).is_empty());
    let readers = recorded
        .tables
        .iter()
        .filter(|table| table.origin.from.contains(&dataset.id));
    let readers: Vec<&str> = readers.map(|table| table.id.as_str()).collect();
    let columns = html! {
        table.lines {
            caption.vh { "Columns" }
            thead { tr {
                th.l scope="col" { "column" }
                th.l scope="col" { "type" }
                th.l scope="col" { "unit" }
                th.l scope="col" { "meaning" }
            } }
            tbody {
                @for [name, of, unit, doc] in &dataset.fields {
                    tr { th scope="row" { code { (name) } } td.l { (of) } td.l { (unit) } td.l.wrap { (line(context, doc)) } }
                }
            }
        }
    };
    let body = html! {
        p.kicker { "A dataset" @if !dataset.place.is_empty() { ": " (coded(&dataset.place)) } }
        h1 { (coded(&dataset.title)) }
        h2 id="get" { "Export it" }
        (command(&format!("{} dataset {} --out {name}.parquet", recorded.program, dataset.id)))
        p { "This writes Parquet for Python, R or DuckDB; a name that ends in " code { ".csv" } " gives CSV. Kibitz computes the dataset unless it is in the cache." }
        h2 id="columns" { (dataset.fields.len()) " columns" }
        (scrolling("Columns", &columns))
        @if !readers.is_empty() {
            h2 id="readers" { "Read by" }
            p.names { @for id in readers { a href={ "../" (id) ".html" } { (id) } " " } }
        }
        @if let Some(notes) = &dataset.notes { h2 id="notes" { "Notes" } (paragraphs(context, notes)) }
        (origin::section(context, &dataset.id, &dataset.kind, &dataset.origin, false))
    };
    Page {
        title: format!("{} – Kibitz", unmarked(&dataset.title)),
        about: format!("{}: {} columns.", dataset.id, dataset.fields.len()),
        above: above
            .map(|paper| (paper.short.clone(), format!("../{}/index.html", paper.id)))
            .into_iter()
            .collect(),
        name: Some(name.to_owned()),
        shortcuts: context
            .code_link(&dataset.kind)
            .map(|link| ("Code".to_owned(), link, "c"))
            .into_iter()
            .collect(),
        body,
        program: &context.recorded.program,
    }
    .html()
}
