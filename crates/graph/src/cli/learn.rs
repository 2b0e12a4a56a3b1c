//! The `learn` command.

use std::io::{BufWriter, Write as _};
use std::time::{Duration, Instant};

use clap::Args;
use kibitz_text::{Diagnostic, Exit, Failure, counted, is_same_file, print};
use serde_json::{Value, json};

use super::output::OutputFile;
use super::report::{csv_table, json_object};
use super::{
    CommonArguments, File, Format, catch_interrupts, is_interrupted, no_triple, progress, warn,
};
use crate::{
    LearnSettings, LearnedRules, MAX_PATH, Round, RuleSyntax, Sample, Vocabulary, WriteError,
    learn, learn_selected, n_rounds, unwritable_name, write_rules,
};

/// Arguments of `learn`.
#[derive(Debug, Args)]
pub struct LearnArguments {
    /// The graph to learn from.
    train: File,
    /// File for the rules: with the ending .pl Prolog, otherwise `AnyBURL`'s lines. It is replaced
    /// when the rules are complete.
    #[arg(long, value_name = "RULES")]
    out: File,
    /// Triples to choose rules by: longer paths are added as long as these triples rank higher.
    #[arg(long, value_name = "FILE")]
    valid: Option<File>,
    /// Pairs of edges to look at between the ends of known triples, for cyclic rules: a budget that the
    /// lengths of bodies share evenly, and relations by their numbers of triples. Where it is spent,
    /// rules come from a sample of the triples, and the summary counts the others. The same number
    /// gives the same rules on every machine.
    #[arg(long, value_name = "N", default_value_t = LearnSettings::default().steps)]
    steps: u64,
    /// Seed of the samples.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Literals in the body of a rule without constants at most.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=MAX_PATH as i64))]
    max_path: u8,
    /// Literals in the body of a rule with a constant at most; 0 for rules without a body only. Bodies
    /// of 2 literals are searched for over entities of at most 100 triples.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=2))]
    max_constant_path: u8,
    /// Known triples that a rule predicts at least.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    min_support: u32,
    /// Stop after this many seconds with the rules so far, cyclic ones first, and exit code 5; such rules
    /// depend on the machine.
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
    check_output(arguments)?;
    let mut vocabulary = Vocabulary::default();
    let graph = arguments.common.graph(&arguments.train, &mut vocabulary)?;
    let mut valid = None;
    if let Some(path) = &arguments.valid {
        let (triples, _) = arguments.common.split(path, &graph, &mut vocabulary)?;
        if triples.is_empty() {
            return Err(no_triple(path));
        }
        valid = Some(triples);
    }
    let settings = LearnSettings {
        seed: arguments.seed,
        steps: arguments.steps,
        max_path: arguments.max_path.into(),
        max_constant_path: arguments.max_constant_path.into(),
        min_support: arguments.min_support,
        ..LearnSettings::default()
    };
    let syntax = RuleSyntax::of(&arguments.out);
    if syntax == RuleSyntax::AnyBurl
        && let Some(name) = unwritable_name(&graph, &settings, &vocabulary)
    {
        return Err(unwritable(
            &arguments.out,
            WriteError::Name(name.to_owned()),
        ));
    }
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

    let (exit, ended) = if !learned.is_early {
        (Exit::Done, None)
    } else if is_interrupted() {
        (Exit::Interrupted, Some("interrupted"))
    } else {
        (Exit::Failed, Some("the time limit was reached"))
    };
    write(arguments, &learned, ended, &vocabulary)?;
    let triples = graph.triples().iter();
    let n_loops = triples.filter(|triple| triple.head == triple.tail).count();
    report(&learned, ended, syntax, n_loops, arguments.common.format)?;
    Ok(exit)
}

/// Whether the rules can be written is known before the search, not after it.
fn check_output(arguments: &LearnArguments) -> Result<(), Failure> {
    let out = &arguments.out;
    let inputs = [
        Some((&arguments.train, "TRAIN")),
        arguments.valid.as_ref().map(|path| (path, "--valid")),
    ];
    for (input, name) in inputs.into_iter().flatten() {
        if is_same_file(out, input) {
            let message = format!(
                "{} is read as {name}; expected another file for the rules",
                out.display()
            );
            return Err(Failure::usage(message));
        }
    }
    OutputFile::create(out).map(drop)
}

