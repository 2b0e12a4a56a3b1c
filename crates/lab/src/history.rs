//! When tolerances were set: before our first value of a column was recorded, with it, or later.
//!
//! The repository's history knows it. What it says is kept in `results/tolerances.csv`, so that a copy
//! without history knows it, too.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::Serialize;

use crate::config::catalog::Catalog;
use crate::config::entry::Entry;
use crate::csv::{from_csv, to_csv};
use crate::provenance::{git, git_output};
use crate::results::read_table;
use crate::tolerance::Tolerance;

/// From the root.
pub const PATH: &str = "results/tolerances.csv";

/// Its columns.
const COLUMNS: [&str; 4] = ["table", "column", "tolerance", "set"];

/// When a tolerance was set: before, with or after the first value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CommitOrder {
    /// In an earlier commit than the first value.
    Before,
    /// In the same commit, so that nobody can tell which came first.
    With,
    /// In a later commit.
    After,
}

impl CommitOrder {
    const ALL: [Self; 3] = [Self::Before, Self::With, Self::After];

    /// Its word in the file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::With => "with",
            Self::After => "after",
        }
    }

    /// What a table's page says of it.
    pub fn told(self) -> &'static str {
        match self {
            Self::Before => "set before our first value",
            Self::With => "set in the commit of our first value",
            Self::After => "changed after our first value",
        }
    }

    fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.word() == word)
    }
}

/// When the tolerances of compared columns were set, by table and column.
#[derive(Clone, Debug, Default)]
pub struct Tolerances(BTreeMap<(String, String), (String, CommitOrder)>);

/// How many columns of a table have a tolerance that was set when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SetCounts {
    /// Before there was a value.
    pub before: usize,
    pub(crate) with: usize,
    /// After a value was recorded.
    pub after: usize,
}

impl SetCounts {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Tolerances {
    /// What is recorded; nothing if there is no such file, or a damaged one.
    pub fn recorded(root: &Path) -> Self {
        let bytes = std::fs::read(root.join(PATH)).unwrap_or_default();
        let lines = from_csv(PATH, &bytes, &COLUMNS).unwrap_or_default();
        let entry = |line: Vec<Option<String>>| {
            let field = |idx: usize| line[idx].clone().unwrap_or_default();
            let set = CommitOrder::of_word(&field(3))?;
            Some(((field(0), field(1)), (field(2), set)))
        };
        Self(lines.into_iter().filter_map(entry).collect())
    }

    /// What the history says; `None` without a whole history of this workspace.
    pub fn of_history(root: &Path, catalog: &Catalog) -> Option<Self> {
        git(root).revision?;
        let shallow = git_output(root, &["rev-parse", "--is-shallow-repository"])?;
        if shallow.trim() != "false" {
            return None;
        }
        let history = History::read(root)?;
        let mut found = BTreeMap::new();
        for entry in catalog.entries.iter().filter(|entry| !entry.is_dataset()) {
            let columns = compared(entry);
            if columns.is_empty() {
                continue;
            }
            let id = entry.id();
            let tolerances = history.versions(&format!("experiments/{id}.toml"))?;
            let tables = history.versions(&format!("results/{id}/table.csv"))?;
            for (column, tolerance) in columns {
                let first = tables.iter().rev().find(|(_, text)| {
                    let table = read_table(text.as_bytes()).ok();
                    table.is_some_and(|table| table.iter().any(|(_, name, _)| name == column))
                });
                // Not recorded in any commit yet.
                let Some((recorded, _)) = first else { continue };
                let now = definition(entry.experiment.source.text(), column);
                let is_same = |(_, text): &&(usize, String)| definition(text, column) == now;
                let oldest = tolerances.iter().take_while(is_same).last();
                // A change that is not committed yet is younger than all commits.
                let set = match oldest.map(|(position, _)| position.cmp(recorded)) {
                    Some(std::cmp::Ordering::Greater) => CommitOrder::Before,
                    Some(std::cmp::Ordering::Equal) => CommitOrder::With,
                    _ => CommitOrder::After,
                };
                let place = (id.to_owned(), column.to_owned());
                found.insert(place, (tolerance.to_string(), set));
            }
        }
        Some(Self(found))
    }

    /// When the tolerance of a column was set, if that is known of the present one.
    pub fn of(&self, id: &str, column: &str, tolerance: Tolerance) -> Option<CommitOrder> {
        let (known, set) = self.0.get(&(id.to_owned(), column.to_owned()))?;
        (*known == tolerance.to_string()).then_some(*set)
    }

