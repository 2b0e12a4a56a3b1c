//! The command `graph` of `kibitz-ilp`: arguments, files, progress, exit codes.

mod learn;
mod output;
mod report;
mod show;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, Subcommand, ValueEnum};
use kibitz_text::{Diagnostic, Exit, Failure, counted, note, suggestion};

use crate::{
    Aggregation, ApplySettings, Entity, Fit, Graph, MemoryLimit, Relation, RuleFile, Triple,
    Vocabulary, fit, n_common, read_rules, read_triples,
};

/// Rules from knowledge graphs.
///
/// A graph is a file of triples: head, relation and tail, separated by tabs; with the ending .csv
/// CSV, with .nt N-Triples; plain or compressed by gzip, zstd or bzip2. A first line such as
/// `head,relation,tail` is a header.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Learn rules from a graph and write them to a file.
    Learn(learn::LearnArguments),
    /// Rank candidates for one place of a triple; those that make a triple of the graph are left out.
    Predict(show::PredictArguments),
    /// Rank the triples of a test set, filtered, and print the mean reciprocal rank and hits.
    Evaluate(show::EvaluateArguments),
    /// Show the rules that predict a triple, and the triples that make each hold.
    Explain(show::ExplainArguments),
    /// Count entities, relations and triples, and compare the splits of a data set.
    Stats(show::StatsArguments),
}

/// Runs the command.
///
/// # Errors
/// A file or the command line cannot be used, or a limit was met.
pub fn run(command: &Command) -> Result<Exit, Failure> {
    match command {
        Command::Learn(arguments) => arguments.common.run(|| learn::run(arguments)),
        Command::Predict(arguments) => arguments.common.run(|| show::predict(arguments)),
        Command::Evaluate(arguments) => arguments.common.run(|| show::evaluate(arguments)),
        Command::Explain(arguments) => arguments.common.run(|| show::explain(arguments)),
        Command::Stats(arguments) => arguments.common.run(|| show::stats(arguments)),
    }
}

/// The form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// One object.
    Json,
    /// A table with a header.
    Csv,
}

/// Options of every command.
#[derive(Debug, Args)]
pub(crate) struct CommonArguments {
    /// Threads to compute with; they do not change the result [default: one per processor].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Maximum memory for the triples of each file and for all names, in MiB; rules are not counted.
    #[arg(long, value_name = "MIB", default_value_t = 2048, value_parser = clap::value_parser!(u32).range(1..))]
    memory_limit: u32,
    /// Form of the output.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

impl CommonArguments {
    fn run(&self, work: impl FnOnce() -> Result<Exit, Failure> + Send) -> Result<Exit, Failure> {
        let threads = self.threads.map_or(0, usize::from);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool =
            pool.map_err(|error| Failure::failed(format!("cannot start threads: {error}")))?;
        pool.install(work)
    }

    fn memory(&self) -> MemoryLimit {
        MemoryLimit((self.memory_limit as usize).saturating_mul(1 << 20))
    }

    /// Reads triples; a header is reported.
    fn triples(&self, path: &Path, vocabulary: &mut Vocabulary) -> Result<Vec<Triple>, Failure> {
        let file = read_triples(path, vocabulary, self.memory())?;
        if let Some(names) = file.header {
            let names = names.join("`, `");
            let path = path.display();
            warn(&format!(
                "{path}: the first line is a header, not a triple: `{names}`"
            ));
        }
        Ok(file.triples)
    }

    /// Reads a training graph; repeated triples are reported.
    fn graph(&self, path: &Path, vocabulary: &mut Vocabulary) -> Result<Graph, Failure> {
        let triples = self.triples(path, vocabulary)?;
        if triples.is_empty() {
            return Err(no_triple(path));
        }
        let n = triples.len();
        let graph = Graph::new(triples);
        let repeated = n - graph.triples().len();
        if repeated > 0 {
            warn(&format!(
                "{}: {} ignored",
                path.display(),
                counted(repeated, "repeated triple", "repeated triples")
            ));
        }
        Ok(graph)
    }

