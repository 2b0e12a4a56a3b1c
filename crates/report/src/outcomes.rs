//! An outcome is a word, a shape and a color: one symbol serves tables, keys and plots.

use kibitz_lab::{Counts, Outcome};
use maud::{Markup, PreEscaped, html};

use crate::context::Context;
use crate::page::Page;
use crate::text::{anchored, article};

/// The page that states the rule, in the folder of the report.
pub(crate) const RULE: &str = "outcomes/index.html";

/// Its class in the style sheet, and the name of its symbol.
pub(crate) fn class(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Matches => "matches",
        Outcome::MatchesWeakly => "weak",
        Outcome::Inconclusive => "inconclusive",
        Outcome::DiffersExplained => "explained",
        Outcome::DiffersUnexplained => "unexplained",
        Outcome::Fitted => "fitted",
        Outcome::Input => "input",
        Outcome::Derived => "derived",
        Outcome::Illegible => "illegible",
        Outcome::Variant => "variant",
        Outcome::Info => "info",
        Outcome::NotRun | Outcome::Error => "error",
    }
}

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

/// The symbols of the outcomes that a page shows, once.
pub(crate) fn symbols(page: &str) -> Markup {
    let lines = include_str!("../assets/symbols.svg").trim_end().lines();
    let is_used = |line: &&str| match line.strip_prefix("<symbol id=\"") {
        Some(rest) => rest
            .split_once('"')
            .is_none_or(|(id, _)| page.contains(&format!("\"#{id}\""))),
        None => true,
    };
    PreEscaped(lines.filter(is_used).collect())
}

/// Its symbol.
pub(crate) fn mark(outcome: Outcome) -> Markup {
    let class = class(outcome);
    html! { svg class={ "m " (class) } { use href={ "#v-" (class) } {} } }
}

/// Its symbol in a drawing, in the color of the group around it.
pub(crate) fn mark_at(outcome: Outcome, x: f64, y: f64, size: f64) -> Markup {
    use crate::number::at;
    html! {
        use href={ "#v-" (class(outcome)) } x=(at(x - size / 2.0)) y=(at(y - size / 2.0))
            width=(at(size)) height=(at(size)) {}
    }
}

/// Its symbol and its word.
pub(crate) fn word(outcome: Outcome) -> Markup {
    html! { span class={ "word " (class(outcome)) } { (mark(outcome)) " " (outcome.word()) } }
}

fn shown(counts: &Counts) -> Vec<(Outcome, usize)> {
    let all = Outcome::COUNTED
        .into_iter()
        .map(|outcome| (outcome, counts.of(outcome)));
    all.filter(|(_, n)| *n > 0).collect()
}

/// `3 match, 1 differs (explained)`.
pub(crate) fn told(counts: &Counts) -> String {
    let parts: Vec<String> = shown(counts)
        .into_iter()
        .map(|(outcome, n)| format!("{n} {}", outcome.word_for(n)))
        .collect();
    if parts.is_empty() {
        "nothing is compared".to_owned()
    } else {
        parts.join(", ")
    }
}

/// A bar with a segment for each counted outcome; `thin` in tables.
pub(crate) fn bar(counts: &Counts, thin: bool) -> Markup {
    let shown = shown(counts);
    html! {
        @if shown.is_empty() { span.soft { "shown, not compared" } }
        @else {
            div.bar.thin[thin] role="img" aria-label=(counts.headline()) {
                @for (outcome, n) in shown { i class=(class(outcome)) style={ "flex:" (n) } title={ (n) " " (outcome.word_for(n)) } {} }
            }
        }
    }
}

/// A bar of three segments with their numbers: match, inconclusive, differ.
pub(crate) fn bar_of_three(counts: &Counts) -> Markup {
    let inconclusive = counts.of(Outcome::Inconclusive);
    let (matching, differing) = (counts.matching(), counts.differing());
    let parts = [
        (
            Outcome::Matches,
            matching,
            if matching == 1 { "matches" } else { "match" },
        ),
        (Outcome::Inconclusive, inconclusive, "inconclusive"),
        (
            Outcome::DiffersUnexplained,
            differing,
            if differing == 1 { "differs" } else { "differ" },
        ),
    ];
    let parts = || parts.iter().filter(|(_, n, _)| *n > 0);
    html! {
        div.bar role="img" aria-label=(counts.headline()) {
            @for (outcome, n, _) in parts() { i class=(class(*outcome)) style={ "flex:" (n) } {} }
        }
        ul.key {
            @for (outcome, n, word) in parts() { li { span.swatch.(class(*outcome)) {} b { (n) } " " (word) } }
        }
    }
}

/// The numbers of a bar, and what is not counted.
pub(crate) fn key(counts: &Counts) -> Markup {
    let aside = aside(counts);
    html! {
        ul.key {
            @for (outcome, n) in shown(counts) {
                li { (mark(outcome)) " " b { (n) } " " (outcome.word_for(n)) }
            }
        }
        @if !aside.is_empty() { p.meta { (aside) } }
    }
}

/// `Not counted: 3 inputs, 2 derived.`; nothing if all values are counted.
pub(crate) fn aside(counts: &Counts) -> String {
    let aside = Outcome::ALL
        .into_iter()
        .filter(|outcome| !outcome.is_counted() && *outcome != Outcome::Info)
        .map(|outcome| (outcome, counts.of(outcome)))
        .filter(|(_, n)| *n > 0);
    let aside: Vec<String> = aside
        .map(|(outcome, n)| format!("{n} {}", outcome.word_for(n)))
        .collect();
    if aside.is_empty() {
        return String::new();
    }
    format!("Not counted: {}.", aside.join(", "))
}

/// The page on outcomes: the rule as the workspace states it, or the words alone.
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
    }
    .html()
}
