//! Exercises: which states can come next.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::mistakes::Mistakes;
use crate::systems::system;

/// Which states of a system can come next, as `kibitz-qsim quiz` asks it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuizQuestion {
    /// The system, as a TOML file declares it.
    pub system: String,
    /// Maximum number of states; the system's own number if not given.
    pub max_states: Option<usize>,
}

impl QuizQuestion {
    /// The `title` of the system and its `exercises`: the `time` and `state` before, and `choices`, each
    /// with its `state`, whether it is `right`, and the `reason`. Nothing that could be predicted is an
    /// `error`.
    pub(crate) fn answer(&self) -> Result<Value, Mistakes> {
        let system = system(&self.system, self.max_states)?;
        let model = &system.model;
        let found = system.exercises();
        let (tree, all) = found.map_err(|error| Mistakes::told(error.to_string()))?;
        let exercises = all.iter().map(|exercise| {
            let before = tree.state(exercise.state);
            let choices = exercise.choices.iter().map(|choice| {
                json!({
                    "state": model.show(&choice.values),
                    "right": choice.is_right,
                    "reason": choice.reason,
                })
            });
            json!({
                "time": before.time_label(),
                "state": model.show(before.values()),
                "choices": choices.collect::<Value>(),
            })
        });
        Ok(json!({
            "title": system.title,
            "exercises": exercises.collect::<Value>(),
        }))
    }
}
