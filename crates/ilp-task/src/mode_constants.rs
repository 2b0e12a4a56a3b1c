//! Constants that modes ask for.

use kibitz_prolog::{Atom, Clause, Database, Direction, Literal, Predicate, Symbol, Term};

use super::Task;
use super::bias::add_constant;

impl Task {
    /// Takes facts such as `animal(dog)` as constants of the type of that name.
    pub(super) fn take_type_facts(&mut self) {
        let modes = std::iter::once(&self.bias.head).chain(&self.bias.body);
        let kinds = modes
            .flat_map(|mode| &mode.arguments)
            .map(|argument| argument.kind);
        let kinds: indexmap::IndexSet<Symbol, rustc_hash::FxBuildHasher> = kinds.collect();
        for clause in &self.background {
            let Clause { head, body } = clause;
            if let [constant] = &head.args[..]
                && body.is_empty()
                && constant.is_ground()
                && kinds.contains(&head.name)
            {
                add_constant(&mut self.type_constants, head.name, constant.clone());
            }
        }
    }

    /// Lets clauses compare arguments of the head that are constants with the values they have.
    pub(super) fn take_head_constants(&mut self) {
        for (place, argument) in self.bias.head.arguments.iter().enumerate() {
            if argument.direction == Direction::Constant {
                for example in self.positive.iter().chain(&self.negative) {
                    add_constant(
                        &mut self.bias.constants,
                        argument.kind,
                        example.args[place].clone(),
                    );
                }
            }
        }
    }

    /// Gives predicates that take constants, but are not given by facts, those of their types to
    /// choose from.
    pub(super) fn list_constants(&mut self) {
        let is_listed = |task: &Task, predicate: Predicate| {
            let own = task.background.iter();
            let mut own = own.filter(|it| it.head.predicate() == predicate).peekable();
            if own.peek().is_none() {
                let library = Database::builder().build(&mut task.symbols.clone());
                return !library.is_ok_and(|library| library.is_defined(predicate));
            }
            own.all(|it| it.body.is_empty() && it.head.is_ground())
        };
        // The modes of the task still say which facts have constants of a type.
        let mut modes = self.bias.body.clone();
        for mode in &mut modes {
            let places: Vec<usize> = mode.places(Direction::Constant).collect();
            if places.is_empty() || mode.predicate == self.target || is_listed(self, mode.predicate)
            {
                continue;
            }
            let shown = self.templates.shown(mode.predicate).cloned();
            if shown
                .as_ref()
                .is_some_and(|own| own.atom.name == Symbol::EQUALS)
            {
                continue;
            }
            let args = (0u32..).map(Term::var).take(mode.arguments.len());
            let literal =
                shown.unwrap_or_else(|| Literal::positive(Atom::new(mode.predicate.name, args)));
            let has_none =
                |place: &usize| self.constants_of(mode.arguments[*place].kind).is_empty();
            if places.iter().any(has_none) {
                continue;
            }
            let mut conditions = Vec::new();
            for place in places {
                let kind = mode.arguments[place].kind;
                let name = format!("constants of {}", self.symbols.name(kind));
                let name = self.symbols.intern(&name);
                let var = u32::try_from(place).map_or(Term::NIL, Term::var);
                conditions.push(Literal::positive(Atom::new(name, [var])));
                let is_there = |it: &Clause| it.head.name == name;
                if !self.background.iter().any(is_there) {
                    let facts = self.constants_of(kind).into_iter();
                    let facts = facts.map(|value| Clause::fact(Atom::new(name, [value])));
                    self.background.extend(facts.collect::<Vec<_>>());
                }
            }
            let arguments = mode.arguments.clone();
            let (predicate, clause) =
                (self.templates).add(&literal, &arguments, conditions, &mut self.symbols);
            self.background
                .retain(|it| it.head.predicate() != predicate);
            let found = found_by_itself(&clause, &literal);
            self.background.push(clause);
            self.background.extend(found);
            mode.predicate = predicate;
        }
        self.bias.body = modes;
    }
}

/// Clauses for the constants that a literal finds by itself: those that are not of their types. `listed`
/// has the conditions that they are before the literal. No two clauses find the same constants, so that
/// a proof that fails later tries each literal in one way only.
fn found_by_itself(listed: &Clause, literal: &Literal) -> Vec<Clause> {
    let conditions = &listed.body[..listed.body.len() - 1];
    let clauses = (0..conditions.len()).map(|unlisted| {
        let mut body = vec![literal.clone()];
        body.extend_from_slice(&conditions[..unlisted]);
        body.push(Literal::negative(conditions[unlisted].atom.clone()));
        Clause::new(listed.head.clone(), body)
    });
    clauses.collect()
}
