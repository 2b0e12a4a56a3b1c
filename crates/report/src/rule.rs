//! The page on outcomes: how a reproduced value is compared with the published one.

use kibitz_lab::Outcome;
use maud::html;

use crate::context::Context;
use crate::outcomes::word;
use crate::page::Page;
use crate::text::{anchored, article};

fn meaning(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Matches => "The value is within the tolerance, and a trivial baseline is not.",
        Outcome::MatchesWeakly => {
            "The value is equal or within the tolerance, but the baseline would match as well, or none is declared."
        }
        Outcome::Inconclusive => {
            "The tolerance is made of our own spread, and so wide that nothing could have failed."
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

/// The rule as the workspace states it, or the words alone.
pub(crate) fn page(context: &Context<'_>) -> String {
    let rule = context.recorded.rule.as_deref();
    let rule = rule.map(|text| article(context, text, "../"));
    let title = rule.as_ref().and_then(|rule| rule.title.clone());
    let title = title.unwrap_or_else(|| "Outcomes".to_owned());
    let body = html! {
        h1 { (title) }
        @match rule {
            Some(rule) => { div.measure { (rule.lead) } div.article { (anchored(&rule.sections)) } }
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
