//! `example-learning`: learners given sampled examples of a concept on three pieces.

mod definition_coverage;
mod examples;
mod params;
mod space;
mod tree;

use std::sync::Arc;

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_ilp::Task;
use kibitz_ilp::learn::mml::Criterion;
use kibitz_ilp::learn::{ClosedWorld, Foil, NoProgress};
use kibitz_ilp_cli::{Algorithm, Settings};
use kibitz_prolog::{BitSet, Clause, read_clauses};
use rand::seq::SliceRandom;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clauses;
use definition_coverage::{
    DefinitionCoverage, Reference, describe_decided, first_wrong, right_elsewhere,
};
use examples::{Examples, SetParams};
use params::{Labels, LearnerParams, TheoryParams};
use space::{Background, Concept, N_POSITIONS, declare, position, task};
use tree::TreeParams;

/// Foil, Golem, PAL's algorithm for random examples and closed-world specialization on the same
/// examples, judged on all positions.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ExampleLearning {
    /// The concept to learn.
    concept: Concept,
    /// The learners.
    #[serde(default)]
    learners: Vec<LearnerParams>,
    /// Decision trees, for comparison.
    #[serde(default)]
    trees: Vec<TreeParams>,
    /// Sets of examples; each is given to every learner unless it names some.
    #[serde(default)]
    sets: Vec<SetParams>,
    /// Clauses to compare with, one string each.
    #[serde(default)]
    reference: Vec<String>,
    /// Theories judged as they are, one row each.
    #[serde(default)]
    theories: Vec<TheoryParams>,
    /// Background predicates whose facts are counted, one row each.
    #[serde(default)]
    facts: Vec<Background>,
    /// A learner that is given counterexamples gives up after this many.
    #[serde(default = "max_rounds")]
    max_rounds: u32,
}

fn max_rounds() -> u32 {
    400
}

/// The work of a cell.
pub(crate) enum Work {
    /// Judges a theory as it is.
    Judge(TheoryParams),
    /// Gives a set of examples to its learners.
    Learn(SetParams),
    /// Counts the facts of a predicate.
    Count(Background),
}

impl Experiment for ExampleLearning {
    type Row = Work;

