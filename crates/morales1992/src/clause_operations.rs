//! `clause-operations`: what operations of chapter 4 make of the clauses that the thesis shows them on.

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_ilp::subsumes;
use kibitz_ilp_classics::absorption::{absorptions, elementary_saturation};
use kibitz_ilp_classics::itou::Flattening;
use kibitz_prolog::{
    Clause, Database, Limits, Literal, Proof, Prover, SymbolTable, lgg_clauses, read_clauses,
    unify_atoms,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clauses;

/// Maximum number of literals of a saturated clause.
const MAX_LITERALS: usize = 1_000;

/// Operations on clauses, one row each.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ClauseOperations {
    /// One row of the table each.
    operations: Vec<OperationRow>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct OperationRow {
    /// The row of the table.
    row: String,
    /// What is done.
    operation: Operation,
    /// The clauses that it is done to, as Prolog text.
    clauses: String,
    /// The program that it is relative to, as Prolog text.
    #[serde(default)]
    program: String,
    /// The printed result, as Prolog text.
    #[serde(default)]
    printed: String,
    /// A clause whose literals the printed result is said to contain.
    #[serde(default)]
    part: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Operation {
    /// The least general generalization of two clauses, to whose bodies the facts of the program are added:
    /// Buntine's method.
    Lgg,
    /// The clause with the head of the program's clause instead of what its body matches.
    Absorption,
    /// The clause with all consequences by the program's clauses.
    Saturation,
    /// The clause without function symbols and constants.
    Flattening,
    /// Whether the first clause theta-subsumes the second.
    ThetaSubsumption,
    /// The same relative to the program, after Plotkin: whether the first clause and the program imply the
    /// second.
    RelativeSubsumption,
    /// The same relative to the program, after Buntine: whether the first clause covers, by the program,
    /// what the second covers.
    GeneralizedSubsumption,
}

impl Operation {
    /// Number of clauses it is done to.
    fn n_clauses(self) -> usize {
        match self {
            Self::Absorption | Self::Saturation | Self::Flattening => 1,
            _ => 2,
        }
    }
}

/// A clause made of others, or the truth of a relation between them.
enum Answer {
    Clause(Clause),
    Holds(bool),
}

impl Experiment for ClauseOperations {
    type Row = OperationRow;

    const NAME: &'static str = "clause-operations";
    const EXAMPLE: &'static str = include_str!("../examples/clause-operations.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("literals", "literals", "body literals of the clause"),
        Column::new(
            "same",
            "",
            "whether the clause is the published one but for names of variables and the order of literals",
        ),
        Column::new(
            "contains",
            "",
            "whether the clause has all literals of the given part",
        ),
        Column::new("holds", "", "whether the first clause is more general"),
        Column::new("clause", "", "the clause"),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &[]);
        problems.at_least_one([("operations", self.operations.len())]);
        problems.each("operations", &self.operations, |row, problems| {
            let n = row.operation.n_clauses();
            let given = clauses::check("clauses", &row.clauses, problems);
            problems.require(given.len() == n, "clauses", format!("{n} clauses"));
            let program = clauses::check("program", &row.program, problems);
            match row.operation {
                Operation::Lgg => {
                    let is_fact = |own: &Clause| own.is_ground() && own.body.is_empty();
                    let holds = program.iter().all(is_fact);
                    problems.require(holds, "program", "ground facts");
                }
                Operation::Absorption => {
                    problems.require(program.len() == 1, "program", "one clause");
                }
                _ => {}
            }
            for (path, text) in [("printed", &row.printed), ("part", &row.part)] {
                let n = clauses::check(path, text, problems).len();
                problems.require(n <= 1, path, "one clause");
            }
        });
    }

    fn cells(&self) -> Vec<Cell<OperationRow>> {
        let rows = self.operations.iter();
        rows.map(|row| Cell::row(&row.row, row.clone())).collect()
    }

    fn run(
        &self,
        row: &OperationRow,
        _: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let mut symbols = SymbolTable::new();
        let answer = row.carry_out(&mut symbols)?;
        let yes_or_no = |holds: bool| if holds { "yes" } else { "no" };
        let clause = match answer {
            Answer::Holds(holds) => {
                output.set("holds", yes_or_no(holds));
                return Ok(());
            }
            Answer::Clause(clause) => clause,
        };
        output
            .set("literals", clause.body.len())
            .set("clause", clauses::print(&[clause.normalized()], &symbols));
        if let Some(printed) = read_clauses(&row.printed, &mut symbols)?.first() {
            let is_same = clauses::is_variant(&clause, printed);
            output.set("same", yes_or_no(is_same));
        }
        if let Some(part) = read_clauses(&row.part, &mut symbols)?.first() {
            output.set("contains", yes_or_no(clauses::is_part(part, &clause)));
        }
        Ok(())
    }
}

