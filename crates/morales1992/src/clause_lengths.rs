//! `clause-lengths`: how many literals clauses have before they are reduced.

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_ilp::subsumes;
use kibitz_patterns::Concept;
use kibitz_prolog::{Atom, Clause, Literal, SymbolTable, lgg_clauses, read_clauses};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clauses;

/// Lengths of clauses: bottom clauses of examples, and least general generalizations of moves with and
/// without the labels that distinguish pieces.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ClauseLengths {
    /// Bottom clauses, one row each.
    #[serde(default)]
    examples: Vec<ExampleRow>,
    /// Generalizations of moves, one row each.
    #[serde(default)]
    moves: Vec<MovesRow>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ExampleRow {
    /// The row of the table.
    row: String,
    /// The example: a FEN, or facts about pieces.
    example: String,
    /// Background predicates by name.
    background: Vec<String>,
    /// Printed literals as Prolog text, one after the other.
    #[serde(default)]
    shown: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct MovesRow {
    /// The row of the table.
    row: String,
    /// Moves of each piece in two positions.
    moves: [Vec<usize>; 2],
    /// Whether labels distinguish the pieces.
    labels: bool,
}

/// The work of a cell.
pub(crate) enum Work {
    Example(ExampleRow),
    Moves(MovesRow),
}

impl Experiment for ClauseLengths {
    type Row = Work;

    const NAME: &'static str = "clause-lengths";
    const EXAMPLE: &'static str = include_str!("../examples/clause-lengths.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("literals", "literals", "body literals"),
        Column::new("moves", "literals", "of these, moves"),
        Column::new("shown", "literals", "of these, literals that are printed"),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &[]);
        problems.each("examples", &self.examples, |row, problems| {
            if let Err(error) = row.concept().prepare("", false) {
                problems.at("example", error.to_string());
            }
            clauses::check("shown", &row.shown, problems);
        });
        problems.each("moves", &self.moves, |row, problems| {
            let [left, right] = &row.moves;
            let fits = left.len() == right.len() && left.iter().chain(right).sum::<usize>() <= 500;
            problems.require(
                fits,
                "moves",
                "the same pieces twice, and at most 500 moves",
            );
        });
    }

    fn cells(&self) -> Vec<Cell<Work>> {
        let examples = self.examples.iter();
        let examples = examples.map(|row| Cell::row(&row.row, Work::Example(row.clone())));
        let moves = self.moves.iter();
        let moves = moves.map(|row| Cell::row(&row.row, Work::Moves(row.clone())));
        examples.chain(moves).collect()
    }

    fn run(&self, work: &Work, _: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        match work {
            Work::Example(row) => row.measure(output),
            Work::Moves(row) => {
                let n = row.length()?;
                output.set("literals", n).set("moves", n);
                Ok(())
            }
        }
    }
}

impl ExampleRow {
    fn concept(&self) -> Concept {
        Concept {
            name: "concept".to_owned(),
            examples: vec![self.example.clone()],
            background: self.background.clone(),
            ..Concept::default()
        }
    }

    fn measure(&self, output: &mut Output) -> Result<(), CellError> {
        let prepared = self.concept().prepare("", false)?;
        let clause = prepared.initial_clause()?;
        let is_move = |literal: &&Literal| {
            let name = prepared.symbols().name(literal.atom.name);
            matches!(name, "legal_move" | "make_move")
        };
        let moves = clause.body.iter().filter(is_move).count();
        output
            .set("literals", clause.body.len())
            .set("moves", moves);
        let mut symbols = prepared.symbols().clone();
        let shown = read_clauses(&self.shown, &mut symbols)?;
        if !shown.is_empty() {
            let is_there = |printed: &&Clause| {
                let mut body = clause.body.iter();
                body.any(|literal| matches(&printed.head, &literal.atom))
            };
            output.set("shown", shown.iter().filter(is_there).count());
        }
        Ok(())
    }
}

/// Whether a printed literal is an atom; its variables, such as that of the position, stand for anything.
fn matches(printed: &Atom, atom: &Atom) -> bool {
    let fact = |atom: &Atom| Clause::fact(atom.clone());
    subsumes(&fact(printed), &fact(atom))
}

impl MovesRow {
    fn length(&self) -> Result<usize, CellError> {
        let mut symbols = SymbolTable::new();
        let mut position = |moves: &[usize]| -> Result<Clause, CellError> {
            let literals = moves.iter().enumerate().flat_map(|(piece, n)| {
                let name = if self.labels {
                    format!("legal_move_of_{piece}")
                } else {
                    "legal_move".to_owned()
                };
                (0..*n).map(move |number| format!("{name}(move({piece}, {number}))"))
            });
            let text = literals.collect::<Vec<_>>().join(", ");
            let mut clauses = read_clauses(&format!("concept :- {text}."), &mut symbols)?;
            clauses.pop().ok_or_else(|| CellError::new("no moves"))
        };
        let [left, right] = &self.moves;
        let (left, right) = (position(left)?, position(right)?);
        let both = lgg_clauses(&left, &right);
        Ok(both.map_or(0, |clause| clause.body.len()))
    }
}
