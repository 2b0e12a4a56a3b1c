//! An outcome is a word, a shape and a color: one symbol serves tables, keys and plots.

use kibitz_lab::{Counts, Outcome};
use kibitz_svg::at;
use maud::{Markup, PreEscaped, html};

use crate::number::grouped;

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
    html! {
        use href={ "#v-" (class(outcome)) } x=(at(x - size / 2.0)) y=(at(y - size / 2.0))
            width=(at(size)) height=(at(size)) {}
    }
}

/// Its symbol and its word.
pub(crate) fn word(outcome: Outcome) -> Markup {
    let (first, rest) = outcome
        .word()
        .split_once(' ')
        .unwrap_or((outcome.word(), ""));
    html! {
        span class={ "word " (class(outcome)) } {
            // The symbol stays with the first word, where a narrow column wraps the others.
            span { (mark(outcome)) " " (first) }
            @if !rest.is_empty() { " " (rest) }
        }
    }
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

/// A bar with a segment for each counted outcome and its legend; `thin` in tables, without one.
pub(crate) fn bar(counts: &Counts, thin: bool) -> Markup {
    let shown = shown(counts);
    html! {
        @if shown.is_empty() { span.soft { "shown, not compared" } }
        @else {
            div.bar.thin[thin] role="img" aria-label=(counts.headline()) {
                @for (outcome, n) in &shown { i class=(class(*outcome)) style={ "flex:" (n) } title={ (n) " " (outcome.word_for(*n)) } {} }
            }
            @if !thin && shown.len() > 1 {
                ul.key {
                    @for (outcome, n) in shown { li { span.swatch.(class(outcome)) {} b { (grouped(n)) } " " (outcome.word_for(n)) } }
                }
            }
        }
    }
}

/// The symbols and words of some outcomes, and where they are explained; `up` leads to the folder of
/// the report.
pub(crate) fn legend(outcomes: impl Iterator<Item = Outcome>, up: &str) -> Markup {
    let found: Vec<Outcome> = outcomes.collect();
    let used = Outcome::ALL
        .into_iter()
        .filter(|one| found.contains(one) && *one != Outcome::Info);
    html! {
        @for outcome in used { (word(outcome)) " " }
        a href={ (up) (RULE) } { "What the marks mean" }
    }
}

/// The symbols of counted outcomes with their numbers, and what is not counted.
pub(crate) fn key(counts: &Counts) -> Markup {
    let aside = aside(counts);
    html! {
        ul.key {
            @for (outcome, n) in shown(counts) {
                li { (mark(outcome)) " " b { (grouped(n)) } " " (outcome.word_for(n)) }
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
