//! `kibitz-patterns`: learns concepts from positions, and verifies strategies over concepts.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is the command line"
)]

mod interactive;
mod trace;
mod verify;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Args, Parser, Subcommand};
use kibitz_ilp::learn::pal::{Ending, Interruptible, PalLearned, Teacher};
use kibitz_ilp::{SymbolTable, print_clause};
use kibitz_patterns::{Concept, ConceptError, Prepared, TeachingSetParams};
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
    Learn(LearnArguments),
    /// Search for a teaching set: the fewest examples from which the learner finds the target without
    /// questions.
    Choose(ChooseArguments),
    /// Play a strategy of rules from every position of its endgame against every reply.
    ///
    /// Exit codes: 0 every position is won by the moves that the strategy prefers (if it prefers
    /// none, by all that it allows), 1 some is not, 2 the command line is wrong, 3 the strategy
    /// cannot be read or decided.
    Verify(verify::VerifyArguments),
    /// Try every small change of a strategy's rules, and list those with which the best move allowed
    /// wins every position: conditions added and removed, rules dropped and moved.
    ///
    /// Exit codes: 0 some change does, 1 none does, 3 the strategy cannot be read or decided.
    Repair {
        /// A file with a strategy, or the name of a bundled one.
        file: PathBuf,
    },
    /// List the names that rules of a strategy can use: concepts, preferences, and bundled strategies.
    Concepts,
}

#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
struct LearnArguments {
    /// A TOML file with `targets = "FILE.pl"` and a `[concept]` table.
    file: PathBuf,
    /// Ask on the terminal instead: positive, negative or stop (p/n/s) for each position, yes, no
    /// or save and stop (y/n/s) for each definition.
    #[arg(long)]
    ask: bool,
    /// Generalize with the examples under `chosen` in the file, and with no others.
    #[arg(long)]
    chosen: bool,
    /// Generalize with the mirror images of positive positions, too.
    #[arg(long)]
    symmetries: bool,
    /// Print each example with its answer, and each new definition.
    #[arg(long)]
    trace: bool,
    /// End the search after this many seconds with the current definition.
    #[arg(long, value_name = "SECONDS")]
    time_limit: Option<u64>,
}

#[derive(Debug, Args)]
struct ChooseArguments {
    /// The same kind of file.
    file: PathBuf,
    /// Positive examples in a pool.
    #[arg(long, default_value_t = TeachingSetParams::default().pool)]
    pool: usize,
    /// Pools tried for each initial example.
    #[arg(long, default_value_t = TeachingSetParams::default().pools)]
    pools: usize,
    /// Beam width: sets of one size that are extended by another example.
    #[arg(long, default_value_t = TeachingSetParams::default().beam)]
    beam: usize,
    /// Most examples for one clause, the initial one included.
    #[arg(long, default_value_t = TeachingSetParams::default().max_examples)]
    max_examples: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ConceptFile {
    /// Definitions of the concept and of those it uses, beside this file.
    targets: Option<PathBuf>,
    concept: Concept,
}

fn main() -> ExitCode {
    let command = Arguments::parse().command;
    let (file, done) = match &command {
        Command::Learn(arguments) => (&arguments.file, learn(arguments)),
        Command::Choose(arguments) => (&arguments.file, choose(arguments)),
        Command::Verify(arguments) => return verify::verify(arguments),
        Command::Repair { file } => return verify::repair(file),
        Command::Concepts => return verify::list_concepts(),
    };
    match done {
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

fn prepare(path: &Path, need_target: bool) -> Result<Prepared, ConceptError> {
    let text = read(path)?;
    let file: ConceptFile =
        toml::from_str(&text).map_err(|error| ConceptError::File(format!("\n{error}")))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let targets = match &file.targets {
        Some(targets) => read(&folder.join(targets))?,
        None => String::new(),
    };
    file.concept.prepare(&targets, need_target)
}

fn learn(arguments: &LearnArguments) -> Result<(), ConceptError> {
    let deadline =
        (arguments.time_limit).map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let prepared = prepare(&arguments.file, !arguments.ask)?;
    let mut params = prepared.params();
    params.symmetries = arguments.symmetries;
    let learn = |teacher: &mut dyn Teacher| {
        let condition = || deadline.is_none_or(|deadline| Instant::now() < deadline);
        let mut teacher = Interruptible { teacher, condition };
        if arguments.chosen {
            let given = [prepared.examples(), prepared.chosen()].concat();
            prepared.learn_from_given(&given, params, &mut teacher)
        } else {
            prepared.learn(params, &mut teacher)
        }
    };
    let output = std::io::stdout();
    if arguments.ask {
        let input = std::io::stdin().lock();
        let (learned, symbols) = interactive::learn(&prepared, input, output, learn)?;
        report(&learned, &symbols);
        return Ok(());
    }
    let mut oracle = prepared.oracle();
    let learned = if arguments.trace {
        learn(&mut trace::Traced::new(&prepared, oracle, output))?
    } else {
        learn(&mut oracle)?
    };
    report(&learned, prepared.symbols());
    Ok(())
}

fn choose(arguments: &ChooseArguments) -> Result<(), ConceptError> {
    let prepared = prepare(&arguments.file, true)?;
    let params = TeachingSetParams {
        pool: arguments.pool,
        pools: arguments.pools,
        beam: arguments.beam,
        max_examples: arguments.max_examples,
        ..TeachingSetParams::default()
    };
    let Some(found) = prepared.teaching_set(params)? else {
        return Err(ConceptError::NoChoice {
            most: params.max_examples,
        });
    };
    println!("chosen = [");
    for example in found.iter().filter(|e| !prepared.examples().contains(e)) {
        println!("  \"{}\",", prepared.example_text(example));
    }
    println!("]");
    Ok(())
}

fn report(learned: &PalLearned, symbols: &SymbolTable) {
    let (positive, negative) = learned.n_examples();
    let refused = learned.n_refused();
    println!(
        "{positive} positive and {negative} negative examples; {refused} generalizations refused"
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
