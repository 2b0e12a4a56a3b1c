//! The attributes because of which a likelihood has no unique maximum.

use nalgebra::{DMatrix, DVectorView};

use super::ConditionalLogit;
use crate::optimize::{Curvature, StopReason, TwiceDifferentiable};

/// Attributes whose weights the choices do not determine. They are counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flaw {
    /// The attribute never differs between the alternatives of a choice: the likelihood does not depend
    /// on its weight.
    Constant {
        /// Which attribute.
        attribute: usize,
    },
    /// Some linear combination of these attributes, and of no proper subset, never differs between the
    /// alternatives of a choice.
    Collinear {
        /// Which attributes, ascending.
        attributes: Vec<usize>,
    },
    /// Separation: the attribute, or a linear combination of these and of no proper subset, is never
    /// greater than for the chosen alternative, so the likelihood always grows with its weight.
    Separating {
        /// Which attributes, ascending.
        attributes: Vec<usize>,
    },
}

/// A fit without a unique maximum: why it stopped, and the attributes responsible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.describe(|attribute| format!("attribute {attribute}")))]
pub struct NoMaximum {
    /// Why the method stopped.
    pub stop: StopReason,
    /// Problems of the data; empty if only the optimizer failed.
    pub flaws: Vec<Flaw>,
}

impl NoMaximum {
    /// The reason and a remedy in words; `name` gives the names of attributes.
    pub fn describe(&self, name: impl Fn(usize) -> String) -> String {
        let flaws: Vec<String> = self.flaws.iter().map(|flaw| flaw.describe(&name)).collect();
        let why = match self.stop {
            _ if !flaws.is_empty() => flaws.join("; "),
            StopReason::Converged => "the maximum is none to working precision".to_owned(),
            StopReason::Separated => "some combination of attributes separates the chosen \
                                      alternatives from the others"
                .to_owned(),
            StopReason::NotIdentified => {
                "the choices do not determine all weights: some attributes are collinear".to_owned()
            }
            StopReason::OutOfBudget => "the fit is not done within its limit of steps".to_owned(),
            StopReason::NoProgress => "rounding errors end the fit before a maximum".to_owned(),
        };
        format!("no maximum: {why}")
    }
}

impl Flaw {
    fn describe(&self, name: impl Fn(usize) -> String) -> String {
        let listed = |attributes: &[usize]| {
            let names: Vec<String> = attributes
                .iter()
                .map(|&attribute| name(attribute))
                .collect();
            match names.split_last() {
                Some((last, rest)) if !rest.is_empty() => {
                    format!("{} and {last}", rest.join(", "))
                }
                _ => names.concat(),
            }
        };
        match self {
            Self::Constant { attribute } => format!(
                "{} never differs between the alternatives of a choice; leave it out",
                name(*attribute)
            ),
            Self::Collinear { attributes } => format!(
                "{} are collinear; leave out one of them",
                listed(attributes)
            ),
            Self::Separating { attributes } => match attributes.as_slice() {
                [one] => format!(
                    "{} separates the chosen alternatives from the others, so that its weight has no \
                     bound; leave it out, or add choices",
                    name(*one)
                ),
                several => format!(
                    "a combination of {} separates the chosen alternatives from the others, so that \
                     their weights have no bound; leave out one of them, or add choices",
                    listed(several)
                ),
            },
        }
    }
}

impl ConditionalLogit<'_> {
    /// Why a fit that ended at `weights` found no maximum; `None` if it did.
    ///
    /// Names constant and collinear attributes by the directions in which the likelihood is flat, and
    /// separating ones by leaving out all that separation does not need: up to one fit per attribute.
    ///
    /// # Panics
    /// Unless there is one weight per attribute.
    ///
    /// # Examples
    /// ```
    /// use kibitz_stats::{ChoiceSets, ConditionalLogit};
    /// let mut sets = ChoiceSets::builder(2);
    /// sets.push(0, 0, [[1.0, 5.0], [0.0, 5.0]])?;
    /// sets.push(0, 1, [[1.0, 7.0], [0.0, 7.0]])?;
    /// let sets = sets.build();
    /// let model = ConditionalLogit::new(&sets);
    /// let fit = model.fit()?;
    /// let why = model.no_maximum(&fit.weights, fit.stop).expect("there is none");
    /// let names = ["price", "altitude"];
    /// assert_eq!(
    ///     why.describe(|attribute| names[attribute].to_owned()),
    ///     "no maximum: altitude never differs between the alternatives of a choice; leave it out"
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn no_maximum(&self, weights: &[f64], stop: StopReason) -> Option<NoMaximum> {
        no_maximum(self, weights, stop, |attributes| {
            let sets = self.sets().restricted_to(attributes);
            let fit = ConditionalLogit::new(&sets).fit();
            fit.is_ok_and(|fit| fit.stop == StopReason::Separated)
        })
    }
}

