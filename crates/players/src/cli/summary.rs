//! A fit as text.

use std::fmt::Write as _;

use kibitz_players::{
    FittedWeights, IntervalKind, Measures, Model, Units, Weight,
    selection::{Message, Selection},
};
use kibitz_text::{counted, rounded_by};

use super::aligned;

/// The messages of a selection, in order.
pub(super) fn order(selection: &Selection, names: &[String]) -> String {
    let mut rows = vec![
        ["attribute", "bits saved", "weights", "choices", "message"]
            .map(str::to_owned)
            .to_vec(),
    ];
    let mut last: Option<&Message> = None;
    for step in &selection.steps {
        let what = match last {
            None => "(none)".to_owned(),
            Some(last) => {
                let (longer, shorter, sign) = if step.attributes.len() > last.attributes.len() {
                    (step, last, "")
                } else {
                    (last, step, "without ")
                };
                let mut changed = longer.attributes.iter();
                let changed = changed.find(|one| !shorter.attributes.contains(one));
                let name = changed.and_then(|one| names.get(*one));
                format!("{sign}{}", name.map_or("?", String::as_str))
            }
        };
        let saved = last.map_or(String::new(), |last| {
            format!("{:.1}", last.total() - step.total())
        });
        rows.push(vec![
            what,
            saved,
            format!("{:.1}", step.weights + step.which),
            format!("{:.1}", step.choices),
            format!("{:.1}", step.total()),
        ]);
        last = Some(step);
    }
    aligned(&rows) + "\n"
}

/// What choices and their groups are called.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    pub(super) units: Units,
    /// The column of groups.
    pub(super) by: Option<&'a str>,
}

/// A model, part by part.
pub(super) fn text(model: &Model, precision: Option<f64>, words: Words<'_>) -> String {
    let mut text = format!("{}\n", model.player);
    for part in &model.parts {
        if let Some(phase) = part.phase {
            let _ = write!(text, "\n{}\n", phase.name());
        }
        text += &part_text(&part.fit, model.level, precision, words);
    }
    text
}

fn part_text(fit: &FittedWeights, level: f64, precision: Option<f64>, words: Words<'_>) -> String {
    let Units {
        choice,
        group,
        groups,
    } = words.units;
    let mut rows = vec![
        ["attribute", "weight", "error", "from", "to"]
            .map(str::to_owned)
            .to_vec(),
    ];
    if precision.is_some() {
        rows[0].push(format!("{groups} needed"));
    }
    let row = |weight: &Weight| {
        let numbers = [weight.value, weight.std_error, weight.low, weight.high];
        let mut row = vec![weight.attribute.clone()];
        row.extend(numbers.map(|number| rounded_by(number, weight.std_error)));
        row.extend(precision.map(|precision| format!("{:.0}", fit.games_for(weight, precision))));
        row
    };
    rows.extend(fit.weights.iter().map(row));
    let mut text = aligned(&rows);
    let from = match fit.intervals {
        IntervalKind::Profile => "profile of the likelihood",
        IntervalKind::Wald => "standard errors",
    };
    let errors = match words.by {
        _ if !fit.clustered => format!("of independent {choice}s"),
        Some(column) => format!("clustered by `{column}`"),
        None => format!("clustered by {group}"),
    };
    let _ = writeln!(
        text,
        "errors {errors}; {:.0}% intervals by the {from}\n",
        100.0 * level
    );
    let mut rows = vec![
        [
            String::new(),
            format!("{choice}s"),
            format!("bits per {choice}"),
            "uniform".to_owned(),
            "top 1 (%)".to_owned(),
            "top 3 (%)".to_owned(),
        ]
        .to_vec(),
    ];
    let row = |name: &str, of: &Measures| {
        vec![
            name.to_owned(),
            of.moves.to_string(),
            format!("{:.4}", of.bits),
            format!("{:.4}", of.uniform),
            format!("{:.1}", of.top_1),
            format!("{:.1}", of.top_3),
        ]
    };
    rows.push(row(&format!("{groups} fitted to"), &fit.fitted));
    if let Some(held_out) = &fit.held_out {
        rows.push(row(&format!("{groups} held out"), held_out));
    }
    text += &aligned(&rows);
    let alternatives = if words.units == Units::MOVES {
        "moves"
    } else {
        "alternatives"
    };
    let measured = fit.held_out.as_ref().unwrap_or(&fit.fitted);
    let mut rows = vec![
        [
            "calibration",
            alternatives,
            "predicted (%)",
            if words.units == Units::MOVES {
                "played (%)"
            } else {
                "chosen (%)"
            },
        ]
        .map(str::to_owned)
        .to_vec(),
    ];
    rows.extend(measured.calibration.iter().map(|bin| {
        vec![
            String::new(),
            bin.alternatives.to_string(),
            format!("{:.2}", bin.predicted),
            format!("{:.2}", bin.chosen),
        ]
    }));
    text + "\n"
        + &aligned(&rows)
        + &match words.by {
            Some(column) => format!("{} by `{column}`\n", counted(fit.games, group, groups)),
            None => counted(fit.games, group, groups) + "\n",
        }
}
