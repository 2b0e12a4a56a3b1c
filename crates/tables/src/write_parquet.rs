//! Records as Parquet, row group by row group.

use std::{io, sync::Arc};

use kibitz_experiment::{Field, FieldType, Records, Values};
use polars_arrow::{
    array::{Array, BooleanArray, PrimitiveArray, Utf8ViewArray},
    datatypes::{ArrowDataType, ArrowSchema, ArrowSchemaRef, Field as ArrowField},
    record_batch::RecordBatchT,
};
use polars_buffer::Buffer;
use polars_parquet::write::{
    CompressionOptions, Encoding, FileWriter, ParquetType, StatisticsOptions, Version,
    WriteOptions, get_dtype_encoding, row_group_iter,
};

use crate::{ROW_GROUP, TableError};

/// How files are written: what engines of 2026 read, without settings.
const OPTIONS: WriteOptions = WriteOptions {
    statistics: StatisticsOptions {
        min_value: true,
        max_value: true,
        distinct_count: false,
        null_count: true,
        binary_statistics_truncate_length: None,
    },
    version: Version::V1,
    compression: CompressionOptions::Zstd(None),
    data_page_size: None,
};

/// Writes records as Parquet, as they come: each call of [`write`](Self::write) becomes row groups of
/// its own, of at most [`ROW_GROUP`] records.
pub struct ParquetWriter<W: io::Write> {
    file: FileWriter<W>,
    schema: ArrowSchemaRef,
    types: Vec<ParquetType>,
    encodings: Buffer<Vec<Encoding>>,
    n_records: usize,
}

impl<W: io::Write> std::fmt::Debug for ParquetWriter<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("ParquetWriter");
        shown.field("n_records", &self.n_records);
        shown.finish_non_exhaustive()
    }
}

impl<W: io::Write> ParquetWriter<W> {
    /// Begins a file with these columns.
    ///
    /// # Errors
    /// [`TableError::Unwritable`] if there is no such file.
    pub fn new<'f>(
        out: W,
        fields: impl IntoIterator<Item = &'f Field>,
    ) -> Result<Self, TableError> {
        let schema: ArrowSchema = fields
            .into_iter()
            .map(|field| {
                let name = field.name.as_ref();
                let field = ArrowField::new(name.into(), arrow_type(field.of), true);
                (name.into(), field)
            })
            .collect();
        let encodings = schema
            .iter_values()
            .map(|field| get_dtype_encoding(&field.dtype))
            .collect();
        let file = FileWriter::try_new(out, schema.clone(), OPTIONS).map_err(unwritable)?;
        Ok(Self {
            types: file.parquet_schema().fields().to_vec(),
            file,
            schema: Arc::new(schema),
            encodings,
            n_records: 0,
        })
    }

    /// Adds records with the columns of the file; they are consumed column by column, to save memory.
    ///
    /// # Errors
    /// [`TableError::Unwritable`] if they have other columns, or the file cannot be written.
    pub fn write(&mut self, records: Records) -> Result<(), TableError> {
        let len = records.len();
        let mut arrays = Vec::new();
        let mut schema = self.schema.iter_values();
        for (field, values) in records.into_columns() {
            let declared = schema.next();
            if declared.is_none_or(|it| {
                it.name.as_str() != field.name.as_ref() || it.dtype != arrow_type(field.of)
            }) {
                let why = format!("the file has no column `{}` there", field.name);
                return Err(TableError::Unwritable(why));
            }
            arrays.push(array(values));
        }
        if let Some(missing) = schema.next() {
            let why = format!("the records lack column `{}`", missing.name);
            return Err(TableError::Unwritable(why));
        }
        for start in (0..len).step_by(ROW_GROUP) {
            let n = ROW_GROUP.min(len - start);
            let group: Vec<Box<dyn Array>> = if n == len {
                std::mem::take(&mut arrays)
            } else {
                arrays.iter().map(|it| it.sliced(start, n)).collect()
            };
            let group = RecordBatchT::try_new(n, Arc::clone(&self.schema), group);
            let group = row_group_iter(
                group.map_err(unwritable)?,
                self.encodings.clone(),
                self.types.clone(),
                OPTIONS,
            );
            self.file.write(n as u64, group).map_err(unwritable)?;
        }
        self.n_records += len;
        Ok(())
    }

    /// Ends the file; the number of its records.
    ///
    /// # Errors
    /// [`TableError::Unwritable`] if the file cannot be written.
    pub fn finish(mut self) -> Result<usize, TableError> {
        self.file.end(None).map_err(unwritable)?;
        Ok(self.n_records)
    }
}

/// Records as the bytes of a Parquet file.
///
/// # Errors
/// [`TableError::Unwritable`] if they are none.
pub fn to_parquet(records: Records) -> Result<Vec<u8>, TableError> {
    let mut bytes = Vec::new();
    let fields = records.columns().map(|(field, _)| field);
    let mut writer = ParquetWriter::new(&mut bytes, fields)?;
    writer.write(records)?;
    writer.finish()?;
    Ok(bytes)
}

fn unwritable(error: impl std::error::Error) -> TableError {
    TableError::Unwritable(error.to_string())
}

fn arrow_type(of: FieldType) -> ArrowDataType {
    match of {
        FieldType::Int => ArrowDataType::Int64,
        FieldType::Float => ArrowDataType::Float64,
        FieldType::Bool => ArrowDataType::Boolean,
        FieldType::Text => ArrowDataType::Utf8View,
    }
}

fn array(values: Values) -> Box<dyn Array> {
    match values {
        Values::Int(values) => PrimitiveArray::from(values).boxed(),
        Values::Float(values) => PrimitiveArray::from(values).boxed(),
        Values::Bool(values) => BooleanArray::from(values).boxed(),
        Values::Text(values) => Utf8ViewArray::from_slice(values).boxed(),
    }
}
