//! The learners of qualitative models by name.

use kibitz_ilp_cli::Algorithm;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// A learner by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Method {
    /// A learner of logic programs: PAL and mFoil over the constraints, the others over tables of
    /// them.
    Logic(Algorithm),
    /// A learner of models.
    Models(ModelLearner),
}

/// A learner that takes states as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ModelLearner {
    /// Every constraint that the positive states satisfy.
    Genmodel,
    /// A genetic algorithm over trees of constraints.
    Genetic,
}

impl<'de> Deserialize<'de> for Method {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        match (&name[..], name.parse()) {
            (_, Ok(algorithm)) => Ok(Self::Logic(algorithm)),
            ("genmodel", _) => Ok(Self::Models(ModelLearner::Genmodel)),
            ("genetic", _) => Ok(Self::Models(ModelLearner::Genetic)),
            _ => {
                let names = Algorithm::ALL.iter().map(|algorithm| algorithm.name());
                let names = names.chain(["genmodel", "genetic"]);
                let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
                let names = names.join(", ");
                let message = format!("unknown variant `{name}`, expected one of {names}");
                Err(D::Error::custom(message))
            }
        }
    }
}
