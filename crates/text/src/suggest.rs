//! Did you mean: the known names nearest to a misspelled one.

use std::path::Path;

/// The most names that a message suggests.
const MOST: usize = 3;

/// Distance of a known name from a misspelled one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Nearness {
    /// A few characters differ: their number.
    Typo(usize),
    /// The name is the beginning of the known one, or of a part of it: the characters that are missing.
    Beginning(usize),
}

impl Nearness {
    /// None where `candidate` is not near.
    ///
    /// Near by characters means a Damerau-Levenshtein distance of at most a third of the candidate's
    /// length and one more, without regard to case, and not every character different: `x` is not a
    /// misspelled `y`. A beginning has at least three characters; parts are separated by `/`, `-`, `_`,
    /// a space or a point.
    fn of(lower: &str, candidate: &str) -> Option<Self> {
        let candidate = candidate.to_lowercase();
        let (n_chars, n_own) = (lower.chars().count(), candidate.chars().count());
        let most = (n_own.max(3) / 3 + 1).min(n_own.max(n_chars).saturating_sub(1));
        if n_own.abs_diff(n_chars) <= most {
            let distance = strsim::damerau_levenshtein(lower, &candidate);
            if distance <= most {
                return Some(Self::Typo(distance));
            }
        }
        let mut starts = candidate
            .match_indices(['/', '-', '_', ' ', '.'])
            .map(|(at, separator)| at + separator.len());
        let begins = |at: usize| candidate[at..].starts_with(lower);
        (n_chars >= MOST && (begins(0) || starts.any(begins)))
            .then(|| Self::Beginning(n_own - n_chars))
    }
}

/// The known names near `name`, the nearest first, at most three; of equally near ones the first known.
/// `name` itself is never among them.
fn near<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Vec<&'k str> {
    let lower = name.to_lowercase();
    let mut near: Vec<(Nearness, &str)> = known
        .into_iter()
        .filter(|candidate| *candidate != name)
        .filter_map(|candidate| Some((Nearness::of(&lower, candidate)?, candidate)))
        .collect();
    near.sort_by_key(|(nearness, _)| *nearness);
    let mut names: Vec<&str> = Vec::new();
    for (nearness, candidate) in &near {
        // Beside a typo of one character, one of three is noise.
        let is_far = match (near[0].0, nearness) {
            (Nearness::Typo(least), Nearness::Typo(distance)) => *distance > least + 1,
            _ => false,
        };
        if !is_far && names.len() < MOST && !names.contains(candidate) {
            names.push(candidate);
        }
    }
    names
}

/// The known name nearest to `name`: with few other characters, or one that `name` begins.
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    near(name, known).first().copied()
}

/// A label such as ``did you mean `x` or `y`?``, or `valid: x, y, z` where none is near; empty without
/// known names. At most three names are shown.
pub fn suggestion<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let near = near(name, known.iter().copied());
    match near.split_last() {
        Some((last, [])) => format!("did you mean `{last}`?"),
        Some((last, first)) => format!("did you mean `{}` or `{last}`?", first.join("`, `")),
        None => valid(&known),
    }
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
    let near = near(name, beside.iter().map(String::as_str));
    (!near.is_empty()).then(|| suggestion(name, near))
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
            "did you mean `ball` or `bathtub`?"
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
