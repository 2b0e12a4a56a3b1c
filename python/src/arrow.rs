//! Columns that frames take over without a copy, by Arrow's C interface.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, UInt16Type, UInt32Type};
use arrow_array::{Array as _, ArrayRef, RecordBatch, RecordBatchIterator};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};

/// Columns in chunks, readable through Arrow's `PyCapsule` interface.
#[pyclass(frozen, module = "kibitz._native")]
pub(crate) struct Table {
    schema: SchemaRef,
    parts: Vec<RecordBatch>,
}

fn wrong(error: &ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

impl Table {
    /// Columns by name and type, those of each part in this order.
    pub(crate) fn new(
        columns: &[(&str, DataType)],
        parts: impl IntoIterator<Item = Vec<ArrayRef>>,
    ) -> PyResult<Self> {
        let fields = columns.iter();
        let fields = fields.map(|(name, of)| Field::new(*name, of.clone(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let parts = parts.into_iter();
        let parts = parts.map(|columns| RecordBatch::try_new(Arc::clone(&schema), columns));
        let parts = parts.collect::<Result<_, _>>();
        Ok(Self {
            schema,
            parts: parts.map_err(|error| wrong(&error))?,
        })
    }
}

#[pymethods]
impl Table {
    fn __len__(&self) -> usize {
        self.parts.iter().map(RecordBatch::num_rows).sum()
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<&str> {
        let fields = self.schema.fields().iter();
        fields.map(|field| field.name().as_str()).collect()
    }

    /// The parts as a stream; another schema than the table's own is not made.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface lets a producer answer with its own types.
        drop(requested_schema);
        let parts = self.parts.clone().into_iter().map(Ok);
        let parts = RecordBatchIterator::new(parts, Arc::clone(&self.schema));
        let stream = FFI_ArrowArrayStream::new(Box::new(parts));
        PyCapsule::new(py, stream, Some(c"arrow_array_stream".to_owned()))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.schema.as_ref());
        let schema = schema.map_err(|error| wrong(&error))?;
        PyCapsule::new(py, schema, Some(c"arrow_schema".to_owned()))
    }

    /// The columns as lists, for those who have no frames.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (number, field) in self.schema.fields().iter().enumerate() {
            let list = PyList::empty(py);
            for part in &self.parts {
                append(&list, part.column(number))?;
            }
            all.set_item(field.name(), list)?;
        }
        Ok(all)
    }
}

/// Appends the values of a column, of one of the types that tables here have.
fn append(list: &Bound<'_, PyList>, column: &ArrayRef) -> PyResult<()> {
    match column.data_type() {
        DataType::Utf8 => (column.as_string::<i32>().iter()).try_for_each(|own| list.append(own)),
        DataType::Float64 => {
            (column.as_primitive::<Float64Type>().iter()).try_for_each(|own| list.append(own))
        }
        DataType::UInt16 => {
            (column.as_primitive::<UInt16Type>().iter()).try_for_each(|own| list.append(own))
        }
        DataType::UInt32 => {
            (column.as_primitive::<UInt32Type>().iter()).try_for_each(|own| list.append(own))
        }
        other => Err(PyValueError::new_err(format!("no list of {other}"))),
    }
}
