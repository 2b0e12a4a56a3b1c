//! Behaviors, envisionments and explanations as text.

use std::fmt::Write;

use crate::envisionment::Envisionment;
use crate::model::Model;
use crate::quantity::{Direction, QValue, QuantitySpace};
use crate::removal::{Removal, RemovedSuccessor};
use crate::step::Ending;
use crate::transitions::Phase;
use crate::tree::{Behavior, BehaviorTree};
use kibitz_text::counted;

use super::summary::summary_text;

/// Rows of cells, aligned in columns.
pub(super) fn table(rows: &[Vec<String>]) -> String {
    let n = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..n).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(line, "{cell:width$}  ");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// One behavior as rows of cells under a head: a row for each time, a column for each variable, and
/// one for the operating region if there are several.
///
/// A quiescent behavior ends with the interval to infinity, as in Morales 1992, Table 8.1.
pub fn behavior_rows(tree: &BehaviorTree<'_>, behavior: &Behavior) -> Vec<Vec<String>> {
    let variables = tree.model().variables();
    let several_regions = tree.model().regions().len() > 1;
    let mut head = vec!["time".to_owned()];
    head.extend(several_regions.then(|| "region".to_owned()));
    head.extend(variables.iter().map(|variable| variable.name.clone()));
    let mut rows = vec![head];
    let regions: Vec<&str> = tree
        .model()
        .regions()
        .map(|region| region.name.as_str())
        .collect();
    for &number in &behavior.states {
        let state = tree.state(number);
        let mut row = vec![state.time_label()];
        row.extend(several_regions.then(|| regions[state.region()].to_owned()));
        row.extend((0..variables.len()).map(|variable| state.show(variable)));
        rows.push(row);
    }
    let last = behavior.states.last().map(|number| tree.state(*number));
    if let Some(last) =
        last.filter(|last| behavior.ending == Ending::Quiescent && last.phase() == Phase::Point)
    {
        let mut row = rows[rows.len() - 1].clone();
        row[0] = format!("({},inf)", last.time_label());
        rows.push(row);
    }
    rows
}

/// One behavior: its number, its ending, and a table of [its rows](behavior_rows).
pub fn behavior_text(tree: &BehaviorTree<'_>, behavior: &Behavior) -> String {
    let number = behavior.number;
    let ending = ending_text(tree, behavior);
    let rows = table(&behavior_rows(tree, behavior));
    format!("behavior {number}: {ending}\n{rows}")
}

fn ending_text(tree: &BehaviorTree<'_>, behavior: &Behavior) -> String {
    match behavior.ending {
        Ending::Quiescent => "everything comes to rest".to_owned(),
        Ending::Cycle(earlier) => {
            format!(
                "comes back to the state at {}",
                tree.state(earlier).time_label()
            )
        }
        Ending::Drift { earlier, variable } => {
            let last = *behavior.states.last().expect("a behavior has states");
            let before = tree.state(last).parent().unwrap_or(last);
            let way = match tree.state(before).values()[variable].direction() {
                Direction::Dec => "lower",
                _ => "higher",
            };
            format!(
                "goes on as from {}, with `{}` ever {way}",
                tree.state(earlier).time_label(),
                tree.model().variables()[variable].name
            )
        }
        Ending::OutOfRange(variable) => {
            format!(
                "`{}` leaves its range",
                tree.model().variables()[variable].name
            )
        }
        Ending::Divergent => "goes to infinity".to_owned(),
        Ending::Exit(number) => {
            let last = tree.state(*behavior.states.last().expect("a behavior has states"));
            let region = tree.model().regions().nth(last.region());
            let name = region.map_or("", |region| &region.transitions[number].name);
            format!("ends by the transition {name}")
        }
        Ending::NoEntry(number) => {
            let last = tree.state(*behavior.states.last().expect("a behavior has states"));
            let region = tree.model().regions().nth(last.region());
            let transition = region.map(|region| &region.transitions[number]);
            let name = transition.map_or("", |transition| &transition.name);
            format!(
                "takes the transition {name}, whose region has no state with these magnitudes: its \
                 `set` may have to name more variables, such as `net = \"?\"`"
            )
        }
        Ending::Contradiction => "cannot go on".to_owned(),
        Ending::NotExpanded => "not followed further".to_owned(),
    }
}

/// The number of behaviors, [a summary](summary_text), notes on chatter, and all behaviors as tables.
pub fn behaviors_text(title: &str, tree: &BehaviorTree<'_>) -> String {
    let behaviors = tree.behaviors();
    let mut text = format!(
        "{title}\n{}, {}\n",
        counted(behaviors.len(), "behavior", "behaviors"),
        counted(tree.len(), "state", "states")
    );
    if tree.is_complete() && !behaviors.is_empty() {
        let _ = writeln!(text, "{}", summary_text(tree, &behaviors));
    }
    text += &chatter_text(tree);
    for behavior in &behaviors {
        text.push('\n');
        text += &behavior_text(tree, behavior);
    }
    text
}

