//! `model-learning`: qualitative models learned from a few states, compared with the published ones.

use std::collections::{BTreeMap, BTreeSet};

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_qsim::{State, System, Variable};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::qualitative::{Examples, Learner, LearnerResult, accept, draw, signature};
use crate::systems::{self, accepts, places, value};

/// Models learned from states of a system, compared with a printed model by constraints and by accepted
/// states.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ModelLearning {
    /// The system of `kibitz-qsim` to learn: it has the quantity spaces and rejects the negative
    /// examples.
    system: String,
    /// The system whose legal states test the models.
    space: String,
    /// The system that accepts the legal ones among them.
    legal: String,
    /// Positive examples: values by variable, as `0..la0/dec`.
    examples: Vec<BTreeMap<String, String>>,
    /// One row of the table each.
    learners: Vec<LearnerRow>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct LearnerRow {
    /// The row of the table.
    row: String,
    /// The learner.
    learner: Learner,
    /// The observed variables.
    variables: Vec<String>,
    /// Legal states drawn as positive examples, instead of `examples`.
    #[serde(default)]
    positive: Option<usize>,
    /// States drawn as negative examples.
    #[serde(default)]
    negative: usize,
    /// Whether to draw these from the test states and not from all states of the variables.
    #[serde(default)]
    judged: bool,
    /// The system with the printed model.
    #[serde(default)]
    printed: Option<String>,
}

impl Experiment for ModelLearning {
    type Row = LearnerRow;

    const NAME: &'static str = "model-learning";
    const EXAMPLE: &'static str = include_str!("../examples/model-learning.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("positive", "states", "positive examples given"),
        Column::new("negative", "states", "negative examples given"),
        Column::new("facts", "facts", "facts of background knowledge listed"),
        Column::new(
            "generalized",
            "literals",
            "body literals of Golem's generalization of the positive examples, before negative ones reduce it",
        ),
        Column::new("tried", "models", "models or clauses looked at"),
        Column::new("constraints", "constraints", "constraints of the model"),
        Column::new(
            "missing",
            "constraints",
            "printed constraints that were not learned",
        ),
        Column::new(
            "further",
            "constraints",
            "learned constraints that are not printed",
        ),
        Column::new("accepted", "states", "states that the model accepts"),
        Column::new("rejected", "states", "states that it rejects"),
        Column::new("legal-accepted", "states", "legal states that it accepts"),
        Column::new("legal-rejected", "states", "legal states that it rejects"),
        Column::new(
            "same",
            "%",
            "100 if it accepts the same states as the printed model, else 0",
        ),
        Column::new(
            "others",
            "models",
            "other models in the beam that decide all examples rightly",
        ),
        Column::new(
            "others-same",
            "models",
            "of these, models that accept the same states as the printed one",
        ),
        Column::new("model", "", "the model"),
    ];

    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &[]);
        let system = systems::check("system", &self.system, problems);
        let space = systems::check("space", &self.space, problems);
        let legal = systems::check("legal", &self.legal, problems);
        let (Some(system), Some(space), Some(legal)) = (system, space, legal) else {
            return;
        };
        let others = format!("not all variables of `{}`, or others", self.space);
        problems.require(places(&space, &legal).is_some(), "legal", others);
        for (index, example) in self.examples.iter().enumerate() {
            for (name, text) in example {
                let variable = system.model.variable(name);
                let known =
                    variable.and_then(|at| value(&system.model.variables()[at].space, text));
                let message = format!("`{}` has no `{name}` with the value `{text}`", self.system);
                problems.require(
                    known.is_some(),
                    format!("examples[{index}].{name}"),
                    message,
                );
            }
        }
        problems.each("learners", &self.learners, |row, problems| {
            for name in &row.variables {
                let given = self
                    .examples
                    .iter()
                    .all(|example| example.contains_key(name));
                let known = [&system, &space].map(|system| system.model.variable(name).is_some());
                problems.require(
                    given && known == [true; 2],
                    "variables",
                    format!("`{name}` is not a variable of the systems and of every example"),
                );
            }
            let n = row.variables.len();
            if let Some(given) = row.learner.wrong_dimensions(n) {
                let message = format!("{given} dimensions for {n} variables");
                problems.at("learner.dimensions", message);
            }
            let compares = !row.learner.compares() || row.negative > 0;
            problems.require(compares, "negative", "this learner needs negative examples");
            if let Some(printed) = &row.printed {
                systems::check("printed", printed, problems);
            }
        });
        problems.require(
            !self.learners.is_empty(),
            "learners",
            "at least one learner",
        );
    }

    fn random(&self) -> bool {
        true
    }

    fn cells(&self) -> Vec<Cell<LearnerRow>> {
        let rows = self.learners.iter();
        rows.map(|row| Cell::row(&row.row, row.clone())).collect()
    }

    fn run(
        &self,
        row: &LearnerRow,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let find = |name: &str| {
            systems::find(name).ok_or_else(|| CellError::new(format!("no system `{name}`")))
        };
        let (system, space, legal) = (find(&self.system)?, find(&self.space)?, find(&self.legal)?);
        let own = |system: &System| -> Result<Vec<usize>, CellError> {
            let place = |name: &String| system.model.variable(name);
            let places: Option<Vec<usize>> = row.variables.iter().map(place).collect();
            places.ok_or_else(|| CellError::new("a variable is missing"))
        };
        let seen = own(&system)?;
        let all = system.model.variables();
        let variables: Vec<Variable> = seen.iter().map(|&place| all[place].clone()).collect();
        let tests = TestStates::new(&space, &legal, &own(&space)?);

        let examples = self.draw_examples(row, &system, (&variables, &seen), &tests, ctx)?;
        let stopwatch = ctx.stopwatch();
        let mut learned = row
            .learner
            .learn(&variables, &examples, &mut ctx.rng_for("learner"))?;
        output.set_volatile("learning", stopwatch.seconds(), "s");

        let accepted = learned.accepts(&variables, &tests.states)?;
        output
            .set("positive", examples.positive.len())
            .set("negative", examples.negative.len())
            .set("model", learned.text(&variables));
        tests.count(&accepted, output);
        if let Some(n_facts) = learned.n_facts {
            output.set("facts", n_facts);
        }
        if let Some(n_literals) = learned.n_literals {
            output.set("generalized", n_literals);
        }
        if let Some(n_tried) = learned.n_tried {
            output.set("tried", n_tried);
        }
        let names: Option<BTreeSet<String>> = learned.constraints().map(|constraints| {
            let names = constraints
                .iter()
                .map(|constraint| signature(&variables, constraint));
            names.collect()
        });
        if let Some(names) = &names {
            output.set("constraints", names.len());
        }
        if let Some(printed) = &row.printed {
            compare_with_print(
                &find(printed)?,
                &learned,
                names.as_ref(),
                &accepted,
                (&variables, &tests),
                output,
            )?;
        }
        Ok(())
    }
}