    const NAME: &'static str = "example-learning";
    const EXAMPLE: &'static str = include_str!("../../examples/example-learning.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("positive", "examples", "positive examples given"),
        Column::new("negative", "examples", "negative examples given"),
        Column::new("noise", "%", "chance that a label is wrong").input(),
        Column::new("learner", "", "the learner"),
        Column::new(
            "clauses",
            "clauses",
            "clauses of the definition; of a tree, the leaves where the concept is true",
        ),
        Column::new(
            "found",
            "clauses",
            "reference clauses all of whose positions one clause covers",
        ),
        Column::new(
            "special",
            "clauses",
            "other reference clauses of which some clause is a special case",
        ),
        Column::new("list", "", "numbers of the reference clauses found"),
        Column::new("covered", "%", "share of all positions covered"),
        Column::new(
            "needed",
            "examples",
            "random examples needed for two that are covered, on average",
        ),
        Column::new("accuracy", "%", "share of all positions decided rightly"),
        Column::new(
            "held-out",
            "%",
            "share of the positions that are not examples classified correctly",
        ),
        Column::new(
            "agreement",
            "%",
            "share of all positions decided as by the reference clauses",
        ),
        Column::new(
            "false-positives",
            "positions",
            "positions covered although the concept is not true of them",
        ),
        Column::new(
            "false-negatives",
            "positions",
            "positions not covered although the concept is true of them",
        ),
        Column::new("correct", "", "whether every position is decided rightly"),
        Column::new(
            "refuted",
            "",
            "whether the given counterexample is covered, and wrongly",
        ),
        Column::new("facts", "facts", "facts of a background predicate"),
        Column::new("theory", "", "the definition"),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &[]);
        problems.each("reference", &self.reference, |clause, problems| {
            clauses::check("", clause, problems);
        });
        problems.each("theories", &self.theories, |theory, problems| {
            clauses::check("text", &theory.text, problems);
        });
        problems.each("learners", &self.learners, |learner, problems| {
            problems.require(
                learner.labels != Labels::Reference || !self.reference.is_empty(),
                "labels",
                "no `reference` clauses",
            );
            // PAL and others that need more than examples cannot be made here; the method says why.
            if let Err(error) = learner.method.learner(&Settings::default()) {
                problems.at("method", error.to_string());
            }
            problems.require(
                learner.method == Algorithm::Mml || learner.criterion == Criterion::Mml,
                "criterion",
                "only `mml` supports it",
            );
            problems.require(
                learner.method != Algorithm::Covering
                    || learner.background.iter().all(|known| known.relates_two()),
                "background",
                "this method takes relations of two coordinates only",
            );
        });
        problems.each("trees", &self.trees, |tree, problems| {
            problems.require(
                tree.background.iter().all(|known| known.relates_two()),
                "background",
                "a tree takes relations of two coordinates only",
            );
        });
        problems.each("sets", &self.sets, |set, problems| {
            for name in &set.learners {
                let learners = self.learners.iter().map(|learner| &learner.name);
                let mut known = learners.chain(self.trees.iter().map(|tree| &tree.name));
                problems.require(
                    known.any(|known| known == name),
                    "learners",
                    format!("no learner is named `{name}`"),
                );
            }
            problems.require(
                set.noise.is_none_or(|noise| (0.0..=100.0).contains(&noise)),
                "noise",
                "a chance in percent",
            );
            let most = 50_000;
            problems.require(
                set.sampled.max(set.positive).max(set.negative) <= most,
                "name",
                format!("at most {most} examples"),
            );
            problems.require(
                set.sampled > 0 || set.positive > 0 || set.all_positive,
                "name",
                "no positive examples: set `sampled`, `positive` or `all-positive`",
            );
        });
    }

    fn random(&self) -> bool {
        true
    }

    fn cells(&self) -> Vec<Cell<Work>> {
        let theories = self.theories.iter();
        let theories = theories.map(|theory| {
            Cell::row(&theory.row, Work::Judge(theory.clone())).sharing("references")
        });
        let sets = self.sets.iter().map(|set| {
            let learners = self.learners_of(set).map(|learner| &learner.name);
            let names = learners.chain(self.trees_of(set).map(|tree| &tree.name));
            let rows: Vec<_> = names.map(|name| set.row_of(name)).collect();
            let cost = if set.counterexamples { 20.0 } else { 2.0 } * rows.len() as f64;
            Cell::rows(&set.name, rows, Work::Learn(set.clone()))
                .costing(cost)
                .sharing("references")
        });
        let facts = self.facts.iter();
        let facts = facts.map(|&f| Cell::row(f.name(), Work::Count(f)).costing(0.01));
        theories.chain(sets).chain(facts).collect()
    }

    fn run(&self, work: &Work, ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        match work {
            Work::Judge(theory) => self.judge(theory, ctx, output),
            Work::Learn(set) => {
                let reference = self.reference(ctx)?;
                for learner in self.learners_of(set) {
                    ctx.check()?;
                    self.learn(learner, set, &reference, ctx, output)?;
                }
                for tree in self.trees_of(set) {
                    self.grow(tree, set, &reference, ctx, output)?;
                }
                Ok(())
            }
            Work::Count(background) => {
                output.set("facts", background.facts().len());
                Ok(())
            }
        }
    }
}

impl ExampleLearning {
    fn learners_of<'a>(&'a self, set: &'a SetParams) -> impl Iterator<Item = &'a LearnerParams> {
        (self.learners.iter()).filter(|learner| set.is_given_to(&learner.name))
    }

    fn trees_of<'a>(&'a self, set: &'a SetParams) -> impl Iterator<Item = &'a TreeParams> {
        (self.trees.iter()).filter(|tree| set.is_given_to(&tree.name))
    }

    fn reference(&self, ctx: &Context<'_>) -> Result<Arc<Reference>, CellError> {
        let name = format!("reference {:?} {:?}", self.concept, self.reference);
        ctx.shared(&name, || Reference::new(self.concept, &self.reference))
    }

