//! Two simulated players whose difference is known, compared by evaluations many times.

use kibitz_board::{Color, Game, Position as _};
use kibitz_experiment::{CellError, Context, Number, Output, Problems, RowOutput};
use kibitz_players::accuracy::{
    Cell, Covariates, EvaluatedGame, Expectation, ExpectationFit, FOLDS, Standing, Survey, fold,
    lichess::win_percent,
};
use kibitz_search::one_ply::WeightedOnePly;
use kibitz_stats::{inference::student_interval, moments::Moments};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::simulated::{choices, evaluated, evaluation, play, player};

/// Two simulated players, and a third to whose moves expectations are fitted.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Comparison {
    /// The start of the names of its rows.
    pub(crate) name: String,
    /// The player whose loss is expected of the others, over `games` in all.
    reference: Contestant,
    /// Games of the reference.
    reference_games: u32,
    /// The two players compared; differences are those of the first minus the second.
    players: [Contestant; 2],
    /// Independent runs.
    runs: u32,
    /// Numbers of games of each player in a run, ascending; a row each.
    pub(crate) given: Vec<u32>,
}

/// A simulated player and his opponents.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Contestant {
    /// Natural logarithm of the odds that a pawn is worth to him.
    strength: f64,
    /// The same of his opponents, who take turns.
    opponents: Vec<f64>,
}

/// One position in so many enters the known difference.
const SAMPLED: usize = 40;

/// The name of the player whose moves count.
const NAME: &str = "player";

/// What a run says of one number of games.
#[derive(Debug, Clone, Copy)]
struct Answer {
    corrected: f64,
    /// Of the corrected difference; `None` for too few games.
    interval: Option<kibitz_stats::inference::Interval>,
    loss: f64,
    accuracy: f64,
}

/// The answers of a run, and what the policies of the players say of sampled positions.
struct Run {
    answers: Vec<Answer>,
    known: [Moments; 2],
}

impl Comparison {
    /// The row of so many games of each player.
    pub(crate) fn row(&self, given: u32) -> String {
        format!("{}, {given} games each", self.name)
    }

    pub(crate) fn check(&self, problems: &mut Problems) {
        let all = || self.players.iter().chain([&self.reference]);
        let is_whole = |one: &Contestant| {
            let strengths = one.opponents.iter().chain([&one.strength]);
            !one.opponents.is_empty() && strengths.clone().all(|strength| strength.is_finite())
        };
        problems.require(
            all().all(is_whole),
            "players",
            "finite strengths, and an opponent or more",
        );
        problems.at_least_one([
            ("runs", self.runs as usize),
            ("reference-games", self.reference_games as usize),
            ("given", self.given.len()),
        ]);
        problems.require(
            self.given.first().is_some_and(|given| *given > 0)
                && self.given.is_sorted_by(|a, b| a < b),
            "given",
            "numbers above 0, each larger than the one before",
        );
    }

    pub(crate) fn run(
        &self,
        max_plies: u32,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let expectation = self.expectation(max_plies, ctx)?;
        let runs: Vec<Run> = (0..self.runs)
            .into_par_iter()
            .map(|run| self.once(run, &expectation, max_plies, ctx))
            .collect::<Result<_, _>>()?;
        let mut known = [Moments::default(); 2];
        for run in &runs {
            for (all, own) in known.iter_mut().zip(&run.known) {
                *all += *own;
            }
        }
        let known = difference_of_means(&known)
            .ok_or_else(|| CellError::new("too few positions for the known difference"))?;
        for (at, &given) in self.given.iter().enumerate() {
            let answers = runs.iter().map(|run| run.answers[at]);
            set(answers, known, output.row(self.row(given)))?;
        }
        Ok(())
    }

