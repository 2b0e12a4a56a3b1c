//! `minesweeper-play`: win rates of players, and their moves by rule.

use std::collections::BTreeMap;
use std::ops::Range;

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Number, Output, Problems};
use kibitz_minesweeper::{FirstClick, Level, NoProbabilities, PlayerName, Rule, Series};
use kibitz_stats::{
    inference::{hotelling_test, wilson_interval},
    moments::CrossMoments,
};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::needless::NeedlessGuesses;
use crate::players::{FirstClickParams, PlayerParams};

/// Games in a chunk.
const GAMES_PER_CHUNK: u32 = 500;

/// The counts of moves, by column: the rules behind them.
const RULES: [(&str, &[Rule]); 5] = [
    (
        "guesses",
        &[
            Rule::Guess,
            Rule::LeastRisk,
            Rule::LeastProbability,
            Rule::LookAhead,
            Rule::Endgame,
            Rule::Fallback(NoProbabilities::TooComplex),
            Rule::Fallback(NoProbabilities::Contradiction),
        ],
    ),
    ("s-1", &[Rule::S1]),
    ("s-2", &[Rule::S2]),
    ("s-3", &[Rule::S3]),
    ("m-1", &[Rule::M1]),
];

/// Players on the same seeded boards.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct MinesweeperPlay {
    /// Boards, and their players; every player of a series gets the same boards.
    series: Vec<SeriesParams>,
    /// A published sample of games with counts of moves by rule: the columns `chi-square` and
    /// `p-value` test whether a rule player could have made them.
    sample: Option<Sample>,
    /// Whether guesses are judged, too: the columns from `later-guesses` to `lost-needlessly`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    judge_guesses: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct SeriesParams {
    /// Names the boards: another name, other boards.
    pub(crate) name: String,
    /// Columns, rows and mines, as in `30x16/99`.
    pub(crate) level: String,
    /// Games of each player.
    pub(crate) games: u32,
    /// Protection of the first click.
    #[serde(default)]
    pub(crate) first_click: FirstClickParams,
    /// Seed of the boards, that of `kibitz-minesweeper record --seed`, if not that of the experiment.
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    pub(crate) players: Vec<PlayerParams>,
}

/// Published totals of games.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Sample {
    /// Number of games.
    games: u32,
    /// Moves by rule in all games: `guesses`, `s-1`, `s-2`, `s-3` and `m-1`.
    moves: BTreeMap<String, u32>,
}

/// Totals of games.
struct Tally {
    n_won: u64,
    n_moves: u64,
    /// Moves by a player who lacks the probabilities that its rule needs.
    n_fallbacks: u64,
    by_rule: CrossMoments,
    needless: NeedlessGuesses,
}

impl PlayerParams {
    /// Plays these games of the series, and perhaps judges the guesses.
    fn play(
        &self,
        series: &Series,
        games: std::ops::Range<u32>,
        judges: bool,
    ) -> Result<Tally, CellError> {
        let mut player = self.player();
        let mut tally = Tally {
            n_won: 0,
            n_moves: 0,
            n_fallbacks: 0,
            by_rule: CrossMoments::new(RULES.len()),
            needless: NeedlessGuesses::default(),
        };
        for number in games {
            let mut counts = [0.0; RULES.len()];
            let outcome = series.play(number.into(), player.as_mut(), |knowledge, next| {
                let place = RULES
                    .iter()
                    .position(|(_, rules)| rules.contains(&next.rule));
                if let Some(place) = place {
                    counts[place] += 1.0;
                }
                if judges {
                    tally.needless.observe(knowledge, next);
                }
            })?;
            if judges {
                tally.needless.end_game(outcome.is_won)?;
            }
            tally.n_won += u64::from(outcome.is_won);
            tally.n_moves += outcome.n_moves as u64;
            tally.n_fallbacks += outcome.n_fallbacks as u64;
            tally.by_rule.push(&counts)?;
        }
        Ok(tally)
    }
}

