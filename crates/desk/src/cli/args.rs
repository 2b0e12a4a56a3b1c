//! The arguments of the command line.

#![allow(missing_docs, reason = "the help texts say what there is to say")]

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand, ValueEnum};
use kibitz_text::Exit;

/// The heading of the options that all commands have.
const PROJECT: &str = "Project";

/// Where the experiments are.
#[derive(Args, Debug)]
pub struct Workspace {
    /// Folder that holds experiments/, data/ and results/ [default: the nearest one above]
    #[arg(long, global = true, help_heading = PROJECT, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// Folder with external data files; may be given several times
    #[arg(long = "data", global = true, help_heading = PROJECT, value_name = "DIR")]
    pub data_folders: Vec<PathBuf>,
    /// Folder of finished cells, which several machines may share [default: target/kibitz/cache]
    #[arg(long, global = true, help_heading = PROJECT, value_name = "DIR")]
    pub cache: Option<PathBuf>,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Rebuild tables, and compare the values with the published and with the recorded ones
    ///
    /// Without names, every table of the published papers.
    #[command(after_help = Exit::help())]
    Reproduce(Reproduce),
    /// List experiments: id, kind, cells, state, CPU time of the last run
    List(List),
    /// List the runs of cells: key, state, CPU time, memory, and what each waits for
    Cells(Cells),
    /// Run cells by their keys, as one worker of several
    #[command(after_help = Exit::help())]
    Cell(CellArguments),
    /// Run what is stale on an engine: any file in engines/
    #[command(after_help = Exit::help())]
    Submit(Submit),
    /// Put this program into a folder with all it needs, for workers without Cargo
    Build(Build),
    /// Show an experiment with all defaults filled in, its keys, and what would run and why
    Explain(Explain),
    /// Write a commented skeleton of an experiment that already passes validation
    New(New),
    /// Write a dataset as a file for other programs, or show its columns and first records
    Dataset(Dataset),
    /// Regenerate comparisons, tables, the index and the numbers in documents from the recorded values
    #[command(after_help = Exit::help())]
    Refresh(Refresh),
    /// Write the JSON Schema of experiment files
    Schema(Schema),
    /// Draw which experiment reads which dataset and which data
    Graph(Graph),
    /// Write results for archives, or for those who check them
    #[command(after_help = Exit::help())]
    Export(ExportArguments),
    /// List the kinds of experiments, or show one: parameters, columns, data, an example
    Kinds {
        /// Name of a kind
        kind: Option<String>,
    },
}

/// Which experiments; the same for every command. All given selectors must hold.
#[derive(Args, Debug)]
pub struct Selectors {
    /// Ids (`paper/table`), papers, or patterns with * and ?; any of them
    #[arg(value_name = "IDS")]
    pub ids: Vec<String>,
    /// Only ids in which this regular expression is found
    #[arg(long, value_name = "RE")]
    pub filter: Option<String>,
    /// Only ids in which this regular expression is not found
    #[arg(long, value_name = "RE")]
    pub not: Option<String>,
    /// Only experiments of this kind; may be given several times
    #[arg(long = "kind", value_name = "KIND")]
    pub kinds: Vec<String>,
    /// Only experiments with this tag, or with `!TAG` without it; may be given several times
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
}

/// `reproduce`.
#[derive(Args, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub struct Reproduce {
    #[command(flatten)]
    pub selectors: Selectors,
    /// Rebuild everything, including the explorations
    #[arg(long, conflicts_with_all = ["ids", "filter", "not", "kinds", "tags"])]
    pub all: bool,
    /// Apply the file's quick section: prove that the path works; numbers are neither kept nor judged
    #[arg(long)]
    pub quick: bool,
    /// How many cells to run at once, up to 512 [default: all processors]
    #[arg(long, short, value_name = "N", value_parser = from_to(1, MOST_JOBS))]
    pub jobs: Option<u16>,
    /// Write nothing, and fail when anything committed is not what it should be
    #[arg(long, conflicts_with = "bless")]
    pub check: bool,
    /// Record the values in results/
    #[arg(long)]
    pub bless: bool,
    /// With --bless: proceed even if files outside results/ have uncommitted changes
    #[arg(long, requires = "bless")]
    pub allow_dirty: bool,
    /// With --bless: why outcomes change, for results/verdicts.csv; asked for where outcomes, published
    /// values, tolerances or parameters change
    #[arg(long, requires = "bless", value_name = "TEXT")]
    pub why: Option<String>,
    /// Run cells although they are fresh
    #[arg(long)]
    pub force: bool,
    /// Run again what a saved file makes stale, until Ctrl-C
    #[arg(long, conflicts_with_all = ["check", "bless", "force", "dry_run"])]
    pub watch: bool,
    /// Stop at the first cell that fails
    #[arg(long)]
    pub fail_fast: bool,
    /// Only say what would run
    #[arg(long)]
    pub dry_run: bool,
    /// How the answer is written
    #[arg(long, value_enum, default_value = "text")]
    pub format: RunFormat,
}

/// How `reproduce` answers.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum RunFormat {
    /// For people
    Text,
    /// For tools
    Json,
}

/// `list`.
#[derive(Args, Debug)]
pub struct List {
    #[command(flatten)]
    pub selectors: Selectors,
    /// Only experiments that are neither fresh nor recorded
    #[arg(long)]
    pub stale: bool,
    /// How the answer is written
    #[arg(long, value_enum, default_value = "text")]
    pub format: ListFormat,
}

/// `cells`.
#[derive(Args, Debug)]
pub struct Cells {
    #[command(flatten)]
    pub selectors: Selectors,
    /// Only runs that are not in the cache
    #[arg(long)]
    pub stale: bool,
    /// How the answer is written
    #[arg(long, value_enum, default_value = "text")]
    pub format: RunFormat,
}

