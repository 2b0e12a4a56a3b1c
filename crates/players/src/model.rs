//! A fitted player as a file, and what it says of moves.

use kibitz_board::{Chess, MoveList, Position as _};
use kibitz_search::{
    one_ply::{OnePly, WeightedOnePly},
    player::{Model as _, softmax},
    quiescent::WeightedQuiescent,
};
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

use crate::{
    FittedWeights, Phase, attribution::Reliability, four_ply::ModelParams, measures::JudgedChoice,
};

/// Version of the file of a model.
pub const VERSION: u32 = 2;

/// How far a model looks ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Depth {
    /// The positions after a move.
    OnePly,
    /// A quiescence search of four plies.
    FourPly,
}

impl Depth {
    /// Its name in files and on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::OnePly => "one-ply",
            Self::FourPly => "four-ply",
        }
    }
}

/// What the choices are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Domain {
    /// Moves of chess.
    Chess {
        /// How far the player looks ahead.
        depth: Depth,
        /// Attributes, conventions, and the tree of the four-ply model.
        params: ModelParams,
    },
    /// Rows of a table, with attributes of these names.
    Table {
        /// The columns.
        attributes: Vec<String>,
    },
}

/// A fit of all decisions, or of those of a phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Part {
    /// The phase; none for all decisions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// The fit.
    pub fit: FittedWeights,
}

/// A fitted player.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Model {
    /// [`VERSION`].
    #[serde(deserialize_with = "this_version")]
    pub version: u32,
    /// Who chose.
    pub player: String,
    /// The confidence level of intervals.
    pub level: f64,
    /// Mean bits per move of every game under the whole model, ascending.
    pub typical: Vec<f64>,
    /// What was chosen.
    pub domain: Domain,
    /// One fit, or one for each phase.
    pub parts: Vec<Part>,
}

fn this_version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let version = u32::deserialize(deserializer)?;
    if version == VERSION {
        return Ok(version);
    }
    Err(D::Error::custom(format!(
        "the file is of version {version}, and this program reads version {VERSION}; fit the model again"
    )))
}

impl Model {
    /// The names of the attributes, in the order of the weights.
    pub fn attributes(&self) -> Vec<String> {
        match &self.domain {
            Domain::Chess { params, .. } => {
                let names = params.attributes.iter().map(|one| one.name().to_owned());
                names.collect()
            }
            Domain::Table { attributes } => attributes.clone(),
        }
    }

    /// What contradicts itself in the file, in a sentence.
    pub fn problem(&self) -> Option<String> {
        let names = self.attributes();
        for part in &self.parts {
            let own: Vec<&str> = (part.fit.weights.iter())
                .map(|weight| weight.attribute.as_str())
                .collect();
            if own != names {
                return Some(format!(
                    "the weights are those of {}, the attributes {}",
                    own.join(", "),
                    names.join(", ")
                ));
            }
            if let Some(weight) = part.fit.weights.iter().find(|one| !one.value.is_finite()) {
                return Some(format!(
                    "the weight of `{}` is not a finite number",
                    weight.attribute
                ));
            }
            if !(part.fit.dispersion > 0.0 && part.fit.dispersion.is_finite()) {
                return Some("the dispersion is not a number above 0".to_owned());
            }
            let covariance = &part.fit.covariance;
            let is_square = covariance.len() == own.len()
                && covariance.iter().all(|row| row.len() == own.len());
            if !is_square {
                return Some(format!(
                    "the covariance of {} weights has {} rows and columns",
                    own.len(),
                    own.len()
                ));
            }
            if !covariance.iter().flatten().all(|one| one.is_finite()) {
                return Some("the covariance has a number that is not finite".to_owned());
            }
        }
        if self.typical.is_empty() || !self.typical.iter().all(|one| one.is_finite()) {
            return Some("`typical` is not a list of bits per move of one game or more".to_owned());
        }
        self.parts
            .is_empty()
            .then(|| "it contains no fit".to_owned())
    }

    /// How far its likelihoods are to be believed.
    pub fn reliability(&self) -> Reliability {
        let fits = || self.parts.iter().map(|part| &part.fit);
        let weights: f64 = fits().map(|fit| fit.weights.len() as f64).sum();
        let moves: f64 = fits().map(|fit| fit.fitted.moves as f64).sum();
        let errors: f64 = fits()
            .map(|fit| fit.weights.len() as f64 * fit.dispersion)
            .sum();
        Reliability {
            games: self.typical.len() as f64,
            dispersion: errors / weights,
            error_per_move: errors / moves,
        }
    }

