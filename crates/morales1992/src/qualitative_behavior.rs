//! `qualitative-behavior`: the behaviors of a qualitative model, time by time.

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_qsim::{Options, render};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::systems;

/// All behaviors from the initial states of a system. The rows are the times; if there are several
/// behaviors, the number of the behavior is the prefix.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct QualitativeBehavior {
    /// A system that comes with `kibitz-qsim`, such as `u-tube`; it names its initial states.
    system: String,
}

impl Experiment for QualitativeBehavior {
    type Row = ();

    const NAME: &'static str = "qualitative-behavior";
    const EXAMPLE: &'static str = include_str!("../examples/qualitative-behavior.toml");
    const COLUMNS: &'static [Column] = &[];

    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &[]);
        systems::check("system", &self.system, problems);
    }

    /// The variables of the system, and `region` if it has several operating regions.
    fn columns(&self) -> Vec<Column> {
        let Some(system) = systems::find(&self.system) else {
            return Vec::new();
        };
        let region = Column::named("region", "", "operating region");
        let variables = system.model.variables().iter().map(|variable| {
            let doc = format!("magnitude and direction of change of {}", variable.name);
            Column::named(&variable.name, "", doc)
        });
        let several_regions = system.model.regions().len() > 1;
        several_regions
            .then_some(region)
            .into_iter()
            .chain(variables)
            .collect()
    }

    fn cells(&self) -> Vec<Cell<()>> {
        vec![Cell::open("behaviors", ())]
    }

    fn run(&self, (): &(), _: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let system = systems::find(&self.system)
            .ok_or_else(|| CellError::new(format!("no system `{}`", self.system)))?;
        // The thesis simulates every direction, that of chatter too.
        let options = Options {
            ignore_chatter: false,
            ..system.options.clone()
        };
        let tree = system.model.simulate(&system.initial, &options)?;
        if let Some(message) = tree.limit_message() {
            return Err(CellError::new(message));
        }
        let behaviors = tree.behaviors();
        for (number, behavior) in behaviors.iter().enumerate() {
            let rows = render::behavior_rows(&tree, behavior);
            let (head, times) = rows.split_first().expect("a behavior has a head");
            for time in times {
                let name = if behaviors.len() == 1 {
                    time[0].clone()
                } else {
                    format!("behavior {}, {}", number + 1, time[0])
                };
                let mut row = output.row(name);
                for (column, cell) in head.iter().zip(time).skip(1) {
                    row.set(column, cell.as_str());
                }
            }
        }
        Ok(())
    }
}
