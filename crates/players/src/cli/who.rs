//! `who`: which of several players made the moves of games.

use std::fmt::Write as _;
use std::path::PathBuf;

use kibitz_board::{Color, game_filter::color_of};
use kibitz_players::{
    Model,
    attribution::{games_for, posterior},
};
use kibitz_text::{Diagnostic, Exit, Failure, note, print, suggestion};

use super::{Format, Side, aligned, games, json, read_model};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Files of games in PGN.
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// The models, two or more.
    #[arg(long, required = true, num_args = 2..)]
    models: Vec<PathBuf>,
    /// The prior probability of a player; equal for all who are not named.
    #[arg(long, value_name = "NAME=P")]
    prior: Vec<String>,
    /// The side that the unknown player had in all games.
    #[arg(long, value_enum, conflicts_with = "player")]
    side: Option<Side>,
    /// The name under which the unknown player stands in the games, by its beginning.
    #[arg(long)]
    player: Option<String>,
    /// What to write.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// The moves of one side of a game, or all together.
#[derive(Debug, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
struct Judgement {
    what: String,
    moves: usize,
    bits: Vec<f64>,
    posterior: Vec<f64>,
    /// Whether every model finds the game unlike its player's games.
    untypical: bool,
}

#[derive(Debug, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
struct Answer {
    players: Vec<String>,
    priors: Vec<f64>,
    games: Vec<Judgement>,
    #[serde(skip_serializing_if = "Option::is_none")]
    together: Option<Judgement>,
    /// Games like these that certainties of 95 and 99% need; none where the games of several players
    /// stand beside each other, or do not tell the players apart.
    games_needed: Option<[f64; 2]>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let models: Vec<Model> = arguments
        .models
        .iter()
        .map(|path| read_model(path))
        .collect::<Result<_, _>>()?;
    let players: Vec<String> = models.iter().map(|model| model.player.clone()).collect();
    let priors = priors(&arguments.prior, &players)?;
    let read = games::read(&arguments.games)?;
    let mut judged = Vec::new();
    let mut left_out = 0;
    for (number, game) in (1..).zip(&read) {
        let sides: Vec<Color> = match (&arguments.player, arguments.side) {
            (Some(player), _) => color_of(game, player).into_iter().collect(),
            (None, Some(side)) => vec![side.into()],
            (None, None) => vec![Color::White, Color::Black],
        };
        left_out += usize::from(sides.is_empty());
        for side in sides {
            let tags = game.tags();
            let (name, color) = if side.is_white() {
                (&tags.white, "White")
            } else {
                (&tags.black, "Black")
            };
            let what = format!("{number}, {color} ({name})");
            judged.extend(judge(what, &models, &priors, game, side)?);
        }
    }
    if left_out > 0 {
        let player = arguments.player.as_deref().unwrap_or_default();
        let message = format!(
            "{left_out} of {} games are not of `{player}` on just one side, and are left out",
            read.len()
        );
        note(&Diagnostic::warning(message).render(true));
    }
    if judged.is_empty() {
        return Err(Failure::new(
            Exit::NothingSelected,
            Diagnostic::new("no move is left to judge"),
        ));
    }
    let is_one = arguments.player.is_some() || arguments.side.is_some();
    let together = is_one.then(|| {
        let bits = (0..models.len()).map(|model| judged.iter().map(|one| one.bits[model]).sum());
        let bits: Vec<f64> = bits.collect();
        Judgement {
            what: format!("all {} together", judged.len()),
            moves: judged.iter().map(|one| one.moves).sum(),
            posterior: posterior(&bits, &priors),
            bits,
            untypical: judged.iter().all(|one| one.untypical),
        }
    });
    let games_needed = together.as_ref().and_then(|all| {
        let mut bits = all.bits.clone();
        bits.sort_by(f64::total_cmp);
        let evidence = (bits[1] - bits[0]) / judged.len() as f64;
        let needed = [0.95, 0.99].map(|certainty| games_for(certainty, evidence));
        needed[0].is_finite().then_some(needed)
    });
    let answer = Answer {
        players,
        priors,
        games: judged,
        together,
        games_needed,
    };
    print(&match arguments.format {
        Format::Json => json(&answer)?,
        Format::Text => text(&answer),
    })?;
    Ok(Exit::Done)
}

