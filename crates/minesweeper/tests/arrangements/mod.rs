//! Small positions, all arrangements of their mines, and exhaustive search.

use kibitz_minesweeper::{Action, Board, Game, Grid, Knowledge, Mines, Tile, View};
use proptest::prelude::*;

/// Every arrangement that agrees with the position.
pub(crate) fn arrangements(knowledge: &Knowledge) -> Vec<Board> {
    let grid = knowledge.grid();
    let covered: Vec<Tile> = knowledge.covered().collect();
    let marked = || (0..grid.n_tiles()).filter(|tile| knowledge.view(*tile) == View::Marked);
    // Only those with the right number of mines are laid.
    let has_all_mines = |bits: &u32| match knowledge.mines() {
        Mines::Total(n_mines) => bits.count_ones() as usize + knowledge.n_marked() == n_mines,
        Mines::Density(_) => true,
    };
    let all = (0..1_u32 << covered.len())
        .filter(has_all_mines)
        .map(|bits| {
            let chosen = covered
                .iter()
                .enumerate()
                .filter(|(at, _)| bits >> at & 1 == 1);
            Board::new(grid, marked().chain(chosen.map(|(_, tile)| *tile)))
        });
    let agrees = |board: &Board| {
        (0..grid.n_tiles()).all(|tile| match knowledge.view(tile) {
            View::Number(number) => !board.is_mine(tile) && board.number(tile) == number,
            _ => true,
        })
    };
    all.filter(agrees).collect()
}

prop_compose! {
    /// A board of at most 16 tiles, and tiles to act on.
    pub(crate) fn games()(width in 1..5_usize, height in 1..5_usize)(
        width in Just(width), height in Just(height),
        is_mine in prop::collection::vec(prop::bool::weighted(0.25), width * height),
        clicks in prop::collection::vec((0..16_usize, prop::bool::ANY), 0..12),
    ) -> (Board, Vec<(Tile, bool)>) {
        let mines = (0..).zip(is_mine).filter(|(_, is_mine)| *is_mine).map(|(tile, _)| tile);
        (Board::new(&Grid::new(width, height).expect("small"), mines), clicks)
    }
}

/// Uncovers safe tiles and marks mines.
pub(crate) fn click(board: &Board, clicks: &[(Tile, bool)]) -> Knowledge {
    let mut game = Game::new(board).without_cascade();
    for (tile, marks) in clicks {
        let tile = tile % board.grid().n_tiles();
        match (board.is_mine(tile), marks) {
            (true, true) => game.act(Action::Mark(tile)),
            (true, false) => false,
            (false, _) => game.act(Action::Uncover(tile)),
        };
    }
    game.knowledge().clone()
}

/// The number of arrangements in which the best play wins, by exhaustive search.
pub(crate) fn best(knowledge: &Knowledge, all: &[Board]) -> usize {
    let covered: Vec<Tile> = knowledge.covered().collect();
    exhaust(&covered, &all.iter().collect::<Vec<_>>())
}

/// The same over these covered tiles; skips tiles that are too rarely safe to be better.
fn exhaust(covered: &[Tile], all: &[&Board]) -> usize {
    if all.len() <= 1 {
        return all.len();
    }
    let mut most = 0;
    for tile in covered {
        let mut by_number: [Vec<&Board>; 9] = Default::default();
        let mut n_safe = 0;
        for board in all.iter().copied().filter(|board| !board.is_mine(*tile)) {
            by_number[usize::from(board.number(*tile))].push(board);
            n_safe += 1;
        }
        if n_safe > most {
            let others = covered.iter().copied().filter(|other| other != tile);
            let others: Vec<Tile> = others.collect();
            let won = by_number.iter().map(|boards| exhaust(&others, boards));
            most = most.max(won.sum());
        }
    }
    most
}
