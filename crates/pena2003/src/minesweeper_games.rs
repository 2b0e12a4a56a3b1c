//! `minesweeper-games`: the games of players on seeded boards, move by move, as a dataset.

use kibitz_experiment::{
    Cell, CellError, Column, Context, Datum, Experiment, Field, FieldType, Output, Problems,
    Records, Sources,
};
use kibitz_minesweeper::{FirstClick, GameRecord, Level, Series};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::minesweeper_play::SeriesParams;

/// Games in a chunk.
const GAMES_PER_CHUNK: u32 = 500;

/// Every game of every player of series; with a seed, those that `minesweeper-play` counts.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct MinesweeperGames {
    /// Boards, and their players; every player of a series gets the same boards.
    series: Vec<SeriesParams>,
}

fn fields() -> Vec<Field> {
    use FieldType::{Bool, Int, Text};
    let all = [
        ("row", Text, "", "the player, by the name of its row"),
        ("level", Text, "", "columns, rows and mines"),
        ("first_click", Text, "", "unprotected, safe or opening"),
        ("game", Int, "", "number of the game in its series, from 0"),
        ("won", Bool, "", "whether every safe tile was uncovered"),
        (
            "mines",
            Text,
            "",
            "the tiles with mines, numbered row by row from 0",
        ),
        (
            "moves",
            Text,
            "",
            "the tiles uncovered, in order, without those that a zero uncovers",
        ),
    ];
    all.map(Field::from).into()
}

fn words(tiles: &[usize]) -> String {
    let words: Vec<String> = tiles.iter().map(usize::to_string).collect();
    words.join(" ")
}

impl Experiment for MinesweeperGames {
    type Row = SeriesParams;

    const NAME: &'static str = "minesweeper-games";
    const EXAMPLE: &'static str = include_str!("../examples/minesweeper-games.toml");
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
        let (level, first_click) = (level.to_string(), FirstClick::from(params.first_click));
        let first_click = first_click.to_string();
        let mut records = Records::new(fields());
        for player in &params.players {
            let games: Vec<Vec<GameRecord>> =
                params.in_chunks(player, GAMES_PER_CHUNK, ctx, |games| {
                    let mut player = player.player();
                    let play = |number: u32| play(&series, number, player.as_mut());
                    games.map(play).collect()
                })?;
            for game in games.into_iter().flatten() {
                let (mines, moves) = (words(&game.mines), words(&game.moves));
                let record = [
                    Datum::Text(&player.row),
                    Datum::Text(&level),
                    Datum::Text(&first_click),
                    Datum::Int(i64::try_from(game.number).unwrap_or(i64::MAX)),
                    game.is_won.into(),
                    Datum::Text(&mines),
                    Datum::Text(&moves),
                ];
                records.push(record).map_err(CellError::new)?;
            }
        }
        output.set_records(records);
        Ok(())
    }
}

/// Plays a game, and checks its record.
fn play(
    series: &Series,
    number: u32,
    player: &mut dyn kibitz_minesweeper::Player,
) -> Result<GameRecord, CellError> {
    let game = GameRecord::play(series, number.into(), player)?;
    game.check(series)?;
    Ok(game)
}

#[cfg(test)]
mod tests {
    use kibitz_experiment::{Runner, SeedName};

    use super::*;
    use crate::testing::{make_sense, on_one_and_three, params};

    struct Bare;

    impl Runner for Bare {}

    const FILE: &str = include_str!("../../../experiments/beyond/minesweeper-games.toml");

    #[test]
    fn experiments_make_sense() {
        make_sense::<MinesweeperGames>(&[FILE]);
    }

    /// The games of a series, whatever the number of threads.
    #[test]
    fn games_are_recorded() {
        let [records, again] = on_one_and_three(|| {
            let games: MinesweeperGames = params(MinesweeperGames::EXAMPLE, "params");
            let seed = SeedName {
                root: 2003,
                experiment: "beyond/test",
                cell: "8x8/10",
                replicate: 0,
            };
            let cell = games.cells().remove(0);
            let ctx = Context::new("8x8/10", 0, Some(seed), &Bare);
            let mut output = Output::default();
            games.run(&cell.work, &ctx, &mut output).unwrap();
            output.take_records().unwrap()
        });
        assert_eq!(records, again);
        assert_eq!(records.len(), 1200);
    }
}
