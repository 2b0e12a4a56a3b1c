use std::cell::Cell;
use std::rc::Rc;

use kibitz_prolog::{BitSet, bits_where};

use crate::encoded::{Columns, EncodedProblem};
use crate::eval::{Arg, EQUALS, Lit, Values};

/// Rows that are looked at in the time of a step.
const ROWS_A_STEP: u64 = 256;

/// Adds up the bytes that the tables of a search take, and the work that the search does.
#[derive(Clone, Debug, Default)]
pub(super) struct Meter(Rc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    bytes: Cell<usize>,
    literals: Cell<u64>,
    rows: Cell<u64>,
}

impl Meter {
    pub(super) fn bytes(&self) -> usize {
        self.0.bytes.get()
    }

    /// Counts bytes until the answer is dropped.
    pub(super) fn count(&self, bytes: usize) -> ByteCount {
        self.0.bytes.set(self.0.bytes.get() + bytes);
        ByteCount(self.clone(), bytes)
    }

    /// Counts a literal that was evaluated.
    pub(super) fn literal(&self) {
        self.0.literals.set(self.0.literals.get() + 1);
    }

    /// Counts rows that were looked at.
    pub(super) fn rows(&self, n: usize) {
        self.0.rows.set(self.0.rows.get() + n as u64);
    }

    /// Literals that were evaluated, and as many again as their rows take the time of.
    pub(super) fn steps(&self) -> u64 {
        self.0.literals.get() + self.0.rows.get() / ROWS_A_STEP
    }
}

/// Bytes that a [`Meter`] counts.
#[derive(Debug)]
pub(super) struct ByteCount(Meter, usize);

impl Drop for ByteCount {
    fn drop(&mut self) {
        let ByteCount(Meter(counts), own) = self;
        counts.bytes.set(counts.bytes.get() - *own);
    }
}

/// Bindings of a clause's variables, one row per way to satisfy the body so far.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// Values by variable.
    pub(super) columns: Vec<Vec<u32>>,
    /// The example each row belongs to.
    pub(super) example: Vec<u32>,
}

impl Rows {
    pub(super) fn of_examples(examples: &Columns) -> Self {
        Self {
            columns: examples.columns.clone(),
            example: (0u32..).take(examples.len).collect(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.example.len()
    }

    pub(super) fn bytes(&self) -> usize {
        size_of::<u32>() * self.len() * (self.columns.len() + 1)
    }

    /// The rows that satisfy a literal without new variables.
    pub(super) fn mask(&self, problem: &EncodedProblem, lit: &Lit) -> BitSet {
        let n = self.len();
        let positive = lit.positive;
        let column = |var: u32| &self.columns[var as usize];
        let value = |arg: &Arg, i: usize| arg.value(|var| column(var)[i]);
        if let (EQUALS, [left, right]) = (lit.relation, &*lit.args) {
            return bits_where(n, |i| (value(left, i) == value(right, i)) == positive);
        }
        let relation = &problem.relations[lit.relation as usize];
        match *lit.args {
            [Arg::Var(x)] => {
                let (x, index) = (column(x), relation.index(0));
                bits_where(n, |i| index.contains(x[i]) == positive)
            }
            [Arg::Var(x), Arg::Var(y)] => {
                let (x, y) = (column(x), column(y));
                match relation.pair_test() {
                    Some(test) => bits_where(n, |i| test.holds(x[i], y[i]) == positive),
                    None => BitSet::with_capacity(n),
                }
            }
            _ => bits_where(n, |i| {
                relation.contains(lit.args.iter().filter_map(|arg| value(arg, i))) == positive
            }),
        }
    }

    /// The join of the live rows with a relation: a row for every match, with the new variables
    /// as further columns.
    pub(super) fn join(
        &self,
        problem: &EncodedProblem,
        live: &BitSet,
        relation: u32,
        args: &[Arg],
    ) -> Rows {
        let n_new = args.iter().filter(|arg| **arg == Arg::New).count();
        let relation = &problem.relations[relation as usize];
        let mut columns = vec![Vec::new(); self.columns.len() + n_new];
        let mut example = Vec::new();
        for row in live.ones() {
            let values = Values::new(args, |var| self.columns[var as usize][row]);
            relation.matches(values.as_slice(), |tuple| {
                for (column, own) in columns.iter_mut().zip(&self.columns) {
                    column.push(own[row]);
                }
                let mut next = self.columns.len();
                for (arg, value) in args.iter().zip(tuple) {
                    if *arg == Arg::New {
                        columns[next].push(*value);
                        next += 1;
                    }
                }
                example.push(self.example[row]);
                true
            });
        }
        Rows { columns, example }
    }
}

/// The tuples of a partial clause: rows of positive and of negative examples, and which of them
/// are still there.
#[derive(Clone, Debug)]
pub(super) struct Tuples {
    pub(super) rows: [Rc<Rows>; 2],
    pub(super) live: [BitSet; 2],
    pub(super) counts: [usize; 2],
}

impl Tuples {
    pub(super) fn new(rows: [Rc<Rows>; 2], live: [BitSet; 2]) -> Self {
        let counts = [live[0].count_ones(..), live[1].count_ones(..)];
        Self { rows, live, counts }
    }

    /// Keeps the rows in the masks, or those outside of them.
    pub(super) fn filter(&mut self, masks: &[BitSet; 2], inside: bool) {
        for ((live, count), mask) in self.live.iter_mut().zip(&mut self.counts).zip(masks) {
            if inside {
                live.intersect_with(mask);
            } else {
                live.difference_with(mask);
            }
            *count = live.count_ones(..);
        }
    }
}
