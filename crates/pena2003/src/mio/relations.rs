//! The background knowledge of Table 1, as relations computed in Rust.
//!
//! Boards, zones and sets are constants of the logic programs: numbers under which a [`World`] keeps
//! them. Tiles are their own numbers.
//!
//! Choices that the paper does not specify:
//! - The zone of interest of a blank tile are its uncovered neighbors, and the uncovered tiles that
//!   share a blank tile with one of these.
//! - Marked tiles are not in sets; the mines of a set are the number less the marks around it.
//! - The difference of two sets is given where they have a tile in common, something is left, and
//!   the two numbers force how many mines are in what is left: with the mines in common between
//!   `max(0, m1 - |S1 - S2|, m2 - |S2 - S1|)` and `min(m1, m2, |S1 ∩ S2|)`, these are equal.
//! - All remaining mines are in the fringe where no arrangement of the mines has one elsewhere.

use std::ops::ControlFlow;
use std::sync::{Arc, PoisonError, RwLock};

use indexmap::IndexSet;
use kibitz_ilp::{Source, Task, TaskError};
use kibitz_minesweeper::{Knowledge, Solver, Tile, View};
use kibitz_prolog::{
    Clause, Constant, Database, Direction, Literal, NativeError, NativeRelation, ProverError,
    ReadErrors, Signature, SymbolTable, print_clause, read_clauses,
};
use rustc_hash::FxBuildHasher;
use thiserror::Error;