    /// How many columns of a table have which.
    pub fn counts(&self, entry: &Entry) -> SetCounts {
        let mut counts = SetCounts::default();
        for (column, tolerance) in compared(entry) {
            match self.of(entry.id(), column, tolerance) {
                Some(CommitOrder::Before) => counts.before += 1,
                Some(CommitOrder::With) => counts.with += 1,
                Some(CommitOrder::After) => counts.after += 1,
                None => {}
            }
        }
        counts
    }

    /// The file.
    pub fn to_csv(&self) -> Vec<u8> {
        let lines = self.0.iter().map(|((table, column), (tolerance, set))| {
            [table, column, tolerance, set.word()].map(|text| Some(text.to_owned()))
        });
        to_csv(COLUMNS, lines)
    }
}

/// The columns of a table whose published values are compared.
fn compared(entry: &Entry) -> Vec<(&str, Tolerance)> {
    let is_published = |name: &str| {
        let mut values = entry
            .experiment
            .published
            .iter()
            .flat_map(|row| &row.values);
        values.any(|value| value.column == name)
    };
    let columns = entry
        .columns
        .iter()
        .filter(|column| column.tolerance != Tolerance::Info && is_published(&column.name));
    columns
        .map(|column| (column.name.as_str(), column.tolerance))
        .collect()
}

/// What decides how wide the tolerance of a column is, in a version of its file; `None` if that cannot be
/// read.
fn definition(text: &str, column: &str) -> Option<[Option<toml::Value>; 2]> {
    let file: toml::Table = toml::from_str(text).ok()?;
    let spec = file.get("columns")?.as_table()?.get(column)?;
    let error = spec
        .get("published-error")
        .or_else(|| spec.get("print-error"));
    Some([spec.get("tol").cloned(), error.cloned()])
}

/// The commits that changed experiments and recorded values.
struct History<'r> {
    root: &'r Path,
    /// By path, the commits that changed it, youngest first, with their position among all.
    commits: BTreeMap<String, Vec<(usize, String)>>,
}

impl<'r> History<'r> {
    fn read(root: &'r Path) -> Option<Self> {
        let log = git_output(
            root,
            &[
                "log",
                "--topo-order",
                "--no-renames",
                "--diff-filter=AM",
                "--format=commit %H",
                "--name-only",
                "--",
                "experiments",
                "results",
            ],
        )?;
        let mut commits: BTreeMap<String, Vec<(usize, String)>> = BTreeMap::new();
        let (mut position, mut commit) = (0, "");
        for line in log.lines().filter(|line| !line.is_empty()) {
            if let Some(hash) = line.strip_prefix("commit ") {
                (position, commit) = (position + 1, hash);
            } else {
                let own = commits.entry(line.to_owned()).or_default();
                own.push((position, commit.to_owned()));
            }
        }
        Some(Self { root, commits })
    }

    /// The texts of a file, youngest first, each with the position of its commit.
    fn versions(&self, path: &str) -> Option<Vec<(usize, String)>> {
        let commits = self.commits.get(path).map_or(&[][..], Vec::as_slice);
        if commits.is_empty() {
            return Some(Vec::new());
        }
        let mut git = Command::new("git")
            .arg("-C")
            .arg(self.root)
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let names = commits.iter().fold(String::new(), |names, (_, commit)| {
            names + commit + ":" + path + "\n"
        });
        let mut stdin = git.stdin.take()?;
        let writer = std::thread::spawn(move || stdin.write_all(names.as_bytes()));
        let output = git.wait_with_output().ok()?;
        writer.join().ok()?.ok()?;
        let mut rest = output.stdout.as_slice();
        let mut versions = Vec::new();
        for (position, _) in commits {
            let end = rest.iter().position(|byte| *byte == b'\n')?;
            let head = std::str::from_utf8(&rest[..end]).ok()?;
            rest = &rest[end + 1..];
            let Some(size) = head
                .rsplit(' ')
                .next()
                .and_then(|size| size.parse::<usize>().ok())
            else {
                continue;
            };
            let text = String::from_utf8_lossy(rest.get(..size)?).into_owned();
            rest = rest.get(size + 1..)?;
            versions.push((*position, text));
        }
        Some(versions)
    }
}
