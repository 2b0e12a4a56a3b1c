//! `kinds`: what experiments there can be, and what each takes and yields.

use std::fmt::Write as _;

use serde_json::Value as Json;

use crate::Answer;
use crate::Desk;
use crate::render::aligned;
use kibitz_experiment::Kind;

impl Desk {
    /// Lists the kinds, or shows one: its parameters with their values, its columns, the data it
    /// reads, and an example.
    pub fn show_kinds(&self, name: Option<&str>) -> Answer {
        let Some(name) = name else {
            let lines: Vec<Vec<String>> = self
                .lab
                .kinds
                .iter()
                .map(|kind| {
                    let schema = kind.params_schema().to_value();
                    vec![kind.name().to_owned(), sentence(&schema["description"])]
                })
                .collect();
            return Answer::ok(aligned(&lines, self.width));
        };
        match self.lab.kind(name) {
            Ok(kind) => Answer::ok(described(kind, self.width)),
            Err(unknown) => unknown.into(),
        }
    }
}

/// Columns that a description takes at most.
const WIDTH: usize = 100;

fn described(kind: &Kind, width: Option<usize>) -> String {
    let width = width.map_or(WIDTH, |width| width.min(WIDTH));
    let schema = kind.params_schema().to_value();
    let about = format!("{}: {}", kind.name(), sentence(&schema["description"]));
    let mut text = wrapped(&about, 0, width);
    text.push_str("\nparameters\n");
    add_params(&schema, &schema, 1, width, &mut text);
    text.push_str("\ncolumns, of which the parameters may add more\n");
    for column in kind.columns() {
        let unit = match column.unit.as_ref() {
            "" => String::new(),
            unit => format!(" ({unit})"),
        };
        let line = format!("{}{unit}: {}", column.name, column.doc);
        text.push_str(&wrapped(&line, 1, width));
    }
    let example = kind.example().trim();
    let reads = example.lines().find(|line| line.starts_with("data = "));
    let reads = reads.unwrap_or("none");
    let _ = write!(
        text,
        "\ndata in the example\n  {reads}\n\nexample\n{example}\n"
    );
    text
}

/// Adds the properties of a table, those of tables within further to the right.
fn add_params(schema: &Json, root: &Json, depth: usize, width: usize, text: &mut String) {
    const DEEPEST: usize = 4;
    let Some(properties) = schema["properties"]
        .as_object()
        .filter(|_| depth <= DEEPEST)
    else {
        return;
    };
    let required = schema["required"].as_array();
    for (name, property) in properties {
        let is_required = required.is_some_and(|names| names.iter().any(|known| known == name));
        let default = match &property["default"] {
            _ if is_required => ", required".to_owned(),
            Json::Null => String::new(),
            Json::Object(_) | Json::Array(_) => ", optional".to_owned(),
            value => format!(", default {value}"),
        };
        let values = values_of(property, root);
        text.push_str(&wrapped(
            &format!("{name}: {values}{default}"),
            depth,
            width,
        ));
        let about = sentence(&property["description"]);
        text.push_str(&wrapped(&about, depth + 2, width));
        if let Some(table) = table_in(property, root) {
            add_params(table, root, depth + 1, width, text);
        }
    }
}

/// A text in lines of `width` columns, `depth` steps from the left and further on where it goes on; a
/// word that is too long has a line of its own.
fn wrapped(text: &str, depth: usize, width: usize) -> String {
    const STEP: &str = "  ";
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let n_word = word.chars().count();
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + n_word <= width => {
                line.extend([" ", word]);
            }
            last => {
                let depth = depth + 2 * usize::from(last.is_some());
                lines.push(STEP.repeat(depth) + word);
            }
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

/// The values that a property may have, in words.
fn values_of(schema: &Json, root: &Json) -> String {
    let schema = resolved(schema, root);
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    let alternatives = ["enum", "oneOf", "anyOf"];
    if let Some(values) = alternatives.iter().find_map(|key| schema[*key].as_array()) {
        let words = values.iter().map(|value| match value {
            Json::Object(_) => values_of(value, root),
            value => value.to_string(),
        });
        let words: Vec<String> = words.filter(|word| word != "nothing").collect();
        return words.join(" | ");
    }
    let kinds = match &schema["type"] {
        Json::Array(kinds) => kinds.iter().find(|kind| *kind != "null"),
        kind => Some(kind),
    };
    match kinds.and_then(Json::as_str) {
        Some("array") if schema["items"].is_object() => {
            format!("list of {}", values_of(&schema["items"], root))
        }
        Some("array") => "list".to_owned(),
        Some("boolean") => "true | false".to_owned(),
        Some("integer") => "integer".to_owned(),
        Some("null") => "nothing".to_owned(),
        Some("object") => "table".to_owned(),
        Some("string") => "text".to_owned(),
        Some(other) => other.to_owned(),
        None => "anything".to_owned(),
    }
}

/// The table that a property is, or is a list of, or may be.
fn table_in<'s>(schema: &'s Json, root: &'s Json) -> Option<&'s Json> {
    let schema = resolved(schema, root);
    if schema["properties"].is_object() {
        return Some(schema);
    }
    let within = schema["anyOf"].as_array().into_iter().flatten();
    let mut within = within.chain(schema.get("items"));
    within.find_map(|inner| table_in(inner, root))
}

fn resolved<'s>(schema: &'s Json, root: &'s Json) -> &'s Json {
    let reference = schema["$ref"].as_str();
    let pointer = reference.and_then(|reference| reference.strip_prefix('#'));
    pointer
        .and_then(|pointer| root.pointer(pointer))
        .unwrap_or(schema)
}

/// The first sentence of a description.
fn sentence(text: &Json) -> String {
    let text = text.as_str().unwrap_or_default();
    let lines: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).collect();
    let text = lines.join(" ");
    let end = text.find(". ").map_or(text.len(), |at| at + 1);
    text[..end].to_owned()
}
