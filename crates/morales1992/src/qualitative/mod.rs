//! Qualitative models learned from states, by the learners of Morales 1992, chapter 8.

mod examples;
mod method;
mod pal;
mod program;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use kibitz_experiment::{CellError, ChaCha8Rng};
use kibitz_ilp::learn;
use kibitz_ilp::learn::mfoil::Estimate;
use kibitz_ilp::learn::{Golem, Mfoil};
use kibitz_ilp_cli::{Algorithm, Settings};
use kibitz_qsim::learn::{
    Dimension, GeneticParams, GenmodelParams, candidates, evolve, genmodel, with_corresponding,
};
use kibitz_qsim::{Constraint, ConstraintKind, Model, State, Variable};
use rand::{RngExt, SeedableRng as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use method::{Method, ModelLearner};
use program::{Program, Ranges, Tabulation};

pub(crate) use examples::{Examples, draw};

/// A learner with its settings.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Learner {
    /// The learner.
    pub(crate) method: Method,
    /// Whether landmarks had together are corresponding values (`pal`, `genmodel`).
    #[serde(default)]
    corresponding: bool,
    /// What each variable is a quantity of, such as `level/time`, in their order (`genmodel`);
    /// sums and derivatives then keep to dimensions.
    #[serde(default)]
    dimensions: Vec<String>,
    /// m of the m-estimate, the weight of the prior probability; Laplace's formula if not given (`mfoil`).
    #[serde(default)]
    m: Option<f64>,
    /// Clauses kept at a time (`mfoil`).
    #[serde(default = "beam")]
    beam: usize,
    /// Kinds of constraints.
    #[serde(default = "kinds")]
    kinds: Vec<ConstraintKind>,
    /// Whether `minus` is tabulated (`golem`).
    #[serde(default = "yes")]
    minus: bool,
    /// Which ranges of a value are tabulated, if any (`golem`).
    ranges: Option<Ranges>,
    /// Variables may be this many literals away from the head, if not as Golem has it (`golem`).
    max_depth: Option<usize>,
}

fn yes() -> bool {
    true
}

fn beam() -> usize {
    Mfoil::default().beam
}

fn kinds() -> Vec<ConstraintKind> {
    kibitz_qsim::learn::LEARNED_KINDS.to_vec()
}

impl Learner {
    /// Whether negative states are needed.
    pub(crate) fn compares(&self) -> bool {
        let needs_none = [
            Method::Logic(Algorithm::Pal),
            Method::Models(ModelLearner::Genmodel),
        ];
        !needs_none.contains(&self.method)
    }

    /// How many dimensions are given, if not one for each of `n` variables.
    pub(crate) fn wrong_dimensions(&self, n: usize) -> Option<usize> {
        let given = self.dimensions.len();
        (given != 0 && given != n).then_some(given)
    }

    pub(crate) fn learn(
        &self,
        variables: &[Variable],
        examples: &Examples,
        rng: &mut ChaCha8Rng,
    ) -> Result<LearnerResult, CellError> {
        let [positive, negative] = [&examples.positive[..], &examples.negative[..]];
        let all = candidates(variables, &self.kinds);
        match self.method {
            Method::Logic(Algorithm::Pal) if self.corresponding => {
                let all = with_corresponding(variables, all, positive);
                Ok(LearnerResult::model(pal::learn(variables, positive, &all)?))
            }
            Method::Logic(Algorithm::Pal) => {
                Ok(LearnerResult::model(pal::learn(variables, positive, &all)?))
            }
            Method::Models(ModelLearner::Genmodel) => {
                let dimensions = self.dimensions.iter().map(|text| {
                    let Ok(dimension) = text.parse::<Dimension>();
                    dimension
                });
                let params = GenmodelParams {
                    kinds: self.kinds.clone(),
                    corresponding: self.corresponding,
                    dimensions: dimensions.collect(),
                    ..GenmodelParams::default()
                };
                Ok(LearnerResult::model(genmodel(variables, positive, &params)))
            }
            Method::Logic(Algorithm::Mfoil) => {
                // mFoil works on tables of values made from the constraints, not on the program
                // that other learners read.
                let mfoil = Mfoil {
                    estimate: self.m.map_or(Estimate::Laplace, Estimate::M),
                    beam: self.beam,
                    ..Mfoil::default()
                };
                program::mfoil(variables, examples, &all, &mfoil)
            }
            Method::Logic(algorithm) => {
                let settings = Settings {
                    seed: Some(rng.random()),
                    ..Settings::default()
                };
                let golem = Golem {
                    max_depth: self.max_depth.unwrap_or(Golem::default().max_depth),
                    ..Golem::default()
                };
                let listed = Tabulation {
                    minus: self.minus,
                    ranges: self.ranges,
                    generalized: (algorithm == Algorithm::Golem).then_some(golem),
                };
                // Golem is built here, since its depth is a parameter of the row and the
                // generalization is counted with the same learner.
                let learner: Box<dyn learn::Learner> = match listed.generalized {
                    Some(golem) => Box::new(Golem {
                        seed: settings.seed.unwrap_or(golem.seed),
                        ..golem
                    }),
                    None => algorithm.learner(&settings)?,
                };
                Program::learn(variables, examples, listed, &*learner)
            }
            Method::Models(ModelLearner::Genetic) => {
                let params = GeneticParams::default();
                let mut rng = ChaCha8Rng::from_rng(rng);
                let examples = [positive, negative];
                let evolved = evolve(variables, &all, examples, &params, &mut rng)?;
                Ok(LearnerResult {
                    n_tried: Some(evolved.n_trees),
                    ..LearnerResult::model(evolved.constraints)
                })
            }
        }
    }
}

