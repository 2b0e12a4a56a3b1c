//! `definition-check`: definitions judged in every placement of two pieces.

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_prolog::{
    Atom, Clause, Database, Limits, Literal, Proof, Prover, SymbolTable, Term, read_clauses,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clauses;

/// Definitions of a concept on two pieces, judged by the prover in every placement of them on different
/// squares.
///
/// A placement is the term `pos(X1,Y1,X2,Y2)`: file and rank of the first piece and of the second, from 1 to
/// 8.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct DefinitionCheck {
    /// The predicates that definitions call, as Prolog text.
    background: String,
    /// One row of the table each.
    definitions: Vec<DefinitionRow>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct DefinitionRow {
    /// The row of the table.
    row: String,
    /// The clauses of the definition as Prolog text. The placement is the last argument of their heads.
    clauses: String,
    /// Clauses of what is meant, as Prolog text, with the placement as last argument as well.
    truth: String,
}

impl Experiment for DefinitionCheck {
    type Row = DefinitionRow;

    const NAME: &'static str = "definition-check";
    const EXAMPLE: &'static str = include_str!("../examples/definition-check.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("placements", "placements", "placements judged").input(),
        Column::new(
            "positive",
            "placements",
            "of these, instances of what is meant",
        ),
        Column::new(
            "covered",
            "placements",
            "of these, instances by the definition",
        ),
        Column::new(
            "false-positives",
            "placements",
            "covered placements that are no instances",
        ),
        Column::new(
            "false-negatives",
            "placements",
            "instances that are not covered",
        ),
        Column::new("correct", "", "whether every placement is judged right"),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &[]);
        problems.at_least_one([("definitions", self.definitions.len())]);
        clauses::check("background", &self.background, problems);
        problems.each("definitions", &self.definitions, |row, problems| {
            for (path, text) in [("clauses", &row.clauses), ("truth", &row.truth)] {
                let own = clauses::check(path, text, problems);
                let predicate = own.first().map(|clause| clause.head.predicate());
                let is_one = |clause: &Clause| Some(clause.head.predicate()) == predicate;
                let fits = own.iter().all(is_one) && predicate.is_some_and(|it| it.arity > 0);
                problems.require(fits, path, "clauses of one predicate, with arguments");
            }
        });
    }

    fn cells(&self) -> Vec<Cell<DefinitionRow>> {
        let rows = self.definitions.iter();
        rows.map(|row| Cell::row(&row.row, row.clone())).collect()
    }

    fn run(
        &self,
        row: &DefinitionRow,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let mut symbols = SymbolTable::new();
        let background = read_clauses(&self.background, &mut symbols)?;
        let definition = read_clauses(&row.clauses, &mut symbols)?;
        let truth = read_clauses(&row.truth, &mut symbols)?;
        let db = Database::builder()
            .clauses(&background)
            .clauses(&definition)
            .clauses(&truth)
            .build(&mut symbols)?;
        let mut prover = Prover::new(&db, Limits::default());
        let position = symbols.intern("pos");
        let (mut n, mut positive, mut covered, mut both) = (0_u32, 0_u32, 0_u32, 0_u32);
        for squares in placements() {
            ctx.check()?;
            let place = Term::compound(position, squares.map(Term::int));
            let mut holds = |clauses: &[Clause]| is_instance(clauses, &place, &mut prover);
            let (is_positive, is_covered) = (holds(&truth)?, holds(&definition)?);
            n += 1;
            positive += u32::from(is_positive);
            covered += u32::from(is_covered);
            both += u32::from(is_positive && is_covered);
        }
        let is_correct = both == positive && both == covered;
        output
            .set("placements", f64::from(n))
            .set("positive", f64::from(positive))
            .set("covered", f64::from(covered))
            .set("false-positives", f64::from(covered - both))
            .set("false-negatives", f64::from(positive - both))
            .set("correct", if is_correct { "yes" } else { "no" });
        Ok(())
    }
}

/// Files and ranks of two pieces on different squares.
fn placements() -> impl Iterator<Item = [i64; 4]> {
    let squares = || (1..=8).flat_map(|file| (1..=8).map(move |rank| (file, rank)));
    let pairs = squares().flat_map(move |one| squares().map(move |other| (one, other)));
    pairs
        .filter(|(one, other)| one != other)
        .map(|((x1, y1), (x2, y2))| [x1, y1, x2, y2])
}

/// Whether the predicate that the clauses define holds of a placement, its last argument.
fn is_instance(
    clauses: &[Clause],
    place: &Term,
    prover: &mut Prover<'_>,
) -> Result<bool, CellError> {
    let Some(clause) = clauses.first() else {
        return Ok(false);
    };
    let n_others = clause.head.args.len().saturating_sub(1);
    let others = (0u32..).map(Term::var).take(n_others);
    let goal = Atom::new(clause.head.name, others.chain([place.clone()]));
    match prover.prove(&[Literal::positive(goal)])? {
        Proof::Proved => Ok(true),
        Proof::Refuted => Ok(false),
        _ => Err(CellError::new(
            "the definition cannot be decided within the limits",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_pieces_have_4032_placements() {
        assert_eq!(placements().count(), 64 * 63);
    }
}