/// `cell`.
#[derive(Args, Debug)]
pub struct CellArguments {
    /// Keys of runs, as `cells` lists them; what one of them reads must be in the cache or among them
    #[arg(required = true, value_name = "KEY")]
    pub keys: Vec<String>,
    /// How many cells to run at once, up to 512
    #[arg(long, short, value_name = "N", default_value = "1", value_parser = from_to(1, MOST_JOBS))]
    pub jobs: u16,
}

/// `submit`.
#[derive(Args, Debug)]
pub struct Submit {
    #[command(flatten)]
    pub selectors: Selectors,
    /// The engine: the name of a file in engines/, without its ending
    #[arg(long, value_name = "NAME")]
    pub engine: String,
    /// How many jobs to run at once
    #[arg(long, value_name = "N", value_parser = from_to(1, u16::MAX))]
    pub workers: u16,
    /// Seconds that a job should take at least, by what its cells took when they last ran
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = from_to(1, u32::MAX))]
    pub batch: u32,
    /// Only write the list of jobs, and say how the engine would be started
    #[arg(long)]
    pub dry_run: bool,
}

/// `build`.
#[derive(Args, Debug)]
pub struct Build {
    /// The folder; what it holds of an earlier build is replaced
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// How `list` answers.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ListFormat {
    /// For people
    Text,
    /// For spreadsheets
    Csv,
    /// For tools
    Json,
}

/// `explain`.
#[derive(Args, Debug)]
pub struct Explain {
    /// Id of the experiment
    pub id: String,
    /// Only this cell, with the keys of its replicates
    pub cell: Option<String>,
}

/// `new`.
#[derive(Args, Debug)]
pub struct New {
    /// Id of the experiment, PAPER/TABLE
    pub id: String,
    /// What runs it; `kinds` lists them
    #[arg(long)]
    pub kind: String,
    /// The dataset or table it reads, for kinds that read one
    #[arg(long, value_name = "PAPER/DATASET")]
    pub from: Option<String>,
    /// Entry of data/manifest.toml, or the path of its file, in place of the example's data
    #[arg(long = "use", value_name = "ENTRY")]
    pub data: Option<String>,
    /// Another value for a key of the example; if the key occurs several times, repeat the option once
    /// per place
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    pub set: Vec<(String, String)>,
}

/// The most cells at once.
const MOST_JOBS: u16 = 512;

/// Reads an integer of a range.
fn from_to<N>(least: N, most: N) -> impl Fn(&str) -> Result<N, String> + Clone
where
    N: Copy + Display + FromStr + PartialOrd,
{
    move |text| {
        let number = text.parse().ok();
        let number = number.filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| format!("expected an integer from {least} to {most}"))
    }
}

fn key_value(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE")?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

/// `dataset`.
#[derive(Args, Debug)]
pub struct Dataset {
    /// Id of the experiment that yields it
    pub id: String,
    /// Where to write it: a file that ends in .parquet or .csv, otherwise a folder with its parts
    #[arg(long, value_name = "PATH", conflicts_with = "head")]
    pub out: Option<PathBuf>,
    /// How many of its first records to show
    #[arg(long, value_name = "N", num_args = 0..=1, default_value = "3", default_missing_value = "3")]
    pub head: usize,
    /// How many cells to run at once, up to 512 [default: all processors]
    #[arg(long, short, value_name = "N", value_parser = from_to(1, MOST_JOBS))]
    pub jobs: Option<u16>,
}

/// `refresh`.
#[derive(Args, Debug)]
pub struct Refresh {
    /// Write nothing, and fail when a file, line or number is out of date or has no source
    #[arg(long)]
    pub check: bool,
    /// Also write numbers that change by more than one unit of their last digit
    #[arg(long, conflicts_with = "check")]
    pub accept: bool,
    /// Why outcomes change, for results/verdicts.csv; asked for where outcomes, published values or
    /// tolerances change
    #[arg(long, conflicts_with = "check", value_name = "TEXT")]
    pub why: Option<String>,
}

/// `schema`.
#[derive(Args, Debug)]
pub struct Schema {
    /// Write nothing, and fail when the schema is out of date
    #[arg(long)]
    pub check: bool,
}

/// `graph`.
#[derive(Args, Debug)]
pub struct Graph {
    #[command(flatten)]
    pub selectors: Selectors,
    /// How it is written
    #[arg(long, value_enum, default_value = "svg")]
    pub format: GraphForm,
}

/// How `graph` answers.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum GraphForm {
    /// A picture
    Svg,
    /// A flowchart for documents
    Mermaid,
    /// For programs
    Json,
}

/// `export`.
#[derive(Args, Debug)]
pub struct ExportArguments {
    /// What is written
    #[arg(value_enum)]
    pub what: ExportForm,
    /// The folder
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// What `export` writes.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ExportForm {
    /// An RO-Crate 1.1: results, experiments, data and code, described in JSON-LD
    RoCrate,
    /// The manifest of a CODECHECK: all tables
    Codecheck,
    /// The beginnings of an article in Markdown, with the recorded values
    Article,
}

/// `data add`.
#[derive(Args, Debug)]
pub struct AddData {
    /// The file, or a folder of Parquet or CSV files; copied below data/ unless it is there already
    pub file: PathBuf,
    /// On what terms it may be used; required for a new entry
    #[arg(long)]
    pub license: Option<String>,
    /// Where it comes from and how anyone can get it; required for a new entry
    #[arg(long)]
    pub origin: Option<String>,
    /// Name of its entry [default: the file's name]
    #[arg(long)]
    pub name: Option<String>,
    /// Leave it where it is; runs find it by --data DIR
    #[arg(long)]
    pub external: bool,
}
