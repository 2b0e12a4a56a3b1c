//! Pattern definitions: clauses about the components of a state.

use std::sync::Arc;

use kibitz_prolog::{Atom, Clause, Literal, Symbol, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::feature::Label;
use crate::interning::{Interner, SINGLE_LEAF, TermId, is_var, var};
use crate::literals::{Row, leaves_of};

/// A pattern definition: a clause whose description names components and whose body relates them.
///
/// # Source
/// Morales 1992, section 5.1.2, equation (5.1): the description is the `D`s, the body the `F`s.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    /// Indices of the relevant components.
    pub(crate) components: Vec<usize>,
    /// The state of the clause.
    pub(crate) state: TermId,
    /// One literal for each relevant component.
    pub(crate) description: Vec<Row>,
    pub(crate) body: Vec<Row>,
    /// Storage of the leaves of all literals.
    pub(crate) ids: Arc<[TermId]>,
}

impl Pattern {
    /// The pattern without literals about irrelevant components.
    pub(crate) fn restricted(&self, relevant: &[usize], interner: &Interner) -> Self {
        let is_foreign = |component| !relevant.contains(&component);
        let own = |rows: &[Row]| {
            let kept =
                (rows.iter().copied()).filter(|row| !interner.kinds[row.kind].concerns(is_foreign));
            kept.collect()
        };
        Self {
            components: relevant.to_vec(),
            state: self.state,
            description: own(&self.description),
            body: own(&self.body),
            ids: Arc::clone(&self.ids),
        }
    }

    /// All literals, the description first.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Row> {
        self.description.iter().chain(&self.body).copied()
    }

    /// Number of literals.
    pub(crate) fn n_rows(&self) -> usize {
        self.description.len() + self.body.len()
    }

    /// The leaves of a literal.
    pub(crate) fn ids(&self, row: Row, interner: &Interner) -> &[TermId] {
        leaves_of(&self.ids, row, interner)
    }

    /// Number of literals with a leaf of one of these labels.
    pub(crate) fn n_literals(&self, labels: &[Label], interner: &Interner) -> usize {
        let occurs = |row: &Row| {
            let own = &interner.kinds[row.kind].labels;
            labels.iter().any(|label| own.contains(label))
        };
        self.rows().filter(occurs).count()
    }

    /// The value of an attribute; `None` for an irrelevant component.
    pub(crate) fn value(
        &self,
        component: usize,
        attribute: usize,
        interner: &Interner,
    ) -> Option<TermId> {
        let index = self.components.iter().position(|&c| c == component)?;
        let row = self.description[index];
        let label = Label::Of {
            component,
            attribute,
        };
        interner.kinds[row.kind].at(label, self.ids(row, interner))
    }

    /// The first variable that does not occur.
    fn next_var(&self, interner: &Interner) -> TermId {
        let ids = self.rows().flat_map(|row| self.ids(row, interner));
        let last = ids.filter(|id| is_var(**id)).max();
        last.map_or(var(0), |last| last + var(1))
    }

    /// The literals as goals, and the variable of their state.
    pub(crate) fn goals(&self, interner: &Interner) -> (Vec<Literal>, Term) {
        let state = interner.term(self.next_var(interner));
        let literal = |row: Row| {
            let ids = self.ids(row, interner);
            interner.kinds[row.kind].literal(ids, |label, id| {
                if label == Label::State && id == self.state {
                    state.clone()
                } else {
                    interner.term(id)
                }
            })
        };
        (self.rows().map(literal).collect(), state)
    }

    /// The arguments of the head but the last, each as indices of a literal and its argument: those
    /// that describe the relevant components, then those that occur only in the body.
    ///
    /// # Source
    /// Morales 1992, Table 5.4.
    fn head_args(&self, interner: &Interner) -> Vec<(usize, usize)> {
        let mut named = Vec::new();
        let mut seen: FxHashSet<(usize, &[TermId])> = FxHashSet::default();
        for (i, row) in self.rows().enumerate() {
            let (kind, ids) = (&interner.kinds[row.kind], self.ids(row, interner));
            let is_described = i < self.description.len();
            for (arg, (leaves, form)) in kind.args.iter().enumerate() {
                let mut labels = kind.labels[leaves.clone()].iter();
                let is_state = labels.any(|l| matches!(l, Label::State | Label::Next));
                let own = &ids[leaves.clone()];
                if !is_state && (seen.insert((*form, own)) || is_described) {
                    named.push((i, arg));
                    if is_described {
                        seen.extend(own.chunks(1).map(|leaf| (SINGLE_LEAF, leaf)));
                    }
                }
            }
        }
        named
    }

    /// Number of literals of the clause plus number of constants in its head.
    pub(crate) fn size(&self, interner: &Interner) -> usize {
        let rows: Vec<Row> = self.rows().collect();
        let constants = self.head_args(interner).into_iter().map(|(i, arg)| {
            let (leaves, _) = &interner.kinds[rows[i].kind].args[arg];
            let ids = &self.ids(rows[i], interner)[leaves.clone()];
            ids.iter().filter(|id| !is_var(**id)).count()
        });
        1 + rows.len() + constants.sum::<usize>()
    }

    /// The definition as a clause.
    pub(crate) fn to_clause(&self, name: Symbol, interner: &Interner) -> Clause {
        let mut states: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut next = self.next_var(interner);
        let mut renamed = |id: TermId| {
            *states.entry(id).or_insert_with(|| {
                next += var(1);
                next - var(1)
            })
        };
        let literal = |row: Row| {
            let ids = self.ids(row, interner);
            interner.kinds[row.kind].literal(ids, |label, id| {
                let is_state = matches!(label, Label::State | Label::Next) && !is_var(id);
                interner.term(if is_state { renamed(id) } else { id })
            })
        };
        let body: Vec<Literal> = self.rows().map(literal).collect();
        let state = states.get(&self.state).unwrap_or(&self.state);
        let named = self.head_args(interner).into_iter();
        let named = named.map(|(i, arg)| body[i].atom.args[arg].clone());
        let args: Vec<Term> = named.chain([interner.term(*state)]).collect();
        Clause {
            head: Atom::new(name, args),
            body,
        }
        .normalized()
    }
}
