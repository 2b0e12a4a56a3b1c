//! `rule-learning`: rules about safe tiles and mines, learned, compared with Table 3, and played.

mod learning;
mod playing;

use kibitz_experiment::{
    Cell, CellError, Column, Context, Experiment, Number, Output, Problems, Value,
};
use kibitz_ilp::equivalent;
use kibitz_ilp::learn::bottom_clause::Bounds;
use kibitz_ilp::learn::mio::Strategy;
use kibitz_ilp::learn::mio::active::ExaminerParams;
use kibitz_ilp_cli::{Algorithm, Settings};
use kibitz_minesweeper::Level;
use kibitz_prolog::Clause;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mio::relations::{TABLE_3, Vocabulary};
use crate::mio::sampler::{Contradictory, Tiles};
use learning::Run;
use playing::Boards;

/// Names of the printed rules, in their order.
const PRINTED: [&str; 4] = ["s-1", "s-2", "s-3", "m-1"];

/// Learners on examples of one kind of board.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RuleLearning {
    /// Columns, rows and mines of the boards, as in `8x8/10`.
    level: String,
    /// What clauses there are.
    bounds: BoundsParams,
    /// The teacher of active learning.
    teacher: TeacherParams,
    /// What learners without a teacher get.
    sample: SampleParams,
    /// Games that each theory plays; none leaves the column out.
    games: u32,
    /// Games of the rule player in whose positions theories are compared with Table 3.
    positions: u32,
    /// A setting a row. One of the rows may learn what mines are; the theories of the others play
    /// with its first theory.
    settings: Vec<Setting>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct BoundsParams {
    /// Maximum number of body literals of a clause.
    max_literals: usize,
    /// Variables may be this many literals away from the head.
    max_depth: u16,
    /// Maximum number of literals of a bottom clause.
    max_bottom: usize,
    /// Maximum number of clauses evaluated in one search.
    max_clauses: usize,
    /// Positive examples that a rule must cover.
    min_positives: usize,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct TeacherParams {
    /// Examples to begin with.
    first_examples: usize,
    /// Fresh examples of a test.
    test_examples: usize,
    /// Least share of right answers of a rule that is kept.
    min_accuracy: f64,
    /// Maximum numbers of positive and of negative counterexamples in an answer.
    max_counterexamples: usize,
    /// Maximum number of tests.
    rounds: usize,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct SampleParams {
    /// Positive examples of a sample.
    positive: usize,
    /// Negative ones.
    negative: usize,
    /// Examples that the sample is taken of: as many of the teacher's.
    of: usize,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Setting {
    /// The row of the table.
    row: String,
    /// The learner; one that lists the background gets the facts of the examples' bottom clauses.
    learner: Algorithm,
    /// How it searches (Mio).
    #[serde(default)]
    strategy: Strategy,
    /// Whether clauses grow by macros (Mio).
    #[serde(default)]
    macros: bool,
    /// Whether there is a teacher (Mio); otherwise there is a sample.
    #[serde(default)]
    active: bool,
    /// Whether it is to learn what mines are, instead of safe tiles.
    #[serde(default)]
    mines: bool,
    /// Which tiles of a board are examples.
    #[serde(default)]
    tiles: Tiles,
    /// Which examples are contradictory, and left out.
    #[serde(default)]
    contradictory: Contradictory,
    /// Maximum number of clauses evaluated in one search, if not as in `bounds`.
    max_clauses: Option<usize>,
    /// Maximum number of body literals, if not as in `bounds`.
    max_literals: Option<usize>,
    /// Variables may be this many literals away from the head, if not as in `bounds`.
    max_depth: Option<u16>,
    /// Positive examples that a rule must cover, if not as in `bounds`.
    min_positives: Option<usize>,
    /// A row above, with whose rules its own are compared, run by run.
    same_as: Option<String>,
    /// Number of learning runs, each with other examples.
    runs: u32,
}

impl RuleLearning {
    fn bounds(&self, setting: &Setting) -> Bounds {
        Bounds {
            max_literals: setting.max_literals.unwrap_or(self.bounds.max_literals),
            max_depth: setting.max_depth.unwrap_or(self.bounds.max_depth),
            max_bottom: self.bounds.max_bottom,
            max_clauses: setting.max_clauses.unwrap_or(self.bounds.max_clauses),
            min_positives: setting.min_positives.unwrap_or(self.bounds.min_positives),
            ..Bounds::default()
        }
    }

    /// The row whose rules about mines play along.
    fn mines_for(&self, setting: &Setting) -> Option<&Setting> {
        let mut rows = self.settings.iter();
        rows.find(|other| other.mines && !setting.mines && self.games > 0)
    }

    fn examiner(&self) -> ExaminerParams {
        ExaminerParams {
            first_examples: self.teacher.first_examples,
            test_examples: self.teacher.test_examples,
            min_accuracy: self.teacher.min_accuracy,
            max_counterexamples: self.teacher.max_counterexamples,
            ..ExaminerParams::default()
        }
    }
}

/// Whether two theories have the same rules, but for names and their order.
fn are_same(one: &[Clause], other: &[Clause]) -> bool {
    let has = |theory: &[Clause], rule: &Clause| theory.iter().any(|own| equivalent(own, rule));
    one.iter().all(|rule| has(other, rule)) && other.iter().all(|rule| has(one, rule))
}

/// The mean of some values, with its standard error if there are several.
fn mean(values: &[f64]) -> Number {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let number = Number::new(mean).with_samples(values.len() as u64);
    if values.len() < 2 {
        return number;
    }
    let variance = values
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f64>()
        / (n - 1.0);
    number.with_std_error((variance / n).sqrt())
}

impl Experiment for RuleLearning {
    type Row = Setting;

    const NAME: &'static str = "rule-learning";
    const EXAMPLE: &'static str = include_str!("../../examples/rule-learning.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new(
            "clauses",
            "clauses",
            "different clauses evaluated in a search, on average",
        ),
        Column::new(
            "limited",
            "%",
            "share of searches that the bound on clauses ended",
        ),
        Column::new("rules", "rules", "rules of a theory, on average"),
        Column::new(
            "won",
            "%",
            "share of games won with a theory and the rules about mines",
        ),
        Column::new("searches", "searches", "searches of a run, on average"),
        Column::new(
            "positive",
            "examples",
            "positive examples the learner got, on average",
        ),
        Column::new(
            "negative",
            "examples",
            "negative examples the learner got, on average",
        ),
        Column::new(
            "covered",
            "%",
            "share of a sample's positive examples that the rules cover",
        ),
        Column::new(
            "refused",
            "%",
            "share of a sample's negative examples that no rule covers",
        ),
        Column::new(
            "s-1",
            "%",
            "share of runs that found rule S-1, but for names",
        ),
        Column::new("s-2", "%", "share of runs that found rule S-2"),
        Column::new("s-3", "%", "share of runs that found rule S-3"),
        Column::new("m-1", "%", "share of runs that found rule M-1"),
        Column::new(
            "tiles",
            "tiles",
            "blank tiles of positions on which theories are compared",
        ),
        Column::new(
            "missed",
            "per million",
            "tiles that the rules of Table 3 decide and the first theory does not",
        ),
        Column::new(
            "extra",
            "per million",
            "tiles that the first theory decides and the rules of Table 3 do not",
        ),
        Column::new("theory", "", "the rules of the first run"),
        Column::new(
            "theories",
            "",
            "the rules of all runs, a run per line, of a row that another is compared with",
        ),
        Column::new(
            "same",
            "%",
            "share of runs that found the same rules as the row it is compared with, but for names",
        ),
        Column::new(
            "drawn",
            "examples",
            "examples that a sample is taken of, on average",
        ),
        Column::new(
            "drawn-positive",
            "%",
            "share of positive ones among the examples that a sample is taken of",
        ),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &[]);
        problems.at_least_one([
            ("settings", self.settings.len()),
            ("bounds.max-literals", self.bounds.max_literals),
            ("bounds.max-clauses", self.bounds.max_clauses),
            ("bounds.min-positives", self.bounds.min_positives),
            ("teacher.first-examples", self.teacher.first_examples),
            ("teacher.rounds", self.teacher.rounds),
            ("sample.positive", self.sample.positive),
            ("sample.negative", self.sample.negative),
        ]);
        let share = 0.0..=1.0;
        let fits = share.contains(&self.teacher.min_accuracy);
        problems.require(fits, "teacher.min-accuracy", "from 0 to 1");
        match self.level.parse::<Level>() {
            Ok(level) => {
                let fits = level.n_mines + 2 <= level.grid.n_tiles();
                problems.require(fits, "level", "a board needs two tiles without mines");
            }
            Err(error) => problems.at("level", error.to_string()),
        }
        let n_mines = self.settings.iter().filter(|setting| setting.mines).count();
        problems.require(
            n_mines <= 1,
            "settings",
            "at most one row learns what mines are",
        );
        problems.each("settings", &self.settings, |setting, problems| {
            problems.at_least_one([("runs", setting.runs as usize)]);
            let of = |row: &String| self.settings.iter().find(|other| other.row == *row);
            let fits = (setting.same_as.as_ref()).is_none_or(|row| {
                of(row).is_some_and(|other| other.runs == setting.runs && other.same_as.is_none())
            });
            let reason = "another row with as many runs, compared with none";
            problems.require(fits, "same-as", reason);
            if let Err(error) = setting.learner.learner(&Settings::default()) {
                problems.at("learner", error.to_string());
            }
            let own = setting.active || setting.macros || setting.strategy != Strategy::default();
            let fits = setting.learner == Algorithm::Mio || !own;
            let reason = "only Mio has macros, a strategy and a teacher";
            problems.require(fits, "learner", reason);
        });
    }

    fn random(&self) -> bool {
        true
    }

    fn cells(&self) -> Vec<Cell<Setting>> {
        let cells = self.settings.iter().map(|setting| {
            let cell = Cell::row(&setting.row, setting.clone()).costing(setting.runs.into());
            let mines = self.mines_for(setting).map(|mines| mines.row.clone());
            cell.after(mines.into_iter().chain(setting.same_as.clone()))
        });
        cells.collect()
    }

    fn run(
        &self,
        setting: &Setting,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let level: Level = self.level.parse()?;
        let vocabulary = Vocabulary::new()?;
        let mut about_mines: Vec<Clause> = Vec::new();
        if let Some(mines) = self.mines_for(setting)
            && let Some(Value::Text(text)) = ctx.finished(&mines.row)?.get(&mines.row, "theory")
        {
            about_mines = vocabulary.read(text)?;
        }
        let mut runs = Vec::new();
        for run in 0..setting.runs {
            ctx.progress("run", run as usize, setting.runs as usize);
            vocabulary.world.clear();
            runs.push(self.learn(setting, run, &vocabulary, ctx)?);
        }
        let means = |value: &dyn Fn(&Run) -> f64| mean(&runs.iter().map(value).collect::<Vec<_>>());
        let n_searches: usize = runs.iter().map(|run| run.n_searches).sum();
        if n_searches > 0 {
            let per_search = |total: f64| total / n_searches as f64;
            let n_clauses: u64 = runs.iter().map(|run| run.n_clauses).sum();
            let n_limited: usize = runs.iter().map(|run| run.n_limited).sum();
            output.set("clauses", per_search(n_clauses as f64));
            output.set("limited", 100.0 * per_search(n_limited as f64));
        }
        output.set("searches", means(&|run| run.n_searches as f64));
        output.set("rules", means(&|run| run.clauses.len() as f64));
        for (side, name) in ["positive", "negative"].into_iter().enumerate() {
            output.set(name, means(&|run| run.received[side] as f64));
        }
        if !setting.active {
            output.set("drawn", means(&|run| run.n_drawn[0] as f64));
            output.set(
                "drawn-positive",
                means(&|run| 100.0 * run.n_drawn[1] as f64 / run.n_drawn[0] as f64),
            );
            for (side, name) in ["covered", "refused"].into_iter().enumerate() {
                output.set(
                    name,
                    means(&|run| 100.0 * run.n_right[side] as f64 / run.received[side] as f64),
                );
            }
        }
        let printed = vocabulary.read(TABLE_3)?;
        for (name, rule) in PRINTED.iter().zip(&printed) {
            if (rule.head.predicate() == vocabulary.mine.target) == setting.mines {
                let has_it = |run: &Run| run.clauses.iter().any(|own| equivalent(own, rule));
                output.set(
                    *name,
                    means(&|run| 100.0 * f64::from(u8::from(has_it(run)))),
                );
            }
        }
        let games = |name: &str, n_games: u32| Boards {
            level: &level,
            seed: ctx.seed(name),
            n_games,
        };
        if self.games > 0 {
            let of = |run: &Run| run.clauses.iter().chain(&about_mines).cloned().collect();
            let theories: Vec<Vec<Clause>> = runs.iter().map(of).collect();
            let theories: Vec<&[Clause]> = theories.iter().map(Vec::as_slice).collect();
            let n_won = games("games", self.games).n_won(&theories, ctx)?;
            let share = |n_won: &u64| 100.0 * *n_won as f64 / f64::from(self.games);
            let won = mean(&n_won.iter().map(share).collect::<Vec<_>>());
            let n_games = u64::from(self.games) * n_won.len() as u64;
            // A share of games: its sample is the games, not the runs that they were played in.
            output.set("won", won.with_samples(n_games));
        }
        if self.positions > 0 {
            let (clauses, side) = (&runs[0].clauses, usize::from(setting.mines));
            let found = games("positions", self.positions).compare(clauses, side, ctx)?;
            let per_million = |n_tiles: u64| 1e6 * n_tiles as f64 / found.tiles as f64;
            output.set("tiles", found.tiles as f64);
            output.set("missed", per_million(found.missed));
            output.set("extra", per_million(found.extra));
        }
        if !runs[0].clauses.is_empty() {
            output.set("theory", vocabulary.print(&runs[0].clauses));
        }
        let mut others = self.settings.iter();
        if others.any(|other| other.same_as.as_ref() == Some(&setting.row)) {
            let theories = runs.iter().map(|run| vocabulary.print(&run.clauses));
            output.set("theories", theories.collect::<Vec<String>>().join("\n"));
        }
        if let Some(other) = &setting.same_as
            && let Some(Value::Text(text)) = ctx.finished(other)?.get(other, "theories")
        {
            let others = text.split('\n').map(|theory| vocabulary.read(theory));
            let others = others.collect::<Result<Vec<_>, _>>()?;
            let same: Vec<f64> = (runs.iter().zip(&others))
                .map(|(run, other)| 100.0 * f64::from(u8::from(are_same(&run.clauses, other))))
                .collect();
            output.set("same", mean(&same));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
