//! All ways to play on, when few arrangements of the mines are left.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use crate::{grid::Tile, knowledge::Knowledge, probability::Probabilities};

/// Sets of arrangements that are looked at in one search.
const MAX_SETS: usize = 20_000;

/// Searches the tree of everything that can be uncovered.
///
/// What is known is the set of arrangements that agree with it. Uncovering a tile leaves those
/// without a mine there, and parts them by the number that it shows; the search counts in how many
/// of them the game is won if every tile is chosen best.
#[derive(Clone, Debug, Default)]
pub(super) struct Endgame {
    tiles: Vec<Tile>,
    /// Per tile, its neighbors among the tiles.
    around: Vec<u128>,
    /// Per arrangement, the tiles with mines.
    arrangements: Vec<u128>,
    won: FxHashMap<Box<[u16]>, usize>,
    n_sets: usize,
}

/// More sets than are looked at.
struct TooMany;

impl Endgame {
    /// The best tile; `None` if there are more arrangements, more than 128 covered tiles, or the
    /// search is too long.
    pub(super) fn best(
        &mut self,
        knowledge: &Knowledge,
        probabilities: &Probabilities,
        max_arrangements: usize,
    ) -> Option<Tile> {
        let few = (max_arrangements as f64 + 0.5).ln();
        if probabilities.ln_arrangements() > few || knowledge.n_covered() > 128 {
            return None;
        }
        self.list(knowledge);
        self.won.clear();
        self.n_sets = 0;
        let all: Vec<u16> = (0..self.arrangements.len())
            .map(|at| u16::try_from(at).expect("few"))
            .collect();
        let (_, best) = self.search(&all, u128::MAX).ok()?;
        best.map(|at| self.tiles[at])
    }

    /// Lists the arrangements.
    fn list(&mut self, knowledge: &Knowledge) {
        let grid = knowledge.grid();
        // Tiles that touch the same numbers stand together, those that touch none last.
        self.tiles.clear();
        for set in knowledge.sets() {
            for tile in knowledge.tiles(set) {
                if !self.tiles.contains(&tile) {
                    self.tiles.push(tile);
                }
            }
        }
        let apart = knowledge
            .covered()
            .filter(|tile| knowledge.uncovered_around(*tile) == 0);
        self.tiles.extend(apart);
        let place = |tile| self.tiles.iter().position(|listed| *listed == tile);
        let mask = |tiles: &mut dyn Iterator<Item = Tile>| {
            tiles
                .filter_map(place)
                .fold(0_u128, |mask, at| mask | 1 << at)
        };
        self.around = self
            .tiles
            .iter()
            .map(|tile| mask(&mut grid.neighbors(*tile)))
            .collect();
        let numbers: Vec<(u128, u32)> = knowledge
            .sets()
            .map(|set| {
                (
                    mask(&mut knowledge.tiles(set)),
                    u32::from(set.n_mines.unsigned_abs()),
                )
            })
            .collect();
        let by_tile = |at: usize| {
            numbers
                .iter()
                .copied()
                .filter(move |(mask, _)| mask >> at & 1 == 1)
        };
        let by_tile: Vec<Vec<(u128, u32)>> = (0..self.tiles.len())
            .map(|at| by_tile(at).collect())
            .collect();
        self.arrangements.clear();
        let n_mines = u32::try_from(knowledge.mines_left()).unwrap_or(0);
        lay(&by_tile, 0, 0, n_mines, &mut self.arrangements);
    }

