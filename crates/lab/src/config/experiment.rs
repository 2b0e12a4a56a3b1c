//! An experiment file without `[params]`, which belongs to the kind.

use std::ops::Range;
use std::sync::LazyLock;

use kibitz_command::input::Input;
use kibitz_experiment::{Cell, Resample};
use kibitz_text::toml::{ANY_TEXT, Reader, parse};
use kibitz_text::{Diagnostic, Diagnostics, SourceFile};
use serde::Deserialize as _;
use toml::Spanned;
use toml::de::DeTable;

use super::baseline::Baseline;
use super::envelope::{ExperimentFile, FittedValues, Legibility, Role, RunSettings};
use super::expression::Expression;
use crate::figure::split_table;
use crate::published::PublishedValue;
use crate::wire::{Entries, Figure};
use regex::Regex;

/// One entry of the file's `data = { name = "entry" }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataUse {
    /// The name the kind knows it by, left of the `=`.
    pub name: String,
    /// The entry in `data/manifest.toml`, right of the `=`.
    pub entry: String,
    /// Where the entry is named in the file.
    pub span: Range<usize>,
}

/// One row of `[published]`.
#[derive(Clone, Debug)]
pub struct PublishedRow {
    /// Its name.
    pub row: String,
    pub(crate) span: Range<usize>,
    pub(crate) values: Vec<PublishedCell>,
}

/// A published value and its column.
#[derive(Clone, Debug)]
pub struct PublishedCell {
    /// Its column.
    pub column: String,
    pub(crate) span: Range<usize>,
    /// The value.
    pub printed: PublishedValue,
}

/// An experiment file, `[params]` and `[quick]` excepted.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// `<paper>/<table>`, from the file's path.
    pub id: String,
    /// The text of the file.
    pub source: SourceFile,
    /// What the file says, but for its parameters.
    pub file: ExperimentFile,
    /// The data files it reads.
    pub data: Vec<DataUse>,
    /// What it reads under `from`; the entries are ids of experiments.
    pub from: Vec<DataUse>,
    /// The published values, row by row.
    pub published: Vec<PublishedRow>,
    /// How it runs.
    pub run: RunSettings,
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
        let value = |(column, figure): &(Spanned<String>, Spanned<Figure>)| PublishedCell {
            column: column.get_ref().clone(),
            span: column.span(),
            printed: PublishedValue::new(figure.get_ref(), &source.text()[figure.span()]),
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

    /// Adds what its cells read beside declared data: files of the workspace, versions of programs,
    /// environment variables. The name of each is its entry.
    pub(super) fn add_inputs<'c>(&mut self, cells: impl Iterator<Item = &'c Cell>) {
        for name in cells.flat_map(|cell| &cell.data) {
            let word = match Input::of_name(name) {
                Some(Input::File(word) | Input::Variable(word)) => word,
                Some(Input::Version(words)) if !words.is_empty() => words[0].clone(),
                _ => continue,
            };
            if self.data.iter().any(|used| used.name == *name) {
                continue;
            }
            let written = format!("\"{word}\"");
            let text = self.source.text();
            let at = text.find(&written).map(|at| at..at + written.len());
            self.data.push(DataUse {
                name: name.clone(),
                entry: name.clone(),
                span: at.unwrap_or_else(|| self.file.kind.span()),
            });
        }
    }

    /// The name of its kind.
    pub fn kind(&self) -> &str {
        self.file.kind.get_ref()
    }

    /// A problem with `kind = …`, or with something that is not in the file.
    pub fn error(&self, message: impl Into<String>) -> Diagnostic {
        self.error_at(self.file.kind.span(), message)
    }

    /// A problem at a place of its file.
    pub fn error_at(&self, at: Range<usize>, message: impl Into<String>) -> Diagnostic {
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
    pub fn resample(&self) -> Option<&Resample> {
        self.file.resample.as_ref().map(Spanned::get_ref)
    }

    /// Where `run` is, or should be.
    pub(crate) fn run_span(&self) -> Range<usize> {
        let run = self.file.run.as_ref();
        run.map_or(self.file.kind.span(), Spanned::span)
    }

    /// What the paper prints in a place.
    pub fn printed(&self, row: &str, column: &str) -> Option<&PublishedValue> {
        let row = self
            .published
            .iter()
            .find(|published| published.row == row)?;
        let value = row.values.iter().find(|value| value.column == column)?;
        Some(&value.printed)
    }

    /// Whether the value there is an input.
    pub(crate) fn is_input(&self, row: &str, column: &str) -> bool {
        self.file.inputs.name(row, column)
    }

    /// Whether what is printed there cannot be read with certainty.
    pub fn is_doubtful(&self, row: &str, column: &str) -> bool {
        self.file.doubtful.name(row, column)
    }

    /// How the value there was chosen by looking at print.
    pub fn fitted(&self, row: &str, column: &str) -> Option<&FittedValues> {
        let mut fitted = self.file.fitted.iter();
        fitted.find(|fitted| fitted.covers(row, column))
    }

    /// Other tables that outcomes need: those of baselines, of derived and repeated figures, and of what
    /// shows a reason.
    pub(crate) fn named_tables(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for (_, spec) in &self.file.columns.0 {
            let baselines = spec
                .baseline
                .iter()
                .flat_map(|baselines| &baselines.get_ref().0);
            names.extend(baselines.filter_map(|baseline| match baseline {
                Baseline::Figure(name) => Some(name.as_str()),
                _ => None,
            }));
            names.extend(spec.same_as.as_deref());
            let expression = spec.derived.iter().flat_map(Expression::names);
            names.extend(
                expression
                    .filter(|(_, has_row)| *has_row)
                    .map(|(name, _)| name),
            );
        }
        let tested = self.file.deviation.iter().map(Spanned::get_ref);
        let tested = tested.filter_map(|deviation| deviation.tested.as_ref());
        names.extend(tested.map(|name| name.get_ref().as_str()));
        let mut tables: Vec<&str> = names
            .iter()
            .filter_map(|name| split_table(name).0)
            .collect();
        tables.sort_unstable();
        tables.dedup();
        tables
    }

    /// The table where the published value there is counted, if that is not this one.
    pub(crate) fn variant_of(&self, row: &str, column: &str) -> Option<&str> {
        let of_row = self.file.variant_of.as_ref();
        of_row
            .and_then(|homes| homes.home(row, column))
            .or_else(|| {
                let mut columns = self.file.columns.0.iter();
                let (_, spec) = columns.find(|(name, _)| name.get_ref() == column)?;
                Some(spec.variant_of.as_ref()?.get_ref())
            })
    }

    /// Whether it is listed under "How we know".
    pub fn is_evidence(&self) -> bool {
        self.file.role == Some(Role::Evidence)
    }

    /// The finding, as it is shown.
    pub fn finding(&self) -> Option<String> {
        let finding = self.file.finding.as_ref()?;
        Some(without_markers(finding.get_ref()))
    }

    /// How well its published values can be read.
    pub fn reading(&self) -> Legibility {
        let source = self.file.source.as_ref();
        source.map_or(Legibility::Clear, |source| source.reading)
    }

    /// `<paper>` of `<paper>/<table>`.
    pub fn paper(&self) -> &str {
        self.id.split('/').next().unwrap_or(&self.id)
    }
}

