//! Constraints as text of system files.

use std::fmt::Write as _;

use crate::constraint::Constraint;
use crate::model::Variable;

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
