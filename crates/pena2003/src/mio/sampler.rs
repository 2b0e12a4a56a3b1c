//! Labeled examples, drawn at random.

use std::collections::VecDeque;
use std::sync::Arc;

use kibitz_experiment::ChaCha8Rng;
use kibitz_ilp::learn::mio::active::{LabeledExample, Sampler, TeacherError};
use kibitz_minesweeper::{Board, FirstClick, Knowledge, Level, Solver, Tile, View};
use kibitz_prolog::{Atom, Symbol, Term};
use rand::RngExt as _;
use rand::seq::{IndexedRandom as _, SliceRandom as _};
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::observation::Observer;
use super::relations::World;

/// Which blank tiles of a board with an uncovered neighbor are examples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tiles {
    /// One of each board, uniformly.
    #[default]
    One,
    /// All of each board. The examples of many boards are then shuffled.
    All,
}

/// Which examples are contradictory, and removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Contradictory {
    /// Tiles that the board does not determine: they are safe on one board and mines on another that
    /// looks the same, whether the other one was drawn or not.
    #[default]
    Undetermined,
    /// The same tile of boards that look the same, if it was drawn as safe and as a mine.
    Literal,
    /// Tiles whose zones of interest look the same, so that the sets of Table 1 cannot distinguish
    /// them, if one of them was drawn as safe and another as a mine.
    Indistinguishable,
}

/// The choice of examples.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExampleChoice {
    /// The tiles of a board.
    pub tiles: Tiles,
    /// The examples that are removed.
    pub contradictory: Contradictory,
    /// Examples in which contradictions are looked for together, where these must have been drawn.
    pub n_together: usize,
}

/// A sampler of boards and of tiles on them.
///
/// The paper labels every blank tile with an uncovered neighbor by what it holds, and removes
/// contradictory examples. It does not specify how boards are drawn, and which examples are contradictory. Here a
/// board has its mines and then 1 to all but one of its safe tiles uncovered, none of them by
/// cascade, both uniformly.
#[derive(Debug)]
pub struct RandomTiles {
    level: Level,
    choice: ExampleChoice,
    /// Examples drawn together that are still to be given.
    pool: VecDeque<LabeledExample>,
    world: Arc<World>,
    /// The target: `safe` or `mine`.
    target: Symbol,
    /// Whether positive examples are mines.
    wants_mines: bool,
    solver: Solver,
    rng: ChaCha8Rng,
}

