//! `score-survey`: the thesis's main tables on an archive of any size, as a stream.

use std::{
    io::{self, Read},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use kibitz_board::{Game, game_filter::GameCounts, open::Decompressor, pgn};
use kibitz_experiment::{
    Cell, CellError, Column, Context, Experiment, Output, Part, Problems, SamplesUsed,
};
use kibitz_heuristics::chute::{N_HEURISTICS, Parameters, Polynomial, record_game};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    scored_games::{
        N_VARIABLES, POLYNOMIAL, Plies, every_heuristic, heuristic_row, score_row, variable_row,
    },
    sufficient_statistics::{Estimate, Figures, Tallies, Tally, defined},
};

/// Score differences, correlations, regression and ranks over all decisive games of an archive.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ScoreSurvey {
    /// The archive, by its name under `data`; read as a stream.
    archive: String,
    /// Only every nth decisive game.
    #[serde(default = "one")]
    every: u32,
    /// Number of jackknife groups of games.
    groups: u32,
    /// Into how many parts the groups fall: cells that run one by one, perhaps on several machines, before
    /// the one that adds them up. Each reads the archive and scores the games of its groups.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    parts: u32,
}

fn one() -> u32 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_one(parts: &u32) -> bool {
    *parts == 1
}

/// Rows about positions of a phase.
const PHASES: [(&str, Plies); 4] = [
    ("all plies", Plies::All),
    ("plies below 16", Plies::Opening),
    ("plies 16 to 60", Plies::MiddleGame),
    ("plies above 60", Plies::Endgame),
];

/// Games per batch; memory grows with it, results do not depend on it.
const BATCH: usize = 256;

/// Documentation of the sign columns.
const SIGN: &str = "its sign; 0 if it is within two standard errors of 0";

/// The work of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Work {
    /// Counts the games of some groups.
    Count(Part),
    /// Adds up the counts of the parts.
    AddUp,
    /// Both, of the only part.
    All(Part),
}

/// The id of the cell that counts a part.
fn name(part: Part) -> String {
    part.name("groups")
}

impl Experiment for ScoreSurvey {
    type Row = Work;

    const NAME: &'static str = "score-survey";
    const EXAMPLE: &'static str = include_str!("../examples/score-survey.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new(
            "mean-diff",
            "points",
            "mean score of the first choice less the master move's",
        ),
        Column::new("mean-diff-sign", "", SIGN),
        Column::new(
            "norm-diff",
            "",
            "that in standard deviations; positive harms the ranking",
        ),
        Column::new("norm-diff-sign", "", SIGN),
        Column::new("cor", "", "correlation with closeness to a win"),
        Column::new("cor-sign", "", SIGN),
        Column::new(
            "r1-3",
            "0.00001",
            "coefficient of the regression on all heuristics",
        ),
        Column::new("r1-3-sign", "", SIGN),
        Column::new("games", "games", "decisive games"),
        Column::new("n", "positions", "positions"),
        Column::new("a-1", "", "type 1 error at fanout 1"),
        Column::new("a-7", "", "type 1 error at fanout 7"),
        Column::new("samuel-c", "", "Samuel's coefficient"),
        Column::new("r2", "%", "variance that the 22 heuristics explain"),
        SamplesUsed::COLUMN,
    ];

    fn check(&self, problems: &mut Problems) {
        problems.names_data("archive", &self.archive);
        problems.require(
            self.every > 0,
            "every",
            "1 for all games, 2 for every other",
        );
        problems.require(self.groups >= 2, "groups", "at least two groups");
        problems.require(
            (1..=self.groups).contains(&self.parts),
            "parts",
            "at least one part, and no more than groups",
        );
    }

    fn cells(&self) -> Vec<Cell<Work>> {
        let rows: Vec<String> = (0..N_VARIABLES)
            .map(variable_row)
            .chain([POLYNOMIAL.to_owned()])
            .chain(PHASES.map(|(row, _)| row.to_owned()))
            .collect();
        let costs = 1000.0 / f64::from(self.parts);
        let reads = |cell: Cell<Work>| cell.reading([&self.archive]).costing(costs);
        if self.parts == 1 {
            let all = |part| Cell::rows("archive", rows.clone(), Work::All(part));
            return Part::all(1).map(all).map(reads).collect();
        }
        let count = |part| Cell::rows(name(part), [""; 0], Work::Count(part));
        let parts = Part::all(self.parts).map(count).map(reads);
        let add_up = Cell::rows("archive", rows, Work::AddUp);
        let add_up = add_up.after(Part::all(self.parts).map(name));
        parts.chain([add_up]).collect()
    }

    fn run(&self, work: &Work, ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let survey = match *work {
            Work::Count(part) => {
                output.hand_on(&self.part(part, ctx)?)?;
                return Ok(());
            }
            Work::AddUp => self.added_up(ctx)?,
            Work::All(part) => self.part(part, ctx)?,
        };
        ctx.audit(&survey.audit);
        for warning in &survey.warnings {
            ctx.warn(warning);
        }
        let tallies = Tallies::of_groups(&survey.groups)?;
        let mut figures = Figures::new(ctx, output);
        differences(&tallies, &mut figures);
        correlations(&tallies, &mut figures);
        coefficients(&tallies, &mut figures);
        for (row, plies) in PHASES {
            phase(row, plies, &tallies, &mut figures);
        }
        figures.row(PHASES[0].0).set("games", survey.n_games);
        figures.finish()
    }
}

