use kibitz_prolog::{Mode, Symbol, Term};

use super::constraints::Constraints;

/// Constants that may appear in clauses, `variable = constant`, for one type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstantSet {
    /// The type.
    pub kind: Symbol,
    /// Its constants.
    pub constants: Vec<Term>,
}

/// What clauses of a hypothesis may look like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bias {
    /// Types of the head's arguments.
    pub head: Mode,
    /// Body predicates with their modes; a predicate may have several.
    pub body: Vec<Mode>,
    /// Constants that may be compared with.
    pub constants: Vec<ConstantSet>,
    /// Whether body literals may be negated.
    pub negation: bool,
    /// Whether the target may be used in its own definition.
    pub recursion: bool,
    /// Most body literals of a clause.
    pub max_body: Option<usize>,
    /// Most variables of a clause.
    pub max_vars: Option<usize>,
    /// Most clauses of a theory.
    pub max_clauses: Option<usize>,
    /// What clauses may not hold.
    pub constraints: Constraints,
}

impl Bias {
    /// A bias without limits, negation or recursion.
    pub fn new(head: Mode, body: Vec<Mode>) -> Self {
        Self {
            head,
            body,
            constants: Vec::new(),
            negation: false,
            recursion: false,
            max_body: None,
            max_vars: None,
            max_clauses: None,
            constraints: Constraints::default(),
        }
    }
}

impl Bias {
    /// Lets clauses call the target, as the head is declared if there is no mode for it.
    pub fn allow_recursion(&mut self) {
        self.recursion = true;
        if self
            .body
            .iter()
            .all(|mode| mode.predicate != self.head.predicate)
        {
            self.body.push(self.head.clone());
        }
    }
}

/// Adds a constant to the set of its type.
pub(super) fn add_constant(sets: &mut Vec<ConstantSet>, kind: Symbol, constant: Term) {
    match sets.iter_mut().find(|set| set.kind == kind) {
        Some(set) if set.constants.contains(&constant) => {}
        Some(set) => set.constants.push(constant),
        None => sets.push(ConstantSet {
            kind,
            constants: vec![constant],
        }),
    }
}
