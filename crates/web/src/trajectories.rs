//! Whether a trajectory is among the behaviors of a system.

use std::collections::BTreeMap;

use kibitz_qsim::render;
use kibitz_qsim::{
    Blame, CheckError, CheckParams, Cover, Model, Phase, QValue, Refusal, SequenceError, System,
    Trajectory, UncoveredSample,
};
use kibitz_text::{counted, suggestion};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::mistakes::Mistakes;
use crate::systems::system;

/// Whether a trajectory is among the behaviors of a system.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckQuestion {
    /// The system, as a TOML file declares it.
    pub system: String,
    /// The trajectory.
    pub of: TrajectoryInput,
    /// Maximum number of states; the system's own number if not given.
    pub max_states: Option<usize>,
}

/// A trajectory, in numbers or in qualitative values.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrajectoryInput {
    /// Samples.
    Trajectory {
        /// CSV with a column `time` and columns of variables.
        text: String,
        /// What landmarks are in numbers, by variable and name.
        #[serde(default)]
        landmarks: BTreeMap<String, BTreeMap<String, f64>>,
        /// See [`CheckParams::tolerance`].
        tolerance: Option<f64>,
        /// Tolerances by variable, in its own units.
        #[serde(default)]
        tolerances: BTreeMap<String, f64>,
        /// See [`CheckParams::steady`].
        steady: Option<f64>,
        /// Whether it may begin in any state.
        #[serde(default)]
        any_start: bool,
    },
    /// TOML with `[[states]]`: the first at a point in time, the second over the interval after it, and
    /// so on.
    States(String),
}

impl CheckQuestion {
    /// Whether it is `consistent`; the `text` that `check` prints; of a trajectory the `path` of a behavior
    /// that agrees; or the first `contradiction`.
    pub(crate) fn answer(&self) -> Result<Value, Mistakes> {
        let mut system = system(&self.system, self.max_states)?;
        let states = match &self.of {
            TrajectoryInput::States(states) => states,
            measured @ TrajectoryInput::Trajectory { text, .. } => {
                let params = measured.params(&mut system)?;
                let trajectory = system.read_trajectory("trajectory.csv", text)?;
                return match system.cover(&trajectory, &params) {
                    Ok(cover) => Ok(covered(&system.model, &trajectory, &cover)),
                    Err(CheckError::Uncovered(why)) => Ok(uncovered(&system, &trajectory, &why)),
                    Err(error) => Err(Mistakes::told(error.to_string())),
                };
            }
        };
        let sequence = system.read_states("states.toml", states)?;
        let model = &system.model;
        match model.follow(&sequence, &system.options) {
            Ok(_) => {
                let states = counted(sequence.len(), "state", "states");
                let text = format!("the system can go through this sequence ({states})\n");
                Ok(json!({ "consistent": true, "text": text }))
            }
            Err(error) => Ok(refused(model, &error)),
        }
    }
}

impl TrajectoryInput {
    /// How a trajectory is read; landmarks are placed on the way.
    fn params(&self, system: &mut System) -> Result<CheckParams, Mistakes> {
        let Self::Trajectory {
            landmarks,
            tolerance,
            tolerances,
            steady,
            any_start,
            ..
        } = self
        else {
            return Ok(CheckParams::default());
        };
        for (name, places) in landmarks {
            let index = variable(system, name)?;
            let space = &system.model.variables()[index].space;
            for (landmark, value) in places {
                let found = space.find(landmark).ok_or_else(|| {
                    let label = suggestion(landmark, space.landmarks());
                    Mistakes::told(format!("`{name}` has no landmark `{landmark}`; {label}"))
                })?;
                let set = system.landmarks.set(index, space, found, *value);
                set.map_err(|error| Mistakes::told(format!("`{name}`: {error}")))?;
            }
        }
        let usual = CheckParams::default();
        let number = |name: &str, given: Option<f64>, usual: f64| match given {
            Some(number) if !(number.is_finite() && number >= 0.0) => {
                let why = format!("`{name}` is a number of at least 0, not {number}");
                Err(Mistakes::told(why))
            }
            given => Ok(given.unwrap_or(usual)),
        };
        let own = tolerances.iter().map(|(name, own)| {
            let own = number(&format!("tolerance of {name}"), Some(*own), 0.0)?;
            Ok((variable(system, name)?, own))
        });
        Ok(CheckParams {
            tolerance: number("tolerance", *tolerance, usual.tolerance)?,
            tolerances: own.collect::<Result<_, Mistakes>>()?,
            steady: number("steady", *steady, usual.steady)?,
            any_start: *any_start,
        })
    }
}

