//! Which attributes are worth their bits: the shortest message that states the weights and then the
//! choices.
//!
//! # Source
//! Wallace and Freeman 1987, "Estimation and inference by compact coding": the first part of the
//! message states the weights as precisely as Fisher's information makes worth while, the second the
//! choices under them.

use std::f64::consts::{LN_2, PI};

use kibitz_stats::{DMatrix, FitError};
use serde::Serialize;

use crate::{Choices, Session};

/// A message that states which attributes count, their weights, and the choices.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Message {
    /// The attributes, by index.
    pub attributes: Vec<usize>,
    /// Bits that state which attributes count, one for each that there is: an even chance for each. A
    /// code that states their number first makes the last ones cheaper than none, and takes one too many.
    pub which: f64,
    /// Bits that state the weights, with what their rounding costs.
    pub weights: f64,
    /// Bits that state the choices under the fitted weights.
    pub choices: f64,
}

impl Message {
    /// Length of the message.
    pub fn total(&self) -> f64 {
        self.which + self.weights + self.choices
    }
}

/// The messages by which the shortest was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Selection {
    /// No attribute, then each attribute as it was added or taken away; every message is shorter than
    /// the one before.
    pub steps: Vec<Message>,
}

impl Selection {
    /// The shortest message.
    pub fn best(&self) -> Option<&Message> {
        self.steps.last()
    }
}

/// Attributes that a step tries, those first that promise most.
const TRIED: usize = 3;

/// Adds attributes to none as long as the message becomes shorter, then takes away those without
/// which it is shorter still.
///
/// The order of trial follows the gain that the score test predicts; the length of the message alone
/// decides. `choices` are rows: of trees the answer is `None`.
///
/// # Errors
/// [`FitError`], or the end of the session.
pub fn select<S: Session>(choices: &Choices, session: &S) -> Result<Option<Selection>, S::Error> {
    let n = choices.scales().len();
    let mut steps = vec![Message {
        attributes: Vec::new(),
        which: n as f64,
        weights: 0.0,
        choices: choices.uniform_bits(),
    }];
    let mut weights = vec![0.0; n];
    loop {
        session.check()?;
        let last = &steps[steps.len() - 1];
        session.progress("attribute", last.attributes.len(), n);
        let mut shorter = None;
        for added in promising(choices, &last.attributes, &weights)
            .into_iter()
            .take(TRIED)
        {
            let mut attributes = last.attributes.clone();
            attributes.push(added);
            let Some(tried) = message(choices, attributes, session)? else {
                return Ok(None);
            };
            if let Some((message, fitted)) = tried
                && message.total() < last.total()
            {
                shorter = Some((message, fitted));
                break;
            }
        }
        let Some((message, fitted)) = shorter else {
            break;
        };
        weights = fitted;
        steps.push(message);
    }
    while let Some(message) = without_one(choices, &steps[steps.len() - 1], session)? {
        steps.push(message);
    }
    Ok(Some(Selection { steps }))
}

/// The shortest message with one attribute less, if it is shorter.
fn without_one<S: Session>(
    choices: &Choices,
    last: &Message,
    session: &S,
) -> Result<Option<Message>, S::Error> {
    let mut best: Option<Message> = None;
    for left_out in 0..last.attributes.len() {
        session.check()?;
        let mut attributes = last.attributes.clone();
        attributes.remove(left_out);
        if attributes.is_empty() {
            continue;
        }
        if let Some(Some((message, _))) = message(choices, attributes, session)? {
            let limit = best.as_ref().unwrap_or(last).total();
            if message.total() < limit {
                best = Some(message);
            }
        }
    }
    Ok(best)
}

/// Attributes outside of `inside`, those first for which the score test predicts the greatest gain.
fn promising(choices: &Choices, inside: &[usize], weights: &[f64]) -> Vec<usize> {
    let gradient = choices.gradient(weights);
    let information = choices.information(weights);
    let part = |rows: &[usize], columns: &[usize]| {
        DMatrix::from_fn(rows.len(), columns.len(), |row, column| {
            information[(rows[row], columns[column])]
        })
    };
    let inverse = part(inside, inside).try_inverse();
    let gain = |outside: usize| {
        let mut own = information[(outside, outside)];
        if let Some(inverse) = &inverse {
            let across = part(inside, &[outside]);
            own -= (across.transpose() * inverse * across)[(0, 0)];
        }
        if own > 1e-9 * information[(outside, outside)] && own > 0.0 {
            0.5 * gradient[outside].powi(2) / own
        } else {
            0.0
        }
    };
    let outside = (0..weights.len()).filter(|one| !inside.contains(one));
    let mut ranked: Vec<(usize, f64)> = outside.map(|one| (one, gain(one))).collect();
    ranked.retain(|(_, gain)| *gain > 0.0);
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    ranked.into_iter().map(|(one, _)| one).collect()
}

/// A message, with its weights among zeros for the other attributes.
type WeightedMessage = (Message, Vec<f64>);

