//! Everything that is recorded in a workspace, as plain data for programs that show it: papers,
//! tables with every cell, datasets, data files, and the code of the kinds.
//!
//! Numbers are there twice where both matter: as they are written in `compare.csv`, and for drawing.

use std::collections::BTreeMap;

use crate::manifest::DataEntry;
use crate::outcome::{Counts, Outcome};
use crate::selection::Selection;
use kibitz_text::{Diagnostics, Exit};

/// Whose values are gathered.
#[derive(Clone, Copy, Debug)]
pub enum Values<'a> {
    /// The recorded ones, of `results/`.
    Recorded,
    /// Those of the last plain run for the tables of a selection, and the recorded ones for others.
    LastRun(&'a Selection),
}

/// Everything recorded in a workspace.
#[derive(Clone, Debug, Default)]
pub struct WorkspaceRecord {
    /// How a person starts the program, such as `cargo xtask`.
    pub program: String,
    /// `experiments/article.md`, what is said of all papers, its numbers brought up to date.
    pub article: Option<String>,
    /// `docs/outcomes.md`, the rule behind the outcomes.
    pub rule: Option<String>,
    /// In the order of `experiments/papers.toml`.
    pub papers: Vec<Paper>,
    /// The tables that have results, sorted by id.
    pub tables: Vec<RecordedTable>,
    /// The datasets, sorted by id.
    pub datasets: Vec<Dataset>,
    /// The kinds that compute any of these, sorted by name.
    pub kinds: Vec<KindCode>,
    /// The data files that any of these read, by name.
    pub data: BTreeMap<String, DataEntry>,
    /// Ids of tables and datasets that are not among these, each with the reason: their files are
    /// unfinished, or what was recorded of them is damaged or missing.
    pub left_out: Vec<(String, String)>,
    /// What is wrong with the files of the workspace.
    pub problems: Diagnostics,
    /// What a reader of the values has to know: numbers of articles that were brought up to date, and
    /// data files that changed.
    pub warnings: Diagnostics,
    /// The exit code that follows from the problems, if there are any.
    pub exit: Option<Exit>,
}

/// A paper whose tables are rebuilt, or a collection of explorations.
#[derive(Clone, Debug, Default)]
pub struct Paper {
    /// Its folder in `experiments/`.
    pub id: String,
    /// Its own title.
    pub title: String,
    /// Authors and year.
    pub short: String,
    /// The whole reference.
    pub citation: String,
    /// Where it can be found.
    pub link: Option<String>,
    /// Whether its tables are printed somewhere.
    pub is_published: bool,
    /// In one sentence, why cells differ.
    pub differences: Option<String>,
    /// Errors found in the paper.
    pub errata: Vec<String>,
    /// Every table it prints, in its order.
    pub printed_tables: Vec<PrintedTable>,
    /// Whatever else of it is not attempted: where it stands, and why.
    pub not_attempted: Vec<(String, String)>,
    /// `experiments/<paper>/article.md`, its numbers brought up to date.
    pub article: Option<String>,
    /// The topics of its tables, each with their ids; a table without a topic is in none.
    pub topics: Vec<(String, Vec<String>)>,
}

/// A table or figure that a paper prints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrintedTable {
    /// Its published name, such as `Table 2`.
    pub place: String,
    /// Ids of the tables that rebuild it.
    pub tables: Vec<String>,
    /// What it holds, or why it is not attempted.
    pub note: Option<String>,
}

/// A table with its recorded values, and how it was made.
#[derive(Clone, Debug, Default)]
pub struct RecordedTable {
    /// `paper/name`.
    pub id: String,
    /// Whether the values are those of the last run, and other inputs decided them than the recorded
    /// ones.
    pub is_of_last_run: bool,
    /// What is wrong with its record or its data, in sentences.
    pub notices: Vec<String>,
    /// One line.
    pub title: String,
    /// Its finding, in one sentence.
    pub finding: Option<String>,
    /// Whether it supports an interpretation, and is listed under "How we know".
    pub is_evidence: bool,
    /// Its kind.
    pub kind: String,
    /// Where its paper prints it, or what asks for it.
    pub place: String,
    /// Whether print was read by optical character recognition.
    pub is_scanned: bool,
    /// Obstacles and choices: paragraphs with code between backticks.
    pub notes: Option<String>,
    /// The shown columns, in table order.
    pub columns: Vec<RecordedColumn>,
    /// The cells, row by row.
    pub cells: Vec<RecordedCell>,
    /// How many cells got each outcome.
    pub outcomes: Counts,
    /// All judged cells together.
    pub joint: Joint,
    /// Declared differences.
    pub deviations: Vec<RecordedDeviation>,
    /// What was chosen by looking at print: patterns of cells, what, on what.
    pub fitted: Vec<(Vec<String>, String, String)>,
    /// Whether printed numbers agree with each other: whether each check holds, in words.
    pub self_checks: Vec<(bool, String)>,
    /// Its plot as SVG, black on white, if the experiment asks for one.
    pub plot: Option<String>,
    /// What it was made from.
    pub origin: Origin,
}

/// What a table or dataset is made from.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The text of its file.
    pub toml: String,
    /// The queries in it, each with the name of its parameter.
    pub queries: Vec<(String, String)>,
    /// Key of everything that decides its values; of datasets it is empty.
    pub inputs_key: String,
    /// Version of the compiler, of tables.
    pub toolchain: Option<String>,
    /// Seed of its random numbers, if it draws any.
    pub seed: Option<u64>,
    /// How often each cell was run.
    pub replicates: u32,
    /// How figures were resampled.
    pub resample: Option<String>,
    /// Names of the data files it reads.
    pub data: Vec<String>,
    /// Ids of the experiments it reads.
    pub from: Vec<String>,
    /// Hashes of the crates that decide its values.
    pub code: BTreeMap<String, String>,
    /// Seconds that its cells took when they were last run here, as far as that is known.
    pub seconds: Option<f64>,
}