/// The index of a variable by its name.
fn variable(system: &System, name: &str) -> Result<usize, Mistakes> {
    system.model.variable(name).ok_or_else(|| {
        let names = system.model.variables().iter().map(|own| own.name.as_str());
        let label = suggestion(name, names);
        Mistakes::told(format!("the system has no variable `{name}`; {label}"))
    })
}

/// The values of a state by variable.
fn values(model: &Model, state: &[QValue]) -> Value {
    let values = model.variables().iter().zip(state);
    values
        .map(|(variable, value)| (variable.name.clone(), variable.space.show(*value).into()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn refusals(model: &Model, refusals: &[Refusal]) -> Value {
    let each = refusals.iter().map(|own| {
        let variable = &model.variables()[own.variable];
        json!({
            "constraint": model.constraint_name(own.constraint),
            "variable": variable.name,
            "value": variable.space.show(own.value),
        })
    });
    each.collect()
}

fn covered(model: &Model, trajectory: &Trajectory, cover: &Cover) -> Value {
    let times = trajectory.times();
    let regions: Vec<&str> = model.regions().map(|region| region.name.as_str()).collect();
    let path = cover.path.iter().map(|step| {
        json!({
            "after": times[step.after],
            "phase": match step.phase { Phase::Point => "point", Phase::Interval => "interval" },
            "region": regions.get(step.region),
            "values": values(model, &step.state),
        })
    });
    json!({
        "consistent": true,
        "text": render::cover_text(model, trajectory, cover),
        "path": path.collect::<Value>(),
    })
}

fn uncovered(system: &System, trajectory: &Trajectory, why: &UncoveredSample) -> Value {
    let model = &system.model;
    let name = |variable: usize| &model.variables()[variable].name;
    let (blame, outside) = match why.blame {
        Blame::Space(variable) => ("quantity space", Some(name(variable))),
        Blame::Start => ("initial states", None),
        Blame::Constraints => ("constraints", None),
        _ => ("transitions", None),
    };
    let variables = why.variables.iter().map(|(variable, values)| {
        let space = &model.variables()[*variable].space;
        let values = values.iter().map(|value| space.show(*value));
        (name(*variable).clone(), values.collect::<Value>())
    });
    json!({
        "consistent": false,
        "text": why.diagnostic(system, trajectory).to_string(),
        "contradiction": {
            "number": why.sample,
            "time": trajectory.times()[why.sample],
            "blame": blame,
            "outside": outside,
            "variables": variables.collect::<serde_json::Map<_, _>>(),
            "refusals": refusals(model, &why.refusals),
            "before": why.before.iter().map(|state| values(model, state)).collect::<Value>(),
        },
    })
}

/// A sequence of states that a system does not go through.
fn refused(model: &Model, error: &SequenceError) -> Value {
    let name = |variable: usize| &model.variables()[variable].name;
    let (number, blame, variables, refused) = match error {
        SequenceError::Contradiction { number, refusals } => {
            (*number, "constraints", Vec::new(), &refusals[..])
        }
        SequenceError::NoTransition { number, variable } => {
            (*number, "transitions", vec![name(*variable)], &[][..])
        }
        SequenceError::NotTogether { number } => (*number, "transitions", Vec::new(), &[][..]),
        _ => (0, "transitions", Vec::new(), &[][..]),
    };
    json!({
        "consistent": false,
        "text": render::refused_text(model, error),
        "contradiction": {
            "number": number,
            "blame": blame,
            "variables": variables,
            "refusals": refusals(model, refused),
        },
    })
}
