//! `view`: a dataset that is a query.

use kibitz_experiment::{
    Cell, CellError, Column, Context, Datum, Experiment, Field, FieldType, Output, Problems,
    Records, Sources,
};
use polars::prelude::{AnyValue, DataFrame};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wildmatch::WildMatch;

use crate::{
    frames::data_type,
    sql::{self, Queries},
};

/// Records copied between two looks at whether to stop.
const CHECKED_EVERY: usize = 10_000;

/// SQL over datasets, whose result is a dataset again.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct View {
    /// The query, in the dialect of polars.
    sql: String,
    /// Empty: a query that runs once needs no queries before it.
    #[serde(skip)]
    queries: Queries,
    /// Turns columns of the result into records, one for each column.
    unpivot: Option<Unpivot>,
}

/// Columns that become records.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Unpivot {
    /// The columns, all of one type; * and ? are wild.
    columns: Vec<String>,
    /// The column that will hold their names.
    names: String,
    /// The column that will hold their values.
    values: String,
}

impl Unpivot {
    fn picks(&self, field: &Field) -> bool {
        let mut globs = self.columns.iter();
        globs.any(|glob| WildMatch::new(glob).matches(&field.name))
    }
}

impl View {
    /// The columns of the query's result, and everything wrong with it.
    fn result(&self, problems: &mut Problems) -> Option<Vec<Field>> {
        let schema = self.queries.schema(&self.sql, problems)?;
        let fields = sql::fields_of(&schema);
        fields.map_err(|message| problems.at("sql", message)).ok()
    }

    /// The columns of the dataset.
    fn unpivoted(&self, result: &[Field], problems: &mut Problems) -> Vec<Field> {
        let Some(unpivot) = &self.unpivot else {
            return result.to_vec();
        };
        let (picked, rest): (Vec<&Field>, Vec<&Field>) =
            result.iter().partition(|field| unpivot.picks(field));
        let of = picked.first().map_or(FieldType::Float, |field| field.of);
        let message = "the columns are to be of one type, and there must be some";
        let are_alike = !picked.is_empty() && picked.iter().all(|field| field.of == of);
        problems.require(are_alike, "unpivot.columns", message);
        let names = Field::new(unpivot.names.clone(), FieldType::Text, "", "");
        let values = Field::new(unpivot.values.clone(), of, "", "");
        rest.into_iter().cloned().chain([names, values]).collect()
    }
}

impl Experiment for View {
    type Row = ();

    const NAME: &'static str = "view";
    const EXAMPLE: &'static str = include_str!("../examples/view.toml");
    const COLUMNS: &'static [Column] = &[];

    fn check(&self, problems: &mut Problems) {
        problems.expect_sources(Self::NAME);
        if let Some(result) = self.result(problems) {
            self.unpivoted(&result, problems);
        }
    }

    fn fields(&self, sources: &Sources) -> Vec<Field> {
        let mut problems = Problems::default().reading(sources.clone());
        match self.result(&mut problems) {
            Some(result) => self.unpivoted(&result, &mut problems),
            // Although nobody knows what it reads, it is a dataset.
            None => vec![Field::new("unknown", FieldType::Text, "", "")],
        }
    }

    fn cells(&self) -> Vec<Cell> {
        vec![Cell::rows("view", [""; 0], ())]
    }

    fn run(&self, (): &(), ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let sources = ctx.sources().iter();
        let sources = sources.map(|(name, source)| (name.clone(), source.fields.clone()));
        let mut problems = Problems::default().reading(sources.collect());
        let fields = self.result(&mut problems);
        let fields = fields.ok_or_else(|| CellError::new("the query cannot be asked"))?;
        let result = self.queries.frames(&self.sql, ctx)?.ask(&self.sql, ctx)?;
        let records = Records::new(self.unpivoted(&fields, &mut problems));
        output.set_records(self.fill(records, &result, &fields, ctx)?);
        Ok(())
    }
}

impl View {
    fn fill(
        &self,
        mut records: Records,
        result: &DataFrame,
        fields: &[Field],
        ctx: &Context<'_>,
    ) -> Result<Records, CellError> {
        let columns = fields.iter().map(|field| {
            let column = result.column(&field.name)?.cast(&data_type(field.of))?;
            Ok(column.as_materialized_series().clone())
        });
        let columns: Vec<_> = columns.collect::<Result<_, CellError>>()?;
        let is_picked = |field| {
            self.unpivot
                .as_ref()
                .is_some_and(|unpivot| unpivot.picks(field))
        };
        let (picked, rest): (Vec<usize>, Vec<usize>) =
            (0..fields.len()).partition(|place| is_picked(&fields[*place]));
        for record in 0..result.height() {
            if record % CHECKED_EVERY == 0 {
                ctx.check()?;
            }
            let values: Vec<AnyValue<'_>> = columns
                .iter()
                .map(|column| column.get(record))
                .collect::<Result<_, _>>()?;
            let kept = || rest.iter().map(|place| datum(&values[*place]));
            if self.unpivot.is_none() {
                records.push(kept()).map_err(CellError::new)?;
            }
            for place in &picked {
                let name = Datum::Text(&fields[*place].name);
                let record = kept().chain([name, datum(&values[*place])]);
                records.push(record).map_err(CellError::new)?;
            }
        }
        Ok(records)
    }
}

fn datum<'v>(value: &'v AnyValue<'_>) -> Datum<'v> {
    match value {
        AnyValue::Int64(value) => Datum::Int(*value),
        AnyValue::Float64(value) => Datum::Float(*value),
        AnyValue::Boolean(value) => Datum::Bool(*value),
        AnyValue::String(value) => Datum::Text(value),
        _ => Datum::Absent,
    }
}
