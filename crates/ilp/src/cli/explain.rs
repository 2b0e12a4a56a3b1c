//! The `explain` command.

use std::path::PathBuf;

use kibitz_ilp::{Atom, Layout, Predicate, Source, SymbolTable, Term, Unsolved, read_term};
use kibitz_text::{Exit, Failure, SourceFile, print};

use super::{limits, load};

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
    let mut task = load(&arguments.path, arguments.layout)?;
    let clauses = task.read_theory(Source {
        name: file.path(),
        text: file.text(),
    })?;
    let text = arguments.example.trim().trim_end_matches('.');
    let read = read_term(text, &mut task.symbols);
    let read = read.map_err(|error| Failure::usage(format!("the example: {error}")))?;
    let atom = example(&read, &task.symbols).ok_or_else(|| {
        Failure::usage(format!("{text} is no example; an atom such as east(t1) is"))
    })?;
    let shown = |it: Predicate| format!("{}/{}", task.symbols.name(it.name), it.arity);
    if atom.predicate() != task.target {
        let (own, target) = (shown(atom.predicate()), shown(task.target));
        return Err(Failure::usage(format!(
            "the example is of {own}, the predicate to learn is {target}"
        )));
    }
    let explained = task.explain(&clauses, &atom, limits(arguments.memory_limit));
    let explained = explained.map_err(|error| Unsolved::before(&task, error))?;
    print(&explained.to_string())?;
    Ok(if explained.is_covered() {
        Exit::Done
    } else {
        Exit::Negative
    })
}

/// The ground atom of an example, without the sign that Popper's files give it.
fn example(term: &Term, symbols: &SymbolTable) -> Option<Atom> {
    let atom = Atom::from_term(term)?;
    let is_signed = ["pos", "neg"].contains(&symbols.name(atom.name)) && atom.args.len() == 1;
    let atom = match &atom.args[..] {
        [inner @ Term::Compound(..)] if is_signed => Atom::from_term(inner)?,
        _ => atom,
    };
    atom.is_ground().then_some(atom)
}
