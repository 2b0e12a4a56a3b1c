//! Parquet, row group by row group.

use std::{
    io::{Cursor, Read as _, Seek as _, SeekFrom},
    ops::Range,
    sync::Arc,
};

use kibitz_experiment::{DataPart, Datum, Field, FieldType, ReadSeek, Records, Values};
use polars_arrow::{
    array::{Array, BooleanArray, PrimitiveArray, Utf8ViewArray},
    datatypes::{ArrowDataType, Field as ArrowField, TimeUnit},
    temporal_conversions as temporal,
    types::NativeType,
};
use polars_buffer::Buffer;
use polars_parquet::read::{
    BasicDecompressor, FileMetadata, PageReader, column_iter_to_arrays, infer_schema, read_metadata,
};

use crate::{ColumnType, FoundColumn, Layout, TableError, csv, hive::Partition};

/// A file whose footer has been read.
pub(crate) struct ParquetFile {
    name: String,
    reader: Box<dyn ReadSeek>,
    metadata: FileMetadata,
    fields: Vec<ArrowField>,
    /// Whether numbers may be infinite.
    is_infinite_allowed: bool,
}

/// Where the values of a declared column come from.
enum Place<'p> {
    /// A column of the file, by its place.
    Column(usize),
    Folder(Option<&'p str>),
}

impl ParquetFile {
    pub(crate) fn open(name: &str, data: &DataPart) -> Result<Self, TableError> {
        let unreadable = |error: &dyn std::error::Error| TableError::io(name, error);
        let mut reader = data
            .open()
            .map_err(|error| TableError::Data(error.to_string()))?;
        let metadata = read_metadata(&mut reader).map_err(|error| unreadable(&error))?;
        let schema = infer_schema(&metadata).map_err(|error| unreadable(&error))?;
        // Values behind a dictionary are read as such.
        let plain = |field: &ArrowField| match &field.dtype {
            ArrowDataType::Dictionary(_, values, _) => {
                ArrowField::new(field.name.clone(), (**values).clone(), field.is_nullable)
            }
            _ => field.clone(),
        };
        Ok(Self {
            name: name.to_owned(),
            fields: schema.iter_values().map(plain).collect(),
            reader,
            metadata,
            is_infinite_allowed: false,
        })
    }

    /// Whether infinite numbers are values.
    pub(crate) fn with_infinite(mut self, is_allowed: bool) -> Self {
        self.is_infinite_allowed = is_allowed;
        self
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let fields = self.fields.iter();
        fields.map(|field| field.name.to_string()).collect()
    }

    pub(crate) fn columns(&self) -> Vec<FoundColumn> {
        let fields = self.fields.iter();
        let column = |field: &ArrowField| FoundColumn {
            name: field.name.to_string(),
            found: found(&field.dtype),
            has_decimal_commas: false,
        };
        fields.map(column).collect()
    }

    pub(crate) fn n_records(&self) -> u64 {
        let groups = self.metadata.row_groups.iter();
        groups.map(|group| group.num_rows() as u64).sum()
    }

    pub(crate) fn n_groups(&self) -> usize {
        self.metadata.row_groups.len()
    }

    /// The values of a column in a row group as texts: dates as `2017-04-01`, times as `11:32:01`.
    pub(crate) fn texts(
        &mut self,
        group: usize,
        column: usize,
    ) -> Result<Vec<Option<Arc<str>>>, TableError> {
        let arrays = self.arrays(group, column)?;
        Ok(texts(&arrays, &self.fields[column].dtype))
    }

    /// The arrays of a column in a row group.
    fn arrays(&mut self, group: usize, column: usize) -> Result<Vec<Box<dyn Array>>, TableError> {
        let field = self.fields[column].clone();
        let metadata = &self.metadata.row_groups[group];
        let name = field.name.clone();
        let chunks = metadata.columns_under_root_iter(&name);
        let mut chunks = chunks.into_iter().flatten();
        let (Some(chunk), None) = (chunks.next(), chunks.next()) else {
            let why = format!("column `{}` is nested", field.name);
            let file = self.name.clone();
            return Err(TableError::Unreadable { file, why });
        };
        let range = chunk.byte_range();
        let mut bytes = Vec::new();
        let n_bytes = range.end.saturating_sub(range.start);
        let read = self.reader.seek(SeekFrom::Start(range.start));
        let read = read.and_then(|_| self.reader.by_ref().take(n_bytes).read_to_end(&mut bytes));
        let n_read = read.map_err(|error| TableError::io(&self.name, &error))?;
        if n_read as u64 != n_bytes {
            let (file, why) = (self.name.clone(), "it is cut short".to_owned());
            return Err(TableError::Unreadable { file, why });
        }
        let pages = Cursor::new(Buffer::from(bytes));
        let pages = PageReader::new(pages, chunk, Vec::new(), usize::MAX);
        let pages = BasicDecompressor::new(pages, Vec::new());
        let of = &chunk.descriptor().descriptor.primitive_type;
        let arrays = column_iter_to_arrays(vec![pages], vec![of], field, None);
        let (arrays, _) = arrays.map_err(|error| TableError::io(&self.name, &error))?;
        Ok(arrays)
    }

