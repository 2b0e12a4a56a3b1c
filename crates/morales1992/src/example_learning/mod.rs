//! `example-learning`: learners given sampled examples of a concept on three pieces.

mod examples;
mod params;
mod space;

use std::sync::OnceLock;

use kibitz_ilp::learn::{NoProgress, closed_world, foil};
use kibitz_ilp::{
    BitSet, Clause, Evaluator, Limits, Prover, ProverError, SymbolTable, Task, print_clause,
    read_clauses,
};
use kibitz_lab::{
    Cell, CellContext, CellError, CellOutput, Column, Diagnostics, Kind, Params, Plan,
};
use rand::seq::SliceRandom;

use examples::{Examples, Method, SetParams};
use params::{Labels, LearnerParams, LearningParams, TheoryParams};
use space::{Background, N_POSITIONS, all_atoms, atom, declare, position, task, truth};

/// Foil, Golem, PAL's algorithm for random examples and closed-world specialisation on the same
/// examples, judged on all positions.
#[derive(Debug)]
pub(crate) struct ExampleLearning;

impl Kind for ExampleLearning {
    fn name(&self) -> &'static str {
        "example-learning"
    }

    fn version(&self) -> u32 {
        1
    }

    fn crates(&self) -> &'static [&'static str] {
        &["kibitz-ilp"]
    }

    fn example(&self) -> &'static str {
        include_str!("../examples/example-learning.toml")
    }

    fn params_schema(&self) -> schemars::Schema {
        schemars::schema_for!(LearningParams)
    }

    fn plan(&self, params: &Params<'_>) -> Result<Box<dyn Plan>, Diagnostics> {
        let checked: LearningParams = params.read()?;
        params.expect_data(&[])?;
        let mut problems = Diagnostics::new();
        let mut read = |at: String, text: &str| {
            if let Err(errors) = read_clauses(text, &mut SymbolTable::new()) {
                problems.push(params.error_at(&at, errors.to_string()));
            }
        };
        for (index, clause) in checked.reference.iter().enumerate() {
            read(format!("reference.{index}"), clause);
        }
        for (index, theory) in checked.theories.iter().enumerate() {
            read(format!("theories.{index}.text"), &theory.text);
        }
        for (index, learner) in checked.learners.iter().enumerate() {
            let at = |key: &str| format!("learners.{index}.{key}");
            if learner.labels == Labels::Reference && checked.reference.is_empty() {
                let message = "there are no `reference` clauses";
                problems.push(params.error_at(&at("labels"), message));
            }
            let unfit = |known: &Background| !known.relates_two();
            if learner.method == Method::Pal && learner.background.iter().any(unfit) {
                let message = "this method takes relations of two coordinates only";
                problems.push(params.error_at(&at("background"), message));
            }
        }
        for (index, set) in checked.sets.iter().enumerate() {
            let at = |key: &str| format!("sets.{index}.{key}");
            for name in &set.learners {
                if !checked.learners.iter().any(|learner| learner.name == *name) {
                    let message = format!("no learner is named `{name}`");
                    problems.push(params.error_at(&at("learners"), message));
                }
            }
            let most = 50_000;
            if set.sampled.max(set.positive).max(set.negative) > most {
                let message = format!("at most {most} examples");
                problems.push(params.error_at(&at("name"), message));
            }
            if set.sampled == 0 && set.positive == 0 && !set.all_positive {
                let message = "no positive examples: set `sampled`, `positive` or `all-positive`";
                problems.push(params.error_at(&at("name"), message));
            }
        }
        problems.into_result(Box::new(LearningPlan {
            params: checked,
            reference: OnceLock::new(),
        }))
    }
}

struct LearningPlan {
    params: LearningParams,
    /// What each reference clause covers.
    reference: OnceLock<Vec<BitSet>>,
}

/// What is said of the clauses of a row.
struct Judged {
    clauses: Vec<Clause>,
    covered: Vec<BitSet>,
    symbols: SymbolTable,
}

impl Plan for LearningPlan {
    fn random(&self) -> bool {
        true
    }

    fn columns(&self) -> Vec<Column> {
        [
            ("positive", "examples", "positive examples given"),
            ("negative", "examples", "negative examples given"),
            ("clauses", "clauses", "clauses of the definition"),
            (
                "found",
                "clauses",
                "reference clauses all of whose positions one clause covers",
            ),
            (
                "special",
                "clauses",
                "other reference clauses of which some clause is a special case",
            ),
            ("list", "", "numbers of the reference clauses found"),
            ("covered", "%", "share of all positions covered"),
            (
                "needed",
                "examples",
                "random examples needed for two that are covered, on average",
            ),
            ("accuracy", "%", "share of all positions decided rightly"),
            (
                "agreement",
                "%",
                "share of all positions decided as by the reference clauses",
            ),
            (
                "false-positives",
                "positions",
                "positions covered although the concept is not true of them",
            ),
            (
                "false-negatives",
                "positions",
                "positions not covered although the concept is true of them",
            ),
            ("correct", "", "whether every position is decided rightly"),
            (
                "refuted",
                "",
                "whether the given counterexample is covered, and wrongly",
            ),
            ("facts", "facts", "facts of a background predicate"),
            ("theory", "", "the definition"),
        ]
        .into_iter()
        .map(|(name, unit, doc)| Column::new(name, unit, doc))
        .collect()
    }

