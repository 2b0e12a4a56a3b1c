//! `endgame-concepts`: the concepts of an endgame learned by PAL, each clause from a random start.

mod learn;

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_patterns::strategy::BUILT_IN;
use kibitz_patterns::{Places, UserParams};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::concepts;

/// Concepts of king and rook against king. Each clause is learned separately, from a random position
/// in which it holds, as section 7.2 says; what all of them say together is compared with the concept
/// that the strategies use, in every position.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct EndgameConcepts {
    /// Highest perturbation level.
    max_level: usize,
    /// How the generator changes the place of a piece.
    #[serde(default)]
    places: Places,
    /// Whether PAL leaves out questions whose answer could only be refused; the thesis asks them.
    #[serde(default)]
    foresight: bool,
    /// How far the trained user looks for examples; without it none is asked for.
    user: Option<UserParams>,
    /// One row of the table each.
    rows: Vec<RowParams>,
    /// Whether a last row has the examples for each clause.
    #[serde(default)]
    per_clause: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RowParams {
    /// The row of the table.
    row: String,
    /// What is learned, by its name in the data `concepts`, in the data `targets`, and among the
    /// concepts of strategies.
    concept: String,
}

/// What a cell does.
pub(crate) enum Work {
    Learn(RowParams),
    PerClause,
}

/// The row with the examples for each clause.
const PER_CLAUSE: &str = "per clause";

/// The columns that it has.
const SUMMED: [&str; 3] = ["generated", "symmetry", "user"];

impl Experiment for EndgameConcepts {
    type Row = Work;

    const NAME: &'static str = "endgame-concepts";
    const EXAMPLE: &'static str = include_str!("../../examples/endgame-concepts.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("clauses", "clauses", "clauses of the target"),
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
            "user",
            "examples",
            "examples of a trained user, initial ones included",
        ),
        Column::new(
            "found",
            "clauses",
            "clauses of the target that were learned",
        ),
        Column::new(
            "positions",
            "positions",
            "legal positions, those with White to move for a concept about a move",
        ),
        Column::new(
            "positive",
            "positions",
            "of these, those in which the concept of the strategies holds",
        ),
        Column::new(
            "differ",
            "positions",
            "those in which the learned definition says something else",
        ),
        Column::new(
            "first-differing",
            "",
            "the first of them, as the men's places in a FEN",
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
        problems.each("rows", &self.rows, |row, problems| {
            problems.require(
                BUILT_IN.iter().any(|own| own.name == row.concept),
                "concept",
                "no concept of strategies has this name",
            );
            problems.require(row.row != PER_CLAUSE, "row", "set `per-clause` instead");
        });
    }

    fn random(&self) -> bool {
        true
    }

    fn cells(&self) -> Vec<Cell<Work>> {
        let rows = self.rows.iter();
        let learned =
            rows.map(|row| Cell::row(&row.row, Work::Learn(row.clone())).reading(concepts::DATA));
        let names = self.rows.iter().map(|row| &row.row);
        let sum = self.per_clause.then(|| {
            Cell::row(PER_CLAUSE, Work::PerClause)
                .costing(0.0)
                .after(names)
        });
        learned.chain(sum).collect()
    }

    fn run(&self, work: &Work, ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        match work {
            Work::Learn(row) => self.learn(&row.concept, ctx, output),
            Work::PerClause => self.per_clause(ctx, output),
        }
    }
}

impl EndgameConcepts {
    /// The examples of all rows over the clauses of all rows.
    fn per_clause(&self, ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let mut clauses = 0.0;
        let mut examples = [Some(0.0); SUMMED.len()];
        for RowParams { row, .. } in &self.rows {
            let cell = ctx.finished(row)?;
            clauses += cell.number(row, "clauses").unwrap_or(0.0);
            for (sum, column) in examples.iter_mut().zip(SUMMED) {
                // A sum of what some rows lack would say nothing.
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
}