impl SeriesParams {
    /// The games, of this level.
    pub(crate) fn series(&self, level: &Level, ctx: &Context<'_>) -> Series {
        let mut series = match self.seed {
            Some(seed) => Series::seeded(level, seed),
            None => Series::new(level, ctx.seed("boards")),
        };
        series.first_click = FirstClick::from(self.first_click);
        series
    }

    /// Expected relative cost.
    pub(crate) fn cost(&self) -> f64 {
        f64::from(self.games) * self.players.len() as f64 / 1000.0
    }

    /// The work of a dataset of these games.
    pub(crate) fn dataset_cell(&self) -> Cell<SeriesParams> {
        Cell::rows(&self.name, [""; 0], self.clone()).costing(self.cost())
    }

    /// What `play` gives for stretches of a player's games, in their order. Each is played on one thread
    /// between two checks for interruptions.
    pub(crate) fn in_chunks<T: Send>(
        &self,
        player: &PlayerParams,
        n_in_chunk: u32,
        ctx: &Context<'_>,
        play: impl Fn(Range<u32>) -> Result<T, CellError> + Sync,
    ) -> Result<Vec<T>, CellError> {
        let n_games = player.games.unwrap_or(self.games);
        let starts: Vec<u32> = (0..n_games).step_by(n_in_chunk as usize).collect();
        let chunk = |first: u32| {
            ctx.check()?;
            play(first..n_games.min(first + n_in_chunk))
        };
        starts.into_par_iter().map(chunk).collect()
    }

    /// Validates the parameters.
    pub(crate) fn check(&self, problems: &mut Problems) {
        problems.at_least_one([
            ("games", self.games as usize),
            ("players", self.players.len()),
        ]);
        let level = self.level.parse::<Level>();
        match &level {
            Ok(level) => {
                let protected = match self.first_click {
                    FirstClickParams::Unprotected => 0,
                    _ => 1,
                };
                let fits = level.n_mines + protected <= level.grid.n_tiles();
                problems.require(fits, "level", "the board has no tile for the first click");
            }
            Err(error) => problems.at("level", error.to_string()),
        }
        let level = level.as_ref().ok();
        problems.each("players", &self.players, |player, problems| {
            player.check(self.games, level, problems);
        });
    }
}

impl Experiment for MinesweeperPlay {
    type Row = SeriesParams;