/// The counts of some groups of games.
#[derive(Serialize, Deserialize)]
struct Survey {
    /// The number of the first group.
    first: usize,
    groups: Vec<Tally>,
    n_games: u64,
    /// Remarks on the archive as a whole.
    audit: String,
    warnings: Vec<String>,
}

impl ScoreSurvey {
    /// The counts of all parts, in order.
    fn added_up(&self, ctx: &Context<'_>) -> Result<Survey, CellError> {
        let parts = Part::all(self.parts).map(|part| ctx.finished(&name(part))?.handed_on());
        let mut parts = parts
            .collect::<Result<Vec<Survey>, CellError>>()?
            .into_iter();
        let first = parts.next();
        let mut survey = first.ok_or_else(|| CellError::new("there is no part"))?;
        for part in parts {
            survey.groups.extend(part.groups);
            survey.n_games += part.n_games;
        }
        Ok(survey)
    }

    /// Counts the games of a part of the groups.
    fn part(&self, part: Part, ctx: &Context<'_>) -> Result<Survey, CellError> {
        let file = ctx.data(&self.archive)?;
        let (n_bytes, n_read) = (file.n_bytes(), Arc::default());
        let reader = Decompressor::new(ProgressReader {
            reader: kibitz_tables::games::open(&file)?,
            n_read: Arc::clone(&n_read),
        })?;
        let mut games = pgn::read_games(file.entry(), reader, pgn::Policy::default());
        let range = part.range(self.groups.into());
        let mut survey = Survey {
            first: usize::try_from(range.start)?,
            groups: vec![Tally::new(); usize::try_from(range.end - range.start)?],
            n_games: 0,
            audit: String::new(),
            warnings: Vec::new(),
        };
        let mut batch = Vec::with_capacity(BATCH);
        let (mut n_decisive, mut n_selected) = (0_u64, 0_u64);
        for game in games.by_ref() {
            let game = game?;
            if !is_played_to_a_win(&game) {
                continue;
            }
            if n_decisive.is_multiple_of(u64::from(self.every)) {
                let group = n_selected % u64::from(self.groups);
                n_selected += 1;
                if range.contains(&group) {
                    batch.push((usize::try_from(group)?, game));
                }
            }
            n_decisive += 1;
            if batch.len() == BATCH {
                survey.add(&batch, ctx)?;
                batch.clear();
                let [done, all] = [n_read.load(Ordering::Relaxed), n_bytes].map(kilobytes);
                // The text of rows is longer than their files.
                ctx.progress("kilobyte", done.min(all), all);
            }
        }
        survey.add(&batch, ctx)?;
        let tally = games.tally();
        survey.warnings.extend(tally.report());
        let counts = GameCounts::new(tally, n_selected);
        survey.audit = format!("{}: {counts}", file.entry());
        let n_left_out = tally.n_games - n_decisive;
        if n_left_out > 0 {
            survey.warnings.push(format!(
                "{n_left_out} of {} good games are left out: not played from the normal start, by \
                 named players, to a win",
                tally.n_games
            ));
        }
        Ok(survey)
    }
}

/// A reader that reports its progress.
struct ProgressReader<R> {
    reader: R,
    n_read: Arc<AtomicU64>,
}

impl<R: Read> Read for ProgressReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(buffer)?;
        self.n_read.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

