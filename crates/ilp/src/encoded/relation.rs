//! Relations as tables of numbers, with their indexes.

use std::cell::OnceCell;
use std::ops::Range;

use super::joined::JointIndexes;

use kibitz_prolog::Predicate;

use super::dictionary::number;

/// A bit matrix is used where the ranges of the arguments span at most this many bits.
const MAX_MATRIX_BITS: usize = 1 << 20;

/// A predicate as a table of term numbers, with an index per argument.
#[derive(Debug)]
pub(crate) struct Relation {
    pub(crate) predicate: Predicate,
    rows: Vec<u32>,
    len: usize,
    indexes: Vec<OnceCell<Index>>,
    /// Indexes by several arguments at once.
    joined: JointIndexes,
    matrix: OnceCell<Option<Matrix>>,
    symmetric: OnceCell<bool>,
    identity: OnceCell<bool>,
}

/// A way to tell whether a pair is in a relation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PairTest<'r> {
    Matrix(&'r Matrix),
    Index(&'r Relation, &'r Index),
}

impl PairTest<'_> {
    /// Inlined, as it is asked for every row of a table.
    #[inline(always)]
    pub(crate) fn holds(self, x: u32, y: u32) -> bool {
        match self {
            Self::Matrix(matrix) => matrix.contains([x, y].into_iter()),
            Self::Index(relation, index) => {
                let mut rows = index.rows(x).iter();
                rows.any(|&row| relation.row(row)[1] == y)
            }
        }
    }
}

/// Rows by the value of one argument: `rows[starts[v - low]..starts[v - low + 1]]`.
#[derive(Debug)]
pub(crate) struct Index {
    low: u32,
    starts: Vec<u32>,
    rows: Vec<u32>,
    n_values: usize,
}

impl Index {
    /// Rows with this value.
    pub(crate) fn rows(&self, value: u32) -> &[u32] {
        &self.rows[self.places(value)]
    }

    /// Places of the rows with this value, see [`Index::row`].
    #[inline]
    pub(crate) fn places(&self, value: u32) -> Range<usize> {
        let offset = value.wrapping_sub(self.low) as usize;
        if offset >= self.range() {
            return 0..0;
        }
        self.starts[offset] as usize..self.starts[offset + 1] as usize
    }

    /// The row in a place.
    #[inline]
    pub(crate) fn row(&self, place: usize) -> u32 {
        self.rows[place]
    }

    /// Whether any row has this value.
    pub(crate) fn contains(&self, value: u32) -> bool {
        let offset = value.wrapping_sub(self.low) as usize;
        offset < self.range() && self.starts[offset] < self.starts[offset + 1]
    }

    pub(crate) fn count(&self, value: u32) -> u32 {
        number(self.rows(value).len())
    }

    /// Number of different values.
    pub(crate) fn n_values(&self) -> usize {
        self.n_values
    }

    /// All values in range, with their numbers of rows.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.starts
            .windows(2)
            .zip(self.low..)
            .map(|(w, value)| (value, w[1] - w[0]))
    }

    pub(crate) fn range(&self) -> usize {
        self.starts.len() - 1
    }
}

/// Which tuples are in a relation.
#[derive(Debug)]
pub(crate) struct Matrix {
    axes: Vec<Axis>,
    bits: Vec<u64>,
}

/// Where the values of an argument stand along a matrix.
#[derive(Debug)]
struct Axis {
    /// Least value and number of values up to the greatest.
    low: u32,
    span: u32,
    /// The place of each of these, [`NOWHERE`] for those that do not occur; empty if each has its own.
    places: Vec<u32>,
    size: u32,
}

const NOWHERE: u32 = u32::MAX;

impl Axis {
    fn new(values: impl Iterator<Item = u32> + Clone) -> Option<Self> {
        let low = values.clone().min()?;
        let span = values.max()? - low + 1;
        Some(Self {
            low,
            span,
            places: Vec::new(),
            size: span,
        })
    }

