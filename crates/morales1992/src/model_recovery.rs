//! `model-recovery`: which learner recovers which system from how many of its states.

use std::collections::BTreeSet;

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_qsim::{Direction, QValue, State, System};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::qualitative::{Examples, Learner, draw};
use crate::systems;

/// Learners given states drawn from those that a system accepts, judged by all of these and by the
/// states beside them.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ModelRecovery {
    /// Systems of `kibitz-qsim`; their first operating regions count.
    systems: Vec<String>,
    /// Who learns.
    learners: Vec<NamedLearner>,
    /// How many legal states are given; a row each.
    states: Vec<usize>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct NamedLearner {
    /// What it is called in the rows.
    name: String,
    /// How it learns.
    learner: Learner,
    /// States drawn as negative examples.
    #[serde(default)]
    negative: usize,
}

/// What a cell works on.
pub(crate) struct Work {
    system: String,
    learner: NamedLearner,
    n_states: usize,
}

impl Experiment for ModelRecovery {
    type Row = Work;

    const NAME: &'static str = "model-recovery";
    const EXAMPLE: &'static str = include_str!("../examples/model-recovery.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("legal", "states", "states that the system accepts"),
        Column::new(
            "beside",
            "states",
            "illegal states that differ from a legal one in one variable",
        ),
        Column::new(
            "legal-accepted",
            "%",
            "share of the legal states that the model accepts",
        ),
        Column::new(
            "beside-accepted",
            "%",
            "share of the states beside them that the model accepts",
        ),
        Column::new(
            "recovered",
            "%",
            "100 if all these states are decided rightly, else 0",
        ),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &[]);
        for (index, name) in self.systems.iter().enumerate() {
            systems::check(&format!("systems[{index}]"), name, problems);
        }
        problems.each("learners", &self.learners, |named, problems| {
            let compares = !named.learner.compares() || named.negative > 0;
            problems.require(compares, "negative", "this learner needs negative examples");
            let given = named.learner.wrong_dimensions(0);
            problems.require(
                given.is_none(),
                "learner.dimensions",
                "every system has its own",
            );
        });
        problems.at_least_one([
            ("systems", self.systems.len()),
            ("learners", self.learners.len()),
            ("states", self.states.len()),
        ]);
        let none = self.states.iter().all(|n| *n > 0);
        problems.require(none, "states", "nothing is learned from no states");
    }

    fn random(&self) -> bool {
        true
    }

    fn cells(&self) -> Vec<Cell<Work>> {
        let mut cells = Vec::new();
        for system in &self.systems {
            for learner in &self.learners {
                for &n_states in &self.states {
                    let row = format!("{system}, {}, {n_states} states", learner.name);
                    cells.push(Cell::row(
                        row,
                        Work {
                            system: system.clone(),
                            learner: learner.clone(),
                            n_states,
                        },
                    ));
                }
            }
        }
        cells
    }

    fn run(&self, work: &Work, ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let system = systems::find(&work.system)
            .ok_or_else(|| CellError::new(format!("no system `{}`", work.system)))?;
        let variables = system.model.variables();
        let legal = system.model.legal_states();
        let beside = beside(&system, &legal);
        let mut examples = Examples {
            positive: draw(work.n_states, &legal, &mut ctx.rng_for("positive")),
            negative: Vec::new(),
        };
        let places: Vec<usize> = (0..variables.len()).collect();
        let (n, mut rng) = (work.learner.negative, ctx.rng_for("negative"));
        examples.draw_negative(n, (variables, &places), &system, &mut rng);
        ctx.check()?;
        let learner = &work.learner.learner;
        let mut learned = learner.learn(variables, &examples, &mut ctx.rng_for("learner"))?;
        let mut count = |states: &[State]| -> Result<usize, CellError> {
            let accepted = learned.accepts(variables, states)?;
            Ok(accepted.into_iter().filter(|accepted| *accepted).count())
        };
        let (n_legal, n_beside) = (count(&legal)?, count(&beside)?);
        let share = |part: usize, all: &[State]| 100.0 * part as f64 / all.len().max(1) as f64;
        let recovered = n_legal == legal.len() && n_beside == 0;
        output
            .set("legal", legal.len())
            .set("beside", beside.len())
            .set("legal-accepted", share(n_legal, &legal))
            .set("beside-accepted", share(n_beside, &beside))
            .set("recovered", if recovered { 100.0 } else { 0.0 });
        Ok(())
    }
}

/// The illegal states that differ from a legal one in the value of one variable.
fn beside(system: &System, legal: &[State]) -> Vec<State> {
    let mut found: BTreeSet<State> = BTreeSet::new();
    for state in legal {
        for (at, variable) in system.model.variables().iter().enumerate() {
            for magnitude in variable.space.magnitudes() {
                for direction in Direction::ALL {
                    let mut other = state.clone();
                    other[at] = QValue::new(magnitude, direction);
                    if !system.model.accepts(&other) {
                        found.insert(other);
                    }
                }
            }
        }
    }
    found.into_iter().collect()
}
