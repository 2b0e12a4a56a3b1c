//! The command line: arguments, files, exit codes.

mod accuracy;
#[cfg_attr(not(feature = "codec"), path = "without_codec.rs")]
mod coder;
mod compare;
mod curves;
mod explain;
mod fit;
mod games;
mod open_table;
mod page;
mod reference;
mod summary;
mod table;
mod watch;
mod who;

use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand, ValueEnum};
use kibitz_players::{Domain, Model};
use kibitz_text::{Exit, Failure, SourceFile};

/// Models of players: weights from the moves that somebody chose.
#[derive(Debug, Parser)]
#[command(name = "kibitz-players", version, after_help = Exit::help())]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Fit a player's weights to games, or the weights of any choices to a table.
    Fit(Box<fit::Arguments>),
    /// Explain a game move by move: how likely each was, and which attributes spoke for it.
    Explain(explain::Arguments),
    /// Tell which of several players made the moves of games.
    Who(who::Arguments),
    /// Compare two players by their weights, or a model with another's move probabilities.
    Compare(compare::Arguments),
    /// Report the accuracy of players by evaluations in comments, and what others lose in the same
    /// positions.
    Accuracy(accuracy::Arguments),
    /// Write games into a small file, the moves in the code of a model.
    Encode(coder::EncodeArguments),
    /// Read what `encode` wrote with the same model, as PGN.
    Decode(coder::DecodeArguments),
    /// List the attributes.
    Attributes,
}

/// What to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables.
    Text,
    /// For programs.
    Json,
}

/// One of the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Side {
    White,
    Black,
}

impl From<Side> for kibitz_board::Color {
    fn from(side: Side) -> Self {
        Self::from_white(side == Side::White)
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::Fit(arguments) => fit::run(arguments),
        Command::Explain(arguments) => explain::run(arguments),
        Command::Who(arguments) => who::run(arguments),
        Command::Compare(arguments) => compare::run(arguments),
        Command::Accuracy(arguments) => accuracy::run(arguments),
        Command::Encode(arguments) => coder::encode_games(arguments),
        Command::Decode(arguments) => coder::decode_games(arguments),
        Command::Attributes => attributes(),
    }
}

fn attributes() -> Result<Exit, Failure> {
    let lines = kibitz_heuristics::attributes::Attribute::ALL.map(|one| {
        let paper = kibitz_heuristics::attributes::Attribute::PAPER.contains(&one);
        let mark = if paper { " (the paper's)" } else { "" };
        format!("{:<16} {}{mark}\n", one.name(), one.meaning())
    });
    kibitz_text::print(&lines.concat())?;
    Ok(Exit::Done)
}

/// The model in a file.
fn read_model(path: &Path) -> Result<Model, Failure> {
    Model::from_toml(&SourceFile::read(path)?)
}

/// The model of chess moves in a file.
fn read_chess_model(path: &Path) -> Result<Model, Failure> {
    let model = read_model(path)?;
    if let Domain::Table { .. } = model.domain {
        let message = format!(
            "{}: a model of a table; expected one of chess moves",
            path.display()
        );
        return Err(Failure::usage(message));
    }
    Ok(model)
}

/// The models of chess moves in files.
fn read_chess_models(paths: &[PathBuf]) -> Result<Vec<Model>, Failure> {
    paths.iter().map(|path| read_chess_model(path)).collect()
}

/// The models in files.
fn read_models(paths: &[PathBuf]) -> Result<Vec<Model>, Failure> {
    paths.iter().map(|path| read_model(path)).collect()
}

/// Names of models: their players, with the file where several are of one player.
fn names_of(models: &[Model], paths: &[PathBuf]) -> Vec<String> {
    let name = |(model, path): (&Model, &PathBuf)| {
        let of_player = models.iter().filter(|one| one.player == model.player);
        if of_player.count() > 1 {
            format!("{} ({})", model.player, path.display())
        } else {
            model.player.clone()
        }
    };
    models.iter().zip(paths).map(name).collect()
}

/// Writes JSON.
fn json(value: &impl serde::Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value);
    text.map(|text| text + "\n")
        .map_err(|error| Failure::failed(error.to_string()))
}

/// Rows of text in columns, the first flush left.
fn aligned(rows: &[Vec<String>]) -> String {
    let n = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..n).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(index, (cell, width))| {
                if index == 0 {
                    format!("{cell:<width$}")
                } else {
                    format!("  {cell:>width$}")
                }
            });
        cells.collect::<String>().trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}
