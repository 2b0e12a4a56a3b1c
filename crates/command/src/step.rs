//! The parameters of kind `command`, its cells, and the run of one.

use std::collections::{BTreeMap, BTreeSet};

use kibitz_experiment::{
    Cell, CellError, Column, Context, Experiment, Field, FieldType, Output, Problems, Sources,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::folder::Folder;
use crate::input::{Input, path_problem};
use crate::output;
use crate::process::{self, ProcessError};

/// A step in any language, whose output is a table or a dataset.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Step {
    /// The program and its arguments. It runs in a temporary folder that holds the inputs, by their paths.
    pub(crate) argv: Vec<String>,
    /// Files and folders of the project that the step reads, such as its script; paths from the root.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) inputs: Vec<String>,
    /// Names under `data` that the step reads; each is a file or folder of this name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) reads: Vec<String>,
    /// The file that the step writes: CSV, TSV, Parquet, or JSON with a list of objects.
    pub(crate) output: String,
    /// The columns of that file, but for the names of rows; it may have no others.
    pub(crate) columns: Vec<StepColumn>,
    /// The column that holds the names of rows.
    #[serde(default = "row", skip_serializing_if = "is_row")]
    pub(crate) row: String,
    /// Whether the output is a dataset, which other experiments read, and not a table.
    #[serde(default, skip_serializing_if = "is_false")]
    dataset: bool,
    /// Values for the step, which reads them from `parameters.json` or `KIBITZ_PARAM_…`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) parameters: BTreeMap<String, Json>,
    /// Runs of the step with parameters and rows of their own; a single run when left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    cells: Vec<StepCell>,
    /// A command whose output is part of the key, such as `["python3", "--version"]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    version: Vec<String>,
    /// Names of environment variables that the step sees; their values are part of the key.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) environment: Vec<String>,
    /// Whether the step draws random numbers: it then has `KIBITZ_SEED`, and may have replicates.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) random: bool,
    /// Texts that stand for no value in CSV, besides the empty one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) absent: Vec<String>,
}

/// A column of the output.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct StepColumn {
    /// Its name.
    pub(crate) name: String,
    /// The type of its values.
    #[serde(rename = "type", default)]
    pub(crate) of: ColumnType,
    /// Their unit, if they have one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    unit: String,
    /// What they mean, in one line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    doc: String,
    /// Another column of the file, with the standard errors of this one's numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) std_error: Option<String>,
    /// Another column of the file, with the number of samples behind each number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) samples: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ColumnType {
    /// Finite floating-point numbers.
    #[default]
    Float,
    /// Integers of 64 bits.
    Int,
    /// `true` and `false`.
    Bool,
    /// Strings.
    Text,
}

/// A run of the step.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct StepCell {
    /// Its name, which the step reads from `KIBITZ_CELL`.
    id: String,
    /// The rows that it writes; one of the same name when left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rows: Vec<String>,
    /// Further arguments of the program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) argv: Vec<String>,
    /// Values besides `parameters` of all cells, or in their place.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) parameters: BTreeMap<String, Json>,
}

fn row() -> String {
    "row".to_owned()
}

