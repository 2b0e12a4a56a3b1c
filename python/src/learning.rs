//! Learning that is watched, and that Ctrl-C ends with the best theory so far.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use kibitz_ilp::learn::Progress;
use kibitz_ilp::{Clause, SymbolTable, Task, print_clause};
use kibitz_text::Failure;
use kibitz_web::{LearnSettings, TaskTexts};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// How often Python is asked for signals.
const PATIENCE: Duration = Duration::from_millis(50);

/// Tells a function of Python of every clause, and looks for Ctrl-C.
struct Watch {
    callback: Option<Py<PyAny>>,
    asked: Instant,
    /// What ended the search: an exception of the callback.
    raised: Option<PyErr>,
    is_interrupted: bool,
}

impl Watch {
    fn tell(&mut self, what: &str, text: &str, first: usize, second: usize) {
        let Some(callback) = &self.callback else {
            return;
        };
        let told = Python::attach(|py| callback.call1(py, (what, text, first, second)).map(drop));
        if let Err(raised) = told {
            self.raised.get_or_insert(raised);
        }
    }
}

impl Progress for Watch {
    fn clause(&mut self, clause: &Clause, symbols: &SymbolTable, positive: usize, negative: usize) {
        self.tell(
            "clause",
            &print_clause(clause, symbols).to_string(),
            positive,
            negative,
        );
    }

    fn tried(&mut self, learner: &'static str, n_right: usize, n: usize) {
        self.tell("tried", learner, n_right, n);
    }

    fn keep_going(&mut self) -> bool {
        if self.asked.elapsed() >= PATIENCE {
            self.asked = Instant::now();
            // The best so far is what the caller gets: the interrupt is told, not raised.
            if Python::attach(|py| py.check_signals()).is_err() {
                self.is_interrupted = true;
            }
        }
        !self.is_interrupted && self.raised.is_none()
    }
}

/// Learns from a folder, or from the texts of a task in JSON; the answer is that of a page, with
/// `interrupted`.
#[pyfunction]
#[pyo3(signature = (settings, folder=None, texts=None, progress=None))]
pub(crate) fn learn(
    py: Python<'_>,
    settings: &str,
    folder: Option<PathBuf>,
    texts: Option<(String, String, String)>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let wrong = |error: serde_json::Error| PyValueError::new_err(error.to_string());
    let settings: LearnSettings = serde_json::from_str(settings).map_err(wrong)?;
    let mut watch = Watch {
        callback: progress,
        asked: Instant::now(),
        raised: None,
        is_interrupted: false,
    };
    let mut answer = py.detach(|| {
        let task = match (folder, texts) {
            (Some(folder), _) => {
                Task::from_dir(folder).map_err(|error| Failure::from(error).diagnostics)
            }
            (None, Some((examples, background, bias))) => TaskTexts {
                examples,
                background,
                bias,
            }
            .read(),
            (None, None) => return serde_json::json!({"error": [{"message": "no task"}]}),
        };
        settings.learn(task, &mut watch)
    });
    if let Some(raised) = watch.raised {
        return Err(raised);
    }
    answer["interrupted"] = watch.is_interrupted.into();
    Ok(answer.to_string())
}
