//! `score-readings`: sensitivity of the thesis's results to readings of its sentences and to games.

use std::sync::Arc;

use kibitz_experiment::{
    Cell, CellError, Column, Context, Experiment, Number, Output, Problems, SamplesUsed,
};
use kibitz_heuristics::chute::{Interpretation, Interpretations, Polynomial};
use kibitz_stats::{inference::Replicates, moments::Moments, summary::mean};
use rand::seq::SliceRandom as _;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    scored_games::{
        LibraryParams, Plies, ScoredGame, Status, VariableParams, check_heuristics,
        every_heuristic, read_as,
    },
    sufficient_statistics::{FigureResult, Figures, Tallies, Tally, defined},
};

/// Ranks, scores and variance explained, by readings and games.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ScoreReadings {
    /// The games.
    library: LibraryParams,
    /// Regressions of closeness to a win; each has a column of variance explained.
    runs: Vec<Run>,
    /// One row of the table each.
    rows: Vec<RowParams>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Run {
    /// The column of the table.
    column: String,
    /// The plies used.
    #[serde(default)]
    plies: Plies,
    /// The variables.
    variables: VariableParams,
}

/// Columns of the variance explained.
const RUNS: [&str; 6] = ["r1-3", "r1-5", "r1-6", "r1-7", "r2-1", "r2-3"];

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RowParams {
    /// The row of the table.
    row: String,
    /// Readings of ambiguous sentences; the adopted ones when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    readings: Option<Vec<Interpretation>>,
    /// The heuristic of the row's score and correlation columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    heuristic: Option<usize>,
    /// The games used.
    #[serde(default)]
    games: Games,
}

/// A subset of the library games.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Games {
    /// All of them.
    #[default]
    All,
    /// Identified games: certain, or one of several candidates.
    Identified,
    /// Random samples, each with the number of identified games: mean and standard deviation of the
    /// results.
    Random,
    /// Those that were resigned.
    Resigned,
}

impl Games {
    fn has(self, game: &ScoredGame) -> bool {
        match self {
            Games::All | Games::Random => true,
            Games::Identified => matches!(game.status, Some(Status::Exact | Status::Chosen)),
            // Who is mated next is as close to it as can be.
            Games::Resigned => game
                .records
                .iter()
                .all(|record| record.closeness.abs() < 1.0),
        }
    }

    /// The statistics of each game in the subset.
    fn tallies(self, games: &[ScoredGame]) -> Result<Vec<Tally>, CellError> {
        games
            .par_iter()
            .filter(|game| self.has(game))
            .map(|game| Tally::of(&game.records, &Polynomial::default()))
            .collect()
    }
}

/// Number of random samples of a row.
const DRAWS: usize = 200;

impl Experiment for ScoreReadings {
    type Row = usize;

    const NAME: &'static str = "score-readings";
    const EXAMPLE: &'static str = include_str!("../examples/score-readings.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("games", "games", "games that count"),
        Column::new("n", "positions", "their positions"),
        Column::new("p1", "%", "positions whose master move ranks first"),
        Column::new("p4", "%", "positions whose master move is among four"),
        Column::new("p6", "%", "positions whose master move is among six"),
        Column::new("p7", "%", "positions whose master move is among seven"),
        Column::new("share", "", "share of positions where the moves differ"),
        Column::new("r1-3", "%", "variance that run R1.3 explains"),
        Column::new("r1-5", "%", "variance that run R1.5 explains"),
        Column::new("r1-6", "%", "variance that run R1.6 explains"),
        Column::new("r1-7", "%", "variance that run R1.7 explains"),
        Column::new("r2-1", "%", "variance that run R2.1 explains"),
        Column::new("r2-3", "%", "variance that run R2.3 explains"),
        Column::new("gain-p1", "%", "p1 less that of the readings adopted"),
        Column::new("gain-p4", "%", "p4 less that of the readings adopted"),
        Column::new("gain-p6", "%", "p6 less that of the readings adopted"),
        Column::new("gain-p7", "%", "p7 less that of the readings adopted"),
        Column::new(
            "gain-r2",
            "%",
            "variance that all heuristics explain, less that with the readings adopted",
        ),
        Column::new("heuristic", "", "the heuristic of the columns after it"),
        Column::new("cor", "", "correlation of its account with closeness"),
        Column::new("chute-mean", "points", "its mean for the first choice"),
        Column::new("chute-sd", "points", "standard deviation of that"),
        Column::new("master-mean", "points", "its mean for the master move"),
        Column::new("master-sd", "points", "standard deviation of that"),
        SamplesUsed::COLUMN,
    ];

    fn check(&self, problems: &mut Problems) {
        self.library.check(problems);
        problems.each("runs", &self.runs, |run, problems| {
            run.variables.check(problems);
            let message = format!("one of {}", RUNS.join(", "));
            problems.require(RUNS.contains(&run.column.as_str()), "column", message);
        });
        problems.require(!self.rows.is_empty(), "rows", "at least one row");
        problems.each("rows", &self.rows, |row, problems| {
            check_heuristics("heuristic", row.heuristic.as_slice(), problems);
        });
    }

    fn random(&self) -> bool {
        self.rows.iter().any(|row| row.games == Games::Random)
    }

    fn cells(&self) -> Vec<Cell<usize>> {
        let cell = |(number, row): (usize, &RowParams)| {
            Cell::row(&row.row, number)
                .reading([self.library.data()])
                .sharing("tallies")
        };
        self.rows.iter().enumerate().map(cell).collect()
    }

    fn run(&self, row: &usize, ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let params = &self.rows[*row];
        let readings = read_as(params.readings.as_ref());
        let row = &mut output.row(&params.row);
        if let Some(heuristic) = params.heuristic {
            row.set("heuristic", heuristic);
        }
        let columns = self.figure_columns(params);
        if params.games == Games::Random {
            return self.run_random(params, &columns, ctx, output);
        }
        let tallies = self.tallies(readings, params.games, ctx)?;
        row.set("games", tallies.n_groups());
        let mut figures = Figures::new(ctx, output);
        if params.readings.is_some() {
            let adopted = self.tallies(Interpretations::ADOPTED, params.games, ctx)?;
            for (column, gain) in GAINS.iter().zip(tallies.gains(&adopted, held_back)) {
                figures.set(&params.row, column, gain);
            }
        }
        let estimates = tallies.estimates(|tally| self.figures(tally, params));
        for (column, estimate) in columns.into_iter().zip(estimates) {
            figures.set(&params.row, column, estimate);
        }
        figures.finish()
    }
}

