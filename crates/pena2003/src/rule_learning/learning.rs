//! Learning once.

use kibitz_experiment::{CellError, Context};
use kibitz_ilp::learn::bottom_clause::{Bounds, saturation};
use kibitz_ilp::learn::mio::active::{self, Examiner, LabeledExample, Sampler as _};
use kibitz_ilp::learn::{Hypothesis, Learner, Mio, Progress};
use kibitz_ilp::{ConstantSet, Problem, Task};
use kibitz_ilp_cli::{Algorithm, Settings};
use kibitz_minesweeper::Level;
use kibitz_prolog::{Atom, Clause, ProverError, Term};
use rand::seq::SliceRandom as _;

use super::{RuleLearning, Setting};
use crate::mio::relations::Vocabulary;
use crate::mio::sampler::{ExampleChoice, RandomTiles};

/// Stops a learner on request of the runner.
struct Ask<'c, 'r>(&'c Context<'r>);

impl Progress for Ask<'_, '_> {
    fn keep_going(&mut self) -> bool {
        !self.0.cancelled()
    }
}

/// The result of one run.
pub(super) struct Run {
    pub(super) clauses: Vec<Clause>,
    pub(super) n_searches: usize,
    pub(super) n_clauses: u64,
    pub(super) n_limited: usize,
    pub(super) received: [usize; 2],
    /// The examples that the sample was taken of, and the positive ones among them.
    pub(super) n_drawn: [usize; 2],
    /// Of the examples given, those that are decided right.
    pub(super) n_right: [usize; 2],
}

impl RuleLearning {
    /// Learns once. All settings of a run number meet the same random examples.
    pub(super) fn learn(
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
        let choice = ExampleChoice {
            tiles: setting.tiles,
            contradictory: setting.contradictory,
            n_together: self.sample.of,
        };
        let (world, mines) = (&vocabulary.world, setting.mines);
        let mut sampler = RandomTiles::new(&level, world, name, mines, choice, examples);
        let bounds = self.bounds(setting);
        let mio = Mio {
            bounds,
            strategy: setting.strategy,
            macros: setting.macros,
            seed: ctx.seed_u64(&format!("choice {run}")),
            max_steps: u64::MAX,
            ..Mio::default()
        };
        let progress = &mut Ask(ctx);
        let db = &vocabulary.db;
        if setting.active {
            let mut teacher = Examiner::new(db, &task.bias, sampler, self.examiner());
            let rounds = self.teacher.rounds;
            let problem = Problem::with_database(task, db);
            let taught = active::learn(&problem, &mio, rounds, &mut teacher, progress)?;
            ctx.check()?;
            let n_received = taught.received.each_ref().map(Vec::len);
            return Ok(Run::of(&taught.learned, n_received));
        }
        let mut drawn = Vec::with_capacity(self.sample.of);
        // All examples are drawn before any is chosen, so that all settings of a run number meet
        // the same ones.
        for _ in 0..self.sample.of {
            drawn.push(sampler.draw()?);
        }
        drawn.shuffle(&mut ctx.rng_for(&format!("sample {run}")));
        let mut task = task.clone();
        task.positive = first(&drawn, true, self.sample.positive);
        task.negative = first(&drawn, false, self.sample.negative);
        let learned = match setting.learner {
            Algorithm::Mio => mio.learn(&Problem::with_database(&task, db), progress)?,
            algorithm if algorithm.lists_background() => {
                let learner = algorithm.learner(&Settings::default())?;
                // These learners work on tables of facts, so the answers of the relations in Rust
                // are listed for the examples.
                let mut facts = saturated(&task, vocabulary, &bounds)?;
                learner.learn(&Problem::new(&mut facts)?, progress)?
            }
            algorithm => {
                let settings = Settings {
                    max_steps: Some(u64::MAX),
                    bounds: Some(bounds),
                    ..Settings::default()
                };
                let problem = Problem::with_database(&task, db);
                algorithm.learner(&settings)?.learn(&problem, progress)?
            }
        };
        ctx.check()?;
        let mut run = Run::of(&learned, [task.positive.len(), task.negative.len()]);
        let n_positive = drawn.iter().filter(|example| example.is_positive).count();
        run.n_drawn = [drawn.len(), n_positive];
        run.n_right = right(vocabulary, &task, &run.clauses)?;
        Ok(run)
    }
}

impl Run {
    fn of(learned: &Hypothesis, received: [usize; 2]) -> Self {
        let limited = learned.searches.iter().filter(|search| search.is_limited);
        Self {
            clauses: learned.clauses.clone(),
            n_searches: learned.searches.len(),
            n_clauses: learned.steps,
            n_limited: limited.count(),
            received,
            n_drawn: [0; 2],
            n_right: [0; 2],
        }
    }
}

/// The first examples on one side.
fn first(drawn: &[LabeledExample], is_positive: bool, n: usize) -> Vec<Atom> {
    let side = drawn
        .iter()
        .filter(|example| example.is_positive == is_positive);
    side.take(n).map(|example| example.atom.clone()).collect()
}

/// The task with the facts of its examples' bottom clauses for a background; numbers may be
/// constants.
fn saturated(task: &Task, vocabulary: &Vocabulary, bounds: &Bounds) -> Result<Task, ProverError> {
    let problem = Problem::with_database(task, &vocabulary.db);
    let mut facts = indexmap::IndexSet::<Atom, rustc_hash::FxBuildHasher>::default();
    for example in task.positive.iter().chain(&task.negative) {
        facts.extend(saturation(&problem, bounds, example)?);
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
    Ok(task)
}

/// Of a task's positive and negative examples, those that clauses decide right.
fn right(
    vocabulary: &Vocabulary,
    task: &Task,
    clauses: &[Clause],
) -> Result<[usize; 2], CellError> {
    let problem = Problem::with_database(task, &vocabulary.db);
    let verified = problem.verify(clauses, Bounds::default().limits)?;
    let [tp, _, tn, _] = verified.total.confusion();
    Ok([tp, tn])
}
