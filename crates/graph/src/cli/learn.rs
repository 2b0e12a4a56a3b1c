//! The `learn` command.

use std::fs;
use std::io::BufWriter;
use std::time::{Duration, Instant};

use clap::Args;
use kibitz_text::{Diagnostic, Exit, Failure};

use super::{CommonArguments, File, catch_interrupts, is_interrupted, progress, report};
use crate::{
    LearnSettings, MAX_PATH, RuleSyntax, Vocabulary, WriteError, learn, learn_selected, n_rounds,
    write_rules,
};

/// Arguments of `learn`.
#[derive(Debug, Args)]
pub struct LearnArguments {
    /// The graph to learn from.
    train: File,
    /// File for the rules: with the ending .pl Prolog, otherwise `AnyBURL`'s lines.
    #[arg(long, value_name = "RULES")]
    out: File,
    /// Triples to choose rules by: longer paths are added as long as these triples rank higher.
    #[arg(long, value_name = "FILE")]
    valid: Option<File>,
    /// Pairs of edges to look at between the ends of known triples; the same number gives the same
    /// rules on every machine.
    #[arg(long, value_name = "N", default_value_t = LearnSettings::default().steps)]
    steps: u64,
    /// Seed of the samples.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Literals in the body of a rule without constants at most.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=MAX_PATH as i64))]
    max_path: u8,
    /// Literals in the body of a rule with a constant at most; 0 for rules without a body only.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=2))]
    max_constant_path: u8,
    /// Known triples that a rule predicts at least.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    min_support: u32,
    /// Stop after this many seconds with the rules so far, and exit code 5; such rules depend on the
    /// machine.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time_limit: Option<Duration>,
    #[command(flatten)]
    pub(super) common: CommonArguments,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text
        .parse()
        .map_err(|_| format!("`{text}` is not a number of seconds"))?;
    Duration::try_from_secs_f64(number).map_err(|error| error.to_string())
}

pub(super) fn run(arguments: &LearnArguments) -> Result<Exit, Failure> {
    let end = arguments
        .time_limit
        .and_then(|limit| Instant::now().checked_add(limit));
    catch_interrupts()?;
    let mut vocabulary = Vocabulary::default();
    let graph = arguments.common.graph(&arguments.train, &mut vocabulary)?;
    let valid = match &arguments.valid {
        Some(path) => Some(arguments.common.split(path, &graph, &mut vocabulary)?.0),
        None => None,
    };
    let settings = LearnSettings {
        seed: arguments.seed,
        steps: arguments.steps,
        max_path: arguments.max_path.into(),
        max_constant_path: arguments.max_constant_path.into(),
        min_support: arguments.min_support,
        ..LearnSettings::default()
    };
    let is_late = || end.is_some_and(|end| Instant::now() >= end);
    let is_over = || is_interrupted() || is_late();
    let bar = progress(n_rounds(&graph, &settings), "learning");
    let advance = || bar.inc(1);
    let learned = match &valid {
        None => learn(&graph, &settings, &is_over, &advance),
        Some(valid) => {
            let n_entities = vocabulary.n_entities();
            learn_selected(&graph, &settings, valid, n_entities, &is_over, &advance)
        }
    };
    bar.finish_and_clear();

    let unwritable = |error| Failure::unwritable(&arguments.out, &error);
    let file = fs::File::create(&arguments.out).map_err(unwritable)?;
    let syntax = RuleSyntax::of(&arguments.out);
    match write_rules(
        &learned.rules,
        &vocabulary,
        syntax,
        &mut BufWriter::new(file),
    ) {
        Ok(()) => {}
        Err(WriteError::Io(error)) => return Err(unwritable(error)),
        Err(WriteError::Name(name)) => {
            let message = format!("the name `{name}` cannot be written in AnyBURL's syntax");
            let diagnostic = Diagnostic::new(message).with_note("write Prolog: --out RULES.pl");
            return Err(Failure::new(Exit::BadInput, diagnostic));
        }
    }
    let (exit, ended) = if learned.is_complete {
        (Exit::Done, None)
    } else if is_interrupted() {
        (Exit::Interrupted, Some("interrupted"))
    } else {
        (Exit::Failed, Some("the time limit was reached"))
    };
    report::learned(&learned, ended, arguments.common.format)?;
    Ok(exit)
}
