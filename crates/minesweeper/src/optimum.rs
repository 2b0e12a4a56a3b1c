//! The optimum: the chance to win of the best play, by complete search.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::{
    board::{Board, FirstClick},
    endgame::{Endgame, SearchLimits},
    game::Game,
    grid::{Grid, Tile},
    knowledge::{Knowledge, View},
    probability::{NoProbabilities, Solver},
};

/// A chance to win as a fraction: the arrangements in which the best play wins, of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WinChance {
    /// Arrangements in which it wins.
    pub won: usize,
    /// All arrangements, or those that the protection of the first click allows.
    pub of: usize,
}

impl WinChance {
    /// The chance as a number.
    pub fn get(self) -> f64 {
        self.won as f64 / self.of as f64
    }

    /// Whether it is greater than another one: fractions are compared exactly.
    pub fn is_above(self, other: Self) -> bool {
        self.won as u128 * other.of as u128 > other.won as u128 * self.of as u128
    }
}

/// The best move in a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyMove {
    /// The signs of the position, row after row, `.` for covered tiles.
    pub position: String,
    /// The tile to uncover.
    pub tile: Tile,
    /// The chance to win.
    pub chance: WinChance,
}

/// Why a position has no optimum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoOptimum {
    /// It has no probabilities.
    #[error(transparent)]
    Probabilities(#[from] NoProbabilities),
    /// There are too many arrangements, or only the density of mines is known.
    #[error("too many arrangements for a complete search")]
    TooMany,
    /// The search would expand too many states.
    #[error("the complete search reached its limit")]
    Limit,
}

/// Complete search of positions with few arrangements, with the policy that wins most.
///
/// # Examples
/// ```
/// use kibitz_minesweeper::{Grid, Knowledge, Optimum};
///
/// // Two of three tiles in a row hold mines: the middle one shows nothing new.
/// let empty = Knowledge::new(&Grid::new(3, 1)?, 2);
/// let (_, chance) = Optimum::default().best(&empty)?.ok_or("won already")?;
/// assert_eq!((chance.won, chance.of), (1, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Optimum {
    /// Limits of a search.
    pub limits: SearchLimits,
    solver: Solver,
    endgame: Endgame,
}

impl Default for Optimum {
    fn default() -> Self {
        Self::new(SearchLimits {
            arrangements: 4096,
            states: 500_000,
        })
    }
}

impl Optimum {
    /// With these limits.
    pub fn new(limits: SearchLimits) -> Self {
        Self {
            limits,
            solver: Solver::new(),
            endgame: Endgame::default(),
        }
    }

    /// The best tile to uncover, with the probability to win; `None` if the game is won.
    ///
    /// Ties are broken by safety, then the least risk, then the first row and column. Uncovering a safe tile
    /// costs nothing and may give information, so if there is one, the best tile is safe.
    ///
    /// # Errors
    /// [`NoOptimum`] without probabilities, or beyond the limits.
    pub fn best(&mut self, knowledge: &Knowledge) -> Result<Option<(Tile, WinChance)>, NoOptimum> {
        let tiles = self.tiles(knowledge)?;
        Ok(self.preferred(knowledge, &tiles))
    }

    /// The best of the tiles that [`tiles`](Self::tiles) has just found in this position.
    pub(crate) fn preferred(
        &self,
        knowledge: &Knowledge,
        tiles: &[(Tile, WinChance)],
    ) -> Option<(Tile, WinChance)> {
        // The first click meets no mine on any tile if it is protected.
        let is_protected = knowledge.is_protected();
        let n_mines = |tile| {
            if is_protected {
                0
            } else {
                self.endgame.n_mines(tile)
            }
        };
        tiles.iter().copied().reduce(|best, next| {
            let is_equal = !best.1.is_above(next.1) && !next.1.is_above(best.1);
            let is_safer = || n_mines(next.0) < n_mines(best.0);
            let is_better = next.1.is_above(best.1) || is_equal && is_safer();
            if is_better { next } else { best }
        })
    }

    /// The chance to win by uncovering each covered tile and playing best from there, by tile; none if the
    /// game is won. Marks count as mines.
    ///
    /// # Errors
    /// [`NoOptimum`] without probabilities, or beyond the limits.
    pub fn tiles(&mut self, knowledge: &Knowledge) -> Result<Vec<(Tile, WinChance)>, NoOptimum> {
        let probabilities = self.solver.solve(knowledge)?;
        let all = self
            .endgame
            .prepare(knowledge, probabilities, self.limits)
            .ok_or(NoOptimum::TooMany)?;
        if knowledge.is_won() {
            return Ok(Vec::new());
        }
        let mut found: Vec<(Tile, WinChance)> = Vec::new();
        let tiles = self.endgame.tiles().to_vec();
        for (at, tile) in tiles.into_iter().enumerate() {
            // On an untouched board, a tile is worth what its mirror images are.
            let image = mirrored(knowledge, tile);
            let known = found.iter().find(|(known, _)| image.contains(known));
            if let Some((_, chance)) = known {
                found.push((tile, *chance));
                continue;
            }
            let safe = self.endgame.without(&all, [tile].into_iter());
            let allowed = self.allowed(knowledge, tile, &safe);
            let of = allowed.as_ref().map_or(all.len(), Vec::len);
            let safe = allowed.unwrap_or(safe);
            let won = self.endgame.won_after(&safe, at);
            let won = won.map_err(|_| NoOptimum::Limit)?;
            found.push((tile, WinChance { won, of }));
        }
        found.sort_unstable_by_key(|(tile, _)| *tile);
        Ok(found)
    }

