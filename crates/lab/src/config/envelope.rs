//! The envelope of an experiment file, as it is written: everything but `[params]`, which belongs to
//! the kind. These types are the editor schema too.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

use kibitz_experiment::Resample;
use regex::Regex;
use schemars::JsonSchema;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess};
use toml::Spanned;
use wildmatch::WildMatch;

use super::baseline::Baselines;
use super::deviation::Deviation;
use super::expression::Expression;
use super::variant::{VariantOf, VariantOfSchema};
use crate::measurement::Summary;
use crate::tolerance::{Distance, Interval, Tolerance};
use crate::wire::{Entries, Figure, OneOrMany, Texts};

/// One published table and how it is rebuilt.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "Kibitz experiment")]
pub struct ExperimentFile {
    /// What runs this experiment.
    #[schemars(with = "String")]
    pub kind: Spanned<String>,
    /// One line for the index.
    pub title: String,
    /// For --tag.
    #[serde(default)]
    #[schemars(with = "Option<OneOrMany>")]
    pub tags: Texts,
    /// Free text for the report: obstacles, choices, why a tolerance is wide.
    pub notes: Option<String>,
    /// Where the table was published.
    pub source: Option<PrintedIn>,
    /// Name the kind knows it by = entry of data/manifest.toml.
    #[schemars(with = "Option<BTreeMap<String, String>>")]
    pub(super) data: Option<Spanned<Entries<Spanned<String>>>>,
    /// Name the kind knows it by = id of the experiment whose dataset or table it is.
    #[schemars(with = "Option<BTreeMap<String, String>>")]
    pub(super) from: Option<Spanned<Entries<Spanned<String>>>>,
    /// Standard errors from other samples of what is read under `from`.
    #[schemars(with = "Option<Resample>")]
    pub resample: Option<Spanned<Resample>>,
    /// How cells are run.
    #[schemars(with = "Option<RunSettings>")]
    pub(super) run: Option<Spanned<RunSettings>>,
    /// Parameters of the kind.
    #[serde(rename = "params")]
    #[schemars(with = "Option<BTreeMap<String, serde_json::Value>>")]
    _params: Option<Entries<IgnoredAny>>,
    /// Laid over `[params]` by --quick.
    #[serde(rename = "quick")]
    #[schemars(with = "Option<BTreeMap<String, serde_json::Value>>")]
    _quick: Option<Entries<IgnoredAny>>,
    /// The columns shown and judged, in table order.
    #[serde(default)]
    #[schemars(with = "Option<BTreeMap<String, ColumnSpec>>")]
    pub columns: Entries<ColumnSpec>,
    /// The table as a plot, `plot.svg` beside `table.md`.
    pub plot: Option<PlotSpec>,
    /// The finding of the table in one sentence; each number in it is followed by its source, as in
    /// documents.
    #[schemars(with = "Option<String>")]
    pub finding: Option<Spanned<String>>,
    /// What the table is for, where it is not a replication or an exploration by itself.
    pub role: Option<Role>,
    /// The table where the published values are counted: of the whole table, or by pattern of rows.
    #[schemars(with = "Option<VariantOfSchema>")]
    pub(crate) variant_of: Option<VariantOf>,
    /// Row = { column = published value }, with all published digits.
    #[serde(default)]
    #[schemars(with = "Option<BTreeMap<String, BTreeMap<String, Figure>>>")]
    pub(super) published: Entries<Entries<Spanned<Figure>>>,
    /// Printed rows whose mean is judged as well, in columns with `replicate-sd`; * and ? are wild.
    #[serde(default)]
    #[schemars(with = "Option<OneOrMany>")]
    pub together: Texts,
    /// row.column of values that are given as input: shown, not judged.
    #[serde(default)]
    #[schemars(with = "Option<OneOrMany>")]
    pub inputs: Texts,
    /// row.column of published values that cannot be read with certainty: shown, not judged.
    #[serde(default)]
    #[schemars(with = "Option<OneOrMany>")]
    pub doubtful: Texts,
    /// Values that were chosen by looking at print.
    #[serde(default)]
    #[schemars(with = "Option<Vec<FittedValues>>")]
    pub fitted: Vec<FittedValues>,
    /// Does the paper agree with itself?
    #[serde(default)]
    #[schemars(with = "Option<Vec<SelfCheck>>")]
    pub check: Vec<Spanned<SelfCheck>>,
    /// Differences that are expected and explained.
    #[serde(default)]
    #[schemars(with = "Option<Vec<Deviation>>")]
    pub deviation: Vec<Spanned<Deviation>>,
}

/// What a table is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// It supports an interpretation: it is listed under "How we know".
    Evidence,
}

