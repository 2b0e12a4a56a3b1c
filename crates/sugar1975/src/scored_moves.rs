//! `scored-moves`: the dataset of every legal move of every position, with its scores.

use kibitz_experiment::{
    Cell, CellError, Column, Context, Datum, Experiment, Field, FieldType, Output, Part, Problems,
    Records, Sources,
};
use kibitz_heuristics::chute::{Interpretation, N_HEURISTICS, Polynomial};
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
    readings: Option<Vec<Interpretation>>,
    /// Into how many parts the games fall: cells that run one by one.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    parts: u32,
}

fn one() -> u32 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_one(parts: &u32) -> bool {
    *parts == 1
}

/// Records that are held before they are written, but for the rest of a game.
const CHUNK: usize = 1 << 15;

impl Experiment for ScoredMoves {
    type Row = Part;

    const NAME: &'static str = "scored-moves";
    const EXAMPLE: &'static str = include_str!("../examples/scored-moves.toml");
    const COLUMNS: &'static [Column] = &[];

    fn check(&self, problems: &mut Problems) {
        self.library.check(problems);
        problems.require(Part::is_number(self.parts), "parts", Part::PROBLEM);
    }

    fn fields(&self, _: &Sources) -> Vec<Field> {
        fields()
    }

    fn cells(&self) -> Vec<Cell<Part>> {
        let cell = |part: Part| self.library.part_cell(part, self.parts);
        Part::all(self.parts).map(cell).collect()
    }

    fn run(&self, part: &Part, ctx: &Context<'_>, _: &mut Output) -> Result<(), CellError> {
        let mut records = Records::new(fields());
        let readings = read_as(self.readings.as_ref());
        self.library
            .visit_scored(ctx, readings, *part, |number, game| {
                add(number, game, &mut records)?;
                if records.len() < CHUNK {
                    return Ok(());
                }
                ctx.add_records(std::mem::replace(&mut records, Records::new(fields())))
            })?;
        ctx.add_records(records)
    }
}

fn fields() -> Vec<Field> {
    use FieldType::{Bool, Float, Int, Text};
    // In the order of the columns: the position, its material, the move, and the scores of the
    // move.
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
    .map(Field::from);
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
    .map(Field::from);
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

#[cfg(test)]
mod tests {
    use kibitz_experiment::{Code, Kind};
    use kibitz_lab::testing::TestBench;

    use super::*;

    fn bench(parts: u32, max_games: u32) -> TestBench {
        let mut file: toml::Table = ScoredMoves::EXAMPLE.parse().unwrap();
        let params = file["params"].as_table_mut().unwrap();
        params.insert("parts".to_owned(), parts.into());
        let library = params["library"].as_table_mut().unwrap();
        library.insert("max-games".to_owned(), max_games.into());
        let pgn = include_bytes!("../../../data/chute-library.pgn");
        let kind = Kind::of::<ScoredMoves>(Code::Constant);
        TestBench::new(kind, "beyond/scores", &file.to_string())
            .unwrap()
            .with_data("library", pgn)
    }

    #[test]
    fn any_number_of_parts_gives_the_same_records() {
        let whole = bench(1, 5).records().unwrap();
        assert!(!whole.is_empty());
        for parts in [2, 7] {
            let bench = bench(parts, 5);
            assert_eq!(bench.cells().len(), parts as usize);
            assert!(bench.records().unwrap() == whole, "{parts} parts");
        }
    }
}