    fn judge(
        &self,
        theory: &TheoryParams,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let reference = self.reference(ctx)?;
        let mut task = task(self.concept, &theory.background);
        let clauses = read_clauses(&theory.text, &mut task.symbols)?;
        let judged = DefinitionCoverage::new(task, clauses, &reference)?;
        judged.describe(&reference, &mut output.row(&theory.row));
        if judged.is_comparable() {
            judged.compare(&reference, &mut output.row(&theory.row));
        }
        let union = judged.union();
        let share = 100.0 * union.count_ones(..) as f64 / N_POSITIONS as f64;
        output.set("covered", share);
        if !union.is_clear() {
            output.set("needed", 200.0 / share);
        }
        if let Some(counterexample) = theory.counterexample {
            let is_covered = (0..N_POSITIONS)
                .any(|index| position(index) == counterexample && union.contains(index));
            let wrongly = is_covered && !self.concept.holds(counterexample);
            output.set("refuted", if wrongly { "yes" } else { "no" });
        }
        Ok(())
    }

    fn learn(
        &self,
        learner: &LearnerParams,
        set: &SetParams,
        reference: &Reference,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let labels = match learner.labels {
            Labels::Concept => &reference.truth,
            Labels::Reference => &reference.union,
        };
        let mut examples = Examples::told(set, labels, ctx);
        if let Some(most) = learner.most {
            examples.keep(most);
        }
        let seed = ctx.seed_u64("learner");
        let mut task = task(self.concept, &learner.background);
        let mut clauses = examples.learn(learner, seed, &mut task)?;
        if set.counterexamples {
            let mut order: Vec<usize> = (0..N_POSITIONS).collect();
            order.shuffle(&mut ctx.rng_for("counterexamples"));
            let mut rounds = 0;
            loop {
                order.retain(|&index| !examples.given.contains(index));
                let Some(wrong) = first_wrong(&mut task, &clauses, labels, &order)? else {
                    break;
                };
                ctx.check()?;
                rounds += 1;
                if rounds > self.max_rounds {
                    break;
                }
                examples.push(wrong, labels);
                clauses = examples.learn(learner, seed, &mut task)?;
            }
        }
        let mut row = output.row(set.row_of(&learner.name));
        set.describe(&examples, &learner.name, &mut row);
        if let Some(n) = learner.exceptions {
            clauses = self.with_exceptions(learner, n, &clauses, &mut task, labels, ctx)?;
        }
        let judged = DefinitionCoverage::new(task, clauses, reference)?;
        judged.describe(reference, &mut row);
        row.set(
            "held-out",
            right_elsewhere(&judged.union(), reference, &examples),
        );
        if judged.is_comparable() {
            judged.compare(reference, &mut row);
        }
        Ok(())
    }

    fn grow(
        &self,
        tree: &TreeParams,
        set: &SetParams,
        reference: &Reference,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let examples = Examples::told(set, &reference.truth, ctx);
        let grown = tree.grow(self.concept, &examples)?;
        let mut row = output.row(set.row_of(&tree.name));
        set.describe(&examples, &tree.name, &mut row);
        describe_decided(&grown.covered, reference, &mut row);
        row.set("clauses", grown.leaves).set(
            "held-out",
            right_elsewhere(&grown.covered, reference, &examples),
        );
        Ok(())
    }

    /// Closed-world specialization of over-general clauses on further positions.
    fn with_exceptions(
        &self,
        learner: &LearnerParams,
        n: u32,
        clauses: &[Clause],
        task: &mut Task,
        labels: &BitSet,
        ctx: &Context<'_>,
    ) -> Result<Vec<Clause>, CellError> {
        let mut further = Examples::new();
        further.sample(n, labels, &mut ctx.rng_for("exceptions"));
        further.give_to(task);
        for &background in &learner.exception_background {
            declare(task, self.concept, background);
        }
        let closed_world = ClosedWorld {
            learner: Foil::default(),
            rounds: 2,
        };
        let (clauses, _) = closed_world.specialize(task, clauses, &mut NoProgress)?;
        Ok(clauses)
    }
}
