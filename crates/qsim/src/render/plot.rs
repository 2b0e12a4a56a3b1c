//! Behavior plots: the qualitative values of each variable over time.

use std::fmt::Write;

use crate::quantity::{Direction, QuantitySpace};
use crate::tree::{Behavior, BehaviorTree, TreeState};

use super::escaped;

const LEFT: usize = 90;
const STEP: usize = 56;
const LANDMARK: usize = 26;
const GAP: usize = 34;

/// The plot of a behavior in SVG, under the title and the behavior's number: landmarks are dotted lines, an arrow or a circle at each time shows
/// magnitude and direction.
pub fn behavior_svg(title: &str, tree: &BehaviorTree<'_>, behavior: &Behavior) -> String {
    let states: Vec<TreeState<'_>> = behavior.states.iter().map(|at| tree.state(*at)).collect();
    let Some(last) = states.last() else {
        return String::new();
    };
    let right = LEFT + STEP * states.len();
    let mut body = String::new();
    let mut top = 40;
    for (index, variable) in tree.model().variables().iter().enumerate() {
        let space = last.space(index);
        let n = space.landmarks().len();
        let bottom = top + LANDMARK * (n - 1);
        let _ = writeln!(
            body,
            "<text x=\"8\" y=\"{}\" font-weight=\"bold\">{}</text>",
            top - 10,
            escaped(&variable.name)
        );
        for (at, landmark) in space.landmarks().enumerate() {
            let y = bottom - LANDMARK * at;
            let _ = writeln!(
                body,
                "<line x1=\"{LEFT}\" y1=\"{y}\" x2=\"{right}\" y2=\"{y}\" stroke=\"#bbb\" \
                 stroke-dasharray=\"2,3\"/><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                LEFT - 8,
                y + 4,
                escaped(landmark)
            );
        }
        let mut before = None;
        for (step, state) in states.iter().enumerate() {
            let x = LEFT + STEP / 2 + STEP * step;
            let y = bottom - height(*state, index, space);
            if let Some((from_x, from_y)) = before.replace((x, y)) {
                let _ = writeln!(
                    body,
                    "<line x1=\"{from_x}\" y1=\"{from_y}\" x2=\"{x}\" y2=\"{y}\" stroke=\"#9bd\"/>"
                );
            }
            body.push_str(&symbol(x, y, state.values()[index].direction()));
        }
        top = bottom + GAP;
    }
    for (step, state) in states.iter().enumerate() {
        let x = LEFT + STEP / 2 + STEP * step;
        let label = escaped(&state.time_label());
        let y = top - GAP / 2 + 8;
        let _ = writeln!(
            body,
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{label}</text>"
        );
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"8\" y=\"16\" font-size=\"14\">{}: behavior {}</text>\n{body}</svg>\n",
        right + 20,
        top + 4,
        escaped(title),
        behavior.number
    )
}

/// The height of a value above the lowest landmark of `space`, the space at the behavior's end; an
/// interval, split later or not, is drawn in the middle of its ends.
fn height(state: TreeState<'_>, variable: usize, space: &QuantitySpace) -> usize {
    let magnitude = state.values()[variable].magnitude();
    let name = state.space(variable).name(magnitude);
    let at = |name: &str| {
        let index = space.landmarks().position(|known| known == name);
        LANDMARK * index.expect("landmarks stay along a behavior")
    };
    match name.split_once("..") {
        Some((low, high)) => at(low).midpoint(at(high)),
        None => at(&name),
    }
}

fn symbol(x: usize, y: usize, direction: Direction) -> String {
    let arrow = |tip: usize, foot: usize| {
        format!(
            "<path d=\"M{},{foot} L{x},{tip} L{},{foot} Z\" fill=\"#246\"/>\n",
            x - 4,
            x + 4
        )
    };
    match direction {
        Direction::Inc => arrow(y - 6, y + 4),
        Direction::Dec => arrow(y + 6, y - 4),
        Direction::Std => {
            format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"4\" fill=\"white\" stroke=\"#246\"/>\n")
        }
        Direction::Ignored => {
            format!(
                "<rect x=\"{}\" y=\"{}\" width=\"7\" height=\"7\" fill=\"#9bd\"/>\n",
                x - 3,
                y - 3
            )
        }
    }
}
