//! The `evaluate` command.

use std::fmt::Write as _;
use std::path::PathBuf;

use kibitz_ilp::learn::LearnError;
use kibitz_ilp::{
    Confusion, Decision, Evaluation, Layout, Problem, Source, Task, TheoryError, raised_json,
};
use kibitz_prolog::{Atom, Clause, Coverage, Evaluator, Limits, print_clause};
use kibitz_text::{Exit, Failure, SourceFile, counted, print};
use serde_json::{Value, json};

use super::decisions::{Covering, decide_all};
use super::report::{Format, Output};
use super::watch::{is_interrupted, notice_interrupts};
use super::{database, limits, read, target};

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
    #[arg(long, value_parser = Format::without_csv(), default_value = "text")]
    format: Format,
    /// Most memory, in MiB, for the terms of a query.
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    memory_limit: usize,
}

pub(super) fn run(arguments: &EvaluateArguments) -> Result<Exit, Failure> {
    let file = SourceFile::read(&arguments.theory)?;
    let mut tasks = read(&arguments.path, arguments.layout, false, |_| Ok(()))?;
    let decisions = Decision::among(&tasks.iter().collect::<Vec<_>>());
    let theories = tasks.iter_mut().map(|task| {
        task.read_theory(Source {
            name: file.path(),
            text: file.text(),
        })
    });
    let theories: Vec<Vec<Clause>> = theories.collect::<Result<_, _>>()?;
    let dbs = tasks.iter_mut().map(database);
    let dbs: Vec<_> = dbs.collect::<Result<_, _>>()?;
    let problems = tasks.iter().zip(&dbs);
    let problems = problems.map(|(task, db)| Problem::with_database(task, db));
    let problems: Vec<Problem<'_>> = problems.collect();
    let limits = limits(arguments.memory_limit);
    notice_interrupts()?;
    let mut output = Output::new(arguments.format, tasks.len() > 1);
    let mut worst = Exit::Done;
    let mut coverages = Vec::new();
    for (problem, clauses) in problems.iter().zip(&theories) {
        let evaluated = TheoryReport::new(problem, clauses, limits)?;
        if arguments.format == Format::Json {
            output.value(evaluated.json(tasks.len() > 1));
        } else {
            print(&evaluated.text(arguments.format, tasks.len() > 1))?;
        }
        worst = worst.max(evaluated.exit());
        coverages.push(evaluated.coverages);
    }
    let covering = theories.iter().zip(&coverages);
    let covering = covering.map(|(clauses, coverage)| Some(Covering { clauses, coverage }));
    let covering: Vec<Option<Covering<'_>>> = covering.collect();
    let keep_going = &mut || !is_interrupted();
    let of_tasks = (&problems[..], &covering[..]);
    decide_all(&decisions, of_tasks, limits, keep_going, &mut output)?;
    output.end()?;
    if is_interrupted() {
        return Ok(Exit::Interrupted);
    }
    Ok(worst)
}

/// What the clauses of a theory cover of the examples of a task, and of its examples to test on.
struct TheoryReport<'e> {
    task: &'e Task,
    clauses: &'e [Clause],
    coverages: Vec<Coverage>,
    total: Coverage,
    tested: Coverage,
    examples: Evaluation,
    test: Option<Evaluation>,
}

impl<'e> TheoryReport<'e> {
    fn new(
        problem: &'e Problem<'_>,
        clauses: &'e [Clause],
        limits: Limits,
    ) -> Result<Self, Failure> {
        let failed = |error| Failure::from(TheoryError::by(problem, LearnError::from(error)));
        let cover = |examples: [&[Atom]; 2]| -> Result<(Vec<Coverage>, Coverage), Failure> {
            let [positive, negative] = examples;
            let mut evaluator = Evaluator::new(problem.database(), limits, positive, negative);
            let coverages = evaluator.theory_while(clauses, &mut || !is_interrupted());
            let coverages = coverages.map_err(failed)?;
            let mut total = Coverage::nothing(positive.len(), negative.len());
            for own in &coverages {
                total.union(own);
            }
            Ok((coverages, total))
        };
        let task = problem.task();
        let examples = [&task.positive[..], &task.negative[..]];
        let test = task.test.each_ref().map(|part| &part[..]);
        let (coverages, total) = cover(examples)?;
        let (_, tested) = cover(test)?;
        let of_test = Evaluation::new(&tested, test, &task.test_weights);
        Ok(Self {
            task,
            clauses,
            coverages,
            examples: Evaluation::new(&total, examples, &task.weights),
            test: (of_test.counts.n() > 0).then_some(of_test),
            total,
            tested,
        })
    }

    fn json(&self, is_named: bool) -> Value {
        let symbols = &self.task.symbols;
        let first_raised = |coverage: &Coverage| -> Value {
            let first = coverage.first_raised.as_ref();
            first.map_or(Value::Null, |own| raised_json(own, symbols))
        };
        let each = self.clauses.iter().zip(&self.coverages);
        let each = each.map(|(clause, coverage)| {
            let text = print_clause(clause, symbols).to_string();
            json!({
                "clause": text,
                "covers": Confusion::from(coverage).json(),
                "undecided": coverage.undecided,
                "raised": coverage.raised,
                "first-raised": first_raised(coverage),
            })
        });
        let mut value = json!({
            "clauses": each.collect::<Value>(),
            "examples": self.examples.json(),
            "undecided": self.total.undecided,
            "raised": self.total.raised,
            "first-raised": first_raised(&self.total),
            "test": self.test.map(Evaluation::json),
            "test-undecided": self.test.map(|_| self.tested.undecided),
            "test-raised": self.test.map(|_| self.tested.raised),
        });
        if is_named {
            value["target"] = target(self.task).into();
        }
        value
    }

    fn text(&self, format: Format, is_named: bool) -> String {
        let symbols = &self.task.symbols;
        let of = if is_named {
            format!("{}, ", target(self.task))
        } else {
            String::new()
        };
        let mut text = format!(
            "% {of}{}: {}\n{}",
            counted(self.clauses.len(), "clause", "clauses"),
            self.examples.counts,
            self.examples.measures()
        );
        text += &self.total.undecided_lines(symbols);
        text += &super::report::tested(self.test);
        text += &self.tested.undecided_lines(symbols);
        for (clause, coverage) in self.clauses.iter().zip(&self.coverages) {
            let clause = print_clause(clause, symbols);
            let _ = write!(text, "{clause}");
            if format == Format::Text {
                let _ = write!(text, "  % {}", Confusion::from(coverage));
            }
            text.push('\n');
        }
        text
    }

    fn exit(&self) -> Exit {
        let is_right = |own: Evaluation| own.counts.fn_ + own.counts.fp == 0;
        let is_decided = self.total.undecided + self.tested.undecided == 0;
        if is_right(self.examples) && self.test.is_none_or(is_right) && is_decided {
            Exit::Done
        } else {
            Exit::Negative
        }
    }
}
