//! Examples to test on: those of a file, or a share of the task's own.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use kibitz_ilp::learn::LearnError;
use kibitz_ilp::{Decision, Evaluation, Problem, Source, Split, Task, Theory, TheoryError};
use kibitz_prolog::{Atom, Limits};
use kibitz_text::{Diagnostic, Exit, Failure, SourceFile, counted, note};

use super::decisions::parts;
use super::each_with_symbols;

/// Where the examples to test on come from.
#[derive(Clone, Debug)]
pub(super) enum Test {
    File(PathBuf),
    Share(f64),
}

impl FromStr for Test {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = match text.strip_suffix('%') {
            Some(percent) => percent.parse::<f64>().map(|own| own / 100.0),
            None => text.parse::<f64>(),
        };
        match number {
            Ok(share) if share > 0.0 && share < 1.0 => Ok(Self::Share(share)),
            Ok(_) => Err("a share lies between 0 and 1, or between 0% and 100%"),
            Err(_) => Ok(Self::File(text.into())),
        }
    }
}

impl Test {
    /// Adds the examples to test on to tasks, and takes those away that are no longer to be learned from.
    pub(super) fn take(
        &self,
        tasks: &mut [Task],
        decisions: &[Decision],
        seed: u64,
    ) -> Result<(), Failure> {
        match self {
            Self::File(path) if path.is_dir() => {
                return Err(Failure::usage(format!(
                    "--test {0}: this is a folder; give a file of examples, such as {0}/exs.pl",
                    path.display()
                )));
            }
            Self::File(path) => {
                let mut told = Vec::new();
                let read = each_with_symbols(tasks, |task| test_examples(path, task, &mut told))?;
                if read.iter().flatten().all(Vec::is_empty) {
                    let none = format!("{}: no test examples", path.display());
                    return Err(Failure::new(Exit::BadInput, Diagnostic::new(none)));
                }
                for (task, read) in tasks.iter_mut().zip(read) {
                    for (own, more) in task.test.iter_mut().zip(read) {
                        own.extend(more);
                    }
                }
            }
            Self::Share(share) => {
                let splits = parts(
                    tasks,
                    decisions,
                    |decision, all| decision.held_out(all, *share, seed),
                    |task| task.held_out(*share, seed),
                );
                let is_empty = |split: &Split| split.test.iter().all(Vec::is_empty);
                if splits.iter().all(is_empty) {
                    let n = tasks
                        .iter()
                        .map(|own| own.positive.len() + own.negative.len());
                    let n = counted(n.sum::<usize>(), "example", "examples");
                    return Err(Failure::usage(format!(
                        "--test {share}: of {n} no one is drawn; take a larger share"
                    )));
                }
                for (task, split) in tasks.iter_mut().zip(splits) {
                    task.take_split(split);
                }
            }
        }
        Ok(())
    }
}

/// How a theory does on the test examples of a task, if it has some.
pub(super) fn tested(
    problem: &Problem<'_>,
    theory: &Theory,
    limits: Limits,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<Option<Evaluation>, Failure> {
    let task = problem.task();
    let test = task.test.each_ref().map(|part| &part[..]);
    if test.iter().all(|part| part.is_empty()) {
        return Ok(None);
    }
    let own = problem.coverage_of(&theory.clauses, test, limits, keep_going);
    let own = own.map_err(|error| TheoryError::by(problem, LearnError::from(error)))?;
    for line in own.undecided_lines(&theory.symbols).lines() {
        note(&format!(
            "note: test examples: {}",
            line.trim_start_matches("% ")
        ));
    }
    Ok(Some(Evaluation::new(&own, test, &task.test_weights)))
}

/// The examples of a file; of Aleph's files `.f` and `.n` those of both, as far as they are there.
fn test_examples(
    path: &Path,
    task: &mut Task,
    told: &mut Vec<PathBuf>,
) -> Result<[Vec<Atom>; 2], Failure> {
    let is_side = |path: &Path| path.extension().is_some_and(|own| own == "f" || own == "n");
    if !is_side(path) {
        let file = SourceFile::read(path)?;
        let source = Source {
            name: file.path(),
            text: file.text(),
        };
        return Ok(task.read_examples(source)?);
    }
    let mut read = [Vec::new(), Vec::new()];
    for (examples, ending) in read.iter_mut().zip(["f", "n"]) {
        let own = path.with_extension(ending);
        if own != path && !own.exists() {
            if !told.contains(&own) {
                let missing = own.display();
                note(&format!(
                    "note: {missing} is missing: no such test examples"
                ));
                told.push(own);
            }
            continue;
        }
        let file = SourceFile::read(&own)?;
        *examples = task.read_side(Source {
            name: file.path(),
            text: file.text(),
        })?;
    }
    Ok(read)
}
