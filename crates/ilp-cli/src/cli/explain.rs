//! The `explain` command.

use std::path::PathBuf;

use kibitz_ilp::{Layout, Source, Study, Task, TheoryError};
use kibitz_text::{Exit, Failure, SourceFile, print};

use super::limits;

#[derive(Debug, clap::Args)]
pub(super) struct ExplainArguments {
    /// File with the clauses of a theory, as `learn` prints them.
    theory: PathBuf,
    /// An example, such as `east(t1)`; `pos(east(t1))` and `neg(east(t1))` are understood, too.
    example: String,
    /// Folder or file of the task, as for `learn`.
    #[arg(default_value = ".")]
    path: PathBuf,
    /// Layout of the files; found out from their names if not given.
    #[arg(long)]
    layout: Option<Layout>,
    /// Most memory, in MiB, for the terms of a query.
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    memory_limit: usize,
}

pub(super) fn run(arguments: &ExplainArguments) -> Result<Exit, Failure> {
    let file = SourceFile::read(&arguments.theory)?;
    let mut tasks = Task::each_from(&arguments.path, arguments.layout)?;
    let read: Vec<_> = (tasks.iter_mut())
        .map(|task| task.read_example(&arguments.example))
        .collect();
    // The example tells which target is meant.
    let place = read.iter().position(Result::is_ok).unwrap_or(0);
    let mut task = tasks.swap_remove(place);
    let clauses = task.read_theory(Source {
        name: file.path(),
        text: file.text(),
    })?;
    let atom = read.into_iter().nth(place);
    let atom = atom.ok_or_else(|| Failure::usage("no example"))?;
    let atom = atom.map_err(|error| Failure::usage(error.to_string()))?;
    let explained = task.explain(&clauses, &atom, limits(arguments.memory_limit));
    let explained = explained.map_err(|error| TheoryError::before(&task, error))?;
    print(&explained.to_string())?;
    Ok(if explained.is_covered() {
        Exit::Done
    } else {
        Exit::Negative
    })
}
