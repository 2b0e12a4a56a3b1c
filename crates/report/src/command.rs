//! The subcommand: all pages into a folder.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use kibitz_desk::{Answer, Desk};
use kibitz_lab::record::Values;
use kibitz_lab::{Exit, Selection};

use crate::{OtherPage, Pictures, site};

/// Arguments of the subcommand that writes the HTML report.
#[derive(Args, Clone, Debug, Default)]
pub struct Arguments {
    /// Folder for the report [default: target/report]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Show the front page in a browser
    #[arg(long)]
    pub open: bool,
    /// Show the values of the last run of each table, recorded or not
    #[arg(long)]
    pub last_run: bool,
}

/// Marks a folder as one that may be emptied.
const MARK: &str = "report.js";

/// Folders of other pages within that of the report: they are kept, and linked where they have pages.
const BESIDE: [(&str, &str, &str); 2] = [
    (
        "book",
        "Guides",
        "for every task, from the first table to your own games",
    ),
    (
        "playground",
        "Playgrounds",
        "to analyze Minesweeper, learn rules and simulate systems in the browser",
    ),
];

impl Arguments {
    /// The folder of the pages.
    pub fn folder(&self, desk: &Desk) -> PathBuf {
        // Beside the state of the runner, wherever Cargo builds.
        let beside = desk
            .lab
            .state
            .parent()
            .unwrap_or(&desk.lab.root)
            .join("report");
        self.out.clone().unwrap_or(beside)
    }

    /// Removes the pages of an older report, and keeps the folders of other pages.
    ///
    /// # Errors
    /// The folder holds other files than a report, or a file cannot be removed.
    pub fn empty(&self, desk: &Desk) -> Result<(), Answer> {
        emptied(&self.folder(desk)).map_err(|error| failed(Exit::Unwritable, &error))
    }

    /// Writes the pages.
    ///
    /// # Errors
    /// What is wrong with the workspace, or why a file cannot be written.
    pub fn run(&self, desk: &Desk, pictures: &dyn Pictures) -> Result<Answer, Answer> {
        let all = Selection::default();
        let values = if self.last_run {
            Values::LastRun(&all)
        } else {
            Values::Recorded
        };
        self.write(desk, values, pictures)
    }

    /// Writes the pages of given values.
    ///
    /// # Errors
    /// As those of [`Self::run`].
    pub fn write(
        &self,
        desk: &Desk,
        values: Values<'_>,
        pictures: &dyn Pictures,
    ) -> Result<Answer, Answer> {
        let recorded = desk.recorded(values)?;
        let out = self.folder(desk);
        self.empty(desk)?;
        let site = site(&recorded, pictures, &beside(&out));
        for (path, text) in &site.files {
            let file = out.join(path);
            let written = file.parent().map_or(Ok(()), std::fs::create_dir_all);
            let written = written.and_then(|()| std::fs::write(&file, text));
            written.map_err(|error| {
                failed(
                    Exit::Unwritable,
                    &format!("cannot write {}: {error}", file.display()),
                )
            })?;
        }
        let bytes: usize = site.files.values().map(String::len).sum();
        let front = out.join("index.html");
        let mut answer = Answer {
            out: format!(
                "wrote {} files, {} kB: {}\n",
                site.files.len(),
                bytes.div_ceil(1000),
                front.display()
            ),
            err: String::new(),
            exit: recorded.exit.unwrap_or(Exit::Done),
        };
        for problem in recorded.problems.iter().chain(recorded.warnings.iter()) {
            let _ = writeln!(answer.err, "{problem}");
        }
        for (id, why) in &recorded.left_out {
            let _ = writeln!(answer.err, "left out: {id}: {why}");
        }
        for warning in &site.warnings {
            let _ = writeln!(answer.err, "warning: {warning}");
        }
        if self.open
            && let Err(error) = opener::open_browser(&front)
        {
            let _ = writeln!(answer.err, "warning: no browser could be started: {error}");
        }
        Ok(answer)
    }
}

fn failed(exit: Exit, message: &str) -> Answer {
    Answer {
        out: String::new(),
        err: format!("error: {message}\n"),
        exit,
    }
}

/// The pages beside a report.
fn beside(out: &Path) -> Vec<OtherPage> {
    let found = BESIDE.iter().filter_map(|(folder, title, about)| {
        let path = format!("{folder}/index.html");
        out.join(&path).is_file().then(|| OtherPage {
            path,
            title: (*title).to_owned(),
            about: (*about).to_owned(),
        })
    });
    found.collect()
}

/// Removes the pages of an older report, so that none stays behind; a folder of anything else is
/// left alone.
fn emptied(out: &Path) -> Result<(), String> {
    let said = |error: std::io::Error| format!("cannot empty {}: {error}", out.display());
    let Ok(entries) = std::fs::read_dir(out) else {
        return Ok(());
    };
    let is_beside = |path: &PathBuf| BESIDE.iter().any(|(folder, ..)| path.ends_with(folder));
    let entries = entries.flatten().map(|entry| entry.path());
    let entries: Vec<PathBuf> = entries.filter(|path| !is_beside(path)).collect();
    if !entries.is_empty() && !out.join(MARK).is_file() {
        return Err(format!(
            "{} holds other files than a report; choose another folder",
            out.display()
        ));
    }
    for path in entries {
        let removed = if path.is_dir() {
            std::fs::remove_dir_all(&path)
        } else {
            std::fs::remove_file(&path)
        };
        removed.map_err(said)?;
    }
    Ok(())
}
