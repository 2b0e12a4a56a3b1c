use std::collections::hash_map::Entry;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::feature::Label;
use super::lexicon::{Code, Lexicon, PLAIN, is_var, var};
use crate::term::{Atom, Clause, Literal, Symbol, Term};

/// A literal: its kind, and where what stands at its places begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) kind: usize,
    start: usize,
}

/// Literals, by what stands at their places.
#[derive(Debug, Default)]
pub(super) struct Literals {
    pub(super) rows: Vec<Row>,
    codes: Vec<Code>,
    /// The last row with a hash, and for each row the one before with the same.
    last: FxHashMap<u64, usize>,
    earlier: Vec<Option<usize>>,
}

impl Literals {
    pub(super) fn with_capacity(n: usize) -> Self {
        let mut literals = Self::default();
        literals.last.reserve(n);
        literals
    }

    /// Adds a literal that no other is compared with.
    pub(super) fn push(&mut self, kind: usize, codes: impl Iterator<Item = Code>) {
        let start = self.codes.len();
        self.codes.extend(codes);
        self.earlier.push(None);
        self.rows.push(Row { kind, start });
    }

    /// Adds a literal unless there is one with the same places and a kind that counts as the same;
    /// kinds that may do so have the same name.
    pub(super) fn add(
        &mut self,
        kind: usize,
        name: Symbol,
        codes: impl Iterator<Item = Code>,
        is_same: impl Fn(usize) -> bool,
    ) {
        let start = self.codes.len();
        self.codes.extend(codes);
        let (old, new) = self.codes.split_at(start);
        let mut hasher = FxHasher::default();
        (name, new).hash(&mut hasher);
        let place = self.last.entry(hasher.finish());
        let head = match &place {
            Entry::Occupied(place) => Some(*place.get()),
            Entry::Vacant(_) => None,
        };
        let mut same = head;
        while let Some(row) = same {
            let Row { kind, start } = self.rows[row];
            if old[start..].starts_with(new) && is_same(kind) {
                self.codes.truncate(old.len());
                return;
            }
            same = self.earlier[row];
        }
        place.insert_entry(self.rows.len());
        self.earlier.push(head);
        self.rows.push(Row { kind, start });
    }

    /// Adds literals that are not there yet.
    pub(super) fn append(&mut self, others: &Self, lexicon: &Lexicon) {
        for row in &others.rows {
            let codes = places(&others.codes, *row, lexicon).iter().copied();
            let name = lexicon.kinds[row.kind].atom.name;
            self.add(row.kind, name, codes, |kind| kind == row.kind);
        }
    }

    /// The rows and what stands at the places of all.
    pub(super) fn into_parts(self) -> (Vec<Row>, Vec<Code>) {
        (self.rows, self.codes)
    }
}

/// What stands at the places of a literal, among the codes of all.
pub(super) fn places<'c>(codes: &'c [Code], row: Row, lexicon: &Lexicon) -> &'c [Code] {
    &codes[row.start..][..lexicon.kinds[row.kind].labels.len()]
}

/// The same literals without the codes of others.
pub(super) fn packed(codes: &[Code], rows: [&mut [Row]; 2], lexicon: &Lexicon) -> Arc<[Code]> {
    let mut own = Vec::new();
    for row in rows.into_iter().flatten() {
        let places = places(codes, *row, lexicon);
        row.start = own.len();
        own.extend_from_slice(places);
    }
    own.into()
}

/// A pattern definition: which components are involved, and what must hold.
///
/// # Source
/// Morales 1992, section 5.1.2, equation (5.1): the description is the `D`s, the body the `F`s.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    /// Places of the relevant components in the example.
    pub(super) components: Vec<usize>,
    /// The state the clause starts in.
    pub(super) state: Code,
    /// One literal for each relevant component.
    pub(super) description: Vec<Row>,
    pub(super) body: Vec<Row>,
    /// What stands at the places of all literals.
    pub(super) codes: Arc<[Code]>,
}

impl Pattern {
    /// The same of some of its components: without the literals that concern others.
    pub(super) fn restricted(&self, relevant: &[usize], lexicon: &Lexicon) -> Self {
        let is_foreign = |component| !relevant.contains(&component);
        let own = |rows: &[Row]| {
            let kept =
                (rows.iter().copied()).filter(|row| !lexicon.kinds[row.kind].concerns(is_foreign));
            kept.collect()
        };
        Self {
            components: relevant.to_vec(),
            state: self.state,
            description: own(&self.description),
            body: own(&self.body),
            codes: Arc::clone(&self.codes),
        }
    }

    /// All literals, the description first.
    pub(super) fn rows(&self) -> impl Iterator<Item = Row> {
        self.description.iter().chain(&self.body).copied()
    }

