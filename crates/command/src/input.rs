//! Inputs of a cell that no data manifest declares: files of the workspace, the output of a version
//! command, environment variables.
//!
//! A cell lists them in `Cell::data` under names that no entry of a manifest has. A runner adds the content
//! of each to the key of the cell.

use std::path::{Component, Path};
use std::process::Command;
use std::time::Duration;

use kibitz_experiment::{CellError, Stopwatch};

use crate::folder::set_environment;
use crate::process::{self, ProcessError};

/// Such an input, by its name in `Cell::data`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file or folder of the workspace, by its path from the root: `./steps/mean.py`.
    File(String),
    /// The output of a version command. A cell that runs another program has one in any case, with no
    /// words if nobody asks for a version.
    Version(Vec<String>),
    /// An environment variable, by its name.
    Variable(String),
}

const FILE: &str = "./";
const VERSION: &str = "version ";
const VARIABLE: &str = "environment ";

impl Input {
    /// The input of this name; `None` for data of a manifest.
    pub fn of_name(name: &str) -> Option<Self> {
        if let Some(path) = name.strip_prefix(FILE) {
            return Some(Self::File(path.to_owned()));
        }
        if let Some(words) = name.strip_prefix(VERSION) {
            return serde_json::from_str(words).ok().map(Self::Version);
        }
        let variable = name.strip_prefix(VARIABLE)?;
        Some(Self::Variable(variable.to_owned()))
    }

    /// Its name for people.
    pub fn shown(&self) -> String {
        match self {
            Self::File(path) => path.clone(),
            Self::Version(words) => format!("version of {}", words.join(" ")),
            Self::Variable(name) => format!("${name}"),
        }
    }

    /// Its name in `Cell::data`.
    pub fn name(&self) -> String {
        match self {
            Self::File(path) => format!("{FILE}{path}"),
            Self::Version(words) => format!("{VERSION}{}", serde_json::Value::from(words.clone())),
            Self::Variable(name) => format!("{VARIABLE}{name}"),
        }
    }
}

/// How long a version command may take.
const VERSION_LIMIT: Duration = Duration::from_mins(1);

/// What a version command says, started in the folder `root`.
///
/// # Errors
/// [`CellError::MissingProgram`] or [`CellError::Failed`], if it cannot be started, fails, or does not end
/// within a minute.
pub fn version(words: &[String], root: &Path) -> Result<String, CellError> {
    let Some((program, arguments)) = words.split_first() else {
        return Ok(String::new());
    };
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root);
    set_environment(&mut command, &[]);
    let watch = Stopwatch::start();
    let check = || {
        let is_over = watch.elapsed() > VERSION_LIMIT;
        if is_over { Err(()) } else { Ok(()) }
    };
    match process::run(command, check) {
        Ok(ended) if ended.status.success() => Ok(ended.output.text().trim().to_owned()),
        Ok(ended) => {
            let (status, output) = (ended.status, ended.output.shown());
            Err(CellError::new(format!("{status}; {output}")))
        }
        Err(ProcessError::Stopped((), output)) => {
            let output = output.shown();
            let message = format!("it did not end within a minute; {output}");
            Err(CellError::new(message))
        }
        Err(error @ ProcessError::Missing(_)) => Err(CellError::MissingProgram(error.to_string())),
        Err(error @ ProcessError::Unstartable { .. }) => Err(CellError::new(error.to_string())),
    }
}

/// The value of an environment variable of this process; `None` if it is not set.
pub fn variable(name: &str) -> Option<String> {
    let value = std::env::var_os(name)?;
    Some(value.to_string_lossy().into_owned())
}

/// What keeps a path from being one below its folder, of names with `/` between them; `None` for one that
/// is.
pub(crate) fn path_problem(path: &str) -> Option<String> {
    const EXPECTED: &str = "expected a path below the folder, with `/` between names";
    if path.is_empty() {
        return Some(format!("an empty path: {EXPECTED}"));
    }
    let problem = |what: &str| Some(format!("`{path}` {what}: {EXPECTED}"));
    if path.contains(['\\', '\n']) {
        return problem("has a `\\` or a line break");
    }
    let mut depth = 0;
    for part in Path::new(path).components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir => depth -= 1,
            Component::RootDir | Component::Prefix(_) => {
                return problem("leads out of the folder");
            }
        }
        if depth < 0 {
            return problem("leads out of the folder");
        }
    }
    let is_plain = |part: &str| !part.is_empty() && part != "." && part != "..";
    if path.trim_end_matches('/').split('/').all(is_plain) {
        return None;
    }
    problem("goes through `.`, `..` or an empty name")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_written() {
        let inputs = [
            Input::File("steps/a b.py".to_owned()),
            Input::Version(vec!["python3".to_owned(), "--version".to_owned()]),
            Input::Version(Vec::new()),
            Input::Variable("OMP_NUM_THREADS".to_owned()),
        ];
        for input in inputs {
            assert_eq!(Input::of_name(&input.name()), Some(input));
        }
        assert_eq!(Input::of_name("survey"), None);
    }

    #[test]
    fn paths_that_lead_out_are_not_below() {
        for path in ["a", "steps/mean.py", "a/b/c"] {
            assert_eq!(path_problem(path), None);
        }
        let cases = [
            ("", "an empty path: "),
            ("../a", "`../a` leads out of the folder: "),
            ("a/../../b", "`a/../../b` leads out of the folder: "),
            ("/etc/passwd", "`/etc/passwd` leads out of the folder: "),
            (
                "steps/../steps/x.py",
                "`steps/../steps/x.py` goes through `.`, `..` or an empty name: ",
            ),
            (".", "`.` goes through"),
            ("./a", "`./a` goes through"),
            ("a//b", "`a//b` goes through"),
            ("a\\b", "`a\\b` has a `\\` or a line break: "),
        ];
        for (path, says) in cases {
            let problem = path_problem(path).unwrap_or_default();
            assert!(problem.starts_with(says), "{path}: {problem}");
        }
    }
}
