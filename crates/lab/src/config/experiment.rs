//! The envelope of an experiment file: everything but `[params]`, which belongs to the kind.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;
use std::ops::Range;
use std::time::Duration;

use kibitz_experiment::Resample;
use schemars::JsonSchema;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny};
use toml::Spanned;
use toml::de::DeTable;
use wildmatch::WildMatch;

use super::decode::{ANY_TEXT, Reader, parse};
use super::self_check::SelfCheck;
use super::wire::{Entries, Figure, OneOrMany, Texts};
use crate::compare::Verdict;
use crate::diagnostic::{Diagnostic, Diagnostics, SourceFile};
use crate::params::DataUse;
use crate::printed::{Printed, six_digits};
use crate::tolerance::Tolerance;

/// One published table and how it is rebuilt.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "Kibitz experiment")]
pub(crate) struct ExperimentFile {
    /// What runs this experiment.
    #[schemars(with = "String")]
    pub(crate) kind: Spanned<String>,
    /// One line for the index.
    pub(crate) title: String,
    /// For --tag.
    #[serde(default)]
    #[schemars(with = "Option<OneOrMany>")]
    pub(crate) tags: Texts,
    /// Free text for the report: obstacles, choices, why a tolerance is wide.
    pub(crate) notes: Option<String>,
    /// Where the table was published.
    pub(crate) source: Option<PrintedIn>,
    /// Name the kind knows it by = entry of data/manifest.toml.
    #[schemars(with = "Option<BTreeMap<String, String>>")]
    data: Option<Spanned<Entries<Spanned<String>>>>,
    /// Name the kind knows it by = id of the experiment whose dataset or table it is.
    #[schemars(with = "Option<BTreeMap<String, String>>")]
    from: Option<Spanned<Entries<Spanned<String>>>>,
    /// Standard errors from other samples of what is read under `from`.
    #[schemars(with = "Option<Resample>")]
    pub(crate) resample: Option<Spanned<Resample>>,
    /// How cells are run.
    #[schemars(with = "Option<RunSettings>")]
    run: Option<Spanned<RunSettings>>,
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
    pub(crate) columns: Entries<ColumnSpec>,
    /// The table as a plot, `plot.svg` beside `table.md`.
    pub(crate) plot: Option<PlotSpec>,
    /// Row = { column = printed value }, with all digits as printed.
    #[serde(default)]
    #[schemars(with = "Option<BTreeMap<String, BTreeMap<String, Figure>>>")]
    published: Entries<Entries<Spanned<Figure>>>,
    /// Printed rows whose mean is judged as well, in columns with `replicate-sd`; * and ? are wild.
    #[serde(default)]
    #[schemars(with = "Option<OneOrMany>")]
    pub(crate) together: Texts,
    /// row.column of values that were put in or chosen to fit print: shown, not judged.
    #[serde(default)]
    #[schemars(with = "Option<OneOrMany>")]
    pub(crate) inputs: Texts,
    /// Does the paper agree with itself?
    #[serde(default)]
    #[schemars(with = "Option<Vec<SelfCheck>>")]
    pub(crate) check: Vec<Spanned<SelfCheck>>,
    /// Differences that are expected and explained.
    #[serde(default)]
    #[schemars(with = "Option<Vec<Deviation>>")]
    pub(crate) deviation: Vec<Spanned<Deviation>>,
}

/// Where the table was published.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct PrintedIn {
    /// Key in experiments/papers.toml.
    #[schemars(with = "String")]
    pub(crate) paper: Spanned<String>,
    /// Table, figure or section.
    #[serde(rename = "where")]
    pub(crate) place: String,
    /// How well the printed numbers can be read.
    #[serde(default)]
    pub(crate) reading: Reading,
}

/// How well the printed numbers can be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Reading {
    /// Without doubt.
    #[default]
    Clear,
    /// By optical character recognition: look at the scan before doubting the code.
    Ocr,
}

/// How cells are run.
#[derive(Clone, Debug, Default, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RunSettings {
    /// Required exactly when the kind draws random numbers.
    #[schemars(with = "Option<u64>")]
    pub(crate) seed: Option<Spanned<u64>>,
    /// How often each cell runs, each time with its own seed.
    replicates: Option<NonZeroU32>,
    /// Per cell, such as "20m".
    #[serde(default, deserialize_with = "duration")]
    #[schemars(with = "Option<String>")]
    pub(crate) timeout: Option<Duration>,
}

fn duration<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(from)?;
    let duration = humantime::parse_duration(&text);
    let duration = duration.map_err(|error| {
        D::Error::custom(format!(
            "a timeout is a duration such as \"90s\" or \"20m\": {error}"
        ))
    })?;
    Ok(Some(duration))
}

