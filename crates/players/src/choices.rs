//! The decisions that a model is fitted to, whatever its depth.

use std::collections::BTreeMap;

use kibitz_search::{player::softmax, quiescent::Decision};
use kibitz_stats::{
    BfgsOptions, ChoiceSets, ConditionalLogit, DMatrix, DVector, Fit, NoMaximum,
    optimize::{Differentiable as _, Objective, Optimum, ProfileError, profile_interval},
    soft_minimax::{SoftMinimax, Trees},
    split::Split,
};

use crate::{
    Error, Session, coding,
    four_ply::{self, ModelParams, budget_bytes},
    measures::JudgedChoice,
    one_ply,
};

/// Memory for trees, in MiB; those beyond it are built again where they are needed.
const TREES_MIB: u32 = 4096;

/// Decisions by group (game), as the likelihood of a model takes them.
#[derive(Debug)]
pub enum Choices {
    /// Alternatives as rows of attributes: the one-ply model, and tables of any domain.
    Rows(ChoiceSets),
    /// Alternatives as trees: the four-ply model.
    Trees(Trees),
}

impl Choices {
    /// Decisions of chess players as rows.
    ///
    /// # Errors
    /// As [`one_ply::choices`].
    pub fn one_ply<S: Session>(
        params: &ModelParams,
        decisions: &[Decision],
        session: &S,
    ) -> Result<Self, S::Error> {
        let mut games: BTreeMap<u32, Vec<&Decision>> = BTreeMap::new();
        for decision in decisions {
            games.entry(decision.group).or_default().push(decision);
        }
        let last = games.last_key_value().map_or(0, |(group, _)| group + 1);
        let plies = (0..last).map(|group| {
            let own = games.get(&group).into_iter().flatten();
            own.map(|decision| (decision.position.clone(), decision.played))
        });
        let sets = one_ply::choices(&params.attribute_set(), plies, session)?;
        Ok(Self::Rows(sets))
    }

    /// Decisions of chess players as trees.
    ///
    /// # Errors
    /// [`Error::Decision`].
    pub fn four_ply(params: &ModelParams, decisions: Vec<Decision>) -> Result<Self, Error> {
        let trees = params.model().trees(decisions, budget_bytes(TREES_MIB))?;
        Ok(Self::Trees(trees))
    }

    /// Number of decisions.
    pub fn len(&self) -> u64 {
        match self {
            Self::Rows(sets) => sets.n_choices(),
            Self::Trees(trees) => SoftMinimax::new(trees).n_choices(),
        }
    }

    /// Whether there is no decision.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The groups, ascending.
    pub fn groups(&self) -> Vec<u32> {
        match self {
            Self::Rows(sets) => sets.groups(),
            Self::Trees(trees) => {
                let mut groups: Vec<u32> = trees.groups().collect();
                groups.dedup();
                groups
            }
        }
    }

    /// Bits if all alternatives are equally likely.
    pub fn uniform_bits(&self) -> f64 {
        match self {
            Self::Rows(sets) => ConditionalLogit::new(sets).uniform_bits(),
            Self::Trees(trees) => SoftMinimax::new(trees).uniform_bits(),
        }
    }

    /// For each attribute the weight that counts as one unit of change, see [`Objective::scales`].
    pub fn scales(&self) -> Vec<f64> {
        match self {
            Self::Rows(sets) => ConditionalLogit::new(sets).scales(),
            Self::Trees(trees) => SoftMinimax::new(trees).scales(),
        }
    }

    /// Maximum likelihood weights, and why there are none.
    ///
    /// # Errors
    /// [`FitError`](kibitz_stats::FitError), or the end of the session.
    pub fn fit<S: Session>(&self, session: &S) -> Result<(Fit, Option<NoMaximum>), S::Error> {
        match self {
            Self::Rows(sets) => {
                let model = ConditionalLogit::new(sets);
                let fit = one_ply::fit(model)?;
                let why = model.no_maximum(&fit.weights, fit.stop);
                Ok((fit, why))
            }
            Self::Trees(trees) => {
                let likelihood = SoftMinimax::new(trees);
                let fit = four_ply::fit(&likelihood, 1, session, "all games")?.fit;
                let why = likelihood.no_maximum(&fit.weights, fit.stop);
                Ok((fit, why))
            }
        }
    }

