//! `kibitz-patterns learn CONCEPT.toml [--ask]`: a concept learned from positions.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is the command line"
)]

mod ask;
mod trace;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use kibitz_ilp::learn::pal::{Outcome, PalLearned};
use kibitz_ilp::print_clause;
use kibitz_patterns::{Concept, ConceptError, Prepared};
use serde::Deserialize;

/// Chess patterns learned from positions.
#[derive(Debug, Parser)]
#[command(name = "kibitz-patterns", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Learn a concept; its target definition answers the learner's questions.
    Learn {
        /// A TOML file with `targets = "FILE.pl"` and a `[concept]` table.
        file: PathBuf,
        /// Ask on the terminal instead: positive, negative or stop (p/n/s) for each position, yes,
        /// no or save and stop (y/n/s) for each definition.
        #[arg(long)]
        ask: bool,
        /// Generalise with symmetric positions, too.
        #[arg(long)]
        symmetries: bool,
        /// Print each example with what came of it, and each new definition.
        #[arg(long)]
        trace: bool,
    },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ConceptFile {
    /// Definitions of the concept and of those it uses, beside this file.
    targets: Option<PathBuf>,
    concept: Concept,
}

fn main() -> ExitCode {
    let Command::Learn {
        file,
        ask,
        symmetries,
        trace,
    } = Arguments::parse().command;
    match learn(&file, ask, symmetries, trace) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", file.display());
            ExitCode::FAILURE
        }
    }
}

fn read(path: &Path) -> Result<String, ConceptError> {
    std::fs::read_to_string(path)
        .map_err(|error| ConceptError::File(format!("{}: {error}", path.display())))
}

fn learn(path: &Path, ask: bool, symmetries: bool, trace: bool) -> Result<(), ConceptError> {
    let text = read(path)?;
    let file: ConceptFile =
        toml::from_str(&text).map_err(|error| ConceptError::File(format!("\n{error}")))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let targets = match &file.targets {
        Some(targets) => read(&folder.join(targets))?,
        None => String::new(),
    };
    let prepared = file.concept.prepare(&targets, !ask)?;
    let mut params = prepared.params();
    params.symmetries = symmetries;
    let learned = if ask {
        let input = std::io::stdin().lock();
        let mut person = ask::Person::new(&prepared, input, std::io::stdout());
        prepared.learn(params, &mut person)?
    } else if trace {
        let oracle = prepared.oracle();
        let mut traced = trace::Traced::new(&prepared, oracle, std::io::stdout());
        prepared.learn(params, &mut traced)?
    } else {
        prepared.learn(params, &mut prepared.oracle())?
    };
    report(&prepared, &learned);
    Ok(())
}

fn report(prepared: &Prepared, learned: &PalLearned) {
    let (positive, negative) = learned.n_examples();
    let refused = (learned.steps.iter())
        .filter(|step| matches!(step.outcome, Outcome::TooGeneral | Outcome::Rejected))
        .count();
    println!(
        "{positive} positive and {negative} negative examples; {refused} generalisations refused"
    );
    for clause in &learned.clauses {
        println!("{}", print_clause(clause, prepared.symbols()));
    }
}