fn write(
    arguments: &LearnArguments,
    learned: &LearnedRules,
    ended: Option<&str>,
    vocabulary: &Vocabulary,
) -> Result<(), Failure> {
    let path = &arguments.out;
    let syntax = RuleSyntax::of(path);
    let mut file = BufWriter::new(OutputFile::create(path)?);
    let mut written = Ok(());
    if let (RuleSyntax::Prolog, Some(ended)) = (syntax, ended) {
        written = writeln!(file, "% The search ended early: {ended}.").map_err(WriteError::Io);
    }
    written
        .and_then(|()| write_rules(&learned.rules, vocabulary, syntax, &mut file))
        .map_err(|error| unwritable(path, error))?;
    let file = file.into_inner();
    file.map_err(|error| Failure::unwritable(path, error.error()))?
        .complete()
}

fn unwritable(path: &File, error: WriteError) -> Failure {
    match error {
        WriteError::Io(error) => Failure::unwritable(path, &error),
        WriteError::Name(name) => {
            let message = format!("the name `{name}` cannot be written in AnyBURL's syntax");
            let diagnostic = Diagnostic::new(message).with_note("write Prolog: --out RULES.pl");
            Failure::new(Exit::BadInput, diagnostic)
        }
    }
}

/// The kinds of rules, by name.
const KINDS: [&str; 4] = ["cyclic", "constant", "open", "zero"];

fn report(
    learned: &LearnedRules,
    ended: Option<&str>,
    syntax: RuleSyntax,
    n_loops: usize,
    format: Format,
) -> Result<(), Failure> {
    let n = |name: &str| {
        learned
            .rules
            .iter()
            .filter(|rule| rule.rule.kind() == name)
            .count()
    };
    let sampled = learned
        .rules
        .iter()
        .filter(|rule| !rule.counts.is_exact)
        .count();
    let counts = KINDS.map(n);
    match format {
        Format::Text => {
            let kinds = KINDS.iter().zip(counts);
            let kinds: Vec<String> = kinds.map(|(name, n)| format!("{n} {name}")).collect();
            let rules = counted(learned.rules.len(), "rule", "rules");
            let mut text = format!("{rules}: {}\n", kinds.join(", "));
            for line in remarks(learned, sampled, ended, syntax, n_loops) {
                text += &line;
                text.push('\n');
            }
            print(&text)
        }
        Format::Json => json_object(&json!({
            "rules": learned.rules.len(),
            "cyclic": counts[0],
            "constant": counts[1],
            "open": counts[2],
            "zero": counts[3],
            "sampled": sampled,
            "selected_path": learned.selected_path,
            "complete": learned.is_complete(),
            "ended": ended,
            "unfinished": learned.unfinished.iter().map(Round::to_string).collect::<Vec<_>>(),
            "samples": learned.samples.iter().map(sample_object).collect::<Vec<_>>(),
            "self_loops": n_loops,
        })),
        Format::Csv => {
            if let Some(ended) = ended {
                warn(&format!("{ended}; these are the rules so far"));
            }
            for sample in &learned.samples {
                warn(&sample.to_string());
            }
            let header = ["kind", "rules"].map(str::to_owned).to_vec();
            let rows = KINDS
                .iter()
                .zip(counts)
                .map(|(name, n)| vec![(*name).to_owned(), n.to_string()]);
            csv_table(header, rows)
        }
    }
}

fn sample_object(sample: &Sample) -> Value {
    json!({
        "rules": sample.round.to_string(),
        "relations": sample.n_relations,
        "left_out": sample.n_left_out,
        "partly": sample.n_partly,
    })
}

/// What else there is to say about rules that were learned.
fn remarks(
    learned: &LearnedRules,
    n_sampled: usize,
    ended: Option<&str>,
    syntax: RuleSyntax,
    n_loops: usize,
) -> Vec<String> {
    let mut lines = Vec::new();
    if n_sampled > 0 {
        let rules = counted(n_sampled, "rule was", "rules were");
        let unmarked = match syntax {
            RuleSyntax::AnyBurl => "; only Prolog files mark them",
            RuleSyntax::Prolog => "",
        };
        lines.push(format!("{rules} counted on a sample{unmarked}"));
    }
    lines.extend(learned.samples.iter().map(Sample::to_string));
    if n_loops > 0 {
        let triples = counted(n_loops, "triple has", "triples have");
        lines.push(format!(
            "{triples} one entity twice; no rule is learned from such triples"
        ));
    }
    if let Some(max_path) = learned.selected_path {
        let literals = counted(max_path, "literal", "literals");
        lines.push(format!(
            "paths of up to {literals} rank the validation triples best"
        ));
    }
    if let Some(ended) = ended {
        lines.push(format!("{ended}; these are the rules so far"));
        if !learned.unfinished.is_empty() {
            let rounds: Vec<String> = learned.unfinished.iter().map(Round::to_string).collect();
            lines.push(format!("not finished: {}", rounds.join("; ")));
        }
    }
    lines
}