    /// The same axis without the values that do not occur.
    fn condense(&mut self, values: impl Iterator<Item = u32>) {
        self.places = vec![NOWHERE; self.span as usize];
        self.size = 0;
        for value in values {
            let place = &mut self.places[(value - self.low) as usize];
            if *place == NOWHERE {
                *place = self.size;
                self.size += 1;
            }
        }
    }

    #[inline]
    fn place(&self, value: u32) -> Option<u32> {
        let offset = value.wrapping_sub(self.low);
        if offset >= self.span {
            return None;
        }
        if self.places.is_empty() {
            return Some(offset);
        }
        Some(self.places[offset as usize]).filter(|place| *place != NOWHERE)
    }
}

impl Matrix {
    /// `None` if the arguments span too many bits for these rows.
    fn new(rows: &[u32], arity: usize) -> Option<Self> {
        let len = rows.len() / arity;
        let most = MAX_MATRIX_BITS.min(len * 256 + 4_096);
        let values = |argument: usize| rows.iter().skip(argument).step_by(arity).copied();
        let axes = (0..arity).map(|argument| Axis::new(values(argument)));
        let mut axes: Vec<Axis> = axes.collect::<Option<_>>()?;
        let n_bits = |axes: &[Axis]| {
            let sizes = axes.iter().map(|axis| axis.size as usize);
            let product = sizes.reduce(usize::saturating_mul);
            product.filter(|n_bits| *n_bits <= most)
        };
        if n_bits(&axes).is_none() {
            for (argument, axis) in axes.iter_mut().enumerate() {
                // Gaps are not worth more memory than the rows take.
                if axis.span as usize > 16 * len + 4_096 {
                    return None;
                }
                axis.condense(values(argument));
            }
        }
        let n_bits = n_bits(&axes)?;
        let mut matrix = Self {
            axes,
            bits: vec![0; n_bits.div_ceil(64)],
        };
        for row in rows.chunks_exact(arity) {
            let bit = matrix.bit(row.iter().copied())?;
            matrix.bits[bit / 64] |= 1 << (bit % 64);
        }
        Some(matrix)
    }

    /// Place of a tuple's bit; `None` if a value is out of range.
    #[inline]
    fn bit(&self, tuple: impl Iterator<Item = u32>) -> Option<usize> {
        let mut bit = 0;
        for (value, axis) in tuple.zip(&self.axes) {
            bit = bit * axis.size as usize + axis.place(value)? as usize;
        }
        Some(bit)
    }

    #[inline]
    fn contains(&self, tuple: impl Iterator<Item = u32>) -> bool {
        self.bit(tuple)
            .is_some_and(|bit| self.bits[bit / 64] >> (bit % 64) & 1 == 1)
    }
}

impl Relation {
    pub(crate) fn new(predicate: Predicate, rows: Vec<u32>, len: usize) -> Self {
        let indexes = (0..predicate.arity).map(|_| OnceCell::new()).collect();
        Self {
            predicate,
            rows,
            len,
            indexes,
            joined: JointIndexes::new(predicate.arity),
            matrix: OnceCell::new(),
            symmetric: OnceCell::new(),
            identity: OnceCell::new(),
        }
    }