/// Columns of gains over the adopted readings, in results that no reading was chosen by.
const GAINS: [&str; 5] = ["gain-p1", "gain-p4", "gain-p6", "gain-p7", "gain-r2"];

/// Columns of rank results, before those of the runs.
const RANKS: [&str; 6] = ["n", "p1", "p4", "p6", "p7", "share"];

/// Columns of a row's heuristic, after those of the runs.
const OF_HEURISTIC: [&str; 5] = ["cor", "chute-mean", "chute-sd", "master-mean", "master-sd"];

/// Percentage of positions with the master move among the first `fanout`.
fn within(tally: &Tally, fanout: usize) -> FigureResult {
    let share = tally.ranks(Plies::All).share_within(fanout);
    defined(share.map(|share| 100.0 * share))
}

/// The results of [`GAINS`].
fn held_back(tally: &Tally) -> Vec<FigureResult> {
    let ranks = [1, 4, 6, 7].map(|fanout| within(tally, fanout));
    let all = tally.explained(Plies::All, &every_heuristic());
    ranks.into_iter().chain([all]).collect()
}

impl ScoreReadings {
    /// Statistics of games under some readings, shared among rows and tables.
    fn tallies(
        &self,
        readings: Interpretations,
        games: Games,
        ctx: &Context<'_>,
    ) -> Result<Arc<Tallies>, CellError> {
        let file = ctx.data(self.library.data())?;
        let which = (file.entry(), &self.library, readings, games);
        let shared = ctx.shared(&format!("tallies {which:?}"), || {
            let (scored, audit) = self.library.scored(ctx, readings)?;
            let tallies = Tallies::of_groups(&games.tallies(&scored)?)?;
            Ok((Arc::new(tallies), audit))
        })?;
        let (tallies, audit) = &*shared;
        ctx.audit(audit);
        Ok(Arc::clone(tallies))
    }

    /// The columns of [`figures`](Self::figures).
    fn figure_columns(&self, params: &RowParams) -> Vec<&str> {
        let runs = self.runs.iter().map(|run| run.column.as_str());
        let of_heuristic = OF_HEURISTIC.into_iter();
        let of_heuristic = of_heuristic.filter(|_| params.heuristic.is_some());
        RANKS.into_iter().chain(runs).chain(of_heuristic).collect()
    }

    /// The results of some games.
    fn figures(&self, tally: &Tally, params: &RowParams) -> Vec<FigureResult> {
        let ranks = tally.ranks(Plies::All);
        let mut figures = vec![Ok(ranks.n_samples() as f64)];
        figures.extend([1, 4, 6, 7].map(|fanout| within(tally, fanout)));
        figures.push(defined(ranks.miss_rate(1)));
        let runs = self.runs.iter();
        figures.extend(runs.map(|run| tally.explained(run.plies, &run.variables.numbers())));
        if let Some(heuristic) = params.heuristic {
            figures.push(tally.correlation(heuristic));
            let pairs = tally.pairs()[heuristic];
            let both = |moments: Moments| [moments.mean(), moments.std_dev()];
            let both = both(pairs.first).into_iter().chain(both(pairs.second));
            figures.extend(both.map(defined));
        }
        figures
    }

