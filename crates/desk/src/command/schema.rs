//! `schema`: JSON Schema of experiment files, for editors.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::Answer;
use crate::Desk;
use kibitz_experiment::Kind;
use kibitz_lab::config::envelope::ExperimentFile;
use kibitz_lab::files::write_atomically;
use kibitz_text::Diagnostic;
use kibitz_text::Exit;

/// Where the schema lies; experiment files point at it with `#:schema ../schema.json`.
pub(crate) const PATH: &str = "experiments/schema.json";

impl Desk {
    /// Writes the schema, or with `check` fails when the one on disk is another one.
    pub fn schema(&self, check: bool) -> Answer {
        let text = text(&self.lab.kinds);
        let path = self.lab.root.join(PATH);
        if std::fs::read_to_string(&path).is_ok_and(|old| old == text) {
            return Answer::ok(format!("{PATH} is up to date\n"));
        }
        if check {
            let outdated = Diagnostic::new(format!("{PATH} is out of date")).with_note(format!(
                "bring it up to date with `{} schema`",
                self.lab.program
            ));
            return Answer::failed(Exit::Negative, format!("{outdated}\n"));
        }
        match write_atomically(&path, text.as_bytes()) {
            Ok(()) => Answer::ok(format!("wrote {PATH}\n")),
            Err(error) => error.into(),
        }
    }
}

/// The schema of experiment files of these kinds.
pub(crate) fn text(kinds: &[Kind]) -> String {
    let mut definitions = BTreeMap::new();
    let mut by_kind = Vec::new();
    for kind in kinds {
        let mut schema = kind.params_schema().to_value();
        // Definitions of a kind move to the top, under its name, so that references still hold.
        let own = schema.as_object_mut().and_then(|object| {
            object.remove("$schema");
            object.remove("$defs")
        });
        let prefix = format!("#/$defs/{}/$defs/", kind.name());
        let mut schema = redirect(schema, &prefix);
        if let (Some(Json::Object(own)), Some(object)) = (own, schema.as_object_mut()) {
            let own: serde_json::Map<String, Json> = own
                .into_iter()
                .map(|(name, value)| (name, redirect(value, &prefix)))
                .collect();
            object.insert("$defs".to_owned(), Json::Object(own));
        }
        definitions.insert(kind.name().to_owned(), schema);
        let reference = json!({ "$ref": format!("#/$defs/{}", kind.name()) });
        // [quick] names only what it changes, so nothing in it is required.
        by_kind.push(json!({
            "if": { "properties": { "kind": { "const": kind.name() } } },
            "then": { "properties": { "params": reference } },
        }));
    }
    let names: Vec<&str> = kinds.iter().map(Kind::name).collect();
    let mut schema = schemars::schema_for!(ExperimentFile).to_value();
    schema["properties"]["kind"]["enum"] = json!(names);
    if let Json::Object(common) = &mut schema["$defs"] {
        common.extend(definitions);
    }
    if !by_kind.is_empty() {
        schema["allOf"] = by_kind.into();
    }
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

/// Lets `#/$defs/X` point to where the definitions of a kind went.
fn redirect(value: Json, prefix: &str) -> Json {
    match value {
        Json::Object(fields) => fields
            .into_iter()
            .map(|(name, value)| {
                let value = match (&name[..], &value) {
                    ("$ref", Json::String(target)) => target
                        .strip_prefix("#/$defs/")
                        .map_or_else(|| value.clone(), |rest| format!("{prefix}{rest}").into()),
                    _ => redirect(value, prefix),
                };
                (name, value)
            })
            .collect(),
        Json::Array(items) => items
            .into_iter()
            .map(|item| redirect(item, prefix))
            .collect(),
        other => other,
    }
}
