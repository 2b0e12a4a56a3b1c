//! Qualitative systems named in parameters: those that come with `kibitz-qsim`.

use kibitz_experiment::Problems;
use kibitz_qsim::{BUNDLED, Bundled, System};

/// The system of this name; none if there is none.
pub(crate) fn find(name: &str) -> Option<System> {
    Bundled::find(name)?.read().ok()
}

/// The same, reported at `path` if there is none.
pub(crate) fn check(path: &str, name: &str, problems: &mut Problems) -> Option<System> {
    let found = find(name);
    let known: Vec<&str> = BUNDLED.iter().map(|bundled| bundled.name).collect();
    let message = format!("no system `{name}`; there are {}", known.join(", "));
    problems.require(found.is_some(), path, message);
    found
}
