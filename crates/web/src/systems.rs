//! Qualitative simulation: the behaviors of a system, as data, texts and pictures.

use kibitz_qsim::render::{self, Graph};
use kibitz_qsim::{Envisionment, StartError, System};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::mistakes::Mistakes;

/// Maximum number of behaviors drawn.
const MOST_DRAWN: usize = 60;

/// The behaviors of a system.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SimulateQuestion {
    /// The system, as a TOML file declares it.
    pub system: String,
    /// What is looked at.
    #[serde(default)]
    pub extent: Extent,
    /// Maximum number of states; the system's own number if not given.
    pub max_states: Option<usize>,
}

/// What is looked at of a system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extent {
    /// The tree of behaviors from its initial states.
    #[default]
    Behaviors,
    /// The states that can be reached, each once.
    Envision,
    /// All states that the constraints accept.
    All,
}

/// The system of a text, with another limit on states if there is one.
pub(crate) fn system(text: &str, max_states: Option<usize>) -> Result<System, Mistakes> {
    let mut system = System::from_toml("system.toml", text)?;
    let limit = system.options.max_states;
    system.options.max_states = max_states.unwrap_or(limit);
    Ok(system)
}

impl SimulateQuestion {
    pub(crate) fn answer(&self) -> Result<Value, Mistakes> {
        self.simulated(&mut || true)
    }

    /// The `system` as `simulate --format json` writes it; the state graph as a picture; and of
    /// behaviors each as a picture and a text; or an `error`. Once `keep_going` says no, that is one.
    pub fn answer_while(&self, keep_going: &mut dyn FnMut() -> bool) -> Value {
        let answer = self.simulated(keep_going);
        answer.unwrap_or_else(|mistakes| json!({ "error": mistakes.json() }))
    }

    fn simulated(&self, keep_going: &mut dyn FnMut() -> bool) -> Result<Value, Mistakes> {
        let system = system(&self.system, self.max_states)?;
        if system.initial.is_empty() && self.extent != Extent::All {
            return Err(Mistakes::told(
                "the system has no [[initial]] state: give it one, or ask for all states",
            ));
        }
        let System {
            model,
            options,
            initial,
            ..
        } = &system;
        let stopped = |error: StartError| Mistakes::told(error.to_string());
        match self.extent {
            Extent::Behaviors => {}
            Extent::Envision => {
                let found = model.envision_while(initial, options, keep_going);
                return Ok(envisioned(&system, &found.map_err(stopped)?));
            }
            Extent::All => {
                let found = model.envision_all_while(options, keep_going);
                return Ok(envisioned(&system, &found.map_err(stopped)?));
            }
        }
        let tree = model.simulate_while(initial, options, keep_going);
        let tree = tree.map_err(stopped)?;
        let behaviors = tree.behaviors();
        let graph = Graph::from(&tree);
        let limit = tree.limit_message();
        let drawn = behaviors.iter().take(MOST_DRAWN);
        let drawn = drawn.map(|behavior| {
            json!({
                "number": behavior.number,
                "svg": render::behavior_svg(&system.title, &tree, behavior),
                "text": render::behavior_text(&tree, behavior),
            })
        });
        Ok(json!({
            "system": render::json(&system, &graph, Some(&behaviors), limit.as_deref()),
            "graph": render::graph_svg(&system.title, &graph),
            "drawn": drawn.collect::<Value>(),
            "text": render::behaviors_text(&system.title, &tree),
        }))
    }
}

fn envisioned(system: &System, found: &Envisionment) -> Value {
    let graph = Graph::of_envisionment(&system.model, found);
    let limit = found.limit_message();
    json!({
        "system": render::json(system, &graph, None, limit.as_deref()),
        "graph": render::graph_svg(&system.title, &graph),
        "drawn": [],
        "text": render::envisionment_text(&system.title, &system.model, found),
    })
}
