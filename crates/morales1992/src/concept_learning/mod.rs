//! `concept-learning`: how many examples PAL needs for a concept, and what it learns.

mod row;

use std::sync::OnceLock;

use kibitz_lab::{
    Cell, CellContext, CellError, CellOutput, Column, Diagnostics, Kind, Params, Plan,
};
use kibitz_patterns::{Board, Concept, UserParams};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use row::Learned;

/// Concepts learned from positions in up to three ways: with generated examples, with their mirror
/// images as well, and from examples that a trained user would choose.
#[derive(Debug)]
pub(crate) struct ConceptLearning;

const TARGETS: &str = "targets";
const TOTAL: &str = "total";
const AVERAGE: &str = "average";

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct LearningParams {
    /// Where the examples come from.
    #[serde(default = "Way::all")]
    ways: Vec<Way>,
    /// Random chess positions on which each learned definition is compared with its target.
    /// Placements of pieces are all tried.
    positions: u32,
    /// How far the trained user looks for examples.
    #[serde(default)]
    user: UserParams,
    /// Highest perturbation level.
    max_level: usize,
    /// Whether PAL leaves out questions whose answer could only be refused; the thesis asks them.
    #[serde(default = "foresight")]
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

fn foresight() -> bool {
    true
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Sum {
    Total,
    Average,
}

impl Sum {
    fn name(self) -> &'static str {
        match self {
            Self::Total => TOTAL,
            Self::Average => AVERAGE,
        }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RowParams {
    /// The row of the table.
    row: String,
    /// What is learned, from which examples and which background.
    concept: Concept,
}

impl Kind for ConceptLearning {
    fn name(&self) -> &'static str {
        "concept-learning"
    }

    fn version(&self) -> u32 {
        2
    }

    fn crates(&self) -> &'static [&'static str] {
        &["kibitz-board", "kibitz-ilp", "kibitz-patterns"]
    }

    fn example(&self) -> &'static str {
        include_str!("../examples/concept-learning.toml")
    }

    fn params_schema(&self) -> schemars::Schema {
        schemars::schema_for!(LearningParams)
    }

    fn plan(&self, params: &Params<'_>) -> Result<Box<dyn Plan>, Diagnostics> {
        let checked: LearningParams = params.read()?;
        params.expect_data(&[TARGETS])?;
        let mut problems = Diagnostics::new();
        for (name, value) in [
            ("ways", checked.ways.len()),
            ("positions", checked.positions as usize),
            ("user.pool", checked.user.pool),
            ("user.pools", checked.user.pools),
            ("user.beam", checked.user.beam),
            ("max-level", checked.max_level),
            ("rows", checked.rows.len()),
        ] {
            if value == 0 {
                problems.push(params.error_at(name, "at least one"));
            }
        }
        for (index, row) in checked.rows.iter().enumerate() {
            if [TOTAL, AVERAGE].contains(&&*row.row) {
                let message = "this row sums up the others: name it in `sums`";
                problems.push(params.error_at(&format!("rows.{index}.row"), message));
            }
            if row.concept.examples.is_empty() {
                let message = "at least one initial example";
                problems.push(params.error_at(&format!("rows.{index}.concept"), message));
            }
        }
        let learned = checked.rows.iter().map(|_| OnceLock::new()).collect();
        problems.into_result(Box::new(LearningPlan {
            params: checked,
            learned,
        }))
    }
}

struct LearningPlan {
    params: LearningParams,
    /// What was learned for each row, for the rows that sum up the others.
    learned: Vec<OnceLock<Result<Learned, String>>>,
}

impl Plan for LearningPlan {
    fn random(&self) -> bool {
        let mut rows = self.params.rows.iter();
        rows.any(|row| row.concept.board == Board::Chess)
    }

