//! The frame of a page.

use maud::{DOCTYPE, Markup, html};

use crate::outcomes;

/// A page and its place in the report.
pub(crate) struct Page<'p> {
    /// Of the window.
    pub(crate) title: String,
    /// For those who search.
    pub(crate) about: String,
    /// The folders above, each with its address; the front excepted.
    pub(crate) above: Vec<(String, String)>,
    /// Its own name in the path; none of the front.
    pub(crate) name: Option<String>,
    /// Links within the page and to what is beside it: word, address, key.
    pub(crate) shortcuts: Vec<(String, String, &'p str)>,
    pub(crate) body: Markup,
    /// How a person starts the program that writes the page.
    pub(crate) program: &'p str,
}

impl Page<'_> {
    /// The text of the file.
    pub(crate) fn html(&self) -> String {
        let up = if self.name.is_some() { "../" } else { "" };
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width,initial-scale=1";
                    title { (self.title) }
                    meta name="description" content=(self.about);
                    link rel="icon" href="data:,";
                    link rel="stylesheet" href={ (up) "style.css" };
                    script src={ (up) "report.js" } defer {}
                }
                body {
                    a.skip href="#main" { "Skip to the content" }
                    (outcomes::symbols(&self.body.0))
                    header.top {
                        nav aria-label="You are here" {
                            ol {
                                @match &self.name {
                                    None => li aria-current="page" { b { "Kibitz" } }
                                    Some(name) => {
                                        li { a.brand href={ (up) "index.html" } { "Kibitz" } }
                                        @for (name, address) in &self.above {
                                            li { a href=(address) { (name) } }
                                        }
                                        li aria-current="page" { (name) }
                                    }
                                }
                            }
                        }
                        nav.more aria-label="Go to" {
                            @for (word, address, key) in &self.shortcuts {
                                a href=(address) aria-keyshortcuts=[Some(key).filter(|key| !key.is_empty())] {
                                    (word)
                                    @if !key.is_empty() { kbd aria-hidden="true" { (key) } }
                                }
                            }
                        }
                    }
                    main id="main" tabindex="-1" { (self.body) }
                    footer.end {
                        p {
                            "Written by " code { (self.program) " report" } " from " code { "results/" }
                            ": the same results give the same bytes. "
                            "A framed letter or digit is the key for that link."
                        }
                    }
                }
            }
        };
        // Shapes have nothing within them.
        let mut text = page.into_string();
        for shape in ["line", "rect", "path", "use", "circle"] {
            text = text.replace(&format!("></{shape}>"), "/>");
        }
        // What HTML allows to leave out is a twentieth of all pages.
        for element in ["td", "th", "tr", "dt", "dd", "li"] {
            text = text.replace(&format!("</{element}>"), "");
        }
        text
    }
}

/// A table that scrolls within the page.
pub(crate) fn scrolling(label: &str, table: &Markup) -> Markup {
    html! { div.scroll role="region" tabindex="0" aria-label=(label) { (table) } }
}

/// A command to copy.
pub(crate) fn command(text: &str) -> Markup {
    html! { pre data-copy tabindex="0" { (text) } }
}
