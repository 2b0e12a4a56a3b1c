//! A kind with a row that sums up the others, run without a runner.
//!
//! `cargo run -p kibitz-experiment --example a_kind`

#![allow(clippy::print_stdout, reason = "an example shows something")]

use std::collections::BTreeMap;

use kibitz_experiment::{
    Cell, CellError, Code, Column, Context, Experiment, Kind, Output, Problems, Runner,
};
use kibitz_text::{Diagnostics, SourceFile, toml};

#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Squares {
    /// One row each.
    sides: Vec<f64>,
}

impl Experiment for Squares {
    /// The side of a square; none for the total.
    type Row = Option<f64>;
    const NAME: &'static str = "squares";
    const EXAMPLE: &'static str =
        "kind = \"squares\"\ntitle = \"Areas\"\nparams = { sides = [3.0] }\n";
    const COLUMNS: &'static [Column] = &[Column::new("area", "m2", "area of the square")];

    fn check(&self, problems: &mut Problems) {
        problems.require(!self.sides.is_empty(), "sides", "at least one square");
    }

    fn cells(&self) -> Vec<Cell<Self::Row>> {
        let sides = self.sides.iter();
        let mut cells: Vec<_> = sides
            .map(|side| Cell::row(format!("side {side}"), Some(*side)))
            .collect();
        let names: Vec<String> = cells.iter().map(|cell| cell.id.clone()).collect();
        cells.push(Cell::row("total", None).after(names));
        cells
    }

    fn run(
        &self,
        side: &Self::Row,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let mut area = side.map_or(0.0, |side| side * side);
        if side.is_none() {
            for side in &self.sides {
                let cell = format!("side {side}");
                area += ctx.finished(&cell)?.number(&cell, "area").unwrap_or(0.0);
            }
        }
        output.set("area", area);
        Ok(())
    }
}

/// A runner that keeps finished cells in memory.
#[derive(Default)]
struct InMemory(BTreeMap<String, Output>);

impl Runner for InMemory {
    fn finished(&self, cell: &str) -> Option<&Output> {
        self.0.get(cell)
    }

    fn warn(&self, message: String) {
        println!("{message}");
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let kind = Kind::of::<Squares>(Code::Constant);
    let source = SourceFile::new("params", "sides = [3.0, 4.0]");
    let mut mistakes = Diagnostics::new();
    let plan = toml::read_with(&source, &|params| kind.read(params), &mut mistakes);
    let plan = plan.ok_or(mistakes)?;
    let mut runner = InMemory::default();
    for (idx, cell) in plan.cells().into_iter().enumerate() {
        let context = Context::new(&cell.id, 0, None, &runner);
        let output = plan.run(idx, &context).map_err(|error| error.to_string())?;
        for (row, column, value) in output.values() {
            println!("{row} {column}: {value:?}");
        }
        runner.0.insert(cell.id, output);
    }
    assert_eq!(runner.0["total"].number("total", "area"), Some(25.0));
    Ok(())
}
