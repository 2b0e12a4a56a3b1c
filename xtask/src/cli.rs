//! What the command line understands.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Rebuilds published tables on learning from games, and says cell by cell whether they agree.
#[derive(Debug, Parser)]
#[command(
    name = "cargo xtask",
    version,
    bin_name = "cargo xtask",
    disable_help_subcommand = true
)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Cli {
    /// Folder that holds experiments/, data/ and results/ [default: the nearest one above]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// Folder with external data files; may be given several times
    #[arg(long = "data", global = true, value_name = "DIR")]
    pub(crate) data_folders: Vec<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The promise of the exit codes, below every help text that matters.
const EXIT_CODES: &str = "\
Exit codes (worst wins: 2, 5, 3, 1):
  0    all selected is fresh, free of drift, and agrees or differs for a declared reason
  1    drift, an undeclared difference, or something --check guards is out of date
  2    bad arguments or configuration, nothing was run
  3    data missing or not matching its hash (only the cells that need it are skipped)
  4    the selection matched nothing
  5    a cell failed, panicked or timed out
  130  interrupted, finished cells are kept";

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run what is stale and compare it with print and with the recorded results
    #[command(after_help = EXIT_CODES)]
    Reproduce(Reproduce),
    /// List experiments: id, kind, cells, state, last time
    List(List),
    /// Show an experiment after all defaults, its keys, and what would run and why
    Explain(Explain),
    /// Write a commented skeleton of an experiment that already passes validation
    New(New),
    /// Write a dataset as a file for other programs, or show its columns and first records
    Dataset(Dataset),
    /// Write comparisons, tables, index and README anew from the recorded values
    Report,
    /// Write the JSON Schema of experiment files
    Schema(Schema),
    /// Make the embedded data files anew from the archive they were selected from
    #[command(subcommand)]
    Data(Data),
}

/// Which experiments; the same for every command. All given selectors must hold.
#[derive(Args, Debug)]
pub(crate) struct Selectors {
    /// Ids (`paper/table`), papers, or patterns with * and ?; any of them
    #[arg(value_name = "IDS")]
    pub(crate) ids: Vec<String>,
    /// Only ids in which this regular expression is found
    #[arg(long, value_name = "RE")]
    pub(crate) filter: Option<String>,
    /// Only ids in which this regular expression is not found
    #[arg(long, value_name = "RE")]
    pub(crate) not: Option<String>,
    /// Only experiments of this kind; may be given several times
    #[arg(long = "kind", value_name = "KIND")]
    pub(crate) kinds: Vec<String>,
    /// Only experiments with this tag, or with `!TAG` without it; may be given several times
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
}

/// `reproduce`.
#[derive(Args, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub(crate) struct Reproduce {
    #[command(flatten)]
    pub(crate) selectors: Selectors,
    /// Apply the file's quick section: prove that the path works; numbers are neither kept nor judged
    #[arg(long)]
    pub(crate) quick: bool,
    /// How many cells to run at once [default: all processors]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
    /// Write nothing, and fail when anything committed is not what it should be
    #[arg(long, conflicts_with = "bless")]
    pub(crate) check: bool,
    /// Record the values in results/
    #[arg(long)]
    pub(crate) bless: bool,
    /// With --bless: although files outside results/ have uncommitted changes
    #[arg(long, requires = "bless")]
    pub(crate) allow_dirty: bool,
    /// Run cells although they are fresh
    #[arg(long)]
    pub(crate) force: bool,
    /// Stop at the first cell that fails
    #[arg(long)]
    pub(crate) fail_fast: bool,
    /// Only say what would run
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How the answer is written
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: RunFormat,
}

/// How `reproduce` answers.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum RunFormat {
    /// For people
    Text,
    /// For tools
    Json,
}

/// `list`.
#[derive(Args, Debug)]
pub(crate) struct List {
    #[command(flatten)]
    pub(crate) selectors: Selectors,
    /// Only experiments a run would do something for
    #[arg(long)]
    pub(crate) stale: bool,
    /// How the answer is written
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: ListFormat,
}

/// How `list` answers.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ListFormat {
    /// For people
    Text,
    /// For spreadsheets
    Csv,
    /// For tools
    Json,
}

/// `explain`.
#[derive(Args, Debug)]
pub(crate) struct Explain {
    /// Id of the experiment
    pub(crate) id: String,
    /// Only this cell, with the keys of its replicates
    pub(crate) cell: Option<String>,
}

/// `new`.
#[derive(Args, Debug)]
pub(crate) struct New {
    /// Id of the experiment, PAPER/TABLE
    pub(crate) id: String,
    /// What runs it
    #[arg(long)]
    pub(crate) kind: String,
    /// The dataset or table it reads, for kinds that read one
    #[arg(long, value_name = "PAPER/DATASET")]
    pub(crate) from: Option<String>,
}

/// `dataset`.
#[derive(Args, Debug)]
pub(crate) struct Dataset {
    /// Id of the experiment that yields it
    pub(crate) id: String,
    /// Where to write it: CSV if the name ends in .csv, Parquet otherwise
    #[arg(long, value_name = "FILE", conflicts_with = "head")]
    pub(crate) out: Option<PathBuf>,
    /// How many of its first records to show
    #[arg(long, value_name = "N", num_args = 0..=1, default_value = "3", default_missing_value = "3")]
    pub(crate) head: usize,
    /// How many cells to run at once [default: all processors]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
}

/// `schema`.
#[derive(Args, Debug)]
pub(crate) struct Schema {
    /// Write nothing, and fail when the schema is out of date
    #[arg(long)]
    pub(crate) check: bool,
}

/// `data`.
#[derive(Debug, Subcommand)]
pub(crate) enum Data {
    /// Select the games from the archive and write the files and their manifest entries
    Rebuild {
        /// Data sets by name [default: all]
        #[arg(value_name = "NAMES")]
        names: Vec<String>,
        /// The archive of Debian's source package gnuchess-book 1.02, plain or zstd-compressed
        #[arg(long, value_name = "PATH")]
        archive: PathBuf,
        /// Write nothing, and fail when a file or its entry differs
        #[arg(long)]
        check: bool,
    },
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }
}
