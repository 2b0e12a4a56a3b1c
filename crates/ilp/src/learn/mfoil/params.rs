//! The parameters of mFoil.

use kibitz_prolog::Limits;

use crate::learn::LearnError;

/// How the accuracy of a clause is estimated from the examples it covers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Estimate {
    /// (p + 1) / (p + n + 2).
    Laplace,
    /// (p + m · prior) / (p + n + m): the prior probability of positive examples counts as much as
    /// `m` examples.
    M(f64),
}

/// mFoil with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default, rename_all = "kebab-case")
)]
pub struct Mfoil {
    /// How clauses are judged.
    pub estimate: Estimate,
    /// Clauses must be significant on this level, by the likelihood ratio: 0.99 is 99%.
    pub significance: f64,
    /// Clauses that are kept at a time.
    pub beam: usize,
    /// Most body literals, unless the bias says.
    pub max_literals: usize,
    /// Most variables that literals introduce, unless the bias limits the variables.
    pub max_new_variables: usize,
    /// Most candidate clauses evaluated in all.
    pub max_steps: u64,
    /// Bounds on the queries by which the background is listed, and on the memory it takes.
    pub limits: Limits,
}

impl Default for Mfoil {
    fn default() -> Self {
        Self {
            estimate: Estimate::M(2.0),
            significance: 0.99,
            beam: 5,
            max_literals: 10,
            max_new_variables: 3,
            max_steps: 5_000_000,
            limits: Limits::default(),
        }
    }
}

impl Mfoil {
    pub(super) fn check(&self) -> Result<(), LearnError> {
        let wrong = |parameter, expected| {
            Err(LearnError::Parameter {
                parameter,
                expected,
            })
        };
        match self.estimate {
            Estimate::M(m) if !(m >= 0.0 && m.is_finite()) => wrong("estimate", "at least 0"),
            _ if !(0.0..1.0).contains(&self.significance) => {
                wrong("significance", "at least 0 and below 1")
            }
            _ if self.beam == 0 => wrong("beam", "at least 1"),
            _ => Ok(()),
        }
    }
}