    /// Weights fitted to the training groups of each fold.
    ///
    /// # Errors
    /// [`Error::NoMaximum`] for a fold without a maximum, or the end of the session.
    pub fn fit_folds<S: Session>(
        &self,
        names: &[String],
        folds: &[Split],
        session: &S,
    ) -> Result<Vec<Vec<f64>>, S::Error> {
        match self {
            Self::Rows(sets) => coding::fold_weights(sets, names, folds, session),
            Self::Trees(trees) => {
                let likelihood = SoftMinimax::new(trees);
                four_ply::fitted_folds(&likelihood, names, folds, 1, session, "folds")
            }
        }
    }

    /// The gradient of the log-likelihood of every group at a point.
    pub fn group_scores(&self, weights: &[f64]) -> Vec<DVector<f64>> {
        match self {
            Self::Rows(sets) => {
                let mut scores: BTreeMap<u32, DVector<f64>> = BTreeMap::new();
                for (set, judged) in sets.iter().zip(self.judge(weights, None)) {
                    let score = (scores.entry(set.group()))
                        .or_insert_with(|| DVector::zeros(weights.len()));
                    *score += DVector::from_vec(set.alternative(set.chosen()));
                    for (index, probability) in judged.probabilities.iter().enumerate() {
                        *score -= DVector::from_vec(set.alternative(index)) * *probability;
                    }
                }
                scores.into_values().collect()
            }
            Self::Trees(trees) => {
                let scores = SoftMinimax::new(trees).group_scores(weights);
                scores.into_values().collect()
            }
        }
    }

    /// The second derivatives of the log-likelihood, negated: Fisher's information as observed.
    pub fn information(&self, weights: &[f64]) -> DMatrix<f64> {
        use kibitz_stats::optimize::TwiceDifferentiable as _;
        match self {
            Self::Rows(sets) => -ConditionalLogit::new(sets).second_order(weights).hessian,
            Self::Trees(trees) => -SoftMinimax::new(trees).hessian(weights),
        }
    }

    /// The gradient of the log-likelihood at a point.
    pub fn gradient(&self, weights: &[f64]) -> DVector<f64> {
        match self {
            Self::Rows(sets) => ConditionalLogit::new(sets).first_order(weights).gradient,
            Self::Trees(trees) => SoftMinimax::new(trees).first_order(weights).gradient,
        }
    }

    /// The same decisions with these attributes alone, by index; of rows only, trees serve every
    /// subset of theirs.
    #[must_use]
    pub fn restricted_to(&self, attributes: &[usize]) -> Option<Self> {
        match self {
            Self::Rows(sets) => Some(Self::Rows(sets.restricted_to(attributes))),
            Self::Trees(_) => None,
        }
    }

    /// What the weights say of every decision, or of those of some groups, in order.
    pub fn judge(&self, weights: &[f64], groups: Option<&[u32]>) -> Vec<JudgedChoice> {
        match self {
            Self::Rows(sets) => {
                let part = groups.map(|groups| sets.by_groups(groups));
                let sets = part.as_ref().unwrap_or(sets);
                let model = ConditionalLogit::new(sets);
                let of_set = |(index, set): (usize, kibitz_stats::ChoiceSet<'_>)| {
                    let probabilities = model.probabilities(weights, index).unwrap_or_default();
                    JudgedChoice::new(set.group(), set.chosen(), probabilities)
                };
                sets.iter().enumerate().map(of_set).collect()
            }
            Self::Trees(trees) => {
                let mut likelihood = SoftMinimax::new(trees);
                if let Some(groups) = groups {
                    likelihood = likelihood.by_groups(groups);
                }
                let valued = likelihood.valued_choices(weights).into_iter();
                let judged = valued.map(|(group, chosen, mut values)| {
                    softmax(&mut values);
                    JudgedChoice::new(group, chosen, values)
                });
                judged.collect()
            }
        }
    }

    /// Profile-likelihood interval of one weight.
    ///
    /// # Errors
    /// [`ProfileError`].
    pub fn profile(
        &self,
        fit: &Fit,
        weight: usize,
        std_error: f64,
        fall: f64,
    ) -> Result<[f64; 2], ProfileError> {
        let maximum = Optimum {
            point: fit.weights.clone(),
            value: fit.log_likelihood,
            n_iterations: fit.n_iterations,
            n_evaluations: fit.n_evaluations,
            stop: fit.stop,
        };
        let options = BfgsOptions::default();
        match self {
            Self::Rows(sets) => {
                let model = ConditionalLogit::new(sets);
                profile_interval(&model, &maximum, weight, std_error, fall, &options)
            }
            Self::Trees(trees) => {
                let model = SoftMinimax::new(trees);
                profile_interval(&model, &maximum, weight, std_error, fall, &options)
            }
        }
    }
}
