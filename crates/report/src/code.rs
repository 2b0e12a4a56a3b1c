//! The code of a kind, line by line.

use kibitz_lab::record::KindCode;
use maud::html;

use crate::context::Context;
use crate::page::{Page, command};

pub(crate) fn page(context: &Context<'_>, kind: &KindCode) -> String {
    let recorded = context.recorded;
    let file = kind.file.as_deref().unwrap_or_default();
    let tables = recorded.tables.iter().map(|table| (&table.kind, &table.id));
    let datasets = recorded
        .datasets
        .iter()
        .map(|dataset| (&dataset.kind, &dataset.id));
    let users: Vec<&String> = tables
        .chain(datasets)
        .filter(|(own, _)| **own == kind.name)
        .map(|(_, id)| id)
        .collect();
    let body = html! {
        p.kicker { "The code of an experiment kind" }
        h1 { (kind.name) }
        p { "The file " code { (file) } "; the kind begins at " a href={ "#L" (kind.line) } { "line " (kind.line) } "." }
        (command(&format!("{} kinds {}", recorded.program, kind.name)))
        p.names { "Computes: " @for id in users { a href={ "../" (id) ".html" } { (id) } " " } }
        h2 id="code" { "The file" }
        div.scroll role="region" tabindex="0" aria-label=(file) {
            ol.code {
                @for (idx, line) in kind.text.lines().enumerate() {
                    li id={ "L" (idx + 1) } class=[(idx + 1 == kind.line).then_some("here")] { (line) }
                }
            }
        }
    };
    Page {
        title: format!("{} – Kibitz", kind.name),
        about: format!("The code of {}, {file}.", kind.name),
        above: Vec::new(),
        name: Some(format!("code of {}", kind.name)),
        shortcuts: vec![("First line".to_owned(), format!("#L{}", kind.line), "c")],
        body,
        program: &context.recorded.program,
    }
    .html()
}
