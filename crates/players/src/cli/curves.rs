//! `fit --by`: weights as curves.

use std::fmt::Write as _;
use std::path::PathBuf;

use kibitz_players::{Curves, FitOptions, accuracy::RangeVariable, fit_curves};
use kibitz_text::{Diagnostic, Failure, counted, note, print, rounded_by};

use super::{Format, aligned, games, json, watch::TerminalSession};

/// Curves with what is said of them.
#[derive(serde::Serialize)]
#[serde(rename_all = "kebab-case")]
struct Report<'a> {
    #[serde(flatten)]
    curves: &'a Curves,
    remarks: &'a [String],
}

pub(super) fn run(
    paths: &[PathBuf],
    player: Option<&str>,
    by: RangeVariable,
    attributes: &[String],
    options: FitOptions,
    session: TerminalSession,
    format: Format,
) -> Result<(), Failure> {
    session.say("games");
    let mut read = Vec::new();
    for path in paths {
        read.extend(games::read_file(path, |collection, game| {
            (game, collection.comments())
        })?);
    }
    let (curves, remarks) = fit_curves(&read, player, by, attributes, options, &session)?;
    drop(session);
    match format {
        Format::Json => print(&json(&Report {
            curves: &curves,
            remarks: &remarks,
        })?),
        Format::Text => {
            for remark in &remarks {
                note(&Diagnostic::warning(remark.clone()).render(true));
            }
            print(&text(&curves, player))
        }
    }
}

fn text(curves: &Curves, player: Option<&str>) -> String {
    let mut text = format!("{}, by {}\n", player.unwrap_or("all players"), curves.by);
    for curve in &curves.curves {
        let mut rows = vec![
            [curves.by, "moves", "weight", "error", "from", "to"]
                .map(str::to_owned)
                .to_vec(),
        ];
        rows.extend(curve.points.iter().map(|point| {
            let numbers = [point.weight, point.std_error, point.low, point.high];
            let mut row = vec![format!("{:.0}", point.at), point.moves.to_string()];
            row.extend(numbers.map(|number| rounded_by(number, point.std_error)));
            row
        }));
        let _ = write!(text, "\n{}\n{}", curve.attribute, aligned(&rows));
    }
    let errors = if curves.clustered {
        "clustered by game"
    } else {
        "of independent moves"
    };
    let _ = write!(
        text,
        "errors {errors}; each band has {:.0}% at each {}\n{:.4} bits per move in games {}; {:.4} with weights that do not change\n{}, {}",
        100.0 * curves.level,
        match curves.by {
            "rating" => "rating",
            _ => "time",
        },
        curves.bits,
        if curves.held_out {
            "held out"
        } else {
            "fitted to"
        },
        curves.constant_bits,
        counted(curves.games, "game", "games"),
        counted(curves.moves, "move", "moves"),
    );
    if curves.left_out > 0 {
        let _ = write!(
            text,
            "; {} without {}, left out",
            curves.left_out, curves.by
        );
    }
    text + "\n"
}
