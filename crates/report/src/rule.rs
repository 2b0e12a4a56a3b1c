//! The page on outcomes: how a reproduced value is compared with the published one.

use std::sync::LazyLock;

use kibitz_lab::Outcome;
use maud::{Markup, PreEscaped, html};
use regex::{Captures, Regex};

use crate::context::Context;
use crate::outcomes::{mark, word};
use crate::page::Page;
use crate::text::{anchored, article, pattern};

/// A word in a table and the character that is its mark in plain text.
static ROW: LazyLock<Regex> =
    LazyLock::new(|| pattern("(<td><code>([^<]*)</code></td>\\s*<td>)[^<]*(</td>)"));

fn meaning(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Matches => "The value is within the tolerance, and a trivial baseline is not.",
        Outcome::MatchesWeakly => {
            "The value is equal or within the tolerance, but the baseline would match as well, or none is declared."
        }
        Outcome::Inconclusive => {
            "The tolerance is made of our own spread, and so wide that any plausible value would match."
        }
        Outcome::DiffersExplained => {
            "Outside of the tolerance, for a reason that another value shows."
        }
        Outcome::DiffersUnexplained => "Outside of the tolerance, and no value shows why.",
        Outcome::Fitted => {
            "An interpretation was chosen by looking at the published value: no evidence."
        }
        Outcome::Input => "Taken from the paper: it cannot fail.",
        Outcome::Derived => "Follows from other values by arithmetic, or repeats one.",
        Outcome::Illegible => "The published value cannot be read with certainty.",
        Outcome::Variant => "The published value is counted in another table.",
        Outcome::Info => "Not compared.",
        Outcome::NotRun => "Was not run.",
        Outcome::Error => "The value is missing.",
    }
}

/// The table of the words with the marks of the report.
fn marked(text: &Markup) -> Markup {
    let with_mark = |found: &Captures<'_>| match Outcome::of_word(&found[2]) {
        Some(outcome) => format!("{}{}{}", &found[1], mark(outcome).0, &found[3]),
        None => found[0].to_owned(),
    };
    PreEscaped(ROW.replace_all(&text.0, with_mark).into_owned())
}

/// The rule as the workspace states it, or the words alone.
pub(crate) fn page(context: &Context<'_>) -> String {
    let rule = context.recorded.rule.as_deref();
    let rule = rule.map(|text| article(context, text, "../"));
    let title = rule.as_ref().and_then(|rule| rule.title.clone());
    let title = title.unwrap_or_else(|| "Outcomes".to_owned());
    let body = html! {
        h1 { (title) }
        @match rule {
            Some(rule) => { div.article { (marked(&rule.lead)) } div.article { (anchored(&rule.sections)) } }
            None => dl.words {
                @for outcome in Outcome::ALL { dt { (word(outcome)) } dd { (meaning(outcome)) } }
            }
        }
    };
    Page {
        about: "How a reproduced value is compared with the published one.".to_owned(),
        title: format!("{title} – Kibitz"),
        above: Vec::new(),
        name: Some(title),
        shortcuts: Vec::new(),
        body,
        program: &context.recorded.program,
    }
    .html()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_the_marks_of_the_report() {
        let table = "<tr><td><code>fitted</code></td><td>◇</td></tr><tr><td><code>else</code></td><td>x</td></tr>";
        assert_eq!(
            marked(&PreEscaped(table.to_owned())).into_string(),
            "<tr><td><code>fitted</code></td><td><svg class=\"m fitted\"><use href=\"#v-fitted\"></use></svg></td></tr>\
             <tr><td><code>else</code></td><td>x</td></tr>"
        );
    }
}