impl RunSettings {
    pub(crate) fn replicates(&self) -> u32 {
        self.replicates.map_or(1, NonZeroU32::get)
    }
}

/// One entry of `[columns]`.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ColumnSpec {
    /// Unit, when it is not the kind's.
    pub(crate) unit: Option<String>,
    /// What the value is, when the kind does not say it.
    pub(crate) doc: Option<String>,
    /// How far from print is close enough; as printed when not given.
    #[schemars(with = "Option<Tolerance>")]
    pub(crate) tol: Option<Spanned<Tolerance>>,
    /// What chance alone gives, 0 when not given: where that is as close, nothing is decided.
    pub(crate) chance: Option<f64>,
    /// What stands for several replicates.
    #[serde(default)]
    pub(crate) summary: Summary,
    /// Why the column is not judged.
    pub(crate) why: Option<String>,
}

/// What stands for several replicates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Summary {
    /// Their mean, with their standard deviation.
    #[default]
    Mean,
    /// Their median, with 1.4826 times their median absolute deviation: the standard deviation of
    /// normal replicates, and deaf to the few that lie far off.
    Median,
}

/// The table as a plot; what is published stands beside ours as circles.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct PlotSpec {
    /// Bars over the rows, or lines.
    pub(crate) kind: PlotKind,
    /// Column of numbers along the horizontal axis; the rows in their order when not given.
    #[schemars(with = "Option<String>")]
    pub(crate) x: Option<Spanned<String>>,
    /// Columns of numbers along the vertical axis.
    #[schemars(with = "OneOrMany")]
    pub(crate) y: Texts,
    /// Column whose values part the rows into series.
    #[schemars(with = "Option<String>")]
    pub(crate) series: Option<Spanned<String>>,
}

impl PlotSpec {
    /// The columns that it names.
    pub(super) fn columns(&self) -> impl Iterator<Item = &Spanned<String>> {
        self.x.iter().chain(&self.y.0).chain(&self.series)
    }
}

/// How values are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PlotKind {
    /// From zero, those of one place beside each other.
    Bars,
    /// From point to point.
    Lines,
}

/// A difference that is expected and explained.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Deviation {
    /// row.column; * and ? are wild.
    #[schemars(with = "OneOrMany")]
    pub(crate) cells: Texts,
    /// How large a difference the reason explains; required where numbers are printed.
    pub(crate) up_to: Option<Bound>,
    /// Why we differ.
    pub(crate) reason: String,
    /// What shows the reason: row.column of this table, or the id of an experiment. Without it the
    /// reason is a conjecture.
    #[serde(default)]
    #[schemars(with = "Option<OneOrMany>")]
    pub(crate) tested: Texts,
}

/// How large a difference is explained.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Bound {
    /// In the column's unit.
    Abs(f64),
    /// As a share of the printed value.
    Rel(f64),
}

impl Bound {
    /// Whether ours may differ so much from what is printed.
    fn allows(self, printed: f64, difference: f64) -> bool {
        let most = match self {
            Self::Abs(most) => most,
            Self::Rel(share) => share * printed.abs(),
        };
        difference.abs() <= most
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Abs(most) => write!(f, "{most}"),
            Self::Rel(share) => write!(f, "{} %", six_digits(100.0 * share)),
        }
    }
}

impl Deviation {
    /// Whether it explains a difference of this size.
    pub(crate) fn explains(&self, printed: &Printed, difference: Option<f64>) -> bool {
        match (self.up_to, printed.number(), difference) {
            (Some(bound), Some(printed), Some(difference)) => bound.allows(printed, difference),
            _ => true,
        }
    }

    /// The verdict on a difference that it explains.
    pub(crate) fn verdict(&self) -> Verdict {
        if self.tested.0.is_empty() {
            Verdict::DiffersConjecture
        } else {
            Verdict::DiffersTested
        }
    }

    pub(crate) fn covers(&self, row: &str, column: &str) -> bool {
        self.cells.name(row, column)
    }
}

impl Texts {
    /// Whether one of these patterns names a row.
    pub(crate) fn name_row(&self, row: &str) -> bool {
        self.iter().any(|glob| WildMatch::new(glob).matches(row))
    }

    /// Whether one of these patterns names a cell.
    fn name(&self, row: &str, column: &str) -> bool {
        self.iter().any(|glob| names_cell(glob, row, column))
    }
}

/// Whether a pattern over `row.column` names a cell: `*` is any text, `?` any one character.
pub(crate) fn names_cell(glob: &str, row: &str, column: &str) -> bool {
    WildMatch::new(glob).matches(&format!("{row}.{column}"))
}

