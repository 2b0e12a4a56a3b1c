//! The equation strategy of PGMS.

use std::ops::Range;

use rand_chacha::ChaCha8Rng;

use super::rules::{least, pick};
use crate::{
    grid::{Offset, Tile},
    knowledge::{Knowledge, TileSet},
    player::{Action, Move, Player, Rule},
};

/// Unknown tiles up to which the equation of all mines takes part in deductions.
const MAX_GLOBAL: usize = 8;

/// PGMS by J. D. Ramsdell, as section 5.1 of Peña Castillo and Wrobel 2003 reports it.
///
/// An equation says how many mines are among some tiles: one for each number, and the difference
/// of two where one is part of the other. Where they determine nothing, the tile with the least
/// single equation probability is uncovered, ties at random.
///
/// The paper has one more equation, that of all mines. As in the program it takes part only when
/// at most eight tiles are unknown, and in guessing only for tiles that are in no other.
#[derive(Clone, Debug, Default)]
pub struct Pgms {
    equations: Vec<TileSet>,
    /// Those that come first, one a number, before those that follow from others.
    n_first: usize,
}

/// The tiles that the equations are about.
#[derive(Clone, Copy)]
enum Frame<'k> {
    /// Those around numbers.
    Board(&'k Knowledge),
    /// All unknown ones, few enough to be numbered.
    Few(&'k Knowledge, [Tile; MAX_GLOBAL]),
}

impl Frame<'_> {
    fn tiles(self, set: TileSet) -> Vec<Tile> {
        match self {
            Self::Board(knowledge) => knowledge.tiles(set).collect(),
            Self::Few(_, tiles) => (0..MAX_GLOBAL)
                .filter(|index| set.mask >> index & 1 == 1)
                .map(|index| tiles[index])
                .collect(),
        }
    }

    fn offset(self, from: TileSet, to: TileSet) -> Option<Offset> {
        match self {
            Self::Board(knowledge) => knowledge.grid().offset(from.center, to.center),
            Self::Few(..) => Some(Offset::SAME),
        }
    }

    /// Those of the equations of numbers, which are in the order of their tiles, that may have a
    /// tile in common with a set.
    fn near(self, numbers: &[TileSet], set: TileSet) -> Range<usize> {
        match self {
            Self::Board(knowledge) => {
                let reach = 2 * (knowledge.grid().width() + 1);
                let first = numbers.partition_point(|near| near.center + reach < set.center);
                let after = numbers.partition_point(|near| near.center <= set.center + reach);
                first..after
            }
            Self::Few(..) => 0..numbers.len(),
        }
    }

    /// One equation a number, and that of all mines if there are few tiles.
    fn equations(self, equations: &mut Vec<TileSet>) {
        match self {
            Self::Board(knowledge) => equations.extend(knowledge.sets()),
            Self::Few(knowledge, tiles) => {
                let all =
                    u8::try_from((1_u32 << knowledge.n_covered()) - 1).expect("at most eight");
                let n_mines = i8::try_from(knowledge.mines_left()).unwrap_or(i8::MAX);
                let numbers = knowledge.sets().map(|set| {
                    let bit = |tile| tiles.iter().position(|listed| *listed == tile);
                    let bits = knowledge.tiles(set).filter_map(bit);
                    TileSet {
                        mask: bits.fold(0, |mask, bit| mask | 1 << bit),
                        ..set
                    }
                });
                equations.extend(numbers);
                equations.push(TileSet {
                    center: tiles[0],
                    mask: all,
                    n_mines,
                });
            }
        }
    }
}

impl Pgms {
    /// What an equation alone determines.
    fn single(frame: Frame<'_>, set: TileSet) -> Option<Move> {
        let action = match set.n_mines {
            0 => Action::Uncover,
            all if all == set.len() => Action::Mark,
            _ => return None,
        };
        let tile = frame.tiles(set).into_iter().next()?;
        Some(certain(frame, action(tile), [set, set]))
    }

    /// The first tile that the equations determine; they are complete afterwards if there is none.
    fn deduce(&mut self, frame: Frame<'_>) -> Option<Move> {
        self.equations.clear();
        frame.equations(&mut self.equations);
        self.n_first = self.equations.len();
        let mut at = 0;
        while at < self.equations.len() {
            let new = self.equations[at];
            if let Some(found) = Self::single(frame, new) {
                return Some(found);
            }
            let near = frame.near(&self.equations[..self.n_first.min(at)], new);
            for earlier in near.chain(self.n_first..at) {
                let old = self.equations[earlier];
                let Some(offset) = frame.offset(old, new) else {
                    continue;
                };
                if new.common(old, offset) == 0 {
                    continue;
                }
                for (small, large, offset) in [(old, new, offset), (new, old, offset.back())] {
                    if let Some(found) = self.pair(frame, small, large, offset) {
                        return Some(found);
                    }
                }
            }
            at += 1;
        }
        None
    }

    /// What two equations with tiles in common determine, or the equation that follows from them;
    /// `offset` leads from the first to the second.
    fn pair(
        &mut self,
        frame: Frame<'_>,
        small: TileSet,
        large: TileSet,
        offset: Offset,
    ) -> Option<Move> {
        let common = large.common(small, offset);
        let rest = TileSet {
            mask: large.mask & !common,
            n_mines: large.n_mines - small.n_mines,
            ..large
        };
        let is_part = common.count_ones() == small.mask.count_ones();
        if is_part && rest.mask != 0 {
            let same = |set: &TileSet| {
                set.len() == rest.len()
                    && (frame.offset(*set, rest))
                        .is_some_and(|offset| rest.common(*set, offset) == rest.mask)
            };
            let (numbers, others) = self.equations.split_at(self.n_first);
            let near = &numbers[frame.near(numbers, rest)];
            if !near.iter().chain(others).any(same) {
                self.equations.push(rest);
            }
        }
        if small.n_mines >= large.n_mines || rest.n_mines != rest.len() {
            return None;
        }
        // That what is only in the other is safe follows once these are marked.
        let tile = frame.tiles(rest).into_iter().next()?;
        Some(certain(frame, Action::Mark(tile), [small, large]))
    }
}

fn certain(frame: Frame<'_>, action: Action, sets: [TileSet; 2]) -> Move {
    let (Frame::Board(knowledge) | Frame::Few(knowledge, _)) = frame;
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
            let found = self.deduce(Frame::Few(knowledge, tiles));
            if found.is_some() {
                return found;
            }
        }
        let found = self.deduce(Frame::Board(knowledge));
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
        let elsewhere = knowledge.mines_left() as f64 / knowledge.n_covered() as f64;
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
        let numbers: Vec<TileSet> = knowledge.sets().collect();
        let frame = Frame::Board(&knowledge);
        for &set in &numbers {
            let near = frame.near(&numbers, set);
            for (at, &other) in numbers.iter().enumerate() {
                assert!(near.contains(&at) || frame.offset(other, set).is_none());
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