    pub(crate) fn arity(&self) -> usize {
        self.predicate.arity
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn row(&self, row: u32) -> &[u32] {
        let arity = self.arity();
        &self.rows[row as usize * arity..][..arity]
    }

    pub(crate) fn index(&self, argument: usize) -> &Index {
        self.indexes[argument].get_or_init(|| {
            let values = || (0..self.len).map(|r| self.rows[r * self.arity() + argument]);
            let low = values().min().unwrap_or(0);
            let high = values().max().unwrap_or(0);
            let mut starts = vec![0u32; (high - low) as usize + 2];
            for value in values() {
                starts[(value - low) as usize + 1] += 1;
            }
            for i in 1..starts.len() {
                starts[i] += starts[i - 1];
            }
            let mut next = starts.clone();
            let mut rows = vec![0; self.len];
            for (row, value) in (0u32..).zip(values()) {
                let place = &mut next[(value - low) as usize];
                rows[*place as usize] = row;
                *place += 1;
            }
            let n_values = starts.windows(2).filter(|ends| ends[0] < ends[1]).count();
            Index {
                low,
                starts,
                rows,
                n_values,
            }
        })
    }

    fn matrix(&self) -> Option<&Matrix> {
        let matrix = || (self.arity() > 1).then(|| Matrix::new(&self.rows, self.arity()))?;
        self.matrix.get_or_init(matrix).as_ref()
    }

    /// A test for pairs, chosen once for many calls; `None` unless the relation is binary.
    pub(crate) fn pair_test(&self) -> Option<PairTest<'_>> {
        (self.arity() == 2).then(|| match self.matrix() {
            Some(matrix) => PairTest::Matrix(matrix),
            None => PairTest::Index(self, self.index(0)),
        })
    }

    /// Calls `visit` for each row that agrees with the known arguments, until it returns false.
    pub(crate) fn matches(&self, known: &[Option<u32>], mut visit: impl FnMut(&[u32]) -> bool) {
        let agrees = |row: &[u32]| {
            row.iter()
                .zip(known)
                .all(|(value, own)| own.is_none_or(|own| own == *value))
        };
        if let Some(rows) = self.joined.rows(known, &self.rows) {
            for &row in rows {
                let row = self.row(row);
                if agrees(row) && !visit(row) {
                    return;
                }
            }
            return;
        }
        let shortest = known
            .iter()
            .enumerate()
            .filter_map(|(i, value)| value.map(|value| self.index(i).rows(value)))
            .min_by_key(|rows| rows.len());
        match shortest {
            Some(rows) => {
                let mut n_strange = 0;
                for &row in rows {
                    let row = self.row(row);
                    if !agrees(row) {
                        n_strange += 1;
                    } else if !visit(row) {
                        break;
                    }
                }
                self.joined.note(known, n_strange);
            }
            None => {
                for row in (0u32..).take(self.len) {
                    if !visit(self.row(row)) {
                        return;
                    }
                }
            }
        }
    }

    /// Whether a full tuple is in the relation.
    #[inline]
    pub(crate) fn contains(&self, tuple: impl Iterator<Item = u32> + Clone) -> bool {
        if let Some(matrix) = self.matrix() {
            return matrix.contains(tuple);
        }
        let equal = |&row: &u32| self.row(row).iter().copied().eq(tuple.clone());
        if let Some(rows) = self.joined.rows_of(tuple.clone(), &self.rows) {
            return rows.iter().any(equal);
        }
        let shortest = (0..self.arity())
            .zip(tuple.clone())
            .map(|(i, value)| self.index(i).rows(value))
            .min_by_key(|rows| rows.len());
        shortest.map_or(self.len > 0, |rows| {
            let place = rows.iter().position(equal);
            self.joined.note_tuple(place.unwrap_or(rows.len()));
            place.is_some()
        })
    }

    /// Whether swapping the arguments of a binary relation changes nothing.
    pub(crate) fn is_symmetric(&self) -> bool {
        *self.symmetric.get_or_init(|| {
            self.arity() == 2
                && self
                    .rows
                    .chunks_exact(2)
                    .all(|row| self.contains(row.iter().rev().copied()))
        })
    }

    /// Whether the relation says nothing but that two arguments are equal.
    pub(crate) fn is_identity(&self) -> bool {
        *self.identity.get_or_init(|| {
            self.arity() == 2 && self.rows.chunks_exact(2).all(|row| row[0] == row[1])
        })
    }

    /// The distinct values of an argument, ascending.
    pub(crate) fn values(&self, argument: usize) -> Vec<u32> {
        self.index(argument)
            .counts()
            .filter(|(_, n)| *n > 0)
            .map(|(value, _)| value)
            .collect()
    }
}
