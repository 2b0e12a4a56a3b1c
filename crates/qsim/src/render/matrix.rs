//! Responses to presses as a picture: one row per press, one column per variable.

use std::fmt::Write as _;

use super::escaped;
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
    let mut body = String::new();
    for (at, name) in names.iter().enumerate() {
        let (x, y) = (left + CELL * at + CELL / 2 + 4, top - 8);
        let name = escaped(name);
        let _ = writeln!(
            body,
            "<text x=\"{x}\" y=\"{y}\" transform=\"rotate(-90 {x} {y})\">{name}</text>"
        );
        let y = top + CELL * at + CELL / 2 + 4;
        let x = left - 8;
        let _ = writeln!(
            body,
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"end\">{name}</text>"
        );
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
            let tip = escaped(&format!("press on {from}: {to} {reading}"));
            let _ = writeln!(
                body,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"{fill}\" \
                 stroke=\"#999\"><title>{tip}</title></rect><text x=\"{}\" y=\"{}\" \
                 text-anchor=\"middle\" font-size=\"14\">{}</text>",
                x + CELL / 2,
                y + CELL / 2 + 5,
                response.name()
            );
        }
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"8\" y=\"18\" font-size=\"14\">{}</text>\n\
         <text x=\"8\" y=\"{}\">press on</text>\n{body}</svg>\n",
        left + CELL * names.len() + 20,
        top + CELL * names.len() + 20,
        escaped(title),
        top - 8
    )
}
