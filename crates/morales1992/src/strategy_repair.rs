//! `strategy-repair`: the smallest edits with which a strategy wins every position.

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_patterns::strategy::{Edit, Repairs};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::strategies::{self, MoveChoice};

/// Changes of one condition, the place of one rule, or one rule less, each on its own, with the best of
/// the moves allowed.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct StrategyRepair {
    /// Strategies that come with `kibitz-patterns`, such as `krk-1`; one row of the table each.
    strategies: Vec<String>,
}

impl Experiment for StrategyRepair {
    type Row = String;

    const NAME: &'static str = "strategy-repair";
    const EXAMPLE: &'static str = include_str!("../examples/strategy-repair.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("changes", "changes", "changes tried"),
        Column::new(
            "concerned",
            "changes",
            "those that allow other moves in a position that fails: no other can help",
        ),
        Column::new(
            "repairs",
            "changes",
            "those with which every position is won",
        ),
        Column::new("longest", "moves", "longest mate with the best of them"),
        Column::new("found", "", "all of them, each with its longest mate"),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &[]);
        for name in &self.strategies {
            strategies::check("strategies", name, &MoveChoice::Best, problems);
        }
        problems.require(
            !self.strategies.is_empty(),
            "strategies",
            "at least one strategy",
        );
    }

    fn cells(&self) -> Vec<Cell<String>> {
        let names = self.strategies.iter();
        names
            .map(|name| Cell::row(name, name.clone()).costing(100.0))
            .collect()
    }

    fn run(&self, name: &String, ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let strategy = strategies::find(name, &MoveChoice::Best)?;
        let edits = Edit::all(&strategy);
        let mut progress = |done, all| ctx.progress("changes", done, all);
        let repairs = Repairs::search(&strategy, edits, &mut progress)
            .map_err(|fault| CellError::new(fault.to_string()))?;
        let found: Vec<String> = (repairs.found.iter())
            .map(|repair| format!("{} ({})", repair.edit.describe(&strategy), repair.longest))
            .collect();
        output
            .set("changes", repairs.tried)
            .set("concerned", repairs.concerned)
            .set("repairs", repairs.found.len())
            .set("found", found.join("; "));
        if let Some(best) = repairs.found.first() {
            output.set("longest", best.longest);
        }
        Ok(())
    }
}