/// A shown column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedColumn {
    /// Its name.
    pub name: String,
    /// Its unit; may be empty.
    pub unit: String,
    /// What the values are.
    pub doc: String,
    /// How far from the published value is close enough.
    pub tolerance: String,
    /// When the tolerance was set, in words, if that is known.
    pub tolerance_set: Option<&'static str>,
    /// The baselines.
    pub baselines: Vec<String>,
    /// Why it is not judged.
    pub why: Option<String>,
    /// What the values follow from or repeat.
    pub follows: Option<String>,
}

/// A cell beside its published value.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedCell {
    /// Its row.
    pub row: String,
    /// Its column.
    pub column: String,
    /// What is printed, digit by digit.
    pub printed: Option<String>,
    /// The number that is printed.
    pub printed_number: Option<f64>,
    /// Ours as in `compare.csv`.
    pub ours: Option<String>,
    /// Ours with the published digits, or those that its spread supports.
    pub ours_shown: String,
    /// Ours as a number.
    pub number: Option<f64>,
    /// Standard deviation over replicates.
    pub std_dev: Option<f64>,
    /// Ours own standard error.
    pub std_error: Option<f64>,
    /// The spread, with two significant digits.
    pub spread_shown: String,
    /// Number of replicates.
    pub replicates_n: u32,
    /// Sample size, over all replicates.
    pub samples: Option<u64>,
    /// The replicates, where they are recorded.
    pub replicates: Vec<f64>,
    /// Ours minus print as in `compare.csv`.
    pub difference: Option<String>,
    /// Ours minus print in errors of both.
    pub errors: Option<f64>,
    /// How far from the published value is close enough.
    pub tolerance: String,
    /// The lowest and the highest value that would have been accepted, where it is one interval.
    pub accepted: Option<[f64; 2]>,
    /// Our own interval, where the published value is judged by one.
    pub interval: Option<[f64; 2]>,
    /// What baselines give: in words, and the value where there is one.
    pub baselines: Vec<(String, Option<String>)>,
    /// How the reproduced value compares with the published one.
    pub outcome: Outcome,
    /// The baseline that was not beaten, or those that were.
    pub baseline: String,
    /// Why.
    pub reason: String,
    /// Which deviation explains it, from 0.
    pub deviation: Option<usize>,
}

/// All judged cells of a table together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Joint {
    /// Of cells that are judged by errors.
    pub errors: Option<JointFinding>,
    /// Of the others, against shuffles of our rows.
    pub rows: Option<JointFinding>,
}

/// How many cells lie where, and how many are expected there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointFinding {
    /// Cells.
    pub n_cells: usize,
    /// Of errors, those outside of the tolerance; of rows, those within.
    pub n_found: usize,
    /// As many are expected by chance.
    pub expected: f64,
    /// Probability of what was found or rarer, by chance.
    pub p: f64,
}

/// A declared difference.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedDeviation {
    /// Patterns of the cells.
    pub cells: Vec<String>,
    /// The largest difference that it explains.
    pub up_to: Option<String>,
    /// Why ours differs.
    pub reason: String,
    /// The figure that shows it.
    pub tested: Option<String>,
    /// What that figure is if the reason holds.
    pub predicts: Option<String>,
    /// What would decide whether the reason holds.
    pub decided_by: Option<String>,
}

/// Records that tables read.
#[derive(Clone, Debug, Default)]
pub struct Dataset {
    /// `paper/name`.
    pub id: String,
    /// One line.
    pub title: String,
    /// Its kind.
    pub kind: String,
    /// Where its paper speaks of it.
    pub place: String,
    /// Obstacles and choices.
    pub notes: Option<String>,
    /// Name, type, unit and meaning of each column.
    pub fields: Vec<[String; 4]>,
    /// What it is made from.
    pub origin: Origin,
}

/// Where the code of a kind stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KindCode {
    /// The kind.
    pub name: String,
    /// The file, from the root, `/` between folders; none if it is not in the workspace.
    pub file: Option<String>,
    /// The line where it begins, from 1.
    pub line: usize,
    /// The text of the file.
    pub text: String,
}

impl RecordedTable {
    /// `paper` of `paper/name`.
    pub fn paper(&self) -> &str {
        self.id.split('/').next().unwrap_or_default()
    }

    /// `name` of `paper/name`.
    pub fn name(&self) -> &str {
        self.id.split_once('/').map_or(&self.id, |(_, name)| name)
    }

    /// The rows, in table order.
    pub fn rows(&self) -> Vec<&str> {
        let mut rows: Vec<&str> = Vec::new();
        for cell in &self.cells {
            if rows.last() != Some(&cell.row.as_str()) {
                rows.push(&cell.row);
            }
        }
        rows
    }

    /// The cell in a row and column.
    pub fn cell(&self, row: &str, column: &str) -> Option<&RecordedCell> {
        let mut cells = self.cells.iter();
        cells.find(|cell| cell.row == row && cell.column == column)
    }
}

impl WorkspaceRecord {
    /// The table of this id.
    pub fn table(&self, id: &str) -> Option<&RecordedTable> {
        let at = self
            .tables
            .binary_search_by(|table| table.id.as_str().cmp(id));
        at.ok().map(|at| &self.tables[at])
    }
}