fn kilobytes(n_bytes: u64) -> usize {
    usize::try_from(n_bytes / 1000).unwrap_or(usize::MAX)
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
    fn add(&mut self, games: &[(usize, Game)], ctx: &Context<'_>) -> Result<(), CellError> {
        let polynomial = Polynomial::default();
        let tallies: Vec<Tally> = games
            .par_iter()
            .map(|(_, game)| {
                ctx.check()?;
                let records = record_game(game, &Parameters::PUBLISHED, &[])?;
                Tally::of(&records, &polynomial)
            })
            .collect::<Result<_, CellError>>()?;
        for ((group, _), tally) in games.iter().zip(&tallies) {
            self.groups[group - self.first].merge(tally)?;
            self.n_games += 1;
        }
        Ok(())
    }
}

/// Sets an estimate and its sign, as far as there is an error to judge it by.
fn set_signed(figures: &mut Figures<'_>, row: &str, column: &str, estimate: Estimate) {
    let number = figures.set(row, column, estimate);
    let Some((number, std_error)) = number.and_then(|number| Some((number, number.std_error?)))
    else {
        return;
    };
    let sign = if number.value.abs() <= 2.0 * std_error {
        "0"
    } else if number.value < 0.0 {
        "-"
    } else {
        "+"
    };
    figures.row(row).set(format!("{column}-sign"), sign);
}

fn differences(tallies: &Tallies, figures: &mut Figures<'_>) {
    for n in 0..=N_HEURISTICS {
        let row = score_row(n);
        let pairs = |tally: &Tally| tally.pairs()[n];
        let mean = tallies.estimate(|tally| defined(pairs(tally).difference.mean()));
        set_signed(figures, &row, "mean-diff", mean);
        let normalized = tallies.estimate(|tally| defined(pairs(tally).normalized_difference()));
        set_signed(figures, &row, "norm-diff", normalized);
    }
}

fn correlations(tallies: &Tallies, figures: &mut Figures<'_>) {
    for variable in 0..N_VARIABLES {
        let correlation = tallies.estimate(|tally| tally.correlation(variable));
        set_signed(figures, &variable_row(variable), "cor", correlation);
    }
}

fn coefficients(tallies: &Tallies, figures: &mut Figures<'_>) {
    let found = tallies.estimates(|tally| match tally.fit(Plies::All, &every_heuristic()) {
        Ok(fit) => fit
            .coefficients
            .iter()
            .map(|value| Ok(1e5 * value))
            .collect(),
        Err(why) => vec![Err(why); N_HEURISTICS],
    });
    for (n, estimate) in found.into_iter().enumerate() {
        set_signed(figures, &heuristic_row(n), "r1-3", estimate);
    }
}

fn phase(row: &str, plies: Plies, tallies: &Tallies, figures: &mut Figures<'_>) {
    let n_positions = tallies.whole.ranks(plies).n_samples();
    figures.row(row).set("n", n_positions);
    for (column, fanout) in [("a-1", 1), ("a-7", 7)] {
        let rate = tallies.estimate(|tally| defined(tally.ranks(plies).miss_rate(fanout)));
        figures.set(row, column, rate);
    }
    let samuel = tallies.estimate(|tally| defined(tally.samuel(plies).coefficient()));
    figures.set(row, "samuel-c", samuel);
    // Some heuristics never score in an opening; they are left out there.
    let r2 = tallies.estimate(|tally| tally.explained(plies, &every_heuristic()));
    figures.set(row, "r2", r2);
}

#[cfg(test)]
mod tests {
    use kibitz_experiment::{Code, Kind, Value};
    use kibitz_lab::testing::TestBench;

    use super::*;

    /// The library, read as if it were an archive.
    fn survey(every: u32, groups: u32) -> Output {
        survey_in_parts(every, groups, 1)
    }

    fn survey_in_parts(every: u32, groups: u32, parts: u32) -> Output {
        let mut file: toml::Table = ScoreSurvey::EXAMPLE.parse().unwrap();
        let params = file["params"].as_table_mut().unwrap();
        params.insert("every".to_owned(), every.into());
        params.insert("groups".to_owned(), groups.into());
        params.insert("parts".to_owned(), parts.into());
        let pgn = include_bytes!("../../../data/chute-library.pgn");
        let kind = Kind::of::<ScoreSurvey>(Code::Constant);
        let bench = TestBench::new(kind, "beyond/survey", &file.to_string())
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
    fn any_number_of_parts_gives_the_same_figures() {
        let figures = |parts| {
            let output = survey_in_parts(3, 9, parts);
            let values = output.values();
            values
                .map(|(row, column, value)| format!("{row} {column} {value:?}"))
                .collect::<Vec<_>>()
        };
        let whole = figures(1);
        assert!(whole.len() > 100, "{} figures", whole.len());
        assert_eq!(figures(2), whole);
        assert_eq!(figures(7), whole);
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