    fn cells(&self) -> Vec<Cell> {
        let sets = self.params.sets.iter().map(|set| {
            let learners: Vec<_> = self.learners_of(set).collect();
            let cost = if set.counterexamples { 20.0 } else { 2.0 };
            let rows = learners.iter().map(|learner| row_name(learner, set));
            Cell::rows(&set.name, rows).costing(cost * learners.len() as f64)
        });
        let theories = self.params.theories.iter();
        let facts = self.params.facts.iter();
        theories
            .map(|theory| Cell::row(&theory.row))
            .chain(sets)
            .chain(facts.map(|facts| Cell::row(facts.name()).costing(0.01)))
            .collect()
    }

    fn run(&self, cell: &Cell, ctx: &CellContext<'_>) -> Result<CellOutput, CellError> {
        let mut output = CellOutput::new();
        let named = |set: &&SetParams| set.name == cell.id;
        if let Some(set) = self.params.sets.iter().find(named) {
            for learner in self.learners_of(set) {
                ctx.check()?;
                self.run_learner(learner, set, ctx, &mut output)?;
            }
        } else if let Some(theory) = self.params.theories.iter().find(|t| t.row == cell.id) {
            self.run_theory(theory, &mut output)?;
        } else if let Some(facts) = self.params.facts.iter().find(|f| f.name() == cell.id) {
            output.set(&*cell.id, "facts", facts.facts().len() as u64);
        } else {
            return Err(CellError::new("no such row"));
        }
        Ok(output)
    }
}

fn row_name(learner: &LearnerParams, set: &SetParams) -> String {
    format!("{}, {}", learner.name, set.name)
}

