//! `example-order`: the effect of the order of the examples on Cigol, MIS and Itou.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_ilp::learn::LearnError;
use kibitz_ilp::{Problem, Source, Study, Task, subsumes};
use kibitz_ilp_classics::cigol::{Dialogue, User};
use kibitz_ilp_classics::mis::Oracle;
use kibitz_ilp_classics::{Itou, Mis};
use kibitz_prolog::{
    Atom, Clause, Database, Limits, Literal, Proof, Prover, ProverError, SymbolTable, print_clause,
    read_clauses,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clauses;

/// Learners that go through their examples one by one, with a user who has a definition in mind.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ExampleOrder {
    /// The intended definition as Prolog text: the user accepts clauses that follow from it.
    target: String,
    /// What the predicates are, as a bias of Popper (MIS, Itou).
    #[serde(default)]
    bias: String,
    /// Examples that are false, as Prolog text (MIS).
    #[serde(default)]
    negative: String,
    /// One row of the table each.
    orders: Vec<OrderRow>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct OrderRow {
    /// The row of the table.
    row: String,
    /// The learner.
    #[serde(default)]
    learner: Learner,
    /// The examples as Prolog text, in order.
    examples: String,
    /// True clauses that the user refuses all the same (Cigol).
    #[serde(default)]
    refused: String,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Learner {
    /// Truncation and absorption; the user judges clauses.
    #[default]
    Cigol,
    /// Refinements of refuted clauses; the user says whether what a clause concludes is true.
    Mis,
    /// Saturation and truncation; the user judges clauses.
    Itou,
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
        Column::new("questions", "questions", "questions that the user answered"),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &[]);
        clauses::check("target", &self.target, problems);
        problems.each("orders", &self.orders, |order, problems| {
            let examples = clauses::check("examples", &order.examples, problems);
            let has_conditions = examples.iter().any(|clause| !clause.body.is_empty());
            problems.require(!has_conditions, "examples", "examples have no conditions");
            clauses::check("refused", &order.refused, problems);
            let fits = order.learner == Learner::Cigol || order.refused.is_empty();
            problems.require(fits, "refused", "only Cigol's user refuses true clauses");
            let fits = order.learner == Learner::Cigol || !self.bias.is_empty();
            problems.require(fits, "learner", "MIS and Itou need `bias`");
        });
        clauses::check("negative", &self.negative, problems);
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
        output.set("examples", examples.len());
        let theory = if order.learner == Learner::Cigol {
            let refused = read_clauses(&order.refused, &mut symbols)?;
            let user = TargetOracle::new(target.clone(), refused, &mut symbols);
            let cigol = user.told(&examples)?;
            output
                .set("generalizations", cigol.steps.len())
                .set("steps", clauses::print(&cigol.steps, &symbols))
                .set("questions", user.n_questions());
            cigol.theory
        } else {
            let negative = read_clauses(&self.negative, &mut symbols)?;
            let mut text = String::new();
            for (side, examples) in [("pos", &examples), ("neg", &negative)] {
                for example in examples {
                    let shown = print_clause(example, &symbols).to_string();
                    let _ = writeln!(text, "{side}({}).", shown.trim_end_matches('.'));
                }
            }
            let source = |name, text| Source { name, text };
            let mut task = Task::from_popper(
                source("examples", &text),
                source("background", ""),
                source("bias", &self.bias),
            )
            .map_err(|errors| CellError::new(errors.to_string()))?;
            // The names of the task.
            let own = read_clauses(&self.target, &mut task.symbols)?;
            let user = TargetOracle::new(own, Vec::new(), &mut task.symbols);
            let learned = if order.learner == Learner::Mis {
                let oracle: Box<dyn Oracle + '_> = Box::new(&user);
                task.learn(&Mis {
                    oracle,
                    ..Mis::default()
                })?
            } else {
                let judge: Box<dyn User + '_> = Box::new(&user);
                task.learn(&Itou {
                    user: judge,
                    ..Itou::default()
                })?
            };
            output.set("questions", user.n_questions());
            symbols.clone_from(&learned.symbols);
            learned.clauses
        };
        let target = read_clauses(&self.target, &mut symbols)?;
        let reached = target
            .iter()
            .all(|clause| theory.iter().any(|own| subsumes(own, clause)));
        output
            .set("clauses", theory.len())
            .set("intended", if reached { "yes" } else { "no" })
            .set("theory", clauses::print(&theory, &symbols));
        Ok(())
    }
}

