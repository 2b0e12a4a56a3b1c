//! `model-recovery`: recovery of systems from some of their states, by learner and number of states.

use std::collections::BTreeSet;

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_qsim::{Direction, QValue, State, System};
use kibitz_stats::inference::{BootstrapOptions, Interval, bootstrap_groups, wilson_interval};
use kibitz_stats::summary::mean;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::qualitative::{Examples, Learner, draw};
use crate::systems;

/// Models learned from a sample of a system's legal states, tested on all legal states and on neighboring
/// illegal ones.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ModelRecovery {
    /// Systems of `kibitz-qsim`, in their first operating regions.
    systems: Vec<String>,
    /// The learners.
    learners: Vec<NamedLearner>,
    /// Sample sizes; a row each.
    states: Vec<usize>,
    /// Number of samples.
    runs: u32,
}

/// Confidence level of the intervals.
const LEVEL: f64 = 0.95;

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct NamedLearner {
    /// Its name in the rows.
    name: String,
    /// The learner.
    learner: Learner,
    /// States drawn as negative examples.
    #[serde(default)]
    negative: usize,
}

/// The task of a cell.
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
            "mean share of the legal states that a model accepts",
        ),
        Column::new("legal-low", "%", "lower end of its 95% interval"),
        Column::new("legal-high", "%", "upper end of its 95% interval"),
        Column::new(
            "beside-accepted",
            "%",
            "mean share of the states beside them that a model accepts",
        ),
        Column::new("beside-low", "%", "lower end of its 95% interval"),
        Column::new("beside-high", "%", "upper end of its 95% interval"),
        Column::new(
            "recovered",
            "%",
            "share of the runs in which the model decides all these states rightly",
        ),
        Column::new("recovered-low", "%", "lower end of its 95% interval"),
        Column::new("recovered-high", "%", "upper end of its 95% interval"),
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
            ("runs", self.runs as usize),
        ]);
        let are_positive = self.states.iter().all(|n| *n > 0);
        problems.require(are_positive, "states", "nothing is learned from no states");
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
        output.set("legal", legal.len()).set("beside", beside.len());
        let places: Vec<usize> = (0..variables.len()).collect();
        let learner = &work.learner.learner;
        let share = |part: usize, all: &[State]| 100.0 * part as f64 / all.len().max(1) as f64;
        let (mut of_legal, mut of_beside, mut n_recovered) = (Vec::new(), Vec::new(), 0);
        for run in 0..self.runs {
            ctx.check()?;
            let rng = |stream: &str| ctx.rng_for(&format!("{stream} {run}"));
            let mut examples = Examples {
                positive: draw(work.n_states, &legal, &mut rng("positive")),
                negative: Vec::new(),
            };
            let (n, mut negative) = (work.learner.negative, rng("negative"));
            examples.draw_negative(n, (variables, &places), &system, &mut negative);
            let mut learned = learner.learn(variables, &examples, &mut rng("learner"))?;
            let mut count = |states: &[State]| -> Result<usize, CellError> {
                let accepted = learned.accepts(variables, states)?;
                Ok(accepted.into_iter().filter(|accepted| *accepted).count())
            };
            let (n_legal, n_beside) = (count(&legal)?, count(&beside)?);
            of_legal.push(share(n_legal, &legal));
            of_beside.push(share(n_beside, &beside));
            n_recovered += u64::from(n_legal == legal.len() && n_beside == 0);
        }
        let seed = ctx.seed_u64("intervals");
        let mut set = |[name, low, high]: [&'static str; 3], value: f64, interval: Interval| {
            output
                .set(name, value)
                .set(low, interval.low)
                .set(high, interval.high);
        };
        for (columns, shares) in [
            (["legal-accepted", "legal-low", "legal-high"], &of_legal),
            (["beside-accepted", "beside-low", "beside-high"], &of_beside),
        ] {
            set(columns, mean(shares)?, interval(shares, seed)?);
        }
        let recovered = wilson_interval(n_recovered, u64::from(self.runs), LEVEL)?;
        set(
            ["recovered", "recovered-low", "recovered-high"],
            100.0 * n_recovered as f64 / f64::from(self.runs),
            Interval {
                low: 100.0 * recovered.low,
                high: 100.0 * recovered.high,
                ..recovered
            },
        );
        Ok(())
    }
}

/// A bootstrap interval of the mean share, by resampling the runs.
fn interval(shares: &[f64], seed: u64) -> Result<Interval, CellError> {
    let runs: Vec<u32> = (0..).take(shares.len()).collect();
    let options = BootstrapOptions {
        seed,
        ..BootstrapOptions::default()
    };
    let resampled = bootstrap_groups(&runs, options, |sample| {
        let shares: Vec<f64> = sample.iter().map(|&run| shares[run as usize]).collect();
        Some(vec![mean(&shares).ok()?])
    })?;
    let mut intervals = resampled.percentile_intervals(LEVEL)?;
    Ok(intervals.swap_remove(0))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_lies_among_the_runs_around_their_mean() {
        let shares: Vec<f64> = (0..20).map(|run| f64::from(run % 5) * 10.0).collect();
        let own = interval(&shares, 1).unwrap();
        assert!(
            own.contains(20.0) && own.low > 10.0 && own.high < 30.0,
            "{own:?}"
        );
        assert_eq!(interval(&shares, 1).unwrap(), own);
        let alike = interval(&[100.0; 20], 1).unwrap();
        assert_eq!((alike.low, alike.high), (100.0, 100.0));
        assert!(interval(&[], 1).is_err());
    }
}
