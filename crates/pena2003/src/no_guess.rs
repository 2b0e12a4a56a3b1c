//! `no-guess`: the share of boards that need no guess, and measures of repaired boards.

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Number, Output, Problems};
use kibitz_minesweeper::rand_chacha::ChaCha8Rng;
use kibitz_minesweeper::rand_chacha::rand_core::SeedableRng as _;
use kibitz_minesweeper::{Difficulty, Level, Measures, NoGuess, NoGuessBoard, NoGuessError};
use kibitz_stats::moments::Moments;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Boards drawn on one thread between two checks for interruptions.
const BOARDS_PER_CHUNK: usize = 50;

/// The columns of measures, of uniform boards and of repaired ones.
type Measure = (&'static str, &'static str, fn(&Measures) -> usize);
const MEASURES: [Measure; 3] = [
    ("3bv", "repaired-3bv", |measures| measures.three_bv),
    ("clusters", "repaired-clusters", |measures| {
        measures.n_clusters
    }),
    ("largest", "repaired-largest", |measures| {
        measures.largest_cluster
    }),
];

/// The columns of the boards that deductions of at most a difficulty solve.
const SHARES: [(&str, Difficulty); 4] = [
    ("s-1", Difficulty::Single),
    ("sets", Difficulty::Sets),
    ("numbers", Difficulty::Numbers),
    ("all", Difficulty::MineCount),
];

/// Levels, whose first click is an opening.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct NoGuessBoards {
    /// One row each.
    levels: Vec<LevelParams>,
    /// Row and column of the first click, from zero.
    first: [usize; 2],
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct LevelParams {
    /// Columns, rows and mines, as in `30x16/99`.
    level: String,
    /// Boards drawn uniformly.
    uniform: u64,
    /// Boards drawn to be repaired where they need a guess.
    repaired: u64,
}

impl NoGuessBoards {
    /// The boards without guesses among so many that are drawn, or repaired.
    fn draw(
        &self,
        draw: &NoGuess,
        n_boards: u64,
        stream: &str,
        ctx: &Context<'_>,
    ) -> Result<Vec<NoGuessBoard>, CellError> {
        let seed = ctx.seed(stream);
        let [row, column] = self.first;
        let chunks: Vec<u64> = (0..n_boards).step_by(BOARDS_PER_CHUNK).collect();
        let found: Vec<Vec<NoGuessBoard>> = chunks
            .into_par_iter()
            .map(|first| {
                ctx.check()?;
                let mut draw = draw.clone();
                let mut found = Vec::new();
                for number in first..n_boards.min(first + BOARDS_PER_CHUNK as u64) {
                    let mut rng = ChaCha8Rng::from_seed(seed);
                    rng.set_stream(number);
                    match draw.draw((row, column), &mut rng) {
                        Ok(board) => found.push(board),
                        Err(NoGuessError::NoneFound(_)) => {}
                        Err(error) => return Err(error.into()),
                    }
                }
                Ok(found)
            })
            .collect::<Result<_, CellError>>()?;
        Ok(found.into_iter().flatten().collect())
    }
}

/// A share in percent.
fn share(n_found: usize, n_boards: u64) -> Number {
    let share = n_found as f64 / n_boards as f64;
    let error = (share * (1.0 - share) / n_boards as f64).sqrt();
    let share = Number::new(100.0 * share).with_samples(n_boards);
    share.with_std_error(100.0 * error)
}

/// A mean, where there are at least two values.
fn mean(values: impl Iterator<Item = usize>) -> Option<Number> {
    let moments: Moments = values.map(|value| value as f64).collect();
    let (n, variance) = (moments.n_samples(), moments.variance()?);
    let mean = Number::new(moments.mean()?).with_samples(n);
    Some(mean.with_std_error((variance / n as f64).sqrt()))
}

impl Experiment for NoGuessBoards {
    type Row = LevelParams;

