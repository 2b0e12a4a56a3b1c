//! `who`: which of several players made the moves of games.

use std::fmt::Write as _;
use std::path::PathBuf;

use kibitz_players::who::{Answer, UnknownPlayer, priors, who};
use kibitz_text::{Exit, Failure, note, print, rounded_by};

use super::{Format, Side, aligned, games, json, names_of, read_chess_models};

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

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let mut models = read_chess_models(&arguments.models)?;
    let players = names_of(&models, &arguments.models);
    for (model, name) in models.iter_mut().zip(&players) {
        model.player.clone_from(name);
    }
    let asked: Vec<(&str, f64)> = (arguments.prior.iter())
        .map(|one| prior(one))
        .collect::<Result<_, _>>()?;
    let priors = priors(&asked, &players)?;
    let read = games::read_numbered(&arguments.games)?;
    let unknown = match (&arguments.player, arguments.side) {
        (Some(player), _) => UnknownPlayer::Named(player),
        (None, Some(side)) => UnknownPlayer::Side(side.into()),
        (None, None) => UnknownPlayer::Both,
    };
    let answer = who(&models, priors, &read, unknown, &mut |told| {
        note(&told.render(true));
    })?;
    print(&match arguments.format {
        Format::Json => json(&answer)?,
        Format::Text => text(&answer),
    })?;
    Ok(Exit::Done)
}

/// A name and a probability.
fn prior(text: &str) -> Result<(&str, f64), Failure> {
    let both = text.rsplit_once('=');
    let both = both.and_then(|(name, share)| Some((name, share.parse().ok()?)));
    both.ok_or_else(|| Failure::usage(format!("`--prior {text}`: `NAME=P` was expected")))
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
    text += &tempered(answer);
    if answer.together.is_some() {
        text += &difference(answer);
    } else {
        text += "the two sides are evaluated separately; `--side` or `--player` says whose moves belong together\n";
    }
    let strange = answer.games.iter().filter(|one| one.untypical).count();
    if strange > 0 {
        let _ = writeln!(
            text,
            "{strange} of {} cost more or fewer bits per move than the games of any of these players: perhaps someone else played",
            answer.games.len()
        );
    }
    text
}

/// How much of the evidence the probabilities believe, and why.
fn tempered(answer: &Answer) -> String {
    let temper = answer.temper;
    if temper.share <= 0.0 {
        return "the models differ by no more than the errors of their weights: the moves say nothing of the player\n"
            .to_owned();
    }
    let together = answer
        .factor_together
        .filter(|_| answer.games.len() > 1)
        .map_or(String::new(), |factor| {
            format!(" ({factor:.2} bits for all together)")
        });
    format!(
        "each bit of evidence counts as {:.2} bits{together}: games vary {:.1} times as much as independent moves would, \
         and {:.0}% of the models' difference is error of their weights\n",
        answer.factor,
        temper.dispersion,
        100.0 * (1.0 - temper.share)
    )
}

/// The evidence of a game, and how many games like these it takes.
fn difference(answer: &Answer) -> String {
    let Some(told) = &answer.difference else {
        return match answer.games.len() {
            1 => "one game does not show how much games differ, and so not how many are needed\n",
            _ => "these games do not distinguish the players\n",
        }
        .to_owned();
    };
    let [first, second] = told.between.map(|player| &answer.players[player]);
    let [mean, error] = [told.mean, told.std_error].map(|one| rounded_by(one, told.std_error));
    let spread = rounded_by(told.spread, told.std_error);
    let mut text = format!(
        "{first} rather than {second}: {mean} ± {error} bits per game, with a standard deviation of {spread}\n"
    );
    match told.games_needed {
        Some([lower, higher]) => {
            let _ = writeln!(
                text,
                "games like these are given to {first} in 95 of 100 cases after {lower:.0}, in 99 after {higher:.0}"
            );
        }
        None => {
            text +=
                "this mean is not distinguishable from zero: these games do not tell who played\n";
        }
    }
    text
}