fn is_row(name: &str) -> bool {
    name == "row"
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_false(truth: &bool) -> bool {
    !truth
}

impl From<ColumnType> for FieldType {
    fn from(of: ColumnType) -> Self {
        match of {
            ColumnType::Float => Self::Float,
            ColumnType::Int => Self::Int,
            ColumnType::Bool => Self::Bool,
            ColumnType::Text => Self::Text,
        }
    }
}

/// The file with parameters, in the folder of the step.
pub(crate) const PARAMETERS: &str = "parameters.json";

impl Step {
    /// The columns of the output file.
    pub(crate) fn file_fields(&self) -> Vec<Field> {
        let mut fields = Vec::new();
        if !self.dataset {
            fields.push(Field::new(self.row.clone(), FieldType::Text, "", "row"));
        }
        for StepColumn {
            std_error, samples, ..
        } in &self.columns
        {
            let beside = [(std_error, FieldType::Float), (samples, FieldType::Int)];
            for (name, of) in beside {
                fields.extend(name.iter().map(|name| Field::new(name.clone(), of, "", "")));
            }
        }
        fields.extend(self.declared());
        fields
    }

    fn declared(&self) -> impl Iterator<Item = Field> {
        let columns = self.columns.iter().cloned();
        columns.map(|it| Field::new(it.name, it.of.into(), it.unit, it.doc))
    }

    fn check_paths(&self, problems: &mut Problems) {
        let own = format!("`{PARAMETERS}` is the file of parameters: take another name");
        let mut check = |path: String, value: &str| {
            let problem = path_problem(value);
            let is_below = problem.is_none();
            problems.require(is_below, &path, problem.unwrap_or_default());
            problems.require(value != PARAMETERS, path, own.clone());
        };
        for (at, input) in self.inputs.iter().enumerate() {
            check(format!("inputs.{at}"), input);
        }
        check("output".to_owned(), &self.output);
        let mut known = BTreeSet::new();
        for (at, input) in self.inputs.iter().enumerate() {
            let message = format!("input `{input}` is listed twice");
            problems.require(known.insert(input), format!("inputs.{at}"), message);
        }
        let message = format!(
            "`{}` is an input: the step writes another file",
            self.output
        );
        problems.require(!known.contains(&self.output), "output", message);
    }

    fn check_columns(&self, problems: &mut Problems) {
        problems.require(!self.columns.is_empty(), "columns", "at least one column");
        let mut known: BTreeSet<&str> = BTreeSet::new();
        if !self.dataset {
            known.insert(&self.row);
        }
        problems.each("columns", &self.columns, |column, problems| {
            problems.require(!column.name.is_empty(), "name", "a name");
            let beside = [
                ("name", Some(&column.name)),
                ("std-error", column.std_error.as_ref()),
                ("samples", column.samples.as_ref()),
            ];
            for (key, name) in beside {
                let Some(name) = name else { continue };
                let message = format!("column `{name}` is declared twice");
                problems.require(known.insert(name), key, message);
                let is_number = matches!(column.of, ColumnType::Float | ColumnType::Int);
                let has_place = key == "name" || is_number && !self.dataset;
                problems.require(has_place, key, "only numbers of a table have one");
            }
        });
    }
}

impl Experiment for Step {
    /// The place of the cell in the file, if cells are declared.
    type Row = Option<usize>;

    const NAME: &'static str = "command";
    const EXAMPLE: &'static str = include_str!("../examples/command.toml");
    const COLUMNS: &'static [Column] = &[];

    fn check(&self, problems: &mut Problems) {
        let has_program = self.argv.first().is_some_and(|program| !program.is_empty());
        problems.require(has_program, "argv", "at least the name of a program");
        self.check_paths(problems);
        self.check_columns(problems);
        let names: Vec<&str> = self.reads.iter().map(String::as_str).collect();
        problems.expect_data(Self::NAME, &names);
        for (at, name) in self.environment.iter().enumerate() {
            let is_free =
                !name.is_empty() && !name.contains(['=', '\0']) && !name.starts_with("KIBITZ_");
            let message = "the name of a variable that does not begin with KIBITZ_";
            problems.require(is_free, format!("environment.{at}"), message);
        }
        problems.each("cells", &self.cells, |cell, problems| {
            problems.require(!cell.id.is_empty(), "id", "a name");
            let is_table = !self.dataset || cell.rows.is_empty();
            problems.require(is_table, "rows", "a dataset has no named rows");
        });
    }

    fn columns(&self) -> Vec<Column> {
        if self.dataset {
            return Vec::new();
        }
        let column = |column: &StepColumn| Column {
            unit: column.unit.clone().into(),
            ..Column::named(column.name.clone(), "", column.doc.clone())
        };
        self.columns.iter().map(column).collect()
    }

    fn fields(&self, _: &Sources) -> Vec<Field> {
        if self.dataset {
            self.declared().collect()
        } else {
            Vec::new()
        }
    }

    fn random(&self) -> bool {
        self.random
    }

    fn cells(&self) -> Vec<Cell<Option<usize>>> {
        let files = self.inputs.iter().cloned().map(Input::File);
        let variables = self.environment.iter().cloned().map(Input::Variable);
        let version = Input::Version(self.version.clone());
        let others = files.chain(variables).chain([version]);
        let read: Vec<String> = others.map(|input| input.name()).collect();
        let cells = match (self.cells.as_slice(), self.dataset) {
            ([], false) => vec![Cell::open("all rows", None)],
            ([], true) => vec![Cell::rows("records", [""; 0], None)],
            (cells, _) => {
                let cell = |(at, cell): (usize, &StepCell)| {
                    let rows = match cell.rows.as_slice() {
                        _ if self.dataset => Vec::new(),
                        [] => vec![cell.id.clone()],
                        rows => rows.to_vec(),
                    };
                    Cell::rows(&cell.id, rows, Some(at))
                };
                cells.iter().enumerate().map(cell).collect()
            }
        };
        let cells = cells.into_iter();
        cells
            .map(|cell| cell.reading(&self.reads).reading(&read).costing(10.0))
            .collect()
    }

    fn run(
        &self,
        cell: &Option<usize>,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let cell = cell.and_then(|at| self.cells.get(at));
        let folder = Folder::new(self, cell, ctx)?;
        let command = folder.command(self, cell, ctx);
        let shown = shown(&self.argv);
        let ended = process::run(command, || ctx.check()).map_err(|error| match error {
            ProcessError::Stopped(CellError::Interrupted, _) => CellError::Interrupted,
            ProcessError::Stopped(reason, output) => {
                CellError::new(format!("`{shown}` {reason}; {}", output.shown()))
            }
            ProcessError::Missing(_) => CellError::MissingProgram(error.to_string()),
            ProcessError::Unstartable { .. } => CellError::new(error.to_string()),
        })?;
        if !ended.status.success() {
            let (status, output) = (ended.status, ended.output.shown());
            return Err(CellError::new(format!("`{shown}`: {status}; {output}")));
        }
        let file = folder.written(&self.output).map_err(|instead| {
            let output = ended.output.shown();
            CellError::new(format!("`{shown}` wrote {instead}; {output}"))
        })?;
        if self.dataset {
            return output::read_dataset(self, &file, ctx);
        }
        let rows = cell.map(|cell| match cell.rows.as_slice() {
            [] => std::slice::from_ref(&cell.id),
            rows => rows,
        });
        output::read_table(self, &file, rows, ctx, output)
    }
}

/// A command line, for messages.
fn shown(argv: &[String]) -> String {
    argv.join(" ")
}
