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

use kibitz_svg::{Drawing, rect};

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

/// An empty white picture of this size in pixels.
fn page(width: usize, height: usize) -> Drawing {
    let drawing = Drawing::new(width, height).with("width", width);
    let mut drawing = drawing
        .with("height", height)
        .with("font-family", "sans-serif");
    drawing.push(rect(0, 0, "100%", "100%").with("fill", "white"));
    drawing
}
