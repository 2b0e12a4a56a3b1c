//! The envelope of an experiment file: everything but `[params]`, which belongs to the kind.

use std::ops::Range;
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::glob::CellGlob;
use super::section::{Node, Section, in_file_order, kind_of};
use super::self_check::SelfCheck;
use crate::diagnostic::{Diagnostics, SourceFile};
use crate::params::DataUse;
use crate::printed::Printed;
use crate::tolerance::{self, Tolerance};
use kibitz_experiment::suggestion;

/// The newest layout of experiment files this runner reads.
pub(crate) const SCHEMA: u64 = 1;

/// How well the printed numbers can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    Clear,
    Ocr,
    Figure,
}

/// Where the table was published.
#[derive(Clone, Debug)]
pub(crate) struct PrintedIn {
    pub(crate) paper: Spanned<String>,
    pub(crate) place: String,
    pub(crate) reading: Reading,
}

/// `run = { … }`.
#[derive(Clone, Debug)]
pub(crate) struct RunSettings {
    pub(crate) seed: Option<Spanned<u64>>,
    pub(crate) replicates: u32,
    pub(crate) timeout: Option<Duration>,
    pub(crate) span: Range<usize>,
}

/// One entry of `[columns]`.
#[derive(Clone, Debug)]
pub(crate) struct ColumnSpec {
    pub(crate) name: String,
    pub(crate) span: Range<usize>,
    pub(crate) unit: Option<String>,
    pub(crate) tolerance: Option<Spanned<Tolerance>>,
    pub(crate) why: Option<String>,
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

/// A difference that is expected and explained.
#[derive(Clone, Debug)]
pub(crate) struct Deviation {
    pub(crate) cells: Vec<CellGlob>,
    pub(crate) reason: String,
    pub(crate) span: Range<usize>,
}

impl Deviation {
    pub(crate) fn covers(&self, row: &str, column: &str) -> bool {
        self.cells.iter().any(|glob| glob.matches(row, column))
    }
}

/// An experiment file, `[params]` and `[quick]` excepted.
#[derive(Clone, Debug)]
pub(crate) struct Experiment {
    /// `<paper>/<table>`, from the file's path.
    pub(crate) id: String,
    pub(crate) source: SourceFile,
    pub(crate) kind: Spanned<String>,
    pub(crate) title: String,
    pub(crate) tags: Vec<String>,
    pub(crate) notes: Option<String>,
    pub(crate) printed_in: Option<PrintedIn>,
    pub(crate) data: Vec<DataUse>,
    pub(crate) data_span: Range<usize>,
    pub(crate) run: RunSettings,
    pub(crate) columns: Vec<ColumnSpec>,
    pub(crate) published: Vec<PublishedRow>,
    pub(crate) checks: Vec<SelfCheck>,
    pub(crate) deviations: Vec<Deviation>,
}

impl Experiment {
    /// The reason of the first deviation that covers the cell.
    pub(crate) fn declared(&self, row: &str, column: &str) -> Option<&str> {
        self.deviations
            .iter()
            .find(|deviation| deviation.covers(row, column))
            .map(|deviation| deviation.reason.as_str())
    }

