//! `minesweeper-alternatives`: every tile that a player could have guessed, as a dataset.

use std::ops::Range;

use kibitz_experiment::{
    Cell, CellError, Column, Context, Datum, Experiment, Field, FieldType, Output, Problems,
    Records, Sources,
};
use kibitz_minesweeper::{Action, Knowledge, Level, NoProbabilities, Solver, Tile};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::minesweeper_play::SeriesParams;

/// Games in a chunk.
const GAMES_PER_CHUNK: u32 = 50;

/// Probabilities that differ by no more are alike.
const ROUNDING: f64 = 1e-9;

/// The alternatives of guesses: of uncovering moves but the first that are not certain for the player.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct MinesweeperAlternatives {
    /// Boards, and their players; every player of a series gets the same boards.
    series: Vec<SeriesParams>,
}

fn fields() -> Vec<Field> {
    use FieldType::{Bool, Float, Int, Text};
    let all = [
        ("row", Text, "", "the player, by the name of its row"),
        ("game", Int, "", "number of the game in its series, from 0"),
        ("guess", Int, "", "number of the guess in its game, from 0"),
        ("tile", Int, "", "the tile, numbered row by row from 0"),
        ("chosen", Bool, "", "whether the player uncovered it"),
        ("mine", Float, "%", "probability of a mine"),
        (
            "least",
            Int,
            "",
            "1 for the tiles of least probability, 0 for others",
        ),
        (
            "zero",
            Float,
            "%",
            "probability that neither it nor a neighbor holds a mine, if these were independent",
        ),
        (
            "frontier",
            Int,
            "",
            "1 for a tile beside an uncovered one, 0 for others",
        ),
        ("covered", Int, "tiles", "covered neighbors"),
        (
            "distance",
            Int,
            "tiles",
            "king's moves from the tile uncovered last",
        ),
    ];
    all.map(Field::from).into()
}

/// A tile that could be uncovered.
struct Alternative {
    tile: Tile,
    is_chosen: bool,
    mine: f64,
    is_least: bool,
    zero: f64,
    is_frontier: bool,
    covered: u32,
    distance: usize,
}

impl Experiment for MinesweeperAlternatives {
    type Row = SeriesParams;

    const NAME: &'static str = "minesweeper-alternatives";
    const EXAMPLE: &'static str = include_str!("../examples/minesweeper-alternatives.toml");
    const COLUMNS: &'static [Column] = &[];

    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &[]);
        problems.at_least_one([("series", self.series.len())]);
        problems.each("series", &self.series, SeriesParams::check);
    }

    fn random(&self) -> bool {
        true
    }

    fn fields(&self, _: &Sources) -> Vec<Field> {
        fields()
    }

    fn cells(&self) -> Vec<Cell<SeriesParams>> {
        let series = self.series.iter();
        series.map(SeriesParams::dataset_cell).collect()
    }

    fn run(
        &self,
        params: &SeriesParams,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let level: Level = params.level.parse()?;
        let series = params.series(&level, ctx);
        let mut records = Records::new(fields());
        for player in &params.players {
            let guesses_of = |games: Range<u32>| {
                let mut solver = Solver::new();
                let mut player = player.player();
                let mut guesses = Vec::new();
                for number in games {
                    let mut last = None;
                    let mut failed = None;
                    series.play(number.into(), player.as_mut(), |knowledge, next| {
                        let Action::Uncover(tile) = next.action else {
                            return;
                        };
                        if let Some(last) = last.replace(tile)
                            && !next.rule.is_certain()
                        {
                            match alternatives(&mut solver, knowledge, tile, last) {
                                Ok(found) => guesses.push((number, found)),
                                Err(error) => failed = Some(error),
                            }
                        }
                    })?;
                    if let Some(error) = failed {
                        return Err(CellError::new(format!("game {number}: {error}")));
                    }
                }
                Ok(guesses)
            };
            let guesses = params.in_chunks(player, GAMES_PER_CHUNK, ctx, guesses_of)?;
            let (mut game, mut guess) = (None, 0);
            for (number, alternatives) in guesses.into_iter().flatten() {
                guess = if game == Some(number) { guess + 1 } else { 0 };
                game = Some(number);
                for one in alternatives {
                    let record = [
                        Datum::Text(&player.row),
                        number.into(),
                        Datum::Int(guess),
                        Datum::Int(i64::try_from(one.tile)?),
                        one.is_chosen.into(),
                        Datum::Float(100.0 * one.mine),
                        Datum::Int(one.is_least.into()),
                        Datum::Float(100.0 * one.zero),
                        Datum::Int(one.is_frontier.into()),
                        one.covered.into(),
                        Datum::Int(i64::try_from(one.distance)?),
                    ];
                    records.push(record).map_err(CellError::new)?;
                }
            }
        }
        output.set_records(records);
        Ok(())
    }
}

fn alternatives(
    solver: &mut Solver,
    knowledge: &Knowledge,
    chosen: Tile,
    last: Tile,
) -> Result<Vec<Alternative>, NoProbabilities> {
    let grid = knowledge.grid();
    let probabilities = solver.solve(knowledge)?;
    let least = (knowledge.covered())
        .map(|tile| probabilities.mine(tile))
        .fold(f64::INFINITY, f64::min);
    let (row, column) = grid.row_and_column(last);
    let of_tile = |tile: Tile| {
        let mine = probabilities.mine(tile);
        let free = |tile: Tile| 1.0 - probabilities.mine(tile);
        let (own_row, own_column) = grid.row_and_column(tile);
        Alternative {
            tile,
            is_chosen: tile == chosen,
            mine,
            is_least: mine <= least + ROUNDING,
            zero: grid
                .neighbors(tile)
                .map(free)
                .fold(free(tile), |all, one| all * one),
            is_frontier: knowledge.uncovered_around(tile) != 0,
            covered: knowledge.covered_around(tile).count_ones(),
            distance: row.abs_diff(own_row).max(column.abs_diff(own_column)),
        }
    };
    Ok(knowledge.covered().map(of_tile).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::make_sense;

    const FILE: &str = include_str!("../../../experiments/beyond/minesweeper-alternatives.toml");

    #[test]
    fn experiments_make_sense() {
        make_sense::<MinesweeperAlternatives>(&[FILE]);
    }

    #[test]
    fn a_tile_is_what_can_be_seen_of_it() {
        // One mine on the two tiles above, one on the other four.
        let knowledge = Knowledge::from_text("4x2/2\n1...\n1...\n").unwrap();
        let all = alternatives(&mut Solver::new(), &knowledge, 3, 0).unwrap();
        let corner = all.iter().find(|one| one.tile == 3).unwrap();
        assert!(corner.is_chosen && corner.is_least && !corner.is_frontier);
        assert_eq!((corner.mine, corner.covered, corner.distance), (0.25, 3, 3));
        assert!((corner.zero - 0.75_f64.powi(4)).abs() < 1e-12);
        let near = all.iter().find(|one| one.tile == 1).unwrap();
        assert!(!near.is_least && near.is_frontier);
        assert_eq!((near.mine, near.covered, near.distance), (0.5, 3, 1));
        assert_eq!(all.iter().filter(|one| one.is_chosen).count(), 1);
    }
}
