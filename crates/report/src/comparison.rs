//! The page of two tables that were compared without a workspace.

use kibitz_lab::comparison::Comparison;
use maud::{DOCTYPE, PreEscaped, html};

use crate::page::scrolling;

/// A page that needs no other file: published and reproduced values, one line per value.
pub fn comparison(comparison: &Comparison) -> String {
    let [published, reproduced] = &comparison.files;
    let title = format!("{reproduced} and {published}");
    let table = html! {
        table {
            thead {
                tr {
                    @for head in Comparison::HEADER { th scope="col" { (head) } }
                }
            }
            tbody {
                @for [row, others @ ..] in comparison.lines() {
                    tr {
                        th scope="row" { (row) }
                        @for text in others { td { (text) } }
                    }
                }
            }
        }
    };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                title { (title) }
                style { (PreEscaped(include_str!("../assets/style.css"))) }
            }
            body {
                main id="main" {
                    h1 { "Published and reproduced values" }
                    p { "Published: " code { (published) } "; reproduced: " code { (reproduced) } "." }
                    ul { @for line in comparison.summary() { li { (line) } } }
                    (scrolling("Values", &table))
                }
            }
        }
    };
    page.into_string()
}
