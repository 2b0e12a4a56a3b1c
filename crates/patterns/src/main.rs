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
use std::time::{Duration, Instant};

use clap::{Parser, Subcommand};
use kibitz_ilp::learn::pal::{
    Change, Ending, Example, Judgement, Outcome, PalError, PalLearned, Teacher, Verdict,
};
use kibitz_ilp::{Clause, Constant, SymbolTable, print_clause};
use kibitz_patterns::{Concept, ConceptError};
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
        /// End the search after this many seconds with what was learned.
        #[arg(long, value_name = "SECONDS")]
        time_limit: Option<u64>,
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
        time_limit,
    } = Arguments::parse().command;
    let deadline = time_limit.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    match learn(&file, ask, symmetries, trace, deadline) {
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

fn learn(
    path: &Path,
    ask: bool,
    symmetries: bool,
    trace: bool,
    deadline: Option<Instant>,
) -> Result<(), ConceptError> {
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
    let learn = |teacher: &mut dyn Teacher| {
        let mut limited = Limited { teacher, deadline };
        prepared.learn(params, &mut limited)
    };
    let output = std::io::stdout();
    if ask {
        let input = std::io::stdin().lock();
        let (learned, symbols) = ask::learn(&prepared, input, output, learn)?;
        report(&learned, &symbols);
        return Ok(());
    }
    let mut oracle = prepared.oracle();
    let learned = if trace {
        learn(&mut trace::Traced::new(&prepared, oracle, output))?
    } else {
        learn(&mut oracle)?
    };
    report(&learned, prepared.symbols());
    Ok(())
}

/// A teacher who has no more time after a while.
struct Limited<'a> {
    teacher: &'a mut dyn Teacher,
    deadline: Option<Instant>,
}

impl Teacher for Limited<'_> {
    fn classify(
        &mut self,
        example: &Example,
        state: Constant,
        change: &Change,
    ) -> Result<Verdict, PalError> {
        self.teacher.classify(example, state, change)
    }

    fn judge(&mut self, definition: &Clause) -> Result<Judgement, PalError> {
        self.teacher.judge(definition)
    }

    fn keep_going(&mut self) -> bool {
        self.deadline
            .is_none_or(|deadline| Instant::now() < deadline)
            && self.teacher.keep_going()
    }
}

fn report(learned: &PalLearned, symbols: &SymbolTable) {
    let (positive, negative) = learned.n_examples();
    let refused = (learned.steps.iter())
        .filter(|step| matches!(step.outcome, Outcome::TooGeneral | Outcome::Rejected))
        .count();
    println!(
        "{positive} positive and {negative} negative examples; {refused} generalisations refused"
    );
    for ending in &learned.endings {
        match ending {
            Ending::Satisfied | Ending::Exhausted => {}
            Ending::LevelLimit => println!("the highest perturbation level is explored"),
            Ending::StateLimit => println!("as many positions were looked at as allowed"),
            Ending::Interrupted => println!("the time is over; this is what was learned so far"),
        }
    }
    for clause in &learned.clauses {
        println!("{}", print_clause(clause, symbols));
    }
}
