//! `tournament-moves`: readings judged by the moves that CHUTE itself played.

use kibitz_board::{Color, Game, Move, game_filter::GameSource};
use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Number, Output, Problems};
use kibitz_heuristics::chute::{
    self, History, Interpretation, Interpretations, Parameters, Polynomial,
};
use kibitz_stats::summary::{mean, std_dev};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scored_games::{audit_of, check_games, games_of};

/// The ranks of the moves that a program played, by readings added to the adopted ones.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct TournamentMoves {
    /// The games.
    games: GameSource,
    /// The names of the program in the tags White and Black.
    players: Vec<String>,
    /// One row of the table each.
    rows: Vec<RowParams>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RowParams {
    /// The row of the table.
    row: String,
    /// Interpretations tried in addition to those adopted.
    #[serde(default)]
    readings: Vec<Interpretation>,
}

impl RowParams {
    fn parameters(&self) -> Parameters {
        let readings = self.readings.iter().copied();
        Parameters::read(readings.fold(Interpretations::ADOPTED, Interpretations::with))
    }
}

/// Moves that the tournament program kept at most (p. 87): each of its own is among as many.
const KEPT: usize = 7;

impl Experiment for TournamentMoves {
    type Row = usize;

    const NAME: &'static str = "tournament-moves";
    const EXAMPLE: &'static str = include_str!("../examples/tournament-moves.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("moves", "moves", "moves that the program played"),
        Column::new("first", "%", "of them ranked first"),
        Column::new("four", "%", "of them among the first four"),
        Column::new("seven", "%", "of them among the first seven"),
        Column::new("mean-rank", "", "mean of their ranks"),
        Column::new(
            "gain-seven",
            "%",
            "seven less that of the readings adopted, paired by move",
        ),
        Column::new(
            "gain-rank",
            "",
            "mean rank less that of the readings adopted, paired by move",
        ),
        Column::new(
            "decided",
            "",
            "better or worse where a gain exceeds two standard errors, else open",
        ),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.within("games", |problems| check_games(&self.games, problems));
        problems.require(!self.players.is_empty(), "players", "at least one name");
        problems.require(!self.rows.is_empty(), "rows", "at least one row");
    }

    fn cells(&self) -> Vec<Cell<usize>> {
        let cell = |(number, row): (usize, &RowParams)| {
            Cell::row(&row.row, number).reading([&self.games.data])
        };
        self.rows.iter().enumerate().map(cell).collect()
    }

    fn run(&self, row: &usize, ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let (games, counts) = games_of(&self.games, None, ctx)?;
        ctx.audit(audit_of(&self.games.data, counts, ctx)?);
        let params = &self.rows[*row];
        let ranks = self.ranks(&games, &params.parameters());
        if ranks.len() < 2 {
            let names = self.players.join("`, `");
            return Err(CellError::new(format!(
                "the {} games of `{}` hold {} moves by `{names}`; two or more are needed",
                games.len(),
                self.games.data,
                ranks.len()
            )));
        }
        let within = |kept: usize| {
            let is_kept = ranks.iter().map(|&rank| f64::from(u8::from(rank <= kept)));
            mean(&is_kept.collect::<Vec<f64>>()).map(|share| 100.0 * share)
        };
        let places: Vec<f64> = ranks.iter().map(|&rank| rank as f64).collect();
        let out = &mut output.row(&params.row);
        out.set("moves", ranks.len())
            .set("first", within(1)?)
            .set("four", within(4)?)
            .set("seven", within(KEPT)?)
            .set("mean-rank", mean(&places)?);
        if params.readings.is_empty() {
            return Ok(());
        }
        let adopted = self.ranks(&games, &Parameters::PUBLISHED);
        let paired = |of: fn(usize) -> f64| {
            let pairs = ranks.iter().zip(&adopted);
            paired_mean(
                &pairs
                    .map(|(&ours, &theirs)| of(ours) - of(theirs))
                    .collect::<Vec<_>>(),
            )
        };
        let seven = paired(|rank| if rank <= KEPT { 100.0 } else { 0.0 })?;
        let rank = paired(|rank| rank as f64)?;
        out.set("gain-seven", seven)
            .set("gain-rank", rank)
            .set("decided", decided(seven, rank));
        Ok(())
    }
}

