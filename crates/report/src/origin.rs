//! How to reproduce a table: the command, the file, the line of code, the seed, the data.

use kibitz_lab::record::Origin;
use maud::{Markup, html};

use crate::context::Context;
use crate::number::duration;
use crate::page::command;
use crate::text::coded;

/// The section of a table or dataset.
pub(crate) fn section(
    context: &Context<'_>,
    id: &str,
    kind: &str,
    origin: &Origin,
    is_table: bool,
) -> Markup {
    let recorded = context.recorded;
    let code = recorded.kinds.iter().find(|known| known.name == kind);
    html! {
        section aria-labelledby="redo" {
            h2 id="redo" { "Reproduce it" }
            @if is_table { (command(&format!("{} reproduce {id}", recorded.program))) }
            dl.facts {
                dt { "declared in" }
                dd { code { "experiments/" (id) ".toml" } }
                dt { "computed by" }
                dd {
                    @match code.and_then(|code| Some((code, code.file.as_ref()?))) {
                        Some((code, file)) => a id="code" href={ "../code/" (kind) ".html#L" (code.line) } { (file) ":" (code.line) },
                        None => span id="code" { "a kind outside of the workspace" },
                    }
                    ", kind " code { (kind) }
                }
                @if is_table {
                    dt { "values" }
                    dd { code { "results/" (id) "/table.csv" } ", with the published ones in " code { "compare.csv" } }
                }
                dt { "seed" }
                dd { @match origin.seed { Some(seed) => (seed), None => "none: no random numbers" } }
                @if origin.replicates > 1 { dt { "replicates" } dd { (origin.replicates) } }
                @if let Some(resample) = &origin.resample { dt { "standard errors" } dd { (resample) } }
                @if !origin.data.is_empty() {
                    dt { "data" }
                    dd { @for name in &origin.data { (data(context, name)) } }
                }
                @if !origin.from.is_empty() {
                    dt { "reads" }
                    dd.names { @for id in &origin.from {
                        @match context.link(id) { Some(link) => a href=(link) { (id) }, None => code { (id) } } " "
                    } }
                }
                @if !origin.inputs_key.is_empty() { dt { "cache key" } dd { code { (origin.inputs_key) } } }
                @if let Some(toolchain) = &origin.toolchain { dt { "toolchain" } dd { "Rust " (toolchain) } }
                @if let Some(seconds) = origin.seconds { dt { "CPU time" } dd { (duration(seconds)) " in the last run on this machine" } }
            }
            @for (name, query) in &origin.queries {
                h3 { @if name == "sql" { "The query" } @else { "The query " code { (name) } } }
                pre tabindex="0" { (query) }
            }
            details {
                summary { "The experiment file" }
                pre tabindex="0" { (origin.toml) }
            }
            @if !origin.code.is_empty() {
                details {
                    summary { "Hashes of the code" }
                    ul { @for (name, hash) in &origin.code { li { code { (name) " " (hash) } } } }
                }
            }
        }
    }
}

/// A data file: where it comes from, and its hash.
fn data(context: &Context<'_>, name: &str) -> Markup {
    let Some(entry) = context.recorded.data.get(name) else {
        return html! { code { (name) } " " };
    };
    html! {
        details {
            summary { code { (name) } @if entry.external { ", not embedded" } }
            p.meta {
                (entry.bytes) " bytes, BLAKE3 " code { (entry.blake3.to_hex().as_str()) } ". "
                (coded(entry.origin.trim_end_matches('.'))) ". License: " (coded(entry.license.trim_end_matches('.'))) "."
            }
        }
    }
}
