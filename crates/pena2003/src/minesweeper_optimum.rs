//! `minesweeper-optimum`: the probability to win of optimal play on small boards, and the players'
//! distance from it.

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Number, Output, Problems};
use kibitz_minesweeper::rand_chacha::ChaCha8Rng;
use kibitz_minesweeper::rand_chacha::rand_core::SeedableRng as _;
use kibitz_minesweeper::{
    Board, FirstTile, Game, Grid, Knowledge, Level, Optimum, PlayerName, SearchLimits,
};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most arrangements of mines of a board: the search numbers them by 16 bits.
const MAX_ARRANGEMENTS: usize = 1 << 16;

/// The most tiles of a board: arrangements are listed as bits.
const MAX_TILES: usize = 32;

/// Boards played on one thread between two checks for interruptions.
const BOARDS_PER_CHUNK: usize = 500;

/// Small boards, each with every arrangement of its mines; the first click may meet one.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct MinesweeperOptimum {
    /// Columns, rows and mines, as in `4x4/3`; one row each.
    boards: Vec<String>,
    /// States that a search may expand.
    max_states: usize,
    /// Games of each arrangement by players that draw random numbers; the others play it once.
    rounds: u32,
}

/// The arrangements of mines on a board, as bits; `None` if there are too many.
fn arrangements(level: &Level) -> Option<Vec<u64>> {
    let (n_tiles, n_mines) = (level.grid.n_tiles(), level.n_mines);
    if n_tiles > MAX_TILES {
        return None;
    }
    let mut number = 1_u128;
    for at in 0..n_mines as u128 {
        number = number * (n_tiles as u128 - at) / (at + 1);
    }
    if number > MAX_ARRANGEMENTS as u128 {
        return None;
    }
    let mut all = Vec::new();
    let mut bits = (1_u64 << n_mines) - 1;
    while bits < 1 << n_tiles {
        all.push(bits);
        if bits == 0 {
            break;
        }
        // The next number with as many bits.
        let lowest = bits & bits.wrapping_neg();
        let carried = bits + lowest;
        bits = carried | (((bits ^ carried) / lowest) >> 2);
    }
    Some(all)
}

/// The board of an arrangement.
fn board(grid: &Grid, bits: u64) -> Board {
    Board::new(
        grid,
        (0..grid.n_tiles()).filter(|tile| bits >> tile & 1 == 1),
    )
}

/// Whether a player always does the same in a position.
fn is_deterministic(name: PlayerName) -> bool {
    let exact = name.exact();
    exact.is_some_and(|exact| exact.first_tile != FirstTile::Random)
}

impl MinesweeperOptimum {
    /// The share of arrangements that a player wins, by arrangement.
    fn won(
        &self,
        name: PlayerName,
        level: &Level,
        all: &[u64],
        ctx: &Context<'_>,
    ) -> Result<Vec<f64>, CellError> {
        let rounds = if is_deterministic(name) {
            1
        } else {
            self.rounds
        };
        let seed = ctx.seed(&name.to_string());
        let shares: Vec<Vec<f64>> = all
            .par_chunks(BOARDS_PER_CHUNK)
            .enumerate()
            .map(|(chunk, some)| {
                ctx.check()?;
                let mut player = name.player();
                let mut rng = ChaCha8Rng::from_seed(seed);
                rng.set_stream(chunk as u64);
                let mut share = |bits: &u64| {
                    let board = board(&level.grid, *bits);
                    let wins = (0..rounds).filter(|_| {
                        let mut game = Game::new(&board);
                        game.play(player.as_mut(), &mut rng, |_, _| ()).is_won
                    });
                    wins.count() as f64 / f64::from(rounds)
                };
                Ok(some.iter().map(&mut share).collect())
            })
            .collect::<Result<_, CellError>>()?;
        Ok(shares.concat())
    }
}

impl Experiment for MinesweeperOptimum {
    type Row = String;

