//! State graphs and behaviors in JSON.

use kibitz_text::{Diagnostic, Location};
use serde_json::{Map, Value, json as object};

use crate::step::Ending;
use crate::system::System;
use crate::transitions::Phase;
use crate::tree::Behavior;

use super::graph::Graph;

fn warning(warning: &Diagnostic) -> Value {
    let at = warning.location.as_ref();
    let place = at.and_then(Location::line_and_column);
    object!({
        "message": warning.message,
        "file": at.map(|at| &*at.file),
        "line": place.map(|(line, _)| line),
        "column": place.map(|(_, column)| column),
        "text": warning.to_string(),
    })
}

/// A graph in JSON, with the behaviors of a tree.
///
/// `states` have `number`, `time`, `phase`, `region`, `values` by variable, `next`, `ending` and
/// `consistent`, and `landmarks` by variable where the simulation has found new ones; `behaviors` have a
/// `number`, the numbers of their `states` and an `ending`; `limit` is the message about the limit on states,
/// or null; `warnings` are those of the system file, with `message`, `file`, `line`, `column` and the `text`
/// that the program prints.
pub fn json(
    system: &System,
    graph: &Graph,
    behaviors: Option<&[Behavior]>,
    limit: Option<&str>,
) -> Value {
    let ending = |ending: Ending| match ending {
        Ending::Cycle(to) => object!({ "kind": ending.name(), "to": to }),
        Ending::Drift { earlier, variable } => object!({
            "kind": ending.name(),
            "to": earlier,
            "variable": graph.variables[variable],
        }),
        Ending::OutOfRange(variable) => {
            object!({ "kind": ending.name(), "variable": graph.variables[variable] })
        }
        _ => object!({ "kind": ending.name() }),
    };
    let states = graph.states.iter().enumerate().map(|(number, state)| {
        let values: Map<String, Value> = (graph.variables.iter().zip(&state.values))
            .map(|(name, value)| (name.clone(), Value::from(value.as_str())))
            .collect();
        let mut object = object!({
            "number": number,
            "time": state.time,
            "phase": match state.phase {
                Phase::Point => "point",
                Phase::Interval => "interval",
            },
            "region": state.region,
            "values": values,
            "next": state.next,
            "ending": state.ending.map(ending),
            "consistent": state.consistent,
        });
        // Left out where there are none, to keep the states of large graphs short.
        if !state.landmarks.is_empty() {
            let found = state.landmarks.iter();
            let found =
                found.map(|(at, all)| (graph.variables[*at].clone(), Value::from(all.as_slice())));
            object["landmarks"] = found.collect::<Map<String, Value>>().into();
        }
        object
    });
    let variables = system.model.variables().iter().map(|variable| {
        let landmarks: Vec<&str> = variable.space.landmarks().collect();
        object!({ "name": variable.name, "landmarks": landmarks })
    });
    let behaviors = behaviors.map(|all| {
        let all = all.iter().map(|behavior| {
            object!({
                "number": behavior.number,
                "states": behavior.states,
                "ending": ending(behavior.ending),
            })
        });
        all.collect::<Vec<_>>()
    });
    object!({
        "title": system.title,
        "variables": variables.collect::<Vec<_>>(),
        "initial": graph.n_initial,
        "states": states.collect::<Vec<_>>(),
        "behaviors": behaviors,
        "limit": limit,
        "warnings": system.warnings.iter().map(warning).collect::<Vec<_>>(),
    })
}
