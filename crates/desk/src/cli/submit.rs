//! `submit`: stale runs on an engine, which is a file in `engines/`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use kibitz_experiment::suggestion;
use kibitz_text::Exit;

use super::args::Submit;
use super::reproduce::stop_on_interrupt;
use crate::{Answer, Desk, Jobs, JobsOptions};
use kibitz_lab::{Diagnostic, FileError};

/// Lists what is to do, and lets the engine do it; again, as long as something is left that an
/// engine's worker lost.
pub(super) fn submit(desk: &Desk, arguments: &Submit) -> Result<Answer, Answer> {
    let engine = engine(&desk.lab.root.join("engines"), &arguments.engine)?;
    let options = JobsOptions {
        selection: (&arguments.selectors).into(),
        workers: arguments.workers.into(),
        seconds: arguments.batch.into(),
    };
    let mut jobs = desk.jobs(&options)?;
    let mut command = started(desk, &engine, arguments.workers, &jobs)?;
    if arguments.dry_run {
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
        let out = format!("{}\n{}\n", counted(&jobs), words.join(" "));
        return Ok(answer(out, jobs.told, Exit::Done));
    }
    let interrupted = stop_on_interrupt()?;
    let mut rounds = 0;
    while jobs.n_jobs > 0 {
        super::say_error(&format!("{}\n", counted(&jobs)));
        rounds += 1;
        let status = command.status();
        let status = status.map_err(|error| FileError::new("start", &engine, error))?;
        let left = desk.jobs(&options)?;
        let is_better = left.n_runs < jobs.n_runs;
        jobs = left;
        if is_interrupted(&interrupted) || !is_better {
            let told = format!("{}: {status}\n", engine.display());
            return Ok(ended(
                desk,
                arguments,
                &jobs,
                &told,
                is_interrupted(&interrupted),
            ));
        }
        command = started(desk, &engine, arguments.workers, &jobs)?;
    }
    let told = match rounds {
        0 | 1 => String::new(),
        n => format!("{n} rounds: what was lost on the way ran again\n"),
    };
    Ok(ended(desk, arguments, &jobs, &told, false))
}

fn is_interrupted(interrupted: &AtomicBool) -> bool {
    interrupted.load(Ordering::Relaxed)
}

fn counted(jobs: &Jobs) -> String {
    let Jobs {
        n_jobs,
        n_runs,
        n_all,
        seconds,
        path,
        ..
    } = jobs;
    format!(
        "{n_jobs} jobs, {n_runs} of {n_all} runs, about {seconds:.0} s of work: {}",
        path.display()
    )
}

/// The answer once the engine is done.
fn ended(desk: &Desk, arguments: &Submit, jobs: &Jobs, told: &str, interrupted: bool) -> Answer {
    let exit = match (interrupted, jobs.n_runs, jobs.told.is_empty()) {
        (true, ..) => Exit::Interrupted,
        (_, 1.., _) => Exit::Failed,
        (_, 0, false) => Exit::Missing,
        (_, 0, true) => Exit::Done,
    };
    let ids = arguments.selectors.ids.join(" ");
    let cache = desk.lab.cache.as_deref();
    let cache = cache.map_or_else(String::new, |cache| format!(" --cache {}", cache.display()));
    let done = jobs.n_all - jobs.n_runs;
    let out = format!(
        "{done} of {} runs are in the cache; `{} reproduce {ids}{cache}` collects them\n",
        jobs.n_all, desk.lab.program
    );
    answer(out, format!("{}{told}", jobs.told), exit)
}

fn answer(out: String, err: String, exit: Exit) -> Answer {
    Answer { out, err, exit }
}

/// The file of an engine.
fn engine(folder: &Path, name: &str) -> Result<PathBuf, Answer> {
    let unreadable = |error| FileError::new("read", folder, error);
    let mut known = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) {
            known.push((stem.to_owned(), path.clone()));
        }
    }
    known.sort();
    let names = || known.iter().map(|(name, _)| name.as_str());
    if let Some((_, path)) = known.iter().find(|(known, _)| known == name) {
        return Ok(path.clone());
    }
    let all: Vec<&str> = names().collect();
    let problem = Diagnostic::new(format!("no engine is called `{name}`"))
        .with_label(suggestion(name, names()))
        .with_note(format!("{} has {}", folder.display(), all.join(", ")));
    Err(answer(
        String::new(),
        format!("{problem}\n"),
        Exit::BadInput,
    ))
}

/// The engine's command: its file, the list of jobs, the number of workers, and the command to
/// which each job adds its keys.
fn started(desk: &Desk, engine: &Path, workers: u16, jobs: &Jobs) -> Result<Command, Answer> {
    let absolute = |path: &Path| {
        std::path::absolute(path).map_err(|error| FileError::new("read", path, error))
    };
    let mut words: Vec<OsString> = match engine.extension().and_then(|end| end.to_str()) {
        Some("py") => {
            let python = std::env::var_os("KIBITZ_PYTHON");
            vec![python.unwrap_or_else(|| "python3".into())]
        }
        Some("sh") => vec!["bash".into()],
        _ => Vec::new(),
    };
    let program = std::env::current_exe()
        .map_err(|error| FileError::new("read", Path::new("the program itself"), error))?;
    words.push(absolute(engine)?.into());
    words.push(absolute(&jobs.path)?.into());
    words.push(workers.to_string().into());
    words.push(program.into());
    words.extend(["--root".into(), absolute(&desk.lab.root)?.into()]);
    for folder in &desk.lab.data_folders {
        words.extend(["--data".into(), absolute(folder)?.into()]);
    }
    let cache = jobs.path.parent().unwrap_or(Path::new("."));
    words.extend(["--cache".into(), absolute(cache)?.into(), "cell".into()]);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    Ok(command)
}
