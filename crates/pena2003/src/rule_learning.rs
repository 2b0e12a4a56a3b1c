//! `rule-learning`: rules about safe tiles and mines, learned, compared with Table 3, and played.

use kibitz_experiment::{
    Cell, CellError, Column, Context, Experiment, Number, Output, Problems, Value,
};
use kibitz_ilp::learn::entailment::{Bounds, Mined, saturation};
use kibitz_ilp::learn::mio::active::{self, Examiner, ExaminerParams, Labeled, Sampler as _};
use kibitz_ilp::learn::mio::{self, MioParams, Strategy};
use kibitz_ilp::learn::{LearnError, Progress, foil, progol};
use kibitz_ilp::{Atom, Clause, ConstantSet, ProverError, Task, Term, equivalent};
use kibitz_minesweeper::{Knowledge, Level, Player as _, RulePlayer, Series};
use rand::seq::SliceRandom as _;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mio::player::Theory;
use crate::mio::relations::{TABLE_3, Vocabulary};
use crate::mio::sampler::RandomTiles;

/// Games that are played together.
const GAMES_PER_CHUNK: u32 = 50;
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
    /// Who tests rules in active learning.
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
    /// Most body literals of a clause.
    max_literals: usize,
    /// Variables may be this many literals away from the head.
    max_depth: u16,
    /// Most literals of a bottom clause.
    max_bottom: usize,
    /// Most clauses evaluated in one search.
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
    /// Most positive and most negative counterexamples of an answer.
    max_counterexamples: usize,
    /// Most tests.
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
    /// Who learns.
    learner: Learner,
    /// Whether clauses grow by macros (Mio).
    #[serde(default)]
    macros: bool,
    /// Whether there is a teacher (Mio); otherwise there is a sample.
    #[serde(default)]
    active: bool,
    /// Whether it is to learn what mines are, instead of safe tiles.
    #[serde(default)]
    mines: bool,
    /// Most clauses evaluated in one search, if not as in `bounds`.
    max_clauses: Option<usize>,
    /// Most body literals, if not as in `bounds`.
    max_literals: Option<usize>,
    /// Variables may be this many literals away from the head, if not as in `bounds`.
    max_depth: Option<u16>,
    /// How often it learns: each time with other examples.
    runs: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Learner {
    /// Mio by IDA*.
    MioDeepening,
    /// Mio by greedy search.
    MioGreedy,
    /// Progol.
    Progol,
    /// Foil, on the facts of the examples' bottom clauses.
    Foil,
}

/// Stops a learner when the runner says so.
struct Ask<'c, 'r>(&'c Context<'r>);

impl Progress for Ask<'_, '_> {
    fn keep_going(&mut self) -> bool {
        !self.0.cancelled()
    }
}

/// What came of one run.
struct Run {
    clauses: Vec<Clause>,
    n_searches: usize,
    n_clauses: u64,
    n_limited: usize,
    received: [usize; 2],
    /// Of the examples given, those that are decided right.
    n_right: [usize; 2],
}

/// How a theory compares with Table 3 on tiles of positions.
#[derive(Default)]
struct Comparison {
    tiles: u64,
    /// Tiles that Table 3 decides and the theory does not, and the other way around.
    missed: u64,
    extra: u64,
}

