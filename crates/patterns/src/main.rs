//! `kibitz-patterns`: learns concepts from positions, and verifies strategies over concepts.

mod concept_file;
mod interactive;
mod trace;
mod verify;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Args, Parser, Subcommand};
use kibitz_pal::{Ending, Interruptible, PalResult, Teacher};
use kibitz_patterns::{TeachingSetParams, TestSet, TestSetParams, negations_last};
use kibitz_prolog::{Clause, SymbolTable, print_clause};
use kibitz_text::{Exit, Failure, counted, print};

use concept_file::ConceptFile;

/// Chess patterns learned from positions.
#[derive(Debug, Parser)]
#[command(name = "kibitz-patterns", version, after_help = Exit::help())]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Learn a concept; its target definition answers the learner's questions.
    ///
    /// The learned theory is compared with the target on all legal placements of the pieces, or on a
    /// sample if there are too many. The exit code is 1 if they differ on one.
    Learn(LearnArguments),
    /// Search for a teaching set: the fewest examples from which the learner finds the target without
    /// questions.
    Choose(ChooseArguments),
    /// Play a strategy of rules from every position of its endgame against every reply.
    ///
    /// It is evaluated by the moves that it prefers; if it prefers none, by all that it allows. An upper
    /// bound on its memory is reported on standard error first.
    Verify(verify::VerifyArguments),
    /// Try every small change of a strategy's rules, and list those with which the best move allowed
    /// wins every position: conditions added and removed, rules dropped and moved.
    Repair {
        /// A file with a strategy, or the name of a bundled one.
        file: PathBuf,
    },
    /// List the names that rules of a strategy can use, the bundled strategies, and the bundled
    /// concepts to learn.
    Concepts,
}

#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
struct LearnArguments {
    /// A TOML file with `targets = "FILE.pl"` and a `[concept]` table, or the name of a bundled
    /// concept.
    file: PathBuf,
    /// Ask on the terminal instead: positive, negative or stop (p/n/s) for each position, yes, no
    /// or save and stop (y/n/s) for each definition.
    #[arg(long)]
    ask: bool,
    /// Generalize with the examples under `chosen` in the file, and with no others.
    #[arg(long)]
    chosen: bool,
    /// Maximum number of counterexamples that the target gives when the learner has no more questions: positions
    /// that the theory misses. 0 leaves it to its questions alone, as in the thesis.
    #[arg(long, value_name = "N", default_value_t = 100, conflicts_with_all = ["ask", "chosen"])]
    counterexamples: usize,
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
    /// Maximum number of examples for one clause, the initial one included.
    #[arg(long, default_value_t = TeachingSetParams::default().max_examples)]
    max_examples: usize,
}

fn main() -> ExitCode {
    let done = match &Arguments::parse().command {
        Command::Learn(arguments) => learn(arguments),
        Command::Choose(arguments) => choose(arguments),
        Command::Verify(arguments) => verify::verify(arguments),
        Command::Repair { file } => verify::repair(file),
        Command::Concepts => verify::list_concepts(),
    };
    kibitz_text::finish(done)
}

fn learn(arguments: &LearnArguments) -> Result<Exit, Failure> {
    let deadline =
        (arguments.time_limit).map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let file = ConceptFile::read(&arguments.file)?;
    let prepared = file.prepare(!arguments.ask)?;
    let mut params = prepared.params();
    params.symmetries = arguments.symmetries;
    let is_in_time = || deadline.is_none_or(|deadline| Instant::now() < deadline);
    let learn = |teacher: &mut dyn Teacher| {
        let mut teacher = Interruptible {
            teacher,
            condition: is_in_time,
        };
        if arguments.chosen {
            let given = [prepared.examples(), prepared.chosen()].concat();
            prepared.learn_from_given(&given, params, &mut teacher)
        } else {
            prepared.learn(params, &mut teacher)
        }
    };
    let output = kibitz_text::output();
    if arguments.ask {
        let input = std::io::stdin().lock();
        let learned = interactive::learn(&prepared, input, output, learn);
        let (learned, symbols) = learned.map_err(|error| file.failure(error))?;
        let theory: Vec<Clause> = learned.clauses.iter().map(negations_last).collect();
        print(&report(&learned, &theory, &symbols, !is_in_time()))?;
        // Only the user knows the concept, so there is nothing to compare with.
        if prepared.target().is_empty() {
            return Ok(Exit::Done);
        }
        let set = prepared.test_set(TestSetParams::default());
        let set = set.map_err(|error| file.failure(error))?;
        return agreement(&file, &set, &theory);
    }
    let set = prepared.test_set(TestSetParams::default());
    let set = set.map_err(|error| file.failure(error))?;
    // With given examples alone the teacher only answers: a counterexample would be another given
    // example.
    let n_counterexamples = if arguments.chosen {
        0
    } else {
        arguments.counterexamples
    };
    let mut oracle = prepared.oracle();
    let oracle = Interruptible {
        teacher: &mut oracle,
        condition: is_in_time,
    };
    let mut teacher = set.teacher(oracle, n_counterexamples);
    let learned = if arguments.trace {
        learn(&mut trace::TracingTeacher::new(&prepared, teacher, output))
    } else {
        learn(&mut teacher)
    };
    let learned = learned.map_err(|error| file.failure(error))?;
    let theory = set
        .simplified(&learned)
        .map_err(|error| file.failure(error))?;
    print(&report(
        &learned,
        &theory,
        prepared.symbols(),
        !is_in_time(),
    ))?;
    agreement(&file, &set, &theory)
}

