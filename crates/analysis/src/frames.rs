//! Datasets as polars frames, and SQL over them.

use std::{
    collections::BTreeMap,
    fs::File,
    ops::Range,
    sync::{
        Arc,
        mpsc::{RecvTimeoutError, channel},
    },
    time::Duration,
};

use kibitz_experiment::{CellError, Context, Field, FieldType, Source};
use polars::error::set_warning_function;
use polars::prelude::*;
use polars::sql::SQLContext;

use crate::{
    sql::plain,
    statement::{Mistake, is_record_wise, read_query},
};

/// Stack of the thread that computes a query: its plan is walked by recursion.
const STACK_BYTES: usize = 64 << 20;

/// Longest delay before a query reacts to a request to stop its cell.
const NOTICE: Duration = Duration::from_millis(50);

/// Frames by the names that SQL knows them by.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frames(BTreeMap<String, DataFrame>);

impl Frames {
    /// The datasets of an experiment, as far as one of the queries may mean them: of their columns
    /// those whose names occur in it.
    pub(crate) fn read(ctx: &Context<'_>, queries: &[&str]) -> Result<Self, CellError> {
        let asks = |word: &str| queries.iter().any(|sql| sql.contains(word));
        let by = ctx.resample().map(|resample| resample.by.as_str());
        let mut frames = Self::default();
        for (name, source) in ctx.sources().iter().filter(|(name, _)| asks(name)) {
            let fields = source
                .fields
                .iter()
                .filter(|field| asks("*") || asks(&field.name) || by == Some(&field.name));
            let columns: Vec<Expr> = fields.map(|field| col(field.name.as_ref())).collect();
            ctx.check()?;
            frames.insert(name, collect(scan(source)?.select(columns), ctx)?);
        }
        Ok(frames)
    }

    /// Frames without records, of these columns.
    pub(crate) fn empty(sources: &BTreeMap<String, Vec<Field>>) -> Self {
        let frame = |fields: &Vec<Field>| {
            let columns = fields.iter();
            let columns = columns.map(|field| (field.name.as_ref().into(), data_type(field.of)));
            DataFrame::empty_with_schema(&columns.collect::<Schema>())
        };
        let frames = sources
            .iter()
            .map(|(name, fields)| (name.clone(), frame(fields)));
        Self(frames.collect())
    }

    pub(crate) fn insert(&mut self, name: &str, frame: DataFrame) {
        self.0.insert(name.to_owned(), frame);
    }

    /// Those that a query may mean.
    pub(crate) fn mentioned_in(&self, sql: &str) -> Self {
        let frames = self
            .0
            .iter()
            .filter(|(name, _)| sql.contains(name.as_str()));
        let frames = frames.map(|(name, frame)| (name.clone(), frame.clone()));
        Self(frames.collect())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&String, &DataFrame)> {
        self.0.iter()
    }

    /// The same frames, each changed.
    pub(crate) fn map(
        &self,
        change: impl Fn(&String, &DataFrame) -> PolarsResult<DataFrame>,
    ) -> PolarsResult<Self> {
        let frames = self.0.iter();
        let changed = frames.map(|(name, frame)| Ok((name.clone(), change(name, frame)?)));
        Ok(Self(changed.collect::<PolarsResult<_>>()?))
    }

    /// The result of a query, not yet computed.
    pub(crate) fn plan(&self, sql: &str) -> PolarsResult<LazyFrame> {
        let mut context = SQLContext::new();
        for (name, frame) in &self.0 {
            context.register(name, frame.clone().lazy());
        }
        execute(&mut context, sql)
    }

    /// The result of a query.
    ///
    /// # Errors
    /// That it cannot be asked, in words, or that the cell is to stop.
    pub(crate) fn ask(&self, sql: &str, ctx: &Context<'_>) -> Result<DataFrame, CellError> {
        collect(self.plan(sql).map_err(plain)?, ctx)
    }
}

/// The result of a query over the datasets of an experiment; only the columns it needs are read.
///
/// # Errors
/// Like [`Frames::ask`].
pub(crate) fn ask_datasets(sql: &str, ctx: &Context<'_>) -> Result<DataFrame, CellError> {
    let mut context = SQLContext::new();
    let sources = ctx.sources().iter();
    for (name, source) in sources.filter(|(name, _)| sql.contains(name.as_str())) {
        context.register(name, scan(source)?);
    }
    collect(execute(&mut context, sql).map_err(plain)?, ctx)
}

/// Records of a dataset that are queried at a time.
const PIECE: usize = 1 << 19;

