//! `schema`: JSON Schema of experiment files, for editors.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::session::error_chain;
use super::{Answer, Exit, Lab};
use crate::files::write_atomically;
use kibitz_experiment::Kind;

/// Where the schema lies; experiment files point at it with `#:schema ../schema.json`.
pub(crate) const PATH: &str = "experiments/schema.json";

impl Lab {
    /// Writes the schema, or with `check` fails when the one on disk is another one.
    pub fn schema(&self, check: bool) -> Answer {
        let text = text(&self.kinds);
        let path = self.root.join(PATH);
        if std::fs::read_to_string(&path).is_ok_and(|old| old == text) {
            return Answer::ok(format!("{PATH} is up to date\n"));
        }
        if check {
            return Answer::failed(
                Exit::Differs,
                format!(
                    "error: {PATH} is out of date\n   = bring it up to date with `cargo xtask \
                     schema`\n"
                ),
            );
        }
        match write_atomically(&path, text.as_bytes()) {
            Ok(()) => Answer::ok(format!("wrote {PATH}\n")),
            Err(error) => {
                Answer::failed(Exit::BadInput, format!("error: {}\n", error_chain(&error)))
            }
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
    let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
    let mut schema = envelope(&names);
    if let Some(object) = schema.as_object_mut() {
        if let Some(Json::Object(common)) = object.get_mut("$defs") {
            common.extend(definitions);
        }
        if !by_kind.is_empty() {
            object.insert("allOf".to_owned(), Json::Array(by_kind));
        }
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

/// Everything but `[params]`; the keys are those of `config/experiment.rs`.
fn envelope(kinds: &[&str]) -> Json {
    let text = |description: &str| json!({ "type": "string", "description": description });
    let texts = |description: &str| {
        json!({
            "description": description,
            "anyOf": [
                { "type": "string" },
                { "type": "array", "items": { "type": "string" } },
            ],
        })
    };
    let object = |required: &[&str], properties: Json| {
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": required,
            "properties": properties,
        })
    };
    let positive = json!({ "type": "number", "minimum": 0 });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Kibitz experiment",
        "description": "One published table and how it is rebuilt.",
        "type": "object",
        "additionalProperties": false,
        "required": ["kind", "title"],
        "properties": {
            "schema": { "const": crate::config::experiment::SCHEMA, "description": "Layout of this file." },
            "kind": { "enum": kinds, "description": "What runs this experiment." },
            "title": text("One line for the index."),
            "tags": texts("For --tag."),
            "notes": text("Free text for the report: obstacles, choices, why a tolerance is wide."),
            "source": object(&["paper", "where"], json!({
                "paper": text("Key in experiments/papers.toml."),
                "where": text("Table, figure or section."),
                "reading": { "enum": ["clear", "ocr", "figure"], "description": "How well the printed numbers can be read." },
            })),
            "data": {
                "type": "object",
                "description": "Name the kind knows it by = entry of data/manifest.toml.",
                "additionalProperties": { "type": "string" },
            },
            "run": object(&[], json!({
                "seed": { "type": "integer", "minimum": 0, "description": "Required exactly when the kind draws random numbers." },
                "replicates": { "type": "integer", "minimum": 1, "description": "How often each cell runs, each time with its own seed." },
                "timeout": text("Per cell, such as \"20m\"."),
            })),
            "params": { "type": "object", "description": "Parameters of the kind." },
            "quick": { "type": "object", "description": "Laid over [params] by --quick." },
            "columns": {
                "type": "object",
                "description": "The columns shown and judged, in table order.",
                "additionalProperties": object(&[], json!({
                    "unit": text("Unit, when it is not the kind's."),
                    "tol": { "$ref": "#/$defs/tolerance" },
                    "why": text("Why the column is not judged."),
                })),
            },
            "published": {
                "type": "object",
                "description": "Row = { column = printed value }, with all digits as printed.",
                "additionalProperties": {
                    "type": "object",
                    "additionalProperties": { "type": ["number", "string"] },
                },
            },
            "check": {
                "type": "array",
                "description": "Does the paper agree with itself?",
                "items": object(&["op", "of", "is"], json!({
                    "op": { "enum": ["sum", "ratio", "percent", "equal"] },
                    "of": texts("row.column of the values on the left; * and ? are wild."),
                    "is": text("row.column of the value on the right."),
                    "abs": { "type": "number", "minimum": 0, "description": "How far apart both may be, when not what rounding allows." },
                })),
            },
            "deviation": {
                "type": "array",
                "description": "Differences that are expected and explained.",
                "items": object(&["cells", "reason"], json!({
                    "cells": texts("row.column; * and ? are wild."),
                    "reason": text("Why we differ."),
                })),
            },
        },
        "$defs": {
            "tolerance": {
                "anyOf": [
                    { "enum": ["exact", "order", "info"] },
                    object(&["digits"], json!({
                        "digits": { "type": "integer", "minimum": 0 },
                        "round": { "enum": ["nearest", "truncate"] },
                    })),
                    object(&["abs"], json!({ "abs": positive })),
                    object(&["rel"], json!({ "rel": positive })),
                    object(&["within"], json!({
                        "within": { "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 2 },
                    })),
                    object(&["trials", "z"], json!({
                        "trials": { "type": "integer", "minimum": 1 },
                        "z": positive,
                    })),
                    object(&["replicate-sd"], json!({ "replicate-sd": positive })),
                    object(&["std-error"], json!({ "std-error": positive })),
                ],
            },
        },
    })
}
