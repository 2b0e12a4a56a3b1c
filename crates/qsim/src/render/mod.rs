//! Behaviors and envisionments as text, JSON, Graphviz DOT and SVG.

mod cover;
mod dot;
mod graph;
mod json;
mod matrix;
mod plot;
mod press;
mod summary;
mod system;
mod text;

pub use cover::{cover_text, refused_text};
pub use dot::dot;
pub use graph::{Graph, GraphState, graph_svg};
pub use json::json;
pub use matrix::press_svg;
pub use plot::behavior_svg;
pub use press::{links_csv, press_json, press_text};
pub use summary::summary_text;
pub use system::{constraints_toml, learned_toml};
pub use text::{
    behavior_rows, behavior_text, behaviors_text, envisionment_explanation_text, envisionment_text,
    explanation_text,
};

/// Text escaped for XML and HTML.
fn escaped(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => found.push_str("&amp;"),
            '<' => found.push_str("&lt;"),
            '>' => found.push_str("&gt;"),
            '"' => found.push_str("&quot;"),
            _ => found.push(c),
        }
    }
    found
}
