//! The `evaluate` command.

use std::fmt::Write as _;
use std::path::PathBuf;

use kibitz_ilp::learn::LearnError;
use kibitz_ilp::{Confusion, Layout, Problem, Source, Unsolved, raised_json};
use kibitz_prolog::{Atom, Coverage, Evaluator, print_clause};
use kibitz_text::{Exit, Failure, SourceFile, counted, print};
use serde_json::{Value, json};

use super::learn::{is_interrupted, notice_interrupts};
use super::report::{Format, json_line};
use super::{database, limits, read};

#[derive(Debug, clap::Args)]
pub(super) struct EvaluateArguments {
    /// File with the clauses of a theory, as `learn` prints them.
    theory: PathBuf,
    /// Folder or file of the task, as for `learn`.
    path: PathBuf,
    /// Layout of the files; found out from their names if not given.
    #[arg(long)]
    layout: Option<Layout>,
    /// Form of the output.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Most memory, in MiB, for the terms of a query.
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    memory_limit: usize,
}

pub(super) fn run(arguments: &EvaluateArguments) -> Result<Exit, Failure> {
    if arguments.format == Format::Csv {
        return Err(Failure::usage(
            "--format csv is of learn --folds; take json",
        ));
    }
    let file = SourceFile::read(&arguments.theory)?;
    let mut task = read(&arguments.path, arguments.layout, true, |_| Ok(()))?;
    let clauses = task.read_theory(Source {
        name: file.path(),
        text: file.text(),
    })?;
    let db = database(&mut task)?;
    let problem = Problem::with_database(&task, &db);
    let limits = limits(arguments.memory_limit);
    notice_interrupts()?;
    let failed = |error| Failure::from(Unsolved::by(&problem, LearnError::from(error)));
    let cover = |examples: [&[Atom]; 2]| -> Result<(Vec<Coverage>, Coverage), Failure> {
        let [positive, negative] = examples;
        let mut evaluator = Evaluator::new(&db, limits, positive, negative);
        let coverages = evaluator.theory_while(&clauses, &mut || !is_interrupted());
        let coverages = coverages.map_err(failed)?;
        let mut total = Coverage::nothing(positive.len(), negative.len());
        for own in &coverages {
            total.union(own);
        }
        Ok((coverages, total))
    };
    let (coverages, total) = cover([&task.positive, &task.negative])?;
    let (_, tested) = cover(task.test.each_ref().map(|part| &part[..]))?;
    let examples = Confusion::from(&total);
    let test = Confusion::from(&tested);
    let has_test = test.n() > 0;
    let first_raised = |coverage: &Coverage| -> Value {
        let first = coverage.first_raised.as_ref();
        first.map_or(Value::Null, |own| raised_json(own, &task.symbols))
    };
    if arguments.format == Format::Json {
        let each = clauses.iter().zip(&coverages).map(|(clause, coverage)| {
            let text = print_clause(clause, &task.symbols).to_string();
            json!({
                "clause": text,
                "covers": Confusion::from(coverage).json(),
                "undecided": coverage.undecided,
                "raised": coverage.raised,
                "first-raised": first_raised(coverage),
            })
        });
        let each: Vec<_> = each.collect();
        json_line(&json!({
            "clauses": each,
            "examples": examples.json(),
            "undecided": total.undecided,
            "raised": total.raised,
            "first-raised": first_raised(&total),
            "test": has_test.then(|| test.json()),
            "test-undecided": has_test.then_some(tested.undecided),
            "test-raised": has_test.then_some(tested.raised),
        }))?;
    } else {
        let mut text = format!(
            "% {}: {examples}\n% {}\n",
            counted(clauses.len(), "clause", "clauses"),
            examples.measures()
        );
        text += &total.undecided_lines(&task.symbols);
        text += &super::report::tested(has_test.then_some(test));
        text += &tested.undecided_lines(&task.symbols);
        for (clause, coverage) in clauses.iter().zip(&coverages) {
            let clause = print_clause(clause, &task.symbols);
            let _ = write!(text, "{clause}");
            if arguments.format == Format::Text {
                let _ = write!(text, "  % {}", Confusion::from(coverage));
            }
            text.push('\n');
        }
        print(&text)?;
    }
    if is_interrupted() {
        return Ok(Exit::Interrupted);
    }
    let is_right = |own: Confusion| own.fn_ + own.fp == 0;
    let is_decided = total.undecided + tested.undecided == 0;
    Ok(if is_right(examples) && is_right(test) && is_decided {
        Exit::Done
    } else {
        Exit::Negative
    })
}
