//! What can be said of an example beside the literals of its bottom clause: equalities, negated literals,
//! and literals with constants as inputs.

use kibitz_prolog::{
    Atom, Clause, Direction, Literal, Mode, Proof, Prover, ProverError, Symbol, Term, Var,
};
use rustc_hash::FxHashSet;

use crate::learn::bottom_clause::Saturated;
use crate::task::Task;

/// Most ground atoms of one predicate that are tested.
const MAX_ATOMS: usize = 2_000;
/// Most negated literals, and most literals with constants as inputs.
const MAX_TESTED: usize = 400;

/// `left = right`.
fn equal(left: Term, right: Term) -> Literal {
    Literal::positive(Atom::new(Symbol::EQUALS, [left, right]))
}

/// Whether a literal says that a variable is another one, or a constant.
pub(super) fn is_equality(literal: &Literal) -> bool {
    literal.positive && literal.atom.name == Symbol::EQUALS && literal.atom.args.len() == 2
}

/// The declared constants of a type.
fn constants(task: &Task, kind: Symbol) -> impl Iterator<Item = &Term> {
    let sets = task.bias.constants.iter();
    let sets = sets.filter(move |set| set.kind == kind);
    sets.flat_map(|set| &set.constants)
}

/// Whether literals of a mode may have a declared constant as an input.
pub(super) fn takes_constants(task: &Task, mode: &Mode) -> bool {
    let mut inputs = mode.places(Direction::In);
    inputs.any(|place| {
        let mut own = constants(task, mode.arguments[place].kind);
        own.next().is_some()
    })
}

/// Variables of the saturation of an example, with values and types.
type Variables<'s> = Vec<(u32, &'s Term, Symbol)>;

fn variables(own: &Saturated) -> Variables<'_> {
    let all = (0..).zip(&own.variables);
    all.map(|(var, (value, kind))| (var, value, *kind))
        .collect()
}

/// The bottom clause with the equalities that hold: between arguments of the head, and of variables with
/// declared constants. Each stands behind the literal that introduces its variable.
pub(super) fn with_equalities(task: &Task, own: &Saturated) -> Clause {
    let variables = variables(own);
    let mut named = vec![false; variables.len()];
    let mut body = Vec::with_capacity(own.clause.body.len());
    let mut name = |var: Var, body: &mut Vec<Literal>| {
        if std::mem::replace(&mut named[var.index()], true) {
            return;
        }
        let (_, value, kind) = variables[var.index()];
        if constants(task, kind).any(|own| own == value) {
            body.push(equal(Term::Var(var), value.clone()));
        }
    };
    let mut of_head = Vec::new();
    own.clause.head.for_each_var(&mut |var| of_head.push(var));
    for (place, left) in of_head.iter().enumerate() {
        for right in &of_head[place + 1..] {
            if own.variables[left.index()] == own.variables[right.index()] {
                body.push(equal(Term::Var(*left), Term::Var(*right)));
            }
        }
    }
    for var in of_head {
        name(var, &mut body);
    }
    for literal in &own.clause.body {
        body.push(literal.clone());
        literal.atom.for_each_var(&mut |var| name(var, &mut body));
    }
    Clause::new(own.clause.head.clone(), body)
}

/// The clause with its positive equalities carried out.
pub(super) fn without_equalities(clause: &Clause) -> Clause {
    let mut clause = clause.clone();
    while let Some(place) = clause.body.iter().position(is_equality) {
        let equality = clause.body.remove(place);
        let (left, right) = (&equality.atom.args[0], &equality.atom.args[1]);
        if let Term::Var(from) = right {
            clause = replaced(&clause, *from, left);
        } else if let Term::Var(from) = left {
            clause = replaced(&clause, *from, right);
        }
    }
    clause
}

fn replaced(clause: &Clause, from: Var, to: &Term) -> Clause {
    clause.map_vars(&mut |var| {
        if var == from {
            to.clone()
        } else {
            Term::Var(var)
        }
    })
}

/// The literals that hold of an example, over the variables of its saturation, beside those that its terms
/// lead to: negated ones where the task allows them, and those that take a declared constant as an input.
#[derive(Default)]
pub(super) struct Tested {
    positive: Vec<Literal>,
    negated: Vec<Literal>,
    /// Whether some are missing: there are too many, or a proof met a bound.
    pub(super) is_cut_short: bool,
    pub(super) steps: u64,
}

