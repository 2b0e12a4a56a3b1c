//! `explain`: a game move by move.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::ValueEnum;
use kibitz_board::{Color, Game, game_filter::color_of, pgn::write_game};
use kibitz_players::{
    Model,
    explain::{ExplainedGame, ExplainedMove, explain},
};
use kibitz_text::{Exit, Failure, counted, note, print};

use super::{Side, aligned, games, json, page, read_chess_model};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// A file of games in PGN.
    game: PathBuf,
    /// The model, as `fit --out` wrote it.
    #[arg(long)]
    model: PathBuf,
    /// Which game of the file, from 1, games that cannot be read among them; the first that can be
    /// when left out.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    number: Option<u32>,
    /// The side; when left out that of the model's player, or both where the player is not there.
    #[arg(long, value_enum)]
    side: Option<Side>,
    /// What to write.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables.
    Text,
    /// A line a move.
    Csv,
    /// For programs.
    Json,
    /// A page with boards.
    Html,
    /// The game with comments.
    Pgn,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let model = read_chess_model(&arguments.model)?;
    let all = games::read_file(&arguments.game, |collection, game| {
        let tally = collection.tally();
        (tally.n_games + tally.n_bad, game, collection.comments())
    })?;
    let n_games = all.len();
    let path = arguments.game.display();
    let asked = |number: u64| {
        arguments
            .number
            .is_none_or(|asked| number == u64::from(asked))
    };
    let found = all.into_iter().find(|(number, ..)| asked(*number));
    let (number, game, comments) = found.ok_or_else(|| {
        Failure::usage(format!(
            "game {} is not among the readable games: {path} has {}",
            arguments.number.unwrap_or(1),
            counted(n_games, "readable game", "readable games")
        ))
    })?;
    if n_games > 1 && arguments.number.is_none() {
        note(&format!(
            "{path} has {n_games} games; this is game {number}, `--number` selects another"
        ));
    }
    let found = color_of(&game, &model.player);
    let side = arguments.side.map(Color::from).or(found);
    if side.is_none() {
        note(&format!(
            "`{}` is on neither side, or on both: the moves of both sides are explained",
            model.player
        ));
    }
    let Some(told) = explain(&model, &game, side) else {
        return Err(Failure::usage(format!(
            "{}: the model lacks a phase of this game",
            arguments.model.display()
        )));
    };
    if told.moves.is_empty() {
        return Err(Failure::failed("the side has no move in this game"));
    }
    print(&match arguments.format {
        Format::Text => text(&model, &told),
        Format::Csv => csv(&told)?,
        Format::Json => json(&told)?,
        Format::Html => page::page(&model, &game, &told),
        Format::Pgn => pgn(&game, &comments, &told)?,
    })?;
    Ok(Exit::Done)
}

/// `12. Nf3` or `12... Nf6`.
pub(super) fn shown(one: &ExplainedMove) -> String {
    format!(
        "{}{} {}",
        one.number,
        if one.white { "." } else { "..." },
        one.san
    )
}

/// A contribution in bits, with its sign unless it is rounded to zero.
pub(super) fn signed(bits: f64) -> String {
    if bits.abs() < 0.005 {
        "0.00".to_owned()
    } else {
        format!("{bits:+.2}")
    }
}

/// The two attributes that speak most for a move or against it.
pub(super) fn strongest(attributes: &[String], contributions: &[f64]) -> String {
    let mut order: Vec<usize> = (0..attributes.len()).collect();
    order.sort_by(|a, b| contributions[*b].abs().total_cmp(&contributions[*a].abs()));
    let named = order
        .into_iter()
        .take(2)
        .filter(|&one| contributions[one].abs() >= 0.005);
    let named = named.map(|one| format!("{} {}", attributes[one], signed(contributions[one])));
    named.collect::<Vec<_>>().join(", ")
}

/// How typical the game is, in a sentence.
pub(super) fn typicality(model: &Model, told: &ExplainedGame) -> String {
    let mean = told.bits_per_move();
    let share = model.dearer_games(mean);
    let mut text = format!(
        "{:.2} bits in {}, {:.3} per move ({:.3} if all legal moves were equally likely); of {} games of {} {share:.0}% cost more per move",
        told.bits,
        counted(told.moves.len(), "move", "moves"),
        mean,
        told.uniform_bits / told.moves.len() as f64,
        model.typical.len(),
        model.player,
    );
    if model.is_untypical(mean) {
        text += ": outside of what is usual";
    }
    text
}