/// One row of `[published]`.
#[derive(Clone, Debug)]
pub(crate) struct PublishedRow {
    pub(crate) row: String,
    pub(crate) span: Range<usize>,
    pub(crate) values: Vec<PublishedValue>,
}

/// One printed value.
#[derive(Clone, Debug)]
pub(crate) struct PublishedValue {
    pub(crate) column: String,
    pub(crate) span: Range<usize>,
    pub(crate) printed: Printed,
}

/// An experiment file, `[params]` and `[quick]` excepted.
#[derive(Clone, Debug)]
pub(crate) struct Experiment {
    /// `<paper>/<table>`, from the file's path.
    pub(crate) id: String,
    pub(crate) source: SourceFile,
    pub(crate) file: ExperimentFile,
    pub(crate) data: Vec<DataUse>,
    /// What it reads under `from`; the entries are ids of experiments.
    pub(crate) from: Vec<DataUse>,
    pub(crate) published: Vec<PublishedRow>,
    pub(crate) run: RunSettings,
}

impl Experiment {
    fn new(id: &str, source: &SourceFile, file: ExperimentFile) -> Self {
        let uses = |table: &Option<Spanned<Entries<Spanned<String>>>>| {
            let entries = table.iter().flat_map(|entries| &entries.get_ref().0);
            let used = entries.map(|(name, entry)| DataUse {
                name: name.get_ref().clone(),
                entry: entry.get_ref().clone(),
                span: entry.span(),
            });
            used.collect()
        };
        let value = |(column, figure): &(Spanned<String>, Spanned<Figure>)| PublishedValue {
            column: column.get_ref().clone(),
            span: column.span(),
            printed: Printed::new(figure.get_ref(), &source.text()[figure.span()]),
        };
        let published = file.published.0.iter().map(|(row, values)| PublishedRow {
            row: row.get_ref().clone(),
            span: row.span(),
            values: values.0.iter().map(value).collect(),
        });
        let run = file.run.as_ref();
        Self {
            id: id.to_owned(),
            source: source.clone(),
            data: uses(&file.data),
            from: uses(&file.from),
            published: published.collect(),
            run: run.map_or_else(RunSettings::default, |run| run.get_ref().clone()),
            file,
        }
    }

    pub(crate) fn kind(&self) -> &str {
        self.file.kind.get_ref()
    }

    /// A problem with `kind = …`, or with something that is not in the file.
    pub(crate) fn error(&self, message: impl Into<String>) -> Diagnostic {
        self.error_at(self.file.kind.span(), message)
    }

    pub(crate) fn error_at(&self, at: Range<usize>, message: impl Into<String>) -> Diagnostic {
        self.source.error_at(at, message)
    }

    /// Where `data` is, or should be.
    pub(crate) fn data_span(&self) -> Range<usize> {
        let data = self.file.data.as_ref();
        data.map_or(self.file.kind.span(), Spanned::span)
    }

    /// Where `from` is, or should be.
    pub(crate) fn span_of_from(&self) -> Range<usize> {
        let from = self.file.from.as_ref();
        from.map_or(self.file.kind.span(), Spanned::span)
    }

    /// How figures are resampled.
    pub(crate) fn resample(&self) -> Option<&Resample> {
        self.file.resample.as_ref().map(Spanned::get_ref)
    }

    /// Where `run` is, or should be.
    pub(crate) fn run_span(&self) -> Range<usize> {
        let run = self.file.run.as_ref();
        run.map_or(self.file.kind.span(), Spanned::span)
    }

    /// What the paper prints in a place.
    pub(crate) fn printed(&self, row: &str, column: &str) -> Option<&Printed> {
        let row = self
            .published
            .iter()
            .find(|published| published.row == row)?;
        let value = row.values.iter().find(|value| value.column == column)?;
        Some(&value.printed)
    }

    /// Whether the value there was put in.
    pub(crate) fn is_input(&self, row: &str, column: &str) -> bool {
        self.file.inputs.name(row, column)
    }

    /// The first deviation that covers the cell.
    pub(crate) fn declared(&self, row: &str, column: &str) -> Option<&Deviation> {
        let mut deviations = self.file.deviation.iter().map(Spanned::get_ref);
        deviations.find(|deviation| deviation.covers(row, column))
    }

    pub(crate) fn reading(&self) -> Reading {
        let source = self.file.source.as_ref();
        source.map_or(Reading::Clear, |source| source.reading)
    }

    /// `<paper>` of `<paper>/<table>`.
    pub(crate) fn paper(&self) -> &str {
        self.id.split('/').next().unwrap_or(&self.id)
    }
}

/// The envelope and the two tables that belong to the kind.
pub(crate) struct Parsed<'a> {
    pub(crate) experiment: Experiment,
    pub(crate) params: Spanned<DeTable<'a>>,
    pub(crate) quick: DeTable<'a>,
}

