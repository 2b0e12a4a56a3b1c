//! Did you mean: the known names nearest to a misspelled one.

use std::path::Path;

/// The most names that a message suggests.
const MOST: usize = 3;

/// A beginning, or a word with a typo, has at least so many characters.
const SHORTEST: usize = 3;

/// The known names near `name`, at most three: those that it begins, or else those with the fewest other
/// characters. `name` itself is never among them.
pub fn near<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Vec<&'k str> {
    let lower = name.to_lowercase();
    let known: Vec<(String, &str)> = known
        .into_iter()
        .filter(|candidate| *candidate != name)
        .map(|candidate| (candidate.to_lowercase(), candidate))
        .collect();
    let ranked = |distance: &dyn Fn(&str) -> Option<usize>| {
        let found = known.iter();
        let found = found.filter_map(|(folded, own)| Some((distance(folded)?, *own)));
        let mut found: Vec<(usize, &str)> = found.collect();
        found.sort_by_key(|(distance, _)| *distance);
        found
    };
    let mut found = ranked(&|candidate| n_missing(&lower, candidate));
    if found.is_empty() {
        found = ranked(&|candidate| n_typos(&lower, candidate));
        let least = found.first().map(|(distance, _)| *distance);
        found.retain(|(distance, _)| Some(*distance) == least);
    }
    let mut names: Vec<&str> = Vec::new();
    for (_, own) in found {
        if names.len() < MOST && !names.contains(&own) {
            names.push(own);
        }
    }
    names
}

/// How many characters are missing where a name begins the candidate or a part of it; parts are separated
/// by `/`, `-`, `_`, a space or a point.
fn n_missing(name: &str, candidate: &str) -> Option<usize> {
    let n_chars = name.chars().count();
    let separators = candidate.match_indices(['/', '-', '_', ' ', '.']);
    let mut starts = std::iter::once(0).chain(separators.map(|(at, sign)| at + sign.len()));
    let begins = |at: usize| candidate[at..].starts_with(name);
    (n_chars >= SHORTEST && starts.any(begins)).then(|| candidate.chars().count() - n_chars)
}

/// How many characters of a name are wrong, by the Damerau-Levenshtein distance from the candidate, from
/// what follows its last `/`, or from the word which that begins with: `table` of `jansen2000/table2`.
///
/// None where more are wrong than a third of the candidate and one, or than a third of its part; or all:
/// `x` is not a misspelled `y`.
fn n_typos(name: &str, candidate: &str) -> Option<usize> {
    let n_chars = name.chars().count();
    let distance = |other: &str, most: usize| {
        let n_own = other.chars().count();
        let most = most.min(n_own.max(n_chars).saturating_sub(1));
        let is_near = n_own.abs_diff(n_chars) <= most;
        let distance = is_near.then(|| strsim::damerau_levenshtein(name, other))?;
        (distance <= most).then_some(distance)
    };
    let whole = distance(candidate, candidate.chars().count().max(3) / 3 + 1);
    let last = candidate.rsplit('/').next().unwrap_or(candidate);
    let word = last.split(|c: char| !c.is_alphabetic()).next();
    let parts = [Some(last), word].into_iter().flatten();
    let parts = parts.map(|part| (part, part.chars().count()));
    let of_parts = parts
        .filter(|(_, n)| *n >= SHORTEST)
        .filter_map(|(part, n)| distance(part, n / 3));
    whole.into_iter().chain(of_parts).min()
}

/// The known name nearest to `name`: one that `name` begins, or else with few other characters.
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    near(name, known).first().copied()
}

/// A label such as ``did you mean `x` or `y`?``, or `valid: x, y, z` where none is near; empty without
/// known names. At most three names are shown.
pub fn suggestion<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    did_you_mean(&near(name, known.iter().copied())).unwrap_or_else(|| valid(&known))
}

/// The question for these names; `None` without names.
pub fn did_you_mean(names: &[&str]) -> Option<String> {
    Some(match names.split_last()? {
        (last, []) => format!("did you mean `{last}`?"),
        (last, first) => format!("did you mean `{}` or `{last}`?", first.join("`, `")),
    })
}