impl ModelLearning {
    /// The examples of a row: given or drawn.
    fn draw_examples(
        &self,
        row: &LearnerRow,
        system: &System,
        (variables, seen): (&[Variable], &[usize]),
        tests: &TestStates,
        ctx: &Context<'_>,
    ) -> Result<Examples, CellError> {
        let mut examples = Examples::default();
        if let Some(n) = row.positive {
            let legal = tests.select(|at| tests.legal[at]);
            examples.positive = draw(n, &legal, &mut ctx.rng_for("positive"));
        } else {
            for example in &self.examples {
                let values = variables.iter().map(|variable| {
                    let text = example.get(&variable.name)?;
                    value(&variable.space, text)
                });
                let state: Option<State> = values.collect();
                let state = state.ok_or_else(|| CellError::new("a value is missing"))?;
                examples.positive.push(state);
            }
        }
        let (n, mut rng) = (row.negative, ctx.rng_for("negative"));
        if row.judged {
            let accepted = tests.accepted_by(system);
            examples.negative = draw(n, &tests.select(|at| !accepted[at]), &mut rng);
        } else {
            examples.draw_negative(n, (variables, seen), system, &mut rng);
        }
        Ok(examples)
    }
}

/// Compares a learned model with a printed one, by constraints and by accepted states.
fn compare_with_print(
    printed: &System,
    learned: &LearnerResult,
    names: Option<&BTreeSet<String>>,
    accepted: &[bool],
    (variables, tests): (&[Variable], &TestStates),
    output: &mut Output,
) -> Result<(), CellError> {
    let constraints = printed.model.constraints().iter();
    let print: BTreeSet<String> = constraints
        .map(|constraint| signature(printed.model.variables(), constraint))
        .collect();
    if let Some(names) = names {
        output
            .set("missing", print.difference(names).count())
            .set("further", names.difference(&print).count());
    }
    let as_printed = tests.accepted_by(printed);
    let same = |accepted: &[bool]| *accepted == as_printed[..];
    output.set("same", if same(accepted) { 100.0 } else { 0.0 });
    if let Some(others) = &learned.others {
        let mut n_same = 0;
        for other in others {
            let other = [other.clone()];
            n_same += usize::from(same(&accept(variables, &other, &tests.states)?));
        }
        output
            .set("others", others.len())
            .set("others-same", n_same);
    }
    Ok(())
}

/// The states that test models.
struct TestStates {
    /// The states of all variables.
    whole: Vec<State>,
    /// The states of the observed variables.
    states: Vec<State>,
    legal: Vec<bool>,
    space: System,
}

impl TestStates {
    fn new(space: &System, legal: &System, seen: &[usize]) -> Self {
        let whole = space.model.legal_states();
        let states = whole
            .iter()
            .map(|state| seen.iter().map(|&at| state[at]).collect());
        let mut tests = Self {
            states: states.collect(),
            legal: Vec::new(),
            space: space.clone(),
            whole,
        };
        tests.legal = tests.accepted_by(legal);
        tests
    }

    /// Which states a system accepts, for some values of its other variables.
    ///
    /// A model may lack a variable that follows from another.
    fn accepted_by(&self, system: &System) -> Vec<bool> {
        let names = self.space.model.variables().iter();
        let known = names.enumerate().filter_map(|(at, variable)| {
            let place = system.model.variable(&variable.name)?;
            Some((at, place))
        });
        let (own, places): (Vec<usize>, Vec<usize>) = known.unzip();
        let states = self.whole.iter().map(|state| {
            let state: State = own.iter().map(|&at| state[at]).collect();
            accepts(system, &places, &state)
        });
        states.collect()
    }

    /// The observed states whose indices satisfy a condition.
    fn select(&self, wanted: impl Fn(usize) -> bool) -> Vec<State> {
        let numbers = (0..self.states.len()).filter(|at| wanted(*at));
        numbers.map(|at| self.states[at].clone()).collect()
    }

    fn count(&self, accepted: &[bool], output: &mut Output) {
        let count = |accepts: bool, legal: bool| {
            let both = accepted.iter().zip(&self.legal);
            let counted =
                |(own, is_legal): &(&bool, &bool)| **own == accepts && (**is_legal || !legal);
            both.filter(counted).count()
        };
        output
            .set("accepted", count(true, false))
            .set("rejected", count(false, false))
            .set("legal-accepted", count(true, true))
            .set("legal-rejected", count(false, true));
    }
}