impl RuleLearning {
    fn bounds(&self, setting: &Setting) -> Bounds {
        Bounds {
            max_literals: setting.max_literals.unwrap_or(self.bounds.max_literals),
            max_depth: setting.max_depth.unwrap_or(self.bounds.max_depth),
            max_bottom: self.bounds.max_bottom,
            max_clauses: setting.max_clauses.unwrap_or(self.bounds.max_clauses),
            min_positives: self.bounds.min_positives,
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

    /// Learns once. All settings of a run number meet the same random examples.
    fn learn(
        &self,
        setting: &Setting,
        run: u32,
        vocabulary: &Vocabulary,
        ctx: &Context<'_>,
    ) -> Result<Run, CellError> {
        let task = if setting.mines {
            &vocabulary.mine
        } else {
            &vocabulary.safe
        };
        let level: Level = self.level.parse()?;
        let name = task.target.name;
        let examples = ctx.rng_for(&format!("examples {run}"));
        let mut sampler =
            RandomTiles::new(&level, &vocabulary.world, name, setting.mines, examples);
        let bounds = self.bounds(setting);
        let strategy = match setting.learner {
            Learner::MioGreedy => Strategy::Greedy,
            _ => Strategy::Deepening,
        };
        let params = MioParams {
            bounds,
            strategy,
            macros: setting.macros,
            seed: ctx.seed_u64(&format!("choice {run}")),
            max_steps: u64::MAX,
            ..MioParams::default()
        };
        let progress = &mut Ask(ctx);
        let db = &vocabulary.db;
        if setting.active {
            let mut teacher = Examiner::new(db, &task.bias, sampler, self.examiner());
            let rounds = self.teacher.rounds;
            let taught = active::learn(task, db, &params, rounds, &mut teacher, progress)?;
            ctx.check()?;
            return Ok(Run::of(
                &taught.mined,
                taught.received.each_ref().map(Vec::len),
            ));
        }
        let mut drawn = Vec::with_capacity(self.sample.of);
        for _ in 0..self.sample.of {
            drawn.push(sampler.draw()?);
        }
        drawn.shuffle(&mut ctx.rng_for(&format!("sample {run}")));
        let mut task = task.clone();
        task.positive = first(&drawn, true, self.sample.positive);
        task.negative = first(&drawn, false, self.sample.negative);
        let mined = match setting.learner {
            Learner::Progol => {
                let params = progol::ProgolParams {
                    bounds,
                    max_steps: u64::MAX,
                };
                progol::learn_with_report(&task, db, &params, progress)?
            }
            Learner::Foil => Mined {
                learned: learn_by_foil(&task, vocabulary, &bounds, progress)?,
                searches: Vec::new(),
            },
            _ => mio::learn_with_report(&task, db, &params, progress)?,
        };
        ctx.check()?;
        let mut run = Run::of(&mined, [task.positive.len(), task.negative.len()]);
        run.n_right = right(vocabulary, &task, &run.clauses)?;
        Ok(run)
    }
}

impl Run {
    fn of(mined: &Mined, received: [usize; 2]) -> Self {
        Self {
            clauses: mined.learned.clauses.clone(),
            n_searches: mined.searches.len(),
            n_clauses: mined.learned.steps,
            n_limited: mined
                .searches
                .iter()
                .filter(|search| search.is_limited)
                .count(),
            received,
            n_right: [0; 2],
        }
    }
}

/// The first examples on one side.
fn first(drawn: &[Labeled], is_positive: bool, n: usize) -> Vec<Atom> {
    let side = drawn
        .iter()
        .filter(|example| example.is_positive == is_positive);
    side.take(n).map(|example| example.atom.clone()).collect()
}

/// Foil on the facts that the bottom clauses of all examples are made of; numbers may be constants.
fn learn_by_foil(
    task: &Task,
    vocabulary: &Vocabulary,
    bounds: &Bounds,
    progress: &mut dyn Progress,
) -> Result<kibitz_ilp::learn::Learned, LearnError> {
    let mut facts = indexmap::IndexSet::<Atom, rustc_hash::FxBuildHasher>::default();
    for example in task.positive.iter().chain(&task.negative) {
        facts.extend(saturation(task, &vocabulary.db, bounds, example)?);
    }
    let mut task = task.clone();
    task.natives.clear();
    task.background = facts.into_iter().map(Clause::fact).collect();
    task.bias.max_body = Some(bounds.max_literals);
    if let Some(kind) = task.symbols.get("int") {
        task.bias.constants.push(ConstantSet {
            kind,
            constants: (0..=8).map(Term::int).collect(),
        });
    }
    let db = task.database()?;
    foil::learn(&task, &db, &foil::FoilParams::default(), progress)
}

/// Of a task's positive and negative examples, those that clauses decide right.
fn right(
    vocabulary: &Vocabulary,
    task: &Task,
    clauses: &[Clause],
) -> Result<[usize; 2], CellError> {
    let verified = kibitz_ilp::verify(task, &vocabulary.db, clauses, Bounds::default().limits)?;
    let [tp, _, tn, _] = verified.total.confusion();
    Ok([tp, tn])
}

/// Compares what two theories say about one target on the tiles of a game's positions.
fn compare(
    clauses: &[Clause],
    side: usize,
    level: &Level,
    seed: [u8; 32],
    games: std::ops::Range<u32>,
) -> Result<Comparison, CellError> {
    let vocabulary = Vocabulary::new()?;
    let printed = vocabulary.read(TABLE_3)?;
    let theories = [
        Theory::new(&vocabulary, clauses)?,
        Theory::new(&vocabulary, &printed)?,
    ];
    let mut players = theories.each_ref().map(Theory::player);
    let series = Series::new(level, seed);
    let mut comparison = Comparison::default();
    let mut failure: Option<ProverError> = None;
    let mut look = |knowledge: &Knowledge| -> Result<(), ProverError> {
        let mut said = [const { std::collections::BTreeSet::new() }; 2];
        for (player, said) in players.iter_mut().zip(&mut said) {
            let mut position = player.position(knowledge);
            for rule in 0..player.n_rules()[side] {
                said.extend(player.tiles(&mut position, side, rule)?);
            }
        }
        comparison.tiles += knowledge.n_covered() as u64;
        comparison.missed += said[1].difference(&said[0]).count() as u64;
        comparison.extra += said[0].difference(&said[1]).count() as u64;
        Ok(())
    };
    for number in games {
        let mut player = RulePlayer::default();
        player.start();
        series.play(number.into(), &mut player, |knowledge, _| {
            if failure.is_none() {
                failure = look(knowledge).err();
            }
        })?;
    }
    failure.map_or(Ok(comparison), |error| Err(error.into()))
}

/// Games won by a theory.
fn n_won(
    clauses: &[Clause],
    level: &Level,
    seed: [u8; 32],
    games: std::ops::Range<u32>,
) -> Result<u64, CellError> {
    let vocabulary = Vocabulary::new()?;
    let theory = Theory::new(&vocabulary, clauses)?;
    let mut player = theory.player();
    let series = Series::new(level, seed);
    let mut n_won = 0;
    for number in games {
        let outcome = series.play(number.into(), &mut player, |_, _| ())?;
        if let Some(error) = player.error() {
            return Err(error.into());
        }
        n_won += u64::from(outcome.is_won);
    }
    Ok(n_won)
}

/// Work on so many games, in parts of a few; the results in their order.
fn in_chunks<T: Send>(
    n_games: u32,
    ctx: &Context<'_>,
    work: impl Fn(std::ops::Range<u32>) -> Result<T, CellError> + Sync,
) -> Result<Vec<T>, CellError> {
    let chunks: Vec<u32> = (0..n_games).step_by(GAMES_PER_CHUNK as usize).collect();
    let part = |first: u32| {
        ctx.check()?;
        work(first..n_games.min(first + GAMES_PER_CHUNK))
    };
    chunks.into_par_iter().map(part).collect()
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
    const EXAMPLE: &'static str = include_str!("../examples/rule-learning.toml");
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
            let is_mio = matches!(setting.learner, Learner::MioDeepening | Learner::MioGreedy);
            let fits = is_mio || !(setting.active || setting.macros);
            problems.require(fits, "learner", "only Mio has macros and a teacher");
        });
    }

    fn random(&self) -> bool {
        true
    }

    fn cells(&self) -> Vec<Cell<Setting>> {
        let cells = self.settings.iter().map(|setting| {
            let cell = Cell::row(&setting.row, setting.clone()).costing(setting.runs.into());
            cell.after(self.mines_for(setting).map(|mines| mines.row.clone()))
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
        if self.games > 0 {
            let mut won = Vec::new();
            for run in &runs {
                let clauses: Vec<Clause> =
                    run.clauses.iter().chain(&about_mines).cloned().collect();
                let seed = ctx.seed("games");
                let chunks = in_chunks(self.games, ctx, |games| {
                    n_won(&clauses, &level, seed, games)
                })?;
                let n_won: u64 = chunks.into_iter().sum();
                won.push(100.0 * n_won as f64 / f64::from(self.games));
            }
            output.set("won", mean(&won));
        }
        if self.positions > 0 {
            let (clauses, side) = (&runs[0].clauses, usize::from(setting.mines));
            let seed = ctx.seed("positions");
            let chunks = in_chunks(self.positions, ctx, |games| {
                compare(clauses, side, &level, seed, games)
            })?;
            let sum = |count: fn(&Comparison) -> u64| chunks.iter().map(count).sum::<u64>() as f64;
            let n_tiles = sum(|chunk| chunk.tiles);
            output.set("tiles", n_tiles);
            output.set("missed", 1e6 * sum(|chunk| chunk.missed) / n_tiles);
            output.set("extra", 1e6 * sum(|chunk| chunk.extra) / n_tiles);
        }
        output.set("theory", vocabulary.print(&runs[0].clauses));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use kibitz_experiment::{Place, Runner, SeedName};

    use super::*;

    /// A runner that keeps finished cells.
    #[derive(Default)]
    struct Bare {
        finished: BTreeMap<String, Output>,
    }

    impl Runner for Bare {
        fn finished(&self, cell: &str) -> Option<&Output> {
            self.finished.get(cell)
        }
    }

    const FILES: [&str; 4] = [
        RuleLearning::EXAMPLE,
        include_str!("../../../experiments/pena2003/table2.toml"),
        include_str!("../../../experiments/pena2003/table3.toml"),
        include_str!("../../../experiments/pena2003/progol-foil.toml"),
    ];

    fn params(text: &str, section: &str) -> RuleLearning {
        let file: toml::Table = text.parse().unwrap();
        file[section].clone().try_into().unwrap()
    }

    fn problems(params: &RuleLearning) -> Vec<Place> {
        let mut problems = Problems::new([]);
        params.check(&mut problems);
        problems
            .into_found()
            .into_iter()
            .map(|problem| problem.place)
            .collect()
    }

    /// The values of these rows.
    fn table(params: &RuleLearning, rows: &[&str]) -> Bare {
        let mut runner = Bare::default();
        for cell in params.cells() {
            if !rows.contains(&cell.work.row.as_str()) {
                continue;
            }
            let seed = SeedName {
                root: 2003,
                experiment: "pena2003/test",
                cell: "learning",
                replicate: 0,
            };
            let ctx = Context::new(&cell.work.row, 0, Some(seed), &runner);
            let mut output = Output::of_cell(&kibitz_experiment::Cell::row(&cell.work.row, ()));
            params.run(&cell.work, &ctx, &mut output).unwrap();
            runner.finished.insert(cell.work.row.clone(), output);
        }
        runner
    }

    #[test]
    fn experiments_make_sense() {
        for text in FILES {
            assert_eq!(problems(&params(text, "params")), []);
        }
        for text in &FILES[1..] {
            assert_eq!(problems(&params(text, "quick")), []);
        }
    }

    #[test]
    fn mistakes_have_a_place() {
        let said = |from: &str, to: &str| {
            let text = RuleLearning::EXAMPLE.replacen(from, to, 1);
            assert_ne!(text, RuleLearning::EXAMPLE);
            problems(&params(&text, "params"))
        };
        let at = |path: &str| vec![Place::Param(path.to_owned())];
        assert_eq!(said("8x8/10", "8x8/63"), at("level"));
        assert_eq!(
            said("accuracy = 0.95", "accuracy = 95"),
            at("teacher.min-accuracy")
        );
        assert_eq!(said("runs = 2", "runs = 0"), at("settings.2.runs"));
        assert_eq!(
            said(
                "\"mio-greedy\", macros = true, runs",
                "\"foil\", macros = true, runs"
            ),
            at("settings.2.learner")
        );
        assert_eq!(
            said(
                "active = true, runs = 1 },\n  { row = \"without\"",
                "active = true, mines = true, runs = 1 },\n  { row = \"without\""
            ),
            at("settings")
        );
    }

    /// The best setting finds the printed rules about safe tiles, and says nothing else.
    #[test]
    fn the_printed_rules_are_learned() {
        let mut params = params(FILES[2], "params");
        params.positions = 40;
        let row = params.settings[0].row.clone();
        let found = table(&params, &[&row]);
        let value = |column| found.finished[&row].number(&row, column);
        for column in ["s-1", "s-2", "s-3"] {
            assert_eq!(value(column), Some(100.0), "{column}");
        }
        assert_eq!(value("missed"), Some(0.0));
        assert!(value("tiles").unwrap() > 10_000.0);
    }

    #[test]
    fn theories_play_and_threads_do_not_matter() {
        let params = params(FILES[1], "quick");
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| table(&params, &["mines", "IDA*", "AL+GS+M"]))
                .finished
        };
        let found = run(1);
        assert_eq!(found, run(3));
        assert!(found["AL+GS+M"].number("AL+GS+M", "won").is_some());
        assert!(found["IDA*"].number("IDA*", "limited").unwrap() > 0.0);
    }

    #[test]
    fn progol_and_foil_get_the_same_task() {
        let mut params = params(FILES[3], "quick");
        params.settings[1].max_clauses = Some(100);
        let rows: Vec<String> = params
            .settings
            .iter()
            .map(|setting| setting.row.clone())
            .collect();
        let names: Vec<&str> = rows.iter().map(String::as_str).collect();
        let found = table(&params, &names);
        for row in &rows {
            assert_eq!(found.finished[row].number(row, "positive"), Some(10.0));
            let refused = found.finished[row].number(row, "refused").unwrap();
            assert!(refused > 50.0, "{row}: {refused}");
        }
    }
}
