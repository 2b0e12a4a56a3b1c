//! The shape of system files, for the reader and for editors.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use crate::model::EnergyTrend;
use crate::options::Options;

/// Text that knows its place.
pub(crate) type Text = Spanned<String>;

/// Variables and their values: `la0/dec`, `0..la0` (an interval), `?/inc` (any magnitude).
pub(crate) type Values = BTreeMap<Text, Text>;

#[cfg(feature = "schemars")]
type ValuesSchema = BTreeMap<String, String>;

/// A system for qualitative simulation.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct SystemFile {
    /// What the system is; the name of the file if not given.
    #[serde(default)]
    pub(crate) title: String,
    /// Where the model comes from, with the page.
    #[serde(default)]
    pub(crate) source: String,
    /// What else is worth knowing.
    #[serde(default)]
    pub(crate) notes: String,
    /// Whether sums and products care which values are infinite.
    #[serde(default = "yes")]
    pub(crate) infinities: bool,
    /// The variables, by name, in the order in which states show them.
    #[cfg_attr(
        feature = "schemars",
        schemars(with = "BTreeMap<String, VariableEntry>")
    )]
    pub(crate) variables: BTreeMap<Text, VariableEntry>,
    /// What holds between them.
    #[serde(default)]
    #[cfg_attr(feature = "schemars", schemars(with = "Vec<ConstraintEntry>"))]
    pub(crate) constraints: Vec<Spanned<ConstraintEntry>>,
    /// Operating regions; behaviors start in the first. Without any, everything always holds.
    #[serde(default)]
    pub(crate) regions: Vec<RegionEntry>,
    /// Initial states: values of some variables, the others follow from the constraints.
    #[serde(default)]
    #[cfg_attr(feature = "schemars", schemars(with = "Vec<ValuesSchema>"))]
    pub(crate) initial: Vec<Spanned<Values>>,
    /// An argument about energy that refuses states.
    #[serde(default)]
    pub(crate) energy: Option<EnergyEntry>,
    /// How to simulate.
    #[serde(default)]
    pub(crate) simulation: Options,
}

fn yes() -> bool {
    true
}

/// A variable.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct VariableEntry {
    /// Its landmarks, from the lowest: `minf` and `inf` are the infinities, `0` is zero.
    #[cfg_attr(feature = "schemars", schemars(with = "Vec<String>"))]
    pub(crate) landmarks: Spanned<Vec<Text>>,
    /// The lowest and the highest magnitude it can have, if not all: `["0", "la0..inf"]`.
    #[serde(default)]
    #[cfg_attr(feature = "schemars", schemars(with = "Option<[String; 2]>"))]
    pub(crate) range: Option<Spanned<[Text; 2]>>,
    /// What its landmarks are in numbers, for trajectories: `{ full = 120.0 }`. A landmark whose name
    /// is a number needs none.
    #[serde(default)]
    #[cfg_attr(feature = "schemars", schemars(with = "BTreeMap<String, f64>"))]
    pub(crate) values: BTreeMap<Text, Spanned<f64>>,
    /// What it is.
    #[serde(default)]
    #[expect(dead_code, reason = "for the reader of the file")]
    pub(crate) about: String,
    /// Whether its directions of change are not told apart, against chatter.
    #[serde(default)]
    pub(crate) ignore_direction: bool,
}

/// A constraint.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct ConstraintEntry {
    /// What it says: `add` x + y = z; `mult` x * y = z; `minus` x = -y; `m_plus` and `m_minus` y is
    /// an increasing or decreasing function of x; `deriv` dx/dt = y; `constant` x.
    #[cfg_attr(
        feature = "schemars",
        schemars(with = "crate::constraint::ConstraintKind")
    )]
    pub(crate) kind: Text,
    /// Of which variables.
    #[cfg_attr(feature = "schemars", schemars(with = "Vec<String>"))]
    pub(crate) of: Spanned<Vec<Text>>,
    /// Landmarks that they have together, one row for each occasion.
    #[serde(default)]
    #[cfg_attr(feature = "schemars", schemars(with = "Vec<Vec<String>>"))]
    pub(crate) corresponding: Vec<Spanned<Vec<Text>>>,
    /// The operating regions in which it holds; in all, if not given.
    #[serde(default)]
    #[cfg_attr(feature = "schemars", schemars(with = "Option<Vec<String>>"))]
    pub(crate) regions: Option<Vec<Text>>,
}

/// An operating region.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct RegionEntry {
    /// Its name.
    #[cfg_attr(feature = "schemars", schemars(with = "String"))]
    pub(crate) name: Text,
    /// The ways out of it; the first that applies is taken.
    #[serde(default)]
    pub(crate) transitions: Vec<TransitionEntry>,
}

/// A way out of a region.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct TransitionEntry {
    /// It is taken at a point in time with these values.
    #[cfg_attr(feature = "schemars", schemars(with = "ValuesSchema"))]
    pub(crate) when: Values,
    /// The region it leads to; the behavior ends if not given.
    #[serde(default)]
    #[cfg_attr(feature = "schemars", schemars(with = "Option<String>"))]
    pub(crate) to: Option<Text>,
    /// Variables whose magnitudes are not carried over, and what they are instead.
    #[serde(default)]
    #[cfg_attr(feature = "schemars", schemars(with = "ValuesSchema"))]
    pub(crate) set: Values,
}

/// Energy that is kept or lost.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct EnergyEntry {
    /// The variable whose distance from rest is potential energy.
    #[cfg_attr(feature = "schemars", schemars(with = "String"))]
    pub(crate) position: Text,
    /// Its landmark of least potential energy; `0` if not given.
    #[serde(default)]
    #[cfg_attr(feature = "schemars", schemars(with = "Option<String>"))]
    pub(crate) rest: Option<Text>,
    /// The variable whose distance from zero is kinetic energy.
    #[cfg_attr(feature = "schemars", schemars(with = "String"))]
    pub(crate) velocity: Text,
    /// What becomes of the sum.
    pub(crate) trend: EnergyTrend,
}

/// A sequence of states to be checked against a system.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct SequenceFile {
    /// Values, state by state; the first is at a point in time, the second over an interval.
    pub(crate) states: Vec<Spanned<Values>>,
}
