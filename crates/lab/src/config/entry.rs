//! One experiment of a workspace with its plans.

use serde_json::Value as Json;

use super::baseline::Baseline;
use super::envelope::PublishedError;
use super::experiment::{DataUse, Experiment};
use super::expression::Expression;
use crate::measurement::{Summary, Table};
use crate::tolerance::Tolerance;
use kibitz_experiment::{
    Cell, CellError, Column, Context, Field, Kind, Output, Plan, Resampling, SeedName,
};

/// One experiment with its plans.
#[derive(Debug)]
pub struct Entry {
    /// Its file.
    pub experiment: Experiment,
    /// Its kind.
    pub kind: Kind,
    /// The plan of its parameters.
    pub full: PlannedExperiment,
    /// What `[quick]` makes of it, if it says anything.
    pub(super) quick: Option<PlannedExperiment>,
    /// Whether its source is a paper, and not an exploration.
    pub is_published: bool,
    /// The columns shown and judged, in table order.
    pub columns: Vec<TableColumn>,
}

/// The plan of an experiment, with the cells and columns that it announces.
#[derive(Debug)]
pub struct PlannedExperiment {
    /// The checked parameters.
    pub plan: Box<dyn Plan>,
    /// The parameters with defaults applied.
    pub params: Json,
    /// The cells, each behind those it reads.
    pub cells: Vec<Cell>,
    /// The columns of the table.
    pub columns: Vec<Column>,
    /// The columns of the dataset, if it yields one.
    pub fields: Vec<Field>,
}

/// A column as the experiment shows and judges it.
#[derive(Clone, Debug)]
pub struct TableColumn {
    /// Its name.
    pub name: String,
    /// Its unit, empty if it has none.
    pub unit: String,
    /// What it means.
    pub doc: String,
    /// How far apart print and ours may be.
    pub tolerance: Tolerance,
    /// What a baseline gives; the defaults where there is none.
    pub baseline: Vec<Baseline>,
    /// What the value follows from.
    pub derived: Option<Expression>,
    /// The figure that it repeats.
    pub same_as: Option<String>,
    /// Print's own error.
    pub(crate) published_error: Option<PublishedError>,
    pub(crate) summary: Summary,
    /// Why its tolerance is what it is.
    pub why: Option<String>,
    /// Whether our figures stay out of the table.
    pub volatile: bool,
    /// Whether the kind takes our figures from its own parameters.
    pub(crate) is_input: bool,
}

impl Entry {
    /// `paper/name`.
    pub fn id(&self) -> &str {
        &self.experiment.id
    }

    /// What stands for several replicates in a column.
    pub fn summary(&self, column: &str) -> Summary {
        let mut columns = self.columns.iter();
        let column = columns.find(|own| own.name == column);
        column.map_or(Summary::Mean, |column| column.summary)
    }

    /// The plan, or the quick one.
    pub fn planned(&self, quick: bool) -> &PlannedExperiment {
        let quick = self.quick.as_ref().filter(|_| quick);
        quick.unwrap_or(&self.full)
    }

    /// The file that its values come from, for messages: the output of a step.
    pub fn output_file(&self) -> String {
        let file = self.experiment.source.text().parse::<toml::Table>();
        let is_step = self.experiment.kind() == kibitz_command::NAME;
        let output = file.ok().filter(|_| is_step);
        let output =
            output.and_then(|file| Some(file.get("params")?.get("output")?.as_str()?.to_owned()));
        output.unwrap_or_else(|| "the table".to_owned())
    }

    /// Whether it yields a dataset and no table.
    pub fn is_dataset(&self) -> bool {
        !self.full.fields.is_empty()
    }

    /// The name of a cell's seeds; none when it draws no random numbers.
    pub fn seed<'a>(
        &'a self,
        planned: &PlannedExperiment,
        cell: &'a Cell,
        replicate: u32,
    ) -> Option<SeedName<'a>> {
        let root = self.experiment.run.seed.as_ref();
        let root = root.filter(|_| planned.is_random(&self.experiment))?;
        Some(SeedName {
            root: *root.get_ref(),
            experiment: self.id(),
            cell: &cell.id,
            replicate,
        })
    }

    /// The rows of the table: published ones in file order, then the rest as planned, then those
    /// that only the values name.
    pub fn rows(&self, table: &Table) -> Vec<String> {
        let published = self.experiment.published.iter();
        let mut rows: Vec<String> = published.map(|published| published.row.clone()).collect();
        for row in self.full.rows_in(table) {
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        rows
    }

    /// The rows that a cell yields, as far as that is known before it runs.
    pub(crate) fn rows_of(&self, cell: &Cell) -> Vec<String> {
        if cell.open {
            self.rows(&Table::default())
        } else {
            cell.rows.clone()
        }
    }

    /// The manifest entries a cell reads, with the names it knows them by.
    pub(crate) fn data_of(&self, cell: &Cell) -> Vec<&DataUse> {
        self.experiment
            .data
            .iter()
            .filter(|used| cell.data.contains(&used.name))
            .collect()
    }
}

impl PlannedExperiment {
    /// Whether cells draw random numbers, or samples are drawn of what they read.
    pub(super) fn is_random(&self, experiment: &Experiment) -> bool {
        let resample = experiment.resample();
        self.plan.random()
            || resample.is_some_and(|resample| resample.method == Resampling::Bootstrap)
    }

    /// The rows of the table, as planned.
    pub fn rows(&self) -> impl Iterator<Item = &str> {
        let rows = self.cells.iter().flat_map(|cell| &cell.rows);
        rows.map(String::as_str)
    }

    /// The rows as planned, and those that only the values of a table name.
    pub(crate) fn rows_in(&self, table: &Table) -> Vec<String> {
        let mut rows: Vec<String> = self.rows().map(str::to_owned).collect();
        if self.is_open() {
            let mut others: Vec<String> = table.rows().map(str::to_owned).collect();
            others.retain(|row| !rows.contains(row));
            others.sort_by(|a, b| natural_order(a, b));
            rows.append(&mut others);
        }
        rows
    }

    /// Whether only the values tell which rows there are.
    pub fn is_open(&self) -> bool {
        self.cells.iter().any(|cell| cell.open)
    }

    /// Runs the cell of this id.
    ///
    /// # Errors
    /// [`CellError`] if there is no such cell, or it cannot be computed.
    pub fn run(&self, cell: &str, ctx: &Context<'_>) -> Result<Output, CellError> {
        let idx = self.cells.iter().position(|planned| planned.id == cell);
        let idx = idx.ok_or_else(|| CellError::new(format!("unknown cell `{cell}`")))?;
        self.plan.run(idx, ctx)
    }
}

/// `heuristic 2` before `heuristic 10`: numbers within names by their size.
fn natural_order(a: &str, b: &str) -> std::cmp::Ordering {
    let parts = |text: &str| -> Vec<(String, u64)> {
        let starts_number = |at: usize| {
            let is_digit = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
            is_digit(at) && !(at > 0 && is_digit(at - 1))
        };
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(at) = (0..rest.len()).find(|at| starts_number(text.len() - rest.len() + at))
        {
            let n_digits = rest[at..].bytes().take_while(u8::is_ascii_digit).count();
            let number = rest[at..at + n_digits].parse().unwrap_or(u64::MAX);
            parts.push((rest[..at].to_owned(), number));
            rest = &rest[at + n_digits..];
        }
        parts.push((rest.to_owned(), 0));
        parts
    };
    parts(a).cmp(&parts(b)).then_with(|| a.cmp(b))
}