    /// The loss expected of a move, fitted to the moves of the reference.
    fn expectation(&self, max_plies: u32, ctx: &Context<'_>) -> Result<Expectation, CellError> {
        let numbers = (0..self.reference_games).into_par_iter();
        let games = numbers.map(|number| {
            ctx.check()?;
            let stream = format!("reference, game {number}");
            self.reference.game(number, &stream, max_plies, ctx)
        });
        let games: Vec<_> = games.collect::<Result<_, CellError>>()?;
        let mut fit = ExpectationFit::new(Covariates::default());
        let seed = ctx.seed_u64("folds");
        for (number, (color, _, game)) in (0..).zip(&games) {
            let cell = Cell {
                player: 0,
                game: fold(seed, "game", number),
            };
            let own = game.moves.iter().filter(|one| one.color == *color);
            fit.add_side(cell, own.map(|one| (&one.attributes, one.loss)))?;
        }
        fit.whole().ok_or_else(|| {
            CellError::new(format!("too few games of the reference in {FOLDS} folds"))
        })
    }

    /// A run: games of both players, their standings by number of games, and positions for what is known.
    fn once(
        &self,
        run: u32,
        expectation: &Expectation,
        max_plies: u32,
        ctx: &Context<'_>,
    ) -> Result<Run, CellError> {
        let n_games = self.given.last().copied().unwrap_or(0);
        let mut known = [Moments::default(); 2];
        let mut standings: Vec<Vec<Standing>> = Vec::new();
        for (side, (one, known)) in self.players.iter().zip(&mut known).enumerate() {
            let mut policies = [one.strength, self.reference.strength].map(player);
            let mut survey = Survey::with_model(expectation.clone());
            let mut own = Vec::new();
            for number in 0..n_games {
                ctx.check()?;
                let stream = format!("run {run}, player {side}, game {number}");
                let (color, game, read) = one.game(number, &stream, max_plies, ctx)?;
                survey.judge(game.tags(), &read, |name| name == NAME, |_| ());
                if self.given.contains(&(number + 1)) {
                    let players = survey.players();
                    let found = players.into_iter().find(|found| found.name == NAME);
                    own.push(found.map(|found| found.standing).unwrap_or_default());
                }
                let offset = (run as usize + number as usize) % SAMPLED;
                sample(&game, &read, color, offset, &mut policies, known);
            }
            standings.push(own);
        }
        let pairs = standings[0].iter().zip(&standings[1]);
        let answers = pairs.zip(&self.given).map(|((first, second), given)| {
            answer(first, second, *given)
                .ok_or_else(|| CellError::new(format!("run {run}: a player has not moved")))
        });
        Ok(Run {
            answers: answers.collect::<Result<_, _>>()?,
            known,
        })
    }
}

impl Contestant {
    /// A game of this number, by its own stream of random numbers: the player's color, who begins every
    /// other game, the game, and its evaluations.
    fn game(
        &self,
        number: u32,
        stream: &str,
        max_plies: u32,
        ctx: &Context<'_>,
    ) -> Result<(Color, Game, EvaluatedGame), CellError> {
        let opponents = self.opponents.len();
        // Every opponent has both colors.
        let opponent = self.opponents[number as usize / 2 % opponents];
        let color = Color::from_white(number.is_multiple_of(2));
        let mut sides = [(self.strength, NAME), (opponent, "")];
        if color.is_black() {
            sides.reverse();
        }
        let mut rng = ctx.rng_for(stream);
        let game = play(
            sides.map(|one| one.0),
            sides.map(|one| one.1),
            max_plies,
            &mut rng,
        )?;
        let read = evaluated(&game)?;
        Ok((color, game, read))
    }
}

