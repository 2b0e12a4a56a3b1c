//! `encode` and `decode`: games as files in the code of a model.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use kibitz_board::pgn::write_game_as_tagged;
use kibitz_players::{
    RepeatedGames,
    coder::{CoderError, TaggedGame, decode, encode},
};
use kibitz_text::{Diagnostic, Exit, Failure, counted, keep_inputs, note, output, print};

use super::{games, read_chess_model};

#[derive(Debug, clap::Args)]
pub(super) struct EncodeArguments {
    /// Files of games in PGN, plain or compressed. Moves, results, start positions and all tags as they
    /// are written are kept; comments, variations and marks of moves are not.
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// The model, as `fit --out` wrote it; the file can be read with the same model only.
    #[arg(long)]
    model: PathBuf,
    /// Write the file.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

#[derive(Debug, clap::Args)]
pub(super) struct DecodeArguments {
    /// A file of `encode`.
    file: PathBuf,
    /// The model with which it was written.
    #[arg(long)]
    model: PathBuf,
    /// Write the games into this file, and not to the output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) fn encode_games(arguments: &EncodeArguments) -> Result<Exit, Failure> {
    let read = arguments.games.iter().chain([&arguments.model]);
    let read: Vec<&Path> = read.map(PathBuf::as_path).collect();
    keep_inputs(&read, &[&arguments.out])?;
    let model = read_chess_model(&arguments.model)?;
    let mut games = Vec::new();
    for path in &arguments.games {
        games.extend(games::read_file(path, |collection, game| {
            TaggedGame::new(game, collection.tags())
        })?);
    }
    let mut repeated = RepeatedGames::default();
    for one in &games {
        repeated.add(one.game());
    }
    if let Some(remark) = repeated.remark() {
        note(&remark.render(true));
    }
    let encoded = encode(&model, &games)
        .map_err(|error| Failure::new(Exit::BadInput, Diagnostic::new(error.to_string())))?;
    let out = &arguments.out;
    std::fs::write(out, &encoded.bytes).map_err(|error| Failure::unwritable(out, &error))?;
    let mean = if encoded.moves == 0 {
        String::new()
    } else {
        format!(", {:.3} bits each", encoded.bits_per_move())
    };
    print(&format!(
        "{}\n{:>12} bytes for {}{mean}\n{:>12} bytes for results, start positions and tags\nwrote {}\n",
        counted(encoded.games, "game", "games"),
        encoded.move_bytes,
        counted(encoded.moves, "move", "moves"),
        encoded.bytes.len() as u64 - encoded.move_bytes,
        out.display()
    ))?;
    Ok(Exit::Done)
}

pub(super) fn decode_games(arguments: &DecodeArguments) -> Result<Exit, Failure> {
    if let Some(out) = &arguments.out {
        keep_inputs(&[&arguments.file, &arguments.model], &[out])?;
    }
    let model = read_chess_model(&arguments.model)?;
    let file = &arguments.file;
    let bytes = std::fs::read(file).map_err(|error| Failure::unreadable(file, &error))?;
    let games = decode(&model, &bytes).map_err(|error| {
        let failure = Failure::new(
            Exit::BadInput,
            Diagnostic::new(format!("{}: {error}", file.display())),
        );
        match error {
            CoderError::OtherModel(_) => failure.with_note(&format!(
                "{} is a model of `{}`; the weights must be the same to the last digit",
                arguments.model.display(),
                model.player
            )),
            _ => failure,
        }
    })?;
    match &arguments.out {
        None => {
            write(output(), &games).map_err(|error| Failure::unwritable("the output", &error))?;
        }
        Some(out) => {
            let written =
                std::fs::File::create(out).and_then(|file| write(io::BufWriter::new(file), &games));
            written.map_err(|error| Failure::unwritable(out, &error))?;
            print(&format!(
                "wrote {} into {}\n",
                counted(games.len(), "game", "games"),
                out.display()
            ))?;
        }
    }
    Ok(Exit::Done)
}

fn write(mut out: impl Write, games: &[TaggedGame]) -> io::Result<()> {
    for one in games {
        write_game_as_tagged(&mut out, one.game(), one.tags())?;
    }
    out.flush()
}