impl LearningPlan {
    fn learners_of<'a>(
        &'a self,
        set: &'a SetParams,
    ) -> impl Iterator<Item = &'a LearnerParams> + 'a {
        let given = |learner: &&LearnerParams| {
            set.learners.is_empty() || set.learners.contains(&learner.name)
        };
        self.params.learners.iter().filter(given)
    }

    fn run_theory(&self, theory: &TheoryParams, output: &mut CellOutput) -> Result<(), CellError> {
        let mut task = task(self.params.concept, &theory.background);
        let clauses = read_clauses(&theory.text, &mut task.symbols)?;
        let judged = judge(&mut task, clauses)?;
        let union = self.describe(&theory.row, &judged, output)?;
        let share = 100.0 * union.count() as f64 / N_POSITIONS as f64;
        output.set(&*theory.row, "covered", share);
        if !union.is_empty() {
            output.set(&*theory.row, "needed", 200.0 / share);
        }
        if let Some(counterexample) = theory.counterexample {
            let wrongly = (0..N_POSITIONS).any(|index| {
                position(index) == counterexample
                    && union.contains(index)
                    && !self.params.concept.holds(counterexample)
            });
            output.set(&*theory.row, "refuted", if wrongly { "yes" } else { "no" });
        }
        Ok(())
    }

    fn run_learner(
        &self,
        learner: &LearnerParams,
        set: &SetParams,
        ctx: &CellContext<'_>,
        output: &mut CellOutput,
    ) -> Result<(), CellError> {
        let row = row_name(learner, set);
        let labels = match learner.labels {
            Labels::Concept => truth(self.params.concept),
            Labels::Reference => self.reference_union()?,
        };
        let mut examples = Examples::draw(set, &labels, ctx);
        let seed = ctx.seed_u64("learner");
        let mut task = task(self.params.concept, &learner.background);
        let mut clauses = examples.learn(learner.method, seed, &mut task)?;
        if set.counterexamples {
            let mut order: Vec<usize> = (0..N_POSITIONS).collect();
            order.shuffle(&mut ctx.rng_for("counterexamples"));
            let mut rounds = 0;
            loop {
                let given = examples.given();
                order.retain(|&index| !given.contains(index));
                let Some(wrong) = first_wrong(&mut task, &clauses, &labels, &order)? else {
                    break;
                };
                ctx.check()?;
                rounds += 1;
                if rounds > self.params.max_rounds {
                    break;
                }
                examples.push(wrong, &labels);
                clauses = examples.learn(learner.method, seed, &mut task)?;
            }
        }
        output.set(&*row, "positive", examples.positive.len() as u64);
        output.set(&*row, "negative", examples.negative.len() as u64);
        if let Some(n) = learner.exceptions {
            clauses = self.with_exceptions(learner, n, &clauses, &mut task, &labels, ctx)?;
        }
        let judged = judge(&mut task, clauses)?;
        self.describe(&row, &judged, output)?;
        Ok(())
    }

    /// Closed-world specialisation of over-general clauses on further positions.
    fn with_exceptions(
        &self,
        learner: &LearnerParams,
        n: u32,
        clauses: &[Clause],
        task: &mut Task,
        labels: &BitSet,
        ctx: &CellContext<'_>,
    ) -> Result<Vec<Clause>, CellError> {
        let mut further = Examples::default();
        further.sample(n, labels, &mut ctx.rng_for("exceptions"));
        further.give_to(task);
        for &background in &learner.exception_background {
            declare(task, self.params.concept, background);
        }
        let mut define = |inner: &mut Task| {
            let db = inner.database()?;
            foil::learn(inner, &db, &foil::FoilParams::default(), &mut NoProgress)
        };
        Ok(closed_world::specialize(task, clauses, 2, &mut define)?)
    }

    fn reference(&self) -> Result<&[BitSet], CellError> {
        if let Some(known) = self.reference.get() {
            return Ok(known);
        }
        let mut covered = Vec::new();
        for text in &self.params.reference {
            let background = [
                Background::Adjacent,
                Background::AdjOrEq,
                Background::LessThan,
            ];
            let mut task = task(self.params.concept, &background);
            let clauses = read_clauses(text, &mut task.symbols)?;
            covered.push(judge(&mut task, clauses)?.union());
        }
        Ok(self.reference.get_or_init(|| covered))
    }

    fn reference_union(&self) -> Result<BitSet, CellError> {
        let mut union = BitSet::new(N_POSITIONS);
        for covered in self.reference()? {
            union.union(covered);
        }
        Ok(union)
    }

    /// Fills the columns that every definition has; returns what it covers.
    fn describe(
        &self,
        row: &str,
        judged: &Judged,
        output: &mut CellOutput,
    ) -> Result<BitSet, CellError> {
        let union = judged.union();
        let truth = truth(self.params.concept);
        let wrong = |other: &BitSet| {
            [
                union.count_and_not(other) as u64,
                other.count_and_not(&union) as u64,
            ]
        };
        let right = |[fp, fn_]: [u64; 2]| 100.0 * (1.0 - (fp + fn_) as f64 / N_POSITIONS as f64);
        let [fp, fn_] = wrong(&truth);
        output.set(row, "clauses", judged.clauses.len() as u64);
        output.set(row, "accuracy", right([fp, fn_]));
        output.set(row, "false-positives", fp);
        output.set(row, "false-negatives", fn_);
        output.set(row, "correct", if fp + fn_ == 0 { "yes" } else { "no" });
        let lines = judged
            .clauses
            .iter()
            .map(|clause| print_clause(clause, &judged.symbols).to_string());
        let text = lines.collect::<Vec<_>>().join(" ");
        output.set(
            row,
            "theory",
            if text.is_empty() { "none".into() } else { text },
        );
        let reference = self.reference()?;
        // A reference clause alone is not compared with itself.
        if !reference.is_empty() && judged.clauses.len() > 1 {
            output.set(row, "agreement", right(wrong(&self.reference_union()?)));
            let (mut found, mut special, mut list) = (0u64, 0u64, Vec::new());
            for (number, whole) in (1..).zip(reference) {
                if judged.covered.iter().any(|own| whole.is_subset(own)) {
                    found += 1;
                    list.push(number.to_string());
                } else if (judged.covered.iter()).any(|own| own.count() > 1 && own.is_subset(whole))
                {
                    special += 1;
                    list.push(format!("special case of {number}"));
                }
            }
            output.set(row, "found", found);
            output.set(row, "special", special);
            output.set(row, "list", list.join(", "));
        }
        Ok(union)
    }
}

impl Judged {
    fn union(&self) -> BitSet {
        let mut union = BitSet::new(N_POSITIONS);
        for covered in &self.covered {
            union.union(covered);
        }
        union
    }
}

/// Finds out which positions each clause covers.
fn judge(task: &mut Task, clauses: Vec<Clause>) -> Result<Judged, CellError> {
    let atoms = all_atoms(task);
    let db = task.database()?;
    let mut evaluator = Evaluator::new(&db, Limits::default(), &atoms, &[]);
    let coverages = evaluator.theory(&clauses)?;
    Ok(Judged {
        covered: coverages
            .into_iter()
            .map(|coverage| coverage.positive)
            .collect(),
        clauses,
        symbols: task.symbols.clone(),
    })
}

/// The first position of the order that the clauses decide otherwise than the labels do.
fn first_wrong(
    task: &mut Task,
    clauses: &[Clause],
    labels: &BitSet,
    order: &[usize],
) -> Result<Option<usize>, ProverError> {
    let db = task.database()?;
    let mut prover = Prover::new(&db, Limits::default());
    let prepared = prover.prepare(clauses)?;
    prover.load(&prepared);
    for &index in order {
        let atom = atom(task, position(index));
        let mut covered = false;
        for clause in 0..clauses.len() {
            covered = covered || prover.covers(&prepared, clause, &atom)?.is_proved();
        }
        if covered != labels.contains(index) {
            return Ok(Some(index));
        }
    }
    Ok(None)
}
