//! The `evaluate` command.

use std::fmt::Write as _;
use std::path::PathBuf;

use kibitz_ilp::learn::LearnError;
use kibitz_ilp::{Confusion, Evaluator, Layout, Problem, Source, Unsolved, print_clause};
use kibitz_text::{Exit, Failure, SourceFile, print};
use serde_json::json;

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
    let file = SourceFile::read(&arguments.theory)?;
    let mut task = read(&arguments.path, arguments.layout, true, |_| Ok(()))?;
    let clauses = task.read_theory(Source {
        name: file.path(),
        text: file.text(),
    })?;
    let db = database(&mut task)?;
    let problem = Problem::with_database(&task, &db);
    let limits = limits(arguments.memory_limit);
    let failed = |error| Failure::from(Unsolved::by(&problem, LearnError::from(error)));
    let mut evaluator = Evaluator::new(&db, limits, &task.positive, &task.negative);
    let coverages = evaluator.theory(&clauses).map_err(failed)?;
    let own = [&task.positive[..], &task.negative[..]];
    let total = problem.test(&clauses, own, limits).map_err(failed)?;
    let test = task.test.each_ref().map(|part| &part[..]);
    let test = problem.test(&clauses, test, limits).map_err(failed)?;
    let undecided: usize = coverages.iter().map(|own| own.undecided).sum();
    if arguments.format == Format::Json {
        let each = clauses.iter().zip(&coverages).map(|(clause, coverage)| {
            let text = print_clause(clause, &task.symbols).to_string();
            json!({"clause": text, "covers": Confusion::from(coverage).json()})
        });
        let each: Vec<_> = each.collect();
        let test = (test.n() > 0).then(|| test.json());
        json_line(&json!({
            "clauses": each,
            "examples": total.json(),
            "undecided": undecided,
            "test": test,
        }))?;
    } else {
        let mut text = format!(
            "% {} clauses: {total}\n% {}\n",
            clauses.len(),
            total.measures()
        );
        if undecided > 0 {
            let _ = writeln!(
                text,
                "% {undecided} proofs met a bound and count as not covered"
            );
        }
        text += &super::report::tested((test.n() > 0).then_some(test));
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
    let is_right = |own: Confusion| own.fn_ + own.fp == 0;
    Ok(if is_right(total) && is_right(test) && undecided == 0 {
        Exit::Done
    } else {
        Exit::Negative
    })
}