fn text(model: &Model, told: &ExplainedGame) -> String {
    let head = [
        "move",
        "of",
        "rank",
        "probability",
        "bits",
        "for it and against it (bits)",
        "preferred",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for one in &told.moves {
        let preferred = one.preferred.first().map(|other| {
            format!(
                "{} {:.3}: {}",
                other.san,
                other.probability,
                strongest(&told.attributes, &other.contributions)
            )
        });
        rows.push(vec![
            shown(one),
            one.alternatives.to_string(),
            one.rank.to_string(),
            format!("{:.4}", one.probability),
            format!("{:.2}", one.bits),
            strongest(&told.attributes, &one.contributions),
            preferred.unwrap_or_default(),
        ]);
    }
    aligned(&rows) + &typicality(model, told) + "\n"
}

fn csv(told: &ExplainedGame) -> Result<String, Failure> {
    let mut out = csv::Writer::from_writer(Vec::new());
    let failed = |error: csv::Error| Failure::failed(error.to_string());
    let fixed = [
        "ply",
        "number",
        "side",
        "san",
        "phase",
        "alternatives",
        "probability",
        "rank",
        "bits",
        "rest",
    ];
    let head = fixed
        .into_iter()
        .chain(told.attributes.iter().map(String::as_str));
    out.write_record(head.chain(["preferred"]))
        .map_err(failed)?;
    for one in &told.moves {
        let mut record = vec![
            one.ply.to_string(),
            one.number.to_string(),
            if one.white { "white" } else { "black" }.to_owned(),
            one.san.clone(),
            one.phase.name().to_owned(),
            one.alternatives.to_string(),
            one.probability.to_string(),
            one.rank.to_string(),
            one.bits.to_string(),
            one.rest.to_string(),
        ];
        record.extend(one.contributions.iter().map(f64::to_string));
        record.push(
            one.preferred
                .first()
                .map_or(String::new(), |other| other.san.clone()),
        );
        out.write_record(record).map_err(failed)?;
    }
    let bytes = out
        .into_inner()
        .map_err(|error| Failure::failed(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| Failure::failed(error.to_string()))
}

/// What a comment says of a move.
fn judgment(one: &ExplainedMove) -> String {
    let mut text = format!(
        "{:.1}%, {:.2} bits, rank {} of {}",
        100.0 * one.probability,
        one.bits,
        one.rank,
        one.alternatives
    );
    if let Some(other) = one.preferred.first() {
        let share = 100.0 * other.probability;
        let _ = write!(text, "; rather {} {share:.1}%", other.san);
    }
    text
}

/// The commands of a comment, such as `[%eval 0.17]`, which other programs read.
fn commands(comment: &str) -> impl Iterator<Item = String> {
    let begun = comment.split("[%").skip(1);
    begun.filter_map(|text| {
        let (command, _) = text.split_once(']')?;
        let words: Vec<&str> = command.split_whitespace().collect();
        Some(format!("[%{}]", words.join(" ")))
    })
}

/// The game with a comment after every move that was judged; commands of its own comments are kept.
fn pgn(game: &Game, comments: &[(usize, String)], told: &ExplainedGame) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    write_game(&mut bytes, game).map_err(|error| Failure::failed(error.to_string()))?;
    let plain = String::from_utf8_lossy(&bytes);
    let tags = plain.split("\n\n").next().unwrap_or_default();
    let mut text = format!("{tags}\n\n");
    let mut judged = told.moves.iter().peekable();
    let mut position = game.start().clone();
    for (ply, &played) in game.moves().iter().enumerate() {
        use kibitz_board::Position as _;
        let (number, white) = (position.fullmoves().get(), position.turn().is_white());
        let san = kibitz_board::san::SanPlus::from_move_and_play_unchecked(&mut position, played);
        let _ = write!(text, "{number}{} {san}", if white { "." } else { "..." });
        let own = comments.iter().filter(|(at, _)| *at == ply + 1);
        let mut comment: Vec<String> = own.flat_map(|(_, comment)| commands(comment)).collect();
        let judged = judged.next_if(|one| one.ply == ply + 1);
        comment.extend(judged.map(judgment));
        if !comment.is_empty() {
            let _ = write!(text, " {{ {} }}", comment.join(" "));
        }
        text.push('\n');
    }
    Ok(format!("{text}{}\n\n", game.outcome().as_str()))
}
