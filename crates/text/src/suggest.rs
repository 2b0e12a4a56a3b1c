//! Did you mean: the known name nearest to a misspelled one.

/// The known name nearest to `name` by Damerau-Levenshtein distance, if it is near.
///
/// Near means at most a third of its length and one more, without regard to case, and not every
/// character different: `x` is no misspelled `y`. `name` itself is never the answer.
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let lower = name.to_lowercase();
    let n_chars = lower.chars().count();
    let candidates = known.into_iter().filter(|candidate| *candidate != name);
    let near = candidates.filter_map(|candidate| {
        let n_own = candidate.chars().count();
        let most = (n_own.max(3) / 3 + 1).min(n_own.max(n_chars).saturating_sub(1));
        if n_own.abs_diff(n_chars) > most {
            return None;
        }
        let distance = strsim::damerau_levenshtein(&lower, &candidate.to_lowercase());
        (distance <= most).then_some((distance, candidate))
    });
    near.min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// A label such as ``did you mean `x`? (also valid: y, z)`` or `valid: x, y, z`; empty without
/// known names.
pub fn suggestion<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let near = nearest(name, known.iter().copied());
    let others: Vec<&str> = known
        .iter()
        .copied()
        .filter(|other| Some(*other) != near)
        .collect();
    match (near, others.is_empty()) {
        (Some(near), true) => format!("did you mean `{near}`?"),
        (Some(near), false) => {
            format!("did you mean `{near}`? (also valid: {})", listed(&others))
        }
        (None, false) => format!("valid: {}", listed(&others)),
        (None, true) => String::new(),
    }
}

/// Names separated by commas, cut off where nobody would read on.
fn listed(names: &[&str]) -> String {
    const SHOWN: usize = 12;
    match names.split_at_checked(SHOWN) {
        Some((shown, more)) if !more.is_empty() => {
            format!("{}, and {} more", shown.join(", "), more.len())
        }
        _ => names.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_names_are_suggested() {
        let known = ["max-ply", "games", "player"];
        assert_eq!(
            suggestion("max-plys", known),
            "did you mean `max-ply`? (also valid: games, player)"
        );
        assert_eq!(suggestion("x", known), "valid: max-ply, games, player");
        assert_eq!(suggestion("x", []), "");
        assert_eq!(suggestion("palyer", ["player"]), "did you mean `player`?");
        assert_eq!(nearest("MAX-PLY", known), Some("max-ply"));
        assert_eq!(nearest("x", ["y"]), None);
        assert_eq!(nearest("off", ["of", "op"]), Some("of"));
        assert_eq!(nearest("p", ["p"]), None);
    }

    #[test]
    fn an_endless_name_is_near_to_nothing() {
        assert_eq!(nearest(&"x".repeat(1 << 24), ["x"]), None);
    }
}
