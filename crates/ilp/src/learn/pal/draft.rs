//! Patterns in numbers: what generalization works on, most of whose literals it drops again.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHasher};

use super::feature::{Label, map_leaves};
use super::pattern::{Labeled, Pattern};
use crate::term::{Atom, Constant, Literal, Predicate, Term};

/// Most pairs of literals that are looked at.
const MAX_PAIRS: usize = 1_000_000;

/// What stands at a place: twice the number of a variable, or twice the number of a constant and 1.
pub(super) type Code = u32;

pub(super) fn is_var(code: Code) -> bool {
    code & 1 == 0
}

/// What literals have in common that are generalized together.
#[derive(Debug)]
pub(super) struct Kind {
    /// One of these literals.
    atom: Atom,
    pub(super) positive: bool,
    pub(super) after: bool,
    pub(super) labels: Arc<[Label]>,
    /// The places of the arguments, and which of [`Draft::forms`] they have.
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

    /// Whether some place comes from this component.
    pub(super) fn concerns(&self, component: usize) -> bool {
        let is_own =
            |label: &Label| matches!(label, Label::Of { component: c, .. } if *c == component);
        self.labels.iter().any(is_own)
    }
}

/// A literal: its kind, and where its row begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) kind: usize,
    start: usize,
}

/// The generalization of two patterns of the same components.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) kinds: Vec<Kind>,
    constants: IndexSet<Constant, FxBuildHasher>,
    forms: IndexSet<Term, FxBuildHasher>,
    codes: Vec<Code>,
    pub(super) components: Vec<usize>,
    state: Option<Code>,
    pub(super) description: Vec<Row>,
    pub(super) body: Vec<Row>,
}

/// Predicate, and whether positive and after a move.
type Said = (Predicate, bool, bool);

/// The kinds met, by labels.
#[derive(Default)]
struct KnownKinds<'p> {
    by_labels: FxHashMap<(&'p [Label], Said), usize>,
    /// The same by where the labels are in memory.
    by_place: FxHashMap<(usize, Said), usize>,
}

/// The literals of one of the patterns, the description first.
struct Given {
    literals: Vec<Row>,
    codes: Vec<Code>,
}

impl Given {
    /// What stands at the places of the literal with this number.
    fn codes(&self, literal: usize) -> &[Code] {
        let end = self.literals.get(literal + 1).map(|next| next.start);
        &self.codes[self.literals[literal].start..end.unwrap_or(self.codes.len())]
    }

    /// What stands at the places of the first literals.
    fn first(&self, n: usize) -> &[Code] {
        let end = self.literals.get(n).map(|next| next.start);
        &self.codes[..end.unwrap_or(self.codes.len())]
    }
}

/// The variables that stand for pairs of different terms.
#[derive(Default)]
struct Pairs(FxHashMap<u64, Code>);

impl Pairs {
    fn joined(&mut self, left: Code, right: Code) -> Code {
        if left == right && !is_var(left) {
            return left;
        }
        let next = 2 * number(self.0.len());
        let pair = u64::from(left) << 32 | u64::from(right);
        *self.0.entry(pair).or_insert(next)
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index).expect("fewer than 2^31 terms")
}

impl Draft {
    /// The least general generalization of the literals with the same labels, in the order of the
    /// pairs and without repetition; none if the descriptions differ in length.
    ///
    /// # Source
    /// Morales 1992, sections 4.2 and 5.2.3.2.
    pub(super) fn new(left: &Pattern, right: &Pattern) -> Option<Self> {
        let mut draft = Self {
            kinds: Vec::new(),
            constants: IndexSet::default(),
            forms: IndexSet::default(),
            codes: Vec::new(),
            components: left.components.clone(),
            state: None,
            description: Vec::new(),
            body: Vec::new(),
        };
        let mut known = KnownKinds::default();
        let a = draft.given(left, &mut known);
        let b = draft.given(right, &mut known);
        let mut of_kind: Vec<Vec<usize>> = vec![Vec::new(); draft.kinds.len()];
        for (j, own) in b.literals.iter().enumerate() {
            of_kind[own.kind].push(j);
        }
        let mut pairs = Pairs::default();
        let heads = (
            a.first(left.description.len()),
            b.first(right.description.len()),
        );
        if heads.0.len() != heads.1.len() {
            return None;
        }
        for (x, y) in heads.0.iter().zip(heads.1) {
            pairs.joined(*x, *y);
        }
        // Rows with the same hash, each with the one before.
        let n_expected = a.literals.len().max(b.literals.len());
        let mut last: FxHashMap<u64, usize> =
            FxHashMap::with_capacity_and_hasher(n_expected, FxBuildHasher);
        let mut earlier: Vec<Option<usize>> = Vec::new();
        let mut rows: Vec<Row> = Vec::new();
        let most = MAX_PAIRS / b.literals.len().max(1);
        for (i, own) in a.literals.iter().take(most).enumerate() {
            let kind = &draft.kinds[own.kind];
            for &j in &of_kind[own.kind] {
                let start = draft.codes.len();
                let both = a.codes(i).iter().zip(b.codes(j));
                draft.codes.extend(both.map(|(x, y)| pairs.joined(*x, *y)));
                let (old, new) = draft.codes.split_at(start);
                let mut hasher = FxHasher::default();
                (kind.atom.name, new).hash(&mut hasher);
                let place = last.entry(hasher.finish());
                let mut same = match &place {
                    std::collections::hash_map::Entry::Occupied(place) => Some(*place.get()),
                    std::collections::hash_map::Entry::Vacant(_) => None,
                };
                let head = same;
                while let Some(row) = same {
                    let Row { kind: k, start: s } = rows[row];
                    let other = &draft.kinds[k];
                    if old[s..].starts_with(new)
                        && other.predicate() == kind.predicate()
                        && other.positive == kind.positive
                        && (k == own.kind || other.args == kind.args)
                    {
                        break;
                    }
                    same = earlier[row];
                }
                if same.is_some() {
                    draft.codes.truncate(start);
                } else {
                    place.insert_entry(rows.len());
                    earlier.push(head);
                    let kind = own.kind;
                    rows.push(Row { kind, start });
                }
            }
        }
        let n = left.description.len().min(rows.len());
        draft.body = rows.split_off(n);
        draft.state = rows.first().and_then(|row| draft.state(*row));
        draft.description = rows;
        Some(draft)
    }

