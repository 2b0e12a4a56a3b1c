//! `build`: the program in a folder with all it needs.

use std::path::{Path, PathBuf};

use kibitz_text::Exit;

use crate::desk::workspace_inputs;
use crate::{Answer, Desk};
use kibitz_lab::session::Session;
use kibitz_lab::{Diagnostic, FileError};

/// What the program reads of a workspace to run cells.
const READ: [&str; 4] = ["experiments", "data", "rust-toolchain.toml", "engines"];

/// Copies the program and what it reads of the workspace.
pub(super) fn build(desk: &Desk, out: &Path) -> Result<Answer, Answer> {
    let program = std::env::current_exe()
        .map_err(|error| FileError::new("read", Path::new("the program itself"), error))?;
    let Some(name) = program.file_name() else {
        let problem = Diagnostic::new("the program has no name");
        return Err(refused(&problem));
    };
    std::fs::create_dir_all(out).map_err(|error| FileError::new("create", out, error))?;
    let target = out.join(name);
    let is_within = |below: &str| {
        let from = desk.lab.root.join(below).canonicalize();
        from.is_ok_and(|from| out.canonicalize().is_ok_and(|out| out.starts_with(from)))
    };
    if target.canonicalize().is_ok_and(|there| there == program)
        || READ.iter().any(|it| is_within(it))
    {
        let problem = Diagnostic::new(format!("{} is part of the workspace itself", out.display()));
        return Err(refused(&problem.with_note("give a folder of its own")));
    }
    // A program that is running cannot be written to, but another can take its name.
    let fresh = out.join(".new");
    copy(&program, &fresh)?;
    std::fs::rename(&fresh, &target).map_err(|error| FileError::new("write", &target, error))?;
    for below in READ {
        let (from, to) = (desk.lab.root.join(below), out.join(below));
        if to.is_dir() {
            std::fs::remove_dir_all(&to).map_err(|error| FileError::new("write", &to, error))?;
        }
        copy_all(from, to)?;
    }
    let session = Session::open(&desk.lab)?;
    for below in workspace_inputs(&session) {
        let to = out.join(&below);
        if let Some(above) = to.parent() {
            std::fs::create_dir_all(above)
                .map_err(|error| FileError::new("create", above, error))?;
        }
        copy_all(desk.lab.root.join(&below), to)?;
    }
    let out = format!(
        "{0}\nrun it from anywhere: {0} cell KEY… --cache DIR\n",
        target.display()
    );
    Ok(Answer {
        out,
        err: String::new(),
        exit: Exit::Done,
    })
}

fn refused(problem: &Diagnostic) -> Answer {
    Answer {
        out: String::new(),
        err: format!("{problem}\n"),
        exit: Exit::BadInput,
    }
}

fn copy(from: &Path, to: &Path) -> Result<(), FileError> {
    let copied = std::fs::copy(from, to).map(drop);
    copied.map_err(|error| FileError::new("write", to, error))
}

/// Copies a file, or a folder with all below it; what is not there needs no copy.
fn copy_all(from: PathBuf, to: PathBuf) -> Result<(), FileError> {
    let mut waiting = vec![(from, to)];
    while let Some((from, to)) = waiting.pop() {
        if from.is_file() {
            copy(&from, &to)?;
        } else if from.is_dir() {
            std::fs::create_dir_all(&to).map_err(|error| FileError::new("create", &to, error))?;
            let unreadable = |error| FileError::new("read", &from, error);
            for entry in std::fs::read_dir(&from).map_err(unreadable)? {
                let entry = entry.map_err(unreadable)?;
                waiting.push((entry.path(), to.join(entry.file_name())));
            }
        }
    }
    Ok(())
}