    /// The fit for a position.
    fn part_for(&self, position: &Chess) -> Option<&Part> {
        let phase = Phase::of(position);
        let own = self.parts.iter().find(|part| part.phase == Some(phase));
        own.or_else(|| self.parts.iter().find(|part| part.phase.is_none()))
    }

    /// Values of the moves of a position; `None` if the model is not of chess, or has no fit for the
    /// phase.
    ///
    /// # Examples
    /// See the README.
    pub fn value(&self, position: &Chess) -> Option<MoveValues> {
        let Domain::Chess { depth, params } = &self.domain else {
            return None;
        };
        let weights = self.part_for(position)?.fit.values();
        let moves = position.legal_moves();
        let values = values(*depth, params, weights.clone(), position, &moves);
        // What an attribute adds is what the value loses without its weight; of one ply that is the
        // weight times the attribute.
        let contributions = (0..weights.len()).map(|index| {
            let mut others = weights.clone();
            others[index] = 0.0;
            let without = self::values(*depth, params, others, position, &moves);
            values
                .iter()
                .zip(&without)
                .map(|(value, other)| value - other)
                .collect()
        });
        let contributions = contributions.collect();
        Some(MoveValues {
            moves,
            values,
            contributions,
        })
    }

    /// The probabilities of the moves of a position, without what makes them up.
    pub fn judge(
        &self,
        position: &Chess,
        played: kibitz_board::Move,
        group: u32,
    ) -> Option<JudgedChoice> {
        let Domain::Chess { depth, params } = &self.domain else {
            return None;
        };
        let weights = self.part_for(position)?.fit.values();
        let moves = position.legal_moves();
        let chosen = moves.iter().position(|one| *one == played)?;
        let mut values = values(*depth, params, weights, position, &moves);
        softmax(&mut values);
        Some(JudgedChoice::new(group, chosen, values))
    }
}

fn values(
    depth: Depth,
    params: &ModelParams,
    weights: Vec<f64>,
    position: &Chess,
    moves: &MoveList,
) -> Vec<f64> {
    let mut values = Vec::with_capacity(moves.len());
    match depth {
        Depth::OnePly => WeightedOnePly::new(OnePly::new(params.attribute_set()), weights)
            .extend_values(position, moves, &mut values),
        Depth::FourPly => WeightedQuiescent::new(params.model(), &weights).extend_values(
            position,
            moves,
            &mut values,
        ),
    }
    values
}

/// A model made ready to value the moves of many positions.
#[cfg(feature = "codec")]
pub(crate) struct Valuer(Vec<(Option<Phase>, Box<dyn kibitz_search::player::Model>)>);

#[cfg(feature = "codec")]
impl Valuer {
    /// `None` if the model is not of chess.
    pub(crate) fn new(model: &Model) -> Option<Self> {
        let Domain::Chess { depth, params } = &model.domain else {
            return None;
        };
        let of_part = |part: &Part| {
            let weights = part.fit.values();
            let valuer: Box<dyn kibitz_search::player::Model> = match depth {
                Depth::OnePly => Box::new(WeightedOnePly::new(
                    OnePly::new(params.attribute_set()),
                    weights,
                )),
                Depth::FourPly => Box::new(WeightedQuiescent::new(params.model(), &weights)),
            };
            (part.phase, valuer)
        };
        Some(Self(model.parts.iter().map(of_part).collect()))
    }

    /// Appends a value for each of the legal moves of a position; the phase, if there is no fit for it.
    pub(crate) fn extend_values(
        &mut self,
        position: &Chess,
        moves: &MoveList,
        values: &mut Vec<f64>,
    ) -> Result<(), Phase> {
        let phase = Phase::of(position);
        let own = self.0.iter().position(|(of, _)| *of == Some(phase));
        let part = own.or_else(|| self.0.iter().position(|(of, _)| of.is_none()));
        let (_, valuer) = &mut self.0[part.ok_or(phase)?];
        valuer.extend_values(position, moves, values);
        Ok(())
    }
}

/// The moves of a position with the values that a model gives them.
#[derive(Debug, Clone)]
pub struct MoveValues {
    /// All legal moves.
    pub moves: MoveList,
    /// Their values, in natural logarithms of odds.
    pub values: Vec<f64>,
    /// For each attribute what it adds to the value of each move.
    pub contributions: Vec<Vec<f64>>,
}

impl MoveValues {
    /// The probabilities of the moves.
    pub fn probabilities(&self) -> Vec<f64> {
        let mut probabilities = self.values.clone();
        softmax(&mut probabilities);
        probabilities
    }
}