/// Prints how far a theory agrees with the target.
fn agreement(file: &ConceptFile, set: &TestSet<'_>, theory: &[Clause]) -> Result<Exit, Failure> {
    let found = set.compare(theory).map_err(|error| file.failure(error))?;
    let counts = found.counts;
    let extent = match set.seed() {
        None => format!("all {} legal placements", counts.n_positions),
        Some(seed) => format!("a sample of {} positions, seed {seed}", counts.n_positions),
    };
    let mut text = format!(
        "agreement with the target on {extent}: missed {} of {} positive, wrongly covered {} of {} \
         negative\n",
        counts.missed(),
        counts.n_positive,
        counts.wrongly_covered(),
        counts.n_positions - counts.n_positive
    );
    for (what, example) in [
        ("missed", &found.missed),
        ("wrongly covered", &found.wrongly_covered),
    ] {
        if let Some(example) = example {
            let _ = writeln!(
                text,
                "{what}, for example: {}",
                set.prepared().example_text(example)
            );
        }
    }
    print(&text)?;
    Ok(if found.is_exact() {
        Exit::Done
    } else {
        Exit::Negative
    })
}

fn choose(arguments: &ChooseArguments) -> Result<Exit, Failure> {
    let file = ConceptFile::read(&arguments.file)?;
    let prepared = file.prepare(true)?;
    let params = TeachingSetParams {
        pool: arguments.pool,
        pools: arguments.pools,
        beam: arguments.beam,
        max_examples: arguments.max_examples,
        ..TeachingSetParams::default()
    };
    let found = prepared.teaching_set(params);
    let Some(found) = found.map_err(|error| file.failure(error))? else {
        print(&format!(
            "no {} positive examples were found that lead to a clause of the target; larger or more \
             pools, a wider beam, or another initial example may help\n",
            params.max_examples
        ))?;
        return Ok(Exit::Negative);
    };
    let mut text = String::from("chosen = [\n");
    for example in found.iter().filter(|e| !prepared.examples().contains(e)) {
        let _ = writeln!(text, "  \"{}\",", prepared.example_text(example));
    }
    print(&(text + "]\n"))?;
    Ok(Exit::Done)
}

/// The numbers of examples, and the theory.
fn report(learned: &PalResult, theory: &[Clause], symbols: &SymbolTable, is_late: bool) -> String {
    let (positive, negative) = learned.n_examples();
    let refused = learned.n_refused();
    let mut text = format!(
        "{positive} positive and {negative} negative examples; {}",
        counted(refused, "generalization refused", "generalizations refused")
    );
    match learned.n_counterexamples() {
        0 => text.push('\n'),
        1 => text += "; one of the positive examples is a counterexample\n",
        n => _ = writeln!(text, "; {n} of the positive examples are counterexamples"),
    }
    let mut endings = learned.endings.clone();
    if is_late {
        endings.push(Ending::Interrupted);
    }
    endings.dedup();
    for ending in endings {
        text += match ending {
            Ending::Satisfied | Ending::Exhausted => "",
            Ending::LevelLimit => "the highest perturbation level is explored\n",
            Ending::StateLimit => "as many positions were looked at as allowed\n",
            Ending::Interrupted => "the time is over; this is what was learned so far\n",
        };
    }
    for clause in theory {
        let _ = writeln!(text, "{}", print_clause(clause, symbols));
    }
    text
}
