//! The frontier: the covered tiles that touch numbers, grouped by the numbers they touch.

use crate::grid::Tile;
use crate::knowledge::{Constraint, Knowledge};

use super::error::NoProbabilities;

/// No entry.
pub(super) const NONE: u32 = u32::MAX;

/// The index of the value that all unconstrained tiles share; those of groups follow.
pub(super) const UNCONSTRAINED: u32 = 0;
const FIRST_GROUP: u32 = 1;

/// Numbers, and the groups of covered tiles that they constrain alike.
#[derive(Clone, Debug, Default)]
pub(super) struct Frontier {
    pub(super) numbers: Vec<Number>,
    pub(super) groups: Vec<Group>,
    /// For each number on the board, its index in `numbers`.
    number_at: Vec<u32>,
}

/// An uncovered tile with covered neighbors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub(super) constraint: Constraint,
    /// Its covered tiles that are still unassigned.
    pub(super) n_open: u8,
    /// Its four bits in a state, once a group around it is assigned.
    pub(super) slot: u32,
}

/// Covered tiles that touch the same numbers, and so are equally likely to hold a mine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub(super) numbers: [u32; 8],
    pub(super) n_numbers: usize,
    pub(super) size: u8,
    /// Whether a component has it already.
    pub(super) is_ordered: bool,
    /// The probability of a mine on each of its tiles.
    pub(super) mine: f64,
}

impl Frontier {
    /// Builds the frontier of a position; returns the number of unconstrained tiles: covered ones
    /// that touch no number.
    ///
    /// For each covered tile, `value_of` becomes the index of its value: 0 if it is unconstrained,
    /// else 1 more than that of its group.
    ///
    /// # Errors
    /// [`NoProbabilities::Contradiction`] if a number cannot have its mines.
    pub(super) fn build(
        &mut self,
        knowledge: &Knowledge,
        value_of: &mut Vec<u32>,
    ) -> Result<usize, NoProbabilities> {
        self.numbers.clear();
        self.groups.clear();
        let n_tiles = knowledge.grid().n_tiles();
        self.number_at.resize(n_tiles, NONE);
        value_of.clear();
        value_of.resize(n_tiles, UNCONSTRAINED);
        for constraint in knowledge.open_numbers() {
            if !(0..=constraint.len()).contains(&constraint.n_mines) {
                return Err(NoProbabilities::Contradiction);
            }
            self.number_at[constraint.center] = compact(self.numbers.len());
            self.numbers.push(Number {
                constraint,
                n_open: constraint.len().unsigned_abs(),
                slot: NONE,
            });
        }
        let mut n_unconstrained = knowledge.n_covered();
        let grid = knowledge.grid();
        for number in &self.numbers {
            // Tiles of one group are all met around the same number first.
            let first_new = self.groups.len();
            for tile in knowledge.tiles(number.constraint) {
                if value_of[tile] != UNCONSTRAINED {
                    continue;
                }
                n_unconstrained -= 1;
                let around = knowledge.uncovered_around(tile);
                let mut numbers = [NONE; 8];
                for (at, near) in numbers.iter_mut().zip(grid.masked(tile, around)) {
                    *at = self.number_at[near];
                }
                let mut new = self.groups[first_new..].iter();
                let same = new.position(|group| group.numbers == numbers);
                let at = same.map_or(self.groups.len(), |at| first_new + at);
                if same.is_none() {
                    self.groups.push(Group {
                        numbers,
                        n_numbers: around.count_ones() as usize,
                        size: 0,
                        is_ordered: false,
                        mine: 0.0,
                    });
                }
                self.groups[at].size += 1;
                value_of[tile] = FIRST_GROUP + compact(at);
            }
        }
        Ok(n_unconstrained)
    }
}

/// The group of a constrained tile.
pub(super) fn group_of(value_of: &[u32], tile: Tile) -> usize {
    (value_of[tile] - FIRST_GROUP) as usize
}

/// An index of a number or a group, which are fewer than tiles.
fn compact(index: usize) -> u32 {
    u32::try_from(index).expect("a board has at most a million tiles")
}
