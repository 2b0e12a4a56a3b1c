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
mod ilp_tasks;
mod machine;
mod process;
mod theory_text;
mod workloads;

use std::{path::PathBuf, time::Duration};

use anyhow::{Context, bail};
use clap::Parser;

/// Runs the declared comparisons and prints one Markdown table each.
#[derive(Debug, Parser)]
struct Arguments {
    /// Only comparisons whose name contains this; `ilp-tasks` learns every task in the folders under
    /// `--data` with every system in `benchmarks/systems/` and prints one table.
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
    /// The folder in which large data are looked up, such as the game archive, or the folder of the tasks.
    #[arg(long)]
    data: Option<PathBuf>,
    /// With `ilp-tasks`: only systems whose name contains one of these.
    #[arg(long, value_delimiter = ',')]
    systems: Vec<String>,
    /// With `ilp-tasks`: a system is ended after this many seconds.
    #[arg(long, default_value_t = 60)]
    time_limit: u64,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    if arguments.filter.as_deref() == Some("ilp-tasks") {
        let data = arguments.data.as_deref();
        let data =
            data.context("ilp-tasks needs --data DIR, a folder with a folder for each task")?;
        println!("{}\n", machine::describe());
        let limit = Duration::from_secs(arguments.time_limit);
        return ilp_tasks::run(data, &arguments.systems, limit);
    }
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
