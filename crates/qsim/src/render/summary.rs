//! What happens to the state variables of all behaviors, in one sentence.

use std::collections::BTreeSet;

use crate::constraint::ConstraintKind;
use crate::model::Model;
use crate::quantity::{Direction, Magnitude};
use crate::step::Ending;
use crate::tree::{Behavior, BehaviorTree};
use kibitz_text::counted;

/// Maximum number of variables named in a summary.
const MOST_NAMED: usize = 4;
/// Maximum number of courses of one variable that a summary distinguishes.
const MOST_COURSES: usize = 3;

/// One sentence on all behaviors: how each state variable goes and where it ends, as in `p rises to
/// capacity.`; empty if there is no behavior.
///
/// State variables are those whose derivative is a variable of the model; without any, all that are
/// not constant. A variable that takes several courses has them with the number of behaviors of each,
/// the most frequent first.
pub fn summary_text(tree: &BehaviorTree<'_>, behaviors: &[Behavior]) -> String {
    if behaviors.is_empty() {
        return String::new();
    }
    let chosen = state_variables(tree.model());
    let mut parts: Vec<String> = (chosen.iter().take(MOST_NAMED))
        .map(|&variable| {
            let name = &tree.model().variables()[variable].name;
            format!("{name} {}", courses(tree, behaviors, variable))
        })
        .collect();
    if chosen.len() > MOST_NAMED {
        let more = chosen.len() - MOST_NAMED;
        parts.push(format!(
            "{} more: see the tables",
            counted(more, "state variable", "state variables")
        ));
    }
    format!("{}.", parts.join("; "))
}

fn state_variables(model: &Model) -> Vec<usize> {
    let of_kind = |kind: ConstraintKind| -> BTreeSet<usize> {
        let of_kind = model.constraints().iter().filter(|own| own.kind == kind);
        of_kind.map(|own| own.variables[0]).collect()
    };
    let derived = of_kind(ConstraintKind::Deriv);
    if !derived.is_empty() {
        return derived.into_iter().collect();
    }
    let constant = of_kind(ConstraintKind::Constant);
    let all = 0..model.variables().len();
    all.filter(|variable| !constant.contains(variable))
        .collect()
}

/// The courses of a variable, with the number of behaviors of each if there are several.
fn courses(tree: &BehaviorTree<'_>, behaviors: &[Behavior], variable: usize) -> String {
    let with_ends = counts(
        behaviors
            .iter()
            .map(|own| course(tree, own, variable, true)),
    );
    let told = if with_ends.len() > MOST_COURSES {
        counts(
            behaviors
                .iter()
                .map(|own| course(tree, own, variable, false)),
        )
    } else {
        with_ends
    };
    if let [(only, _)] = &told[..] {
        return only.clone();
    }
    let all = behaviors.len();
    let shown = told.iter().take(MOST_COURSES).enumerate();
    let mut shown: Vec<String> = shown
        .map(|(at, (course, n))| match at {
            0 => format!("{course} ({n} of {all})"),
            _ => format!("{course} ({n})"),
        })
        .collect();
    if told.len() > MOST_COURSES {
        let rest: usize = told[MOST_COURSES..].iter().map(|(_, n)| n).sum();
        shown.push(format!("goes otherwise ({rest})"));
    }
    let last = shown.pop().unwrap_or_default();
    format!("{} or {last}", shown.join(", "))
}

/// Each text once with its number, the most frequent first, equally frequent ones in order of
/// appearance.
fn counts(texts: impl Iterator<Item = String>) -> Vec<(String, usize)> {
    let mut found: Vec<(String, usize)> = Vec::new();
    for text in texts {
        match found.iter_mut().find(|(known, _)| *known == text) {
            Some((_, n)) => *n += 1,
            None => found.push((text, 1)),
        }
    }
    found.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    found
}

/// How a variable goes in one behavior, and where it ends if that is asked.
fn course(tree: &BehaviorTree<'_>, behavior: &Behavior, variable: usize, with_end: bool) -> String {
    let mut turns: Vec<Direction> = Vec::new();
    for &number in &behavior.states {
        let direction = tree.state(number).values()[variable].direction();
        if direction != Direction::Std && turns.last() != Some(&direction) {
            turns.push(direction);
        }
    }
    let first = tree.state(behavior.states[0]);
    let last = tree.state(*behavior.states.last().expect("a behavior has states"));
    let end = last.values()[variable].magnitude();
    let space = last.space(variable);
    let is_infinite = space.is_infinite(end);
    // The direction of an infinite value says nothing.
    if is_infinite && turns.len() > 1 && turns.last() == Some(&Direction::Ignored) {
        turns.pop();
    }
    let verb = match turns[..] {
        [] => {
            let at = first
                .space(variable)
                .name(first.values()[variable].magnitude());
            return if with_end {
                format!("stays at {at}")
            } else {
                "is steady".to_owned()
            };
        }
        [Direction::Inc] => "rises",
        [Direction::Dec] => "falls",
        _ if turns.contains(&Direction::Ignored) => "changes",
        [Direction::Inc, _] => "rises, then falls",
        [Direction::Dec, _] => "falls, then rises",
        _ => "rises and falls by turns",
    };
    if !with_end {
        return verb.to_owned();
    }
    match behavior.ending {
        Ending::Cycle(_) => format!("{verb} and comes back"),
        Ending::Drift { .. } => format!("{verb} on and on"),
        Ending::OutOfRange(out) if out == variable => {
            format!("{verb} beyond {}", space.name(end))
        }
        Ending::NotExpanded => format!("{verb}, not followed to the end"),
        _ if is_infinite => format!("{verb} without bound"),
        _ => format!("{verb}{}", place(&space.name(end), end)),
    }
}

/// ` to capacity`, or ` to a value in 0..full`.
fn place(name: &str, end: Magnitude) -> String {
    if end.is_landmark() {
        format!(" to {name}")
    } else {
        format!(" to a value in {name}")
    }
}
