//! The possible requests, with examples to start from.

use kibitz_ilp_cli::{Algorithm, Settings};
use kibitz_qsim::BUNDLED;
use serde_json::{Value, json};

use crate::mistakes::Mistakes;

/// A task to start from.
struct Example {
    name: &'static str,
    about: &'static str,
    learner: Algorithm,
    examples: &'static str,
    background: &'static str,
    bias: &'static str,
}

macro_rules! task {
    ($name:literal, $learner:ident, $about:literal) => {
        Example {
            name: $name,
            about: $about,
            learner: Algorithm::$learner,
            examples: include_str!(concat!("../tasks/", $name, "/exs.pl")),
            background: include_str!(concat!("../tasks/", $name, "/bk.pl")),
            bias: include_str!(concat!("../tasks/", $name, "/bias.pl")),
        }
    };
}

const TASKS: [Example; 4] = [
    task!("grandparent", Foil, "Who is whose grandparent"),
    task!(
        "ancestor",
        Lff,
        "Who is whose ancestor: a rule that calls itself"
    ),
    task!(
        "krki-1000",
        Foil,
        "Which of 1,000 positions of king and rook against king are illegal"
    ),
    task!(
        "too-short",
        Foil,
        "A rule that is longer than the bias allows, and why it is not found"
    ),
];

const POSITIONS: [(&str, &str); 4] = [
    (
        "Three tiles are safe",
        "5x4/4\n.....\n.21..\n.101.\n.101.\n",
    ),
    (
        "Two guesses that only look alike",
        "8x8/10\n....1000\n....1000\n...32100\n....F210\n....3F21\n.....3..\n........\n........\n",
    ),
    ("A 50/50", "3x2/1\n01.\n01.\n"),
    ("The last mines are counted", "5x3/1\n11...\n.....\n11...\n"),
];

pub(crate) fn about() -> Result<Value, Mistakes> {
    let learners = Algorithm::ALL.into_iter();
    // PAL needs a domain that only a program can give.
    let learners = learners.filter(|own| own.learner(&Settings::default()).is_ok());
    let learners = learners
        .map(|own| json!({ "name": own.name(), "summary": own.summary(), "needs": own.needs() }));
    let tasks = TASKS.iter().map(|task| {
        json!({
            "name": task.name,
            "about": task.about,
            "learner": task.learner.name(),
            "examples": task.examples,
            "background": task.background,
            "bias": task.bias,
        })
    });
    let mut systems = Vec::new();
    for own in BUNDLED {
        let title = own.read()?.title;
        systems.push(json!({ "name": own.name, "title": title, "toml": own.toml }));
    }
    let positions = POSITIONS
        .iter()
        .map(|(about, text)| json!({ "about": about, "text": text }));
    Ok(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "learners": learners.collect::<Value>(),
        "tasks": tasks.collect::<Value>(),
        "systems": systems,
        "positions": positions.collect::<Value>(),
    }))
}