/// Where the table was published.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PrintedIn {
    /// Key in experiments/papers.toml.
    #[schemars(with = "String")]
    pub paper: Spanned<String>,
    /// Table, figure or section.
    #[serde(rename = "where")]
    pub place: String,
    /// How legible the published numbers are.
    #[serde(default)]
    pub reading: Legibility,
}

/// How legible the published numbers are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Legibility {
    /// Without doubt.
    #[default]
    Clear,
    /// By optical character recognition: look at the scan before doubting the code.
    Ocr,
}

/// How cells are run.
#[derive(Clone, Debug, Default, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RunSettings {
    /// Required exactly when the kind draws random numbers.
    #[schemars(with = "Option<u64>")]
    pub seed: Option<Spanned<u64>>,
    /// How often each cell runs, each time with its own seed.
    replicates: Option<NonZeroU32>,
    /// CPU time per cell, such as "20m": of all that run at once each is charged an equal share of
    /// what the process uses, and no more than the time that passes. For kind `command`, elapsed time.
    #[serde(default, deserialize_with = "duration")]
    #[schemars(with = "Option<String>")]
    pub timeout: Option<Duration>,
}

fn duration<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(from)?;
    let duration = humantime::parse_duration(&text);
    let duration = duration.map_err(|error| {
        D::Error::custom(format!(
            "a timeout is a duration such as \"90s\" or \"20m\": {error}"
        ))
    })?;
    if duration.is_zero() {
        let message = "a timeout of 0 ends every cell: write a longer one, or leave it out";
        return Err(D::Error::custom(message));
    }
    Ok(Some(duration))
}

impl RunSettings {
    /// How often each cell runs.
    pub fn replicates(&self) -> u32 {
        self.replicates.map_or(1, NonZeroU32::get)
    }
}

/// One entry of `[columns]`.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ColumnSpec {
    /// Unit, when it is not the kind's.
    pub unit: Option<String>,
    /// What the value is, when the kind does not say it.
    pub doc: Option<String>,
    /// How far from the published value is close enough; equal at the published digits when not given.
    #[schemars(with = "Option<Tolerance>")]
    pub tol: Option<Spanned<Tolerance>>,
    /// What a trivial model gives: a match that it would reach as well is weak.
    #[schemars(with = "Option<Baselines>")]
    pub baseline: Option<Spanned<Baselines>>,
    /// Lowest and highest value that makes sense.
    pub range: Option<Interval>,
    /// What the value follows from, such as "100 - p7": checked, not counted.
    pub derived: Option<Expression>,
    /// The figure that it repeats, `row.column` or `paper/table:row.column`: checked, not counted.
    pub same_as: Option<String>,
    /// The table where the published values of the column are counted.
    #[schemars(with = "Option<String>")]
    pub(crate) variant_of: Option<Spanned<String>>,
    /// The published values' own error in the column's unit, or "as-ours" for another sample as large as ours,
    /// or { overlap = share } for one that has this share in common with ours.
    #[schemars(with = "Option<serde_json::Value>")]
    pub(crate) published_error: Option<Spanned<PublishedError>>,
    /// What stands for several replicates.
    #[serde(default)]
    pub summary: Summary,
    /// Why the column is not judged, or why its tolerance is wide.
    pub why: Option<String>,
}

/// The table as a plot; circles are published values.
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the file")]
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PlotSpec {
    /// Bars over the rows, or lines.
    pub kind: PlotKind,
    /// A regular expression for the names of the rows that are drawn, all of them when not given. Its
    /// groups `x`, `series` and `name` give the place along the horizontal axis, the series, and the
    /// shown name of a row.
    #[schemars(with = "Option<String>")]
    pub rows: Option<Spanned<String>>,
    /// Column of numbers along the horizontal axis; the rows in their order when not given.
    #[schemars(with = "Option<String>")]
    pub x: Option<Spanned<String>>,
    /// The words at the horizontal axis; the name of the column when not given.
    pub x_label: Option<String>,
    /// The words at the vertical axis; the name of the column or the common unit when not given.
    pub y_label: Option<String>,
    /// Columns of numbers along the vertical axis.
    #[schemars(with = "OneOrMany")]
    pub y: Texts,
    /// Column whose values part the rows into series.
    #[schemars(with = "Option<String>")]
    pub series: Option<Spanned<String>>,
    /// Whether the columns `y` are places along the horizontal axis, by the numbers at the end of their
    /// names, and every row is a series.
    #[serde(default)]
    pub across: bool,
    /// Column with the value that a trivial baseline has: a thin line for each series.
    #[schemars(with = "Option<String>")]
    pub baseline: Option<Spanned<String>>,
    /// Whether the line of equal values is drawn; both axes have one scale then.
    #[serde(default)]
    pub diagonal: bool,
    /// Whether two standard errors are drawn.
    #[serde(default)]
    pub errors: bool,
    /// Whether each column `y` has a panel of its own.
    #[serde(default)]
    pub panels: bool,
    /// The axes that are logarithmic; values that are not positive are left out there.
    #[serde(default)]
    pub log: Vec<PlotAxis>,
}