/// The mean of paired differences with its standard error.
fn paired_mean(differences: &[f64]) -> Result<Number, CellError> {
    let std_error = std_dev(differences)? / (differences.len() as f64).sqrt();
    Ok(Number::new(mean(differences)?).with_std_error(std_error))
}

/// The evidence of the moves about an interpretation. More moves among the first seven, and lower ranks,
/// are better.
fn decided(seven: Number, rank: Number) -> &'static str {
    let exceeds = |gain: f64, number: Number| {
        number
            .std_error
            .is_some_and(|error| gain > 2.0 * error && gain > 0.0)
    };
    let better = exceeds(seven.value, seven) || exceeds(-rank.value, rank);
    let worse = exceeds(-seven.value, seven) || exceeds(rank.value, rank);
    match (better, worse) {
        (true, false) => "better",
        (false, true) => "worse",
        _ => "open",
    }
}

impl TournamentMoves {
    /// The rank of each move of the program, from 1: of equal scores the first in the order of squares.
    fn ranks(&self, games: &[Game], parameters: &Parameters) -> Vec<usize> {
        let of_game = |game: &Game| -> Vec<usize> {
            let is_program = Color::ALL.map(|color| {
                let tags = game.tags();
                let name = if color.is_white() {
                    &tags.white
                } else {
                    &tags.black
                };
                self.players.contains(name)
            });
            let mut history = History::default();
            let mut ranks = Vec::new();
            for (position, played) in game.plies() {
                let turn = kibitz_board::Position::turn(&position);
                if is_program[usize::from(turn.is_black())] {
                    let context = chute::Context::with(&position, history, parameters);
                    ranks.extend(rank_of(&context, played));
                }
                history = history.after(played);
            }
            ranks
        };
        let ranks: Vec<Vec<usize>> = games.par_iter().map(of_game).collect();
        ranks.concat()
    }
}

/// The rank of a move, from 1; none if it is not legal, as no move of a game is.
fn rank_of(context: &chute::Context<'_>, played: Move) -> Option<usize> {
    let ranked = chute::rank_moves(context, &Polynomial::default());
    let place = ranked.iter().position(|ranked| ranked.m == played);
    place.map(|place| place + 1)
}

#[cfg(test)]
mod tests {
    use kibitz_experiment::{Code, Kind, Value};
    use kibitz_lab::testing::TestBench;

    use super::*;

    fn output(cell: &str) -> Output {
        let pgn = include_bytes!("../../../data/sugar1975/tournament-games.pgn");
        let kind = Kind::of::<TournamentMoves>(Code::Constant);
        let bench = TestBench::new(kind, "sugar1975/tournament-games", TournamentMoves::EXAMPLE)
            .unwrap()
            .with_data("games", pgn);
        bench.run(cell, 0).unwrap()
    }

    fn number(row: &str, column: &str) -> f64 {
        match output(row).get(row, column) {
            Some(Value::Number(number)) => number.value,
            other => panic!("a number, not {other:?}"),
        }
    }

    #[test]
    fn most_moves_of_the_program_are_among_our_first_seven() {
        assert!((number("adopted", "moves") - 37.0).abs() < 1e-9);
        assert!(number("adopted", "seven") > 75.0);
        assert!(number("adopted", "first") < number("adopted", "four"));
        assert!(output("adopted").get("adopted", "gain-seven").is_none());
        assert!(output("king").get("king", "gain-seven").is_some());
    }

    #[test]
    fn a_gain_within_two_errors_decides_nothing() {
        let number = |value, error| Number::new(value).with_std_error(error);
        assert_eq!(decided(number(5.0, 3.0), number(0.0, 0.0)), "open");
        assert_eq!(decided(number(7.0, 3.0), number(0.0, 0.0)), "better");
        assert_eq!(decided(number(0.0, 0.0), number(1.0, 0.4)), "worse");
        assert_eq!(decided(number(7.0, 3.0), number(1.0, 0.4)), "open");
    }
}