/// Keys that had another name.
pub(super) const RENAMED: &[(&str, &str)] = &[
    ("null", "baseline"),
    ("print-error", "published-error"),
    ("reading", "interpretation"),
];

/// The envelope and the two tables that belong to the kind.
pub(crate) struct ParsedExperiment<'a> {
    /// The file without its parameters.
    pub(crate) experiment: Experiment,
    /// Its parameters, unread.
    pub(crate) params: Spanned<DeTable<'a>>,
    /// The parameters of a quick run, unread.
    pub(crate) quick: DeTable<'a>,
}

/// What to write where, when it is missing or of another type.
fn example(path: &[&str]) -> Option<&'static str> {
    Some(match path {
        ["kind" | "title"]
        | ["source", "paper"]
        | ["deviation", "reason" | "decided-by"]
        | ["fitted", "by" | "on"] => ANY_TEXT,
        ["source"] => "{ paper = \"…\", where = \"Table …\" }",
        ["source", "where"] => "\"Table …\"",
        ["from"] => "{ name = \"paper/dataset\" }",
        ["resample"] => "{ by = \"game\", method = \"jackknife\" }",
        ["data"] => "{ name = \"entry of data/manifest.toml\" }",
        ["deviation", "up-to"] => "{ errors = 3.0 }, { abs = 0.1 } or { rel = 0.1 }",
        ["columns", _, "tol"] => {
            "\"exact\", \"order\", \"info\", or one of { digits = 2 }, { abs = 0.1 }, \
             { rel = 0.1 }, { within = [0, 1] }, { trials = { n = 1000, z = 3.0 } }, \
             { replicate-sd = 3.0 }, { std-error = 3.0 }, { quantiles = 0.95 }, { tau = 0.5 }, \"own-interval\""
        }
        ["columns", _, "baseline"] => {
            "0.5, \"shuffle\", \"most-common\", { row = \"a row of a baseline model\" } or { none = \"why\" }"
        }
        ["columns", _, "range"] => "[0.0, 1.0]",
        ["columns", _, "derived"] => "\"100 - p7\"",
        ["columns", _, "published-error"] => "0.1, \"as-ours\" or { overlap = 0.5 }",
        ["columns", _, "same-as"] => "\"paper/table:row.column\"",
        ["deviation", "predicts"] => "0.0, [0.0, 1.0] or \"text\"",
        ["variant-of"] => "\"paper/table\" or { \"pattern of rows\" = \"paper/table\" }",
        ["columns", _, "variant-of"] => "\"paper/table\"",
        ["role"] => "\"evidence\"",
        ["finding"] => "\"…\"",
        ["columns", _, "summary"] => "\"median\"",
        ["plot", "kind"] => "\"bars\" or \"lines\"",
        ["plot", "x" | "y" | "series" | "baseline"] => "\"column\"",
        ["plot", "rows"] => "'(?<series>.*), (?<x>\\d+) games'",
        ["plot", "log"] => "[\"x\", \"y\"]",
        ["together"] => "\"row\"",
        ["columns", _, "tol", "trials", "z"] => "3.0",
        ["published", _] => "{ column = value, … }",
        ["check", "op"] => "\"sum\"",
        ["check", "of"] => "[\"row.column\"]",
        ["check", "is"]
        | ["inputs" | "doubtful"]
        | ["deviation", "cells" | "tested"]
        | ["fitted", "cells"] => "\"row.column\"",
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
) -> Option<ParsedExperiment<'a>> {
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
        renamed: RENAMED,
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
    Some(ParsedExperiment {
        params: table("params"),
        quick: table("quick").into_inner(),
        experiment: Experiment::new(id, source, file),
    })
}

/// A finding without the sources of its numbers.
pub fn without_markers(finding: &str) -> String {
    static MARKER: LazyLock<Regex> = LazyLock::new(|| {
        #[allow(clippy::unwrap_used, reason = "a constant pattern, covered by tests")]
        Regex::new(r"\s*<!--(?s:.*?)-->").unwrap()
    });
    MARKER.replace_all(finding.trim(), "").into_owned()
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
