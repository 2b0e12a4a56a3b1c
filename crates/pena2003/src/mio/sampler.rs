//! Labeled examples, drawn at random.

use std::sync::Arc;

use kibitz_experiment::ChaCha8Rng;
use kibitz_ilp::learn::mio::active::{Labeled, Sampler, TeacherError};
use kibitz_minesweeper::{Board, FirstClick, Knowledge, Level, Solver, Tile, View};
use kibitz_prolog::{Atom, Symbol, Term};
use rand::RngExt as _;
use rand::seq::{IndexedRandom as _, SliceRandom as _};

use super::relations::World;

/// Draws a board and a tile of it, again and again.
///
/// The paper labels every blank tile with an uncovered neighbor by what it holds, and removes
/// contradictory examples. It leaves open how boards are drawn and what contradicts what. Here a
/// board has its mines and then 1 to all but one of its safe tiles uncovered, none of them by
/// cascade, both uniformly; tiles that other arrangements of the mines make different are left out,
/// since they are safe on one board and mines on another that looks the same. One tile is taken of
/// each board, uniformly.
#[derive(Debug)]
pub struct RandomTiles {
    level: Level,
    world: Arc<World>,
    /// The target: `safe` or `mine`.
    target: Symbol,
    /// Whether positive examples are mines.
    wants_mines: bool,
    solver: Solver,
    rng: ChaCha8Rng,
}

/// A blank tile with an uncovered neighbor whose content is certain.
pub(crate) struct CertainTile {
    pub(crate) tile: Tile,
    pub(crate) is_mine: bool,
}

impl RandomTiles {
    /// Draws boards of a level into a world, about a target (`safe` or `mine`); `wants_mines` says whether
    /// positive examples are mines.
    pub fn new(
        level: &Level,
        world: &Arc<World>,
        target: Symbol,
        wants_mines: bool,
        rng: ChaCha8Rng,
    ) -> Self {
        Self {
            level: level.clone(),
            world: Arc::clone(world),
            target,
            wants_mines,
            solver: Solver::new(),
            rng,
        }
    }

    fn position(&mut self) -> Result<Knowledge, TeacherError> {
        let Level { grid, n_mines } = &self.level;
        let board = Board::random(grid, *n_mines, FirstClick::Unprotected, 0, &mut self.rng)
            .map_err(|error| TeacherError::NoExamples(error.to_string()))?;
        let mut safe: Vec<Tile> = (0..grid.n_tiles())
            .filter(|tile| !board.is_mine(*tile))
            .collect();
        if safe.len() < 2 {
            let reason = "a board needs two tiles without mines";
            return Err(TeacherError::NoExamples(reason.into()));
        }
        let n_uncovered = self.rng.random_range(1..safe.len());
        let (uncovered, _) = safe.partial_shuffle(&mut self.rng, n_uncovered);
        let mut knowledge = Knowledge::new(grid, *n_mines);
        for &mut tile in uncovered {
            knowledge.uncover(tile, board.number(tile));
        }
        Ok(knowledge)
    }
}

/// The blank tiles with an uncovered neighbor whose content no arrangement of the mines changes. None
/// where the arrangements are too many to tell: such a position teaches nothing.
pub(crate) fn certain_tiles(knowledge: &Knowledge, solver: &mut Solver) -> Vec<CertainTile> {
    let Ok(probabilities) = solver.solve(knowledge) else {
        return Vec::new();
    };
    let is_near = |tile: &Tile| {
        let mut near = knowledge.grid().neighbors(*tile);
        near.any(|near| matches!(knowledge.view(near), View::Number(_)))
    };
    let certain = knowledge.covered().filter(is_near).filter_map(|tile| {
        let share = probabilities.mine(tile);
        let is_certain = share <= 0.0 || share >= 1.0;
        is_certain.then_some(CertainTile {
            tile,
            is_mine: share > 0.5,
        })
    });
    certain.collect()
}

/// The atom that says `target` of a tile.
pub(crate) fn atom(target: Symbol, tile: Tile, board: kibitz_prolog::Constant) -> Atom {
    let tile = Term::int(i64::try_from(tile).unwrap_or(i64::MAX));
    Atom::new(target, [tile, Term::Const(board)])
}

/// Boards in a row without a certain tile before there seem to be none.
const MAX_BARREN: usize = 10_000;

impl Sampler for RandomTiles {
    fn draw(&mut self) -> Result<Labeled, TeacherError> {
        for _ in 0..MAX_BARREN {
            let knowledge = self.position()?;
            let tiles = certain_tiles(&knowledge, &mut self.solver);
            if let Some(chosen) = tiles.choose(&mut self.rng) {
                let board = self.world.add(knowledge);
                return Ok(Labeled {
                    atom: atom(self.target, chosen.tile, board),
                    is_positive: chosen.is_mine == self.wants_mines,
                });
            }
        }
        let reason = format!("no tile is certain on {MAX_BARREN} boards");
        Err(TeacherError::NoExamples(reason))
    }
}
