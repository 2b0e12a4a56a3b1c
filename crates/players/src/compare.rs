//! Two players by their weights.

use kibitz_stats::{DMatrix, DVector, SampleError, inference::wald_test};
use kibitz_text::{Diagnostic, Exit, Failure};

use crate::{Domain, FittedWeights, Model, Phase, Weight};

/// The difference of one weight, the first player's minus the second's.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Difference {
    /// The attribute.
    pub attribute: String,
    /// The weights.
    pub values: [f64; 2],
    /// Their difference.
    pub difference: f64,
    /// Its standard error: the two players' games are independent.
    pub std_error: f64,
    /// How likely a difference at least as large is between equal weights.
    pub p: f64,
}

/// The differences of two fits.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Comparison {
    /// By attribute.
    pub differences: Vec<Difference>,
    /// Wald's statistic of all differences together.
    pub chi_squared: f64,
    /// Its degrees of freedom.
    pub degrees: usize,
    /// How likely so large a statistic is between equal players.
    pub p: f64,
}

/// Compares fits of the same attributes.
///
/// # Errors
/// [`SampleError::NoVariation`] where the joint covariance cannot be inverted.
///
/// # Panics
/// If the fits have different numbers of weights.
pub fn compare(first: &FittedWeights, second: &FittedWeights) -> Result<Comparison, SampleError> {
    let covariance = first.covariance() + second.covariance();
    let pairs = first.weights.iter().zip(&second.weights);
    let difference = |(one, other): (&Weight, &Weight)| one.value - other.value;
    let vector = DVector::from_iterator(first.weights.len(), pairs.clone().map(difference));
    let joint = wald_test(&vector, &covariance)?;
    let of_one = |(index, pair): (usize, (&Weight, &Weight))| {
        let difference = difference(pair);
        let variance = covariance[(index, index)];
        let alone = wald_test(
            &DVector::from_element(1, difference),
            &DMatrix::from_element(1, 1, variance),
        )?;
        Ok(Difference {
            attribute: pair.0.attribute.clone(),
            values: [pair.0.value, pair.1.value],
            difference,
            std_error: variance.sqrt(),
            p: alone.p_value,
        })
    };
    Ok(Comparison {
        differences: pairs
            .enumerate()
            .map(of_one)
            .collect::<Result<_, SampleError>>()?,
        chi_squared: joint.statistic,
        degrees: joint.degrees,
        p: joint.p_value,
    })
}

/// Compares two models, part by part.
///
/// # Errors
/// Where their weights do not mean the same, and as [`compare`].
pub fn compare_models(
    first: &Model,
    second: &Model,
) -> Result<Vec<(Option<Phase>, Comparison)>, Failure> {
    comparable(first, second)?;
    let pairs = first.parts.iter().zip(&second.parts);
    let compared = pairs.map(|(one, other)| {
        let compared = compare(&one.fit, &other.fit);
        let compared = compared.map_err(|error| Failure::failed(error.to_string()))?;
        Ok((one.phase, compared))
    });
    compared.collect()
}

/// Rejects models whose weights do not mean the same.
///
/// # Errors
/// What differs: attributes, depths, conventions or phases.
pub(crate) fn comparable(first: &Model, second: &Model) -> Result<(), Failure> {
    let refused = |why: String| Err(Failure::new(Exit::BadInput, Diagnostic::new(why)));
    let own = first.attributes();
    if own != second.attributes() {
        return refused(format!(
            "the model of `{}` has the attributes {}, that of `{}` {}",
            first.player,
            own.join(", "),
            second.player,
            second.attributes().join(", ")
        ));
    }
    match (&first.domain, &second.domain) {
        (Domain::Chess { depth, .. }, Domain::Chess { depth: other, .. }) if depth != other => {
            return refused(format!(
                "the model of `{}` is {}, that of `{}` {}: their weights do not mean the same",
                first.player,
                depth.name(),
                second.player,
                other.name()
            ));
        }
        (one, other) if one != other => {
            return refused(
                "the models differ in what they choose, or in the conventions of their attributes"
                    .to_owned(),
            );
        }
        _ => {}
    }
    let phases = |model: &Model| {
        model
            .parts
            .iter()
            .map(|part| part.phase)
            .collect::<Vec<_>>()
    };
    if phases(first) != phases(second) {
        return refused("one model has weights by phase, and the other has not".to_owned());
    }
    Ok(())
}
