//! Paragraphs and Markdown, with links to the tables and figures that they name.

use std::sync::LazyLock;

use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use regex::{Captures, Regex};

use crate::site::Context;

static NAMES: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"`([^`]+)`|[a-z]+\d*/[a-z0-9][a-z0-9-]*[a-z0-9]"));
static VALUE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"([-−+]?\d[\d,]*(?:\.\d+)?(?:[eE][-−]?\d+)?(?: ?%)?)<!-- value: (\S+/\S+) "([^"]*)"\.(\S+?)( in print)? -->"#,
    )
});
static COUNT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(\d[\d,]*)<!-- value: [^>]*? in ([a-z0-9/-]+) -->"));

fn pattern(text: &str) -> Regex {
    #[allow(clippy::unwrap_used, reason = "constant patterns, covered by tests")]
    Regex::new(text).unwrap()
}

/// One paragraph: code between backticks, and links to the tables that it names.
pub(crate) fn line(context: &Context<'_>, text: &str) -> Markup {
    let mut end = 0;
    let mut parts: Vec<Markup> = Vec::new();
    for found in NAMES.captures_iter(text) {
        let whole = found.get_match();
        let name = found.get(1).map_or(whole.as_str(), |code| code.as_str());
        let link = context.link(name);
        if link.is_none() && found.get(1).is_none() {
            continue;
        }
        let before = &text[end..whole.start()];
        parts.push(html! { (before) });
        parts.push(html! {
            @if let Some(link) = link { a href=(link) { (name) } } @else { code { (name) } }
        });
        end = whole.end();
    }
    let rest = &text[end..];
    html! { @for part in parts { (part) } (rest) }
}

/// Paragraphs between empty lines.
pub(crate) fn paragraphs(context: &Context<'_>, text: &str) -> Markup {
    let paragraphs = text.trim().split("\n\n");
    let paragraphs = paragraphs.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    html! { @for text in paragraphs { p { (line(context, &text)) } } }
}

/// An article: its title, what stands above its first section, and the sections.
pub(crate) struct Article {
    pub(crate) title: Option<String>,
    pub(crate) lead: Markup,
    pub(crate) sections: Markup,
}

/// Reads an article; numbers with a source lead to their figure. `up` leads to the folder above the
/// papers' from the page where it stands.
pub(crate) fn article(context: &Context<'_>, text: &str, up: &str) -> Article {
    let text = linked(context, text, up);
    let mut events: Vec<Event<'_>> = Parser::new_ext(&text, Options::ENABLE_TABLES)
        .filter_map(plain)
        .collect();
    let mut title = None;
    let is_first = |event: &Event<'_>| {
        matches!(
            event,
            Event::Start(Tag::Heading {
                level: HeadingLevel::H1,
                ..
            })
        )
    };
    if let Some(start) = events.iter().position(is_first) {
        let is_end = |event: &Event<'_>| matches!(event, Event::End(TagEnd::Heading(_)));
        let end = events[start..].iter().position(is_end).unwrap_or(0) + start;
        let words = events[start..end].iter().filter_map(|event| match event {
            Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
            _ => None,
        });
        title = Some(words.collect::<String>());
        events.drain(start..=end);
    }
    let is_section = |event: &Event<'_>| matches!(event, Event::Start(Tag::Heading { .. }));
    let split = events.iter().position(is_section).unwrap_or(events.len());
    let sections = events.split_off(split);
    Article {
        title,
        lead: markup(events),
        sections: markup(sections),
    }
}

fn markup(events: Vec<Event<'_>>) -> Markup {
    let mut text = String::new();
    pulldown_cmark::html::push_html(&mut text, events.into_iter());
    // Tables scroll within the page.
    let opened = "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Table\"><table class=\"lines\">";
    let text = text.replace("<table>", opened);
    PreEscaped(text.replace("</table>", "</table></div>"))
}

/// Without comments; other HTML is text.
fn plain(event: Event<'_>) -> Option<Event<'_>> {
    match event {
        Event::Html(text) | Event::InlineHtml(text) if text.trim_start().starts_with("<!--") => {
            None
        }
        Event::Html(text) | Event::InlineHtml(text) => {
            Some(Event::Text(CowStr::from(text.into_string())))
        }
        Event::Start(Tag::HtmlBlock) | Event::End(TagEnd::HtmlBlock) => None,
        other => Some(other),
    }
}

fn linked(context: &Context<'_>, text: &str, up: &str) -> String {
    let to_figure = |found: &Captures<'_>| {
        let (number, id, row, column) = (&found[1], &found[2], &found[3], &found[4]);
        let view = context.view(id);
        let place = view.and_then(|view| Some((view, view.place(row, column)?)));
        match place {
            Some((view, cell)) => {
                let link = view.far_link(cell);
                let link = link.strip_prefix("../").unwrap_or(&link);
                format!("[{number}](<{up}{link}>)")
            }
            // A value that the table does not show.
            None if view.is_some() => format!("[{number}](<{up}{id}.html>)"),
            None => number.to_owned(),
        }
    };
    let text = VALUE.replace_all(text, to_figure);
    let to_counts = |found: &Captures<'_>| {
        let (number, of) = (&found[1], &found[2]);
        if context.view(of).is_some() {
            format!("[{number}](<{up}{of}.html>)")
        } else if context.paper(of).is_some() {
            format!("[{number}](<{up}{of}/index.html>)")
        } else {
            number.to_owned()
        }
    };
    COUNT.replace_all(&text, to_counts).into_owned()
}