    /// Reads other triples and says how they fit the training graph.
    fn split(
        &self,
        path: &Path,
        graph: &Graph,
        vocabulary: &mut Vocabulary,
    ) -> Result<(Vec<Triple>, Fit), Failure> {
        let mut triples = self.triples(path, vocabulary)?;
        let fit = fit(&mut triples, graph);
        let warnings = [
            (
                fit.repeated,
                "repeated triple",
                "repeated triples",
                "ignored",
            ),
            (
                fit.leaked,
                "triple",
                "triples",
                "leaked: in the training graph, too",
            ),
            (
                fit.unknown_entities,
                "triple",
                "triples",
                "with an entity that is not in the training graph",
            ),
            (
                fit.unknown_relations,
                "triple",
                "triples",
                "with a relation that is not in the training graph",
            ),
        ];
        for (n, one, many, what) in warnings {
            if n > 0 {
                warn(&format!(
                    "{}: {} {what}",
                    path.display(),
                    counted(n, one, many)
                ));
            }
        }
        Ok((triples, fit))
    }
}

/// Reads rules; those that cannot be used are reported.
fn rules(path: &Path, vocabulary: &Vocabulary) -> Result<RuleFile, Failure> {
    let file = read_rules(path, vocabulary)?;
    let warnings = [
        (
            file.n_unknown,
            "names an entity or relation",
            "name entities or relations",
            "that the graph does not have",
        ),
        (
            file.n_reflexive,
            "has one variable",
            "have one variable",
            "twice in the head",
        ),
    ];
    for (n, one, many, what) in warnings {
        if n > 0 {
            let rules = counted(n, "rule", "rules");
            let verb = if n == 1 { one } else { many };
            warn(&format!(
                "{}: {rules} ignored: {verb} {what}",
                path.display()
            ));
        }
    }
    if file.n_repeated > 0 {
        let rules = counted(file.n_repeated, "repeated rule", "repeated rules");
        warn(&format!("{}: {rules} ignored", path.display()));
    }
    if let Some(first) = file.wrong_shares.first() {
        let n = file.wrong_shares.len();
        let rules = counted(n, "rule has a third field", "rules have a third field");
        warn(&format!(
            "{}: {rules} that is not support / body count, the first in line {first}; the counts are used",
            path.display()
        ));
    }
    if file.rules.is_empty() && file.n_unknown + file.n_reflexive == 0 {
        warn(&format!("{} holds no rule", path.display()));
    }
    Ok(file)
}

fn no_triple(path: &Path) -> Failure {
    let message = format!("{} holds no triple", path.display());
    Failure::new(Exit::BadInput, Diagnostic::new(message))
}

/// The number of triples in both of two splits; they are reported.
fn overlap((path, triples): (&Path, &[Triple]), (other, others): (&Path, &[Triple])) -> usize {
    let n = n_common(triples, others);
    if n > 0 {
        let triples = counted(n, "triple is", "triples are");
        let (path, other) = (path.display(), other.display());
        warn(&format!("{path}: {triples} in {other}, too"));
    }
    n
}

fn warn(message: &str) {
    note(&Diagnostic::warning(message).render(true));
}

/// How rules are applied.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ApplyArguments {
    /// Aggregation of the scores of a candidate's rules.
    #[arg(long, value_enum, default_value = "maximum")]
    aggregation: AggregationName,
    /// Candidates to find; once there are as many, weaker rules only order them.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    top: u32,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum AggregationName {
    /// The greatest; of equal ones the next greatest decides, and so on.
    Maximum,
    /// One less the product of the complements of the five greatest.
    NoisyOr,
}

impl ApplyArguments {
    fn settings(self) -> ApplySettings {
        ApplySettings {
            aggregation: match self.aggregation {
                AggregationName::Maximum => Aggregation::Maximum,
                AggregationName::NoisyOr => Aggregation::NoisyOr,
            },
            top: self.top as usize,
            ..ApplySettings::default()
        }
    }
}

/// An entity that the graph has.
fn entity(name: &str, vocabulary: &Vocabulary) -> Result<Entity, Failure> {
    let known = vocabulary.known_entity(name);
    known.ok_or_else(|| unknown("entity", name, vocabulary.entity_names()))
}

/// A relation that the graph has.
fn relation(name: &str, vocabulary: &Vocabulary) -> Result<Relation, Failure> {
    let known = vocabulary.known_relation(name);
    known.ok_or_else(|| unknown("relation", name, vocabulary.relation_names()))
}

/// Names that are looked at for a suggestion: comparing with millions would take longer than the answer.
const COMPARED: usize = 100_000;

fn unknown<'n>(what: &str, name: &str, known: impl Iterator<Item = &'n str>) -> Failure {
    let suggested = suggestion(name, known.take(COMPARED));
    Failure::usage(format!("unknown {what} `{name}`; {suggested}"))
}

/// Whether the program was interrupted.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Notes an interrupt, so that what was found so far is kept; a second one ends the program.
fn catch_interrupts() -> Result<(), Failure> {
    let noted = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(Exit::Interrupted.code().into());
        }
    });
    noted.map_err(|error| Failure::failed(format!("an interrupt would not be noticed: {error}")))
}

/// A bar on the error stream; nothing where that is not a terminal.
fn progress(n: usize, what: &'static str) -> indicatif::ProgressBar {
    let bar = indicatif::ProgressBar::new(n as u64).with_message(what);
    let style = indicatif::ProgressStyle::with_template("{msg} {bar:40} {percent}% {eta}");
    bar.with_style(style.unwrap_or_else(|_| indicatif::ProgressStyle::default_bar()))
}

/// A file to read from.
type File = PathBuf;
