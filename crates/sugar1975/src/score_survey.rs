//! `score-survey`: the thesis's tables on an archive of any size, read as a stream.

use kibitz_board::{Game, open::Decompressed, pgn};
use kibitz_heuristics::chute::{N_HEURISTICS, Parameters, Polynomial, RecordError, record_game};
use kibitz_lab::{
    Cell, CellContext, CellError, CellOutput, Column, Diagnostics, Kind, Number, Params, Plan,
};
use kibitz_stats::regression::LeastSquares;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    chute_data::{CLOSENESS, N_VARIABLES, Plies, every_heuristic, heuristic_row, variable_row},
    chute_tally::{Regression, Tallies, Tally},
};

/// Score differences, correlations, regression and ranks over all decisive games of an archive.
#[derive(Debug)]
pub(crate) struct ScoreSurvey;

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct SurveyParams {
    /// The archive, by its name under `data`; read as a stream.
    archive: String,
    /// Only every so many of the decisive games.
    #[serde(default = "one")]
    every: u32,
    /// Games are dealt into so many groups, each left out once for the standard errors.
    groups: u32,
}

fn one() -> u32 {
    1
}

impl Kind for ScoreSurvey {
    fn name(&self) -> &'static str {
        "score-survey"
    }

    fn version(&self) -> u32 {
        1
    }

    fn crates(&self) -> &'static [&'static str] {
        &["kibitz-board", "kibitz-heuristics", "kibitz-stats"]
    }

    fn example(&self) -> &'static str {
        include_str!("examples/score-survey.toml")
    }

    fn params_schema(&self) -> schemars::Schema {
        schemars::schema_for!(SurveyParams)
    }

    fn plan(&self, params: &Params<'_>) -> Result<Box<dyn Plan>, Diagnostics> {
        let checked: SurveyParams = params.read()?;
        let mut problems = Diagnostics::new();
        if !params.has_data(&checked.archive) {
            let message = format!("`{}` is not named under `data`", checked.archive);
            problems.push(params.error_at("archive", message));
        }
        if checked.every == 0 {
            problems.push(params.error_at("every", "1 for all games, 2 for every other"));
        }
        if checked.groups < 2 {
            problems.push(params.error_at("groups", "at least two groups"));
        }
        problems.into_result(Box::new(SurveyPlan(checked)))
    }
}

struct SurveyPlan(SurveyParams);

const POLYNOMIAL: &str = "polynomial";

/// Rows about positions of a phase.
const PHASES: [(&str, Plies); 4] = [
    ("all plies", Plies::All),
    ("plies below 16", Plies::Opening),
    ("plies 16 to 60", Plies::MiddleGame),
    ("plies above 60", Plies::Endgame),
];

/// Games scored together; what is held at a time grows with it, the result does not depend on it.
const BATCH: usize = 256;

impl Plan for SurveyPlan {
    fn random(&self) -> bool {
        false
    }

    fn columns(&self) -> Vec<Column> {
        let mut columns = Vec::new();
        for (name, unit, doc) in [
            (
                "mean-diff",
                "points",
                "mean score of the first choice less the master move's",
            ),
            (
                "norm-diff",
                "",
                "that in standard deviations; positive harms the ranking",
            ),
            ("cor", "", "correlation with closeness to a win"),
            (
                "r1-3",
                "0.00001",
                "coefficient of the regression on all heuristics",
            ),
        ] {
            columns.push(Column::new(name, unit, doc));
            columns.push(Column::new(
                format!("{name}-sign"),
                "",
                "its sign; 0 if it is within two standard errors of 0",
            ));
        }
        columns.extend([
            Column::new("games", "games", "decisive games"),
            Column::new("n", "positions", "positions"),
            Column::new("a-1", "", "type 1 error at fanout 1"),
            Column::new("a-7", "", "type 1 error at fanout 7"),
            Column::new("samuel-c", "", "Samuel's coefficient"),
            Column::new("r2", "%", "variance that the 22 heuristics explain"),
        ]);
        columns
    }

