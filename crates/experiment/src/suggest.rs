//! Suggestions for misspelt names.

/// "Did you mean" for a misspelt name, with the other choices; empty without choices.
///
/// The nearest name is offered only when it is near: typing `x` for `max-ply` is no typo.
pub fn suggestion<'a>(found: &str, choices: impl IntoIterator<Item = &'a str>) -> String {
    let choices: Vec<&str> = choices.into_iter().collect();
    let nearest = choices
        .iter()
        .map(|choice| (strsim::damerau_levenshtein(found, choice), *choice))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, choice)| *distance <= choice.chars().count().max(3) / 3 + 1)
        .map(|(_, choice)| choice);
    let others: Vec<&str> = choices
        .iter()
        .copied()
        .filter(|choice| Some(*choice) != nearest)
        .collect();
    match (nearest, others.is_empty()) {
        (Some(nearest), true) => format!("did you mean `{nearest}`?"),
        (Some(nearest), false) => {
            format!(
                "did you mean `{nearest}`?   (also valid: {})",
                listed(&others)
            )
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
        let choices = ["max-ply", "games", "player"];
        assert_eq!(
            suggestion("max-plys", choices),
            "did you mean `max-ply`?   (also valid: games, player)"
        );
        assert_eq!(suggestion("x", choices), "valid: max-ply, games, player");
        assert_eq!(suggestion("x", []), "");
    }
}