    fn places<'p>(
        &self,
        fields: &[Field],
        partitions: &'p [Partition],
    ) -> Result<Vec<Place<'p>>, TableError> {
        let place = |field: &Field| {
            if let Some(at) = self.fields.iter().position(|it| it.name == *field.name) {
                let found = found(&self.fields[at].dtype);
                let fits = found.of().is_some_and(|of| {
                    of == field.of || (of, field.of) == (FieldType::Int, FieldType::Float)
                });
                return if fits {
                    Ok(Place::Column(at))
                } else {
                    Err(TableError::Type {
                        file: self.name.clone(),
                        column: field.name.to_string(),
                        declared: field.of,
                        found,
                    })
                };
            }
            let folder = partitions.iter().find(|it| it.key == field.name);
            let folder = folder.map(|partition| Place::Folder(partition.value.as_deref()));
            folder.ok_or_else(|| {
                let keys = partitions.iter().map(|partition| partition.key.clone());
                TableError::Missing {
                    file: self.name.clone(),
                    column: field.name.to_string(),
                    known: self.names().into_iter().chain(keys).collect(),
                }
            })
        };
        fields.iter().map(place).collect()
    }

    /// Gives records to `each`; the number of those in the file up to the end of the range.
    pub(crate) fn read<E: From<TableError>>(
        mut self,
        fields: &[Field],
        partitions: &[Partition],
        layout: &Layout,
        range: Option<&Range<u64>>,
        each: &mut impl FnMut(Records) -> Result<(), E>,
    ) -> Result<u64, E> {
        let places = self.places(fields, partitions)?;
        let mut before = 0;
        for group in 0..self.n_groups() {
            let n_rows = self.metadata.row_groups[group].num_rows();
            let wanted = range.cloned().unwrap_or(0..u64::MAX);
            let from = wanted.start.saturating_sub(before).min(n_rows as u64);
            let to = wanted.end.saturating_sub(before).min(n_rows as u64);
            if from < to {
                let rows = as_len(from)..as_len(to);
                let mut columns = Vec::with_capacity(fields.len());
                for (field, place) in fields.iter().zip(&places) {
                    let file = self.name.clone();
                    let wrong = |record: Option<u64>, found: String| TableError::Value {
                        file,
                        place: record.map_or_else(String::new, |it| format!(", record {it}")),
                        column: field.name.to_string(),
                        declared: field.of,
                        found,
                    };
                    let values = match place {
                        Place::Folder(text) => {
                            let text = text.unwrap_or_default();
                            let value = csv::datum(text, field.of, layout);
                            let value = value.ok_or_else(|| wrong(None, format!("`{text}`")))?;
                            repeated(value, field.of, rows.len())
                        }
                        Place::Column(at) => {
                            let arrays = self.arrays(group, *at)?;
                            let dtype = &self.fields[*at].dtype;
                            let allowed = (layout, self.is_infinite_allowed);
                            let values = values(&arrays, dtype, field.of, allowed);
                            let values = values.map_err(|(row, found)| {
                                wrong(Some(before + row as u64 + 1), found)
                            })?;
                            within(values, &rows)
                        }
                    };
                    columns.push((field.clone(), values));
                }
                each(Records::of_columns(columns).map_err(TableError::Data)?)?;
            }
            before += n_rows as u64;
        }
        Ok(before)
    }
}

