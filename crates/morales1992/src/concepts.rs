//! The concepts of an experiment, from its data.

use std::collections::BTreeMap;

use kibitz_experiment::{CellError, Context, suggestion};
use kibitz_patterns::{Concept, PreparedConcept};

const TARGETS: &str = "targets";
const CONCEPTS: &str = "concepts";

/// The keys under `data` of an experiment with concepts: Prolog text with the target definitions, and
/// a table of [`Concept`]s as TOML.
pub(crate) const DATA: [&str; 2] = [TARGETS, CONCEPTS];

/// The concept with this name in the experiment's file of concepts.
pub(crate) fn concept(name: &str, ctx: &Context<'_>) -> Result<Concept, CellError> {
    let file = ctx.data(CONCEPTS)?;
    let bytes = file.bytes()?;
    let mut concepts: BTreeMap<String, Concept> = toml::from_slice(&bytes)
        .map_err(|error| CellError::new(format!("data `{}`: {error}", file.entry())))?;
    let Some(concept) = concepts.remove(name) else {
        return Err(CellError::new(format!(
            "data `{}` has no concept `{name}`; {}",
            file.entry(),
            suggestion(name, concepts.keys().map(String::as_str))
        )));
    };
    if concept.examples.is_empty() {
        let message = format!("concept `{name}` has no initial example");
        return Err(CellError::new(message));
    }
    Ok(concept)
}

/// The concept prepared for learning, with its target.
pub(crate) fn prepare(concept: &Concept, ctx: &Context<'_>) -> Result<PreparedConcept, CellError> {
    let targets = ctx.data(TARGETS)?.bytes()?;
    Ok(concept.prepare(std::str::from_utf8(&targets)?, true)?)
}
