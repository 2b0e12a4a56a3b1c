//! Published and reproduced values of two files.

use std::path::PathBuf;

use kibitz_lab::Exit;
use kibitz_lab::comparison::{CompareOptions, compare};
use pyo3::prelude::*;
use serde_json::json;

/// The comparison in JSON: `csv` in the layout of `compare.csv`, `summary`, `joint`, and whether all values
/// match; `error` with the message if a file cannot be used.
#[pyfunction]
pub(crate) fn compare_tables(
    py: Python<'_>,
    published: PathBuf,
    reproduced: PathBuf,
    by: Vec<String>,
) -> PyResult<String> {
    let options = CompareOptions {
        published,
        reproduced,
        by,
    };
    let answer = match py.detach(|| compare(&options)) {
        Ok(comparison) => json!({
            "csv": String::from_utf8(comparison.csv())?,
            "summary": comparison.summary(),
            "joint": comparison.joint,
            "matches": comparison.exit() == Exit::Done,
        }),
        Err(error) => json!({ "error": [{ "message": error.message }] }),
    };
    Ok(answer.to_string())
}