    fn columns(&self) -> Vec<Column> {
        let way = |way: Way| self.params.ways.contains(&way);
        let mut columns = vec![Column::new("initial", "examples", "initial examples")];
        let mut add = |wanted: bool, group: &[(&str, &str, &str)]| {
            if wanted {
                let group = group.iter();
                columns.extend(group.map(|&(name, unit, doc)| Column::new(name, unit, doc)));
            }
        };
        add(
            way(Way::Generated),
            &[
                ("generated", "examples", "examples generated"),
                ("generated-pos", "examples", "positive examples generated"),
                ("generated-neg", "examples", "negative examples generated"),
                (
                    "rejected",
                    "definitions",
                    "definitions refused by the teacher or for a negative example",
                ),
                (
                    "satisfied",
                    "",
                    "1 if every search ended with a satisfied teacher, 0 if one ended at a limit",
                ),
                ("clauses", "clauses", "clauses of the definition"),
                (
                    "found",
                    "clauses",
                    "clauses of the target that were learned",
                ),
                (
                    "equivalent",
                    "",
                    "1 if equivalent to the target, otherwise 0",
                ),
            ],
        );
        add(
            way(Way::Symmetries),
            &[
                (
                    "symmetry",
                    "examples",
                    "examples generated, with symmetries",
                ),
                (
                    "symmetry-pos",
                    "examples",
                    "positive examples, with symmetries",
                ),
                (
                    "symmetry-neg",
                    "examples",
                    "negative examples, with symmetries",
                ),
                ("symmetry-equivalent", "", "the same, with symmetries"),
            ],
        );
        add(
            way(Way::User),
            &[(
                "user-pos",
                "examples",
                "examples of a trained user that teach the concept, initial ones included",
            )],
        );
        add(
            way(Way::Generated),
            &[
                (
                    "agreement",
                    "%",
                    "positions in which it agrees with the target",
                ),
                ("accuracy", "%", "positions in which it is right"),
                (
                    "precision",
                    "%",
                    "of the positions it takes, those rightly taken",
                ),
                (
                    "recall",
                    "%",
                    "of the positions it should take, those taken",
                ),
                (
                    "positive",
                    "positions",
                    "positions in which the concept is present",
                ),
                ("positions", "positions", "positions compared"),
                (
                    "definition",
                    "",
                    "the definition learned with generated examples",
                ),
            ],
        );
        if self.params.times {
            for &way in &self.params.ways {
                let doc = "time of learning, teacher included";
                columns.push(Column::new(way.time_column(), "s", doc).volatile());
            }
        }
        columns
    }

    fn cells(&self) -> Vec<Cell> {
        let rows = self.params.rows.iter().map(|row| {
            let n_disjuncts = row.concept.examples.len() as f64;
            let cost = if row.concept.dynamic {
                10.0
            } else {
                n_disjuncts
            };
            Cell::row(&row.row).costing(1.0 + cost)
        });
        let sums = self
            .params
            .sums
            .iter()
            .map(|sum| Cell::row(sum.name()).costing(0.0));
        rows.chain(sums)
            .map(|cell| cell.reading([TARGETS]))
            .collect()
    }

    fn run(&self, cell: &Cell, ctx: &CellContext<'_>) -> Result<CellOutput, CellError> {
        let bytes = ctx.data(TARGETS)?.bytes()?;
        let targets = std::str::from_utf8(&bytes)?;
        let mut output = CellOutput::new();
        if let Some(sum) = self.params.sums.iter().find(|sum| sum.name() == cell.id) {
            self.sum_up(*sum, targets, ctx, &mut output)?;
            return Ok(output);
        }
        let index = self.params.rows.iter().position(|row| row.row == cell.id);
        let index = index.ok_or_else(|| CellError::new("no such row"))?;
        let learned = self.learned(index, targets, ctx)?;
        learned.describe(&cell.id, &self.params, ctx, &mut output)?;
        Ok(output)
    }
}

impl LearningPlan {
    /// What is learned for a row, once a run.
    fn learned(
        &self,
        index: usize,
        targets: &str,
        ctx: &CellContext<'_>,
    ) -> Result<&Learned, CellError> {
        let concept = &self.params.rows[index].concept;
        let learn = || Learned::new(concept, targets, &self.params, ctx);
        let learned = self.learned[index].get_or_init(|| learn().map_err(|e| e.to_string()));
        ctx.check()?;
        learned
            .as_ref()
            .map_err(|error| CellError::new(error.clone()))
    }

    fn sum_up(
        &self,
        sum: Sum,
        targets: &str,
        ctx: &CellContext<'_>,
        output: &mut CellOutput,
    ) -> Result<(), CellError> {
        let mut rows = Vec::new();
        for index in 0..self.params.rows.len() {
            let learned = self.learned(index, targets, ctx)?;
            rows.push(learned.counts());
        }
        let columns = rows.first().cloned();
        for (column, _) in columns.unwrap_or_default() {
            let of = |counts: &[(&str, usize)]| {
                let mut counts = counts.iter();
                counts.find(|(own, _)| *own == column).map(|(_, n)| *n)
            };
            let values: Option<Vec<usize>> = rows.iter().map(|counts| of(counts)).collect();
            // A sum of what some rows lack would say nothing.
            if let Some(values) = values {
                let total = values.iter().sum::<usize>() as f64;
                let value = match sum {
                    Sum::Total => total,
                    Sum::Average => total / values.len() as f64,
                };
                output.set(sum.name(), column, value);
            }
        }
        Ok(())
    }
}
