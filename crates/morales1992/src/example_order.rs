//! `example-order`: what Cigol makes of the same examples in another order.

use kibitz_ilp::learn::cigol::Cigol;
use kibitz_ilp::{
    Clause, Database, Limits, Prover, ReadErrors, SymbolTable, Term, print_clause, read_clauses,
    subsumes,
};
use kibitz_lab::{
    Cell, CellContext, CellError, CellOutput, Column, Diagnostics, Kind, Params, Plan,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Cigol's truncation and absorption under an oracle, example by example.
#[derive(Debug)]
pub(crate) struct ExampleOrder;

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct OrderParams {
    /// The intended definition as Prolog text: the user accepts what is true of it.
    target: String,
    /// One row of the table each.
    orders: Vec<OrderRow>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct OrderRow {
    /// The row of the table.
    row: String,
    /// The examples as Prolog text, in order.
    examples: String,
    /// True clauses that the user refuses all the same.
    #[serde(default)]
    refused: String,
}

impl Kind for ExampleOrder {
    fn name(&self) -> &'static str {
        "example-order"
    }

    fn version(&self) -> u32 {
        1
    }

    fn crates(&self) -> &'static [&'static str] {
        &["kibitz-ilp"]
    }

    fn example(&self) -> &'static str {
        include_str!("examples/example-order.toml")
    }

    fn params_schema(&self) -> schemars::Schema {
        schemars::schema_for!(OrderParams)
    }

    fn plan(&self, params: &Params<'_>) -> Result<Box<dyn Plan>, Diagnostics> {
        let checked: OrderParams = params.read()?;
        params.expect_data(&[])?;
        let mut problems = Diagnostics::new();
        let mut read = |at: &str, text: &str| -> Option<Vec<Clause>> {
            let clauses: Result<_, ReadErrors> = read_clauses(text, &mut SymbolTable::new());
            clauses
                .map_err(|errors| problems.push(params.error_at(at, errors.to_string())))
                .ok()
        };
        read("target", &checked.target);
        let mut rules = Vec::new();
        for (index, order) in checked.orders.iter().enumerate() {
            let at = format!("orders.{index}.examples");
            let examples = read(&at, &order.examples).unwrap_or_default();
            if examples.iter().any(|clause| !clause.body.is_empty()) {
                rules.push(at);
            }
            read(&format!("orders.{index}.refused"), &order.refused);
        }
        for at in rules {
            problems.push(params.error_at(&at, "examples have no conditions"));
        }
        if checked.orders.is_empty() {
            problems.push(params.error_at("orders", "at least one order"));
        }
        problems.into_result(Box::new(OrderPlan(checked)))
    }
}

struct OrderPlan(OrderParams);

impl Plan for OrderPlan {
    fn random(&self) -> bool {
        false
    }

    fn columns(&self) -> Vec<Column> {
        [
            ("examples", "examples", "examples given"),
            (
                "generalizations",
                "clauses",
                "generalizations that the user accepted",
            ),
            ("clauses", "clauses", "clauses in the end"),
            ("intended", "", "whether the intended definition is reached"),
            ("theory", "", "the clauses in the end"),
            ("steps", "", "the generalizations accepted, in order"),
        ]
        .into_iter()
        .map(|(name, unit, doc)| Column::new(name, unit, doc))
        .collect()
    }

    fn cells(&self) -> Vec<Cell> {
        let orders = self.0.orders.iter();
        orders.map(|order| Cell::row(&order.row)).collect()
    }

    fn run(&self, cell: &Cell, _: &CellContext<'_>) -> Result<CellOutput, CellError> {
        let order = (self.0.orders.iter())
            .find(|order| order.row == cell.id)
            .ok_or_else(|| CellError::new("no such row"))?;
        let mut symbols = SymbolTable::new();
        let target = read_clauses(&self.0.target, &mut symbols)?;
        let examples = read_clauses(&order.examples, &mut symbols)?;
        let refused = read_clauses(&order.refused, &mut symbols)?;
        let refuses = |clause: &Clause| {
            (refused.iter()).any(|own| subsumes(own, clause) && subsumes(clause, own))
        };
        let mut cigol = Cigol::new();
        let mut steps = Vec::new();
        let mut failure = None;
        for example in &examples {
            cigol.tell(example.head.clone());
            steps.extend(
                cigol.generalize(|clause| match is_true(clause, &target, &mut symbols) {
                    Ok(holds) => holds && !refuses(clause),
                    Err(error) => {
                        failure.get_or_insert(error);
                        false
                    }
                }),
            );
        }
        if let Some(error) = failure {
            return Err(error);
        }
        let theory = cigol.theory();
        let reached = target
            .iter()
            .all(|clause| theory.iter().any(|own| subsumes(own, clause)));
        let text = |clauses: &[Clause]| {
            let lines = clauses
                .iter()
                .map(|c| print_clause(c, &symbols).to_string());
            lines.collect::<Vec<_>>().join(" ")
        };
        let mut output = CellOutput::new();
        let row = cell.id.as_str();
        output.set(row, "examples", examples.len() as u64);
        output.set(row, "generalizations", steps.len() as u64);
        output.set(row, "clauses", theory.len() as u64);
        output.set(row, "intended", if reached { "yes" } else { "no" });
        output.set(row, "theory", text(theory));
        output.set(row, "steps", text(&steps));
        Ok(output)
    }
}

/// Whether a clause follows from the intended definition: with its variables as new constants and
/// its conditions as facts, its head can be proved.
fn is_true(
    clause: &Clause,
    target: &[Clause],
    symbols: &mut SymbolTable,
) -> Result<bool, CellError> {
    let ground = clause.map_vars(&mut |var| {
        let name = symbols.intern(&format!("any {}", var.0));
        Term::symbol(name)
    });
    let facts: Vec<Clause> = ground
        .body
        .iter()
        .map(|literal| Clause::fact(literal.atom.clone()))
        .collect();
    let db = Database::builder()
        .clauses(target)
        .clauses(&facts)
        .build(symbols)?;
    let limits = Limits {
        steps: 10_000,
        depth: 100,
    };
    let goal = kibitz_ilp::Literal::positive(ground.head);
    let answers = Prover::new(&db, limits).solutions(&[goal], 1)?;
    Ok(!answers.bindings.is_empty())
}
