//! Rows that sum up the others.

use kibitz_experiment::{CellError, Context, Output};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The columns that are summed up.
const COLUMNS: [&str; 7] = [
    "generated",
    "generated-pos",
    "generated-neg",
    "symmetry",
    "symmetry-pos",
    "symmetry-neg",
    "user-pos",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Sum {
    Total,
    Average,
}

impl Sum {
    pub(super) const ALL: [Self; 2] = [Self::Total, Self::Average];

    pub(super) fn row(self) -> &'static str {
        match self {
            Self::Total => "total",
            Self::Average => "average",
        }
    }

    /// Fills the row from the finished cells of other rows.
    pub(super) fn fill<'r>(
        self,
        rows: impl Iterator<Item = &'r str>,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let finished = rows
            .map(|row| Ok((row, ctx.finished(row)?)))
            .collect::<Result<Vec<_>, CellError>>()?;
        for column in COLUMNS {
            let values = finished.iter().map(|(row, cell)| cell.number(row, column));
            // Without a value for every row there is no sum.
            if let Some(total) = values.sum::<Option<f64>>() {
                let value = match self {
                    Self::Total => total,
                    Self::Average => total / finished.len() as f64,
                };
                output.set(column, value);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use kibitz_experiment::{Cell, Runner};

    use super::*;

    /// Two rows that are finished, and nothing to learn them from.
    struct FinishedRows([Output; 2]);

    impl Runner for FinishedRows {
        fn finished(&self, cell: &str) -> Option<&Output> {
            let row = ["fork", "pin"].iter().position(|row| *row == cell)?;
            Some(&self.0[row])
        }
    }

    #[test]
    fn a_sum_reads_finished_cells() {
        let mut fork = Output::of_cell(&Cell::row("fork", ()));
        fork.set("generated", 3)
            .set("user-pos", 2)
            .set("initial", 1);
        let mut pin = Output::of_cell(&Cell::row("pin", ()));
        pin.set("generated", 4).set("initial", 1);
        let runner = FinishedRows([fork, pin]);
        let ctx = Context::new("average", 0, None, &runner);
        for (sum, expected) in [(Sum::Total, 7.0), (Sum::Average, 3.5)] {
            let mut output = Output::of_cell(&Cell::row(sum.row(), ()));
            sum.fill(["fork", "pin"].into_iter(), &ctx, &mut output)
                .expect("both rows are finished");
            // One row has no `user-pos`, and `initial` is not summed up.
            let values: Vec<_> = output.values().collect();
            assert_eq!(values, [(sum.row(), "generated", &expected.into())]);
        }
        let mut output = Output::default();
        let unfinished = Sum::Total.fill(["skewer"].into_iter(), &ctx, &mut output);
        assert!(unfinished.is_err());
    }
}