    const NAME: &'static str = "no-guess";
    const EXAMPLE: &'static str = include_str!("../examples/no-guess.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("density", "%", "share of the tiles that hold mines").input(),
        Column::new("s-1", "%", "share of boards that single numbers solve"),
        Column::new("sets", "%", "share that two numbers at a time solve"),
        Column::new("numbers", "%", "share that any numbers solve"),
        Column::new(
            "all",
            "%",
            "share that the number of mines solves, too: without a guess",
        ),
        Column::new(
            "repaired",
            "%",
            "share without a guess once boards are repaired",
        ),
        Column::new("swaps", "", "tiles swapped for a board"),
        Column::new("3bv", "clicks", "3BV of boards without guesses"),
        Column::new("repaired-3bv", "clicks", "3BV of repaired boards"),
        Column::new(
            "clusters",
            "",
            "clusters of mines of boards without guesses",
        ),
        Column::new(
            "repaired-clusters",
            "",
            "clusters of mines of repaired boards",
        ),
        Column::new(
            "largest",
            "mines",
            "largest cluster of boards without guesses",
        ),
        Column::new(
            "repaired-largest",
            "mines",
            "largest cluster of repaired boards",
        ),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &[]);
        problems.at_least_one([("levels", self.levels.len())]);
        problems.each("levels", &self.levels, |params, problems| {
            let counts = [params.uniform, params.repaired].map(|n| n.min(1) as usize);
            problems.at_least_one([("uniform", counts[0]), ("repaired", counts[1])]);
            match params.level.parse::<Level>() {
                Err(error) => problems.at("level", error.to_string()),
                Ok(level) => {
                    let [row, column] = self.first;
                    let is_there = level.grid.tile(row, column).is_some();
                    problems.require(is_there, "level", "the first click is not on the board");
                    let has_safe = level.n_mines < level.grid.n_tiles();
                    problems.require(
                        has_safe,
                        "level",
                        "the board has no tile for the first click",
                    );
                }
            }
        });
    }

    fn random(&self) -> bool {
        true
    }

    fn cells(&self) -> Vec<Cell<LevelParams>> {
        let levels = self.levels.iter();
        let cell = |params: &LevelParams| {
            let cost = (params.uniform + 10 * params.repaired) as f64 / 10_000.0;
            Cell::row(&params.level, params.clone()).costing(cost)
        };
        levels.map(cell).collect()
    }

    fn run(
        &self,
        params: &LevelParams,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let level: Level = params.level.parse()?;
        let density = level.n_mines as f64 / level.grid.n_tiles() as f64;
        output.set("density", 100.0 * density);
        let uniform = NoGuess::new(&level, Difficulty::MineCount).uniform(1);
        let mut repair = uniform.clone();
        (repair.n_uniform, repair.n_repaired) = (0, 1);
        let boards = self.draw(&uniform, params.uniform, "uniform", ctx)?;
        for (column, hardest) in SHARES {
            let easy = boards.iter().filter(|board| board.difficulty <= hardest);
            output.set(column, share(easy.count(), params.uniform));
        }
        let repaired = self.draw(&repair, params.repaired, "repaired", ctx)?;
        output.set("repaired", share(repaired.len(), params.repaired));
        if let Some(swaps) = mean(repaired.iter().map(|board| board.n_swaps)) {
            output.set("swaps", swaps);
        }
        let measured = |boards: &[NoGuessBoard]| -> Vec<Measures> {
            boards.iter().map(|board| board.board.measures()).collect()
        };
        let (uniform, repaired) = (measured(&boards), measured(&repaired));
        for (column, repaired_column, measure) in MEASURES {
            for (column, boards) in [(column, &uniform), (repaired_column, &repaired)] {
                if let Some(mean) = mean(boards.iter().map(measure)) {
                    output.set(column, mean);
                }
            }
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

    const FILE: &str = include_str!("../../../experiments/beyond/no-guess.toml");

    #[test]
    fn experiments_make_sense() {
        make_sense::<NoGuessBoards>(&[FILE]);
        is_mistaken::<NoGuessBoards>(["9x9/10", "2x9/10"], "levels.0.level");
        is_mistaken::<NoGuessBoards>(["9x9/10", "9x9/81"], "levels.0.level");
        is_mistaken::<NoGuessBoards>(["uniform = 400", "uniform = 0"], "levels.0.uniform");
    }

    /// Harder deductions solve more boards, and repair solves more of them.
    #[test]
    fn shares_rise() {
        let found = on_one_and_three(|| {
            let boards: NoGuessBoards = params(NoGuessBoards::EXAMPLE, "params");
            let cell = boards.cells().remove(0);
            let seed = SeedName {
                root: 2003,
                experiment: "beyond/test",
                cell: &cell.id,
                replicate: 0,
            };
            let ctx = Context::new(&cell.id, 0, Some(seed), &Bare);
            let mut output = Output::of_cell(&Cell::row(&cell.id, ()));
            boards.run(&cell.work, &ctx, &mut output).unwrap();
            output
        });
        assert_eq!(found[0], found[1]);
        let columns = ["s-1", "sets", "numbers", "all", "repaired"];
        let shares = columns.map(|column| found[0].number("9x9/10", column).unwrap());
        assert!(shares.is_sorted(), "{shares:?}");
        assert!(shares[0] < shares[1] && shares[3] < shares[4], "{shares:?}");
        assert!(shares[4] > 90.0, "{shares:?}");
    }
}
