//! Interning: literals of patterns in numbers, since most of those derived are dropped again.

use std::sync::Arc;

use indexmap::IndexSet;
use kibitz_prolog::{Atom, Constant, Literal, Predicate, Real, Term};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::feature::{Label, map_leaves};

/// An interned variable, constant or state: `2n` is variable `n`, `4n + 1` constant `n`, and
/// `4n + 3` state `n`.
pub(crate) type TermId = u32;

pub(crate) fn is_var(id: TermId) -> bool {
    id & 1 == 0
}

/// The variable with this number.
pub(crate) fn var(number: usize) -> TermId {
    2 * small(number)
}

/// The state with this number. Each clause has its own names for states, so that two examples never
/// share one, not even of the same state.
pub(crate) fn state(number: usize) -> TermId {
    4 * small(number) + 3
}

fn small(number: usize) -> u32 {
    u32::try_from(number).expect("fewer than 2^30 terms")
}

/// A class of compatible literals: the same predicate, sign, time and labels. Only literals of one
/// kind are generalized together.
#[derive(Debug)]
pub(crate) struct LiteralKind {
    /// The atom with a variable at each leaf.
    pub(crate) atom: Atom,
    pub(crate) positive: bool,
    /// Whether the literal is about the successor of a move.
    pub(crate) after: bool,
    /// One label for each leaf.
    pub(crate) labels: Arc<[Label]>,
    /// For each argument the range of its leaves and the index of its form in the [`Interner`].
    pub(crate) args: Vec<(std::ops::Range<usize>, usize)>,
    state: Option<usize>,
    next: Option<usize>,
}

impl LiteralKind {
    pub(crate) fn predicate(&self) -> Predicate {
        self.atom.predicate()
    }

    pub(crate) fn is_move(&self) -> bool {
        self.next.is_some()
    }

    /// Whether some leaf comes from a component that satisfies the condition.
    pub(crate) fn concerns(&self, is_own: impl Fn(usize) -> bool) -> bool {
        let mut labels = self.labels.iter();
        labels.any(|label| matches!(label, Label::Of { component, .. } if is_own(*component)))
    }

    /// The state that a literal with these leaves is about.
    pub(crate) fn state(&self, ids: &[TermId]) -> Option<TermId> {
        self.state.map(|leaf| ids[leaf])
    }

    /// The successor state of a move with these leaves.
    pub(crate) fn next(&self, ids: &[TermId]) -> Option<TermId> {
        self.next.map(|leaf| ids[leaf])
    }

    /// The leaf with this label.
    pub(crate) fn at(&self, label: Label, ids: &[TermId]) -> Option<TermId> {
        let leaf = self.labels.iter().position(|own| *own == label)?;
        Some(ids[leaf])
    }

    /// The literal with these leaves, each as `term` writes it.
    pub(crate) fn literal(
        &self,
        ids: &[TermId],
        mut term: impl FnMut(Label, TermId) -> Term,
    ) -> Literal {
        let mut leaves = self.labels.iter().zip(ids);
        let atom = map_leaves(&self.atom, &mut |leaf| {
            let own = leaves.next();
            own.map_or_else(|| leaf.clone(), |(label, id)| term(*label, *id))
        });
        Literal {
            positive: self.positive,
            atom,
        }
    }
}

/// Predicate, sign, and whether after a move.
type Signature = (Predicate, bool, bool);

/// The literal kinds and constants met so far.
#[derive(Debug)]
pub(crate) struct Interner {
    pub(crate) kinds: Vec<LiteralKind>,
    by_signature: FxHashMap<Signature, FxHashMap<Arc<[Label]>, usize>>,
    constants: IndexSet<Constant, FxBuildHasher>,
    /// The forms of arguments, with one variable for all leaves.
    forms: IndexSet<Term, FxBuildHasher>,
}

fn number(constants: &mut IndexSet<Constant, FxBuildHasher>, constant: Constant) -> TermId {
    4 * small(constants.insert_full(constant).0) + 1
}

/// The form of an argument that is a single leaf.
pub(crate) const SINGLE_LEAF: usize = 0;

impl Interner {
    pub(crate) fn new() -> Self {
        Self {
            kinds: Vec::new(),
            by_signature: FxHashMap::default(),
            constants: IndexSet::default(),
            forms: [Term::var(0)].into_iter().collect(),
        }
    }

    pub(crate) fn intern(&mut self, constant: Constant) -> TermId {
        number(&mut self.constants, constant)
    }

    /// The leaves of a fact as a literal of this kind about these states.
    pub(crate) fn intern_fact<'s>(
        &'s mut self,
        kind: usize,
        row: &'s [Constant],
        [state, next]: [TermId; 2],
    ) -> impl Iterator<Item = TermId> + 's {
        let Self {
            kinds, constants, ..
        } = self;
        let leaves = kinds[kind].labels.iter().zip(row);
        leaves.map(move |(label, value)| match label {
            Label::State => state,
            Label::Next => next,
            Label::Free | Label::Of { .. } => number(constants, *value),
        })
    }

    pub(crate) fn term(&self, id: TermId) -> Term {
        Term::Const(match id & 3 {
            1 => self.constants[id as usize / 4],
            3 => Constant::Real(Real(f64::from(id / 4))),
            _ => return Term::var(id / 2),
        })
    }

    /// The index of the literal kind with this atom and these labels.
    pub(crate) fn kind(
        &mut self,
        atom: &Atom,
        labels: &[Label],
        positive: bool,
        after: bool,
    ) -> usize {
        let own = (self.by_signature)
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
        let leaf = |label: Label| labels.iter().position(|own| *own == label);
        let mut vars = 0..;
        self.kinds.push(LiteralKind {
            args,
            atom: map_leaves(atom, &mut |_| Term::var(vars.next().unwrap_or(u32::MAX))),
            positive,
            after,
            state: leaf(Label::State),
            next: leaf(Label::Next),
            labels,
        });
        self.kinds.len() - 1
    }
}
