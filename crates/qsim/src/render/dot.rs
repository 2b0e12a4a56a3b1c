//! The state graph for Graphviz.

use std::fmt::Write;

use crate::step::Ending;
use crate::transitions::Phase;

use super::graph::Graph;

/// The graph in the DOT language; points in time are boxes, intervals are round.
pub fn dot(title: &str, graph: &Graph) -> String {
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let mut text = format!(
        "digraph behaviors {{\n  label=\"{}\"; rankdir=LR;\n  node [fontname=\"sans-serif\"];\n",
        quoted(title)
    );
    for (number, state) in graph.states.iter().enumerate() {
        let mut label = format!("{number} {}", state.time);
        for (name, value) in graph.variables.iter().zip(&state.values) {
            let _ = write!(label, "\\n{}", quoted(&format!("{name}={value}")));
        }
        if let Some(ending) = state.ending {
            let _ = write!(label, "\\n{ending}");
        }
        let shape = match state.phase {
            Phase::Point => "box",
            Phase::Interval => "ellipse",
        };
        let color = if state.consistent { "black" } else { "gray" };
        let _ = writeln!(
            text,
            "  s{number} [shape={shape}, color={color}, label=\"{label}\"];"
        );
        for next in &state.next {
            let _ = writeln!(text, "  s{number} -> s{next};");
        }
        if let Some(Ending::Cycle(earlier) | Ending::Drift { earlier, .. }) = state.ending {
            let _ = writeln!(text, "  s{number} -> s{earlier} [style=dashed];");
        }
    }
    text.push_str("}\n");
    text
}
