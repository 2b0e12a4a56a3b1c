//! What changed between the inputs of two runs, in words: names, with the old and the new value.

use std::path::Path;

use toml::Value;

use crate::files::FileError;
use crate::results::{DataInput, Inputs, folder};
use kibitz_command::input::Input;

/// Characters of a value that are shown.
const SHOWN: usize = 40;

impl Inputs {
    /// The inputs of a table or dataset as they were kept below `results`, if they were.
    ///
    /// # Errors
    /// [`FileError`] if the file cannot be read.
    pub fn kept(results: &Path, id: &str) -> Result<Option<Self>, FileError> {
        let path = folder(results, id).join("inputs.toml");
        match std::fs::read_to_string(&path) {
            // Of a file of an older form nobody knows what changed.
            Ok(text) => Ok(toml::from_str(&text).ok()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(FileError::new("read", &path, error)),
        }
    }

    /// The inputs that have changed since `self`, in words, most telling first.
    pub fn changes(&self, now: &Self) -> Vec<String> {
        let mut changes = Vec::new();
        self.changed_code(now, &mut changes);
        if self.kind != now.kind {
            changes.push(format!("kind {} -> {}", self.kind, now.kind));
        }
        changed_value(
            "params",
            Some(&self.params),
            Some(&now.params),
            &mut changes,
        );
        self.changed_files(now, &mut changes);
        if self.resample != now.resample {
            changes.push("resample".to_owned());
        }
        if self.seed != now.seed {
            let shown = |seed: Option<u64>| seed.map_or("none".to_owned(), |seed| seed.to_string());
            changes.push(format!("seed {} -> {}", shown(self.seed), shown(now.seed)));
        }
        if self.replicates != now.replicates {
            let (old, new) = (self.replicates, now.replicates);
            changes.push(format!("replicates {old} -> {new}"));
        }
        if self.key_format != now.key_format {
            changes.push("format of keys".to_owned());
        }
        changes
    }

    fn changed_code(&self, now: &Self, changes: &mut Vec<String>) {
        for (name, hash) in &now.code {
            match self.code.get(name) {
                None => changes.push(format!("code of {name} (new)")),
                Some(old) if old != hash => changes.push(format!("code of {name}")),
                Some(_) => {}
            }
        }
        let gone = self.code.keys();
        let gone = gone.filter(|name| !now.code.contains_key(*name));
        changes.extend(gone.map(|name| format!("code of {name} (no longer used)")));
    }

    /// Data, files of the workspace, and what other experiments yield.
    fn changed_files(&self, now: &Self, changes: &mut Vec<String>) {
        for (name, input) in &now.data {
            let old = self.data.get(name);
            if old.map(|old| &old.blake3) != Some(&input.blake3) {
                changes.push(changed_data(name, old, Some(input)));
            }
        }
        for (name, old) in &self.data {
            if !now.data.contains_key(name) {
                changes.push(changed_data(name, Some(old), None));
            }
        }
        for (name, input) in &now.from {
            if self.from.get(name) != Some(input) {
                changes.push(format!("what {} yields", input.experiment));
            }
        }
        for (name, input) in &self.from {
            if !now.from.contains_key(name) {
                changes.push(format!("{} (no longer read)", input.experiment));
            }
        }
    }
}

/// A data file or another input with another content.
fn changed_data(name: &str, old: Option<&DataInput>, now: Option<&DataInput>) -> String {
    let input = Input::of_name(name);
    let what = match &input {
        Some(Input::File(path)) => format!("file {path}"),
        Some(Input::Variable(variable)) => format!("variable {variable}"),
        Some(Input::Version(words)) => format!("version of {}", words.join(" ")),
        None => format!(
            "data {}",
            now.or(old).map_or("", |input| input.entry.as_str())
        ),
    };
    let hash = |input: &DataInput| input.blake3.chars().take(8).collect::<String>();
    match (old, now) {
        (Some(old), Some(now)) if old.entry != now.entry => {
            format!("{what} ({} -> {})", old.entry, now.entry)
        }
        (Some(old), Some(now)) => format!("{what} ({} -> {})", hash(old), hash(now)),
        (None, _) => format!("{what} (new)"),
        // What cannot be read now is reported with the cells.
        (_, None) => format!("{what} (not read)"),
    }
}

/// The parameters below `path` that changed, each with its old and its new value.
fn changed_value(path: &str, old: Option<&Value>, now: Option<&Value>, changes: &mut Vec<String>) {
    match (old, now) {
        (Some(Value::Table(old)), Some(Value::Table(now))) => {
            let mut names: Vec<&String> = old.keys().chain(now.keys()).collect();
            names.sort();
            names.dedup();
            for name in names {
                let path = format!("{path}.{name}");
                changed_value(&path, old.get(name), now.get(name), changes);
            }
        }
        (Some(Value::Array(old)), Some(Value::Array(now))) if old.len() == now.len() => {
            for (at, (old, now)) in old.iter().zip(now).enumerate() {
                changed_value(&format!("{path}.{at}"), Some(old), Some(now), changes);
            }
        }
        (Some(Value::String(old)), Some(Value::String(now))) if old != now => {
            changes.push(changed_text(path, old, now));
        }
        (Some(old), Some(now)) if old != now => {
            changes.push(format!("{path} {} -> {}", short(old), short(now)));
        }
        (Some(old), None) => changes.push(format!("{path} (removed, was {})", short(old))),
        (None, Some(now)) => changes.push(format!("{path} (new: {})", short(now))),
        _ => {}
    }
}

/// A text that changed: of one with several lines, the first that differs.
fn changed_text(path: &str, old: &str, now: &str) -> String {
    let is_long = old.lines().count() > 1 || now.lines().count() > 1;
    let quoted = |text: &str| format!("`{}`", cut(text.trim()));
    if !is_long {
        return format!("{path} {} -> {}", quoted(old), quoted(now));
    }
    let same = old.lines().zip(now.lines());
    let at = same.take_while(|(old, now)| old == now).count();
    let line = |text: &str| quoted(text.lines().nth(at).unwrap_or_default());
    format!("{path}, line {}: {} -> {}", at + 1, line(old), line(now))
}

fn short(value: &Value) -> String {
    cut(&value.to_string())
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(old: &str, now: &str) -> Vec<String> {
        let read = |text: &str| Value::Table(text.parse().expect("TOML"));
        let mut changes = Vec::new();
        changed_value("params", Some(&read(old)), Some(&read(now)), &mut changes);
        changes
    }

    #[test]
    fn parameters_are_named_with_both_values() {
        assert_eq!(changes("a = 1\nb = [1, 2]", "a = 1\nb = [1, 2]"), [""; 0]);
        let one = |old, now, change: &str| assert_eq!(changes(old, now), [change]);
        one("a.b = 0.05", "a.b = 0.1", "params.a.b 0.05 -> 0.1");
        one("a = 1\nb = 2", "a = 1", "params.b (removed, was 2)");
        one("a = 1", "a = 1\nb = \"x\"", "params.b (new: \"x\")");
        one("a = [1, 2]", "a = [1, 3]", "params.a.1 2 -> 3");
        one("a = \"x\"", "a = \"y\"", "params.a `x` -> `y`");
        one(
            "sql = \"SELECT a\\nFROM b\\nWHERE c\"",
            "sql = \"SELECT a\\nFROM d\\nWHERE c\"",
            "params.sql, line 2: `FROM b` -> `FROM d`",
        );
    }
}