/// Why a fit of a model found no maximum; whether some attributes alone separate is asked.
pub(super) fn no_maximum(
    model: &impl TwiceDifferentiable,
    weights: &[f64],
    stop: StopReason,
    is_separated_by: impl FnMut(&[usize]) -> bool,
) -> Option<NoMaximum> {
    let flaws = match stop {
        StopReason::Converged => return None,
        // Flat everywhere if anywhere; at zero no curvature vanishes for other reasons.
        StopReason::NotIdentified => {
            not_identified(&model.second_order(&vec![0.0; weights.len()]).hessian)
        }
        StopReason::Separated => separating(weights, &model.scales(), is_separated_by),
        StopReason::OutOfBudget | StopReason::NoProgress => Vec::new(),
    };
    Some(NoMaximum { stop, flaws })
}

/// Least share of an attribute in a direction along which the likelihood is exactly flat.
const SHARE_OF_FLAT: f64 = 1e-6;

/// The attributes along the directions in which the Hessian vanishes.
pub(crate) fn not_identified(hessian: &DMatrix<f64>) -> Vec<Flaw> {
    let n = hessian.nrows();
    let is_constant = |attribute: usize| hessian[(attribute, attribute)] == 0.0;
    let curvature = Curvature::new(hessian);
    let constant = (0..n).filter(|&attribute| is_constant(attribute));
    let mut flaws: Vec<Flaw> = constant
        .map(|attribute| Flaw::Constant { attribute })
        .collect();
    for attributes in groups(n, curvature.flat_directions()) {
        match attributes.as_slice() {
            [one] if is_constant(*one) => {}
            [attribute] => flaws.push(Flaw::Constant {
                attribute: *attribute,
            }),
            _ => flaws.push(Flaw::Collinear { attributes }),
        }
    }
    flaws
}

/// A minimal set of separating attributes: the others are removed, those of little effect first, as
/// long as the fit to the rest stays separated.
pub(crate) fn separating(
    weights: &[f64],
    scales: &[f64],
    mut is_separated_by: impl FnMut(&[usize]) -> bool,
) -> Vec<Flaw> {
    let mut attributes: Vec<usize> = (0..weights.len()).collect();
    let mut by_effect = attributes.clone();
    let effect = |attribute: usize| weights[attribute].abs() / scales[attribute];
    by_effect.sort_by(|a, b| effect(*a).total_cmp(&effect(*b)));
    for attribute in by_effect {
        let rest: Vec<usize> = attributes
            .iter()
            .copied()
            .filter(|other| *other != attribute)
            .collect();
        if !rest.is_empty() && is_separated_by(&rest) {
            attributes = rest;
        }
    }
    vec![Flaw::Separating { attributes }]
}