/// A blank tile with an uncovered neighbor, and its content.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LabeledTile {
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
        choice: ExampleChoice,
        rng: ChaCha8Rng,
    ) -> Self {
        Self {
            level: level.clone(),
            choice,
            pool: VecDeque::new(),
            world: Arc::clone(world),
            target,
            wants_mines,
            solver: Solver::new(),
            rng,
        }
    }

    fn position(&mut self) -> Result<(Board, Knowledge), TeacherError> {
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
        Ok((board, knowledge))
    }

    /// The examples of a board.
    fn tiles(&mut self, board: &Board, knowledge: &Knowledge) -> Vec<LabeledTile> {
        let tiles = if self.choice.contradictory == Contradictory::Undetermined {
            certain_tiles(knowledge, &mut self.solver)
        } else {
            let labeled = |tile| LabeledTile {
                tile,
                is_mine: board.is_mine(tile),
            };
            frontier(knowledge).map(labeled).collect()
        };
        match self.choice.tiles {
            Tiles::One => tiles.choose(&mut self.rng).copied().into_iter().collect(),
            Tiles::All => tiles,
        }
    }

    /// What two contradictory examples have in common.
    fn appearance(&self, knowledge: &Knowledge, tile: Tile, observer: &mut Observer) -> Vec<u32> {
        match self.choice.contradictory {
            Contradictory::Undetermined => Vec::new(),
            Contradictory::Literal => {
                let face = |other: Tile| match knowledge.view(other) {
                    View::Number(number) => u32::from(number),
                    View::Covered | View::Marked => u32::MAX,
                };
                let tiles = 0..knowledge.grid().n_tiles();
                let own = u32::try_from(tile).unwrap_or(u32::MAX);
                tiles.map(face).chain([own]).collect()
            }
            Contradictory::Indistinguishable => observer.observe(knowledge, tile).to_vec(),
        }
    }

    /// Draws examples of many boards, removes the contradictory ones, and shuffles the rest.
    fn fill(&mut self) -> Result<(), TeacherError> {
        let mut drawn: Vec<(LabeledExample, Vec<u32>)> = Vec::new();
        // Whether an appearance has both labels.
        let mut labels: FxHashMap<Vec<u32>, [bool; 2]> = FxHashMap::default();
        let mut observer = Observer::default();
        let mut n_barren = 0;
        while drawn.len() < self.choice.n_together.max(1) {
            let (board, knowledge) = self.position()?;
            let tiles = self.tiles(&board, &knowledge);
            n_barren = if tiles.is_empty() { n_barren + 1 } else { 0 };
            if n_barren == MAX_BARREN {
                return Err(barren());
            }
            observer.look(&knowledge);
            let constant = self.world.add(knowledge.clone());
            for LabeledTile { tile, is_mine } in tiles {
                let appearance = self.appearance(&knowledge, tile, &mut observer);
                if self.choice.contradictory != Contradictory::Undetermined {
                    labels.entry(appearance.clone()).or_default()[usize::from(is_mine)] = true;
                }
                let labeled = LabeledExample {
                    atom: atom(self.target, tile, constant),
                    is_positive: is_mine == self.wants_mines,
                };
                drawn.push((labeled, appearance));
            }
        }
        drawn.retain(|(_, appearance)| labels.get(appearance) != Some(&[true; 2]));
        drawn.shuffle(&mut self.rng);
        self.pool = drawn.into_iter().map(|(labeled, _)| labeled).collect();
        Ok(())
    }
}

/// The blank tiles with an uncovered neighbor.
fn frontier(knowledge: &Knowledge) -> impl Iterator<Item = Tile> + '_ {
    let is_near = |tile: &Tile| {
        let mut near = knowledge.grid().neighbors(*tile);
        near.any(|near| matches!(knowledge.view(near), View::Number(_)))
    };
    knowledge.covered().filter(is_near)
}

/// The blank tiles with an uncovered neighbor whose content no arrangement of the mines changes. None
/// if there are too many arrangements to decide: such a position gives no examples.
pub(crate) fn certain_tiles(knowledge: &Knowledge, solver: &mut Solver) -> Vec<LabeledTile> {
    let Ok(probabilities) = solver.solve(knowledge) else {
        return Vec::new();
    };
    let certain = frontier(knowledge).filter_map(|tile| {
        let share = probabilities.mine(tile);
        let is_certain = share <= 0.0 || share >= 1.0;
        is_certain.then_some(LabeledTile {
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

fn barren() -> TeacherError {
    TeacherError::NoExamples(format!("no tile is an example on {MAX_BARREN} boards"))
}

impl Sampler for RandomTiles {
    fn draw(&mut self) -> Result<LabeledExample, TeacherError> {
        let alone = ExampleChoice::default();
        if (self.choice.tiles, self.choice.contradictory) != (alone.tiles, alone.contradictory) {
            for _ in 0..MAX_BARREN {
                if let Some(example) = self.pool.pop_front() {
                    return Ok(example);
                }
                self.fill()?;
            }
            return Err(barren());
        }
        for _ in 0..MAX_BARREN {
            let (board, knowledge) = self.position()?;
            if let Some(chosen) = self.tiles(&board, &knowledge).first() {
                let board = self.world.add(knowledge);
                return Ok(LabeledExample {
                    atom: atom(self.target, chosen.tile, board),
                    is_positive: chosen.is_mine == self.wants_mines,
                });
            }
        }
        Err(barren())
    }
}
