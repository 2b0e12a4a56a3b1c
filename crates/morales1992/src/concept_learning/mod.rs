//! `concept-learning`: how many examples PAL needs for a concept, and what it learns.

mod learn;
mod sum;

use std::num::NonZeroU32;

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_ilp::learn::pal::ClassOrder;
use kibitz_patterns::UserParams;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::concepts;
use sum::Sum;

const TIME: &str = "time of learning, teacher included";

/// Concepts learned from positions in up to three ways: with generated examples, with their mirror
/// images as well, and from examples that a trained user would choose.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ConceptLearning {
    /// Where the examples come from.
    #[serde(default = "Way::all")]
    ways: Vec<Way>,
    /// Random chess positions on which each learned definition is compared with its target.
    /// Placements of pieces are all tried and need none.
    positions: Option<u32>,
    /// How far the trained user looks for examples.
    #[serde(default)]
    user: UserParams,
    /// Highest perturbation level.
    max_level: usize,
    /// Whether PAL leaves out questions whose answer could only be refused; the thesis asks them.
    #[serde(default)]
    foresight: bool,
    /// Whether each way of learning is timed.
    #[serde(default)]
    times: bool,
    /// Rows that sum up the others.
    #[serde(default)]
    sums: Vec<Sum>,
    /// One row of the table each.
    rows: Vec<RowParams>,
}

/// Where the examples come from after the initial ones.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
enum Way {
    /// PAL generates them.
    Generated,
    /// PAL generates them, and generalises with their mirror images before it asks again.
    Symmetries,
    /// A trained user chooses them.
    User,
}

impl Way {
    fn all() -> Vec<Self> {
        vec![Self::Generated, Self::Symmetries, Self::User]
    }

    /// The column of its times.
    fn time_column(self) -> &'static str {
        match self {
            Self::Generated => "generated-time",
            Self::Symmetries => "symmetry-time",
            Self::User => "user-time",
        }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RowParams {
    /// The row of the table.
    row: String,
    /// What is learned, by its name in the data `concepts`: its initial examples and background
    /// are declared there.
    concept: String,
    /// Generation starts from a random position in which the target holds, with the pieces of the first
    /// initial example, and not from the initial examples: of so many drawn that with the fewest moves.
    random_starts: Option<NonZeroU32>,
    /// In which order perturbation classes are explored.
    #[serde(default)]
    class_order: ClassOrder,
}

/// What a cell does.
pub(crate) enum Work {
    Learn(RowParams),
    SumUp(Sum),
}

impl Experiment for ConceptLearning {
    type Row = Work;

    const NAME: &'static str = "concept-learning";
    const EXAMPLE: &'static str = include_str!("../../examples/concept-learning.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("initial", "examples", "initial examples"),
        Column::new("generated", "examples", "examples generated"),
        Column::new("generated-pos", "examples", "positive examples generated"),
        Column::new("generated-neg", "examples", "negative examples generated"),
        Column::new(
            "generated-examined",
            "examples",
            "generated examples looked at, shown or not",
        ),
        Column::new(
            "rejected",
            "definitions",
            "definitions refused by the teacher or for a negative example",
        ),
        Column::new(
            "satisfied",
            "",
            "1 if every search ended with a satisfied teacher, 0 if one ended at a limit",
        ),
        Column::new("clauses", "clauses", "clauses of the definition"),
        Column::new(
            "found",
            "clauses",
            "clauses of the target that were learned",
        ),
        Column::new(
            "equivalent",
            "",
            "1 if equivalent to the target, otherwise 0",
        ),
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
            "symmetry-examined",
            "examples",
            "generated examples looked at, with symmetries",
        ),
        Column::new("symmetry-equivalent", "", "the same, with symmetries"),
        Column::new(
            "user-pos",
            "examples",
            "examples of a trained user that teach the concept, initial ones included",
        ),
        Column::new(
            "agreement",
            "%",
            "positions in which it agrees with the target",
        ),
        Column::new("accuracy", "%", "positions in which it is right"),
        Column::new(
            "precision",
            "%",
            "of the positions it takes, those rightly taken",
        ),
        Column::new(
            "recall",
            "%",
            "of the positions it should take, those taken",
        ),
        Column::new(
            "positive",
            "positions",
            "positions in which the concept is present",
        ),
        Column::new("positions", "positions", "positions compared"),
        Column::new(
            "definition",
            "",
            "the definition learned with generated examples",
        ),
        Column::new("generated-time", "s", TIME).volatile(),
        Column::new("symmetry-time", "s", TIME).volatile(),
        Column::new("user-time", "s", TIME).volatile(),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &concepts::DATA);
        problems.at_least_one([
            ("ways", self.ways.len()),
            ("positions", self.positions.map_or(1, |n| n as usize)),
            ("user.pool", self.user.pool),
            ("user.pools", self.user.pools),
            ("user.beam", self.user.beam),
            ("max-level", self.max_level),
            ("rows", self.rows.len()),
        ]);
        problems.each("rows", &self.rows, |row, problems| {
            problems.require(
                !Sum::ALL.iter().any(|sum| sum.row() == row.row),
                "row",
                "this row sums up the others: name it in `sums`",
            );
        });
    }

    fn columns(&self) -> Vec<Column> {
        let is_filled = |column: &&Column| {
            let way = match &*column.name {
                "initial" => return true,
                name if name.starts_with("symmetry") => Way::Symmetries,
                name if name.starts_with("user") => Way::User,
                _ => Way::Generated,
            };
            self.ways.contains(&way) && (self.times || !column.volatile)
        };
        Self::COLUMNS.iter().filter(is_filled).cloned().collect()
    }

    fn random(&self) -> bool {
        self.positions.is_some() || self.rows.iter().any(|row| row.random_starts.is_some())
    }

    fn cells(&self) -> Vec<Cell<Work>> {
        let learned = self
            .rows
            .iter()
            .map(|row| Cell::row(&row.row, Work::Learn(row.clone())).reading(concepts::DATA));
        let sums = self.sums.iter().map(|&sum| {
            Cell::row(sum.row(), Work::SumUp(sum))
                .costing(0.0)
                .after(self.rows.iter().map(|row| &row.row))
        });
        learned.chain(sums).collect()
    }

    fn run(&self, work: &Work, ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        match work {
            Work::Learn(row) => self.learn(row, ctx, output),
            Work::SumUp(sum) => sum.up(self.rows.iter().map(|row| &*row.row), ctx, output),
        }
    }
}