/// The names that may be used: all of a short list, the first of a long one.
fn valid(known: &[&str]) -> String {
    /// As many are read at a glance.
    const GLANCE: usize = 8;
    if known.is_empty() {
        String::new()
    } else if known.len() <= GLANCE {
        format!("valid: {}", known.join(", "))
    } else {
        let (shown, others) = known.split_at(MOST);
        format!("valid: {}, and {} more", shown.join(", "), others.len())
    }
}

/// A suggestion for a missing file, such as ``did you mean `tub.toml`?``; `None` if its folder has no
/// similar name.
pub fn suggested_file(missing: &Path) -> Option<String> {
    let name = missing.file_name()?.to_str()?;
    let folder = match missing.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut beside: Vec<String> = std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    beside.sort();
    did_you_mean(&near(name, beside.iter().map(String::as_str)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_names_are_suggested() {
        let known = ["max-ply", "games", "player"];
        assert_eq!(suggestion("max-plys", known), "did you mean `max-ply`?");
        assert_eq!(suggestion("x", known), "valid: max-ply, games, player");
        assert_eq!(suggestion("x", []), "");
        assert_eq!(suggestion("palyer", ["player"]), "did you mean `player`?");
        assert_eq!(nearest("MAX-PLY", known), Some("max-ply"));
        assert_eq!(nearest("x", ["y"]), None);
        assert_eq!(nearest("off", ["of", "op"]), Some("of"));
        assert_eq!(nearest("p", ["p"]), None);
    }

    #[test]
    fn a_beginning_counts() {
        let papers = ["beyond", "jansen2000", "sugar1975"];
        assert_eq!(suggestion("jansen", papers), "did you mean `jansen2000`?");
        assert_eq!(
            suggestion("bath", ["ball", "bathtub"]),
            "did you mean `bathtub`?"
        );
        assert_eq!(
            nearest("choice", ["chess", "choice-model"]),
            Some("choice-model")
        );
        assert_eq!(
            nearest("table2", ["jansen2000/table2"]),
            Some("jansen2000/table2")
        );
        assert_eq!(nearest("ch", ["choice-model"]), None);
    }

    #[test]
    fn parts_count() {
        let kinds = ["chess", "choice-model", "model-learning", "query", "view"];
        assert_eq!(near("cho", kinds), ["choice-model"]);
        assert_eq!(near("learn", kinds), ["model-learning"]);
        assert_eq!(near("choise", kinds), ["choice-model"]);
        assert_eq!(near("qery", kinds), ["query"]);
        let tables = ["a/table1", "a/table2", "a/table3", "b/table2", "b/table4"];
        assert_eq!(near("table2", tables), ["a/table2", "b/table2"]);
        assert_eq!(near("tabel2", tables), ["a/table2", "b/table2"]);
        assert_eq!(near("Table", tables), ["a/table1", "a/table2", "a/table3"]);
        assert_eq!(near("janssen", ["jansen2000", "sugar1975"]), ["jansen2000"]);
        assert_eq!(near("on", ["of-all"]), [""; 0]);
    }

    #[test]
    fn at_most_three_names_are_shown() {
        let known = [
            "table1", "table2", "table3", "table4", "table5", "u", "v", "w", "z",
        ];
        assert_eq!(
            suggestion("table9", known),
            "did you mean `table1`, `table2` or `table3`?"
        );
        assert_eq!(
            suggestion("x", known),
            "valid: table1, table2, table3, and 6 more"
        );
    }

    #[test]
    fn an_endless_name_is_near_to_nothing() {
        assert_eq!(nearest(&"x".repeat(1 << 24), ["x"]), None);
    }

    #[test]
    fn files_beside_a_missing_one_are_suggested() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("tub.toml"), "").unwrap();
        let found = suggested_file(&folder.path().join("tub.tml"));
        assert_eq!(found.as_deref(), Some("did you mean `tub.toml`?"));
        assert_eq!(suggested_file(&folder.path().join("else.csv")), None);
        assert_eq!(suggested_file(Path::new("nowhere/at/all.toml")), None);
    }
}