    const NAME: &'static str = "minesweeper-play";
    const EXAMPLE: &'static str = include_str!("../examples/minesweeper-play.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("games", "games", "games played"),
        Column::new("won", "%", "share of games won"),
        Column::new("low", "%", "lower end of its 95% interval (Wilson)"),
        Column::new("high", "%", "upper end of it"),
        Column::new("moves", "per 1000 games", "moves, marks included"),
        Column::new("guesses", "per 1000 games", "moves that may lose"),
        Column::new(
            "fallbacks",
            "per 1000 games",
            "moves without the probabilities that a player needs, where a position is too complex",
        ),
        Column::new("s-1", "per 1000 games", "moves by rule S-1"),
        Column::new("s-2", "per 1000 games", "moves by rule S-2"),
        Column::new("s-3", "per 1000 games", "moves by rule S-3"),
        Column::new("m-1", "per 1000 games", "moves by rule M-1"),
        Column::new(
            "chi-square",
            "",
            "distance of the sample's five counts from ours, five degrees of freedom",
        ),
        Column::new(
            "p-value",
            "",
            "chance of such a distance if the sample was played like this",
        ),
        Column::new(
            "later-guesses",
            "per 1000 games",
            "guesses after the first click; from here on only with `judge-guesses`",
        ),
        Column::new(
            "needless",
            "%",
            "share of them at which another tile was provably safe",
        ),
        Column::new(
            "by-s-1",
            "%",
            "share of them at which one number showed a safe tile",
        ),
        Column::new("by-sets", "%", "share of them at which it took two numbers"),
        Column::new(
            "by-numbers",
            "%",
            "share of them at which it took three numbers or more, up to the whole frontier",
        ),
        Column::new(
            "by-count",
            "%",
            "share of them at which it took the number of mines left",
        ),
        Column::new(
            "lost-needlessly",
            "%",
            "share of all games that ended at a needless guess",
        ),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &[]);
        problems.at_least_one([("series", self.series.len())]);
        problems.each("series", &self.series, SeriesParams::check);
        if let Some(sample) = &self.sample {
            problems.within("sample", |problems| {
                problems.at_least_one([("games", sample.games as usize)]);
                let names = sample.moves.keys().map(String::as_str);
                let mut wanted = RULES.map(|(name, _)| name);
                wanted.sort_unstable();
                let message = format!("a count each of {}", wanted.join(", "));
                problems.require(names.eq(wanted), "moves", message);
            });
        }
    }

    fn random(&self) -> bool {
        true
    }

    fn cells(&self) -> Vec<Cell<SeriesParams>> {
        let series = self.series.iter().map(|series| {
            let rows = series.players.iter().map(|player| &player.row);
            Cell::rows(&series.name, rows, series.clone()).costing(series.cost())
        });
        series.collect()
    }

    fn run(
        &self,
        params: &SeriesParams,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let level: Level = params.level.parse()?;
        let mut series = params.series(&level, ctx);
        for (at, player) in params.players.iter().enumerate() {
            ctx.progress("player", at, params.players.len());
            series.cascades = player
                .interpretation
                .as_ref()
                .is_none_or(|reading| reading.cascades);
            let n_games = player.games.unwrap_or(params.games);
            let tallies = params.in_chunks(player, GAMES_PER_CHUNK, ctx, |games| {
                player.play(&series, games, self.judge_guesses)
            })?;
            let mut by_rule = CrossMoments::new(RULES.len());
            let mut needless = NeedlessGuesses::default();
            for tally in &tallies {
                by_rule.merge(&tally.by_rule)?;
                needless.merge(&tally.needless)?;
            }
            let n_won: u64 = tallies.iter().map(|tally| tally.n_won).sum();
            let n_moves: u64 = tallies.iter().map(|tally| tally.n_moves).sum();
            let n_fallbacks: u64 = tallies.iter().map(|tally| tally.n_fallbacks).sum();
            if n_fallbacks > 0 {
                ctx.warn(format!(
                    "{}: {n_fallbacks} moves without probabilities, which makes it weaker than its name",
                    player.row
                ));
            }
            let n = f64::from(n_games);
            let share = n_won as f64 / n;
            let interval = wilson_interval(n_won, n_games.into(), 0.95)?;
            let mut row = output.row(&player.row);
            row.set("games", n_games);
            let won = Number::new(100.0 * share).with_samples(n_games.into());
            row.set(
                "won",
                won.with_std_error(100.0 * (share * (1.0 - share) / n).sqrt()),
            );
            row.set("low", 100.0 * interval.low);
            row.set("high", 100.0 * interval.high);
            row.set("moves", 1000.0 * n_moves as f64 / n);
            row.set("fallbacks", 1000.0 * n_fallbacks as f64 / n);
            for (place, (name, _)) in RULES.iter().enumerate() {
                let Some(mean) = by_rule.mean(place) else {
                    continue;
                };
                // A single game has no variance.
                let variance = by_rule.covariance(place, place);
                let count = Number {
                    std_error: variance.map(|variance| 1000.0 * (variance / n).sqrt()),
                    ..Number::new(1000.0 * mean).with_samples(n_games.into())
                };
                row.set(*name, count);
            }
            if self.judge_guesses {
                needless.set(&mut row, ctx, &player.row);
            }
            if let (Some(sample), PlayerName::Rules) = (&self.sample, player.player) {
                let totals = RULES.map(|(name, _)| sample.moves.get(name).copied().unwrap_or(0));
                let totals = totals.map(f64::from);
                let test = hotelling_test(&by_rule, &totals, sample.games.into())?;
                row.set("chi-square", test.statistic);
                row.set("p-value", test.p_value);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use kibitz_experiment::{Runner, SeedName};

    use super::*;
    use crate::testing::{is_mistaken, make_sense, on_one_and_three, params};

    struct Bare;

    impl Runner for Bare {}

    const FILES: [&str; 6] = [
        include_str!("../../../experiments/pena2003/play.toml"),
        include_str!("../../../experiments/pena2003/pgms.toml"),
        include_str!("../../../experiments/pena2003/refuted-readings.toml"),
        include_str!("../../../experiments/pena2003/needless-guesses.toml"),
        include_str!("../../../experiments/beyond/minesweeper-limit.toml"),
        include_str!("../../../experiments/beyond/minesweeper-record.toml"),
    ];

    /// The table with another number of games.
    fn table(mut params: MinesweeperPlay, games: u32) -> Output {
        let seed = SeedName {
            root: 2003,
            experiment: "pena2003/test",
            cell: "8x8/10",
            replicate: 0,
        };
        params.series[0].games = games;
        let cell = params.cells().remove(0);
        let ctx = Context::new("8x8/10", 0, Some(seed), &Bare);
        let mut output = Output::default();
        params.run(&cell.work, &ctx, &mut output).unwrap();
        output
    }

    #[test]
    fn experiments_make_sense() {
        make_sense::<MinesweeperPlay>(&FILES);
    }

    #[test]
    fn mistakes_have_a_place() {
        let reading = "player = \"look-ahead\", interpretation = {}, games";
        for (change, path) in [
            (["8x8/10", "8x8/65"], "series.0.level"),
            (["[0, 0]", "[0, 8]"], "series.0.players.2.first-tile"),
            (["games = 200", "games = 2000"], "series.0.players.2.games"),
            (["s-3 = 60, ", ""], "sample.moves"),
            (
                ["player = \"look-ahead\", games", reading],
                "series.0.players.2.interpretation",
            ),
            (
                ["player = \"rules\" }", "player = \"rules\", tiles = 16 }"],
                "series.0.players.0.tiles",
            ),
        ] {
            is_mistaken::<MinesweeperPlay>(change, path);
        }
    }

    /// The paper's counts agree with our reading, and contradict the refuted ones.
    #[test]
    fn counts_tell_readings_apart() {
        let ours = table(params(FILES[0], "params"), 4000);
        let p_value = ours.number("rules", "p-value").unwrap();
        assert!(p_value > 0.05, "{p_value}");
        let won = ours.number("rules", "won").unwrap();
        assert!((50.0..55.0).contains(&won), "{won}");
        let refuted: MinesweeperPlay = params(FILES[2], "params");
        let rows = refuted.series[0]
            .players
            .iter()
            .map(|player| player.row.clone());
        let rows: Vec<String> = rows.collect();
        let refuted = table(refuted, 1000);
        for row in rows {
            let p_value = refuted.number(&row, "p-value").unwrap();
            assert!(p_value < 1e-3, "{row}: {p_value}");
        }
    }

    /// Who sees everything never guesses needlessly; who sees one number does, but not by S-1.
    #[test]
    fn needless_guesses_are_judged() {
        let guesses = table(params(FILES[3], "quick"), 300);
        for row in ["look-ahead", "exact-corners"] {
            assert_eq!(guesses.number(row, "needless"), Some(0.0), "{row}");
        }
        let value = |column: &str| guesses.number("one number", column).unwrap();
        assert_eq!(guesses.number("one number", "by-s-1"), Some(0.0));
        assert!(value("by-sets") > 5.0, "{}", value("by-sets"));
        let parts = ["by-s-1", "by-sets", "by-numbers", "by-count"].map(value);
        let sum: f64 = parts.iter().sum();
        assert!((sum - value("needless")).abs() < 1e-9, "{sum}");
        let random = guesses.number("random", "by-s-1").unwrap();
        assert!(random > 5.0, "{random}");
    }

    #[test]
    fn threads_do_not_matter() {
        let [found, again] = on_one_and_three(|| table(params(FILES[0], "quick"), 1200));
        assert_eq!(found, again);
    }
}
