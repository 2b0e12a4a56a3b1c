//! `endgame-concepts`: the concepts of an endgame learned by PAL, each clause from a random start.

mod learn;

use std::num::NonZeroU32;

use kibitz_board::Endgame;
use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_patterns::strategy::BUILT_IN;
use kibitz_patterns::{Changes, Places, TeachingSetParams};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::concepts;

/// Concepts of an endgame, learned clause by clause, each from a random instance (section 7.2). The
/// definition is compared in every position with the concept that the strategies of king and rook
/// against king use, or with the printed clauses.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a key of an experiment's file"
)]
pub(crate) struct EndgameConcepts {
    /// The endgame, such as `KPvK`, if it is not king and rook against king. Definitions are then compared
    /// with the printed clauses, in the positions with White to move.
    endgame: Option<String>,
    /// Highest perturbation level.
    max_level: usize,
    /// How perturbation changes the square of a piece.
    #[serde(default)]
    places: Places,
    /// The attributes of the pieces that perturbation changes: sides and squares in chapter 7, only squares in
    /// appendix F.
    #[serde(default = "places_and_sides")]
    changes: Changes,
    /// Whether foresight prunes queries that could only lead to a refused definition; the thesis asks
    /// them.
    #[serde(default)]
    foresight: bool,
    /// Whether, after a refusal, no two examples may succeed on the same of the literals that failed, as in
    /// Table 5.5; otherwise it is enough that they fail on different literals.
    #[serde(default)]
    success_sets: bool,
    /// Limits of the search for a trained user's teaching set; without them there is no search.
    user: Option<TeachingSetParams>,
    /// One row of the table each.
    rows: Vec<RowParams>,
    /// Whether a last row has the examples for each clause.
    #[serde(default)]
    per_clause: bool,
    /// Whether a last row counts the concepts and the clauses of all rows.
    #[serde(default)]
    count: bool,
}

fn places_and_sides() -> Changes {
    Changes::PlacesAndSides
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RowParams {
    /// The row of the table.
    row: String,
    /// The concept, by its name in the data `concepts` and `targets` and, for king and rook against king,
    /// among the concepts of strategies.
    concept: String,
    /// Starts with few moves: of so many random ones, that with the fewest.
    quiet: Option<NonZeroU32>,
    /// The attributes of the pieces that perturbation changes, if not those of the table.
    changes: Option<Changes>,
    /// The pieces of the examples, if not those of the data.
    men: Option<String>,
}

/// The task of a cell.
pub(crate) enum Work {
    Learn(RowParams),
    PerClause,
    Count,
}

/// The row with the examples for each clause.
const PER_CLAUSE: &str = "per clause";

/// The row that counts concepts and clauses.
const ALL: &str = "all";

/// The columns of [`PER_CLAUSE`].
const SUMMED: [&str; 3] = ["generated", "symmetry", "manual-pos"];

impl Experiment for EndgameConcepts {
    type Row = Work;

    const NAME: &'static str = "endgame-concepts";
    const EXAMPLE: &'static str = include_str!("../../examples/endgame-concepts.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("concepts", "concepts", "rows with a concept").input(),
        Column::new("clauses", "clauses", "clauses of the target").input(),
        Column::new("generated", "examples", "examples generated"),
        Column::new("generated-pos", "examples", "positive examples generated"),
        Column::new("generated-neg", "examples", "negative examples generated"),
        Column::new(
            "symmetry",
            "examples",
            "examples generated, with symmetries",
        ),
        Column::new(
            "symmetry-pos",
            "examples",
            "positive examples, with symmetries",
        ),
        Column::new(
            "symmetry-neg",
            "examples",
            "negative examples, with symmetries",
        ),
        Column::new(
            "manual-pos",
            "examples",
            "examples that a trained user adds to the initial ones, from which alone it is learned",
        ),
        Column::new(
            "found",
            "clauses",
            "clauses of the target that were learned",
        ),
        Column::new(
            "positions",
            "positions",
            "legal positions, those with White to move for a concept about a move or of KPvK",
        ),
        Column::new(
            "positive",
            "positions",
            "of these, those in which the concept of the strategies, or the printed one, holds",
        ),
        Column::new(
            "differ",
            "positions",
            "those in which the learned definition says something else",
        ),
        Column::new(
            "first-differing",
            "",
            "the first of them, as the placement of a FEN",
        ),
        Column::new(
            "definition",
            "",
            "the definition learned with generated examples",
        ),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &concepts::DATA);
        problems.at_least_one([("max-level", self.max_level), ("rows", self.rows.len())]);
        if let Some(user) = self.user {
            problems.at_least_one([
                ("user.pool", user.pool),
                ("user.pools", user.pools),
                ("user.beam", user.beam),
            ]);
        }
        let parsed = (self.endgame.iter()).find_map(|own| own.parse::<Endgame>().err());
        if let Some(error) = parsed {
            problems.at("endgame", error.to_string());
        }
        problems.each("rows", &self.rows, |row, problems| {
            problems.require(
                self.endgame.is_some() || BUILT_IN.iter().any(|own| own.name == row.concept),
                "concept",
                "no concept of strategies has this name",
            );
            problems.require(row.row != PER_CLAUSE, "row", "set `per-clause` instead");
            problems.require(row.row != ALL, "row", "set `count` instead");
        });
    }

    fn random(&self) -> bool {
        true
    }

    fn cells(&self) -> Vec<Cell<Work>> {
        let rows = self.rows.iter();
        let learned = rows.map(|row| {
            Cell::row(&row.row, Work::Learn(row.clone()))
                .reading(concepts::DATA)
                .sharing("comparisons")
        });
        let names = || self.rows.iter().map(|row| &row.row);
        let last = |row, work| Cell::row(row, work).costing(0.0).after(names());
        let sum = self.per_clause.then(|| last(PER_CLAUSE, Work::PerClause));
        let count = self.count.then(|| last(ALL, Work::Count));
        learned.chain(sum).chain(count).collect()
    }

    fn run(&self, work: &Work, ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        match work {
            Work::Learn(row) => self.learn(row, ctx, output),
            Work::PerClause => self.per_clause(ctx, output),
            Work::Count => self.count(ctx, output),
        }
    }
}

/// A number that every row has.
fn number(cell: &Output, row: &str, column: &str) -> Result<f64, CellError> {
    let number = cell.number(row, column);
    number.ok_or_else(|| CellError::new(format!("row `{row}` has no `{column}`")))
}

impl EndgameConcepts {
    /// The examples of all rows per clause.
    fn per_clause(&self, ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let mut clauses = 0.0;
        let mut examples = [Some(0.0); SUMMED.len()];
        for RowParams { row, .. } in &self.rows {
            let cell = ctx.finished(row)?;
            clauses += number(cell, row, "clauses")?;
            for (sum, column) in examples.iter_mut().zip(SUMMED) {
                // Without a value for every row there is no sum.
                *sum = sum.zip(cell.number(row, column)).map(|(a, b)| a + b);
            }
        }
        for (sum, column) in examples.into_iter().zip(SUMMED) {
            if let Some(sum) = sum {
                output.set(column, sum / clauses);
            }
        }
        Ok(())
    }

    /// The numbers of concepts and clauses.
    fn count(&self, ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let mut sums = [("clauses", 0.0), ("found", 0.0)];
        for RowParams { row, .. } in &self.rows {
            let cell = ctx.finished(row)?;
            for (column, sum) in &mut sums {
                *sum += number(cell, row, column)?;
            }
        }
        output.set("concepts", self.rows.len());
        for (column, sum) in sums {
            output.set(column, sum);
        }
        Ok(())
    }
}
