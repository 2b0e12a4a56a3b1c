//! What is odd about a task.

use kibitz_prolog::{Constant, Direction, Term, print_term};
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
        // What clauses give as a constant needs no background.
        let head = self.bias.head.arguments.iter().enumerate();
        let joined = head.filter(|(_, own)| own.direction != Direction::Constant);
        let joined: Vec<usize> = joined.map(|(place, _)| place).collect();
        let args = self
            .positive
            .iter()
            .flat_map(|atom| joined.iter().map(|place| &atom.args[*place]));
        for arg in args {
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
        for own in self.lone_arguments() {
            let (name, arity) = (self.symbols.name(own.predicate.name), own.predicate.arity);
            let kind = self.symbols.name(own.kind);
            let place = own.place + 1;
            let named = self.few_values(&own).map_or(String::new(), |values| {
                let n = values.len();
                let values = values.iter();
                let values = values.map(|own| print_term(own, &self.symbols).to_string());
                let values = listed(values);
                format!("; constant(V,{kind}) for each of its {n} values lets clauses name them: {values}")
            });
            hints.push(format!(
                "nothing else has the type {kind} of argument {place} of {name}/{arity}: its variables \
                 join nothing{named}"
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
pub fn listed(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    let shown = names[..names.len().min(MAX_LISTED)].join(", ");
    match names.len().saturating_sub(MAX_LISTED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