fn as_len(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// The same value for each record.
fn repeated(value: Datum<'_>, of: FieldType, n: usize) -> Values {
    match (of, value) {
        (FieldType::Int, Datum::Int(value)) => Values::Int(vec![Some(value); n]),
        (FieldType::Float, Datum::Float(value)) => Values::Float(vec![Some(value); n]),
        (FieldType::Bool, Datum::Bool(value)) => Values::Bool(vec![Some(value); n]),
        (FieldType::Text, Datum::Text(value)) => Values::Text(vec![Some(Arc::from(value)); n]),
        (FieldType::Int, _) => Values::Int(vec![None; n]),
        (FieldType::Float, _) => Values::Float(vec![None; n]),
        (FieldType::Bool, _) => Values::Bool(vec![None; n]),
        (FieldType::Text, _) => Values::Text(vec![None; n]),
    }
}

/// The values of some rows.
fn within(values: Values, rows: &Range<usize>) -> Values {
    fn cut<T>(mut values: Vec<T>, rows: &Range<usize>) -> Vec<T> {
        values.truncate(rows.end);
        values.drain(..rows.start.min(values.len()));
        values
    }
    match values {
        Values::Int(values) => Values::Int(cut(values, rows)),
        Values::Float(values) => Values::Float(cut(values, rows)),
        Values::Bool(values) => Values::Bool(cut(values, rows)),
        Values::Text(values) => Values::Text(cut(values, rows)),
    }
}

/// The name of a type in the file, and what a column of it can be declared as.
fn found(of: &ArrowDataType) -> ColumnType {
    use ArrowDataType as A;
    let declared = match of {
        A::Int8 | A::Int16 | A::Int32 | A::Int64 | A::UInt8 | A::UInt16 | A::UInt32 | A::UInt64 => {
            Some(FieldType::Int)
        }
        A::Float32 | A::Float64 => Some(FieldType::Float),
        A::Boolean => Some(FieldType::Bool),
        A::Utf8View | A::Date32 | A::Timestamp(..) | A::Time32(_) | A::Time64(_) => {
            Some(FieldType::Text)
        }
        _ => None,
    };
    let name = match of {
        A::Utf8View => "String".to_owned(),
        A::Timestamp(..) => "Timestamp".to_owned(),
        A::Time32(_) | A::Time64(_) => "Time".to_owned(),
        other => format!("{other:?}"),
    };
    ColumnType::Typed(name, declared)
}

/// The row of a value that does not fit, and what it is.
type Misfit = (usize, String);

/// The values of the arrays of a column of a type that [`found`] allows.
fn values(
    arrays: &[Box<dyn Array>],
    dtype: &ArrowDataType,
    of: FieldType,
    allowed: (&Layout, bool),
) -> Result<Values, Misfit> {
    match of {
        FieldType::Text => Ok(Values::Text(texts(arrays, dtype))),
        FieldType::Bool => {
            let mut all = Vec::new();
            for array in arrays {
                let array = array.as_any().downcast_ref::<BooleanArray>();
                all.extend(array.into_iter().flat_map(BooleanArray::iter));
            }
            Ok(Values::Bool(all))
        }
        FieldType::Int => {
            let mut all: Vec<Option<i64>> = Vec::new();
            for array in arrays {
                ints(&**array, &mut all)?;
            }
            Ok(Values::Int(all))
        }
        FieldType::Float => {
            let mut all: Vec<Option<f64>> = Vec::new();
            for array in arrays {
                floats(&**array, allowed, &mut all)?;
            }
            Ok(Values::Float(all))
        }
    }
}

fn of_type<T: NativeType>(array: &dyn Array) -> Option<impl Iterator<Item = Option<T>> + '_> {
    let array = array.as_any().downcast_ref::<PrimitiveArray<T>>()?;
    Some(array.iter().map(Option::<&T>::copied))
}

fn ints(array: &dyn Array, all: &mut Vec<Option<i64>>) -> Result<(), Misfit> {
    macro_rules! widened {
        ($($of:ty),*) => {$(
            if let Some(values) = of_type::<$of>(array) {
                all.extend(values.map(|value| value.map(i64::from)));
                return Ok(());
            }
        )*};
    }
    widened!(i64, i32, i16, i8, u32, u16, u8);
    for value in of_type::<u64>(array).into_iter().flatten() {
        let wide = value.map(i64::try_from).transpose();
        let row = all.len();
        all.push(wide.map_err(|_| (row, format!("{}", value.unwrap_or_default())))?);
    }
    Ok(())
}