    /// The arrangements that the protection of the first click allows, of those in which this tile, the
    /// first, is safe; `None` if all are allowed.
    fn allowed(&self, knowledge: &Knowledge, first: Tile, safe: &[u16]) -> Option<Vec<u16>> {
        let grid = knowledge.grid();
        let protection = knowledge.first_click()?;
        let protection = protection.with_room(grid, all_mines(knowledge), first);
        match protection.unwrap_or(FirstClick::Unprotected) {
            FirstClick::Unprotected => None,
            FirstClick::Safe => Some(safe.to_vec()),
            FirstClick::Opening => Some(self.endgame.without(safe, grid.neighbors(first))),
        }
    }

    /// The optimal policy: the best move in every position that it can reach, with zeros cascading; empty if
    /// the game is won.
    ///
    /// # Errors
    /// [`NoOptimum`] without probabilities, or beyond the limits.
    pub fn policy(&mut self, knowledge: &Knowledge) -> Result<Vec<PolicyMove>, NoOptimum> {
        let Some((first, chance)) = self.best(knowledge)? else {
            return Ok(Vec::new());
        };
        let tiles = self.endgame.tiles().to_vec();
        let all: Vec<u16> = (0..).take(self.endgame.n_arrangements()).collect();
        let safe = self.endgame.without(&all, [first].into_iter());
        let start = self.allowed(knowledge, first, &safe).unwrap_or(all);
        let mut found = BTreeMap::new();
        let mut open = vec![(knowledge.clone(), start, Some((first, chance)))];
        while let Some((position, set, known)) = open.pop() {
            let (tile, chance) = match known {
                Some(known) => known,
                None => self.decide(&position, &set, &tiles)?,
            };
            open.extend(self.after(&position, tile, &set, &tiles));
            let text = position.to_text();
            let signs = text.lines().skip(1).collect::<Vec<_>>().join("/");
            found.insert(signs, (tile, chance));
        }
        let moves = found.into_iter();
        let moves = moves.map(|(position, (tile, chance))| PolicyMove {
            position,
            tile,
            chance,
        });
        Ok(moves.collect())
    }

    /// The best tile of a position with these arrangements left, in the order of [`best`](Self::best).
    fn decide(
        &mut self,
        position: &Knowledge,
        set: &[u16],
        tiles: &[Tile],
    ) -> Result<(Tile, WinChance), NoOptimum> {
        let won = self.endgame.most_won(set);
        let won = won.map_err(|_| NoOptimum::Limit)?;
        let of = set.len();
        let mut order: Vec<(usize, Tile, usize)> = (0..tiles.len())
            .filter(|at| position.is_covered(tiles[*at]))
            .map(|at| {
                let mines = set.iter().filter(|all| self.endgame.is_mine(**all, at));
                (mines.count(), tiles[at], at)
            })
            .collect();
        order.sort_unstable();
        for (n_mines, tile, at) in order {
            if of - n_mines < won {
                break;
            }
            let is_best = n_mines == 0 || {
                let safe = self.endgame.without(set, [tile].into_iter());
                let after = self.endgame.won_after(&safe, at);
                after.map_err(|_| NoOptimum::Limit)? == won
            };
            if is_best {
                return Ok((tile, WinChance { won, of }));
            }
        }
        // One of the tiles wins as often as the best play: the search found it.
        Err(NoOptimum::Limit)
    }

    /// The positions that are still open after this tile is uncovered without meeting a mine, with the
    /// arrangements of each.
    fn after(
        &self,
        position: &Knowledge,
        tile: Tile,
        set: &[u16],
        tiles: &[Tile],
    ) -> impl Iterator<Item = (Knowledge, Vec<u16>, Option<(Tile, WinChance)>)> + use<> {
        let grid = position.grid();
        let marked = (0..grid.n_tiles()).filter(|tile| position.view(*tile) == View::Marked);
        let marked: Vec<Tile> = marked.collect();
        let mut parts: BTreeMap<String, (Knowledge, Vec<u16>)> = BTreeMap::new();
        for arrangement in set {
            let is_mine = |at: &usize| self.endgame.is_mine(*arrangement, *at);
            let mines = (0..tiles.len()).filter(is_mine).map(|at| tiles[at]);
            let board = Board::new(grid, mines.chain(marked.iter().copied()));
            let mut game = Game::new(&board).resuming(position);
            game.uncover(tile);
            if game.is_over() {
                continue;
            }
            let after = game.knowledge();
            let part = parts.entry(after.to_text());
            let (_, part) = part.or_insert_with(|| (after.clone(), Vec::new()));
            part.push(*arrangement);
        }
        parts.into_values().map(|(after, part)| (after, part, None))
    }
}

/// The mines of the board, where they are known.
fn all_mines(knowledge: &Knowledge) -> usize {
    let left = knowledge.mines_left().unwrap_or(0);
    left.unsigned_abs() + knowledge.n_marked()
}

/// The images of a tile under the symmetries of an untouched board; nothing on others.
fn mirrored(knowledge: &Knowledge, tile: Tile) -> Vec<Tile> {
    let grid: &Grid = knowledge.grid();
    let has_marks = (0..grid.n_tiles()).any(|tile| knowledge.view(tile) == View::Marked);
    if knowledge.first_click().is_none() || has_marks {
        return Vec::new();
    }
    let (row, column) = grid.row_and_column(tile);
    let (up, left) = (grid.height() - 1 - row, grid.width() - 1 - column);
    let mut places = vec![(row, left), (up, column), (up, left)];
    if grid.width() == grid.height() {
        let mut turned = places.clone();
        turned.push((row, column));
        let turned = turned.into_iter().map(|(row, column)| (column, row));
        places.extend(turned);
    }
    let tiles = places.into_iter();
    tiles
        .filter_map(|(row, column)| grid.tile(row, column))
        .collect()
}
