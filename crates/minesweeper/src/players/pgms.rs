//! The equation strategy of PGMS.

use std::ops::Range;

use rand_chacha::ChaCha8Rng;

use super::guess::{least, pick};
use crate::{
    grid::{Offset, Tile},
    knowledge::{Constraint, Knowledge},
    player::{Action, Move, Player, Rule},
};

/// Limit on covered tiles for the global equation to take part in deductions.
const MAX_GLOBAL: usize = 8;

/// PGMS by J. D. Ramsdell, as section 5.1 of Peña Castillo and Wrobel 2003 reports it.
///
/// An equation gives the number of mines among some tiles: one for each number, and the difference
/// of two where one is a subset of the other. Where they determine nothing, the tile with the least
/// single equation probability is uncovered, ties at random.
///
/// The paper has one more, global equation: that of all mines. As in the program, it takes part in
/// deductions only if at most eight tiles are covered, and in guesses only for tiles that are in no
/// other equation.
#[derive(Clone, Debug, Default)]
pub struct Pgms {
    equations: Vec<Constraint>,
    /// Number of given equations, one a number; derived ones follow.
    n_given: usize,
}

/// The scope of the equations: the meaning of their masks.
#[derive(Clone, Copy)]
enum Scope<'k> {
    /// Tiles around numbers, as directions from their centers.
    Local(&'k Knowledge),
    /// All covered tiles, as indices in this list; the global equation takes part.
    Global(&'k Knowledge, [Tile; MAX_GLOBAL]),
}

impl Scope<'_> {
    fn tiles(self, set: Constraint) -> Vec<Tile> {
        match self {
            Self::Local(knowledge) => knowledge.tiles(set).collect(),
            Self::Global(_, tiles) => (0..MAX_GLOBAL)
                .filter(|index| set.mask >> index & 1 == 1)
                .map(|index| tiles[index])
                .collect(),
        }
    }

    fn offset(self, from: Constraint, to: Constraint) -> Option<Offset> {
        match self {
            Self::Local(knowledge) => knowledge.grid().offset(from.center, to.center),
            Self::Global(..) => Some(Offset::SAME),
        }
    }

    /// The range of the given equations, which are sorted by center, that may have a tile in common
    /// with `set`.
    fn near(self, numbers: &[Constraint], set: Constraint) -> Range<usize> {
        match self {
            Self::Local(knowledge) => {
                let reach = 2 * (knowledge.grid().width() + 1);
                let first = numbers.partition_point(|near| near.center + reach < set.center);
                let after = numbers.partition_point(|near| near.center <= set.center + reach);
                first..after
            }
            Self::Global(..) => 0..numbers.len(),
        }
    }

    /// The given equations: one a number, and the global one in its scope.
    fn equations(self, equations: &mut Vec<Constraint>) {
        match self {
            Self::Local(knowledge) => equations.extend(knowledge.constraints()),
            Self::Global(knowledge, tiles) => {
                let all =
                    u8::try_from((1_u32 << knowledge.n_covered()) - 1).expect("at most eight");
                let numbers = knowledge.constraints().map(|set| {
                    let bit = |tile| tiles.iter().position(|listed| *listed == tile);
                    let bits = knowledge.tiles(set).filter_map(bit);
                    Constraint {
                        mask: bits.fold(0, |mask, bit| mask | 1 << bit),
                        ..set
                    }
                });
                equations.extend(numbers);
                equations.extend(knowledge.mines_left().map(|left| Constraint {
                    center: tiles[0],
                    mask: all,
                    n_mines: i8::try_from(left).unwrap_or(i8::MAX),
                }));
            }
        }
    }
}

impl Pgms {
    /// A deduction from a single equation.
    fn single(scope: Scope<'_>, set: Constraint) -> Option<Move> {
        let action = match set.n_mines {
            0 => Action::Uncover,
            all if all == set.len() => Action::Mark,
            _ => return None,
        };
        let tile = scope.tiles(set).into_iter().next()?;
        Some(certain(scope, action(tile), [set, set]))
    }

    /// The first deduction; if there is none, the equations are closed under differences afterwards.
    fn deduce(&mut self, scope: Scope<'_>) -> Option<Move> {
        self.equations.clear();
        scope.equations(&mut self.equations);
        self.n_given = self.equations.len();
        let mut at = 0;
        while at < self.equations.len() {
            let new = self.equations[at];
            if let Some(found) = Self::single(scope, new) {
                return Some(found);
            }
            let near = scope.near(&self.equations[..self.n_given.min(at)], new);
            for earlier in near.chain(self.n_given..at) {
                let old = self.equations[earlier];
                let Some(offset) = scope.offset(old, new) else {
                    continue;
                };
                if new.common(old, offset) == 0 {
                    continue;
                }
                for (small, large, offset) in [(old, new, offset), (new, old, offset.back())] {
                    if let Some(found) = self.pair(scope, small, large, offset) {
                        return Some(found);
                    }
                }
            }
            at += 1;
        }
        None
    }

