//! `fit`: weights of a player, or of any choices.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use kibitz_players::{
    Answer, Depth, Error, Fit, FitOptions, Model, Units, fit_rows, selection::Selection,
};
use kibitz_text::{Diagnostic, Exit, Failure, keep_inputs, note, print};

use super::{
    Format,
    accuracy::GivenArgument,
    curves, games, json,
    summary::{Words, order, text},
    table,
    watch::TerminalSession,
};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Files of games in PGN, plain or compressed.
    #[arg(required_unless_present = "choices", conflicts_with = "choices")]
    games: Vec<PathBuf>,
    /// The player, by how the name begins; with `--by` all players when left out.
    #[arg(long, required_unless_present_any = ["choices", "by"])]
    player: Option<String>,
    /// How far the player looks ahead.
    #[arg(long, value_enum, default_value_t = DepthArgument::OnePly)]
    model: DepthArgument,
    /// Attributes, separated by commas; `paper` stands for the paper's four, `all` for all but `ahead`,
    /// for which a search is made. The paper's two for one ply, four for four plies when left out.
    /// `kibitz-players attributes` lists them.
    #[arg(long, value_delimiter = ',')]
    attributes: Vec<String>,
    /// Choose among the attributes those that are worth their bits.
    #[arg(long, value_enum)]
    select: Option<SelectArgument>,
    /// Fit opening, middle game and endgame apart.
    #[arg(long, conflicts_with_all = ["choices", "select"])]
    phases: bool,
    /// Fit weights that change with the mover's rating, or with the seconds on his clock, and show them as
    /// curves with bands.
    #[arg(long, value_enum, value_name = "ATTRIBUTE", conflicts_with_all = ["choices", "select", "phases", "precision", "out"])]
    by: Option<GivenArgument>,
    /// A table whose rows are alternatives, CSV or Parquet, instead of games.
    #[arg(long, value_name = "TABLE")]
    choices: Option<PathBuf>,
    #[command(flatten)]
    columns: table::Layout,
    /// Folds of the games, or of the groups, for what is held out.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..))]
    folds: u32,
    /// Confidence level of intervals, in percent.
    #[arg(long, default_value_t = 95, value_parser = clap::value_parser!(u8).range(50..100))]
    level: u8,
    /// Standard error that is wished for: how many games, or groups, it needs.
    #[arg(long, value_name = "ERROR")]
    precision: Option<f64>,
    /// Seed of the folds.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Write the model into this file.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// What to write.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DepthArgument {
    /// The positions after a move.
    OnePly,
    /// A quiescence search of four plies.
    FourPly,
}

impl From<DepthArgument> for Depth {
    fn from(depth: DepthArgument) -> Self {
        match depth {
            DepthArgument::OnePly => Self::OnePly,
            DepthArgument::FourPly => Self::FourPly,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SelectArgument {
    /// By the length of a message of weights and moves.
    Mml,
}

/// What is shown of a fit.
#[derive(serde::Serialize)]
#[serde(rename_all = "kebab-case")]
struct Report<'a> {
    #[serde(flatten)]
    model: &'a Model,
    remarks: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    selection: Option<&'a Selection>,
}

/// A failure with the files in front of what it says.
fn named(paths: &[PathBuf], error: Error) -> Failure {
    let names: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let mut failure = Failure::from(error);
    let diagnostics = failure.diagnostics.into_iter();
    let named = diagnostics.map(|mut one| {
        one.message = format!("{}: {}", names.join(", "), one.message);
        one
    });
    failure.diagnostics = named.collect();
    failure
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    if let Some(precision) = arguments.precision
        && !(precision > 0.0 && precision.is_finite())
    {
        return Err(Failure::usage("`--precision` is a number above 0"));
    }
    if let Some(out) = &arguments.out {
        let read = arguments.games.iter().chain(&arguments.choices);
        let read: Vec<&Path> = read.map(PathBuf::as_path).collect();
        keep_inputs(&read, &[out])?;
    }
    let units = match (&arguments.choices, &arguments.columns.group) {
        (None, _) => Units::MOVES,
        (Some(_), Some(_)) => Units::CHOICES,
        // Each choice is a group.
        (Some(_), None) => Units {
            group: "choice",
            groups: "choices",
            ..Units::CHOICES
        },
    };
    let options = FitOptions {
        folds: arguments.folds as usize,
        level: f64::from(arguments.level) / 100.0,
        units,
    };
    let selects = arguments.select.is_some();
    let session = TerminalSession::new(arguments.seed);
    let player = arguments.player.as_deref();
    if let Some(by) = arguments.by {
        if arguments.model == DepthArgument::FourPly {
            let why = "curves are fitted to the one-ply model, whose rows are weighed";
            return Err(Failure::usage(why));
        }
        let (games, attributes) = (&arguments.games, &arguments.attributes);
        curves::run(
            games,
            player,
            by.into(),
            attributes,
            options,
            session,
            arguments.format,
        )?;
        return Ok(Exit::Done);
    }
    let answer = if let Some(path) = &arguments.choices {
        let table = table::read(path, &arguments.columns, &arguments.attributes)?;
        let player = player.map_or_else(|| path.display().to_string(), str::to_owned);
        let fitted = fit_rows(player, table, selects, options, &session);
        fitted.map_err(|error| named(std::slice::from_ref(path), error))?
    } else {
        session.say("games");
        Fit::new(games::read(&arguments.games)?)
            .player(player.unwrap_or_default())
            .depth(arguments.model.into())
            .attributes(&arguments.attributes)
            .selecting(selects)
            .by_phase(arguments.phases)
            .options(options)
            .run(&session)
            .map_err(|error| match error {
                Error::NoMaximum(_) => named(&arguments.games, error),
                error => error.into(),
            })?
    };
    drop(session);
    let Answer {
        model,
        remarks,
        selection,
    } = answer;
    match arguments.format {
        Format::Json => print(&json(&Report {
            model: &model,
            remarks: &remarks,
            selection: selection.as_ref().map(|(selection, _)| selection),
        })?)?,
        Format::Text => {
            for remark in &remarks {
                note(&Diagnostic::warning(remark.clone()).render(true));
            }
            let order = match &selection {
                Some((selection, names)) => order(selection, names),
                None => String::new(),
            };
            let words = Words {
                units,
                by: arguments.columns.group.as_deref(),
            };
            print(&(order + &text(&model, arguments.precision, words)))?;
        }
    }
    if let Some(out) = &arguments.out {
        std::fs::write(out, model.to_toml()?).map_err(|error| Failure::unwritable(out, &error))?;
        if arguments.format == Format::Text {
            print(&format!("wrote {}\n", out.display()))?;
        }
    }
    Ok(Exit::Done)
}