/// A line on the variables whose directions are ignored, or chatter; none if there are none.
fn chatter_text(tree: &BehaviorTree<'_>) -> String {
    let model = tree.model();
    let ignores = tree.options.ignore_chatter;
    let names: Vec<String> = (model.chattering().into_iter())
        .filter(|variable| !model.variables()[*variable].ignore_direction)
        .filter(|variable| {
            let is_open = |number: usize| {
                let value = tree.slice(number)[*variable];
                value.direction() == Direction::Ignored && !value.magnitude().is_landmark()
            };
            !ignores || (0..tree.len()).any(is_open)
        })
        .map(|variable| format!("`{}`", model.variables()[variable].name))
        .collect();
    if names.is_empty() {
        return String::new();
    }
    let of = names.join(", ");
    let more = if ignores {
        "any (`?`); --chatter, or `ignore-chatter = false`, tells them apart"
    } else {
        "without --chatter there are fewer behaviors"
    };
    format!("only continuity bounds the direction of {of}: {more}\n")
}

/// The size of an envisionment, its cycles and its states; the states only if there are at most 200.
pub fn envisionment_text(title: &str, model: &Model, envisionment: &Envisionment) -> String {
    const MOST_SHOWN: usize = 200;
    let cycles = envisionment.cycles();
    let recurrent: usize = cycles.iter().map(Vec::len).sum();
    let inconsistent = (0..envisionment.len())
        .filter(|number| !envisionment.is_consistent(*number))
        .count();
    let mut text = format!(
        "{title}\n{}, {}; {recurrent} in {}; {inconsistent} without a continuation\n",
        counted(envisionment.len(), "state", "states"),
        counted(envisionment.n_edges(), "transition", "transitions"),
        counted(cycles.len(), "cycle", "cycles"),
    );
    if envisionment.len() > MOST_SHOWN {
        let _ = writeln!(
            text,
            "(more than {MOST_SHOWN}: the other formats show the states)"
        );
        return text;
    }
    let mut rows = vec![vec!["state".to_owned(), "time".to_owned()]];
    rows[0].extend(
        model
            .variables()
            .iter()
            .map(|variable| variable.name.clone()),
    );
    rows[0].push("next".to_owned());
    for number in 0..envisionment.len() {
        let phase = match envisionment.phase(number) {
            Phase::Point => "point",
            Phase::Interval => "interval",
        };
        let mut row = vec![number.to_string(), phase.to_owned()];
        row.extend(
            (model.variables().iter().zip(envisionment.values(number)))
                .map(|(variable, value)| variable.space.show(*value)),
        );
        let next: Vec<String> = (envisionment.successors(number).iter())
            .map(u32::to_string)
            .chain(envisionment.ending(number).map(|ending| ending.to_string()))
            .collect();
        row.push(next.join(" "));
        rows.push(row);
    }
    text.push('\n');
    text + &table(&rows)
}

/// The successors that were filtered out, state by state, and by which constraint or filter.
///
/// It needs [`Options::explain`](crate::Options::explain).
pub fn explanation_text(tree: &BehaviorTree<'_>) -> String {
    explained(tree.model(), tree.removals(), |number| {
        let state = tree.state(number);
        let n = tree.model().variables().len();
        let spaces = (0..n).map(|variable| state.space(variable).clone());
        (format!(" at {}", state.time_label()), spaces.collect())
    })
}

/// The same for an envisionment.
pub fn envisionment_explanation_text(model: &Model, envisionment: &Envisionment) -> String {
    let spaces = || (model.variables().iter()).map(|variable| variable.space.clone());
    explained(model, envisionment.removals(), |_| {
        (String::new(), spaces().collect())
    })
}

/// The explanation by state; `state` gives the place of a state and its quantity spaces.
fn explained(
    model: &Model,
    removals: &[Removal],
    state: impl Fn(usize) -> (String, Vec<QuantitySpace>),
) -> String {
    let mut text = String::new();
    for of_state in removals.chunk_by(|a, b| a.state == b.state) {
        let number = of_state[0].state;
        let (place, spaces) = state(number);
        let _ = writeln!(text, "after state {number}{place}:");
        for removal in of_state {
            let show = |variable: usize, value: QValue| {
                let name = &model.variables()[variable].name;
                (name, spaces[variable].show(value))
            };
            let _ = match &removal.removed {
                RemovedSuccessor::Value {
                    variable,
                    value,
                    constraint,
                } => {
                    let (name, value) = show(*variable, *value);
                    let constraint = model.constraint_name(*constraint);
                    writeln!(text, "  {name} = {value}: no place in {constraint}")
                }
                RemovedSuccessor::State { values, filter } => {
                    let values = values
                        .iter()
                        .enumerate()
                        .map(|(at, value)| show(at, *value));
                    let values = values.map(|(name, value)| format!("{name}={value}"));
                    let values: Vec<String> = values.collect();
                    writeln!(text, "  {}: {}", values.join(" "), filter.reason())
                }
            };
        }
    }
    text
}
