//! `accuracy`: the curves by which lichess measures accuracy, estimated again, and whether an accuracy
//! that corrects for difficulty finds a known difference between two players.

mod comparison;
mod curves;
mod simulated;

use kibitz_board::{Color, KnownOutcome, Outcome};
use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Number, Output, Problems};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::{
    comparison::Comparison,
    curves::{CurvePoint, GameOfEvaluations, accuracy_curve, win_slope},
    simulated::{evaluations, play},
};
use crate::player_games::{CellSession, CodedPlayer, games_of};

/// The published formulas of lichess for accuracy, on games that the experiment evaluates itself.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Accuracy {
    /// Players whose games give the chance of winning by evaluation, one row each.
    players: Vec<CodedPlayer>,
    /// Games of equal simulated players, for a row of their own.
    simulated: SimulatedGames,
    /// The points to which the curve of accuracy is fitted.
    points: Vec<CurvePoint>,
    /// Pairs of simulated players whose difference is known.
    comparisons: Vec<Comparison>,
    /// A simulated game is broken off undecided after this many plies.
    max_plies: u32,
}

/// Games of simulated players of one strength.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct SimulatedGames {
    /// Number of games.
    games: u32,
    /// Natural logarithm of the odds that a pawn is worth to both players.
    strength: f64,
}

/// What a cell computes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Work {
    /// The chance of winning in the games of this player.
    Games(usize),
    /// The chance of winning in simulated games.
    Simulated,
    /// The curve of accuracy.
    Curve,
    /// This comparison of two players.
    Comparison(usize),
}

/// The row of simulated games.
const SIMULATED: &str = "win chance, simulated players";

/// The row of the curve of accuracy.
const CURVE: &str = "accuracy of a move";

impl Experiment for Accuracy {
    type Row = Work;

    const NAME: &'static str = "accuracy";
    const EXAMPLE: &'static str = include_str!("../../examples/accuracy.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("positions", "positions", "positions evaluated"),
        Column::new(
            "slope",
            "per centipawn",
            "natural logarithm of the odds of winning that a centipawn adds, with its error over games",
        ),
        Column::new("low", "per centipawn", "95% interval of `slope`, from"),
        Column::new("high", "per centipawn", "95% interval of `slope`, to"),
        Column::new(
            "factor",
            "",
            "a of the accuracy a exp(-k loss) + b of a move, in percent",
        ),
        Column::new("rate", "per percentage point", "k of the same curve"),
        Column::new("constant", "", "b of the same curve"),
        Column::new("runs", "runs", "independent runs of the comparison"),
        Column::new(
            "answered",
            "%",
            "runs with games enough for an interval of the difference",
        ),
        Column::new(
            "covered",
            "%",
            "runs among these whose 95% interval has the known difference",
        ),
        Column::new(
            "known",
            "percentage points",
            "known difference in the loss beyond that of the reference in the same positions",
        ),
        Column::new(
            "corrected",
            "percentage points",
            "the same estimated from evaluations, mean of the runs",
        ),
        Column::new(
            "corrected-right",
            "%",
            "runs in which the estimate names the better player",
        ),
        Column::new(
            "loss",
            "percentage points",
            "difference in the mean loss of win chance, uncorrected, mean of the runs",
        ),
        Column::new(
            "raw",
            "percentage points",
            "difference in the accuracy of lichess, mean of the runs",
        ),
        Column::new(
            "raw-right",
            "%",
            "runs in which the accuracy of lichess names the better player",
        ),
    ];

    fn check(&self, problems: &mut Problems) {
        CodedPlayer::check_all(&self.players, problems);
        problems.require(
            self.points.len() > 3,
            "points",
            "a curve of three parameters needs more points",
        );
        problems.require(
            self.points.iter().all(|point| point.error > 0.0),
            "points",
            "every `error` is above 0",
        );
        problems.require(self.max_plies > 1, "max-plies", "two plies or more");
        problems.require(
            self.simulated.games > 0 && self.simulated.strength.is_finite(),
            "simulated",
            "one game or more, and a finite strength",
        );
        for (number, comparison) in self.comparisons.iter().enumerate() {
            let path = format!("comparisons.{number}");
            problems.within(&path, |problems| comparison.check(problems));
        }
    }

    fn random(&self) -> bool {
        true
    }

    fn cells(&self) -> Vec<Cell<Work>> {
        let players = self.players.iter().enumerate().map(|(number, player)| {
            Cell::row(format!("win chance, {}", player.name), Work::Games(number))
                .reading([&player.games.data])
                .costing(10.0)
        });
        let comparisons = self.comparisons.iter().enumerate().map(|(number, all)| {
            let rows = all.given.iter().map(|given| all.row(*given));
            Cell::rows(&all.name, rows, Work::Comparison(number)).costing(60.0)
        });
        players
            .chain([
                Cell::row(SIMULATED, Work::Simulated).costing(3.0),
                Cell::row(CURVE, Work::Curve),
            ])
            .chain(comparisons)
            .collect()
    }

    fn run(&self, work: &Work, ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        match work {
            Work::Games(number) => {
                let games = finished_games(&self.players[*number], ctx)?;
                set_slope(&games, ctx, output)
            }
            Work::Simulated => set_slope(&self.simulated_games(ctx)?, ctx, output),
            Work::Curve => {
                let [factor, rate, constant] = accuracy_curve(&self.points)
                    .ok_or_else(|| CellError::new("no curve fits these points"))?;
                output.set("factor", factor);
                output.set("rate", rate);
                output.set("constant", constant);
                Ok(())
            }
            Work::Comparison(number) => self.comparisons[*number].run(self.max_plies, ctx, output),
        }
    }
}

