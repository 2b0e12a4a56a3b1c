//! What is odd about a task.

use kibitz_prolog::{Constant, Direction, Predicate, Symbol, Term, print_term};
use rustc_hash::FxHashSet;

use super::Task;

/// Most names in a list.
const MAX_LISTED: usize = 5;

impl Task {
    /// What is odd about a task without being wrong: names of positive examples that occur nowhere in
    /// the background, and types with one place only.
    pub fn hints(&self) -> Vec<String> {
        let mut hints = Vec::new();
        let mut known: FxHashSet<&Term> = FxHashSet::default();
        for clause in &self.background {
            for atom in clause.atoms() {
                atom.args.iter().for_each(|arg| names(arg, &mut known));
            }
        }
        let mut named: FxHashSet<&Term> = FxHashSet::default();
        let mut strange = Vec::new();
        for arg in self.positive.iter().flat_map(|atom| atom.args.iter()) {
            if let Term::Const(Constant::Symbol(_)) = arg
                && !known.contains(arg)
                && named.insert(arg)
            {
                strange.push(print_term(arg, &self.symbols).to_string());
            }
        }
        if !strange.is_empty() {
            let strange = listed(strange.into_iter());
            hints.push(format!(
                "the background says nothing of {strange}, of which positive examples are"
            ));
        }
        let modes = std::iter::once(&self.bias.head).chain(&self.bias.body);
        let mut places: Vec<(Symbol, Predicate, usize, usize)> = Vec::new();
        for mode in modes {
            for (place, argument) in mode.arguments.iter().enumerate() {
                if argument.direction == Direction::Constant {
                    continue;
                }
                match places.iter_mut().find(|own| own.0 == argument.kind) {
                    Some((_, predicate, own, n))
                        if *predicate != mode.predicate || *own != place =>
                    {
                        *n += 1;
                    }
                    Some(_) => {}
                    None => places.push((argument.kind, mode.predicate, place, 1)),
                }
            }
        }
        for (kind, predicate, place, _) in places.into_iter().filter(|own| own.3 == 1) {
            let constants = self.bias.constants.iter();
            if constants.clone().any(|set| set.kind == kind) {
                continue;
            }
            let (name, arity) = (self.symbols.name(predicate.name), predicate.arity);
            hints.push(format!(
                "nothing else has the type {} of argument {} of {name}/{arity}: its variables join \
                 nothing",
                self.symbols.name(kind),
                place + 1
            ));
        }
        hints
    }
}

/// The names in a term.
fn names<'t>(term: &'t Term, found: &mut FxHashSet<&'t Term>) {
    match term {
        Term::Const(_) => {
            found.insert(term);
        }
        Term::Compound(_, args) => args.iter().for_each(|arg| names(arg, found)),
        Term::Var(_) => {}
    }
}

/// Names with commas, of many the first.
pub(crate) fn listed(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    let shown = names[..names.len().min(MAX_LISTED)].join(", ");
    match names.len().saturating_sub(MAX_LISTED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