impl PlotSpec {
    /// The columns that it names.
    pub(super) fn columns(&self) -> impl Iterator<Item = &Spanned<String>> {
        let others = self.series.iter().chain(&self.baseline);
        self.x.iter().chain(&self.y.0).chain(others)
    }

    /// The pattern of the rows, which has to fit whole names.
    pub fn pattern(&self) -> Option<Result<Regex, regex::Error>> {
        let pattern = self.rows.as_ref()?;
        Some(Regex::new(&format!("^(?:{})$", pattern.get_ref())))
    }
}

/// An axis of a plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlotAxis {
    /// The horizontal one.
    X,
    /// The vertical one.
    Y,
}

/// How values are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlotKind {
    /// From zero, those of one place beside each other.
    Bars,
    /// From point to point.
    Lines,
}

/// Values whose interpretation, setting, selection or start was chosen by looking at the published ones.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FittedValues {
    /// row.column; * and ? are wild.
    #[schemars(with = "OneOrMany")]
    pub(super) cells: Texts,
    /// What was chosen.
    pub by: String,
    /// What it was chosen on.
    pub on: String,
}

/// The published values' own error, where they come from a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PublishedError {
    /// As large as ours: another sample of the same size.
    AsOurs,
    /// As large as ours, of a sample of the same size that has this share in common with ours.
    Overlap(f64),
    /// In the column's unit.
    Is(Distance),
}

impl<'de> Deserialize<'de> for PublishedError {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> serde::de::Visitor<'de> for Either {
            type Value = PublishedError;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, zero or more, \"as-ours\" or { overlap = … }")
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<PublishedError, E> {
                let size = Distance::new(value).map(PublishedError::Is);
                size.ok_or_else(|| E::custom(format!("found `{value}`, expected zero or more")))
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<PublishedError, E> {
                self.visit_f64(value as f64)
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<PublishedError, E> {
                if word == "as-ours" {
                    return Ok(PublishedError::AsOurs);
                }
                Err(E::custom(format!(
                    "found \"{word}\", expected a number, \"as-ours\" or {{ overlap = 0.5 }}"
                )))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<PublishedError, A::Error> {
                let found: Option<(String, f64)> = map.next_entry()?;
                match found {
                    Some((key, share)) if key == "overlap" && (0.0..=1.0).contains(&share) => {
                        Ok(PublishedError::Overlap(share))
                    }
                    _ => Err(A::Error::custom(
                        "expected { overlap = … }, a share from 0 to 1",
                    )),
                }
            }
        }
        from.deserialize_any(Either)
    }
}

impl FittedValues {
    /// The patterns of its cells.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.cells.iter()
    }

    pub(super) fn covers(&self, row: &str, column: &str) -> bool {
        self.cells.name(row, column)
    }
}

impl Texts {
    /// Whether one of these patterns names a row.
    pub(crate) fn name_row(&self, row: &str) -> bool {
        self.iter().any(|glob| WildMatch::new(glob).matches(row))
    }

    /// Whether one of these patterns names a cell.
    pub(super) fn name(&self, row: &str, column: &str) -> bool {
        self.iter().any(|glob| names_cell(glob, row, column))
    }
}

/// Whether a pattern over `row.column` names a cell: `*` is any text, `?` any one character.
pub(crate) fn names_cell(glob: &str, row: &str, column: &str) -> bool {
    WildMatch::new(glob).matches(&format!("{row}.{column}"))
}

/// What is computed from the values on the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Op {
    Sum,
    Ratio,
    Percent,
    Equal,
}

/// One `[[check]]`: of one cell, or of one in each of several rows.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SelfCheck {
    pub(super) op: Op,
    /// Published rows for each of which it should hold; * and ? are wild. `{row}` in `of` and `is`
    /// stands for the row.
    #[schemars(with = "Option<OneOrMany>")]
    pub(super) rows: Option<Texts>,
    /// row.column of the values on the left; * and ? are wild.
    #[schemars(with = "OneOrMany")]
    pub(super) of: Texts,
    /// row.column of the value on the right.
    #[schemars(with = "String")]
    pub(super) is: Spanned<String>,
    /// How far apart both may be, when not what rounding allows.
    pub(super) abs: Option<Distance>,
}