/// A user who has a definition in mind.
struct TargetOracle {
    target: Vec<Clause>,
    /// True clauses that are refused all the same.
    refused: Vec<Clause>,
    symbols: SymbolTable,
    n_questions: AtomicU64,
}

/// The result of Cigol on examples.
struct CigolResult {
    theory: Vec<Clause>,
    /// The generalizations that the user accepted.
    steps: Vec<Clause>,
}

/// Maximum number of different variables of a clause whose names are prepared.
const MAX_VARS: u32 = 64;

impl TargetOracle {
    fn new(target: Vec<Clause>, refused: Vec<Clause>, symbols: &mut SymbolTable) -> Self {
        // Constants for variables, that names invented later are not confused with.
        for var in 0..MAX_VARS {
            clauses::skolem_constant(var, symbols);
        }
        Self {
            target,
            refused,
            symbols: symbols.clone(),
            n_questions: AtomicU64::new(0),
        }
    }

    fn n_questions(&self) -> f64 {
        self.n_questions.load(Ordering::Relaxed) as f64
    }

    /// Whether a clause follows from the intended definition, and is not refused.
    fn judge(&self, clause: &Clause) -> Result<bool, ProverError> {
        self.n_questions.fetch_add(1, Ordering::Relaxed);
        let is_same = |own: &Clause| subsumes(own, clause) && subsumes(clause, own);
        Ok(is_true(clause, &self.target, &self.symbols)? && !self.refused.iter().any(is_same))
    }

    /// Tells Cigol examples one by one.
    fn told(&self, examples: &[Clause]) -> Result<CigolResult, CellError> {
        let mut cigol = Dialogue::new();
        let mut steps = Vec::new();
        let mut failure = None;
        for example in examples {
            cigol.tell(example.head.clone());
            steps.extend(cigol.generalize(|clause| {
                self.judge(clause).unwrap_or_else(|error| {
                    failure.get_or_insert(error);
                    false
                })
            }));
        }
        match failure {
            Some(error) => Err(error.into()),
            None => Ok(CigolResult {
                theory: cigol.theory().to_vec(),
                steps,
            }),
        }
    }
}

impl Oracle for &TargetOracle {
    fn is_true(&self, atom: &Atom, _: &Problem<'_>) -> Result<Option<bool>, LearnError> {
        Ok(Some(self.judge(&Clause::fact(atom.clone()))?))
    }
}

impl User for &TargetOracle {
    fn accepts(&self, added: &[Clause], _: &[Clause], _: &Problem<'_>) -> Result<bool, LearnError> {
        for clause in added {
            if !self.judge(clause)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether a clause follows from the intended definition: with its variables skolemized and its body as
/// facts, its head can be proved.
fn is_true(clause: &Clause, target: &[Clause], symbols: &SymbolTable) -> Result<bool, ProverError> {
    let mut symbols = symbols.clone();
    let ground = clauses::skolemized(clause, &mut symbols);
    let facts: Vec<Clause> = ground
        .body
        .iter()
        .map(|literal| Clause::fact(literal.atom.clone()))
        .collect();
    let db = Database::builder()
        .clauses(target)
        .clauses(&facts)
        .declare(ground.head.predicate())
        .build(&mut symbols)?;
    let limits = Limits {
        steps: 10_000,
        depth: 100,
        ..Limits::default()
    };
    let goal = Literal::positive(ground.head);
    Ok(Prover::new(&db, limits).prove(&[goal])? == Proof::Proved)
}
