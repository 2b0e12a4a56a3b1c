//! The subcommands: arguments in, text and exit code out.

mod data;
mod dataset;
mod explain;
mod list;
mod new;
mod progress;
mod reproduce;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use kibitz_lab::{Answer, Lab, Selection};

use crate::cli::{Cli, Command, Selectors};
use crate::kinds::kinds;

/// Carries out what the command line says.
pub(crate) fn run(cli: &Cli) -> anyhow::Result<ExitCode> {
    let lab = lab(cli)?;
    let answer = match &cli.command {
        Command::Reproduce(arguments) => reproduce::run(&lab, arguments)?,
        Command::List(arguments) => list::run(&lab, arguments),
        Command::Explain(arguments) => explain::run(&lab, arguments),
        Command::New(arguments) => new::run(&lab, arguments),
        Command::Dataset(arguments) => dataset::run(&lab, arguments)?,
        Command::Report => lab.report(),
        Command::Schema(arguments) => lab.schema(arguments.check),
        Command::Data(arguments) => data::run(&lab.root, arguments)?,
    };
    Ok(say(&answer))
}

/// The workspace the command line means.
fn lab(cli: &Cli) -> anyhow::Result<Lab> {
    let root = match &cli.root {
        Some(root) => root.clone(),
        None => find_root()?,
    };
    if !root.join("experiments").is_dir() {
        bail!("{} has no folder experiments/", root.display());
    }
    let mut lab = Lab::new(root, kinds(), "cargo xtask");
    // The state lives where Cargo builds, so that `cargo clean` removes it too.
    if cli.root.is_none()
        && let Some(target) = std::env::var_os("CARGO_TARGET_DIR")
    {
        lab.state = PathBuf::from(target).join("kibitz");
    }
    for folder in &cli.data_folders {
        if !folder.is_dir() {
            bail!("--data {}: not a folder", folder.display());
        }
    }
    lab.data_folders.clone_from(&cli.data_folders);
    Ok(lab)
}

/// The nearest folder with `experiments/`, from the current one upwards, else the workspace that
/// Cargo runs this from.
fn find_root() -> anyhow::Result<PathBuf> {
    let here = std::env::current_dir().context("the current folder cannot be found")?;
    let has_experiments = |folder: &&Path| folder.join("experiments").is_dir();
    if let Some(root) = here.ancestors().find(has_experiments) {
        return Ok(root.to_owned());
    }
    std::env::var_os("CARGO_MANIFEST_DIR")
        .map(PathBuf::from)
        .and_then(|manifest| manifest.parent().map(Path::to_owned))
        .context("no folder experiments/ here or above; say where with --root DIR")
}

impl From<&Selectors> for Selection {
    fn from(selectors: &Selectors) -> Self {
        Self {
            ids: selectors.ids.clone(),
            filter: selectors.filter.clone(),
            not: selectors.not.clone(),
            kinds: selectors.kinds.clone(),
            tags: selectors.tags.clone(),
        }
    }
}

/// Writes both streams; a reader that went away is no error.
fn say(answer: &Answer) -> ExitCode {
    say_error(&answer.err);
    let mut out = std::io::stdout().lock();
    let _ = out
        .write_all(answer.out.as_bytes())
        .and_then(|()| out.flush());
    ExitCode::from(answer.exit.code())
}

/// Writes to standard error.
pub(crate) fn say_error(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