    const NAME: &'static str = "minesweeper-optimum";
    const EXAMPLE: &'static str = include_str!("../examples/minesweeper-optimum.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("arrangements", "", "arrangements of the mines"),
        Column::new("won", "", "arrangements in which the best play wins"),
        Column::new(
            "best",
            "%",
            "share of them: the chance to win of the best play",
        ),
        Column::new(
            "first",
            "",
            "the tile that it uncovers first, row and column from zero; the first of equal ones",
        ),
        Column::new("look-ahead", "points", "what this player wins less"),
        Column::new("exact-corners", "points", "what this player wins less"),
        Column::new("exact", "points", "what this player wins less"),
        Column::new("exact-random", "points", "what this player wins less"),
        Column::new("pgms", "points", "what this player wins less"),
        Column::new("rules-least-risk", "points", "what this player wins less"),
        Column::new("rules", "points", "what this player wins less"),
        Column::new("random", "points", "what this player wins less"),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &[]);
        problems.at_least_one([
            ("boards", self.boards.len()),
            ("max-states", self.max_states),
            ("rounds", self.rounds as usize),
        ]);
        for (at, board) in self.boards.iter().enumerate() {
            let path = format!("boards.{at}");
            match board.parse::<Level>() {
                Err(error) => problems.at(path, error.to_string()),
                Ok(level) => {
                    let has_safe = level.n_mines < level.grid.n_tiles();
                    problems.require(has_safe, &path, "no tile is without a mine");
                    let fits = arrangements(&level).is_some();
                    let message = "at most 32 tiles and 65,536 arrangements of the mines";
                    problems.require(fits, &path, message);
                }
            }
        }
    }

    fn random(&self) -> bool {
        true
    }

    fn cells(&self) -> Vec<Cell<String>> {
        let boards = self.boards.iter();
        let cell = |board: &String| {
            let level: Option<Level> = board.parse().ok();
            let all = level.as_ref().and_then(arrangements).unwrap_or_default();
            Cell::row(board, board.clone()).costing(all.len() as f64 / 100.0)
        };
        boards.map(cell).collect()
    }

    fn run(&self, board: &String, ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let level: Level = board.parse()?;
        let all = arrangements(&level)
            .ok_or_else(|| CellError::new(format!("{level} has too many arrangements")))?;
        let mut optimum = Optimum::new(SearchLimits {
            arrangements: MAX_ARRANGEMENTS,
            states: self.max_states,
        });
        let best = optimum.best(&Knowledge::new(&level.grid, level.n_mines))?;
        let (first, best) =
            best.ok_or_else(|| CellError::new(format!("{level} is won already")))?;
        output.set("arrangements", best.of as f64);
        output.set("won", best.won as f64);
        output.set("best", 100.0 * best.get());
        let (row, column) = level.grid.row_and_column(first);
        output.set("first", format!("({row},{column})"));
        for name in PlayerName::ALL {
            let won = self.won(name, &level, &all, ctx)?;
            let n = won.len() as f64;
            let sum: f64 = won.iter().sum();
            let mut less = Number::new(100.0 * (best.won as f64 - sum) / n);
            if !is_deterministic(name) {
                // Wins of one arrangement are binomial.
                let rounds = (f64::from(self.rounds) - 1.0).max(1.0);
                let within = won.iter().map(|share| share * (1.0 - share) / rounds);
                less = less.with_std_error(100.0 * within.sum::<f64>().sqrt() / n);
            }
            output.set(name.to_string(), less);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use kibitz_experiment::{Runner, SeedName};

    use super::*;
    use crate::testing::{is_mistaken, make_sense, on_one_and_three, params};

    struct Bare;

    impl Runner for Bare {}

    const FILE: &str = include_str!("../../../experiments/beyond/minesweeper-optimum.toml");

    #[test]
    fn experiments_make_sense() {
        make_sense::<MinesweeperOptimum>(&[FILE]);
        is_mistaken::<MinesweeperOptimum>(["3x3/2", "3x3/9"], "boards.0");
        is_mistaken::<MinesweeperOptimum>(["3x3/2", "6x6/1"], "boards.0");
        is_mistaken::<MinesweeperOptimum>(["3x3/2", "5x5/9"], "boards.0");
    }

    #[test]
    fn arrangements_are_all() {
        for (level, number) in [("3x3/0", 1), ("3x3/2", 36), ("4x4/5", 4368), ("5x5/24", 25)] {
            let level: Level = level.parse().unwrap();
            let mut all = arrangements(&level).unwrap();
            all.dedup();
            assert_eq!(all.len(), number);
            let n_mines = u32::try_from(level.n_mines).unwrap();
            assert!(all.iter().all(|bits| bits.count_ones() == n_mines));
        }
    }

    /// No player is better than optimal play, and look-ahead is no worse than random moves.
    #[test]
    fn the_best_play_is_best() {
        let found = on_one_and_three(|| {
            let optimum: MinesweeperOptimum = params(MinesweeperOptimum::EXAMPLE, "params");
            let cell = optimum.cells().remove(0);
            let seed = SeedName {
                root: 2003,
                experiment: "beyond/test",
                cell: &cell.id,
                replicate: 0,
            };
            let ctx = Context::new(&cell.id, 0, Some(seed), &Bare);
            let mut output = Output::of_cell(&Cell::row(&cell.id, ()));
            optimum.run(&cell.work, &ctx, &mut output).unwrap();
            output
        });
        assert_eq!(found[0], found[1]);
        let less = |column: &str| found[0].number("3x3/2", column).unwrap();
        assert_eq!(found[0].number("3x3/2", "arrangements"), Some(36.0));
        assert!(less("look-ahead") > -1e-9);
        assert!(less("random") > less("rules") && less("rules") > less("look-ahead"));
    }
}
