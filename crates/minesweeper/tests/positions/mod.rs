//! Positions of random play, at all stages of the game.

use kibitz_minesweeper::{Game, Knowledge, Level, Series, Tile, TooManyMines};
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// The levels of these positions.
pub(crate) const LEVELS: [&str; 3] = ["16x16/40", "30x16/99", "30x24/160"];

/// The position of this number: safe tiles are uncovered at random until a share of them is, drawn for
/// each position.
///
/// Such positions have many more linked numbers than those of a player who uncovers what is certain.
pub(crate) fn position(level: &Level, number: u64) -> Result<Knowledge, TooManyMines> {
    let board = Series::new(level, [16; 32]).board(number, 0)?;
    let mut rng = ChaCha8Rng::seed_from_u64(number);
    let tiles = 0..level.grid.n_tiles();
    let mut safe: Vec<Tile> = tiles.filter(|tile| !board.is_mine(*tile)).collect();
    safe.shuffle(&mut rng);
    // At least one tile is uncovered, and one is left.
    let n_covered = level.grid.n_tiles() - rng.random_range(1..safe.len());
    let mut game = Game::new(&board);
    for tile in safe {
        let before = game.knowledge().clone();
        game.uncover(tile);
        if game.is_over() {
            return Ok(before);
        }
        if game.knowledge().n_covered() <= n_covered {
            break;
        }
    }
    Ok(game.knowledge().clone())
}
