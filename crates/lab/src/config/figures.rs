//! Figures of other tables that a file names: that they can be there.
//!
//! Rows and columns are those of the other table's plan. Of a table whose rows only its values tell they
//! are those that are recorded or published; while there are none, any row will do.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use toml::Spanned;

use super::baseline::Baseline;
use super::entry::Entry;
use super::experiment::Experiment;
use super::expression::Expression;
use crate::figure::{Place, filled};
use crate::results::read_committed;
use crate::tolerance::Tolerance;
use kibitz_experiment::suggestion;
use kibitz_text::Diagnostics;

/// All experiments without problems so far, and where their values are recorded.
pub(super) struct Figures<'a> {
    pub(super) entries: &'a BTreeMap<String, Entry>,
    pub(super) results: &'a Path,
}

impl Figures<'_> {
    /// What is wrong with the figures that an experiment names.
    pub(super) fn check(&self, entry: &Entry) -> Diagnostics {
        let experiment = &entry.experiment;
        let mut problems = Diagnostics::new();
        for (name, at) in named(experiment) {
            let rows = experiment.published.iter().map(|row| row.row.as_str());
            self.check_figure(entry, name, &at, &rows.collect::<Vec<_>>(), &mut problems);
        }
        self.check_homes(entry, &mut problems);
        for deviation in experiment.file.deviation.iter().map(Spanned::get_ref) {
            let Some(tested) = &deviation.tested else {
                continue;
            };
            let covers = |row: &str| {
                let mut columns = entry.columns.iter();
                columns.any(|column| deviation.covers(row, &column.name))
            };
            let rows = experiment.published.iter().map(|row| row.row.as_str());
            let rows: Vec<&str> = rows.filter(|row| covers(row)).collect();
            self.check_figure(
                entry,
                tested.get_ref(),
                &tested.span(),
                &rows,
                &mut problems,
            );
        }
        problems
    }

    /// That the home of a variant publishes the value: in a column of the same name, or of a name with which
    /// that of the variant begins (`cor` for `cor-sign`). Each column is reported once.
    fn check_homes(&self, entry: &Entry, problems: &mut Diagnostics) {
        let experiment = &entry.experiment;
        let mut told = Vec::new();
        for row in &experiment.published {
            for value in &row.values {
                let (row, column) = (row.row.as_str(), value.column.as_str());
                let mut columns = entry.columns.iter();
                let is_compared = columns
                    .any(|own| own.name == column && own.tolerance != Tolerance::Info)
                    && !experiment.is_input(row, column)
                    && !experiment.is_doubtful(row, column);
                let home = experiment.variant_of(row, column).filter(|_| is_compared);
                let Some(home) = home.and_then(|id| self.entries.get(id)) else {
                    continue;
                };
                let known = published_columns(&home.experiment);
                let holds = |known: &&str| {
                    let rest = column.strip_prefix(known);
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
                };
                if known.iter().any(holds) || told.contains(&(home.id(), column)) {
                    continue;
                }
                told.push((home.id(), column));
                let message = format!(
                    "`{row}.{column}` is counted in {}, which publishes no value in a column `{column}`",
                    home.id()
                );
                let problem = experiment.error_at(value.span.clone(), message);
                problems.push(problem.with_label(suggestion(column, known)));
            }
        }
    }

    /// That a figure can be there; `rows` are those that `{row}` stands for.
    fn check_figure(
        &self,
        reader: &Entry,
        name: &str,
        at: &Range<usize>,
        rows: &[&str],
        problems: &mut Diagnostics,
    ) {
        let experiment = &reader.experiment;
        let Some(place) = Place::parse(name) else {
            return;
        };
        // Names that are unknown are reported when the file is read, as are all of its own table whose
        // rows are planned.
        let id = place.table.unwrap_or(reader.id());
        let (is_own, entry) = (id == reader.id(), self.entries.get(id));
        let Some(entry) = entry.filter(|entry| !is_own || entry.full.is_open()) else {
            return;
        };
        let mut problem = |message: String, label: String| {
            problems.push(experiment.error_at(at.clone(), message).with_label(label));
        };
        if entry.is_dataset() {
            let message = format!("`{name}` names no figure: {id} is a dataset");
            problem(message, String::new());
            return;
        }
        let known = self.rows(entry);
        let is_known = |row: &str| known.is_empty() || known.iter().any(|known| known == row);
        let is_there = if place.row.contains('{') {
            let mut rows = rows.iter();
            rows.len() == 0
                || rows.any(|row| is_known(&filled(place.row, row, "")))
                || place.row.contains("{column}")
        } else {
            is_known(place.row)
        };
        let columns = || entry.full.columns.iter().map(|column| column.name.as_ref());
        let is_column = place.column.contains('{') || columns().any(|known| known == place.column);
        if !is_there {
            let message = format!("`{name}` names no row of {id}");
            problem(
                message,
                suggestion(place.row, known.iter().map(String::as_str)),
            );
        } else if !is_column {
            let message = format!("`{name}` names no column of {id}");
            problem(message, suggestion(place.column, columns()));
        }
    }

    /// The rows of a table, as far as they are known before it runs.
    fn rows(&self, entry: &Entry) -> Vec<String> {
        if !entry.full.is_open() {
            return entry.full.rows().map(str::to_owned).collect();
        }
        let committed = read_committed(self.results, entry.id()).ok().flatten();
        let Some(committed) = committed else {
            return Vec::new();
        };
        let recorded = committed.table.rows().map(str::to_owned);
        let published = entry.experiment.published.iter();
        let published = published.map(|row| row.row.clone());
        recorded.chain(published).collect()
    }
}

/// The columns in which a table publishes values.
fn published_columns(experiment: &Experiment) -> Vec<&str> {
    let values = experiment.published.iter().flat_map(|row| &row.values);
    let mut columns: Vec<&str> = values.map(|value| value.column.as_str()).collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// The figures that columns name, with their places.
fn named(experiment: &Experiment) -> Vec<(&str, Range<usize>)> {
    let mut found = Vec::new();
    for (name, spec) in &experiment.file.columns.0 {
        if let Some(baselines) = &spec.baseline {
            let figures = baselines.get_ref().0.iter().filter_map(|one| match one {
                Baseline::Figure(figure) => Some(figure.as_str()),
                _ => None,
            });
            found.extend(figures.map(|figure| (figure, baselines.span())));
        }
        found.extend(spec.same_as.iter().map(|same| (same.as_str(), name.span())));
        let derived = spec.derived.iter().flat_map(Expression::names);
        let derived = derived.filter(|(_, has_row)| *has_row);
        found.extend(derived.map(|(figure, _)| (figure, name.span())));
    }
    found
}