/// The message of some attributes: none inside if their likelihood has no maximum, none at all for
/// some of the attributes of trees.
///
/// # Errors
/// [`FitError`], or the end of the session.
pub fn message<S: Session>(
    choices: &Choices,
    attributes: Vec<usize>,
    session: &S,
) -> Result<Option<Option<WeightedMessage>>, S::Error> {
    let n = choices.scales().len();
    let restricted;
    let part = if attributes.iter().copied().eq(0..n) {
        choices
    } else if let Some(part) = choices.restricted_to(&attributes) {
        restricted = part;
        &restricted
    } else {
        return Ok(None);
    };
    let (fit, why) = part.fit(session)?;
    if why.is_some() {
        return Ok(Some(None));
    }
    let information = part.information(&fit.weights);
    let Some(factor) = information.cholesky() else {
        return Err(FitError::Overflow.into());
    };
    let log_determinant: f64 = 2.0
        * factor
            .l()
            .diagonal()
            .iter()
            .map(|one| one.ln())
            .sum::<f64>();
    let priors = fit.weights.iter().zip(part.scales());
    let log_prior: f64 = priors
        .map(|(weight, scale)| log_prior(*weight, scale))
        .sum();
    let nats = -log_prior + 0.5 * log_determinant + lattice(attributes.len());
    let mut weights = vec![0.0; n];
    for (&attribute, &weight) in attributes.iter().zip(&fit.weights) {
        weights[attribute] = weight;
    }
    let message = Message {
        which: n as f64,
        weights: nats / LN_2,
        choices: 0.0 - fit.log_likelihood / LN_2,
        attributes,
    };
    Ok(Some(Some((message, weights))))
}

/// Logarithm of the prior density of a weight: Cauchy, as wide as the weight that moves the values of
/// alternatives by one.
fn log_prior(weight: f64, scale: f64) -> f64 {
    -(PI * scale * (1.0 + (weight / scale).powi(2))).ln()
}

/// What the rounding of `d` weights costs, in nats: `d / 2 (1 + ln kappa_d)`, by Wallace's
/// approximation to the constant of the optimal quantizing lattice; exact for one weight.
fn lattice(d: usize) -> f64 {
    const EULER: f64 = 0.577_215_664_901_532_9;
    let d = d as f64;
    if d <= 1.0 {
        return 0.5 * d * (1.0 - 12_f64.ln());
    }
    -0.5 * d * (2.0 * PI).ln() + 0.5 * (d * PI).ln() - EULER
}

#[cfg(test)]
mod tests {
    use kibitz_stats::ChoiceSets;

    use super::*;
    use crate::SeededSession;

    #[test]
    fn what_does_not_matter_is_not_stated() {
        let mut sets = ChoiceSets::builder(2);
        for choice in 0..200_u32 {
            // The first attribute decides three times in four, the second is a pattern of its own.
            let noise = f64::from(choice * 7 % 5);
            let chosen = usize::from(choice % 4 == 0);
            sets.push(choice, chosen, [[1.0, noise], [0.0, 2.0]])
                .unwrap();
        }
        let choices = Choices::Rows(sets.build());
        let selection = select(&choices, &SeededSession::default())
            .unwrap()
            .unwrap();
        let best = selection.best().unwrap();
        assert_eq!(best.attributes, [0]);
        assert!(best.total() < selection.steps[0].total());
        assert!(best.weights > 0.0);
    }

    /// All but one of many attributes matter; the one left must pay for its weight like the first.
    #[test]
    fn the_last_attribute_is_not_cheaper_than_the_first() {
        const REAL: usize = 7;
        let mut sets = ChoiceSets::builder(REAL + 1);
        let mut state = 1_u64;
        let mut noise = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as f64 / f64::from(1_u32 << 30) - 1.0
        };
        for choice in 0..600_u32 {
            let rows: Vec<[f64; REAL + 1]> =
                (0..4).map(|_| std::array::from_fn(|_| noise())).collect();
            let value = |row: &[f64; REAL + 1]| 1.5 * row[..REAL].iter().sum::<f64>();
            let best = (0..4).max_by(|&a, &b| value(&rows[a]).total_cmp(&value(&rows[b])));
            let chosen = if choice % 5 == 0 { 0 } else { best.unwrap() };
            sets.push(choice, chosen, &rows).unwrap();
        }
        let choices = Choices::Rows(sets.build());
        let selection = select(&choices, &SeededSession::default())
            .unwrap()
            .unwrap();
        let mut found = selection.best().unwrap().attributes.clone();
        found.sort_unstable();
        assert_eq!(found, [0, 1, 2, 3, 4, 5, 6]);
        let all = message(&choices, (0..=REAL).collect(), &SeededSession::default());
        let (all, _) = all.unwrap().unwrap().unwrap();
        // What the noise explains is little, and its weight is paid in full.
        assert!(all.weights - selection.best().unwrap().weights > 2.0);
        assert!(all.total() > selection.best().unwrap().total());
    }

    #[test]
    fn one_weight_is_rounded_as_it_should_be() {
        assert!((lattice(1) + 0.742_453_3).abs() < 1e-6);
    }
}
