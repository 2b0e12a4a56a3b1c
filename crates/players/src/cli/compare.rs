//! `compare`: two players by their weights, or a model beside another's probabilities.

use std::path::PathBuf;

use kibitz_players::{
    Model, Phase,
    compare::{Comparison, compare_models},
};
use kibitz_text::{Exit, Failure, print, rounded_by};

use super::{Format, aligned, json, names_of, read_chess_models, read_models, reference};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Two models; one with `--reference`.
    #[arg(required = true, num_args = 1..=2)]
    models: Vec<PathBuf>,
    /// Another model's move probabilities, a CSV file with the columns `game`, `ply`, `move` and
    /// `probability`: numbers from 1, moves in UCI or standard algebraic notation.
    #[arg(long, value_name = "FILE", requires = "games")]
    reference: Option<PathBuf>,
    /// The games of the reference, in PGN.
    #[arg(long, value_name = "FILE")]
    games: Option<PathBuf>,
    /// What to write.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    if let (Some(file), Some(games)) = (&arguments.reference, &arguments.games) {
        let models = read_chess_models(&arguments.models)?;
        let names = names_of(&models, &arguments.models);
        return reference::run(&models, names, file, games, arguments.format);
    }
    let mut models = read_models(&arguments.models)?;
    let names = names_of(&models, &arguments.models);
    for (model, name) in models.iter_mut().zip(names) {
        model.player = name;
    }
    let [first, second] = models.as_slice() else {
        return Err(Failure::usage(
            "two models were expected, or one with `--reference` and `--games`",
        ));
    };
    let compared = compare_models(first, second)?;
    print(&match arguments.format {
        Format::Json => json(&compared)?,
        Format::Text => compared
            .iter()
            .map(|(phase, one)| text(phase.map(Phase::name), one, [first, second]))
            .collect(),
    })?;
    Ok(Exit::Done)
}

fn text(phase: Option<&str>, compared: &Comparison, models: [&Model; 2]) -> String {
    let [first, second] = models.map(|model| model.player.clone());
    let mut rows = vec![vec![
        "attribute".to_owned(),
        first,
        second,
        "difference".to_owned(),
        "error".to_owned(),
        "p".to_owned(),
    ]];
    rows.extend(compared.differences.iter().map(|one| {
        let numbers = [one.values[0], one.values[1], one.difference, one.std_error];
        let mut row = vec![one.attribute.clone()];
        row.extend(numbers.map(|number| rounded_by(number, one.std_error)));
        row.push(format!("{:.2e}", one.p));
        row
    }));
    let title = phase.map_or(String::new(), |phase| format!("{phase}\n"));
    format!(
        "{title}{}all together: chi-squared {:.2} with {} degrees of freedom, p = {:.2e}\n",
        aligned(&rows),
        compared.chi_squared,
        compared.degrees,
        compared.p
    )
}