    /// In how many of these arrangements the game is won, and the tile to begin with if there is a
    /// choice; `open` are the tiles that may still tell something.
    fn search(&mut self, set: &[u16], mut open: u128) -> Result<(usize, Option<usize>), TooMany> {
        if set.len() == 1 {
            return Ok((1, None));
        }
        self.n_sets += 1;
        if self.n_sets > MAX_SETS {
            return Err(TooMany);
        }
        let mut n_mines = [0_usize; 128];
        let any = set
            .iter()
            .fold(0, |any, at| any | self.arrangements[usize::from(*at)]);
        let all = set.iter().fold(u128::MAX, |all, at| {
            all & self.arrangements[usize::from(*at)]
        });
        // What is safe is uncovered, and may tell the arrangements apart.
        for tile in 0..self.tiles.len() {
            if (any | !open) >> tile & 1 == 1 {
                continue;
            }
            open &= !(1 << tile);
            let parts = self.parts(set, tile);
            if parts.iter().filter(|part| !part.is_empty()).count() > 1 {
                let mut won = 0;
                for part in parts.iter().filter(|part| !part.is_empty()) {
                    won += self.won(part, open)?;
                }
                return Ok((won, Some(tile)));
            }
        }
        for at in set {
            let mut mines = self.arrangements[usize::from(*at)];
            while mines != 0 {
                n_mines[mines.trailing_zeros() as usize] += 1;
                mines &= mines - 1;
            }
        }
        let mut tiles: Vec<usize> = (0..self.tiles.len())
            .filter(|tile| (any & !all) >> tile & 1 == 1)
            .collect();
        tiles.sort_by_key(|tile| n_mines[*tile]);
        let mut best = (0, None);
        for tile in tiles {
            let mut most = set.len() - n_mines[tile];
            if most <= best.0 {
                break;
            }
            let safe: Vec<u16> = (set.iter().copied())
                .filter(|at| self.arrangements[usize::from(*at)] >> tile & 1 == 0)
                .collect();
            let mut parts = self.parts(&safe, tile);
            parts.sort_by_key(|part| Reverse(part.len()));
            for part in parts.iter().filter(|part| !part.is_empty()) {
                most -= part.len() - self.won(part, open & !(1 << tile))?;
                if most <= best.0 {
                    break;
                }
            }
            if most > best.0 {
                best = (most, Some(tile));
            }
        }
        Ok(best)
    }

    /// In how many of these arrangements the game is won.
    fn won(&mut self, set: &[u16], open: u128) -> Result<usize, TooMany> {
        if set.len() == 1 {
            return Ok(1);
        }
        if let Some(won) = self.won.get(set) {
            return Ok(*won);
        }
        let (won, _) = self.search(set, open)?;
        self.won.insert(set.into(), won);
        Ok(won)
    }

    /// The arrangements by the number that a tile shows.
    fn parts(&self, set: &[u16], tile: usize) -> [Vec<u16>; 9] {
        let mut parts: [Vec<u16>; 9] = Default::default();
        for at in set {
            let mines = self.arrangements[usize::from(*at)] & self.around[tile];
            parts[mines.count_ones() as usize].push(*at);
        }
        parts
    }
}

/// Adds every way to lay so many mines on the tiles from `at` on that agrees with the numbers
/// around each tile: their tiles, and their mines.
fn lay(numbers: &[Vec<(u128, u32)>], at: usize, mines: u128, n_mines: u32, found: &mut Vec<u128>) {
    if at == numbers.len() {
        if n_mines == 0 {
            found.push(mines);
        }
        return;
    }
    if n_mines as usize > numbers.len() - at {
        return;
    }
    let still_open = u128::MAX
        .checked_shl(u32::try_from(at).unwrap_or(u32::MAX) + 1)
        .unwrap_or(0);
    for (mines, n_mines) in [
        (mines, Some(n_mines)),
        (mines | 1 << at, n_mines.checked_sub(1)),
    ] {
        let Some(n_mines) = n_mines else { continue };
        let agrees = numbers[at].iter().all(|&(tiles, needed)| {
            let laid = (mines & tiles).count_ones();
            laid <= needed && laid + (tiles & still_open).count_ones() >= needed
        });
        if agrees {
            lay(numbers, at + 1, mines, n_mines, found);
        }
    }
}