impl OperationRow {
    fn carry_out(&self, symbols: &mut SymbolTable) -> Result<Answer, CellError> {
        let given = read_clauses(&self.clauses, symbols)?;
        let program = read_clauses(&self.program, symbols)?;
        let (Some(first), Some(last)) = (given.first(), given.last()) else {
            return Err(CellError::new("no clause"));
        };
        Ok(match self.operation {
            Operation::Lgg => {
                let with_facts = |clause: &Clause| {
                    let facts = program
                        .iter()
                        .map(|fact| Literal::positive(fact.head.clone()));
                    let body = clause.body.iter().cloned().chain(facts);
                    Clause::new(clause.head.clone(), body.collect())
                };
                let general = lgg_clauses(&with_facts(first), &with_facts(last));
                Answer::Clause(general.ok_or_else(|| CellError::new("no generalization"))?)
            }
            Operation::Absorption => {
                let with = program.first();
                let absorbed = with.and_then(|with| absorptions(first, with).into_iter().next());
                Answer::Clause(absorbed.ok_or_else(|| CellError::new("nothing to absorb"))?)
            }
            Operation::Saturation => {
                let saturated = elementary_saturation(first, &program, MAX_LITERALS);
                let reason = format!("more than {MAX_LITERALS} literals");
                Answer::Clause(saturated.ok_or_else(|| CellError::new(reason))?)
            }
            Operation::Flattening => {
                let mut flattening = Flattening::new(symbols.clone());
                let flat = flattening.flatten(first);
                symbols.clone_from(flattening.symbols());
                Answer::Clause(flat)
            }
            Operation::ThetaSubsumption => Answer::Holds(subsumes(first, last)),
            Operation::RelativeSubsumption => {
                let clauses = [&program[..], std::slice::from_ref(first)].concat();
                let special = clauses::skolemized(last, symbols);
                let goal = Literal::positive(special.head.clone());
                let all = [first, last];
                Answer::Holds(follows(&[goal], &clauses, &special, all, symbols)?)
            }
            Operation::GeneralizedSubsumption => {
                let special = clauses::skolemized(last, symbols);
                let Some(theta) = unify_atoms(&first.head, &special.head) else {
                    return Ok(Answer::Holds(false));
                };
                let goals = first.body.iter().map(|own| theta.apply_literal(own));
                let goals: Vec<Literal> = goals.collect();
                Answer::Holds(follows(&goals, &program, &special, [first, last], symbols)?)
            }
        })
    }
}

/// Whether goals can be proved by a program and the body of a ground clause. Predicates that only occur in
/// the clauses `of` the question have no other facts.
fn follows(
    goals: &[Literal],
    program: &[Clause],
    special: &Clause,
    of: [&Clause; 2],
    symbols: &mut SymbolTable,
) -> Result<bool, CellError> {
    let facts = special
        .body
        .iter()
        .map(|own| Clause::fact(own.atom.clone()));
    let facts: Vec<Clause> = facts.collect();
    let mut builder = Database::builder().clauses(program).clauses(&facts);
    for clause in of.into_iter().chain(program) {
        for atom in clause.atoms() {
            builder = builder.declare(atom.predicate());
        }
    }
    let db = builder.build(symbols)?;
    let limits = Limits {
        steps: 10_000,
        depth: 100,
        ..Limits::default()
    };
    let proof = Prover::new(&db, limits).prove(goals)?;
    match proof {
        Proof::Proved => Ok(true),
        Proof::Refuted => Ok(false),
        _ => Err(CellError::new(
            "the question cannot be decided within the limits",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(operation: Operation, clauses: &str, program: &str) -> OperationRow {
        OperationRow {
            row: String::new(),
            operation,
            clauses: clauses.to_owned(),
            program: program.to_owned(),
            printed: String::new(),
            part: String::new(),
        }
    }

    fn holds(operation: Operation, clauses: &str, program: &str) -> bool {
        let answer = row(operation, clauses, program).carry_out(&mut SymbolTable::new());
        match answer.expect("carried out") {
            Answer::Holds(holds) => holds,
            Answer::Clause(_) => panic!("a relation"),
        }
    }

    /// Section 4.3: Plotkin compares clauses about different predicates, Buntine does not.
    #[test]
    fn subsumption_relative_to_a_program() {
        let (pair, program) = ("p :- q. r :- s, q.", "r :- p, s.");
        assert!(holds(Operation::RelativeSubsumption, pair, program));
        assert!(!holds(Operation::GeneralizedSubsumption, pair, program));
        let pets = "cuddly(X) :- small(X), pet(X). cuddly(X) :- small(X), cat(X).";
        let program = "pet(X) :- cat(X).";
        for operation in [
            Operation::RelativeSubsumption,
            Operation::GeneralizedSubsumption,
        ] {
            assert!(holds(operation, pets, program));
            assert!(!holds(operation, pets, ""));
        }
        assert!(!holds(Operation::ThetaSubsumption, pets, program));
    }
}
