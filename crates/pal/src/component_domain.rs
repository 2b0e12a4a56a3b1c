//! Domains given by data: components with attributes, of which any combination is a state.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use indexmap::IndexSet;
use kibitz_prolog::{
    Atom, Constant, Direction, NativeError, NativeRelation, Signature, SymbolTable, Term,
    read_clauses,
};
use rustc_hash::FxBuildHasher;

use crate::{Attribute, Component, Domain, Example, PalError};

/// A domain of components that are facts of one predicate, such as `card(Rank, Suit, State)` or
/// `tile(Number, Column, Row, State)`. A state is legal if no two components have the same key.
///
/// States get numbers. [`ComponentDomain::relation`] is the predicate over all that were numbered.
///
/// # Examples
/// ```
/// use kibitz_pal::{Attribute, ComponentDomain, Domain as _};
/// use kibitz_prolog::{Constant, SymbolTable};
///
/// let mut symbols = SymbolTable::new();
/// let attribute = |name: &str, values: std::ops::RangeInclusive<i64>| Attribute {
///     name: name.to_owned(),
///     values: values.map(Constant::Int).collect(),
/// };
/// let attributes = vec![attribute("rank", 1..=13), attribute("suit", 1..=4)];
/// let cards = ComponentDomain::new("card", attributes, &[0, 1], &[], &mut symbols);
/// let hand = cards.read_example(1, "card(1,1). card(1,2).", &mut symbols)?;
/// assert!(cards.is_legal(&hand));
/// let twice = cards.read_example(2, "card(1,1). card(1,1).", &mut symbols)?;
/// assert!(!cards.is_legal(&twice));
/// # Ok::<(), kibitz_pal::PalError>(())
/// ```
///
/// # Source
/// Morales 1992, section 6.4.3.
#[derive(Debug)]
pub struct ComponentDomain {
    name: String,
    attributes: Vec<Attribute>,
    key: Vec<usize>,
    arguments: Vec<Vec<usize>>,
    description: Atom,
    states: Arc<States>,
}

impl ComponentDomain {
    /// A domain without states. Components are facts of the predicate `name`; `key` are the indices of the
    /// attributes that identify a component, and `together` those that change together (see
    /// [`Domain::arguments`]).
    pub fn new(
        name: &str,
        attributes: Vec<Attribute>,
        key: &[usize],
        together: &[Vec<usize>],
        symbols: &mut SymbolTable,
    ) -> Self {
        let alone = (0..attributes.len())
            .filter(|own| !together.iter().flatten().any(|other| other == own))
            .map(|own| vec![own]);
        let mut arguments: Vec<Vec<usize>> = alone.chain(together.iter().cloned()).collect();
        arguments.sort();
        let places = (0u32..).map(Term::var).take(attributes.len() + 1);
        Self {
            name: name.to_owned(),
            key: key.to_vec(),
            arguments,
            description: Atom::new(symbols.intern(name), places),
            states: Arc::default(),
            attributes,
        }
    }

    /// The predicate of the components, whose last argument is the state.
    pub fn relation(&self) -> Arc<dyn NativeRelation> {
        let mut mode = vec![Direction::Out; self.attributes.len()];
        mode.push(Direction::In);
        Arc::new(ComponentRelation {
            name: self.name.clone(),
            states: Arc::clone(&self.states),
            signature: Signature::new(self.description.name, mode),
        })
    }

    /// Reads an example, which has this number in errors, from facts without a state.
    ///
    /// # Errors
    /// [`PalError::Example`] for anything but such facts, and for values that an attribute does not have.
    pub fn read_example(
        &self,
        number: usize,
        text: &str,
        symbols: &mut SymbolTable,
    ) -> Result<Example, PalError> {
        let error = |reason: String| PalError::Example {
            example: number,
            reason,
        };
        let clauses = read_clauses(text, symbols).map_err(|errors| error(errors.to_string()))?;
        let mut example = Example::new();
        for clause in clauses {
            let atom = clause.head;
            let is_fact = clause.body.is_empty()
                && atom.name == self.description.name
                && atom.args.len() == self.attributes.len();
            if !is_fact {
                let names: Vec<&str> = self.attributes.iter().map(|own| &own.name[..]).collect();
                return Err(error(format!(
                    "facts {}({}) are expected",
                    self.name,
                    names.join(", ")
                )));
            }
            let mut component = Component::new();
            for (attribute, term) in self.attributes.iter().zip(atom.args.iter()) {
                match term {
                    Term::Const(value)
                        if attribute.values.is_empty() || attribute.values.contains(value) =>
                    {
                        component.push(*value);
                    }
                    _ => return Err(error(format!("no such {}", attribute.name))),
                }
            }
            example.push(component);
        }
        Ok(example)
    }
}

impl Domain for ComponentDomain {
    fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    fn key(&self) -> &[usize] {
        &self.key
    }

