//! `model-acceptance`: the number of states that qualitative models accept.

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::systems::{self, accepts, places};

/// Models tested on every state of some variables. A model accepts a state if its constraints hold for
/// some values of its other variables.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ModelAcceptance {
    /// The system of `kibitz-qsim` whose quantity spaces give the states, without its constraints. Every
    /// model has its variables, with the same spaces.
    space: String,
    /// The system whose constraints give the legal states.
    legal: String,
    /// One row of the table each.
    models: Vec<ModelRow>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ModelRow {
    /// The row of the table.
    row: String,
    /// The system of `kibitz-qsim`.
    system: String,
}

impl Experiment for ModelAcceptance {
    type Row = ModelRow;

    const NAME: &'static str = "model-acceptance";
    const EXAMPLE: &'static str = include_str!("../examples/model-acceptance.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("accepted", "states", "states that the model accepts"),
        Column::new("rejected", "states", "states that it rejects"),
        Column::new(
            "legal-accepted",
            "states",
            "legal states that the model accepts",
        ),
        Column::new("legal-rejected", "states", "legal states that it rejects"),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &[]);
        let space = systems::check("space", &self.space, problems);
        let check = |path: &str, name: &str, problems: &mut Problems| {
            let system = systems::check(path, name, problems);
            if let (Some(space), Some(system)) = (&space, system) {
                let suits = places(space, &system).is_some();
                let message = format!("not all variables of `{}`, or others", self.space);
                problems.require(suits, path, message);
            }
        };
        check("legal", &self.legal, problems);
        problems.each("models", &self.models, |model, problems| {
            check("system", &model.system, problems);
        });
        problems.require(!self.models.is_empty(), "models", "at least one model");
    }

    fn cells(&self) -> Vec<Cell<ModelRow>> {
        let models = self.models.iter();
        models
            .map(|model| Cell::row(&model.row, model.clone()))
            .collect()
    }

    fn run(&self, row: &ModelRow, _: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let find = |name: &str| {
            systems::find(name).ok_or_else(|| CellError::new(format!("no system `{name}`")))
        };
        let space = find(&self.space)?;
        let accepts = |name: &str| -> Result<Vec<bool>, CellError> {
            let system = find(name)?;
            let places = places(&space, &system)
                .ok_or_else(|| CellError::new(format!("`{name}` has other variables")))?;
            let states = space.model.states();
            Ok(states
                .map(|state| accepts(&system, &places, &state))
                .collect())
        };
        let accepted = accepts(&row.system)?;
        let legal = accepts(&self.legal)?;
        let count = |accepts: bool| accepted.iter().filter(|own| **own == accepts).count();
        let count_legal = |accepts: bool| {
            let both = accepted.iter().zip(&legal);
            both.filter(|(own, legal)| **own == accepts && **legal)
                .count()
        };
        output
            .set("accepted", count(true))
            .set("rejected", count(false))
            .set("legal-accepted", count_legal(true))
            .set("legal-rejected", count_legal(false));
        Ok(())
    }
}
