//! `reproduce --watch`: what a saved file makes stale runs again, until Ctrl-C.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use notify::{Event, RecursiveMode, Watcher as _};

use super::args::Reproduce;
use super::progress::Progress;
use super::{reproduce, say};
use crate::{Answer, Desk, Format, Mode};
use kibitz_lab::Exit;
use kibitz_lab::record::Values;

/// Editors write a file in several steps: what comes within this time belongs together.
const SETTLED: Duration = Duration::from_millis(300);
/// How often Ctrl-C is looked for.
const PATIENCE: Duration = Duration::from_millis(200);

/// Runs what `arguments` select now, and again after every saved file that may concern it; `after` each
/// run something else may follow, such as a report of these values.
///
/// # Errors
/// The folders cannot be watched.
pub(super) fn watch(
    desk: &Desk,
    arguments: &Reproduce,
    after: &dyn Fn(&Desk, Values<'_>) -> Result<Answer, Answer>,
) -> Result<Answer, Answer> {
    let options = reproduce::options(arguments)?;
    let interrupted = reproduce::stop_on_interrupt()?;
    let is_over = || interrupted.load(Ordering::Relaxed);
    let (send, events) = channel();
    let mut watcher = notify::recommended_watcher(send)?;
    let mut folders: Vec<PathBuf> = ["experiments", "data", "crates", "src"]
        .map(|name| desk.lab.root.join(name))
        .into_iter()
        .filter(|folder| folder.is_dir())
        .collect();
    folders.extend(desk.lab.data_folders.iter().cloned());
    for folder in &folders {
        watcher.watch(folder, RecursiveMode::Recursive)?;
    }
    loop {
        let progress = Progress::new(options.format == Format::Text);
        let answer = desk.reproduce(&options, &progress, &interrupted);
        progress.finish();
        if is_over() {
            return Ok(answer);
        }
        say(&answer);
        let values = match options.mode {
            _ if options.quick => Values::Recorded,
            Mode::Run => Values::LastRun(&options.selection),
            Mode::Check | Mode::Bless { .. } => Values::Recorded,
        };
        say(&after(desk, values).unwrap_or_else(|answer| answer));
        super::say_error("waiting for a saved file; Ctrl-C ends\n");
        let Some(saved) = next(&events, &is_over) else {
            return Ok(Answer {
                out: String::new(),
                err: String::new(),
                exit: Exit::Interrupted,
            });
        };
        for path in &saved {
            let shown = path.strip_prefix(&desk.lab.root).unwrap_or(path);
            super::say_error(&format!("saved: {}\n", shown.display()));
        }
        // A new program is needed for new code: cargo builds it, and the answer of the next run says so.
    }
}

/// The files of the next save; `None` when it is over.
fn next(
    events: &Receiver<notify::Result<Event>>,
    is_over: &dyn Fn() -> bool,
) -> Option<BTreeSet<PathBuf>> {
    let mut saved = BTreeSet::new();
    loop {
        let patience = if saved.is_empty() { PATIENCE } else { SETTLED };
        match events.recv_timeout(patience) {
            Ok(Ok(event)) if !event.kind.is_access() => {
                saved.extend(event.paths.into_iter().filter(|path| is_read(path)));
            }
            Err(RecvTimeoutError::Timeout) if !saved.is_empty() => return Some(saved),
            Err(RecvTimeoutError::Timeout) if is_over() => return None,
            Err(RecvTimeoutError::Disconnected) => return None,
            // Nothing yet, or nothing that can be told: the next event shows.
            Ok(_) | Err(RecvTimeoutError::Timeout) => {}
        }
        if is_over() {
            return None;
        }
    }
}

/// Whether a file may decide a result or a page: none of those that editors keep beside it.
fn is_read(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy());
    let is_hidden = name.is_none_or(|name| name.starts_with('.') || name.ends_with('~'));
    let ends = ["toml", "md", "rs", "pl", "pgn", "csv", "rules", "lock"];
    let end = path.extension().and_then(|end| end.to_str());
    !is_hidden && end.is_some_and(|end| ends.contains(&end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swap_files_wake_nobody() {
        assert!(is_read(Path::new("experiments/a/b.toml")));
        for path in [
            "experiments/a/.b.toml.swp",
            "a/b.toml~",
            "a/.#b.toml",
            "a/4913",
        ] {
            assert!(!is_read(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn what_is_saved_together_is_one_run() {
        let (send, events) = channel();
        for name in ["a.toml", "b.toml", ".c.toml"] {
            let event = Event::new(notify::EventKind::Any).add_path(PathBuf::from(name));
            send.send(Ok(event)).unwrap();
        }
        let saved = next(&events, &|| false).unwrap();
        assert_eq!(saved.len(), 2);
        assert_eq!(next(&events, &|| true), None);
    }
}