/// The numbers of an array; infinite ones only if allowed.
fn floats(
    array: &dyn Array,
    (layout, is_infinite_allowed): (&Layout, bool),
    all: &mut Vec<Option<f64>>,
) -> Result<(), Misfit> {
    /// Integers up to this are floating-point numbers.
    const EXACT: u64 = 1 << 53;
    let push = |value: Option<f64>, all: &mut Vec<Option<f64>>| match value {
        Some(value) if value.is_nan() && layout.is_absent("NaN") => {
            all.push(None);
            Ok(())
        }
        Some(value) if value.is_nan() || value.is_infinite() && !is_infinite_allowed => {
            Err((all.len(), format!("`{value}`")))
        }
        value => {
            all.push(value);
            Ok(())
        }
    };
    if let Some(mut values) = of_type::<f64>(array) {
        return values.try_for_each(|value| push(value, all));
    }
    if let Some(mut values) = of_type::<f32>(array) {
        return values.try_for_each(|value| push(value.map(f64::from), all));
    }
    let mut whole = Vec::new();
    ints(array, &mut whole).map_err(|(row, found)| (all.len() + row, found))?;
    for value in whole {
        if value.is_some_and(|value| value.unsigned_abs() > EXACT) {
            let found = format!("{}, which no float is", value.unwrap_or_default());
            return Err((all.len(), found));
        }
        all.push(value.map(|value| value as f64));
    }
    Ok(())
}

fn texts(arrays: &[Box<dyn Array>], dtype: &ArrowDataType) -> Vec<Option<Arc<str>>> {
    let mut all = Vec::new();
    for array in arrays {
        texts_of(&**array, dtype, &mut all);
    }
    all
}

fn texts_of(array: &dyn Array, dtype: &ArrowDataType, all: &mut Vec<Option<Arc<str>>>) {
    if let Some(array) = array.as_any().downcast_ref::<Utf8ViewArray>() {
        all.extend(array.iter().map(|text| text.map(Arc::from)));
        return;
    }
    if let Some(array) = array.as_any().downcast_ref::<BooleanArray>() {
        all.extend(
            array
                .iter()
                .map(|value| value.map(|it| it.to_string().into())),
        );
        return;
    }
    macro_rules! shown {
        ($($of:ty),*) => {$(
            if let Some(values) = of_type::<$of>(array) {
                all.extend(values.map(|value| value.map(|it| shown(it.into_text(), dtype).into())));
                return;
            }
        )*};
    }
    shown!(i64, i32, i16, i8, u64, u32, u16, u8, f64, f32);
}

/// A number as it stands, and as a count of days or of parts of a second.
trait IntoText: ToString {
    fn into_text(self) -> (String, Option<i64>);
}

macro_rules! into_text {
    ($($of:ty),*) => {$(
        impl IntoText for $of {
            fn into_text(self) -> (String, Option<i64>) {
                (self.to_string(), None)
            }
        }
    )*};
}
into_text!(i8, i16, u8, u16, u32, u64, f32, f64);

impl IntoText for i32 {
    fn into_text(self) -> (String, Option<i64>) {
        (self.to_string(), Some(self.into()))
    }
}

impl IntoText for i64 {
    fn into_text(self) -> (String, Option<i64>) {
        (self.to_string(), Some(self))
    }
}

/// A number as what its type makes of it; a count that is no date or time stays a number.
fn shown((number, count): (String, Option<i64>), of: &ArrowDataType) -> String {
    use ArrowDataType as A;
    let time_of_day = |seconds: i64, nanoseconds: i64| {
        (0..86_400).contains(&seconds).then(|| {
            let all = seconds * 1_000_000_000 + nanoseconds;
            temporal::time64ns_to_time_opt(all).map(|time| time.to_string())
        })?
    };
    let moment = |count: i64| match of {
        A::Date32 => {
            let days = i32::try_from(count).ok()?;
            temporal::date32_to_date_opt(days).map(|date| date.to_string())
        }
        A::Timestamp(unit, _) => {
            let moment = match unit {
                TimeUnit::Second => temporal::timestamp_s_to_datetime_opt(count),
                TimeUnit::Millisecond => temporal::timestamp_ms_to_datetime_opt(count),
                TimeUnit::Microsecond => temporal::timestamp_us_to_datetime_opt(count),
                TimeUnit::Nanosecond => temporal::timestamp_ns_to_datetime_opt(count),
            };
            moment.map(|moment| moment.to_string())
        }
        A::Time32(unit) | A::Time64(unit) => {
            let in_second = match unit {
                TimeUnit::Second => 1,
                TimeUnit::Millisecond => 1_000,
                TimeUnit::Microsecond => 1_000_000,
                TimeUnit::Nanosecond => 1_000_000_000,
            };
            let (seconds, rest) = (count.div_euclid(in_second), count.rem_euclid(in_second));
            time_of_day(seconds, rest * (1_000_000_000 / in_second))
        }
        _ => None,
    };
    count.and_then(moment).unwrap_or(number)
}