/// What to write where, when it is missing or of another type.
fn example(path: &[&str]) -> Option<&'static str> {
    Some(match path {
        ["kind" | "title"] | ["source", "paper"] | ["deviation", "reason"] => ANY_TEXT,
        ["source"] => "{ paper = \"…\", where = \"Table …\" }",
        ["source", "where"] => "\"Table …\"",
        ["from"] => "{ name = \"paper/dataset\" }",
        ["resample"] => "{ by = \"game\", method = \"jackknife\" }",
        ["data"] => "{ name = \"entry of data/manifest.toml\" }",
        ["deviation", "up-to"] => "{ abs = 0.1 } or { rel = 0.1 }",
        ["columns", _, "tol"] => {
            "\"exact\", \"order\", \"info\", or one of { digits = 2 }, { abs = 0.1 }, \
             { rel = 0.1 }, { within = [0, 1] }, { trials = { n = 1000, z = 3.0 } }, \
             { replicate-sd = 3.0 }, { std-error = 3.0 }, { tau = 0.5 }, \"own-interval\""
        }
        ["columns", _, "chance"] => "0.5",
        ["columns", _, "summary"] => "\"median\"",
        ["plot", "kind"] => "\"bars\" or \"lines\"",
        ["plot", "x" | "y" | "series"] => "\"column\"",
        ["together"] => "\"row\"",
        ["columns", _, "tol", "trials", "z"] => "3.0",
        ["published", _] => "{ column = value, … }",
        ["check", "op"] => "\"sum\"",
        ["check", "of"] => "[\"row.column\"]",
        ["check", "is"] | ["inputs"] | ["deviation", "cells" | "tested"] => "\"row.column\"",
        _ => return None,
    })
}

/// The ids that a file names under `from`, as far as they can be read.
pub(crate) fn read_from(source: &SourceFile) -> Vec<String> {
    let (root, _) = DeTable::parse_recoverable(source.text());
    let from = root
        .get_ref()
        .get("from")
        .and_then(|from| from.get_ref().as_table());
    let ids = from.into_iter().flat_map(DeTable::values);
    let ids = ids.filter_map(|id| Some(id.get_ref().as_str()?.to_owned()));
    ids.collect()
}

/// Reads the envelope. Problems go to `problems`; what can be read is returned all the same,
/// so that later checks can find more, unless there is no `kind` to check against.
pub(crate) fn read<'a>(
    id: &str,
    source: &'a SourceFile,
    problems: &mut Diagnostics,
) -> Option<Parsed<'a>> {
    let root = parse(source, problems)?;
    let span = root.span();
    let tables = root.get_ref().clone();
    if tables.contains_key("published") && !tables.contains_key("source") {
        let write = example(&["source"]).unwrap_or_default();
        let diagnostic = source.error_at(span.start..span.start + 1, "missing key `source`");
        problems.push(diagnostic.with_label(format!("write `source = {write}`")));
    }
    let reader = Reader {
        about: None,
        example,
    };
    let file: ExperimentFile = reader.read(
        source,
        root,
        &|table| ExperimentFile::deserialize(table),
        problems,
    )?;
    if file.kind.get_ref().is_empty() {
        return None;
    }
    let table = |key: &str| {
        let found = tables.get(key);
        let table = found.and_then(|node| Some((node.span(), node.get_ref().as_table()?.clone())));
        let (span, table) = table.unwrap_or((file.kind.span(), DeTable::new()));
        Spanned::new(span, table)
    };
    Some(Parsed {
        params: table("params"),
        quick: table("quick").into_inner(),
        experiment: Experiment::new(id, source, file),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Words of the format in any order: no text makes the reader panic, and what it cannot
        /// read it complains about.
        #[test]
        fn any_text_is_read_or_refused(
            words in proptest::collection::vec(
                prop_oneof![
                    Just("kind"), Just("title"), Just("run"), Just("columns"), Just("published"),
                    Just("check"), Just("deviation"), Just("="), Just("{"), Just("}"), Just("["),
                    Just("]"), Just("\"x\""), Just("1"), Just("0.5e3"), Just("."), Just(","),
                    Just("\n"), Just("tol"), Just("digits"), Just("nan"), Just("é"),
                ],
                0..40,
            ),
        ) {
            let source = SourceFile::new("a.toml", words.concat());
            let mut problems = Diagnostics::new();
            let parsed = read("paper/table", &source, &mut problems);
            prop_assert!(parsed.is_some() || !problems.is_empty());
            prop_assert!(problems.is_empty() || !problems.to_string().is_empty());
        }
    }
}