    fn cells(&self) -> Vec<Cell> {
        let rows = (0..N_VARIABLES)
            .map(variable_row)
            .chain([POLYNOMIAL.to_owned()])
            .chain(PHASES.map(|(row, _)| row.to_owned()));
        vec![
            Cell::rows("archive", rows)
                .reading([&self.0.archive])
                .costing(1000.0),
        ]
    }

    fn run(&self, _: &Cell, ctx: &CellContext<'_>) -> Result<CellOutput, CellError> {
        let survey = self.survey(ctx)?;
        let tallies = Tallies::of_groups(&survey.groups)?;
        let mut output = CellOutput::new();
        differences(&tallies, &mut output);
        correlations(&tallies, &mut output);
        coefficients(&tallies, &mut output);
        for (row, plies) in PHASES {
            phase(row, plies, &tallies, &mut output);
        }
        output.set(PHASES[0].0, "games", survey.n_games);
        Ok(output)
    }
}

struct Survey {
    groups: Vec<Tally>,
    n_games: u64,
}

impl SurveyPlan {
    fn survey(&self, ctx: &CellContext<'_>) -> Result<Survey, CellError> {
        let file = ctx.data(&self.0.archive)?;
        let reader = Decompressed::new(file.open()?)?;
        let games = pgn::read_games(file.entry(), reader, pgn::Policy::default());
        let mut survey = Survey {
            groups: vec![Tally::new(); self.0.groups as usize],
            n_games: 0,
        };
        let mut batch = Vec::with_capacity(BATCH);
        let mut n_decisive = 0_u64;
        for game in games {
            let game = game?;
            if !is_played_to_a_win(&game) {
                continue;
            }
            if n_decisive.is_multiple_of(u64::from(self.0.every)) {
                batch.push(game);
            }
            n_decisive += 1;
            if batch.len() == BATCH {
                survey.add(&batch, ctx)?;
                batch.clear();
            }
        }
        survey.add(&batch, ctx)?;
        Ok(survey)
    }
}

/// Whether two named players played the game from the normal start, and one won.
fn is_played_to_a_win(game: &Game) -> bool {
    let tags = game.tags();
    game.outcome().winner().is_some()
        && game.starts_normally()
        && game.n_plies() > 0
        && !tags.white.is_empty()
        && !tags.black.is_empty()
}

impl Survey {
    /// Scores games in parallel and adds them up in order.
    fn add(&mut self, games: &[Game], ctx: &CellContext<'_>) -> Result<(), CellError> {
        let polynomial = Polynomial::default();
        let tallies: Vec<Tally> = games
            .par_iter()
            .map(|game| {
                ctx.check()?;
                match record_game(game, &Parameters::PUBLISHED, &[]) {
                    Ok(records) => Tally::of(&records, &polynomial),
                    Err(RecordError::NotDecisive) => Ok(Tally::new()),
                    Err(other) => Err(other.into()),
                }
            })
            .collect::<Result<_, CellError>>()?;
        for tally in &tallies {
            let group = usize::try_from(self.n_games)? % self.groups.len();
            self.groups[group].merge(tally)?;
            self.n_games += 1;
        }
        Ok(())
    }
}

/// Sets a number and its sign.
fn set(output: &mut CellOutput, row: &str, column: &str, number: Number) {
    output.set(row, column, number);
    let Some(std_error) = number.std_error else {
        return;
    };
    let sign = if number.value.abs() <= 2.0 * std_error {
        "0"
    } else if number.value < 0.0 {
        "-"
    } else {
        "+"
    };
    output.set(row, format!("{column}-sign"), sign);
}

fn differences(tallies: &Tallies, output: &mut CellOutput) {
    for n in 0..=N_HEURISTICS {
        let row = if n < N_HEURISTICS {
            heuristic_row(n)
        } else {
            POLYNOMIAL.to_owned()
        };
        let pairs = |tally: &Tally| tally.pairs(false)[n];
        if let Some(mean) = tallies.estimate(|tally| pairs(tally).difference.mean()) {
            set(output, &row, "mean-diff", mean);
        }
        if let Some(normalized) = tallies.estimate(|tally| pairs(tally).normalized_difference()) {
            set(output, &row, "norm-diff", normalized);
        }
    }
}