    pub(crate) fn reading(&self) -> Reading {
        self.printed_in
            .as_ref()
            .map_or(Reading::Clear, |printed_in| printed_in.reading)
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
    pub(crate) quick: Option<Spanned<DeTable<'a>>>,
}

/// Reads the envelope. Problems go to `problems`; what can be read is returned all the same,
/// so that later checks can find more, unless there is no `kind` to check against.
pub(crate) fn read<'a>(
    id: &str,
    source: &'a SourceFile,
    problems: &mut Diagnostics,
) -> Option<Parsed<'a>> {
    let (root, errors) = DeTable::parse_recoverable(source.text());
    if !errors.is_empty() {
        for error in errors {
            let span = error.span().unwrap_or(0..0);
            problems.push(source.error_at(span, error.message().to_owned()));
        }
        return None;
    }
    let mut file = Section::new(source, "an experiment file", root.get_ref(), root.span());
    file.require("kind", "\"…\"");
    file.require("title", "\"…\"");
    if let Some(schema) = file.whole("schema")
        && *schema.get_ref() != SCHEMA
    {
        file.problem(
            schema.span(),
            format!(
                "this runner reads schema {SCHEMA}, found {}",
                schema.get_ref()
            ),
        );
    }
    let kind = file.string("kind");
    let title = file.string("title").map(Spanned::into_inner);
    let tags = file.strings("tags").unwrap_or_default();
    let notes = file.string("notes").map(Spanned::into_inner);
    if !id.starts_with("beyond/") {
        file.require("source", "{ paper = \"…\", where = \"Table …\" }");
    }
    let printed_in = file
        .get("source")
        .and_then(|node| read_source(source, node, problems));
    let data_node = file.get("data");
    let data_span = data_node.map_or(kind.as_ref().map_or(0..0, Spanned::span), Spanned::span);
    let data = data_node.map_or_else(Vec::new, |node| read_data(source, node, problems));
    let run_node = file.get("run");
    let run = read_run(source, run_node, kind.as_ref(), problems);
    let mut table = |key: &'static str| -> Option<Spanned<DeTable<'a>>> {
        let node = file.get(key)?;
        if let DeValue::Table(table) = node.get_ref() {
            return Some(Spanned::new(node.span(), table.clone()));
        }
        let found = kind_of(node.get_ref());
        file.problem(
            node.span(),
            format!("[{key}] must be a table, found {found}"),
        );
        None
    };
    let kind_span = kind.as_ref().map_or(0..0, Spanned::span);
    let params = table("params").unwrap_or(Spanned::new(kind_span, DeTable::new()));
    let quick = table("quick");
    let columns = file
        .get("columns")
        .map_or_else(Vec::new, |node| read_columns(source, node, problems));
    let published = file
        .get("published")
        .map_or_else(Vec::new, |node| read_published(source, node, problems));
    let checks = tables(source, "[[check]]", file.get("check"), problems)
        .into_iter()
        .filter_map(|(table, span)| SelfCheck::read(source, table, span, problems))
        .collect();
    let deviations = tables(source, "[[deviation]]", file.get("deviation"), problems)
        .into_iter()
        .filter_map(|(table, span)| read_deviation(source, table, span, problems))
        .collect();
    file.finish(problems);
    Some(Parsed {
        experiment: Experiment {
            id: id.to_owned(),
            source: source.clone(),
            kind: kind?,
            title: title.unwrap_or_default(),
            tags: tags.into_iter().map(Spanned::into_inner).collect(),
            notes,
            printed_in,
            data,
            data_span,
            run,
            columns,
            published,
            checks,
            deviations,
        },
        params,
        quick,
    })
}

fn read_source(
    source: &SourceFile,
    node: &Node<'_>,
    problems: &mut Diagnostics,
) -> Option<PrintedIn> {
    let mut section = Section::of(source, "`source`", node, problems)?;
    section.require("paper", "\"…\"");
    section.require("where", "\"Table …\"");
    let paper = section.string("paper");
    let place = section.string("where");
    let reading = match section.string("reading") {
        None => Reading::Clear,
        Some(word) => match word.get_ref().as_str() {
            "clear" => Reading::Clear,
            "ocr" => Reading::Ocr,
            "figure" => Reading::Figure,
            other => {
                problems.push(
                    source
                        .error_at(word.span(), format!("unknown reading `{other}`"))
                        .with_label(suggestion(other, ["clear", "ocr", "figure"])),
                );
                Reading::Clear
            }
        },
    };
    section.finish(problems);
    Some(PrintedIn {
        paper: paper?,
        place: place?.into_inner(),
        reading,
    })
}

fn read_data(source: &SourceFile, node: &Node<'_>, problems: &mut Diagnostics) -> Vec<DataUse> {
    let DeValue::Table(table) = node.get_ref() else {
        problems.push(
            source
                .error_at(
                    node.span(),
                    format!("`data` must be a table, found {}", kind_of(node.get_ref())),
                )
                .with_label("write { name = \"entry of data/manifest.toml\" }"),
        );
        return Vec::new();
    };
    let mut data = Vec::new();
    for (name, entry) in in_file_order(table) {
        if let Some(text) = entry.get_ref().as_str() {
            data.push(DataUse {
                name: name.get_ref().to_string(),
                entry: text.to_owned(),
                span: entry.span(),
            });
        } else {
            problems.push(source.error_at(
                entry.span(),
                format!(
                    "`{}` names an entry of data/manifest.toml and must be a string, found {}",
                    name.get_ref(),
                    kind_of(entry.get_ref())
                ),
            ));
        }
    }
    data
}

fn read_run(
    source: &SourceFile,
    node: Option<&Node<'_>>,
    kind: Option<&Spanned<String>>,
    problems: &mut Diagnostics,
) -> RunSettings {
    let mut run = RunSettings {
        seed: None,
        replicates: 1,
        timeout: None,
        span: node.map_or(kind.map_or(0..0, Spanned::span), Spanned::span),
    };
    let Some(mut section) = node.and_then(|node| Section::of(source, "`run`", node, problems))
    else {
        return run;
    };
    run.seed = section.whole("seed");
    if let Some(replicates) = section.whole("replicates") {
        match u32::try_from(*replicates.get_ref()) {
            Ok(count) if count > 0 => run.replicates = count,
            _ => section.problem(replicates.span(), "`replicates` must be 1 or more"),
        }
    }
    if let Some(timeout) = section.string("timeout") {
        match humantime::parse_duration(timeout.get_ref()) {
            Ok(duration) => run.timeout = Some(duration),
            Err(error) => section.problem(
                timeout.span(),
                format!("`timeout` is a duration such as \"90s\" or \"20m\": {error}"),
            ),
        }
    }
    section.finish(problems);
    run
}