/// The result of a query over the datasets of an experiment, in pieces that follow one another: of a
/// query that looks at each record of one dataset by itself the results for some row groups, of
/// another one the whole. The query names all columns of its result, as no others are read.
///
/// # Errors
/// Like [`Frames::ask`], and those of `each`.
pub(crate) fn ask_in_pieces<E: From<CellError>>(
    sql: &str,
    ctx: &Context<'_>,
    mut each: impl FnMut(DataFrame) -> Result<(), E>,
) -> Result<(), E> {
    let sources = ctx.sources().iter();
    let mut mentioned = sources.filter(|(name, _)| sql.contains(name.as_str()));
    let (Some((name, source)), None) = (mentioned.next(), mentioned.next()) else {
        return each(ask_datasets(sql, ctx)?);
    };
    if !is_record_wise(sql) {
        return each(ask_datasets(sql, ctx)?);
    }
    let fields = source.fields.iter().map(|field| field.name.to_string());
    let columns: Vec<String> = fields.filter(|name| sql.contains(name)).collect();
    for path in &source.parts {
        let open = || File::open(path).map_err(CellError::from);
        // Of a large file it takes a while to read, too long for each piece.
        let mut reader = ParquetReader::new(open()?);
        let metadata = Arc::clone(reader.get_metadata().map_err(plain)?);
        let groups = metadata.row_groups.iter();
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "the type of the group belongs to another crate"
        )]
        let rows = groups.map(|group| group.num_rows());
        for Range { start, end } in pieces(rows) {
            ctx.check()?;
            let mut reader = ParquetReader::new(open()?)
                .with_columns((!columns.is_empty()).then(|| columns.clone()))
                .with_slice(Some((start, end - start)));
            reader.set_metadata(Arc::clone(&metadata));
            let records = reader.finish().map_err(plain)?;
            let mut context = SQLContext::new();
            context.register(name, records.lazy());
            each(collect(execute(&mut context, sql).map_err(plain)?, ctx)?)?;
        }
    }
    Ok(())
}

/// Runs of row groups of these lengths with [`PIECE`] records or a few more; without records there is
/// one.
fn pieces(groups: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let (mut start, mut end) = (0, 0);
    for n_records in groups {
        end += n_records;
        if end - start >= PIECE {
            pieces.push(start..end);
            start = end;
        }
    }
    if start < end || pieces.is_empty() {
        pieces.push(start..end);
    }
    pieces
}

/// The lazy result of a query. Queries that read files by themselves were rejected before.
fn execute(context: &mut SQLContext, sql: &str) -> PolarsResult<LazyFrame> {
    read_query(sql).map_err(|mistakes| {
        let message = mistakes.first().map(|Mistake { message, .. }| message);
        PolarsError::SQLSyntax(message.cloned().unwrap_or_default().into())
    })?;
    // Deprecation warnings of polars do not concern the author of a query.
    set_warning_function(|_, _| {});
    context.execute(sql)
}

/// Computes a frame, unless the cell must stop. Polars cannot be interrupted, so it runs on a
/// thread of its own, which is then abandoned and ends with the process at the latest.
fn collect(frame: LazyFrame, ctx: &Context<'_>) -> Result<DataFrame, CellError> {
    let (sender, receiver) = channel();
    std::thread::Builder::new()
        .name("query".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            // Nobody waits for it any more if this fails.
            let _ = sender.send(frame.collect());
        })?;
    loop {
        match receiver.recv_timeout(NOTICE) {
            Ok(result) => return result.map_err(plain),
            Err(RecvTimeoutError::Timeout) => ctx.check()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(CellError::new("the query broke off: a fault of polars"));
            }
        }
    }
}

/// The records of a dataset, not yet read.
fn scan(source: &Source) -> PolarsResult<LazyFrame> {
    let parts = source.parts.iter().map(|path| {
        let path = PlRefPath::try_from_path(path)?;
        LazyFrame::scan_parquet(path, ScanArgsParquet::default())
    });
    concat(
        parts.collect::<PolarsResult<Vec<_>>>()?,
        UnionArgs::default(),
    )
}

/// The type of a column as polars has it.
pub(crate) fn data_type(of: FieldType) -> DataType {
    match of {
        FieldType::Int => DataType::Int64,
        FieldType::Float => DataType::Float64,
        FieldType::Bool => DataType::Boolean,
        FieldType::Text => DataType::String,
    }
}

/// The numbers of a column; an absent one is an error.
pub(crate) fn numbers(frame: &DataFrame, name: &str) -> Result<Vec<f64>, CellError> {
    let column = frame.column(name)?.cast(&DataType::Float64)?;
    let numbers = column.f64()?.iter();
    let numbers: Option<Vec<f64>> = numbers.collect();
    numbers.ok_or_else(|| CellError::new(format!("column `{name}` lacks some values")))
}

/// The values of a column as texts.
pub(crate) fn texts(frame: &DataFrame, name: &str) -> Result<Vec<Option<String>>, CellError> {
    let column = frame.column(name)?.cast(&DataType::String)?;
    let texts = column.str()?.iter();
    Ok(texts.map(|text| text.map(str::to_owned)).collect())
}

/// The values of a column as numbers: equal ones have the same, counted as they first occur.
pub(crate) fn codes(frame: &DataFrame, name: &str) -> Result<Vec<u32>, CellError> {
    fn coded<T: Ord + Copy>(values: impl Iterator<Item = T>) -> Result<Vec<u32>, CellError> {
        let mut known = BTreeMap::new();
        // Most values are those of the record before.
        let mut last = None;
        let code = |value| match last {
            Some((same, code)) if same == value => Ok(code),
            _ => {
                let next = u32::try_from(known.len())?;
                let code = *known.entry(value).or_insert(next);
                last = Some((value, code));
                Ok(code)
            }
        };
        values.map(code).collect()
    }
    let column = frame.column(name)?;
    if column.dtype().is_integer() {
        coded(column.cast(&DataType::Int64)?.i64()?.iter())
    } else {
        coded(column.cast(&DataType::String)?.str()?.iter())
    }
}