    fn description(&self) -> &Atom {
        &self.description
    }

    fn state(&self, example: &[Component]) -> Constant {
        self.states.number(example)
    }

    fn arguments(&self) -> Vec<Vec<usize>> {
        self.arguments.clone()
    }

    fn is_legal(&self, example: &[Component]) -> bool {
        let has_same_key =
            |one: &Component, other: &Component| self.key.iter().all(|&own| one[own] == other[own]);
        let mut pairs = (example.iter().enumerate())
            .flat_map(|(place, one)| example[..place].iter().map(move |other| (one, other)));
        !pairs.any(|(one, other)| has_same_key(one, other))
    }
}

/// States by number.
#[derive(Debug, Default)]
struct States(Mutex<IndexSet<Arc<Example>, FxBuildHasher>>);

impl States {
    /// The number of a state; the order of its components does not matter.
    fn number(&self, example: &[Component]) -> Constant {
        let mut sorted = example.to_vec();
        sorted.sort_unstable();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (index, _) = known.insert_full(Arc::new(sorted));
        Constant::Int(i64::try_from(index).unwrap_or(i64::MAX))
    }

    fn get(&self, number: Constant) -> Option<Arc<Example>> {
        let Constant::Int(index) = number else {
            return None;
        };
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get_index(usize::try_from(index).ok()?).cloned()
    }
}

/// The facts about the components of numbered states.
struct ComponentRelation {
    name: String,
    states: Arc<States>,
    signature: Signature,
}

impl NativeRelation for ComponentRelation {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn solve(
        &self,
        args: &[Option<Constant>],
        emit: &mut dyn FnMut(&[Constant]) -> ControlFlow<()>,
    ) -> Result<(), NativeError> {
        let state = args.last().copied().flatten();
        let example = state.and_then(|state| self.states.get(state));
        let (Some(state), Some(example)) = (state, example) else {
            return Err(NativeError(format!(
                "{} was called with something that is not a state",
                self.name
            )));
        };
        for component in example.iter() {
            let asked_for =
                (args.iter().zip(component)).all(|(arg, own)| arg.is_none_or(|arg| arg == *own));
            let fact: Vec<Constant> = component.iter().copied().chain([state]).collect();
            if asked_for && emit(&fact).is_break() {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use kibitz_prolog::{Database, Limits, Literal, Prover};

    use super::*;

    fn tiles(symbols: &mut SymbolTable) -> ComponentDomain {
        let attribute = |name: &str, values: Vec<Constant>| Attribute {
            name: name.to_owned(),
            values,
        };
        let places: Vec<Constant> = (1..=3).map(Constant::Int).collect();
        let attributes = vec![
            attribute("number", Vec::new()),
            attribute("column", places.clone()),
            attribute("row", places),
        ];
        ComponentDomain::new("tile", attributes, &[1, 2], &[vec![1, 2]], symbols)
    }

    #[test]
    fn states_are_facts() {
        let mut symbols = SymbolTable::new();
        let domain = tiles(&mut symbols);
        assert_eq!(domain.arguments(), [vec![0], vec![1, 2]]);
        let read = |text: &str, symbols: &mut SymbolTable| domain.read_example(1, text, symbols);
        let first = read("tile(1,1,1). tile(2,3,1).", &mut symbols).expect("tiles");
        let other = read("tile(2,3,1). tile(1,1,1).", &mut symbols).expect("tiles");
        assert_eq!(domain.state(&first), domain.state(&other));
        let same = read("tile(1,1,1). tile(2,1,1).", &mut symbols).expect("tiles");
        assert!(domain.is_legal(&first) && !domain.is_legal(&same));
        let rule = "far(S) :- tile(A, X, Y, S), tile(B, Z, Y, S), 2 is Z - X.";
        let rule = read_clauses(rule, &mut symbols).expect("Prolog");
        let builder = Database::builder().native(domain.relation());
        let db = builder
            .clauses(&rule)
            .build(&mut symbols)
            .expect("a program");
        let holds = |example: &Example| {
            let goal = Atom::new(rule[0].head.name, [Term::Const(domain.state(example))]);
            let mut prover = Prover::new(&db, Limits::default());
            let proof = prover.prove(&[Literal::positive(goal)]);
            proof.expect("carried out").is_proved()
        };
        assert!(holds(&first) && !holds(&same));
    }

    #[test]
    fn mistakes_in_examples_are_named() {
        let mut symbols = SymbolTable::new();
        let domain = tiles(&mut symbols);
        for (text, message) in [
            ("tile(1,4,1).", "example 2: no such column"),
            (
                "tile(1,1).",
                "example 2: facts tile(number, column, row) are expected",
            ),
            (
                "tile(1,1,1) :- tile(2,2,2).",
                "example 2: facts tile(number, column, row) are expected",
            ),
        ] {
            let error = domain.read_example(2, text, &mut symbols).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }
}