/// Adds to `known`, for every so many of a player's moves, by how much his expected loss is above that of
/// the reference in the same position: both policies give every move's probability.
fn sample(
    game: &Game,
    read: &EvaluatedGame,
    color: Color,
    offset: usize,
    policies: &mut [WeightedOnePly; 2],
    known: &mut Moments,
) {
    let own = read.moves.iter().filter(|one| one.color == color);
    let mut own = own.skip(offset).step_by(SAMPLED).peekable();
    for (ply, (position, _)) in (1..).zip(game.plies()) {
        let Some(one) = own.next_if(|one| one.ply == ply) else {
            continue;
        };
        let moves = position.legal_moves();
        let win = |percent: f64| color.fold_wb(percent, 100.0 - percent);
        let before = win(one.before.win_percent());
        let losses: Vec<f64> = (moves.iter())
            .map(|&played| {
                let mut after = position.clone();
                after.play_unchecked(played);
                let after = if after.is_checkmate() {
                    100.0
                } else {
                    win(win_percent(evaluation(&after)))
                };
                (before - after).max(0.0)
            })
            .collect();
        let mut expected = policies.iter_mut().map(|policy| -> f64 {
            let shares = choices(policy, &position, &moves);
            shares
                .iter()
                .zip(&losses)
                .map(|(share, loss)| share * loss)
                .sum()
        });
        if let (Some(player), Some(reference)) = (expected.next(), expected.next()) {
            known.push(player - reference);
        }
    }
}

/// The difference of two players' standings over so many games each.
fn answer(first: &Standing, second: &Standing, given: u32) -> Option<Answer> {
    let (one, other) = (first.difference()?, second.difference()?);
    let corrected = one.value - other.value;
    let interval = one.error.zip(other.error).and_then(|((a, _), (b, _))| {
        let freedom = (given as usize).saturating_sub(1);
        student_interval(corrected, a.hypot(b), freedom, 0.95).ok()
    });
    Some(Answer {
        corrected,
        interval,
        loss: first.loss()?.value - second.loss()?.value,
        accuracy: first.accuracy()? - second.accuracy()?,
    })
}

/// A difference of two means, with its standard error.
fn difference_of_means(all: &[Moments; 2]) -> Option<Number> {
    let [first, second] = all;
    let error = |one: &Moments| Some(one.variance()? / one.n_samples() as f64);
    let value = first.mean()? - second.mean()?;
    Some(Number::new(value).with_std_error((error(first)? + error(second)?).sqrt()))
}

/// Fills the row of one number of games.
fn set(
    answers: impl Iterator<Item = Answer>,
    known: Number,
    mut row: RowOutput<'_>,
) -> Result<(), CellError> {
    let (mut corrected, mut loss, mut accuracy) =
        (Moments::default(), Moments::default(), Moments::default());
    let (mut n_answered, mut n_covered, mut n_right, mut n_raw_right) =
        (0_u32, 0_u32, 0_u32, 0_u32);
    let is_first_better = known.value < 0.0;
    for answer in answers {
        corrected.push(answer.corrected);
        loss.push(answer.loss);
        accuracy.push(answer.accuracy);
        n_right += u32::from((answer.corrected < 0.0) == is_first_better);
        n_raw_right += u32::from((answer.accuracy > 0.0) == is_first_better);
        if let Some(interval) = answer.interval {
            n_answered += 1;
            n_covered += u32::from(interval.contains(known.value));
        }
    }
    let n = corrected.n_samples();
    let percent = |count: u32, of: f64| 100.0 * f64::from(count) / of;
    row.set("runs", n);
    row.set("answered", percent(n_answered, n as f64));
    if n_answered > 0 {
        row.set("covered", percent(n_covered, f64::from(n_answered)));
    }
    row.set("known", known);
    for (column, moments) in [("corrected", corrected), ("loss", loss), ("raw", accuracy)] {
        let mean = moments
            .mean()
            .ok_or_else(|| CellError::new("there is no run"))?;
        let mut number = Number::new(mean).with_samples(n);
        if let Some(variance) = moments.variance() {
            number = number.with_std_error((variance / n as f64).sqrt());
        }
        row.set(column, number);
    }
    row.set("corrected-right", percent(n_right, n as f64));
    row.set("raw-right", percent(n_raw_right, n as f64));
    Ok(())
}
