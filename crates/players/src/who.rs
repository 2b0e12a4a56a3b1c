//! Which of several players made the moves of games.

use std::collections::{BTreeMap, BTreeSet};

use kibitz_board::{Color, Game, game_filter::color_of};
use kibitz_text::{Diagnostic, Exit, Failure, counted, suggestion};

use crate::{
    JudgedChoice, Model,
    attribution::{Difference, Evidence, Reliability, Temper, posterior},
    compare::comparable,
    of_games::{count_names, nobody},
};

/// The player whose moves are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownPlayer<'a> {
    /// Both sides, apart.
    Both,
    /// The side that the unknown player had in all games.
    Side(Color),
    /// The name under which the unknown player stands in the games, by its beginning.
    Named(&'a str),
}

/// The moves of one side of a game, or all together.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Judgement {
    /// Which moves.
    pub what: String,
    /// Their number.
    pub moves: usize,
    /// What they cost under each model.
    pub bits: Vec<f64>,
    /// The probability of each player; the evidence is tempered, see [`Temper`].
    pub posterior: Vec<f64>,
    /// Whether every model finds the game unlike its player's games.
    pub untypical: bool,
}

/// What models say of games.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Answer {
    /// The players of the models.
    pub players: Vec<String>,
    /// Their prior probabilities.
    pub priors: Vec<f64>,
    /// By game and side.
    pub games: Vec<Judgement>,
    /// All of them, if they are of one player.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub together: Option<Judgement>,
    /// How much of the evidence the probabilities believe.
    pub temper: Temper,
    /// The factor by which differences of bits of one game are multiplied.
    pub factor: f64,
    /// The factor for all games together, if they are of one player.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub factor_together: Option<f64>,
    /// The evidence by game between the two likeliest players, where two games or more are of one
    /// player.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
}

/// Judges the moves of games, each with the name that it is shown by, under two models or more.
/// `note` reports games that are left out, among them those that repeat the moves of another.
///
/// # Errors
/// Where the models are not of the same kind, a model does not know such moves, or no move is left.
pub fn who(
    models: &[Model],
    priors: Vec<f64>,
    games: &[(String, Game)],
    unknown: UnknownPlayer<'_>,
    note: &mut dyn FnMut(Diagnostic),
) -> Result<Answer, Failure> {
    for other in models.iter().skip(1) {
        comparable(&models[0], other)?;
    }
    let mut judged: Vec<(String, Evidence)> = Vec::new();
    let mut left_out = 0;
    let games = without_repeats(games, note);
    for (number, game) in &games {
        let sides: Vec<Color> = match unknown {
            UnknownPlayer::Named(player) => color_of(game, player).into_iter().collect(),
            UnknownPlayer::Side(side) => vec![side],
            UnknownPlayer::Both => vec![Color::White, Color::Black],
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
            if let Some(evidence) = evidence(models, game, side)? {
                judged.push((what, evidence));
            } else {
                let text = format!("game {what} has no move of the side, and is left out");
                note(Diagnostic::warning(text));
            }
        }
    }
    if let (UnknownPlayer::Named(player), 1..) = (unknown, left_out) {
        let n = games.len();
        if left_out == n {
            let mut names = BTreeMap::new();
            for (_, game) in &games {
                count_names(game, &mut names);
            }
            return Err(nobody(player, &names));
        }
        note(Diagnostic::warning(format!(
            "{left_out} of {n} games are not of `{player}` on just one side, and are left out"
        )));
    }
    if judged.is_empty() {
        return Err(Failure::new(
            Exit::NothingSelected,
            Diagnostic::new("no move is left to judge"),
        ));
    }
    let reliabilities: Vec<Reliability> = models.iter().map(Model::reliability).collect();
    let evidence: Vec<Evidence> = judged.iter().map(|(_, one)| one.clone()).collect();
    let temper = Temper::of(&reliabilities, &evidence);
    let is_untypical = |one: &Evidence| {
        let bits = models.iter().zip(&one.bits);
        { bits }.all(|(model, bits)| model.is_untypical(bits / one.moves as f64))
    };
    let judgement = |(what, one): (String, Evidence)| Judgement {
        untypical: is_untypical(&one),
        posterior: posterior(&one.bits, temper.factor(1), &priors),
        what,
        moves: one.moves,
        bits: one.bits,
    };
    let games: Vec<Judgement> = judged.into_iter().map(judgement).collect();
    let is_one = unknown != UnknownPlayer::Both;
    let factor_together = is_one.then(|| temper.factor(games.len()));
    let together = factor_together.map(|factor| {
        let bits = (0..models.len()).map(|model| games.iter().map(|one| one.bits[model]).sum());
        let bits: Vec<f64> = bits.collect();
        Judgement {
            what: format!("all {} together", games.len()),
            moves: games.iter().map(|one| one.moves).sum(),
            posterior: posterior(&bits, factor, &priors),
            bits,
            untypical: games.iter().all(|one| one.untypical),
        }
    });
    Ok(Answer {
        players: models.iter().map(|model| model.player.clone()).collect(),
        priors,
        games,
        together,
        temper,
        factor: temper.factor(1),
        factor_together,
        difference: factor_together.and_then(|factor| Difference::of(&evidence, factor)),
    })
}

/// Games with different moves: a repeated game is not further evidence.
fn without_repeats<'a>(
    games: &'a [(String, Game)],
    note: &mut dyn FnMut(Diagnostic),
) -> Vec<&'a (String, Game)> {
    let mut keys = BTreeSet::new();
    let (first, again): (Vec<_>, Vec<_>) =
        games.iter().partition(|(_, game)| keys.insert(game.key()));
    if let Some((number, _)) = again.first() {
        note(Diagnostic::warning(format!(
            "ignored {} with the moves of an earlier game, first game {number}",
            counted(again.len(), "game", "games")
        )));
    }
    first
}

/// The moves of a side under every model; `None` without moves.
///
/// # Errors
/// Where a model does not know such moves.
pub fn evidence(models: &[Model], game: &Game, side: Color) -> Result<Option<Evidence>, Failure> {
    let mut evidence = Evidence::none(models.len());
    for (position, played) in game.plies_of(side) {
        let judged = models.iter().map(|model| {
            model.judge(&position, played, 0).ok_or_else(|| {
                Failure::usage(format!(
                    "the model of `{}` is not one of chess moves, or lacks a phase",
                    model.player
                ))
            })
        });
        evidence.add(&judged.collect::<Result<Vec<JudgedChoice>, Failure>>()?);
    }
    Ok((evidence.moves > 0).then_some(evidence))
}

/// Prior probabilities: those named, and equal shares of what is left.
///
/// # Errors
/// Where a name is no player's or comes twice, or the probabilities do not add up.
pub fn priors(asked: &[(&str, f64)], players: &[String]) -> Result<Vec<f64>, Failure> {
    let mut priors: Vec<Option<f64>> = vec![None; players.len()];
    for &(name, share) in asked {
        let place = players.iter().position(|player| player == name);
        let place = place.ok_or_else(|| {
            let label = suggestion(name, players.iter().map(String::as_str));
            Failure::usage(format!(
                "the prior of `{name}`: no model is of that name; {label}"
            ))
        })?;
        if !(0.0..=1.0).contains(&share) {
            let why = format!("the prior of `{name}`: a probability from 0 to 1 was expected");
            return Err(Failure::usage(why));
        }
        if priors[place].replace(share).is_some() {
            let why = format!("the prior of `{name}`: it has one already");
            return Err(Failure::usage(why));
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
