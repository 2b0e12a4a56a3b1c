//! The state graph of behavior trees and envisionments, and its drawing.

use kibitz_svg::{Element, circle, path, text};

use crate::envisionment::Envisionment;
use crate::model::Model;
use crate::step::Ending;
use crate::transitions::Phase;
use crate::tree::BehaviorTree;

use super::page;

/// A state of a [`Graph`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphState {
    /// Its time in a behavior tree, empty in an envisionment.
    pub time: String,
    /// At a point in time, or over an interval.
    pub phase: Phase,
    /// Name of its operating region.
    pub region: String,
    /// Its values in the notation of the field, in the order of the variables.
    pub values: Vec<String>,
    /// All landmarks, from the lowest, of the variables for which the simulation has found new ones, by
    /// the index of the variable.
    pub landmarks: Vec<(usize, Vec<String>)>,
    /// Numbers of the states that can follow.
    pub next: Vec<usize>,
    /// Why there are no successors, or no others.
    pub ending: Option<Ending>,
    /// Whether it is on a behavior that does not end in a contradiction.
    pub consistent: bool,
}

/// A state graph, ready to be rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// Names of the variables.
    pub variables: Vec<String>,
    /// The states, by number.
    pub states: Vec<GraphState>,
    /// Number of initial states; they come first.
    pub n_initial: usize,
}

fn names(model: &Model) -> (Vec<String>, Vec<String>) {
    let variables = model
        .variables()
        .iter()
        .map(|variable| variable.name.clone());
    let regions = model.regions().map(|region| region.name.clone());
    (variables.collect(), regions.collect())
}

impl From<&BehaviorTree<'_>> for Graph {
    fn from(tree: &BehaviorTree<'_>) -> Self {
        let (variables, regions) = names(tree.model());
        Self {
            states: (tree.states())
                .map(|state| GraphState {
                    time: state.time_label(),
                    phase: state.phase(),
                    region: regions[state.region()].clone(),
                    values: (0..variables.len()).map(|at| state.show(at)).collect(),
                    landmarks: state.found_landmarks(),
                    next: state.children().collect(),
                    ending: state.ending(),
                    consistent: state.is_consistent(),
                })
                .collect(),
            n_initial: tree
                .states()
                .filter(|state| state.parent().is_none())
                .count(),
            variables,
        }
    }
}

impl Graph {
    /// The graph of an envisionment of this model.
    pub fn of_envisionment(model: &Model, envisionment: &Envisionment) -> Self {
        let (variables, regions) = names(model);
        let state = |number: usize| GraphState {
            time: String::new(),
            phase: envisionment.phase(number),
            region: regions[envisionment.region(number)].clone(),
            values: (model.variables().iter().zip(envisionment.values(number)))
                .map(|(variable, value)| variable.space.show(*value))
                .collect(),
            landmarks: Vec::new(),
            next: (envisionment.successors(number).iter())
                .map(|next| *next as usize)
                .collect(),
            ending: envisionment.ending(number),
            consistent: envisionment.is_consistent(number),
        };
        Self {
            variables,
            states: (0..envisionment.len()).map(state).collect(),
            n_initial: envisionment.n_initial(),
        }
    }

    /// The distance of each state from the initial ones, by breadth-first search; 0 if unreachable.
    fn depths(&self) -> Vec<usize> {
        let mut depths = vec![usize::MAX; self.states.len()];
        let mut open: std::collections::VecDeque<usize> = (0..self.n_initial).collect();
        depths[..self.n_initial].fill(0);
        while let Some(number) = open.pop_front() {
            for &next in &self.states[number].next {
                if depths[next] == usize::MAX {
                    depths[next] = depths[number] + 1;
                    open.push_back(next);
                }
            }
        }
        depths
            .into_iter()
            .map(|depth| if depth == usize::MAX { 0 } else { depth })
            .collect()
    }
}

/// The graph in SVG: time runs to the right, dots are points in time, circles are intervals, the
/// values of a state are its tooltip.
pub fn graph_svg(title: &str, graph: &Graph) -> String {
    const STEP: usize = 90;
    const ROW: usize = 44;
    let depths = graph.depths();
    let n_layers = depths.iter().max().map_or(1, |most| most + 1);
    let mut layers = vec![0; n_layers];
    let rows: Vec<usize> = (depths.iter())
        .map(|depth| {
            layers[*depth] += 1;
            layers[*depth] - 1
        })
        .collect();
    let n_rows = layers.iter().copied().max().unwrap_or(1);
    let (width, height) = (STEP * (n_layers + 1), ROW * (n_rows + 1) + 30);
    // Each layer is centered; half rows keep the numbers whole.
    let place = |number: usize| {
        let depth = depths[number];
        let y = 30 + ROW / 2 * (n_rows - layers[depth]) + ROW * rows[number] + ROW / 2;
        (STEP / 2 + STEP * depth, y)
    };
    let mut drawing = page(width, height).with("font-size", 11);
    drawing.push(text(10, 18, title).with("font-size", 14));
    for (number, state) in graph.states.iter().enumerate() {
        let (x, y) = place(number);
        for &next in &state.next {
            let (to_x, to_y) = place(next);
            let outline = if to_x > x {
                format!("M{x},{y} L{to_x},{to_y}")
            } else {
                let above = y.min(to_y) - ROW / 2;
                format!("M{x},{y} Q{},{above} {to_x},{to_y}", x.midpoint(to_x))
            };
            drawing.push(path(outline).with("fill", "none").with("stroke", "#999"));
        }
    }
    for (number, state) in graph.states.iter().enumerate() {
        let (x, y) = place(number);
        let fill = match (state.consistent, state.phase) {
            (false, _) => "#ddd",
            (true, Phase::Point) => "#246",
            (true, Phase::Interval) => "white",
        };
        let values: Vec<String> = (graph.variables.iter().zip(&state.values))
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let ending = state.ending.map_or("", Ending::name);
        let tip = format!("{} {}", state.time, values.join(" "));
        let dot = circle(x, y, 6).with("fill", fill).with("stroke", "#246");
        drawing.push(dot.containing(&Element::new("title").text(&tip)));
        drawing.push(text(x + 9, y - 7, &format!("{number} {ending}")));
    }
    drawing.to_string()
}
