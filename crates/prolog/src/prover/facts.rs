use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHasher};

use super::cell::Cell;
use crate::term::Constant;

/// Arguments beyond this many are not indexed; they are compared when a row is tried.
const INDEXED_ARGS: usize = 5;
const END: u32 = u32::MAX;

/// The ground facts of one predicate, with an index for each pattern of bound arguments, made when
/// the pattern first occurs.
#[derive(Debug)]
pub(super) struct FactTable {
    pub(super) arity: usize,
    rows: Vec<Cell>,
    len: u32,
    indexes: Box<[OnceLock<Index>]>,
}

/// Rows with equal hashes of the indexed arguments, chained in the order of the table.
#[derive(Debug)]
struct Index {
    first: FxHashMap<u64, u32>,
    next: Vec<u32>,
}

/// Where a search through a table stands.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cursor {
    /// All rows from this one on.
    All(u32),
    /// A chain of the index for a pattern of bound arguments.
    Chain { mask: u8, row: u32 },
}

impl FactTable {
    pub(super) fn new(arity: usize) -> Self {
        let indexes = (0..1usize << arity.min(INDEXED_ARGS))
            .map(|_| OnceLock::new())
            .collect();
        Self {
            arity,
            rows: Vec::new(),
            len: 0,
            indexes,
        }
    }

    pub(super) fn push(&mut self, row: impl IntoIterator<Item = Cell>) {
        self.rows.extend(row);
        self.len += 1;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(super) fn row(&self, row: u32) -> &[Cell] {
        &self.rows[row as usize * self.arity..][..self.arity]
    }

    /// A cursor over the rows that may agree with the bound atomic arguments.
    #[inline(never)]
    pub(super) fn search(&self, args: &[Cell]) -> Cursor {
        let mut mask = 0u8;
        let mut hasher = FxHasher::default();
        for (i, arg) in args.iter().take(INDEXED_ARGS).enumerate() {
            if let Cell::Const(constant) = arg {
                mask |= 1 << i;
                constant.hash(&mut hasher);
            }
        }
        if mask == 0 {
            return Cursor::All(0);
        }
        let index = self.indexes[usize::from(mask)].get_or_init(|| self.build_index(mask));
        Cursor::Chain {
            mask,
            row: index.first.get(&hasher.finish()).copied().unwrap_or(END),
        }
    }

    /// The row under the cursor, which moves on.
    pub(super) fn advance(&self, cursor: &mut Cursor) -> Option<u32> {
        match cursor {
            Cursor::All(row) => {
                let current = *row;
                *row += 1;
                (current < self.len).then_some(current)
            }
            Cursor::Chain { mask, row } => {
                let current = *row;
                if current == END {
                    return None;
                }
                *row = self.indexes[usize::from(*mask)]
                    .get()
                    .map_or(END, |index| index.next[current as usize]);
                Some(current)
            }
        }
    }

    fn build_index(&self, mask: u8) -> Index {
        let mut first = FxHashMap::with_capacity_and_hasher(self.len as usize, FxBuildHasher);
        let mut next = vec![END; self.len as usize];
        for row in (0..self.len).rev() {
            let mut hasher = FxHasher::default();
            for (i, cell) in self.row(row).iter().take(INDEXED_ARGS).enumerate() {
                if mask & (1 << i) != 0 {
                    match cell {
                        Cell::Const(constant) => constant.hash(&mut hasher),
                        // Never equal to an atomic argument; any hash will do.
                        _ => Constant::Int(i64::MIN).hash(&mut hasher),
                    }
                }
            }
            if let Some(later) = first.insert(hasher.finish(), row) {
                next[row as usize] = later;
            }
        }
        Index { first, next }
    }
}
