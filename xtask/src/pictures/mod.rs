//! Pictures of boards, behaviors and positions of Minesweeper, computed from the data that the crates embed.

mod board;
mod krk;
mod mines;

use kibitz_board::diagram;
use kibitz_desk::Drawing;
use kibitz_lab::record::RecordedTable;
use kibitz_patterns::BundledConcept;
use kibitz_qsim::{BundledSystem, render};
use kibitz_report::{Picture, Pictures};
use maud::{Markup, PreEscaped, html};

/// The pictures of the papers' tables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PaperPictures;

impl Pictures for PaperPictures {
    fn of(&self, table: &RecordedTable) -> Result<Vec<Picture>, String> {
        let picture = match table.id.as_str() {
            "morales1992/krk-strategy-1" => krk::going_round(table)?,
            "morales1992/krk-strategy-2" => krk::longest_win(table)?,
            "morales1992/table6-2" => concepts(
                "The examples that PAL starts from",
                &[
                    "threat",
                    "fork",
                    "can_check",
                    "can_fork",
                    "disc_check",
                    "disc_threat",
                    "pin1",
                    "skewer",
                ],
            )?,
            "morales1992/table7-2" => concepts(
                "Patterns of king and rook against king, and the example of each",
                &[
                    "rook_divs",
                    "opposition",
                    "almost_opposition",
                    "l_patt",
                    "closerKk",
                    "awayRk",
                ],
            )?,
            "morales1992/table8-1" => behaviors("u-tube", "What a U-tube can do")?,
            "beyond/qsim-systems" => behaviors("bathtub", "What a bathtub can do")?,
            "pena2003/play" => mines::only_the_third_rule()?,
            _ => return Ok(Vec::new()),
        };
        Ok(vec![picture])
    }
}

/// The pictures of documents.
pub(crate) fn drawings() -> Vec<Drawing> {
    vec![Drawing {
        path: "docs/krk-loop.svg",
        draw: krk::loop_svg,
    }]
}

/// The first examples of concepts, as boards.
fn concepts(title: &str, names: &[&str]) -> Result<Picture, String> {
    let boards: Vec<(Markup, String, &str)> = names
        .iter()
        .map(|name| {
            let concept =
                BundledConcept::named(name).ok_or_else(|| format!("no concept {name}"))?;
            let men = board::men_in(concept.declaration);
            if men.is_empty() {
                return Err(format!("{name} has no example of pieces"));
            }
            Ok((
                diagram::diagram(&men, None),
                name.replace('_', " "),
                concept.doc(),
            ))
        })
        .collect::<Result<_, String>>()?;
    Ok(Picture {
        title: title.to_owned(),
        body: html! {
            (diagram::shapes())
            ol.strip { @for (board, name, doc) in boards { li { (board) b { (name) } (doc) "." } } }
        },
        caption: html! {
            "PAL learns each concept from this one example and from questions: it moves pieces until the oracle answers that the concept no longer holds. "
            "The declarations are in " code { "crates/patterns/concepts/" } "."
        },
    })
}

/// Every behavior of a system, one plot for each.
fn behaviors(name: &str, title: &str) -> Result<Picture, String> {
    let bundled = BundledSystem::find(name).ok_or_else(|| format!("no system {name}"))?;
    let system = bundled.read().map_err(|problems| problems.to_string())?;
    let tree = system.model.simulate(&system.initial, &system.options);
    let tree = tree.map_err(|error| error.to_string())?;
    let behaviors = tree.behaviors();
    let plots = (1..).zip(&behaviors).map(|(number, behavior)| {
        let plot = render::behavior_svg(&system.title, &tree, behavior);
        let label = format!("Behavior {number} of {}", behaviors.len());
        (
            plot.replacen(
                "<svg ",
                &format!("<svg role=\"img\" aria-label=\"{label}\" "),
                1,
            ),
            label,
        )
    });
    Ok(Picture {
        title: title.to_owned(),
        body: html! {
            ol.strip.wide-strip { @for (plot, label) in plots { li { div.paper-white { (PreEscaped(plot)) } b { (label) } } } }
        },
        caption: html! {
            "Simulated when this page was written, by " code { "kibitz-qsim simulate " (name) } ": only the order of values is known, and these are all possible behaviors."
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_picture_can_be_drawn() {
        for id in [
            "morales1992/krk-strategy-1",
            "morales1992/krk-strategy-2",
            "morales1992/table6-2",
            "morales1992/table7-2",
            "morales1992/table8-1",
            "beyond/qsim-systems",
            "pena2003/play",
        ] {
            let table = RecordedTable {
                id: id.to_owned(),
                ..RecordedTable::default()
            };
            let pictures = PaperPictures.of(&table).unwrap();
            assert_eq!(pictures.len(), 1, "{id}");
            assert!(pictures[0].body.0.contains("<svg"), "{id}");
        }
    }
}
