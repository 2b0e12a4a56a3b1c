//! A behavior with the samples of a trajectory, and why a sequence of states has no behavior.

use std::fmt::Write as _;

use super::text::table;
use crate::model::Model;
use crate::sequence::SequenceError;
use crate::trajectory::{Cover, Trajectory};
use crate::transitions::Phase;
use kibitz_text::counted;

/// The states of a behavior that agrees with a trajectory, each with the samples between which it
/// begins, and the unknown parts of the trajectory.
pub fn cover_text(model: &Model, trajectory: &Trajectory, cover: &Cover) -> String {
    let times = trajectory.times();
    let variables = model.variables();
    let mut text = format!(
        "the trajectory is among the behaviors of the system: {}, {}\n\n",
        counted(times.len(), "sample", "samples"),
        counted(cover.path.len(), "state", "states")
    );
    let several_regions = model.regions().len() > 1;
    let mut head = vec!["begins".to_owned(), "time".to_owned()];
    head.extend(several_regions.then(|| "region".to_owned()));
    head.extend(variables.iter().map(|variable| variable.name.clone()));
    let mut rows = vec![head];
    let regions: Vec<&str> = model.regions().map(|region| region.name.as_str()).collect();
    let mut n_points = 0;
    for (index, step) in cover.path.iter().enumerate() {
        let begins = match times.get(step.after + 1).filter(|_| index > 0) {
            Some(next) => format!("{}..{next}", times[step.after]),
            None => times[step.after].to_string(),
        };
        let label = step.phase.label(n_points);
        n_points += usize::from(step.phase == Phase::Interval);
        let mut row = vec![begins, label];
        row.extend(several_regions.then(|| regions[step.region].to_owned()));
        let values = variables.iter().zip(&*step.state);
        row.extend(values.map(|(variable, value)| variable.space.show(*value)));
        rows.push(row);
    }
    text += &table(&rows);
    let unseen = variables.iter().enumerate();
    let unseen = unseen.filter(|(index, _)| trajectory.column(*index).is_none());
    let unseen: Vec<&str> = unseen.map(|(_, variable)| variable.name.as_str()).collect();
    if !unseen.is_empty() {
        let _ = writeln!(text, "\nnot observed: {}", unseen.join(", "));
    }
    let unplaced = cover.unplaced(model, trajectory);
    if !unplaced.is_empty() {
        let names = unplaced.iter().map(|(variable, landmark)| {
            let variable = &variables[*variable];
            format!("{}:{}", variable.name, variable.space.name(*landmark))
        });
        let names: Vec<String> = names.collect();
        let _ = writeln!(
            text,
            "\nlandmarks of which only the order is known: {}",
            names.join(", ")
        );
    }
    text
}

/// Why a model does not go through a sequence of states.
pub fn refused_text(model: &Model, error: &SequenceError) -> String {
    let mut text = format!("{error}\n");
    match error {
        SequenceError::Contradiction { refusals, .. } => {
            for refusal in refusals {
                let variable = &model.variables()[refusal.variable];
                let _ = writeln!(
                    text,
                    "  {} refuses {} = {}",
                    model.constraint_name(refusal.constraint),
                    variable.name,
                    variable.space.show(refusal.value)
                );
            }
        }
        SequenceError::NoTransition { variable, .. } => {
            let _ = writeln!(text, "  it is `{}`", model.variables()[*variable].name);
        }
        SequenceError::NotTogether { .. } => {}
    }
    text
}
