//! The least general generalization of two patterns, with labels as types of the terms.

use rustc_hash::FxHashMap;

use crate::feature::Label;
use crate::interning::{Interner, LiteralKind, TermId, is_var, var};
use crate::literals::{Literals, Row, leaves_of, packed};
use crate::pattern::Pattern;

/// Maximum number of pairs of literals.
const MAX_PAIRS: usize = 1_000_000;
const NONE: usize = usize::MAX;

/// The least general generalization (lgg) of two patterns of the same components, which constraints
/// may still reduce.
#[derive(Debug)]
pub(crate) struct LabeledLgg<'l> {
    interner: &'l Interner,
    ids: Vec<TermId>,
    /// Number of variables.
    pub(crate) n_vars: usize,
    pub(crate) components: Vec<usize>,
    state: Option<TermId>,
    pub(crate) description: Vec<Row>,
    pub(crate) body: Vec<Row>,
}

/// The variables of an anti-unification: one for each pair of different terms.
#[derive(Default)]
struct PairVariables(FxHashMap<u64, TermId>);

impl PairVariables {
    fn anti_unify(&mut self, left: TermId, right: TermId) -> TermId {
        if left == right && !is_var(left) {
            return left;
        }
        let next = var(self.0.len());
        let pair = u64::from(left) << 32 | u64::from(right);
        *self.0.entry(pair).or_insert(next)
    }
}

impl<'l> LabeledLgg<'l> {
    /// The lgg of each pair of literals with the same labels, in the order of the pairs and without
    /// duplicates; `None` if the descriptions differ in length.
    ///
    /// # Source
    /// Morales 1992, sections 4.2 and 5.2.3.2.
    pub(crate) fn new(left: &Pattern, right: &Pattern, interner: &'l Interner) -> Option<Self> {
        let kinds = &interner.kinds;
        let others: Vec<Row> = right.rows().collect();
        // Chains of literals by kind: the first of each kind, and for each literal the next one.
        let mut first = vec![NONE; kinds.len()];
        let mut following = vec![NONE; others.len()];
        for (j, other) in others.iter().enumerate().rev() {
            following[j] = std::mem::replace(&mut first[other.kind], j);
        }
        let mut pairs = PairVariables::default();
        let described = [left, right].map(|pattern| {
            let rows = pattern.description.iter();
            let ids = rows.flat_map(|row| pattern.ids(*row, interner));
            ids.copied().collect::<Vec<TermId>>()
        });
        if described[0].len() != described[1].len() {
            return None;
        }
        for (x, y) in described[0].iter().zip(&described[1]) {
            pairs.anti_unify(*x, *y);
        }
        let mut literals = Literals::with_capacity(left.n_rows().max(others.len()));
        let most = MAX_PAIRS / others.len().max(1);
        for own in left.rows().take(most) {
            let kind = &kinds[own.kind];
            let is_same = |number: usize| {
                let other = &kinds[number];
                number == own.kind
                    || other.predicate() == kind.predicate()
                        && other.positive == kind.positive
                        && other.args == kind.args
            };
            let mut j = first[own.kind];
            while let Some(&other) = others.get(j) {
                let (x, y) = (left.ids(own, interner), right.ids(other, interner));
                let both = x.iter().zip(y).map(|(x, y)| pairs.anti_unify(*x, *y));
                literals.add(own.kind, kind.atom.name, both, is_same);
                j = following[j];
            }
        }
        let (mut rows, ids) = literals.into_parts();
        let body = rows.split_off(left.description.len().min(rows.len()));
        let mut lgg = Self {
            interner,
            ids,
            n_vars: pairs.0.len(),
            components: left.components.clone(),
            state: None,
            description: rows,
            body,
        };
        lgg.state = lgg.description.first().and_then(|row| lgg.state(*row));
        Some(lgg)
    }

    pub(crate) fn kind_of(&self, row: Row) -> &'l LiteralKind {
        &self.interner.kinds[row.kind]
    }

    /// The kinds that occur in the body, each once.
    pub(crate) fn kinds_of_body(&self) -> Vec<&'l LiteralKind> {
        let mut met = vec![false; self.interner.kinds.len()];
        let rows = self.body.iter();
        let new = rows.filter(|row| !std::mem::replace(&mut met[row.kind], true));
        new.map(|row| self.kind_of(*row)).collect()
    }

    /// The leaves of a literal.
    pub(crate) fn ids(&self, row: Row) -> &[TermId] {
        leaves_of(&self.ids, row, self.interner)
    }

    /// The leaves of a literal with their labels.
    pub(crate) fn labeled(&self, row: Row) -> impl Iterator<Item = (Label, TermId)> {
        let labels = self.kind_of(row).labels.iter();
        labels.copied().zip(self.ids(row).iter().copied())
    }

    /// The leaves of each argument, with the argument's form.
    pub(crate) fn args(&self, row: Row) -> impl Iterator<Item = (&[TermId], usize)> {
        let ids = self.ids(row);
        let args = self.kind_of(row).args.iter();
        args.map(|(leaves, form)| (&ids[leaves.clone()], *form))
    }

    /// The state that a literal is about.
    pub(crate) fn state(&self, row: Row) -> Option<TermId> {
        self.kind_of(row).state(self.ids(row))
    }

    /// The successor state of a move.
    pub(crate) fn next(&self, row: Row) -> Option<TermId> {
        self.kind_of(row).next(self.ids(row))
    }

    /// Keeps the literals of the body that satisfy a condition on index and literal.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&Self, usize, Row) -> bool) {
        let mut body = std::mem::take(&mut self.body);
        let mut indices = 0..;
        body.retain(|row| indices.next().is_some_and(|index| keep(self, index, *row)));
        self.body = body;
    }

    /// The pattern; without a description its state is that of `other`.
    pub(crate) fn into_pattern(mut self, other: &Pattern) -> Pattern {
        let rows = [&mut self.description[..], &mut self.body[..]];
        Pattern {
            ids: packed(&self.ids, rows, self.interner),
            components: self.components,
            state: self.state.unwrap_or(other.state),
            description: self.description,
            body: self.body,
        }
    }
}
