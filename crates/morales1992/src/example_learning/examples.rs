//! Drawing examples, and learning from them.

use kibitz_experiment::{CellError, Context, RowOutput};
use kibitz_ilp::learn::NoProgress;
use kibitz_ilp::{Problem, Task};
use kibitz_ilp_cli::Settings;
use kibitz_prolog::{Atom, BitSet, Clause};
use rand::RngExt;
use rand::seq::SliceRandom;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::params::LearnerParams;
use super::space::{N_POSITIONS, atom, position};

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct SetParams {
    /// Last part of the rows' names.
    pub(super) name: String,
    /// Which learners it is given to; all when left out.
    #[serde(default)]
    pub(super) learners: Vec<String>,
    /// Number of positions drawn at random, with any label.
    #[serde(default)]
    pub(super) sampled: u32,
    /// Positive examples drawn at random.
    #[serde(default)]
    pub(super) positive: u32,
    /// Negative examples drawn at random.
    #[serde(default)]
    pub(super) negative: u32,
    /// Every positive example there is.
    #[serde(default)]
    pub(super) all_positive: bool,
    /// Whether a counterexample is added as long as the learned definition is wrong.
    #[serde(default)]
    pub(super) counterexamples: bool,
    /// Label noise: probability, in percent, that the label of an example is wrong.
    #[serde(default)]
    pub(super) noise: Option<f64>,
}

impl SetParams {
    /// The row of a learner's result.
    pub(super) fn row_of(&self, learner: &str) -> String {
        format!("{learner}, {}", self.name)
    }

    /// Whether a learner is given these examples.
    pub(super) fn is_given_to(&self, learner: &String) -> bool {
        self.learners.is_empty() || self.learners.contains(learner)
    }

    /// Fills the columns about the examples.
    pub(super) fn describe(&self, examples: &Examples, learner: &str, row: &mut RowOutput<'_>) {
        row.set("positive", examples.positive.len())
            .set("negative", examples.negative.len());
        if let Some(noise) = self.noise {
            row.set("noise", noise).set("learner", learner.to_owned());
        }
    }
}

/// Positions by their numbers.
pub(super) struct Examples {
    pub(super) positive: Vec<usize>,
    pub(super) negative: Vec<usize>,
    /// All of them, of either side.
    pub(super) given: BitSet,
}

impl Examples {
    pub(super) fn new() -> Self {
        Self {
            positive: Vec::new(),
            negative: Vec::new(),
            given: BitSet::with_capacity(N_POSITIONS),
        }
    }

    /// The examples of a set as the learner gets them, with label noise if it has any.
    pub(super) fn told(set: &SetParams, labels: &BitSet, ctx: &Context<'_>) -> Self {
        let mut examples = Self::draw(set, labels, ctx);
        if let Some(noise) = set.noise {
            examples.flip(noise, &mut ctx.rng_for("noise"));
        }
        examples
    }

    fn draw(set: &SetParams, labels: &BitSet, ctx: &Context<'_>) -> Self {
        let mut examples = Self::new();
        examples.sample(set.sampled, labels, &mut ctx.rng_for("examples"));
        if set.all_positive {
            for index in labels.ones() {
                examples.push(index, labels);
            }
        }
        let mut rng = ctx.rng_for("sides");
        let want = |have: usize, n: u32| have + n as usize;
        let positive = want(examples.positive.len(), set.positive).min(labels.count_ones(..));
        let negative =
            want(examples.negative.len(), set.negative).min(N_POSITIONS - labels.count_ones(..));
        // Positive examples may be rare among positions, so they are drawn from a list of their own.
        let mut left: Vec<usize> = labels
            .ones()
            .filter(|index| !examples.given.contains(*index))
            .collect();
        left.shuffle(&mut rng);
        let missing = positive.saturating_sub(examples.positive.len());
        for index in left.into_iter().take(missing) {
            examples.push(index, labels);
        }
        while examples.negative.len() < negative {
            let index = rng.random_range(0..N_POSITIONS);
            if !labels.contains(index) {
                examples.push(index, labels);
            }
        }
        examples
    }

    /// Adds different positions at random.
    pub(super) fn sample(&mut self, n: u32, labels: &BitSet, rng: &mut impl RngExt) {
        let mut left = n;
        while left > 0 {
            let index = rng.random_range(0..N_POSITIONS);
            left -= u32::from(self.push(index, labels));
        }
    }

    /// Adds a position, and says whether it is a new one.
    pub(super) fn push(&mut self, index: usize, labels: &BitSet) -> bool {
        if self.given.put(index) {
            return false;
        }
        let side = if labels.contains(index) {
            &mut self.positive
        } else {
            &mut self.negative
        };
        side.push(index);
        true
    }

    /// The first examples of either side in the order in which they were drawn, in equal shares.
    pub(super) fn keep(&mut self, most: u32) {
        let n = self.positive.len() + self.negative.len();
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        for side in [&mut self.positive, &mut self.negative] {
            let kept = side.len().saturating_mul(most).saturating_add(n / 2) / n.max(1);
            side.truncate(kept);
        }
    }

    /// Gives examples the wrong label, each with a chance in percent.
    pub(super) fn flip(&mut self, percent: f64, rng: &mut impl RngExt) {
        let sides = [&mut self.positive, &mut self.negative].map(std::mem::take);
        for (side, examples) in sides.into_iter().enumerate() {
            for index in examples {
                let is_wrong = rng.random_bool((percent / 100.0).clamp(0.0, 1.0));
                let told = if (side == 0) == is_wrong {
                    &mut self.negative
                } else {
                    &mut self.positive
                };
                told.push(index);
            }
        }
    }

    pub(super) fn give_to(&self, task: &mut Task) {
        let atoms = |side: &[usize]| -> Vec<Atom> {
            side.iter().map(|&i| atom(task, position(i))).collect()
        };
        let (positive, negative) = (atoms(&self.positive), atoms(&self.negative));
        task.positive = positive;
        task.negative = negative;
    }

    /// The clauses that a learner learns from them.
    pub(super) fn learn(
        &self,
        learner: &LearnerParams,
        seed: u64,
        task: &mut Task,
    ) -> Result<Vec<Clause>, CellError> {
        self.give_to(task);
        let settings = Settings {
            max_steps: learner.max_steps,
            seed: Some(seed),
            criterion: learner.criterion,
            // Files are at even places, ranks at odd ones.
            classes: vec![0, 1, 0, 1, 0, 1],
            ..Settings::default()
        };
        let learner = learner.method.learner(&settings)?;
        let learned = learner.learn(&Problem::new(task)?, &mut NoProgress)?;
        task.symbols = learned.symbols(&task.symbols);
        Ok(learned.clauses)
    }
}