/// The moves of a side under every model; `None` without moves.
fn judge(
    what: String,
    models: &[Model],
    priors: &[f64],
    game: &kibitz_board::Game,
    side: Color,
) -> Result<Option<Judgement>, Failure> {
    let mut bits = vec![0.0; models.len()];
    let mut moves = 0;
    for (position, played) in game.plies_of(side) {
        moves += 1;
        for (sum, model) in bits.iter_mut().zip(models) {
            let judged = model.judge(&position, played, 0).ok_or_else(|| {
                Failure::usage(format!(
                    "the model of `{}` is not one of chess moves, or lacks a phase",
                    model.player
                ))
            })?;
            *sum += judged.bits();
        }
    }
    if moves == 0 {
        note(
            &Diagnostic::warning(format!(
                "game {what} has no move of the side, and is left out"
            ))
            .render(true),
        );
        return Ok(None);
    }
    let untypical =
        (models.iter().zip(&bits)).all(|(model, bits)| model.is_untypical(bits / moves as f64));
    Ok(Some(Judgement {
        posterior: posterior(&bits, priors),
        what,
        moves,
        bits,
        untypical,
    }))
}

/// Prior probabilities: those named, and equal shares of what is left.
fn priors(asked: &[String], players: &[String]) -> Result<Vec<f64>, Failure> {
    let mut priors: Vec<Option<f64>> = vec![None; players.len()];
    for one in asked {
        let (name, share) = one
            .rsplit_once('=')
            .ok_or_else(|| Failure::usage(format!("`--prior {one}`: `NAME=P` was expected")))?;
        let place = players
            .iter()
            .position(|player| player == name)
            .ok_or_else(|| {
                let label = suggestion(name, players.iter().map(String::as_str));
                Failure::usage(format!("`--prior {one}`: no model is of `{name}`; {label}"))
            })?;
        let share = share
            .parse()
            .ok()
            .filter(|share| (0.0..=1.0).contains(share));
        let share = share.ok_or_else(|| {
            Failure::usage(format!(
                "`--prior {one}`: a probability from 0 to 1 was expected"
            ))
        })?;
        if priors[place].replace(share).is_some() {
            return Err(Failure::usage(format!(
                "`--prior {one}`: `{name}` has a prior already"
            )));
        }
    }
    let given: f64 = priors.iter().flatten().sum();
    let open = priors.iter().filter(|prior| prior.is_none()).count();
    let fits = if open == 0 {
        (given - 1.0).abs() < 1e-9
    } else {
        given <= 1.0
    };
    if !fits {
        return Err(Failure::usage(format!(
            "the priors add up to {given}, not to 1"
        )));
    }
    let share = (1.0 - given) / open.max(1) as f64;
    Ok(priors
        .into_iter()
        .map(|prior| prior.unwrap_or(share))
        .collect())
}

fn text(answer: &Answer) -> String {
    let mut head = vec!["game".to_owned(), "moves".to_owned()];
    head.extend(answer.players.iter().map(|name| format!("{name} (bits)")));
    head.extend(answer.players.iter().map(|name| format!("{name} (%)")));
    let mut rows = vec![head];
    for one in answer.games.iter().chain(&answer.together) {
        let mut row = vec![one.what.clone(), one.moves.to_string()];
        row.extend(one.bits.iter().map(|bits| format!("{bits:.2}")));
        row.extend(
            one.posterior
                .iter()
                .map(|share| format!("{:.2}", 100.0 * share)),
        );
        rows.push(row);
    }
    let mut text = aligned(&rows);
    match (&answer.together, answer.games_needed) {
        (Some(_), Some([lower, higher])) => {
            let _ = writeln!(
                text,
                "from equal priors, games like these are certain to 95% after {lower:.0}, to 99% after {higher:.0}"
            );
        }
        (Some(_), None) => text += "these games do not tell the players apart\n",
        (None, _) => {
            text += "the sides are judged apart; `--side` or `--player` says whose moves belong together\n";
        }
    }
    let strange = answer.games.iter().filter(|one| one.untypical).count();
    if strange > 0 {
        let _ = writeln!(
            text,
            "{strange} of {} cost more or less a move than the games of any of the players: perhaps it was none of them",
            answer.games.len()
        );
    }
    text
}
