//! Paragraphs and Markdown, with links to the tables and values that they name.

use std::borrow::Cow;
use std::path::Path;
use std::sync::LazyLock;

use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use regex::{Captures, Regex};

use crate::context::Context;

static NAMES: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"`([^`]+)`|[a-z]+\d*/[a-z0-9][a-z0-9-]*[a-z0-9]"));
static VALUE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"([-−+]?\d[\d,]*(?:\.\d+)?(?:[eE][-−]?\d+)?(?: ?%)?)<!-- value: (\S+/\S+) "([^"]*)"\.(\S+?)( in print)? -->"#,
    )
});
static COUNT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(\d[\d,]*)<!-- value: [^>]*? in ([a-z0-9/-]+) -->"));

static MINUS: LazyLock<Regex> = LazyLock::new(|| pattern(r"(^|[\s(])-(\d)"));
static HEADING: LazyLock<Regex> = LazyLock::new(|| pattern("<h([2-6])>(.*?)</h[2-6]>"));
static TAG: LazyLock<Regex> = LazyLock::new(|| pattern("<[^>]*>"));

/// A constant pattern.
pub(crate) fn pattern(text: &str) -> Regex {
    #[allow(clippy::unwrap_used, reason = "constant patterns, covered by tests")]
    Regex::new(text).unwrap()
}

/// Text with minus signs of full width before numbers; `is_start` if nothing precedes it.
fn with_minus(text: &str, is_start: bool) -> Cow<'_, str> {
    MINUS.replace_all(text, |found: &Captures<'_>| {
        if found[1].is_empty() && !is_start {
            found[0].to_owned()
        } else {
            format!("{}−{}", &found[1], &found[2])
        }
    })
}

/// Text with code between backticks and without links, for headings and within links.
pub(crate) fn coded(text: &str) -> Markup {
    let parts = text.split('`').enumerate();
    html! {
        @for (idx, part) in parts {
            @if idx % 2 == 1 { code { (part) } } @else { (with_minus(part, idx == 0)) }
        }
    }
}

/// Text without the marks of code, for the titles of windows.
pub(crate) fn unmarked(text: &str) -> String {
    with_minus(text, true).replace('`', "")
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
        parts.push(html! { (with_minus(before, end == 0)) });
        parts.push(html! {
            @if let Some(link) = link { a href=(link) { (name) } } @else { code { (name) } }
        });
        end = whole.end();
    }
    let rest = with_minus(&text[end..], end == 0);
    html! { @for part in parts { (part) } (rest) }
}

/// Paragraphs between empty lines.
pub(crate) fn paragraphs(context: &Context<'_>, text: &str) -> Markup {
    let paragraphs = text.trim().split("\n\n");
    let paragraphs = paragraphs.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    html! { @for text in paragraphs { p { (line(context, &text)) } } }
}

/// An article: its title, the paragraphs above its first section, its findings, and the sections.
pub(crate) struct Article {
    pub(crate) title: Option<String>,
    pub(crate) lead: Markup,
    /// The section `Findings`, if its headings lead to tables.
    pub(crate) findings: Vec<Finding>,
    pub(crate) sections: Markup,
}

/// `### [A sentence](paper/table.toml)`, and the paragraph below it.
pub(crate) struct Finding {
    pub(crate) title: String,
    /// The id of its table.
    pub(crate) table: String,
    pub(crate) body: Markup,
}

/// Reads an article; numbers with a source lead to their value. `up` leads from its page to the folder
/// of the report.
pub(crate) fn article(context: &Context<'_>, text: &str, up: &str) -> Article {
    let text = linked(context, text, up);
    let events = Parser::new_ext(&text, Options::ENABLE_TABLES).filter_map(plain);
    let mut events = with_minus_signs(without_links_to_documents(events));
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
    let mut sections = events.split_off(split);
    let findings = findings(&mut sections);
    Article {
        title,
        lead: markup(events),
        findings,
        sections: markup(sections),
    }
}

