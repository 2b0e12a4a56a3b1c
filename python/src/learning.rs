//! Learning that is watched, and that Ctrl-C ends with the best theory so far.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use kibitz_ilp::learn::Progress;
use kibitz_ilp::{Layout, Task};
use kibitz_prolog::{Clause, SymbolTable, print_clause};
use kibitz_text::Failure;
use kibitz_web::{LearnSettings, TaskTexts};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::signals::Signals;

/// How long what was learned is verified after a limit on time or an interrupt.
const TIME_TO_VERIFY: Duration = Duration::from_millis(500);

/// Tells a function of Python of every clause, and looks for Ctrl-C and at the clock.
struct Watch {
    callback: Option<Py<PyAny>>,
    signals: Signals,
    end: Option<Instant>,
    is_late: bool,
    /// Since when the search is over.
    over: Option<Instant>,
    /// What ended the search: an exception of the callback.
    raised: Option<PyErr>,
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
        self.is_late |= self.end.is_some_and(|end| Instant::now() >= end);
        // The caller gets the best theory so far: an interrupt is a flag, not an exception.
        let goes_on = self.raised.is_none() && self.signals.keep_going() && !self.is_late;
        if !goes_on {
            self.over.get_or_insert_with(Instant::now);
        }
        goes_on
    }

    fn keep_verifying(&mut self) -> bool {
        // Asks for Ctrl-C and the clock, too.
        self.keep_going() || (self.over).is_some_and(|over| over.elapsed() < TIME_TO_VERIFY)
    }
}

fn layout(name: &str) -> PyResult<Layout> {
    Ok(match name {
        "popper" => Layout::Popper,
        "aleph" => Layout::Aleph,
        "golem" => Layout::Golem,
        "progol" => Layout::Progol,
        "foil" => Layout::Foil,
        other => {
            let why = format!("`{other}` is no layout: popper, aleph, golem, progol or foil");
            return Err(PyValueError::new_err(why));
        }
    })
}

/// Learns from a folder, or from the texts of a task in JSON; the answer is that of a page, with
/// `interrupted`.
#[pyfunction]
#[pyo3(signature = (settings, folder=None, texts=None, progress=None, files=None, time_limit=None))]
pub(crate) fn learn(
    py: Python<'_>,
    settings: &str,
    folder: Option<PathBuf>,
    texts: Option<(String, String, String)>,
    progress: Option<Py<PyAny>>,
    files: Option<&str>,
    time_limit: Option<f64>,
) -> PyResult<String> {
    let wrong = |error: serde_json::Error| PyValueError::new_err(error.to_string());
    let settings: LearnSettings = serde_json::from_str(settings).map_err(wrong)?;
    let files = files.map(layout).transpose()?;
    let limit = time_limit.map(Duration::try_from_secs_f64).transpose();
    let limit = limit
        .map_err(|_| PyValueError::new_err("time_limit is a number of seconds of at least 0"))?;
    let mut watch = Watch {
        callback: progress,
        signals: Signals::default(),
        end: limit.and_then(|limit| Instant::now().checked_add(limit)),
        is_late: false,
        over: None,
        raised: None,
    };
    let mut answer = py.detach(|| {
        let task = match (folder, texts) {
            (Some(folder), _) => {
                let task = match files {
                    Some(layout) => Task::from_layout(folder, layout),
                    None => Task::from_dir(folder),
                };
                task.map_err(|error| Failure::from(error).diagnostics)
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
    answer["interrupted"] = watch.signals.is_raised().into();
    answer["late"] = watch.is_late.into();
    Ok(answer.to_string())
}