/// Groups of attributes that share directions: the blocks of the projection onto their span. An
/// attribute is in none if less than [`SHARE_OF_FLAT`] of it is in the span.
fn groups<'v>(
    n: usize,
    directions: impl IntoIterator<Item = DVectorView<'v, f64>>,
) -> Vec<Vec<usize>> {
    let mut projection = DMatrix::zeros(n, n);
    for direction in directions {
        projection += direction * direction.transpose();
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for attribute in (0..n).filter(|&attribute| projection[(attribute, attribute)] > SHARE_OF_FLAT)
    {
        let is_bound = |other: &usize| projection[(attribute, *other)].abs() > SHARE_OF_FLAT;
        let (bound, mut apart): (Vec<_>, Vec<_>) = groups
            .into_iter()
            .partition(|group: &Vec<usize>| group.iter().any(is_bound));
        let mut group = bound.concat();
        group.push(attribute);
        group.sort_unstable();
        apart.push(group);
        groups = apart;
    }
    groups.sort();
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::ChoiceSets;
    use proptest::prelude::*;

    const NAMES: [&str; 4] = ["`a`", "`b`", "`c`", "`d`"];

    /// Four times three alternatives.
    const CHOICES: [[[f64; 4]; 3]; 4] = [
        [[1., 0., 0., 2.], [0., 1., 0., 0.], [0., 0., 1., 1.]],
        [[0., 1., 0., 0.], [0., 0., 1., 2.], [1., 0., 0., 1.]],
        [[0., 0., 1., 1.], [1., 0., 0., 0.], [0., 1., 0., 3.]],
        [[0., 0., 2., 0.], [1., 1., 0., 2.], [0., 3., 0., 1.]],
    ];

    /// Why choices have no maximum where every alternative of [`CHOICES`] is chosen once, after a
    /// change to alternatives that are chosen and to those that are not.
    fn why(change: impl Fn([f64; 4], bool) -> [f64; 4]) -> String {
        let mut sets = ChoiceSets::builder(4);
        for alternatives in CHOICES {
            for chosen in 0..3 {
                let rows = (0..).zip(alternatives);
                let rows = rows.map(|(at, row)| change(row, at == chosen));
                sets.push(0, chosen, rows).unwrap();
            }
        }
        let sets = sets.build();
        let model = ConditionalLogit::new(&sets);
        let fit = model.fit().unwrap();
        let why = model.no_maximum(&fit.weights, fit.stop);
        why.map_or_else(String::new, |why| {
            why.describe(|attribute| NAMES[attribute].to_owned())
        })
    }

    #[test]
    fn attributes_are_named() {
        assert_eq!(why(|row, _| row), "");
        assert_eq!(
            why(|[a, b, _, d], _| [a, b, 7.0, d]),
            "no maximum: `c` never differs between the alternatives of a choice; leave it out"
        );
        assert_eq!(
            why(|[a, b, c, _], _| [a, b, c, 3.0 * a - 0.01 * b]),
            "no maximum: `a`, `b` and `d` are collinear; leave out one of them"
        );
        assert_eq!(
            why(|[a, b, _, _], _| [a, 100.0 * a, b, 1.0]),
            "no maximum: `d` never differs between the alternatives of a choice; leave it out; \
             `a` and `b` are collinear; leave out one of them"
        );
        assert_eq!(
            why(|[a, b, _, _], _| [a, b, -b, 5.0 * a + 1.0]),
            "no maximum: `a` and `d` are collinear; leave out one of them; \
             `b` and `c` are collinear; leave out one of them"
        );
    }

    #[test]
    fn separating_attributes_are_named() {
        let extra = |is_chosen| if is_chosen { 0.5 } else { 0.0 };
        assert_eq!(
            why(|[a, b, c, _], is_chosen| [a, b, c, -10.0 * extra(is_chosen)]),
            "no maximum: `d` separates the chosen alternatives from the others, so that its weight has \
             no bound; leave it out, or add choices"
        );
        assert_eq!(
            why(|[a, b, c, _], is_chosen| [a, b, c, extra(is_chosen) - a]),
            "no maximum: a combination of `a` and `d` separates the chosen alternatives from the \
             others, so that their weights have no bound; leave out one of them, or add choices"
        );
    }

    proptest! {
        /// Units and offsets of the attributes decide nothing.
        #[test]
        fn units_do_not_matter(
            units in prop::array::uniform4(prop::sample::select(vec![1e-4, 0.5, 1.0, 30.0, 1e5])),
            offset in -3.0f64..3.0,
        ) {
            let [p, q, r, s] = units;
            let found = why(|[a, b, c, _], _| [p * a + offset, q * b, r * c, s * (b - c)]);
            prop_assert_eq!(found, "no maximum: `b`, `c` and `d` are collinear; leave out one of them");
        }
    }
}
