//! Constraints as text of system files.

use std::fmt::Write as _;

use crate::constraint::Constraint;
use crate::learn::LearnedConstraint;
use crate::model::Variable;

/// Maximum number of exceptions named.
const MOST_NAMED: usize = 8;

/// The constraints as a system file declares them, each with its formula as a comment; before it, further
/// comments name the states that refuse it, of this many, and say whether it follows from the others.
///
/// # Panics
/// If an index of a variable or a landmark is out of range.
pub fn learned_toml(
    variables: &[Variable],
    learned: &[LearnedConstraint],
    n_states: usize,
) -> String {
    let mut text = String::new();
    for own in learned {
        let numbers = own.exceptions.iter().take(MOST_NAMED);
        let numbers: Vec<String> = numbers.map(|number| (number + 1).to_string()).collect();
        if !numbers.is_empty() {
            let n = own.exceptions.len();
            let more = if n > numbers.len() { " and others" } else { "" };
            let numbers = numbers.join(", ");
            let _ = writeln!(
                text,
                "# refused by {n} of {n_states} states: {numbers}{more}"
            );
        }
        if own.is_redundant {
            text += "# redundant: every state that satisfies the others satisfies it\n";
        }
        text += &constraints_toml(variables, std::slice::from_ref(&own.constraint));
    }
    text
}

/// The constraints as a system file declares them, each with its formula as a comment.
///
/// # Panics
/// If an index of a variable or a landmark is out of range.
pub fn constraints_toml(variables: &[Variable], constraints: &[Constraint]) -> String {
    let mut text = String::new();
    for constraint in constraints {
        let own = || {
            constraint
                .variables
                .iter()
                .map(|&variable| &variables[variable])
        };
        let names: Vec<&str> = own().map(|variable| variable.name.as_str()).collect();
        let _ = writeln!(
            text,
            "[[constraints]]\nkind = \"{}\"  # {}\nof = {names:?}",
            constraint.kind,
            constraint.kind.reads(&names)
        );
        if !constraint.corresponding.is_empty() {
            let rows = constraint.corresponding.iter().map(|row| {
                let landmarks = row.iter().zip(own());
                landmarks
                    .map(|(at, variable)| variable.space.name(*at))
                    .collect()
            });
            let rows: Vec<Vec<String>> = rows.collect();
            let _ = writeln!(text, "corresponding = {rows:?}");
        }
        text.push('\n');
    }
    text
}