fn correlations(tallies: &Tallies, output: &mut CellOutput) {
    for variable in 0..N_VARIABLES {
        let correlation = tallies.estimate(|tally| {
            let moments = tally.moments(Plies::All).ok()?;
            moments.correlation(variable, CLOSENESS).ok()
        });
        if let Some(correlation) = correlation {
            set(output, &variable_row(variable), "cor", correlation);
        }
    }
}

fn coefficients(tallies: &Tallies, output: &mut CellOutput) {
    let found = tallies.estimates(|tally| {
        let moments = tally.moments(Plies::All).ok()?;
        let fit = LeastSquares::of_moments(&moments, &every_heuristic(), CLOSENESS).ok()?;
        Some(fit.coefficients.iter().map(|value| 1e5 * value).collect())
    });
    for (n, number) in found.into_iter().flatten().enumerate() {
        set(output, &heuristic_row(n), "r1-3", number);
    }
}

fn phase(row: &str, plies: Plies, tallies: &Tallies, output: &mut CellOutput) {
    output.set(row, "n", tallies.whole.ranks(plies).n_samples());
    for (column, fanout) in [("a-1", 1), ("a-7", 7)] {
        if let Some(rate) = tallies.estimate(|tally| tally.ranks(plies).miss_rate(fanout)) {
            output.set(row, column, rate);
        }
    }
    if let Some(samuel) = tallies.estimate(|tally| tally.samuel(plies).coefficient()) {
        output.set(row, "samuel-c", samuel);
    }
    // Some heuristics never score in an opening; they are left out there.
    let r2 = tallies.estimate(|tally| {
        let moments = tally.moments(plies).ok()?;
        let regression = Regression::of(&moments, &every_heuristic()).ok()?;
        Some(100.0 * regression.fit.r_squared)
    });
    if let Some(r2) = r2 {
        output.set(row, "r2", r2);
    }
}

#[cfg(test)]
mod tests {
    use kibitz_lab::{Value, testing::TestBench};

    use super::*;

    /// The library, read as if it were an archive.
    fn survey(every: u32, groups: u32) -> CellOutput {
        let mut file: toml::Table = ScoreSurvey.example().parse().unwrap();
        let params = file["params"].as_table_mut().unwrap();
        params.insert("every".to_owned(), every.into());
        params.insert("groups".to_owned(), groups.into());
        let pgn = include_bytes!("../../../data/chute-library.pgn");
        let bench = TestBench::new(&ScoreSurvey, "beyond/survey", &file.to_string())
            .unwrap()
            .with_data("archive", pgn);
        bench.run("archive", 0).unwrap()
    }

    #[test]
    fn streams_every_game_or_some() {
        let all = survey(1, 20);
        assert_eq!(all.number("all plies", "games"), Some(98.0));
        // The marks '?' of one game are not read: no archive has them.
        assert_eq!(all.number("all plies", "n"), Some(7775.0));
        let phases = ["plies below 16", "plies 16 to 60", "plies above 60"];
        let sum: f64 = phases.iter().map(|row| all.number(row, "n").unwrap()).sum();
        assert!((sum - 7775.0).abs() < f64::EPSILON);
        let a_1 = all.number("all plies", "a-1").unwrap();
        assert!(all.number("all plies", "a-7").unwrap() < a_1);
        assert!(all.number("plies below 16", "r2").unwrap() < 100.0);

        let some = survey(7, 5);
        assert_eq!(some.number("all plies", "games"), Some(14.0));
    }

    #[test]
    fn groups_decide_the_errors_and_not_the_estimates() {
        let correlation = |groups| match survey(1, groups).get("heuristic 13", "cor") {
            Some(Value::Number(number)) => *number,
            other => panic!("a number, not {other:?}"),
        };
        let (few, many) = (correlation(10), correlation(98));
        assert!((few.value - many.value).abs() < 1e-12);
        let (few, many) = (few.std_error.unwrap(), many.std_error.unwrap());
        assert!(
            few > 0.0 && (few / many).ln().abs() < 1.0,
            "{few} and {many}"
        );
    }
}