impl Accuracy {
    /// The simulated games that end with a result.
    fn simulated_games(&self, ctx: &Context<'_>) -> Result<Vec<GameOfEvaluations>, CellError> {
        let (SimulatedGames { games, strength }, max_plies) = (&self.simulated, self.max_plies);
        let finished: Vec<GameOfEvaluations> = (0..*games)
            .into_par_iter()
            .map(|number| {
                ctx.check()?;
                let mut rng = ctx.rng_for(&format!("game {number}"));
                let game = play([*strength; 2], ["", ""], max_plies, &mut rng)?;
                Ok(points_of(game.outcome()).map(|points| GameOfEvaluations {
                    points,
                    evaluations: evaluations(&game),
                }))
            })
            .collect::<Result<Vec<_>, CellError>>()?
            .into_iter()
            .flatten()
            .collect();
        if finished.is_empty() {
            return Err(CellError::new(format!(
                "none of {games} simulated games ends within {max_plies} plies; raise `max-plies`, \
                 so that games have results"
            )));
        }
        Ok(finished)
    }
}

/// The games of a player that end with a result.
fn finished_games(
    player: &CodedPlayer,
    ctx: &Context<'_>,
) -> Result<Vec<GameOfEvaluations>, CellError> {
    let games = games_of(&player.player, &player.games, ctx)?.games;
    let games: Vec<Option<GameOfEvaluations>> = games
        .par_iter()
        .map(|(game, _)| {
            ctx.check()?;
            let Some(points) = points_of(game.outcome()) else {
                return Ok(None);
            };
            let evaluations = evaluations(game);
            Ok(Some(GameOfEvaluations {
                points,
                evaluations,
            }))
        })
        .collect::<Result<_, CellError>>()?;
    let n_unknown = games.iter().filter(|game| game.is_none()).count();
    if n_unknown > 0 {
        ctx.audit(format!("games without a result, left out: {n_unknown}"));
    }
    let finished: Vec<GameOfEvaluations> = games.into_iter().flatten().collect();
    if finished.is_empty() {
        let name = &player.name;
        let message = format!("no game of {name} has a result; select games that were finished");
        return Err(CellError::new(message));
    }
    Ok(finished)
}

/// White's points; a game that was broken off has none.
fn points_of(outcome: Outcome) -> Option<f64> {
    Some(match outcome {
        Outcome::Known(KnownOutcome::Decisive {
            winner: Color::White,
        }) => 1.0,
        Outcome::Known(KnownOutcome::Decisive {
            winner: Color::Black,
        }) => 0.0,
        Outcome::Known(KnownOutcome::Draw) => 0.5,
        Outcome::Unknown => return None,
    })
}

fn set_slope(
    games: &[GameOfEvaluations],
    ctx: &Context<'_>,
    output: &mut Output,
) -> Result<(), CellError> {
    let slope = win_slope(games, &CellSession(ctx))?;
    let n: usize = games.iter().map(|game| game.evaluations.len()).sum();
    output.set("positions", n);
    let number = Number::new(slope.value).with_std_error(slope.std_error);
    output.set("slope", number.with_samples(games.len() as u64));
    output.set("low", slope.low);
    output.set("high", slope.high);
    Ok(())
}

#[cfg(test)]
mod tests {
    use kibitz_experiment::{Code, Kind};
    use kibitz_lab::testing::TestBench;

    use super::*;

    /// A game of two plies has no result.
    #[test]
    fn simulated_games_without_results_are_told_as_such() {
        let text = Accuracy::EXAMPLE.replace("max-plies = 40", "max-plies = 2");
        let kind = Kind::of::<Accuracy>(Code::Constant);
        let bench = TestBench::new(kind, "beyond/accuracy", &text).unwrap();
        let error = bench.run(SIMULATED, 0).unwrap_err();
        assert_eq!(
            error.to_string(),
            "none of 60 simulated games ends within 2 plies; raise `max-plies`, so that games have results"
        );
    }
}
