//! What the patterns of a learner are made of, in numbers: most literals that are derived are
//! dropped again.

use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::feature::{Label, map_leaves};
use crate::term::{Atom, Constant, Literal, Predicate, Real, Term};

/// What stands at a place: twice the number of a variable, one more than four times that of a
/// constant, or three more than four times that of a state.
pub(super) type Code = u32;

pub(super) fn is_var(code: Code) -> bool {
    code & 1 == 0
}

/// The variable with this number.
pub(super) fn var(number: usize) -> Code {
    2 * small(number)
}

/// The state with this number. States of different examples must never be taken for the same one,
/// even if they are, so that clauses have names of their own for them.
pub(super) fn state(number: usize) -> Code {
    4 * small(number) + 3
}

fn small(number: usize) -> u32 {
    u32::try_from(number).expect("fewer than 2^30 of anything")
}

/// What literals have in common that are generalized together.
#[derive(Debug)]
pub(super) struct Kind {
    /// The atom with a variable at each place.
    pub(super) atom: Atom,
    pub(super) positive: bool,
    /// Whether it speaks of a state after a move.
    pub(super) after: bool,
    pub(super) labels: Arc<[Label]>,
    /// The places of the arguments, and which of [`Lexicon`]'s forms they have.
    pub(super) args: Vec<(std::ops::Range<usize>, usize)>,
    state: Option<usize>,
    next: Option<usize>,
}

impl Kind {
    pub(super) fn predicate(&self) -> Predicate {
        self.atom.predicate()
    }

    pub(super) fn is_move(&self) -> bool {
        self.next.is_some()
    }

    /// Whether some place comes from a component of which this holds.
    pub(super) fn concerns(&self, is_own: impl Fn(usize) -> bool) -> bool {
        let mut labels = self.labels.iter();
        labels.any(|label| matches!(label, Label::Of { component, .. } if is_own(*component)))
    }

    /// The state that a literal with these places speaks of.
    pub(super) fn state(&self, codes: &[Code]) -> Option<Code> {
        self.state.map(|place| codes[place])
    }

    /// The state that a move with these places leads to.
    pub(super) fn next(&self, codes: &[Code]) -> Option<Code> {
        self.next.map(|place| codes[place])
    }

    /// What stands at the place with a label.
    pub(super) fn at(&self, label: Label, codes: &[Code]) -> Option<Code> {
        let place = self.labels.iter().position(|own| *own == label)?;
        Some(codes[place])
    }

    /// The literal with these places.
    pub(super) fn literal(
        &self,
        codes: &[Code],
        mut term: impl FnMut(Label, Code) -> Term,
    ) -> Literal {
        let mut places = self.labels.iter().zip(codes);
        let atom = map_leaves(&self.atom, &mut |leaf| {
            let place = places.next();
            place.map_or_else(|| leaf.clone(), |(label, code)| term(*label, *code))
        });
        Literal {
            positive: self.positive,
            atom,
        }
    }
}

/// Predicate, and whether positive and after a move.
type Said = (Predicate, bool, bool);

/// The kinds of literals and the constants met.
#[derive(Debug)]
pub(super) struct Lexicon {
    pub(super) kinds: Vec<Kind>,
    known: FxHashMap<Said, FxHashMap<Arc<[Label]>, usize>>,
    constants: IndexSet<Constant, FxBuildHasher>,
    /// Arguments with the same variable at each place; first the plain one.
    forms: IndexSet<Term, FxBuildHasher>,
}

fn number(constants: &mut IndexSet<Constant, FxBuildHasher>, constant: Constant) -> Code {
    4 * small(constants.insert_full(constant).0) + 1
}

/// The form of an argument that is one place.
pub(super) const PLAIN: usize = 0;

impl Lexicon {
    pub(super) fn new() -> Self {
        Self {
            kinds: Vec::new(),
            known: FxHashMap::default(),
            constants: IndexSet::default(),
            forms: [Term::var(0)].into_iter().collect(),
        }
    }

    pub(super) fn code(&mut self, constant: Constant) -> Code {
        number(&mut self.constants, constant)
    }

    /// What stands at the places of a fact with these values, said by a literal of this kind, of a
    /// state and the next one.
    pub(super) fn placed<'s>(
        &'s mut self,
        kind: usize,
        row: &'s [Constant],
        [state, next]: [Code; 2],
    ) -> impl Iterator<Item = Code> + 's {
        let Self {
            kinds, constants, ..
        } = self;
        let places = kinds[kind].labels.iter().zip(row);
        places.map(move |(label, value)| match label {
            Label::State => state,
            Label::Next => next,
            Label::Free | Label::Of { .. } => number(constants, *value),
        })
    }

    pub(super) fn term(&self, code: Code) -> Term {
        Term::Const(match code & 3 {
            1 => self.constants[code as usize / 4],
            3 => Constant::Real(Real(f64::from(code / 4))),
            _ => return Term::var(code / 2),
        })
    }

    /// The kind of literals with this atom and these labels.
    pub(super) fn kind(
        &mut self,
        atom: &Atom,
        labels: &[Label],
        positive: bool,
        after: bool,
    ) -> usize {
        let own = (self.known)
            .entry((atom.predicate(), positive, after))
            .or_default();
        if let Some(known) = own.get(labels) {
            return *known;
        }
        let labels: Arc<[Label]> = labels.into();
        own.insert(Arc::clone(&labels), self.kinds.len());
        let form = map_leaves(atom, &mut |_| Term::var(0));
        let mut end = 0;
        let args = form.args.iter().map(|form| {
            let start = end;
            form.for_each_var(&mut |_| end += 1);
            (start..end, self.forms.insert_full(form.clone()).0)
        });
        let args = args.collect();
        let place = |label: Label| labels.iter().position(|own| *own == label);
        let mut open = 0..;
        self.kinds.push(Kind {
            args,
            atom: map_leaves(atom, &mut |_| Term::var(open.next().unwrap_or(u32::MAX))),
            positive,
            after,
            state: place(Label::State),
            next: place(Label::Next),
            labels,
        });
        self.kinds.len() - 1
    }
}
