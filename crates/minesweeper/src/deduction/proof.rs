//! Checks a deduction by the numbers that it names only.

use std::collections::{BTreeMap, BTreeSet};

use thiserror::Error;

use super::Deduction;
use crate::{
    grid::Tile,
    knowledge::{Knowledge, View},
};

/// Limit on the partial arrangements that a check keeps.
const MAX_STATES: usize = 100_000;

/// Why a deduction does not hold, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ProofError {
    /// Its tile is uncovered or marked.
    #[error("the tile is uncovered or marked")]
    Decided,
    /// It names a tile that shows no number.
    #[error("tile {0} shows no number")]
    NoNumber(Tile),
    /// The numbers allow the contrary.
    #[error("the numbers allow the contrary")]
    Refuted,
    /// There are too many arrangements to say.
    #[error("the numbers allow too many arrangements to say")]
    TooComplex,
}

/// Covered tiles around the same numbers.
struct Class {
    /// Indices of the numbers.
    numbers: Vec<usize>,
    n_tiles: u8,
}

impl Deduction {
    /// Whether the numbers it names, and the count of mines if it needs that, force the tile; marks count
    /// as mines.
    ///
    /// Laying the contrary on the tile, all ways to lay mines around these numbers are gone through.
    ///
    /// # Errors
    /// [`ProofError`] if they do not force it, or with too many ways.
    pub fn check(&self, knowledge: &Knowledge) -> Result<(), ProofError> {
        self.check_within(knowledge, MAX_STATES)
    }

    /// The same with another limit on the partial arrangements.
    pub(super) fn check_within(
        &self,
        knowledge: &Knowledge,
        max_states: usize,
    ) -> Result<(), ProofError> {
        if knowledge.view(self.tile) != View::Covered {
            return Err(ProofError::Decided);
        }
        let grid = knowledge.grid();
        let mut needed = Vec::with_capacity(self.because.len());
        let mut around: BTreeMap<Tile, Vec<usize>> = BTreeMap::new();
        for (at, number) in self.because.iter().enumerate() {
            let View::Number(mines) = knowledge.view(*number) else {
                return Err(ProofError::NoNumber(*number));
            };
            let mut mines = i32::from(mines);
            for near in grid.neighbors(*number) {
                match knowledge.view(near) {
                    View::Marked => mines -= 1,
                    // The contrary lies on the tile.
                    View::Covered if near == self.tile => mines -= i32::from(!self.is_mine),
                    View::Covered => around.entry(near).or_default().push(at),
                    View::Number(_) => {}
                }
            }
            match u8::try_from(mines) {
                Ok(mines) => needed.push(mines),
                // No arrangement has fewer mines than none.
                Err(_) => return Ok(()),
            }
        }
        // The mines that go on tiles apart from these numbers, and those tiles.
        let left = knowledge.mines_left().filter(|_| self.counts_mines);
        let left = left.map(|left| left - isize::from(!self.is_mine));
        let n_elsewhere = knowledge.n_covered() - 1 - around.len();
        let mut by_numbers: BTreeMap<Vec<usize>, u8> = BTreeMap::new();
        for numbers in around.into_values() {
            *by_numbers.entry(numbers).or_default() += 1;
        }
        let classes = by_numbers.into_iter();
        let classes: Vec<Class> = classes
            .map(|(numbers, n_tiles)| Class { numbers, n_tiles })
            .collect();
        let totals = arrangements(&classes, needed, left.is_some(), max_states)?;
        let agrees = |laid: &u16| {
            left.is_none_or(|left| {
                let elsewhere = left - isize::try_from(*laid).unwrap_or(isize::MAX);
                (0..=n_elsewhere.cast_signed()).contains(&elsewhere)
            })
        };
        if totals.iter().any(agrees) {
            return Err(ProofError::Refuted);
        }
        Ok(())
    }
}

/// The mines that arrangements around the numbers have; 0 where they are not counted.
fn arrangements(
    classes: &[Class],
    needed: Vec<u8>,
    are_counted: bool,
    max_states: usize,
) -> Result<BTreeSet<u16>, ProofError> {
    let has = |class: &Class, number| class.numbers.contains(&number);
    let last = |number| classes.iter().rposition(|class| has(class, number));
    let ends: Vec<Option<usize>> = (0..needed.len()).map(last).collect();
    // A number without tiles is satisfied, or nothing agrees with it.
    let mut idle = needed.iter().zip(&ends);
    if idle.any(|(needed, end)| *needed > 0 && end.is_none()) {
        return Ok(BTreeSet::new());
    }
    let mut states = BTreeSet::from([(needed, 0)]);
    for (at, class) in classes.iter().enumerate() {
        let mut after = BTreeSet::new();
        for (needed, laid) in states {
            for mines in 0..=class.n_tiles {
                let mut needed = needed.clone();
                let mut fits = true;
                for number in &class.numbers {
                    let left = needed[*number].checked_sub(mines);
                    // Nothing is left to lay once the last tiles around a number are.
                    fits &= left.is_some_and(|left| left == 0 || ends[*number] != Some(at));
                    needed[*number] = left.unwrap_or(0);
                }
                if fits {
                    let more = if are_counted { u16::from(mines) } else { 0 };
                    after.insert((needed, laid + more));
                }
            }
            if after.len() > max_states {
                return Err(ProofError::TooComplex);
            }
        }
        states = after;
    }
    Ok(states.into_iter().map(|(_, laid)| laid).collect())
}
