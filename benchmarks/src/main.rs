//! Declared comparisons of speed.
//!
//! Each file in `benchmarks/comparisons/` names a workload, the engines that do the same work in
//! different ways, and the answer they must give. The answer is checked before the clock counts
//! for anything; timings are reported, never asserted.

#![allow(
    clippy::print_stdout,
    reason = "a report on the terminal is what this program is for"
)]

mod comparison;
mod history;
mod machine;
mod workloads;

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Parser;

/// Runs the declared comparisons and prints one Markdown table each.
#[derive(Debug, Parser)]
struct Arguments {
    /// Only comparisons whose name contains this.
    filter: Option<String>,
    /// The folder of the declared comparisons.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/comparisons"))]
    comparisons: PathBuf,
    /// Append the figures to the history, whose latest are the table of BENCHMARKS.md.
    #[arg(long)]
    record: bool,
    /// The history of figures.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/history.csv"))]
    history: PathBuf,
    /// The folder in which large data are looked up, such as the game archive.
    #[arg(long)]
    data: Option<PathBuf>,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let mut files: Vec<PathBuf> = std::fs::read_dir(&arguments.comparisons)
        .with_context(|| format!("cannot list {}", arguments.comparisons.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?;
    files.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "toml")
    });
    files.sort();
    let wanted = |path: &PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        arguments
            .filter
            .as_ref()
            .is_none_or(|filter| name.contains(filter))
    };
    files.retain(wanted);
    if files.is_empty() {
        bail!("no comparison matches");
    }
    println!("{}\n", machine::describe());
    for file in files {
        let figures = comparison::run(&file, arguments.data.as_deref())
            .with_context(|| format!("in {}", file.display()))?;
        if arguments.record {
            history::append(&arguments.history, figures)?;
        }
    }
    Ok(())
}
