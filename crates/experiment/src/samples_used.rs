//! Which figures some samples have no estimate of.

use std::collections::BTreeMap;

use crate::{CellError, Column, Context, Output};

/// Estimates that are missing in some resamples, and how that affects their standard errors.
///
/// A row whose resamples all have their estimates gets no note; a table without notes has no
/// additional column.
#[derive(Debug, Default)]
pub struct SamplesUsed {
    /// By row and note: the columns that the note is about.
    rows: BTreeMap<String, BTreeMap<String, Vec<String>>>,
}

const NAME: &str = "samples-used";

impl SamplesUsed {
    /// The column of the notes; a kind that resamples includes it in its columns.
    pub const COLUMN: Column = Column::new(
        NAME,
        "",
        "samples with an estimate, where some have none; where too many have none, there is no \
         standard error",
    );

    /// Adds the note `text` to a figure, such as `198 of 200`.
    pub fn add(&mut self, row: &str, column: &str, text: String) {
        let row = self.rows.entry(row.to_owned()).or_default();
        row.entry(text).or_default().push(column.to_owned());
    }

    /// Sets the [column](Self::COLUMN) in the rows with notes, and warns of them.
    ///
    /// # Errors
    /// If a row has a value of its own in a column of that name.
    pub fn tell(self, ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        for (row, told) in self.rows {
            if output.get(&row, NAME).is_some() {
                return Err(CellError::new(format!(
                    "column `{NAME}` is reserved for samples without an estimate; rename yours"
                )));
            }
            let figures = told.iter();
            let figures = figures.map(|(text, columns)| format!("{}: {text}", columns.join(", ")));
            let text = figures.collect::<Vec<_>>().join("; ");
            ctx.warn(format!("`{row}`, samples with an estimate: {text}"));
            output.row(row).set(NAME, text);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::{Runner, Value};

    #[derive(Default)]
    struct Warnings(Mutex<Vec<String>>);

    impl Runner for Warnings {
        fn warn(&self, message: String) {
            self.0.lock().unwrap().push(message);
        }
    }

    #[test]
    fn figures_with_the_same_fate_are_told_together() {
        let runner = Warnings::default();
        let ctx = Context::new("cell", 0, None, &runner);
        let mut used = SamplesUsed::default();
        used.add("all", "mat", "198 of 200".to_owned());
        used.add("all", "comp", "198 of 200".to_owned());
        used.add("all", "cor", "9 of 10".to_owned());
        let mut output = Output::default();
        used.tell(&ctx, &mut output).unwrap();
        let text = "mat, comp: 198 of 200; cor: 9 of 10";
        assert_eq!(output.get("all", "samples-used"), Some(&Value::from(text)));
        let warnings = runner.0.into_inner().unwrap();
        assert_eq!(
            warnings,
            [format!("`all`, samples with an estimate: {text}")]
        );
    }

    #[test]
    fn a_column_of_that_name_is_not_overwritten() {
        let runner = Warnings::default();
        let ctx = Context::new("cell", 0, None, &runner);
        let mut output = Output::default();
        output.row("all").set("samples-used", 3.0);
        SamplesUsed::default().tell(&ctx, &mut output).unwrap();
        let mut used = SamplesUsed::default();
        used.add("all", "mat", "198 of 200".to_owned());
        assert!(used.tell(&ctx, &mut output).is_err());
        assert_eq!(output.number("all", "samples-used"), Some(3.0));
    }
}