/// Takes the findings out of the sections of an article.
fn findings(sections: &mut Vec<Event<'_>>) -> Vec<Finding> {
    let is_heading = |event: &Event<'_>, wanted: HeadingLevel| matches!(event, Event::Start(Tag::Heading { level, .. }) if *level == wanted);
    let is_text = |event: Option<&Event<'_>>| matches!(event, Some(Event::Text(text)) if text.as_ref() == "Findings");
    let mut places = 0..sections.len();
    let start = places
        .find(|at| is_heading(&sections[*at], HeadingLevel::H2) && is_text(sections.get(at + 1)));
    let Some(start) = start else {
        return Vec::new();
    };
    let end = places.find(|at| is_heading(&sections[*at], HeadingLevel::H2));
    let own: Vec<Event<'_>> = sections
        .drain(start..end.unwrap_or(sections.len()))
        .collect();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = (at..own.len()).find(|at| is_heading(&own[*at], HeadingLevel::H3)) {
        let mut behind = next + 1..own.len();
        let closed = behind.find(|at| matches!(own[*at], Event::End(TagEnd::Heading(_))));
        let closed = closed.unwrap_or(own.len() - 1);
        let until = behind.find(|at| is_heading(&own[*at], HeadingLevel::H3));
        at = until.unwrap_or(own.len());
        let heading = &own[next..closed];
        let table = heading.iter().find_map(|event| match event {
            Event::Start(Tag::Link { dest_url, .. }) => Some(dest_url.trim_end_matches(".toml")),
            _ => None,
        });
        let words = heading.iter().filter_map(|event| match event {
            Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
            _ => None,
        });
        found.extend(table.map(|table| Finding {
            title: words.collect(),
            table: table.to_owned(),
            body: markup(own[closed + 1..at].to_vec()),
        }));
    }
    found
}

/// Sections whose headings have the anchors that they have on GitHub, for links within a document.
pub(crate) fn anchored(sections: &Markup) -> Markup {
    let with_id = |found: &Captures<'_>| {
        let (level, inner) = (&found[1], &found[2]);
        let words = TAG.replace_all(inner, "").to_lowercase();
        let kept = words
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        let id: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        format!("<h{level} id=\"{id}\">{inner}</h{level}>")
    };
    PreEscaped(HEADING.replace_all(&sections.0, with_id).into_owned())
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

/// Keeps only the words of a link to another document: the report does not hold it.
fn without_links_to_documents<'e>(events: impl Iterator<Item = Event<'e>>) -> Vec<Event<'e>> {
    let mut is_dropped = false;
    let kept = events.filter(|event| match event {
        Event::Start(Tag::Link { dest_url, .. }) => {
            let file = dest_url.split('#').next().unwrap_or_default();
            let is_document = Path::new(file).extension().is_some_and(|end| end == "md");
            is_dropped = !file.contains("://") && is_document;
            !is_dropped
        }
        Event::End(TagEnd::Link) => !std::mem::take(&mut is_dropped),
        _ => true,
    });
    kept.collect()
}

/// The text of an article with minus signs before its numbers; code stays as it is.
fn with_minus_signs(mut events: Vec<Event<'_>>) -> Vec<Event<'_>> {
    let mut is_code = false;
    let mut is_start = true;
    for event in &mut events {
        match event {
            Event::Start(Tag::CodeBlock(_)) => is_code = true,
            Event::End(TagEnd::CodeBlock) => is_code = false,
            Event::Text(text) if !is_code => {
                *text = CowStr::from(with_minus(text, is_start).into_owned());
            }
            _ => {}
        }
        is_start = matches!(event, Event::Start(_) | Event::SoftBreak | Event::HardBreak);
    }
    events
}

fn linked(context: &Context<'_>, text: &str, up: &str) -> String {
    let to_figure = |found: &Captures<'_>| {
        let (number, id, row, column) = (&found[1], &found[2], &found[3], &found[4]);
        let view = context.view(id);
        let place = view.and_then(|view| Some((view, view.place(row, column)?)));
        match place {
            Some((view, cell)) => {
                let link = view.far_link(cell);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_other_documents_are_their_words_alone() {
        let text =
            "[Tolerances](tolerances.md#sets), [source](https://example.org/a.md), [here](#a)";
        let events = without_links_to_documents(Parser::new(text));
        assert_eq!(
            markup(events).into_string(),
            "<p>Tolerances, <a href=\"https://example.org/a.md\">source</a>, <a href=\"#a\">here</a></p>\n"
        );
    }

    #[test]
    fn code_and_minus_signs_are_set() {
        assert_eq!(
            coded("-0.11 for `a-1 -1`, not 3-5 or `b`-2 (-7)").into_string(),
            "−0.11 for <code>a-1 -1</code>, not 3-5 or <code>b</code>-2 (−7)"
        );
        assert_eq!(unmarked("`threat` at -1"), "threat at −1");
        let events = Parser::new("-0.5 or [-2](x), `-1`, k-4\n\n    -3\n").collect();
        assert_eq!(
            markup(with_minus_signs(events)).into_string(),
            "<p>−0.5 or <a href=\"x\">−2</a>, <code>-1</code>, k-4</p>\n<pre><code>-3\n</code></pre>\n"
        );
    }

    #[test]
    fn headings_have_the_anchors_of_links() {
        let sections =
            PreEscaped("<h2>The <code>tau</code> rule</h2><p>x</p><h3>Words</h3>".to_owned());
        assert_eq!(
            anchored(&sections).into_string(),
            "<h2 id=\"the-tau-rule\">The <code>tau</code> rule</h2><p>x</p><h3 id=\"words\">Words</h3>"
        );
    }
}