    /// Number of literals.
    pub(super) fn n_rows(&self) -> usize {
        self.description.len() + self.body.len()
    }

    /// What stands at the places of a literal.
    pub(super) fn codes(&self, row: Row, lexicon: &Lexicon) -> &[Code] {
        places(&self.codes, row, lexicon)
    }

    /// Number of literals in which an argument occurs, by its labels.
    pub(super) fn n_literals(&self, labels: &[Label], lexicon: &Lexicon) -> usize {
        let occurs = |row: &Row| {
            let own = &lexicon.kinds[row.kind].labels;
            labels.iter().any(|label| own.contains(label))
        };
        self.rows().filter(occurs).count()
    }

    /// The value of an attribute in the definition, `None` for an irrelevant component.
    pub(super) fn value(
        &self,
        component: usize,
        attribute: usize,
        lexicon: &Lexicon,
    ) -> Option<Code> {
        let place = self.components.iter().position(|&c| c == component)?;
        let row = self.description[place];
        let label = Label::Of {
            component,
            attribute,
        };
        lexicon.kinds[row.kind].at(label, self.codes(row, lexicon))
    }

    /// The first variable that does not occur.
    fn next_var(&self, lexicon: &Lexicon) -> Code {
        let codes = self.rows().flat_map(|row| self.codes(row, lexicon));
        let last = codes.filter(|code| is_var(**code)).max();
        last.map_or(var(0), |last| last + var(1))
    }

    /// The body of a clause about a state, and that state, a variable.
    pub(super) fn goals(&self, lexicon: &Lexicon) -> (Vec<Literal>, Term) {
        let state = lexicon.term(self.next_var(lexicon));
        let literal = |row: Row| {
            let codes = self.codes(row, lexicon);
            lexicon.kinds[row.kind].literal(codes, |label, code| {
                if label == Label::State && code == self.state {
                    state.clone()
                } else {
                    lexicon.term(code)
                }
            })
        };
        (self.rows().map(literal).collect(), state)
    }

    /// The arguments of the head but the last, by the places of literal and argument: those that
    /// describe the relevant components, then those that occur only in the body.
    ///
    /// # Source
    /// Morales 1992, Table 5.4.
    fn head(&self, lexicon: &Lexicon) -> Vec<(usize, usize)> {
        let mut named = Vec::new();
        let mut seen: FxHashSet<(usize, &[Code])> = FxHashSet::default();
        for (i, row) in self.rows().enumerate() {
            let (kind, codes) = (&lexicon.kinds[row.kind], self.codes(row, lexicon));
            let is_described = i < self.description.len();
            for (arg, (places, form)) in kind.args.iter().enumerate() {
                let mut labels = kind.labels[places.clone()].iter();
                let is_state = labels.any(|l| matches!(l, Label::State | Label::Next));
                let own = &codes[places.clone()];
                if !is_state && (seen.insert((*form, own)) || is_described) {
                    named.push((i, arg));
                    if is_described {
                        seen.extend(own.chunks(1).map(|place| (PLAIN, place)));
                    }
                }
            }
        }
        named
    }

    /// Number of literals of the clause, and of constants that its head still has.
    pub(super) fn size(&self, lexicon: &Lexicon) -> usize {
        let rows: Vec<Row> = self.rows().collect();
        let constants = self.head(lexicon).into_iter().map(|(i, arg)| {
            let (places, _) = &lexicon.kinds[rows[i].kind].args[arg];
            let codes = &self.codes(rows[i], lexicon)[places.clone()];
            codes.iter().filter(|code| !is_var(**code)).count()
        });
        1 + rows.len() + constants.sum::<usize>()
    }

    /// The definition as a clause.
    pub(super) fn to_clause(&self, name: Symbol, lexicon: &Lexicon) -> Clause {
        let mut states: FxHashMap<Code, Code> = FxHashMap::default();
        let mut next = self.next_var(lexicon);
        let mut renamed = |code: Code| {
            *states.entry(code).or_insert_with(|| {
                next += var(1);
                next - var(1)
            })
        };
        let literal = |row: Row| {
            let codes = self.codes(row, lexicon);
            lexicon.kinds[row.kind].literal(codes, |label, code| {
                let is_state = matches!(label, Label::State | Label::Next) && !is_var(code);
                lexicon.term(if is_state { renamed(code) } else { code })
            })
        };
        let body: Vec<Literal> = self.rows().map(literal).collect();
        let state = states.get(&self.state).unwrap_or(&self.state);
        let named = self.head(lexicon).into_iter();
        let named = named.map(|(i, arg)| body[i].atom.args[arg].clone());
        let args: Vec<Term> = named.chain([lexicon.term(*state)]).collect();
        Clause {
            head: Atom::new(name, args),
            body,
        }
        .normalized()
    }
}
