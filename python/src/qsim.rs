//! Simulations that Ctrl-C ends.

use kibitz_web::SimulateQuestion;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::signals::Signals;

/// The answer to a question about a system, in JSON: see `kibitz-web`.
#[pyfunction]
pub(crate) fn simulate(py: Python<'_>, question: &str) -> PyResult<String> {
    let question: SimulateQuestion =
        serde_json::from_str(question).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let mut signals = Signals::default();
    let answer = py.detach(|| {
        question
            .answer_while(&mut || signals.keep_going())
            .to_string()
    });
    signals.raised()?;
    Ok(answer)
}
