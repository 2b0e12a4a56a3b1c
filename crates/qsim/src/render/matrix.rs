//! Responses to presses as a picture: one row per press, one column per variable.

use kibitz_svg::{Element, rect, text};

use super::page;
use crate::press::{Press, Response};

const CELL: usize = 30;
const TOP: usize = 40;
/// The width of a letter, about.
const LETTER: usize = 7;

/// The matrix of responses in SVG, under the title; each cell has its reading as a tooltip.
pub fn press_svg(title: &str, press: &Press) -> String {
    let names = &press.diagram().variables;
    let longest = names.iter().map(|name| name.chars().count()).max();
    let label = 16 + LETTER * longest.unwrap_or(0);
    let (left, top) = (label.max(70), TOP + label);
    let side = CELL * names.len() + 20;
    let mut drawing = page(left + side, top + side).with("font-size", 12);
    drawing.push(text(8, 18, title).with("font-size", 14));
    drawing.push(text(8, top - 8, "press on"));
    for (at, name) in names.iter().enumerate() {
        let (x, y) = (left + CELL * at + CELL / 2 + 4, top - 8);
        let turn = format!("rotate(-90 {x} {y})");
        drawing.push(text(x, y, name).with("transform", turn));
        let y = top + CELL * at + CELL / 2 + 4;
        drawing.push(text(left - 8, y, name).with("text-anchor", "end"));
    }
    for (pressed, from) in names.iter().enumerate() {
        for (variable, to) in names.iter().enumerate() {
            let response = press.response(pressed, variable);
            let (x, y) = (left + CELL * variable, top + CELL * pressed);
            let (fill, reading) = match response {
                Response::Rises => ("#cfe8cf", "rises"),
                Response::Falls => ("#f3cfcf", "falls"),
                Response::Unchanged => ("white", "does not change"),
                Response::Ambiguous => ("#eee", "depends on magnitudes"),
            };
            let tip = format!("press on {from}: {to} {reading}");
            let cell = rect(x, y, CELL, CELL)
                .with("fill", fill)
                .with("stroke", "#999");
            drawing.push(cell.containing(&Element::new("title").text(&tip)));
            let sign = text(x + CELL / 2, y + CELL / 2 + 5, response.name());
            drawing.push(sign.with("text-anchor", "middle").with("font-size", 14));
        }
    }
    drawing.to_string()
}
