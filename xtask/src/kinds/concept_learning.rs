//! `concept-learning`: how many examples PAL needs for a concept, and what it learns.

use kibitz_ilp::learn::pal::{PalLearned, equivalent_as_patterns};
use kibitz_lab::{
    Cell, CellContext, CellError, CellOutput, Column, Diagnostics, Kind, Params, Plan,
};
use kibitz_patterns::{Concept, Prepared};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Concepts learned from positions, each in three ways: with generated examples, with their mirror
/// images as well, and from examples that a trained user would choose.
#[derive(Debug)]
pub(crate) struct ConceptLearning;

const TARGETS: &str = "targets";
const TOTAL: &str = "total";

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct LearningParams {
    /// Random positions on which each learned definition is compared with its target.
    positions: u32,
    /// Random positive examples the trained user chooses from.
    pool: usize,
    /// Highest perturbation level.
    max_level: usize,
    /// One row of the table each.
    rows: Vec<RowParams>,
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
        1
    }

    fn crates(&self) -> &'static [&'static str] {
        &["kibitz-board", "kibitz-ilp", "kibitz-patterns"]
    }

    fn example(&self) -> &'static str {
        include_str!("examples/concept-learning.toml")
    }

    fn params_schema(&self) -> schemars::Schema {
        schemars::schema_for!(LearningParams)
    }

    fn plan(&self, params: &Params<'_>) -> Result<Box<dyn Plan>, Diagnostics> {
        let checked: LearningParams = params.read()?;
        params.expect_data(&[TARGETS])?;
        let mut problems = Diagnostics::new();
        for (name, value) in [
            ("positions", checked.positions as usize),
            ("pool", checked.pool),
            ("max-level", checked.max_level),
            ("rows", checked.rows.len()),
        ] {
            if value == 0 {
                problems.push(params.error_at(name, "at least one"));
            }
        }
        for (index, row) in checked.rows.iter().enumerate() {
            if row.row == TOTAL {
                let message = "this row is the sum of the others";
                problems.push(params.error_at(&format!("rows.{index}.row"), message));
            }
            if row.concept.examples.is_empty() {
                let message = "at least one initial example";
                problems.push(params.error_at(&format!("rows.{index}.concept"), message));
            }
        }
        problems.into_result(Box::new(LearningPlan(checked)))
    }
}

struct LearningPlan(LearningParams);

impl Plan for LearningPlan {
    fn random(&self) -> bool {
        true
    }

    fn columns(&self) -> Vec<Column> {
        let examples = |name: &str, doc: &str| Column::new(name, "examples", doc);
        vec![
            examples("generated-pos", "positive examples generated"),
            examples("generated-neg", "negative examples generated"),
            examples("symmetry-pos", "positive examples, with symmetries"),
            examples("symmetry-neg", "negative examples, with symmetries"),
            examples("user-pos", "examples of a trained user"),
            Column::new(
                "rejected",
                "definitions",
                "definitions the teacher rejected",
            ),
            Column::new("clauses", "clauses", "clauses of the definition"),
            Column::new(
                "equivalent",
                "",
                "1 if equivalent to the target, otherwise 0",
            ),
            Column::new("symmetry-equivalent", "", "the same, with symmetries"),
            Column::new(
                "agreement",
                "%",
                "positions in which it agrees with the target",
            ),
            Column::new("positive", "%", "positions in which the target holds"),
        ]
    }

    fn cells(&self) -> Vec<Cell> {
        let rows = self.0.rows.iter().map(|row| row.row.as_str());
        vec![Cell::rows("concepts", rows.chain([TOTAL])).reading([TARGETS])]
    }

    fn run(&self, _: &Cell, ctx: &CellContext<'_>) -> Result<CellOutput, CellError> {
        let bytes = ctx.data(TARGETS)?.bytes()?;
        let targets = std::str::from_utf8(&bytes)?;
        let mut output = CellOutput::new();
        let mut total = (0, 0);
        for row in &self.0.rows {
            ctx.check()?;
            let name = row.row.as_str();
            let prepared = row.concept.prepare(targets, true)?;
            let mut params = prepared.params();
            params.max_level = self.0.max_level;
            let plain = prepared.learn(params, &mut prepared.oracle())?;
            params.symmetries = true;
            let mirrored = prepared.learn(params, &mut prepared.oracle())?;
            let seed = ctx.seed_u64(&format!("user of {name}"));
            let chosen = prepared.chosen_examples(self.0.pool, seed)?;
            let (positive, negative) = plain.n_examples();
            total = (total.0 + positive, total.1 + negative);
            output.set(name, "generated-pos", positive as f64);
            output.set(name, "generated-neg", negative as f64);
            let (positive, negative) = mirrored.n_examples();
            output.set(name, "symmetry-pos", positive as f64);
            output.set(name, "symmetry-neg", negative as f64);
            if let Some(chosen) = chosen {
                output.set(name, "user-pos", chosen.len() as f64);
            }
            output.set(name, "rejected", plain.n_rejected() as f64);
            output.set(name, "clauses", plain.clauses.len() as f64);
            output.set(name, "equivalent", f64::from(equivalent(&prepared, &plain)));
            let same = equivalent(&prepared, &mirrored);
            output.set(name, "symmetry-equivalent", f64::from(same));
            let seed = ctx.seed_u64(&format!("positions of {name}"));
            let agreement = prepared.agreement(&plain.clauses, self.0.positions, seed)?;
            let percent = |n: u32| 100.0 * f64::from(n) / f64::from(agreement.positions.max(1));
            output.set(name, "agreement", percent(agreement.agreed));
            output.set(name, "positive", percent(agreement.positive));
        }
        output.set(TOTAL, "generated-pos", total.0 as f64);
        output.set(TOTAL, "generated-neg", total.1 as f64);
        Ok(output)
    }
}

/// Whether every clause of the target was learned, and nothing else.
fn equivalent(prepared: &Prepared, learned: &PalLearned) -> u8 {
    let same = |a, b| equivalent_as_patterns(a, b, prepared.definitions());
    let found = (prepared.target().iter())
        .all(|target| learned.clauses.iter().any(|clause| same(target, clause)));
    let sound = (learned.clauses.iter())
        .all(|clause| prepared.target().iter().any(|target| same(target, clause)));
    u8::from(found && sound)
}
