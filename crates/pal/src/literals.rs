//! Interned literals in flat storage.

use std::collections::hash_map::Entry;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use kibitz_prolog::{Constant, Symbol, Term};
use rustc_hash::{FxHashMap, FxHasher};

use crate::feature::{Feature, Label, Role, leaves};
use crate::interning::{Interner, TermId};

/// A literal: its kind and the start of its leaves in shared storage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) kind: usize,
    start: usize,
}

/// The leaves of a literal in the storage that it shares with others.
pub(crate) fn leaves_of<'i>(ids: &'i [TermId], row: Row, interner: &Interner) -> &'i [TermId] {
    &ids[row.start..][..interner.kinds[row.kind].labels.len()]
}

/// Storage with the leaves of these literals alone.
pub(crate) fn packed(ids: &[TermId], rows: [&mut [Row]; 2], interner: &Interner) -> Arc<[TermId]> {
    let mut own = Vec::new();
    for row in rows.into_iter().flatten() {
        let leaves = leaves_of(ids, *row, interner);
        row.start = own.len();
        own.extend_from_slice(leaves);
    }
    own.into()
}

/// A growing list of literals, hashed by name and leaves.
#[derive(Debug, Default)]
pub(crate) struct Literals {
    pub(crate) rows: Vec<Row>,
    ids: Vec<TermId>,
    /// The last row with a hash, and for each row the one before with the same hash.
    last: FxHashMap<u64, usize>,
    earlier: Vec<Option<usize>>,
}

impl Literals {
    pub(crate) fn with_capacity(n: usize) -> Self {
        let mut literals = Self::default();
        literals.last.reserve(n);
        literals
    }

    /// Adds a literal without looking for duplicates, now or later.
    pub(crate) fn push(&mut self, kind: usize, ids: impl Iterator<Item = TermId>) {
        let start = self.ids.len();
        self.ids.extend(ids);
        self.earlier.push(None);
        self.rows.push(Row { kind, start });
    }

    /// Adds the literal that describes a component, given with its index, in a state. A negative
    /// literal says that the component is gone in the state after a move.
    pub(crate) fn push_description(
        &mut self,
        description: &Feature,
        (component, values): (usize, &[Constant]),
        state: TermId,
        positive: bool,
        interner: &mut Interner,
    ) {
        let label = |role: &Role| match *role {
            Role::Of { attribute, .. } => Label::Of {
                component,
                attribute,
            },
            Role::State => Label::State,
            Role::Next | Role::Free => Label::Free,
        };
        let labels: Vec<Label> = description.roles.iter().map(label).collect();
        let kind = interner.kind(&description.atom, &labels, positive, !positive);
        let ids = (description.roles.iter().zip(leaves(&description.atom))).map(|(role, leaf)| {
            match (role, leaf) {
                (Role::Of { attribute, .. }, _) => interner.intern(values[*attribute]),
                (_, Term::Const(constant)) => interner.intern(*constant),
                _ => state,
            }
        });
        self.push(kind, ids);
    }

    /// Adds a literal unless an earlier one has the same leaves and an equivalent kind. Equivalent
    /// kinds have the same predicate name.
    pub(crate) fn add(
        &mut self,
        kind: usize,
        name: Symbol,
        ids: impl Iterator<Item = TermId>,
        is_equivalent: impl Fn(usize) -> bool,
    ) {
        let start = self.ids.len();
        self.ids.extend(ids);
        let (old, new) = self.ids.split_at(start);
        let mut hasher = FxHasher::default();
        (name, new).hash(&mut hasher);
        let entry = self.last.entry(hasher.finish());
        let head = match &entry {
            Entry::Occupied(entry) => Some(*entry.get()),
            Entry::Vacant(_) => None,
        };
        let mut same_hash = head;
        while let Some(row) = same_hash {
            let Row { kind, start } = self.rows[row];
            if old[start..].starts_with(new) && is_equivalent(kind) {
                self.ids.truncate(old.len());
                return;
            }
            same_hash = self.earlier[row];
        }
        entry.insert_entry(self.rows.len());
        self.earlier.push(head);
        self.rows.push(Row { kind, start });
    }

    /// Adds the comparison of two integers in a state, the lesser first, unless they are equal or
    /// compared already.
    pub(crate) fn add_comparison(
        &mut self,
        comparison: &Feature,
        pair: [i64; 2],
        state: TermId,
        after: bool,
        interner: &mut Interner,
    ) {
        let [a, b] = pair;
        if a == b {
            return;
        }
        let labels = comparison.roles.iter().map(|role| match role {
            Role::State => Label::State,
            _ => Label::Free,
        });
        let labels: Vec<Label> = labels.collect();
        let kind = interner.kind(&comparison.atom, &labels, true, after);
        // The state stands last; its place in the row is not read.
        let row = [a.min(b), a.max(b), 0].map(Constant::Int);
        let ids = interner.intern_fact(kind, &row, [state; 2]);
        self.add(kind, comparison.atom.name, ids, |other| other == kind);
    }

    /// Adds the literals of another list that are not in this one.
    pub(crate) fn append(&mut self, others: &Self, interner: &Interner) {
        for row in &others.rows {
            let ids = leaves_of(&others.ids, *row, interner).iter().copied();
            let name = interner.kinds[row.kind].atom.name;
            self.add(row.kind, name, ids, |kind| kind == row.kind);
        }
    }

    /// The rows and their storage.
    pub(crate) fn into_parts(self) -> (Vec<Row>, Vec<TermId>) {
        (self.rows, self.ids)
    }
}