    fn given<'p>(&mut self, pattern: &'p Pattern, known: &mut KnownKinds<'p>) -> Given {
        let mut codes = Vec::new();
        let literals = pattern.literals().map(|l| {
            let Literal { positive, atom } = &l.literal;
            let said = (atom.predicate(), *positive, l.after);
            // Most literals share their labels with others.
            let place = (l.labels.as_ptr() as usize, said);
            let kind = *known.by_place.entry(place).or_insert_with(|| {
                let kind = known.by_labels.entry((&*l.labels, said));
                *kind.or_insert_with(|| {
                    let kind = self.kind(l);
                    self.kinds.push(kind);
                    self.kinds.len() - 1
                })
            });
            let start = codes.len();
            for arg in atom.args.iter() {
                arg.all_parts(&mut |part| {
                    match part {
                        Term::Var(var) => codes.push(2 * var.0),
                        Term::Const(constant) => {
                            let (place, _) = self.constants.insert_full(*constant);
                            codes.push(2 * number(place) + 1);
                        }
                        Term::Compound(..) => {}
                    }
                    true
                });
            }
            Row { kind, start }
        });
        Given {
            literals: literals.collect(),
            codes,
        }
    }

    fn kind(&mut self, l: &Labeled) -> Kind {
        let Literal { positive, atom } = &l.literal;
        let form = map_leaves(atom, &mut |_| Term::var(0));
        let mut end = 0;
        let args = form.args.iter().map(|form| {
            let start = end;
            form.for_each_var(&mut |_| end += 1);
            (start..end, self.forms.insert_full(form.clone()).0)
        });
        let place = |label: Label| l.labels.iter().position(|own| *own == label);
        Kind {
            args: args.collect(),
            atom: atom.clone(),
            positive: *positive,
            after: l.after,
            labels: Arc::clone(&l.labels),
            state: place(Label::State),
            next: place(Label::Next),
        }
    }

    pub(super) fn kind_of(&self, row: Row) -> &Kind {
        &self.kinds[row.kind]
    }

    /// For each kind whether it occurs in the body.
    pub(super) fn kinds_of_body(&self) -> Vec<bool> {
        let mut is_there = vec![false; self.kinds.len()];
        for row in &self.body {
            is_there[row.kind] = true;
        }
        is_there
    }

    /// What stands at the places of a literal.
    pub(super) fn codes(&self, row: Row) -> &[Code] {
        &self.codes[row.start..][..self.kinds[row.kind].labels.len()]
    }

    /// The labels and what stands at the places with them.
    pub(super) fn labeled(&self, row: Row) -> impl Iterator<Item = (Label, Code)> {
        let labels = self.kinds[row.kind].labels.iter();
        labels.copied().zip(self.codes(row).iter().copied())
    }

    /// The arguments, each with its form.
    pub(super) fn args(&self, row: Row) -> impl Iterator<Item = (&[Code], usize)> {
        let codes = self.codes(row);
        let args = self.kinds[row.kind].args.iter();
        args.map(|(places, form)| (&codes[places.clone()], *form))
    }

    /// The state that a literal speaks of.
    pub(super) fn state(&self, row: Row) -> Option<Code> {
        self.kind_of(row).state.map(|place| self.codes(row)[place])
    }

    /// The state that a move leads to.
    pub(super) fn next(&self, row: Row) -> Option<Code> {
        self.kind_of(row).next.map(|place| self.codes(row)[place])
    }

    /// Keeps the literals of the body for which a condition holds.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(&Self, usize, Row) -> bool) {
        let mut body = std::mem::take(&mut self.body);
        let mut place = 0;
        body.retain(|row| {
            place += 1;
            keep(self, place - 1, *row)
        });
        self.body = body;
    }

    /// The pattern; its state is that of another one where the description does not tell.
    pub(super) fn to_pattern(&self, other: &Pattern) -> Pattern {
        let term = |code: Code| {
            if is_var(code) {
                Term::var(code / 2)
            } else {
                Term::Const(self.constants[code as usize / 2])
            }
        };
        let literal = |row: &Row| {
            let kind = self.kind_of(*row);
            let mut codes = self.codes(*row).iter();
            let atom = map_leaves(&kind.atom, &mut |leaf| {
                codes
                    .next()
                    .map_or_else(|| leaf.clone(), |code| term(*code))
            });
            Labeled {
                literal: Literal {
                    positive: kind.positive,
                    atom,
                },
                labels: Arc::clone(&kind.labels),
                after: kind.after,
            }
        };
        Pattern {
            components: self.components.clone(),
            state: self.state.map_or_else(|| other.state.clone(), term),
            description: self.description.iter().map(literal).collect(),
            body: self.body.iter().map(literal).collect(),
        }
    }
}