    /// A deduction from two equations with tiles in common; or adds their difference, if one is a
    /// subset of the other. `offset` is that of the second from the first.
    fn pair(
        &mut self,
        scope: Scope<'_>,
        small: Constraint,
        large: Constraint,
        offset: Offset,
    ) -> Option<Move> {
        let common = large.common(small, offset);
        let rest = Constraint {
            mask: large.mask & !common,
            n_mines: large.n_mines - small.n_mines,
            ..large
        };
        let is_part = common.count_ones() == small.mask.count_ones();
        if is_part && rest.mask != 0 {
            let same = |set: &Constraint| {
                set.len() == rest.len()
                    && (scope.offset(*set, rest))
                        .is_some_and(|offset| rest.common(*set, offset) == rest.mask)
            };
            let (numbers, others) = self.equations.split_at(self.n_given);
            let near = &numbers[scope.near(numbers, rest)];
            if !near.iter().chain(others).any(same) {
                self.equations.push(rest);
            }
        }
        if small.n_mines >= large.n_mines || rest.n_mines != rest.len() {
            return None;
        }
        // The tiles only in the other equation are safe: that follows once these are marked.
        let tile = scope.tiles(rest).into_iter().next()?;
        Some(certain(scope, Action::Mark(tile), [small, large]))
    }
}

fn certain(scope: Scope<'_>, action: Action, sets: [Constraint; 2]) -> Move {
    let (Scope::Local(knowledge) | Scope::Global(knowledge, _)) = scope;
    let numbers = sets.map(|set| set.center).into_iter();
    let mut because: Vec<Tile> = numbers
        .filter(|tile| !knowledge.is_covered(*tile))
        .collect();
    because.dedup();
    Move {
        because,
        ..Move::new(action, Rule::Equations)
    }
}

impl Player for Pgms {
    fn choose(&mut self, knowledge: &Knowledge, rng: &mut ChaCha8Rng) -> Option<Move> {
        if knowledge.n_covered() <= MAX_GLOBAL {
            let mut tiles = [Tile::MAX; MAX_GLOBAL];
            for (slot, tile) in tiles.iter_mut().zip(knowledge.covered()) {
                *slot = tile;
            }
            let found = self.deduce(Scope::Global(knowledge, tiles));
            if found.is_some() {
                return found;
            }
        }
        let found = self.deduce(Scope::Local(knowledge));
        if found.is_some() {
            return found;
        }
        let mut risks = vec![f64::NEG_INFINITY; knowledge.grid().n_tiles()];
        for set in &self.equations {
            let share = f64::from(set.n_mines) / f64::from(set.len());
            for tile in knowledge.tiles(*set) {
                risks[tile] = risks[tile].max(share);
            }
        }
        let elsewhere = if knowledge.is_protected() {
            0.0
        } else {
            knowledge.share_of_mines()
        };
        let risk = |tile: Tile| {
            Some(risks[tile])
                .filter(|risk| *risk >= 0.0)
                .unwrap_or(elsewhere)
        };
        let among = least(knowledge.covered().map(|tile| (tile, risk(tile))));
        let tile = *pick(&among, rng)?;
        Some(Move {
            risk: Some(risk(tile)),
            ..Move::new(Action::Uncover(tile), Rule::LeastRisk)
        })
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    fn choose(text: &str) -> Move {
        let knowledge = Knowledge::from_text(text).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        Pgms::default().choose(&knowledge, &mut rng).unwrap()
    }

    #[test]
    fn all_mines_count_when_few_tiles_are_unknown() {
        let few = choose("5x1/1\n.1...\n");
        assert_eq!(
            (few.action, few.rule),
            (Action::Uncover(3), Rule::Equations)
        );
        let many = choose("13x1/1\n.1...........\n");
        assert_eq!((many.rule, many.risk), (Rule::LeastRisk, Some(1.0 / 12.0)));
    }

    #[test]
    fn equations_elsewhere_have_nothing_in_common() {
        let text = "7x6/9\n.1..1..\n1..2..1\n..1..1.\n.2..1..\n1..1..1\n..1..2.\n";
        let knowledge = Knowledge::from_text(text).unwrap();
        let numbers: Vec<Constraint> = knowledge.constraints().collect();
        let scope = Scope::Local(&knowledge);
        for &set in &numbers {
            let near = scope.near(&numbers, set);
            for (at, &other) in numbers.iter().enumerate() {
                assert!(near.contains(&at) || scope.offset(other, set).is_none());
            }
        }
    }

    #[test]
    fn differences_are_equations_again() {
        // The first two tiles hold one mine, the first three two: the third is one.
        let text = "4x3/2\n....\n1221\n0000\n";
        assert_eq!(choose(text).action, Action::Mark(2));
    }
}
