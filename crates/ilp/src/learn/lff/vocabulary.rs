//! What literals are made of: ways to call predicates, and constants.

use kibitz_prolog::{Direction, Mode, Predicate, Symbol, Term};
use rustc_hash::FxHashMap;

use crate::encoded::number;
use crate::task::{Bias, Task};

/// The predicate of literals that say that a variable is a constant.
const EQUATION: Predicate = Predicate {
    name: Symbol::EQUALS,
    arity: 2,
};

/// What may stand at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A variable that has a value.
    Bound,
    /// A variable of the clause, with a value or without.
    Known,
    /// Any variable.
    Any,
    /// A constant.
    Constant,
}

/// A way to call a predicate.
pub(super) struct Call {
    pub(super) predicate: Predicate,
    pub(super) is_positive: bool,
    pub(super) is_recursive: bool,
    pub(super) places: Vec<(Place, Symbol)>,
    /// The constants of each place, by number.
    pub(super) constants: Vec<Vec<u32>>,
}

impl Call {
    /// Whether it says that a variable is a constant.
    pub(super) fn is_equation(&self) -> bool {
        self.predicate == EQUATION
    }
}

/// The calls that a bias allows, and the constants in them.
#[derive(Default)]
pub(super) struct Vocabulary {
    pub(super) calls: Vec<Call>,
    pub(super) constants: Vec<Term>,
    /// Their numbers.
    numbers: FxHashMap<Term, u32>,
    /// The types of places that take variables with values only.
    inputs: Vec<Symbol>,
}

impl Vocabulary {
    pub(super) fn new(task: &Task, bias: &Bias) -> Self {
        let target = bias.head.predicate;
        let mut vocabulary = Self::default();
        let is_allowed = |mode: &&Mode| mode.predicate != target || bias.recursion;
        for mode in bias.body.iter().filter(is_allowed) {
            let place = |direction| match direction {
                Direction::In => Place::Bound,
                Direction::Out => Place::Any,
                Direction::Constant => Place::Constant,
            };
            let places = mode.arguments.iter();
            let places: Vec<_> = places.map(|it| (place(it.direction), it.kind)).collect();
            let call = |is_positive, places| Call {
                predicate: mode.predicate,
                is_positive,
                is_recursive: mode.predicate == target,
                places,
                constants: Vec::new(),
            };
            vocabulary.add(task, call(true, places.clone()));
            if bias.negation && mode.predicate != target {
                let bound = |(place, kind)| match place {
                    Place::Constant => (place, kind),
                    _ => (Place::Bound, kind),
                };
                let places = places.into_iter().map(bound).collect();
                vocabulary.add(task, call(false, places));
            }
        }
        for set in &bias.constants {
            let places = vec![(Place::Known, set.kind), (Place::Constant, set.kind)];
            let constants = set.constants.iter().cloned();
            let numbers = constants.map(|term| vocabulary.constant(term)).collect();
            vocabulary.calls.push(Call {
                predicate: EQUATION,
                is_positive: true,
                is_recursive: false,
                places,
                constants: vec![Vec::new(), numbers],
            });
        }
        let places = vocabulary.calls.iter().flat_map(|call| &call.places);
        let inputs = places.filter(|(place, _)| *place == Place::Bound);
        vocabulary.inputs = inputs.map(|(_, kind)| *kind).collect();
        vocabulary
    }

    /// Adds a call with the constants of the task.
    fn add(&mut self, task: &Task, call: Call) {
        let constants = call.places.iter().map(|(place, kind)| match place {
            Place::Constant => {
                let terms = task.constants_of(*kind).into_iter();
                terms.map(|term| self.constant(term)).collect()
            }
            _ => Vec::new(),
        });
        let constants = constants.collect();
        self.calls.push(Call { constants, ..call });
    }

    /// The number of a constant.
    fn constant(&mut self, term: Term) -> u32 {
        let next = number(self.constants.len());
        let constants = &mut self.constants;
        *self.numbers.entry(term).or_insert_with_key(|term| {
            constants.push(term.clone());
            next
        })
    }

    /// Whether some literal needs a value for a variable of this type: a literal with such a variable may
    /// be the first that joins it to the head. Other literals are found when they are joined.
    pub(super) fn is_input(&self, kind: Symbol) -> bool {
        self.inputs.contains(&kind)
    }
}
