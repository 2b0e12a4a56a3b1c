//! A verdict is a word, a shape and a color: one symbol serves tables, keys and plots.

use kibitz_lab::{Counts, Verdict};
use maud::{Markup, PreEscaped, html};

/// The order in bars: what speaks for print, what says nothing, what speaks against it.
pub(crate) const IN_BARS: [Verdict; 9] = [
    Verdict::Agrees,
    Verdict::Undecided,
    Verdict::Fitted,
    Verdict::Derived,
    Verdict::Input,
    Verdict::Doubtful,
    Verdict::DiffersTested,
    Verdict::DiffersConjecture,
    Verdict::Differs,
];

/// Its class in the style sheet, and the name of its symbol.
pub(crate) fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Agrees => "agrees",
        Verdict::Fitted => "fitted",
        Verdict::Undecided => "undecided",
        Verdict::DiffersTested => "tested",
        Verdict::DiffersConjecture => "conjecture",
        Verdict::Differs => "differs",
        Verdict::Derived => "derived",
        Verdict::Doubtful => "doubtful",
        Verdict::Input => "input",
        Verdict::Info => "info",
        Verdict::NotRun | Verdict::Error => "error",
    }
}

/// Its word in a sentence with a number.
fn plural(verdict: Verdict, n: usize) -> &'static str {
    match (verdict, n) {
        (one, 1) => one.word(),
        (Verdict::Agrees, _) => "agree",
        (Verdict::DiffersTested, _) => "differ (tested)",
        (Verdict::DiffersConjecture, _) => "differ (conjecture)",
        (Verdict::Differs, _) => "differ",
        (Verdict::Error, _) => "errors",
        (other, _) => other.word(),
    }
}

fn meaning(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Agrees => {
            "Print lies within the tolerance, and what a model that knows nothing gives does not."
        }
        Verdict::Fitted => {
            "Ours was chosen, among readings that the text allows, by looking at this print. It is no evidence."
        }
        Verdict::Undecided => {
            "Print lies within the tolerance, but a model that knows nothing would be as close: the figure cannot tell."
        }
        Verdict::DiffersTested => {
            "Outside of the tolerance, for a reason that another figure shows."
        }
        Verdict::DiffersConjecture => {
            "Outside of the tolerance; the reason given is believed, and not shown."
        }
        Verdict::Differs => "Outside of the tolerance, and nobody knows why.",
        Verdict::Derived => "Follows from other cells or repeats one: checked, not counted.",
        Verdict::Doubtful => "What is printed cannot be read with certainty: shown, not judged.",
        Verdict::Input => "Was put in: it cannot fail, and is not counted.",
        Verdict::Info => "Shown, not judged.",
        Verdict::NotRun => "Was not run.",
        Verdict::Error => "Lacks its value.",
    }
}

/// The symbols of the verdicts that a page shows, once.
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
pub(crate) fn mark(verdict: Verdict) -> Markup {
    let class = class(verdict);
    html! { svg class={ "m " (class) } { use href={ "#v-" (class) } {} } }
}

/// Its symbol in a drawing, in the color of what it stands in.
pub(crate) fn mark_at(verdict: Verdict, x: f64, y: f64, size: f64) -> Markup {
    use crate::number::at;
    html! {
        use href={ "#v-" (class(verdict)) } x=(at(x - size / 2.0)) y=(at(y - size / 2.0))
            width=(at(size)) height=(at(size)) {}
    }
}

/// Its symbol and its word.
pub(crate) fn word(verdict: Verdict) -> Markup {
    html! { span class={ "word " (class(verdict)) } { (mark(verdict)) " " (verdict.word()) } }
}

fn shown(counts: &Counts) -> Vec<(Verdict, usize)> {
    let all = IN_BARS
        .into_iter()
        .map(|verdict| (verdict, counts.of(verdict)));
    all.filter(|(_, n)| *n > 0).collect()
}

/// `3 agree, 1 differs (tested)`.
pub(crate) fn told(counts: &Counts) -> String {
    let parts: Vec<String> = shown(counts)
        .into_iter()
        .map(|(verdict, n)| format!("{n} {}", plural(verdict, n)))
        .collect();
    if parts.is_empty() {
        "nothing is judged".to_owned()
    } else {
        parts.join(", ")
    }
}

/// A bar with as much of each verdict as there is; `thin` in tables.
pub(crate) fn bar(counts: &Counts, thin: bool) -> Markup {
    let shown = shown(counts);
    html! {
        @if shown.is_empty() { span.soft { "shown, not judged" } }
        @else {
            div.bar.thin[thin] role="img" aria-label=(told(counts)) {
                @for (verdict, n) in shown { i class=(class(verdict)) style={ "flex:" (n) } {} }
            }
        }
    }
}

/// The numbers of a bar.
pub(crate) fn key(counts: &Counts) -> Markup {
    html! {
        ul.key {
            @for (verdict, n) in shown(counts) {
                li { (mark(verdict)) " " b { (n) } " " (plural(verdict, n)) }
            }
        }
    }
}

/// What the words mean.
pub(crate) fn words(verdicts: impl IntoIterator<Item = Verdict>) -> Markup {
    html! {
        details {
            summary { "What the words mean" }
            dl.words {
                @for verdict in verdicts {
                    dt { (word(verdict)) }
                    dd { (meaning(verdict)) }
                }
            }
        }
    }
}

/// How many cells say something of print: without those that were fitted to it.
pub(crate) fn evidence(counts: &Counts) -> usize {
    counts.judged().total() - counts.of(Verdict::Fitted)
}
