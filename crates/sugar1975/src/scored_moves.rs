//! `scored-moves`: the dataset of every legal move of every position, with its scores.

use kibitz_experiment::{
    Cell, CellError, Column, Context, Datum, Experiment, Field, FieldType, Output, Problems,
    Records, Sources,
};
use kibitz_heuristics::chute::{N_HEURISTICS, Polynomial, Reading};
use kibitz_stats::ranking::Standing;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scored_games::{
    LibraryParams, MATERIAL, POLYNOMIAL, ScoredGame, heuristic_row, read_as,
};

/// Every legal move of the positions of a library with its scores.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ScoredMoves {
    /// The games.
    library: LibraryParams,
    /// Readings of ambiguous sentences; the adopted ones when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    readings: Option<Vec<Reading>>,
}

impl Experiment for ScoredMoves {
    type Row = ();

    const NAME: &'static str = "scored-moves";
    const EXAMPLE: &'static str = include_str!("../examples/scored-moves.toml");
    const COLUMNS: &'static [Column] = &[];

    fn check(&self, problems: &mut Problems) {
        self.library.check(problems);
    }

    fn fields(&self, _: &Sources) -> Vec<Field> {
        fields()
    }

    fn cells(&self) -> Vec<Cell> {
        self.library.cell([""; 0])
    }

    fn run(&self, (): &(), ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let mut records = Records::new(fields());
        for (number, game) in
            (1_usize..).zip(&self.library.score(ctx, read_as(self.readings.as_ref()))?)
        {
            add(number, game, &mut records)?;
        }
        output.set_records(records);
        Ok(())
    }
}

fn fields() -> Vec<Field> {
    use FieldType::{Bool, Float, Int, Text};
    let position = [
        (
            "game",
            Int,
            "",
            "number of the game, in the order of the file",
        ),
        (
            "status",
            Text,
            "",
            "whether it is the thesis's game: exact, chosen among several, substitute",
        ),
        ("ply", Int, "plies", "number of the ply, from 1"),
        (
            "from_end",
            Int,
            "plies",
            "number of the ply counted from the last one, from 1",
        ),
        (
            "closeness",
            Float,
            "",
            "closeness to a win of the side to move: 1/N, or -1/N",
        ),
    ]
    .map(|(name, of, unit, doc)| Field::new(name, of, unit, doc));
    let material = MATERIAL.map(|name| {
        let doc = "material on the board before the move, from the mover's side";
        let unit = if name == "MATRL" { "pawns" } else { "pieces" };
        Field::new(name, Float, unit, doc)
    });
    let of_move = [
        (
            "move",
            Int,
            "",
            "number of the move among the legal ones: of equal scores the first wins",
        ),
        ("played", Bool, "", "whether the master played it"),
        ("first", Bool, "", "whether the program would play it"),
        ("rank", Int, "", "its rank by the polynomial, from 1"),
        ("better", Int, "moves", "moves with a higher score"),
        ("worse", Int, "moves", "moves with a lower score"),
    ]
    .map(|(name, of, unit, doc)| Field::new(name, of, unit, doc));
    let scores = (0..N_HEURISTICS).map(|n| {
        Field::new(
            heuristic_row(n),
            Float,
            "points",
            format!("score of the move by heuristic {n}"),
        )
    });
    let total = Field::new(
        POLYNOMIAL,
        Float,
        "points",
        "score of the move by the polynomial",
    );
    let accounts = (0..N_HEURISTICS).map(|n| {
        let doc = format!("running account of heuristic {n} after the move (section 3.2.2)");
        Field::new(format!("account {n}"), Float, "points", doc)
    });
    let position = position.into_iter().chain(material).chain(of_move);
    position
        .chain(scores)
        .chain([total])
        .chain(accounts)
        .collect()
}

/// Adds the moves of a game.
fn add(number: usize, game: &ScoredGame, records: &mut Records) -> Result<(), CellError> {
    let polynomial = Polynomial::default();
    let n_records = game.records.len();
    for (place, record) in game.records.iter().enumerate() {
        let totals = record.totals(&polynomial);
        let first = record.first_choice(&totals);
        let material = record.material;
        let position: Vec<Datum<'_>> = [
            Datum::from(number),
            game.status
                .map_or(Datum::Absent, |status| status.tag().into()),
            record.ply.into(),
            (n_records - place).into(),
            record.closeness.into(),
        ]
        .into_iter()
        .chain(material.differences().map(Datum::Float))
        .chain([material.total().into()])
        .collect();
        for (index, scores) in record.moves.iter().enumerate() {
            let standing = Standing::of(&totals, index)
                .ok_or_else(|| CellError::new("a move has no score"))?;
            let of_move = [
                Datum::from(index),
                (index == record.played).into(),
                (index == first).into(),
                standing.rank().into(),
                standing.better.into(),
                standing.worse.into(),
            ];
            let accounts = record.position_scores(index);
            let scores = scores.iter().chain([&totals[index]]).chain(&accounts);
            let row = position
                .iter()
                .copied()
                .chain(of_move)
                .chain(scores.map(|&score| score.into()));
            records.push(row).map_err(CellError::new)?;
        }
    }
    Ok(())
}