fn read_columns(
    source: &SourceFile,
    node: &Node<'_>,
    problems: &mut Diagnostics,
) -> Vec<ColumnSpec> {
    let DeValue::Table(table) = node.get_ref() else {
        problems.push(source.error_at(
            node.span(),
            format!(
                "[columns] must be a table, found {}",
                kind_of(node.get_ref())
            ),
        ));
        return Vec::new();
    };
    let mut columns = Vec::new();
    for (name, node) in in_file_order(table) {
        let title = format!("column `{}`", name.get_ref());
        let Some(mut section) = Section::of(source, title, node, problems) else {
            continue;
        };
        let unit = section.string("unit").map(Spanned::into_inner);
        let tol = section.get("tol");
        let why = section.string("why").map(Spanned::into_inner);
        let tolerance = tol.and_then(|node| {
            tolerance::read(source, node, problems).map(|tol| Spanned::new(node.span(), tol))
        });
        if let Some(tolerance) = &tolerance
            && *tolerance.get_ref() == Tolerance::Info
            && why.is_none()
        {
            problems.push(
                source
                    .error_at(
                        tolerance.span(),
                        format!(
                            "column `{}` is never judged and must say why",
                            name.get_ref()
                        ),
                    )
                    .with_label("add `why = \"…\"`"),
            );
        }
        section.finish(problems);
        columns.push(ColumnSpec {
            name: name.get_ref().to_string(),
            span: name.span(),
            unit,
            tolerance,
            why,
        });
    }
    columns
}

fn read_published(
    source: &SourceFile,
    node: &Node<'_>,
    problems: &mut Diagnostics,
) -> Vec<PublishedRow> {
    let DeValue::Table(rows) = node.get_ref() else {
        problems.push(source.error_at(
            node.span(),
            format!(
                "[published] must be a table, found {}",
                kind_of(node.get_ref())
            ),
        ));
        return Vec::new();
    };
    let mut published = Vec::new();
    for (row, node) in in_file_order(rows) {
        let DeValue::Table(values) = node.get_ref() else {
            problems.push(
                source
                    .error_at(
                        node.span(),
                        format!(
                            "row `{}` must be a table, found {}",
                            row.get_ref(),
                            kind_of(node.get_ref())
                        ),
                    )
                    .with_label("write { column = value, … }"),
            );
            continue;
        };
        let mut read = Vec::new();
        for (column, value) in in_file_order(values) {
            if let Some(printed) = Printed::read(value.get_ref()) {
                read.push(PublishedValue {
                    column: column.get_ref().to_string(),
                    span: column.span(),
                    printed,
                });
            } else {
                problems.push(source.error_at(
                    value.span(),
                    format!(
                        "a published value must be a finite number or a string, found {}",
                        kind_of(value.get_ref())
                    ),
                ));
            }
        }
        published.push(PublishedRow {
            row: row.get_ref().to_string(),
            span: row.span(),
            values: read,
        });
    }
    published
}

/// The tables of an array of tables.
fn tables<'t, 'a>(
    source: &SourceFile,
    name: &str,
    node: Option<&'t Node<'a>>,
    problems: &mut Diagnostics,
) -> Vec<(&'t DeTable<'a>, Range<usize>)> {
    let Some(node) = node else {
        return Vec::new();
    };
    let DeValue::Array(items) = node.get_ref() else {
        problems.push(source.error_at(
            node.span(),
            format!(
                "{name} must be an array of tables, found {}",
                kind_of(node.get_ref())
            ),
        ));
        return Vec::new();
    };
    let mut tables = Vec::new();
    for item in items {
        match item.get_ref() {
            DeValue::Table(table) => tables.push((table, item.span())),
            other => problems.push(source.error_at(
                item.span(),
                format!("{name} must be a table, found {}", kind_of(other)),
            )),
        }
    }
    tables
}

fn read_deviation(
    source: &SourceFile,
    table: &DeTable<'_>,
    span: Range<usize>,
    problems: &mut Diagnostics,
) -> Option<Deviation> {
    let mut section = Section::new(source, "[[deviation]]", table, span.clone());
    section.require("cells", "\"row.column\"");
    section.require("reason", "\"…\"");
    let cells = section.strings("cells");
    let reason = section.string("reason");
    section.finish(problems);
    Some(Deviation {
        cells: cells?.into_iter().map(CellGlob::new).collect(),
        reason: reason?.into_inner(),
        span,
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
