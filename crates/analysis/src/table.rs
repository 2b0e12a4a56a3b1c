//! `table`: a dataset that is your table, in CSV or Parquet.

use std::collections::BTreeSet;

use kibitz_experiment::{
    Cell, CellError, Column, Context, Experiment, Field, FieldType, Output, Part, Problems,
    Records, Sources,
};
use kibitz_tables::{Layout, Table};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Columns of a file, or of the files of a folder, as a dataset.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct OwnTable {
    /// The columns that are read.
    columns: Vec<OwnColumn>,
    /// Texts that stand for no value, besides the empty one; `NaN` also where a number is none.
    #[serde(default)]
    absent: Vec<String>,
    /// What parts the fields of a CSV file; when left out a comma, and a tab in `.tsv` files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    separator: Option<char>,
    /// Into how many parts the records fall: cells that run one by one.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    parts: u32,
}

/// A declared column.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct OwnColumn {
    /// Its name in the file, or the key in the names of folders.
    name: String,
    /// The type of its values.
    #[serde(rename = "type")]
    of: ColumnType,
    /// Their unit, if they have one.
    #[serde(default)]
    unit: String,
    /// What they mean, in one line.
    #[serde(default)]
    doc: String,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum ColumnType {
    /// 64-bit integers.
    Int,
    /// Finite floating-point numbers.
    Float,
    /// `true` and `false`.
    Bool,
    /// Texts; also dates and times of Parquet, as `2017-04-01` and `11:32:01`.
    Text,
}

impl From<ColumnType> for FieldType {
    fn from(of: ColumnType) -> Self {
        match of {
            ColumnType::Int => Self::Int,
            ColumnType::Float => Self::Float,
            ColumnType::Bool => Self::Bool,
            ColumnType::Text => Self::Text,
        }
    }
}

fn one() -> u32 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_one(parts: &u32) -> bool {
    *parts == 1
}

/// The name of its data.
const DATA: &str = "table";

impl OwnTable {
    fn own_fields(&self) -> Vec<Field> {
        let columns = self.columns.iter().cloned();
        let field =
            |column: OwnColumn| Field::new(column.name, column.of.into(), column.unit, column.doc);
        columns.map(field).collect()
    }
}

impl Experiment for OwnTable {
    type Row = Part;

    const NAME: &'static str = "table";
    const EXAMPLE: &'static str = include_str!("../examples/table.toml");
    const COLUMNS: &'static [Column] = &[];

    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &[DATA]);
        problems.require(!self.columns.is_empty(), "columns", "at least one column");
        let mut known = BTreeSet::new();
        problems.each("columns", &self.columns, |column, problems| {
            problems.require(!column.name.is_empty(), "name", "a name");
            let message = format!("column `{}` stands twice", column.name);
            problems.require(known.insert(&column.name), "name", message);
        });
        let is_byte = self
            .separator
            .is_none_or(|c| c.is_ascii() && !"\"\r\n".contains(c));
        problems.require(is_byte, "separator", "one character of ASCII, such as `;`");
        problems.require(Part::is_number(self.parts), "parts", Part::PROBLEM);
    }

    fn fields(&self, _: &Sources) -> Vec<Field> {
        self.own_fields()
    }

    fn cells(&self) -> Vec<Cell<Part>> {
        let cell = |part: Part| Cell::rows(part.name("records"), [""; 0], part).reading([DATA]);
        let cost = 10.0 / f64::from(self.parts);
        Part::all(self.parts)
            .map(|part| cell(part).costing(cost))
            .collect()
    }

    fn run(&self, part: &Part, ctx: &Context<'_>, _: &mut Output) -> Result<(), CellError> {
        let file = ctx.data(DATA)?;
        let layout = Layout {
            separator: self.separator.and_then(|c| u8::try_from(c).ok()),
            absent: self.absent.clone(),
        };
        let table = Table::open(&file, layout)?;
        let fields = self.own_fields();
        let range = if self.parts == 1 {
            None
        } else {
            Some(part.range(table.n_records()?.iter().sum()))
        };
        // Also a part without records has its columns.
        ctx.add_records(Records::new(fields.clone()))?;
        let mut n_records = 0;
        table.read(&fields, range.as_ref(), |records| {
            ctx.check()?;
            n_records += records.len();
            if let Some(range) = &range {
                let all = usize::try_from(range.end - range.start)?;
                ctx.progress("record", n_records, all);
            }
            ctx.add_records(records)
        })?;
        let n_files = match file.parts().len() {
            1 => "1 file".to_owned(),
            n => format!("{n} files"),
        };
        let left_out = table.undeclared(&fields)?;
        let left_out = match left_out.as_slice() {
            [] => String::new(),
            names => format!("; columns left out: {}", names.join(", ")),
        };
        let entry = file.entry();
        ctx.audit(format!(
            "{entry}: {n_records} records of {n_files}{left_out}"
        ));
        Ok(())
    }
}
