//! Responses of a signed digraph to presses.

use kibitz_qsim::press::Diagram;
use kibitz_qsim::render;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::mistakes::Mistakes;

/// Which variables of a signed digraph rise and which fall where one is pressed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PressQuestion {
    /// The links, or the model that has them.
    pub of: Links,
    /// Whether every variable without a link to itself limits itself.
    #[serde(default)]
    pub self_limits: bool,
}

/// The links of a diagram.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Links {
    /// CSV with columns `from`, `to` and `sign`.
    Csv(String),
    /// An XMILE model, whose equations are signed.
    Xmile(String),
}

impl PressQuestion {
    /// The `press` as `press --format json` writes it, its `text` with proofs, and the matrix as `svg`.
    pub(crate) fn answer(&self) -> Result<Value, Mistakes> {
        let (mut diagram, unsigned) = match &self.of {
            Links::Csv(text) => (Diagram::from_csv("links.csv", text)?, Vec::new()),
            Links::Xmile(text) => {
                let found = Diagram::from_xmile("model.xmile", text)?;
                (found.diagram, found.unsigned)
            }
        };
        if self.self_limits {
            diagram.limit_all();
        }
        let press = diagram.press();
        let press = press.map_err(|error| Mistakes::told(error.to_string()))?;
        Ok(json!({
            "press": render::press_json(&press, &unsigned),
            "text": render::press_text(&press, true),
            "svg": render::press_svg("", &press),
        }))
    }
}
