//! Skeletons of experiments: the example of a kind, about other data and with other values.

use std::collections::BTreeMap;
use std::ops::Range;

use kibitz_experiment::suggestion;
use kibitz_text::{Diagnostic, Diagnostics};
use regex::Regex;

/// The line that names the data.
pub(super) fn data_line(text: &str) -> Option<&str> {
    text.lines().find(|line| is_data_line(line))
}

fn is_data_line(line: &str) -> bool {
    line.starts_with("data = ")
}

/// What stands between quotation marks.
pub(super) fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('"').skip(1).step_by(2)
}

/// What an example says at the end of a line that holds of its own data only.
const OF_THESE_DATA: &str = "# of these data";

/// An example about other data: nothing is printed of them, so that nothing is judged.
pub(super) fn about_other_data(example: &str, entry: &str) -> String {
    let is_kept = |line: &&str| !line.starts_with("source = ") && !line.ends_with(OF_THESE_DATA);
    let until = ["[columns]", "[published]", "[[check]]", "[[deviation]]"];
    let lines = example.lines().take_while(|line| !until.contains(line));
    let mut text = String::new();
    for line in lines.filter(is_kept) {
        if is_data_line(line) {
            let parts = line.split('"').enumerate();
            let parts: Vec<&str> = parts
                .map(|(idx, part)| if idx % 2 == 1 { entry } else { part })
                .collect();
            text.push_str(&parts.join("\""));
        } else {
            text.push_str(line);
        }
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// What a new file says of baselines, above its columns.
const ABOUT_BASELINES: &str = "\
# A match is weak if the `baseline` of the column would match as well, or if none is declared: a number,
# { text = \"…\" }, \"most-common\", \"shuffle\", { row = \"…\" }, { figure = \"…\" } or
# { none = \"why there is none\" }.
";

/// An example with the baseline of every judged column written out, where a single value says it.
pub(super) fn with_baselines(example: &str) -> String {
    let lines = example.lines().map(|line| {
        let spec = line.strip_suffix(" }").filter(|spec| {
            let has_size = ["abs", "rel", "std-error", "replicate-sd"]
                .iter()
                .any(|size| spec.contains(&format!("tol = {{ {size} = ")));
            let settled = ["baseline = ", "derived = ", "same-as = "];
            has_size && !settled.iter().any(|key| spec.contains(key))
        });
        match spec {
            Some(spec) => format!("{spec}, baseline = 0 }}"),
            None if line == "[columns]" => format!("{ABOUT_BASELINES}{line}"),
            None => line.to_owned(),
        }
    });
    let lines: Vec<String> = lines.collect();
    lines.join("\n") + "\n"
}

/// A skeleton with other values for some of its keys: one value wherever the key stands, or several,
/// one for each place. A proper name that is replaced, such as that of a player, is replaced in labels
/// and titles as well.
///
/// # Errors
/// A key that the skeleton lacks, or another number of values than of places.
pub(super) fn with_values(text: &str, set: &[(String, String)]) -> Result<String, Diagnostics> {
    let mut by_key: Vec<(&str, Vec<String>)> = Vec::new();
    for (key, value) in set {
        let value = in_toml(value);
        match by_key.iter_mut().find(|(known, _)| known == key) {
            Some((_, values)) => values.push(value),
            None => by_key.push((key, vec![value])),
        }
    }
    let mut names: Vec<(String, String)> = Vec::new();
    for (key, values) in &by_key {
        let places = places_of(text, key);
        if places.is_empty() {
            let keys = keys_of(text);
            let known = keys.iter().map(String::as_str);
            let unknown = Diagnostic::new(format!("the skeleton has no key `{key}`"));
            return Err(unknown.with_label(suggestion(key, known)).into());
        }
        if values.len() > 1 && values.len() != places.len() {
            let (n_values, n_places) = (values.len(), places.len());
            let problem = Diagnostic::new(format!(
                "`{key}` has {n_values} values, and {n_places} places in the skeleton"
            ));
            return Err(problem
                .with_note("give one for all, or one for each")
                .into());
        }
        for (place, value) in places.into_iter().zip(values.iter().cycle()) {
            names.extend(text_of(&text[place]).zip(text_of(value)));
        }
    }
    let mut text = renamed(text, &names);
    for (key, values) in &by_key {
        let places = places_of(&text, key);
        let values = values.iter().cycle().take(places.len());
        // From the end, so that the places before stay where they are.
        let places: Vec<(Range<usize>, &String)> = places.into_iter().zip(values).collect();
        for (place, value) in places.into_iter().rev() {
            text.replace_range(place, value);
        }
    }
    Ok(text)
}

/// A value of the command line as TOML; what is none is a text.
fn in_toml(value: &str) -> String {
    let is_toml = format!("x = {value}").parse::<toml::Table>().is_ok();
    if is_toml {
        value.to_owned()
    } else {
        toml::Value::from(value).to_string()
    }
}

/// The text that a value in TOML is, if it is one.
fn text_of(value: &str) -> Option<String> {
    let table: toml::Table = format!("x = {value}").parse().ok()?;
    table.get("x")?.as_str().map(str::to_owned)
}

/// Where the values of a key stand, comments aside.
fn places_of(text: &str, key: &str) -> Vec<Range<usize>> {
    let value = r#"("(?:\\.|[^"\\])*"|'[^']*'|\[[^\]]*\]|[^\s,}\]]+)"#;
    let pattern = format!(r"(?m)(?:^|[^\w-]){} = {value}", regex::escape(key));
    let Ok(pattern) = Regex::new(&pattern) else {
        return Vec::new();
    };
    let found = pattern.captures_iter(text).filter_map(|found| found.get(1));
    let places = found.map(|value| value.range());
    places.filter(|at| !is_comment(text, at.start)).collect()
}

/// The keys of a text, each once, in their order.
fn keys_of(text: &str) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    let Ok(pattern) = Regex::new(r"(?m)(?:^|[^\w-])([\w-]+) = ") else {
        return keys;
    };
    for key in pattern.captures_iter(text).filter_map(|found| found.get(1)) {
        if !is_comment(text, key.start()) && !keys.iter().any(|known| known == key.as_str()) {
            keys.push(key.as_str().to_owned());
        }
    }
    keys
}

/// Whether a place is on a line that is a comment.
fn is_comment(text: &str, at: usize) -> bool {
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    line.trim_start().starts_with('#')
}

/// A text with other names in place of some. Of a name that became several, and of words that are no
/// proper names, nobody knows whether they mean the same elsewhere: these stay.
fn renamed(text: &str, names: &[(String, String)]) -> String {
    let mut new_names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (old, new) in names {
        let is_proper = old.chars().next().is_some_and(char::is_uppercase);
        let is_word = old.chars().all(char::is_alphabetic);
        if is_proper && is_word {
            new_names.entry(old).or_default().push(new);
        }
    }
    new_names.retain(|_, new| {
        new.dedup();
        new.len() == 1
    });
    let pattern = new_names.keys().map(|name| regex::escape(name));
    let pattern = pattern.collect::<Vec<_>>().join("|");
    let Ok(pattern) = Regex::new(&format!(r"\b(?:{pattern})\b")) else {
        return text.to_owned();
    };
    let rename = |line: &str| {
        let new = |found: &regex::Captures<'_>| {
            let name = found.get(0).map_or("", |name| name.as_str());
            let escaped = |new: &&str| new.replace('\\', r"\\").replace('"', "\\\"");
            let new = new_names.get(name).and_then(|new| new.first());
            new.map_or_else(|| name.to_owned(), escaped)
        };
        pattern.replace_all(line, new).into_owned()
    };
    let lines = text.split_inclusive('\n');
    let lines = lines.map(|line| {
        if new_names.is_empty() || is_data_line(line) {
            line.to_owned()
        } else {
            rename(line)
        }
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = "# About Fischer, player = \"x\".\n\
        title = \"Fischer or Kasparov, by their moves\"\n\
        data = { fischer = \"Fischer\" }\n\
        train-games = 40\n\
        players = [\n  { name = \"Fischer\", games = \"fischer\", player = \"Fischer\" },\n  \
        { games = \"kasparov\", player = \"Kasparov\" },\n]\n";

    fn set(values: &[(&str, &str)]) -> String {
        let values = values
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        match with_values(EXAMPLE, &values.collect::<Vec<_>>()) {
            Ok(text) => text,
            Err(problem) => problem.to_string(),
        }
    }

    #[test]
    fn a_player_is_named_everywhere() {
        insta::assert_snapshot!(set(&[("player", "Doe"), ("player", "O\"Roe, J.")]), @r#"
        # About Doe, player = "x".
        title = "Doe or O\"Roe, J., by their moves"
        data = { fischer = "Fischer" }
        train-games = 40
        players = [
          { name = "Doe", games = "fischer", player = "Doe" },
          { games = "kasparov", player = 'O"Roe, J.' },
        ]
        "#);
    }

    #[test]
    fn what_is_set_by_itself_is_what_it_is_set_to() {
        let text = set(&[("player", "Doe"), ("name", "Jane"), ("player", "Roe")]);
        assert!(
            text.contains("{ name = \"Jane\", games = \"fischer\", player = \"Doe\" }"),
            "{text}"
        );
        assert!(text.contains("player = \"Roe\""), "{text}");
    }

    #[test]
    fn keys_that_are_not_there_are_refused() {
        insta::assert_snapshot!(set(&[("plaer", "Doe")]), @"
        error: the skeleton has no key `plaer`
         |
         = did you mean `player`?
        ");
        let text = set(&[("games", "5")]);
        assert!(text.contains("train-games = 40"), "{text}");
        let text = set(&[("player", "A"), ("player", "B"), ("player", "C")]);
        assert!(
            text.contains("`player` has 3 values, and 2 places"),
            "{text}"
        );
    }
}
