//! Guesses that cannot be avoided.

use crate::{
    grid::Tile,
    knowledge::{Knowledge, View},
    probability::{NoProbabilities, Probabilities, Solver},
};

/// How far from one half the probability of a tile may be by rounding.
const EQUAL: f64 = 1e-9;

/// Tiles with two equally likely arrangements that no information from outside can distinguish: the
/// player must guess and loses with probability one half, now or later.
///
/// The numbers around them, and the numbers that other tiles can show, are the same in both, and so are
/// their mines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiftyFifty {
    /// The tiles with mines in one arrangement.
    pub one: Vec<Tile>,
    /// The tiles with mines in the other.
    pub other: Vec<Tile>,
}

impl FiftyFifty {
    /// All of its tiles.
    pub fn tiles(&self) -> impl Iterator<Item = Tile> + use<'_> {
        self.one.iter().chain(&self.other).copied()
    }
}

/// The 50/50s of a position; marks count as mines. Where only the density of mines is known, they are found
/// as well.
///
/// # Errors
/// [`NoProbabilities`], as [`Solver::solve`].
pub fn fifty_fifties(
    knowledge: &Knowledge,
    probabilities: &Probabilities,
    solver: &mut Solver,
) -> Result<Vec<FiftyFifty>, NoProbabilities> {
    let mut found: Vec<FiftyFifty> = Vec::new();
    if knowledge.first_click().is_some() {
        return Ok(found);
    }
    let is_even = |tile: &Tile| (probabilities.mine(*tile) - 0.5).abs() < EQUAL;
    let even: Vec<Tile> = knowledge.covered().filter(is_even).collect();
    let mut is_done = vec![false; knowledge.grid().n_tiles()];
    for tile in &even {
        if std::mem::replace(&mut is_done[*tile], true) {
            continue;
        }
        let mut after = knowledge.clone();
        after.mark(*tile);
        let after = solver.solve(&after)?;
        // With a mine on this tile: of tiles that are even, those that are certain have the contrary
        // without one.
        let mut pair = FiftyFifty {
            one: vec![*tile],
            other: Vec::new(),
        };
        for other in even.iter().filter(|other| *other != tile) {
            let risk = after.mine(*other);
            if risk >= 1.0 {
                pair.one.push(*other);
            } else if risk <= 0.0 {
                pair.other.push(*other);
            }
        }
        for tile in pair.tiles() {
            is_done[tile] = true;
        }
        if pair.one.len() == pair.other.len() && is_hidden(knowledge, probabilities, &pair) {
            found.push(pair);
        }
    }
    Ok(found)
}

/// Whether nothing that can be uncovered outside shows another number in one arrangement than in the other.
fn is_hidden(knowledge: &Knowledge, probabilities: &Probabilities, pair: &FiftyFifty) -> bool {
    let grid = knowledge.grid();
    let n_near = |tiles: &[Tile], at: Tile| {
        let near = grid.neighbors(at).filter(|near| tiles.contains(near));
        near.count()
    };
    let mut outside = pair.tiles().flat_map(|tile| grid.neighbors(tile));
    outside.all(|near| {
        let is_silent = match knowledge.view(near) {
            View::Marked => true,
            View::Number(_) => false,
            View::Covered => {
                probabilities.mine(near) >= 1.0 || pair.tiles().any(|tile| tile == near)
            }
        };
        is_silent || n_near(&pair.one, near) == n_near(&pair.other, near)
    })
}