    /// The results of random samples of games: means and standard deviations over the samples.
    fn run_random(
        &self,
        params: &RowParams,
        columns: &[&str],
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let games = self.library.score(ctx, read_as(params.readings.as_ref()))?;
        let n_identified = games.iter().filter(|game| Games::Identified.has(game));
        let n_identified = n_identified.count();
        let groups = params.games.tallies(&games)?;
        output.row(&params.row).set("games", n_identified);
        let mut rng = ctx.rng_for("games");
        let mut places: Vec<usize> = (0..groups.len()).collect();
        let mut draw = || places.partial_shuffle(&mut rng, n_identified).0.to_vec();
        let draws: Vec<Vec<usize>> = (0..DRAWS).map(|_| draw()).collect();
        let drawn = draws.par_iter().map(|draw| {
            let mut sum = Tally::new();
            for &place in draw {
                sum.merge(&groups[place])?;
            }
            Ok(self.figures(&sum, params))
        });
        let drawn: Vec<Vec<FigureResult>> = drawn.collect::<Result<_, CellError>>()?;
        let mut used = SamplesUsed::default();
        for (place, column) in columns.iter().enumerate() {
            let found = drawn.iter().map(|figures| figures[place].as_ref());
            let samples: Replicates = found.clone().map(|found| found.ok().copied()).collect();
            let std_dev = samples.bootstrap_std_error();
            if let Some(why) = found.clone().find_map(Result::err) {
                let few = if std_dev.is_err() {
                    ", too few for a mean"
                } else {
                    ""
                };
                used.add(&params.row, column, format!("{samples}{few} ({why})"));
            }
            if let Ok(std_dev) = std_dev {
                let number = Number::new(mean(samples.estimates())?);
                let number = number.with_std_error(std_dev);
                output.row(&params.row).set(*column, number);
            }
        }
        used.tell(ctx, output)
    }
}

#[cfg(test)]
mod tests {
    use kibitz_experiment::{Code, Kind, Value};
    use kibitz_lab::testing::TestBench;

    use super::*;

    fn output(cell: &str) -> Output {
        let pgn = include_bytes!("../../../data/chute-library.pgn");
        let kind = Kind::of::<ScoreReadings>(Code::Constant);
        let bench = TestBench::new(kind, "sugar1975/readings", ScoreReadings::EXAMPLE)
            .unwrap()
            .with_data("library", pgn);
        bench.run(cell, 0).unwrap()
    }

    fn number(row: &str, column: &str) -> Number {
        match output(row).get(row, column) {
            Some(Value::Number(number)) => *number,
            other => panic!("a number, not {other:?}"),
        }
    }

    #[test]
    fn a_reading_changes_its_heuristic() {
        let (plain, adopted) = ("as first read", "adopted");
        // Pieces saved paid 225 a point, and pay 1: heuristic 14 gives no more on average.
        assert!(number(plain, "master-mean").value > number(adopted, "master-mean").value + 50.0);
        assert!(number(adopted, "p7").value > number(adopted, "p1").value);
        assert!(
            number(adopted, "r1-7")
                .std_error
                .is_some_and(|error| error > 0.0)
        );
        // The adopted readings gain over the plainest ones, and nothing over themselves.
        let loss = number(plain, "gain-p1");
        let difference = number(plain, "p1").value - number(adopted, "p1").value;
        assert!(loss.value < 0.0 && (loss.value - difference).abs() < 1e-9);
        // Both are of the same games, so that the error is less than that of either.
        let error = |number: Number| number.std_error.unwrap();
        assert!(error(loss) < error(number(adopted, "p1")));
        assert!(output(adopted).get(adopted, "gain-p1").is_none());
        // Material does not depend on readings.
        let of_material = |row| number(row, "r1-7").value;
        assert!((of_material(plain) - of_material(adopted)).abs() < 1e-9);
    }

    #[test]
    fn samples_have_as_many_games_as_are_identified() {
        let (identified, random) = ("identified games", "random games");
        let games = |row| number(row, "games").value;
        assert!((games(identified) - 67.0).abs() < f64::EPSILON);
        assert!((games(random) - 67.0).abs() < f64::EPSILON);
        // A sample has about two thirds of all positions.
        let n = number(random, "n");
        assert!((n.value / number("adopted", "n").value - 67.0 / 98.0).abs() < 0.02);
        assert!(n.std_error.is_some_and(|spread| spread > 0.0));
        // One game ends in mate.
        assert!((games("without mates") - 97.0).abs() < f64::EPSILON);
    }
}