/// What may stand at a place, and its value.
type Choices = Vec<(Term, Term)>;

impl Tested {
    /// # Errors
    /// [`ProverError`] for background that cannot be carried out.
    pub(super) fn new(
        task: &Task,
        own: &Saturated,
        modes: &[Mode],
        prover: &mut Prover<'_>,
    ) -> Result<Self, ProverError> {
        let mut tested = Self::default();
        let variables = variables(own);
        let negation = task.bias.negation;
        if negation {
            tested.unequal(task, &variables);
        }
        let mut asked = FxHashSet::default();
        for mode in modes.iter().filter(|mode| mode.predicate != task.target) {
            let places = mode.arguments.iter();
            let places = places.map(|own| (own.kind, own.direction == Direction::Constant));
            let places: Vec<(Symbol, bool)> = places.collect();
            if (negation || takes_constants(task, mode))
                && asked.insert((mode.predicate, places.clone()))
            {
                let choices = places.into_iter();
                let choices = choices.map(|place| choices_of(task, place, &variables));
                tested.of_predicate(mode, &choices.collect::<Vec<_>>(), negation, prover)?;
            }
        }
        Ok(tested)
    }

    /// All literals, negated ones last.
    pub(super) fn literals(self) -> impl Iterator<Item = Literal> {
        self.positive.into_iter().chain(self.negated)
    }

    fn push(&mut self, literal: Literal) {
        let side = if literal.positive && literal.atom.name != Symbol::NOT_EQUALS {
            &mut self.positive
        } else {
            &mut self.negated
        };
        if side.len() < MAX_TESTED {
            side.push(literal);
        } else {
            self.is_cut_short = true;
        }
    }

    /// Variables of one type that differ from each other, and from constants of their type.
    fn unequal(&mut self, task: &Task, variables: &Variables<'_>) {
        let unequal = |left: u32, right: Term| {
            Literal::positive(Atom::new(Symbol::NOT_EQUALS, [Term::var(left), right]))
        };
        for (place, (left, value, kind)) in variables.iter().enumerate() {
            let others = variables[place + 1..].iter();
            for (right, _, _) in others.filter(|own| own.2 == *kind && own.1 != *value) {
                self.push(unequal(*left, Term::var(*right)));
            }
            for constant in constants(task, *kind).filter(|own| own != value) {
                self.push(unequal(*left, constant.clone()));
            }
        }
    }

    /// Literals of one predicate with what may stand at its places.
    fn of_predicate(
        &mut self,
        mode: &Mode,
        choices: &[Choices],
        negation: bool,
        prover: &mut Prover<'_>,
    ) -> Result<(), ProverError> {
        let sizes = choices.iter().map(Vec::len);
        let n = sizes.fold(1usize, usize::saturating_mul);
        if n > MAX_ATOMS {
            self.is_cut_short = true;
            return Ok(());
        }
        let name = mode.predicate.name;
        for number in 0..n {
            let mut rest = number;
            let (shown, ground): (Vec<Term>, Vec<Term>) = (choices.iter())
                .map(|own| {
                    let choice = own[rest % own.len()].clone();
                    rest /= own.len();
                    choice
                })
                .unzip();
            let takes_constant = (mode.places(Direction::In)).any(|own| shown[own].is_ground());
            if !negation && !takes_constant {
                continue;
            }
            let proof = prover.prove(&[Literal::positive(Atom::new(name, ground))])?;
            self.steps += 1 + prover.steps();
            self.is_cut_short |= proof.is_cut_short();
            let is_refuted = proof == Proof::Refuted && prover.raised().is_none();
            let positive = proof.is_proved();
            if (positive && takes_constant) || (negation && is_refuted) {
                let atom = Atom::new(name, shown);
                self.push(Literal { positive, atom });
            }
        }
        Ok(())
    }
}

/// What may stand at a place of a type: variables and declared constants, or the constants of the type
/// where it takes one.
fn choices_of(
    task: &Task,
    (kind, is_constant): (Symbol, bool),
    variables: &Variables<'_>,
) -> Choices {
    if is_constant {
        let own = task.constants_of(kind).into_iter();
        return own.map(|value| (value.clone(), value)).collect();
    }
    let own = variables.iter().filter(|own| own.2 == kind);
    let own = own.map(|(var, value, _)| (Term::var(*var), (*value).clone()));
    let declared = constants(task, kind).map(|value| (value.clone(), value.clone()));
    own.chain(declared).collect()
}
