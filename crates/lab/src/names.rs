//! The names that an unknown name may mean: shortened, or misspelled.

use kibitz_experiment::suggestion;
use kibitz_text::nearest;

/// At most this many names are suggested.
const MOST: usize = 3;
/// A shortened name has at least this many characters.
const SHORTEST: usize = 3;

/// A label such as ``did you mean `x` or `y`?``, or `valid: x, y, z` where none is meant.
pub(crate) fn similar<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let meant = shortened(name, &known).or_else(|| misspelled(name, &known));
    meant.unwrap_or_else(|| suggestion(name, known))
}

/// The names that begin with this one, or else that have it after the paper, or else a part that begins
/// with it.
pub(crate) fn shortened(name: &str, known: &[&str]) -> Option<String> {
    let name = name.to_lowercase();
    if name.chars().count() < SHORTEST {
        return None;
    }
    let begins = |text: &str| text.starts_with(&name);
    let rules: [&dyn Fn(&str) -> bool; 4] = [
        &begins,
        &|known| last(known) == name,
        &|known| begins(last(known)),
        &|known| known.split(['/', '-', '_']).any(begins),
    ];
    let of_rule = |rule: &&dyn Fn(&str) -> bool| {
        let found = known.iter().copied();
        did_you_mean(found.filter(|known| rule(&known.to_lowercase())))
    };
    rules.iter().find_map(of_rule)
}

/// The names that differ in a few characters, as a whole or else in what follows the paper, or else in the
/// word that they begin with.
pub(crate) fn misspelled(name: &str, known: &[&str]) -> Option<String> {
    if nearest(name, known.iter().copied()).is_some() {
        return Some(suggestion(name, known.iter().copied()));
    }
    [last, first_word].iter().find_map(|part| {
        let near = nearest(name, known.iter().map(|known| part(known)))?;
        let found = known.iter().copied();
        did_you_mean(found.filter(|known| part(known) == near))
    })
}

/// What follows the paper.
pub(crate) fn last(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// The word that what follows the paper begins with: `choice` of `choice-model`, `table` of `table2`.
fn first_word(name: &str) -> &str {
    let name = last(name);
    let end = name.find(|c: char| !c.is_alphabetic());
    &name[..end.unwrap_or(name.len())]
}

/// The question for the first of the names; none without names.
pub(crate) fn did_you_mean<'n>(names: impl Iterator<Item = &'n str>) -> Option<String> {
    let names: Vec<String> = names.take(MOST).map(|name| format!("`{name}`")).collect();
    let (last, others) = names.split_last()?;
    Some(match others {
        [] => format!("did you mean {last}?"),
        others => format!("did you mean {} or {last}?", others.join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_suffices() {
        let kinds = ["chess", "choice-model", "model-learning", "query", "view"];
        assert_eq!(similar("cho", kinds), "did you mean `choice-model`?");
        assert_eq!(similar("learn", kinds), "did you mean `model-learning`?");
        assert_eq!(similar("choise", kinds), "did you mean `choice-model`?");
        assert_eq!(similar("qery", kinds), "did you mean `query`?");
        assert_eq!(similar("ches", kinds), "did you mean `chess`?");
        assert_eq!(
            similar("x", kinds),
            "valid: chess, choice-model, model-learning, query, view"
        );
    }

    #[test]
    fn at_most_three_names_are_meant() {
        let many = ["a/table1", "a/table2", "a/table3", "b/table2", "b/table4"];
        assert_eq!(
            similar("table2", many),
            "did you mean `a/table2` or `b/table2`?"
        );
        assert_eq!(
            similar("tabel2", many),
            "did you mean `a/table2` or `b/table2`?"
        );
        assert_eq!(
            similar("Table", many),
            "did you mean `a/table1`, `a/table2` or `a/table3`?"
        );
    }
}
