//! `example-order`: the effect of the order of the examples on Cigol.

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_ilp::subsumes;
use kibitz_ilp_classics::cigol::Dialogue;
use kibitz_prolog::{Clause, Database, Limits, Literal, Prover, SymbolTable, Term, read_clauses};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clauses;

/// Cigol's truncation and absorption with an oracle, example by example.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ExampleOrder {
    /// The intended definition as Prolog text: the user accepts clauses that follow from it.
    target: String,
    /// One row of the table each.
    orders: Vec<OrderRow>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct OrderRow {
    /// The row of the table.
    row: String,
    /// The examples as Prolog text, in order.
    examples: String,
    /// True clauses that the user refuses all the same.
    #[serde(default)]
    refused: String,
}

impl Experiment for ExampleOrder {
    type Row = OrderRow;

    const NAME: &'static str = "example-order";
    const EXAMPLE: &'static str = include_str!("../examples/example-order.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("examples", "examples", "examples given").input(),
        Column::new(
            "generalizations",
            "clauses",
            "generalizations that the user accepted",
        ),
        Column::new("clauses", "clauses", "clauses in the end"),
        Column::new("intended", "", "whether the intended definition is reached"),
        Column::new("theory", "", "the clauses in the end"),
        Column::new("steps", "", "the generalizations accepted, in order"),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &[]);
        clauses::check("target", &self.target, problems);
        problems.each("orders", &self.orders, |order, problems| {
            let examples = clauses::check("examples", &order.examples, problems);
            let has_conditions = examples.iter().any(|clause| !clause.body.is_empty());
            problems.require(!has_conditions, "examples", "examples have no conditions");
            clauses::check("refused", &order.refused, problems);
        });
        problems.require(!self.orders.is_empty(), "orders", "at least one order");
    }

    fn cells(&self) -> Vec<Cell<OrderRow>> {
        let orders = self.orders.iter();
        orders
            .map(|order| Cell::row(&order.row, order.clone()))
            .collect()
    }

    fn run(&self, order: &OrderRow, _: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let mut symbols = SymbolTable::new();
        let target = read_clauses(&self.target, &mut symbols)?;
        let examples = read_clauses(&order.examples, &mut symbols)?;
        let refused = read_clauses(&order.refused, &mut symbols)?;
        let refuses = |clause: &Clause| {
            (refused.iter()).any(|own| subsumes(own, clause) && subsumes(clause, own))
        };
        let mut cigol = Dialogue::new();
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
        output
            .set("examples", examples.len())
            .set("generalizations", steps.len())
            .set("clauses", theory.len())
            .set("intended", if reached { "yes" } else { "no" })
            .set("theory", clauses::print(theory, &symbols))
            .set("steps", clauses::print(&steps, &symbols));
        Ok(())
    }
}

/// Whether a clause follows from the intended definition: with its variables skolemized and its body as
/// facts, its head can be proved.
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
        ..Limits::default()
    };
    let goal = Literal::positive(ground.head);
    let answers = Prover::new(&db, limits).solutions(&[goal], 1)?;
    Ok(!answers.bindings.is_empty())
}