/// The result of a learner.
pub(crate) struct LearnerResult {
    pub(crate) theory: Theory,
    /// Facts of background knowledge that were listed.
    pub(crate) n_facts: Option<usize>,
    /// Body literals of Golem's generalization of all positive examples, before it is reduced.
    pub(crate) n_literals: Option<usize>,
    /// Models or clauses that were looked at.
    pub(crate) n_tried: Option<usize>,
    /// Other models that accept all positive examples and no negative one.
    pub(crate) others: Option<Vec<Vec<Constraint>>>,
}

/// A definition of the legal states.
pub(crate) enum Theory {
    /// Conjunctions of constraints, of which one must hold.
    Models(Vec<Vec<Constraint>>),
    /// Clauses with variables of their own.
    Program(Box<Program>),
}

impl LearnerResult {
    fn model(constraints: Vec<Constraint>) -> Self {
        Self::theory(Theory::Models(vec![constraints]))
    }

    fn theory(theory: Theory) -> Self {
        Self {
            theory,
            n_facts: None,
            n_literals: None,
            n_tried: None,
            others: None,
        }
    }

    /// Which of the states it accepts.
    pub(crate) fn accepts(
        &mut self,
        variables: &[Variable],
        states: &[State],
    ) -> Result<Vec<bool>, CellError> {
        match &mut self.theory {
            Theory::Models(models) => accept(variables, models, states),
            Theory::Program(program) => program.accepts(variables, states),
        }
    }

    /// The constraints, if there is one conjunction of them.
    pub(crate) fn constraints(&self) -> Option<&[Constraint]> {
        match &self.theory {
            Theory::Models(models) if models.len() == 1 => Some(&models[0]),
            _ => None,
        }
    }

    /// The definition as text.
    pub(crate) fn text(&self, variables: &[Variable]) -> String {
        match &self.theory {
            Theory::Program(program) => program.text(),
            Theory::Models(models) => {
                let models = models.iter().map(|model| {
                    let names = model.iter().map(|constraint| name(variables, constraint));
                    names.collect::<Vec<_>>().join(", ")
                });
                models.collect::<Vec<_>>().join("; ")
            }
        }
    }
}

/// Which of the states some conjunction of constraints accepts.
pub(crate) fn accept(
    variables: &[Variable],
    models: &[Vec<Constraint>],
    states: &[State],
) -> Result<Vec<bool>, CellError> {
    let models = models
        .iter()
        .map(|constraints| Model::new(variables.to_vec(), constraints.clone()));
    let models = models.collect::<Result<Vec<_>, _>>()?;
    let accepts = |state: &State| models.iter().any(|model| model.accepts(state));
    Ok(states.iter().map(accepts).collect())
}

/// `add(la, fba, lb)`, with the corresponding values behind it.
pub(crate) fn name(variables: &[Variable], constraint: &Constraint) -> String {
    let own = || {
        constraint
            .variables
            .iter()
            .map(|&variable| &variables[variable])
    };
    let names: Vec<&str> = own().map(|variable| variable.name.as_str()).collect();
    let mut text = format!("{}({})", constraint.kind, names.join(", "));
    for row in &constraint.corresponding {
        let landmarks = row.iter().zip(own());
        let landmarks = landmarks.map(|(at, variable)| variable.space.name(*at));
        let _ = write!(text, " c({})", landmarks.collect::<Vec<_>>().join(","));
    }
    text
}

/// A constraint without its corresponding values, with the names of its variables in the order in
/// which [`candidates`] gives them.
pub(crate) fn signature(variables: &[Variable], constraint: &Constraint) -> String {
    let mut names: Vec<&str> = (constraint.variables.iter())
        .map(|&variable| variables[variable].name.as_str())
        .collect();
    if constraint.kind != ConstraintKind::Deriv && names.len() > 1 {
        names[..2].sort_unstable();
    }
    format!("{}({})", constraint.kind, names.join(", "))
}
