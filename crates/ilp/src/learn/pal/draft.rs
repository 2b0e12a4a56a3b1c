//! The generalization of two patterns as long as it may lose literals.

use rustc_hash::FxHashMap;

use super::feature::Label;
use super::lexicon::{Code, Kind, Lexicon, is_var, var};
use super::pattern::{Literals, Pattern, Row, packed, places};

/// Most pairs of literals that are looked at.
const MAX_PAIRS: usize = 1_000_000;
const NONE: usize = usize::MAX;

/// The generalization of two patterns of the same components.
#[derive(Debug)]
pub(super) struct Draft<'l> {
    lexicon: &'l Lexicon,
    codes: Vec<Code>,
    /// Number of variables.
    pub(super) n_vars: usize,
    pub(super) components: Vec<usize>,
    state: Option<Code>,
    pub(super) description: Vec<Row>,
    pub(super) body: Vec<Row>,
}

/// The variables that stand for pairs of different terms.
#[derive(Default)]
struct Pairs(FxHashMap<u64, Code>);

impl Pairs {
    fn joined(&mut self, left: Code, right: Code) -> Code {
        if left == right && !is_var(left) {
            return left;
        }
        let next = var(self.0.len());
        let pair = u64::from(left) << 32 | u64::from(right);
        *self.0.entry(pair).or_insert(next)
    }
}

impl<'l> Draft<'l> {
    /// The least general generalization of the literals with the same labels, in the order of the
    /// pairs and without repetition; none if the descriptions differ in length.
    ///
    /// # Source
    /// Morales 1992, sections 4.2 and 5.2.3.2.
    pub(super) fn new(left: &Pattern, right: &Pattern, lexicon: &'l Lexicon) -> Option<Self> {
        let kinds = &lexicon.kinds;
        let others: Vec<Row> = right.rows().collect();
        // The first of each kind, and for each the next one.
        let mut first = vec![NONE; kinds.len()];
        let mut following = vec![NONE; others.len()];
        for (j, other) in others.iter().enumerate().rev() {
            following[j] = std::mem::replace(&mut first[other.kind], j);
        }
        let mut pairs = Pairs::default();
        let described = [left, right].map(|pattern| {
            let rows = pattern.description.iter();
            let codes = rows.flat_map(|row| pattern.codes(*row, lexicon));
            codes.copied().collect::<Vec<Code>>()
        });
        if described[0].len() != described[1].len() {
            return None;
        }
        for (x, y) in described[0].iter().zip(&described[1]) {
            pairs.joined(*x, *y);
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
                let (x, y) = (left.codes(own, lexicon), right.codes(other, lexicon));
                let both = x.iter().zip(y).map(|(x, y)| pairs.joined(*x, *y));
                literals.add(own.kind, kind.atom.name, both, is_same);
                j = following[j];
            }
        }
        let (mut rows, codes) = literals.into_parts();
        let body = rows.split_off(left.description.len().min(rows.len()));
        let mut draft = Self {
            lexicon,
            codes,
            n_vars: pairs.0.len(),
            components: left.components.clone(),
            state: None,
            description: rows,
            body,
        };
        draft.state = draft.description.first().and_then(|row| draft.state(*row));
        Some(draft)
    }

    pub(super) fn kind_of(&self, row: Row) -> &'l Kind {
        &self.lexicon.kinds[row.kind]
    }

    /// The kinds that occur in the body, each once.
    pub(super) fn kinds_of_body(&self) -> Vec<&'l Kind> {
        let mut met = vec![false; self.lexicon.kinds.len()];
        let rows = self.body.iter();
        let new = rows.filter(|row| !std::mem::replace(&mut met[row.kind], true));
        new.map(|row| self.kind_of(*row)).collect()
    }

    /// What stands at the places of a literal.
    pub(super) fn codes(&self, row: Row) -> &[Code] {
        places(&self.codes, row, self.lexicon)
    }

    /// The labels and what stands at the places with them.
    pub(super) fn labeled(&self, row: Row) -> impl Iterator<Item = (Label, Code)> {
        let labels = self.kind_of(row).labels.iter();
        labels.copied().zip(self.codes(row).iter().copied())
    }

    /// The arguments, each with its form.
    pub(super) fn args(&self, row: Row) -> impl Iterator<Item = (&[Code], usize)> {
        let codes = self.codes(row);
        let args = self.kind_of(row).args.iter();
        args.map(|(places, form)| (&codes[places.clone()], *form))
    }

    /// The state that a literal speaks of.
    pub(super) fn state(&self, row: Row) -> Option<Code> {
        self.kind_of(row).state(self.codes(row))
    }

    /// The state that a move leads to.
    pub(super) fn next(&self, row: Row) -> Option<Code> {
        self.kind_of(row).next(self.codes(row))
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
    pub(super) fn into_pattern(mut self, other: &Pattern) -> Pattern {
        let rows = [&mut self.description[..], &mut self.body[..]];
        Pattern {
            codes: packed(&self.codes, rows, self.lexicon),
            components: self.components,
            state: self.state.unwrap_or(other.state),
            description: self.description,
            body: self.body,
        }
    }
}
