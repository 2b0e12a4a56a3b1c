//! Behavior plots: the qualitative values of each variable over time.

use kibitz_svg::{Element, circle, line, path, rect, text};

use crate::quantity::{Direction, QuantitySpace};
use crate::tree::{Behavior, BehaviorTree, TreeState};

use super::page;

const LEFT: usize = 90;
const TOP: usize = 40;
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
    let variables = tree.model().variables();
    let heights = (0..variables.len())
        .map(|index| LANDMARK * (last.space(index).landmarks().len() - 1) + GAP);
    let height_of_all = TOP + heights.sum::<usize>() + 4;
    let mut drawing = page(right + 20, height_of_all).with("font-size", 11);
    let headline = format!("{title}: behavior {}", behavior.number);
    drawing.push(text(8, 16, &headline).with("font-size", 14));
    let mut top = TOP;
    for (index, variable) in variables.iter().enumerate() {
        let space = last.space(index);
        let n = space.landmarks().len();
        let bottom = top + LANDMARK * (n - 1);
        drawing.push(text(8, top - 10, &variable.name).with("font-weight", "bold"));
        for (at, landmark) in space.landmarks().enumerate() {
            let y = bottom - LANDMARK * at;
            let dotted = line(LEFT, y, right, y).with("stroke", "#bbb");
            drawing.push(dotted.with("stroke-dasharray", "2,3"));
            drawing.push(text(LEFT - 8, y + 4, landmark).with("text-anchor", "end"));
        }
        let mut before = None;
        for (step, state) in states.iter().enumerate() {
            let x = LEFT + STEP / 2 + STEP * step;
            let y = bottom - height(*state, index, space);
            if let Some((from_x, from_y)) = before.replace((x, y)) {
                drawing.push(line(from_x, from_y, x, y).with("stroke", "#9bd"));
            }
            drawing.push(symbol(x, y, state.values()[index].direction()));
        }
        top = bottom + GAP;
    }
    for (step, state) in states.iter().enumerate() {
        let x = LEFT + STEP / 2 + STEP * step;
        let label = text(x, top - GAP / 2 + 8, &state.time_label());
        drawing.push(label.with("text-anchor", "middle"));
    }
    drawing.to_string()
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

fn symbol(x: usize, y: usize, direction: Direction) -> Element {
    let arrow = |tip: usize, foot: usize| {
        let outline = format!("M{},{foot} L{x},{tip} L{},{foot} Z", x - 4, x + 4);
        path(outline).with("fill", "#246")
    };
    match direction {
        Direction::Inc => arrow(y - 6, y + 4),
        Direction::Dec => arrow(y + 6, y - 4),
        Direction::Std => circle(x, y, 4).with("fill", "white").with("stroke", "#246"),
        Direction::Ignored => rect(x - 3, y - 3, 7, 7).with("fill", "#9bd"),
    }
}