/// The modes of Table 1.
const MODES: &str = ":- modeh(1,safe(+blank,+board))?
:- modeb(1,zoneOfInterest(+blank,+board,-zone))?
:- modeb(1,totalMinesLeft(+board,-int))?
:- modeb(1,allMinesInFringe(+board,-set))?
:- modeb(*,setHasXMines(-number,+board,+zone,-set))?
:- modeb(1,diffSetHasXMines(+set,+set,-set))?
:- modeb(1,inSet(+blank,+set))?
:- modeb(1,lengthSet(+set,+int))?
:- modeb(1,minesInSet(+set,-#int))?
";

/// The rules of Table 3.
pub(crate) const TABLE_3: &str = "safe(T, B) :- zoneOfInterest(T, B, Z), setHasXMines(_, B, Z, S),
    inSet(T, S), minesInSet(S, 0).
safe(T, B) :- zoneOfInterest(T, B, Z), setHasXMines(_, B, Z, S0), setHasXMines(_, B, Z, S1),
    diffSetHasXMines(S1, S0, S3), inSet(T, S3), minesInSet(S3, 0).
safe(T, B) :- zoneOfInterest(T, B, Z), setHasXMines(_, B, Z, S0), setHasXMines(_, B, Z, S1),
    setHasXMines(_, B, Z, S2), diffSetHasXMines(S1, S0, S3), diffSetHasXMines(S2, S3, S4),
    inSet(T, S4), minesInSet(S4, 0).
mine(T, B) :- zoneOfInterest(T, B, Z), setHasXMines(_, B, Z, S), inSet(T, S), minesInSet(S, N),
    lengthSet(S, N).
";

/// Some blank tiles, and how many mines are among them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct TileSet {
    pub(super) tiles: Vec<Tile>,
    pub(super) n_mines: usize,
}

/// The boards, zones and sets that are constants of logic programs.
#[derive(Debug, Default)]
pub struct World {
    known: RwLock<WorldContents>,
}

#[derive(Debug, Default)]
struct WorldContents {
    /// Number of times that it was cleared.
    generation: u64,
    boards: Vec<Arc<Knowledge>>,
    zones: IndexSet<Vec<Tile>, FxBuildHasher>,
    sets: IndexSet<TileSet, FxBuildHasher>,
}

fn constant(number: usize) -> Constant {
    Constant::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

impl World {
    /// The constant of a position.
    pub fn add(&self, knowledge: Knowledge) -> Constant {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.boards.push(Arc::new(knowledge));
        constant(known.boards.len() - 1)
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        *known = WorldContents {
            generation: known.generation + 1,
            ..WorldContents::default()
        };
    }

    /// Number of times that everything was cleared: constants of earlier generations are invalid.
    pub(crate) fn generation(&self) -> u64 {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.generation
    }

    /// How many positions there are.
    pub(crate) fn n_boards(&self) -> usize {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.boards.len()
    }

    /// The position of a constant's number, if there is one.
    pub fn board(&self, number: usize) -> Option<Arc<Knowledge>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.boards.get(number).cloned()
    }

    fn zone(&self, number: usize) -> Option<Vec<Tile>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.zones.get_index(number).cloned()
    }

    fn name_zone(&self, zone: Vec<Tile>) -> Constant {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        constant(known.zones.insert_full(zone).0)
    }

    /// What a set is asked about.
    fn with_set<T>(&self, number: usize, ask: impl FnOnce(&TileSet) -> T) -> Option<T> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.sets.get_index(number).map(ask)
    }

    fn name_set(&self, set: TileSet) -> Constant {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        constant(known.sets.insert_full(set).0)
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Relation {
    ZoneOfInterest,
    TotalMinesLeft,
    AllMinesInFringe,
    SetHasXMines,
    DiffSetHasXMines,
    InSet,
    LengthSet,
    MinesInSet,
}

impl Relation {
    const ALL: [Self; 8] = [
        Self::ZoneOfInterest,
        Self::TotalMinesLeft,
        Self::AllMinesInFringe,
        Self::SetHasXMines,
        Self::DiffSetHasXMines,
        Self::InSet,
        Self::LengthSet,
        Self::MinesInSet,
    ];

    /// Its name, and `+` or `-` for each argument.
    fn signature(self) -> (&'static str, &'static str) {
        match self {
            Self::ZoneOfInterest => ("zoneOfInterest", "++-"),
            Self::TotalMinesLeft => ("totalMinesLeft", "+-"),
            Self::AllMinesInFringe => ("allMinesInFringe", "+-"),
            Self::SetHasXMines => ("setHasXMines", "-++-"),
            Self::DiffSetHasXMines => ("diffSetHasXMines", "++-"),
            Self::InSet => ("inSet", "++"),
            Self::LengthSet => ("lengthSet", "++"),
            Self::MinesInSet => ("minesInSet", "+-"),
        }
    }
}

/// A relation of Table 1 in a world.
struct InWorld {
    relation: Relation,
    signature: Signature,
    world: Arc<World>,
}

impl NativeRelation for InWorld {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn solve(
        &self,
        args: &[Option<Constant>],
        emit: &mut dyn FnMut(&[Constant]) -> ControlFlow<()>,
    ) -> Result<(), NativeError> {
        match self.answers(args, emit) {
            Some(_) => Ok(()),
            None => Err(NativeError(format!(
                "{} is asked about something that is not in the world",
                self.relation.signature().0
            ))),
        }
    }
}

impl InWorld {
    fn answers(
        &self,
        args: &[Option<Constant>],
        emit: &mut dyn FnMut(&[Constant]) -> ControlFlow<()>,
    ) -> Option<ControlFlow<()>> {
        let number = |place: usize| match args[place] {
            Some(Constant::Int(value)) => usize::try_from(value).ok(),
            _ => None,
        };
        // Arguments are repeated as they were asked, so that an answer agrees with its question.
        let given = |place: usize| args[place].unwrap_or(Constant::Int(0));
        let world = &self.world;
        let mut flow = ControlFlow::Continue(());
        match self.relation {
            Relation::ZoneOfInterest => {
                let board = world.board(number(1)?)?;
                let zone = world.name_zone(zone_of_interest(&board, number(0)?)?);
                flow = emit(&[given(0), given(1), zone]);
            }
            Relation::TotalMinesLeft => {
                let left = world.board(number(0)?)?.mines_left()?;
                flow = emit(&[given(0), Constant::Int(left as i64)]);
            }
            Relation::AllMinesInFringe => {
                if let Some(fringe) = fringe_of_all_mines(&*world.board(number(0)?)?) {
                    flow = emit(&[given(0), world.name_set(fringe)]);
                }
            }
            Relation::SetHasXMines => {
                let board = world.board(number(1)?)?;
                for tile in world.zone(number(2)?)? {
                    if let Some(set) = set_around(&board, tile) {
                        let set = world.name_set(set);
                        flow = emit(&[constant(tile), given(1), given(2), set]);
                    }
                    if flow.is_break() {
                        break;
                    }
                }
            }
            Relation::DiffSetHasXMines => {
                let (first, second) = (number(0)?, number(1)?);
                let first = world.with_set(first, Clone::clone)?;
                let rest = world.with_set(second, |second| difference(&first, second))?;
                if let Some(rest) = rest {
                    flow = emit(&[given(0), given(1), world.name_set(rest)]);
                }
            }
            Relation::InSet => {
                let tile = number(0)?;
                if world.with_set(number(1)?, |set| set.tiles.contains(&tile))? {
                    flow = emit(&[given(0), given(1)]);
                }
            }
            Relation::LengthSet => {
                let length = number(1)?;
                if world.with_set(number(0)?, |set| set.tiles.len() == length)? {
                    flow = emit(&[given(0), given(1)]);
                }
            }
            Relation::MinesInSet => {
                let n_mines = world.with_set(number(0)?, |set| set.n_mines)?;
                flow = emit(&[given(0), constant(n_mines)]);
            }
        }
        Some(flow)
    }
}

/// See the module; `None` for a tile that is not on the board.
pub(super) fn zone_of_interest(board: &Knowledge, tile: Tile) -> Option<Vec<Tile>> {
    let grid = board.grid();
    if tile >= grid.n_tiles() {
        return None;
    }
    let is_number = |tile: &Tile| matches!(board.view(*tile), View::Number(_));
    let mut zone = Vec::new();
    for near in grid.neighbors(tile).filter(is_number) {
        for blank in grid.neighbors(near).filter(|tile| board.is_covered(*tile)) {
            zone.extend(grid.neighbors(blank).filter(is_number));
        }
    }
    zone.sort_unstable();
    zone.dedup();
    Some(zone)
}

/// The blank neighbors of an uncovered tile; `None` if there are none.
pub(super) fn set_around(board: &Knowledge, tile: Tile) -> Option<TileSet> {
    let View::Number(number) = board.view(tile) else {
        return None;
    };
    let around = || board.grid().neighbors(tile);
    let n_marked = around()
        .filter(|near| board.view(*near) == View::Marked)
        .count();
    let mut tiles: Vec<Tile> = around().filter(|near| board.is_covered(*near)).collect();
    tiles.sort_unstable();
    let n_mines = usize::from(number).checked_sub(n_marked)?;
    (!tiles.is_empty()).then_some(TileSet { tiles, n_mines })
}

/// See the module.
fn difference(first: &TileSet, second: &TileSet) -> Option<TileSet> {
    let tiles = first
        .tiles
        .iter()
        .filter(|tile| !second.tiles.contains(tile));
    let tiles: Vec<Tile> = tiles.copied().collect();
    let n_common = first.tiles.len() - tiles.len();
    if n_common == 0 || tiles.is_empty() {
        return None;
    }
    let least = (first.n_mines.saturating_sub(tiles.len()))
        .max(second.n_mines.saturating_sub(second.tiles.len() - n_common));
    let most = first.n_mines.min(second.n_mines).min(n_common);
    (least == most).then(|| TileSet {
        tiles,
        n_mines: first.n_mines - most,
    })
}

/// The blank tiles with an uncovered neighbor, if all remaining mines are among them. `None` also if
/// there are too many arrangements of the mines to decide.
fn fringe_of_all_mines(board: &Knowledge) -> Option<TileSet> {
    let grid = board.grid();
    let is_near = |tile: &Tile| {
        let mut near = grid.neighbors(*tile);
        near.any(|near| matches!(board.view(near), View::Number(_)))
    };
    let (tiles, apart): (Vec<Tile>, Vec<Tile>) = board.covered().partition(is_near);
    let n_mines = usize::try_from(board.mines_left()?).ok()?;
    let is_certain = apart.is_empty() || {
        let mut solver = Solver::new();
        let probabilities = solver.solve(board).ok()?;
        apart.iter().all(|tile| probabilities.mine(*tile) == 0.0)
    };
    (is_certain && !tiles.is_empty()).then_some(TileSet { tiles, n_mines })
}

/// What logic programs about a world are written in: one table of symbols for both targets.
#[derive(Debug)]
pub struct Vocabulary {
    /// The boards that its atoms are about.
    pub world: Arc<World>,
    /// To learn which tiles are safe; without examples.
    pub safe: Task,
    /// To learn which tiles are mines; without examples.
    pub mine: Task,
    /// The relations, to prove goals from.
    pub db: Database,
}

/// Why there is no vocabulary.
#[derive(Debug, Error)]
pub enum VocabularyError {
    /// The mode declarations of Table 1.
    #[error("the modes cannot be read: {0}")]
    Modes(#[from] TaskError),
    /// The relations behind them.
    #[error("the relations cannot be used: {0}")]
    Prover(#[from] ProverError),
}

impl Vocabulary {
    /// The relations of Table 1 in a new world.
    ///
    /// # Errors
    /// [`VocabularyError`] if its own text could not be read.
    pub fn new() -> Result<Self, VocabularyError> {
        let world = Arc::new(World::default());
        let mut safe = Task::from_progol(Source {
            name: "table 1",
            text: MODES,
        })?;
        safe.natives = natives(&world, &mut safe.symbols);
        let db = safe.database()?;
        let name = safe.symbols.intern("mine");
        let mut mine = safe.clone();
        mine.target.name = name;
        mine.bias.head.predicate = mine.target;
        Ok(Self {
            world,
            safe,
            mine,
            db,
        })
    }

    /// Clauses in these symbols.
    pub(crate) fn read(&self, text: &str) -> Result<Vec<Clause>, ReadErrors> {
        read_clauses(text, &mut self.safe.symbols.clone())
    }

    /// The relation of Table 1 that a literal states.
    pub(super) fn relation(&self, literal: &Literal) -> Option<Relation> {
        let name = self.safe.symbols.name(literal.atom.name);
        let mut all = Relation::ALL.into_iter();
        all.find(|relation| literal.positive && relation.signature().0 == name)
    }

    /// Clauses as text.
    pub fn print(&self, clauses: &[Clause]) -> String {
        let printed = clauses
            .iter()
            .map(|clause| print_clause(clause, &self.safe.symbols).to_string());
        printed.collect::<Vec<_>>().join(" ")
    }
}

/// The relations of Table 1 in a world.
fn natives(world: &Arc<World>, symbols: &mut SymbolTable) -> Vec<Arc<dyn NativeRelation>> {
    let native = |relation: Relation| -> Arc<dyn NativeRelation> {
        let (name, signs) = relation.signature();
        let direction = |sign: char| match sign {
            '+' => Direction::In,
            _ => Direction::Out,
        };
        let mode = signs.chars().map(direction).collect();
        Arc::new(InWorld {
            relation,
            signature: Signature::new(symbols.intern(name), mode),
            world: Arc::clone(world),
        })
    };
    Relation::ALL.map(native).into()
}
