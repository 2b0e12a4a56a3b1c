//! A new project: folders, and experiments that start from tables of published values.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use kibitz_lab::config::load::load_entry;
use kibitz_lab::files::write_atomically;
use kibitz_lab::manifest::entry_name;
use kibitz_lab::printed_table::{PrintedTable, bad};
use kibitz_lab::session::bad_config;
use kibitz_lab::{Diagnostic, Diagnostics, FileError, SourceFile};
use kibitz_text::counted;

use crate::Answer;

/// What to start with.
#[derive(Clone, Debug)]
pub struct InitOptions {
    /// The folder of the project.
    pub root: PathBuf,
    /// CSV with the published values of a table.
    pub from_csv: Option<PathBuf>,
    /// Its id, `PAPER/TABLE`; `paper/` and the name of the file if none is given.
    pub table: Option<String>,
    /// The columns that name rows; the first one if none is given.
    pub by: Vec<String>,
    /// How a person starts the program.
    pub program: String,
}

const FOLDERS: [&str; 4] = ["experiments", "data", "results", "steps"];

const PAPERS: &str = "\
# The papers: citation, link, and the tables that are not attempted, with the reason.
# Fill them in before `report` and `export`.
";

/// The entry of tables that no paper has.
const BEYOND: &str = "
# Your own questions, with `source = { paper = \"beyond\", where = \"…\" }`.
[beyond]
title = \"Explorations\"
published = false
citation = \"Questions that no paper asks.\"
";

const CITATION: &str = "\
# Who wrote this replication: fill it in, exports take it from here.
cff-version: 1.2.0
message: Cite this replication as below.
title: A replication
authors:
  - family-names: Name
    given-names: Your
license: CC-BY-4.0
# date-released: 2026-01-31
";

/// Starts a project, or adds a table to one.
pub fn init(options: &InitOptions) -> Answer {
    try_init(options).unwrap_or_else(|answer| answer)
}

fn try_init(options: &InitOptions) -> Result<Answer, Answer> {
    let root = &options.root;
    let is_new = !root.join("experiments").is_dir();
    if !is_new && options.from_csv.is_none() {
        let problem = Diagnostic::new(format!("{} is a project already", root.display()));
        let note = "`--from-csv FILE` adds a table of published values";
        return Err(bad(&problem.with_note(note)).into());
    }
    // What is wrong with the file is said before anything is written.
    let table = options
        .from_csv
        .as_ref()
        .map(|csv| start_table(options, csv));
    let table = table.transpose()?;
    let mut written = Vec::new();
    for folder in FOLDERS {
        let path = root.join(folder);
        std::fs::create_dir_all(&path).map_err(|error| FileError::new("create", &path, error))?;
    }
    let mut papers = read(&root.join("experiments/papers.toml"))?.unwrap_or(PAPERS.to_owned());
    let has_entry = |papers: &str, paper: &str| {
        let header = format!("[{paper}]");
        papers.lines().any(|line| line.trim() == header)
    };
    if let Some(Start { paper, .. }) = &table
        && paper != "beyond"
        && !has_entry(&papers, paper)
    {
        let _ = write!(papers, "\n[{paper}]\ncitation = \"Author, Title, Year.\"\n");
    }
    // With any entry, others have to be there as well.
    if !has_entry(&papers, "beyond") {
        papers.push_str(BEYOND);
    }
    let mut files = vec![("experiments/papers.toml".to_owned(), papers)];
    for (name, text) in [("CITATION.cff", CITATION), (".gitignore", "target/\n")] {
        if read(&root.join(name))?.is_none() {
            files.push((name.to_owned(), text.to_owned()));
        }
    }
    files.extend(table.iter().flat_map(|table| table.files.clone()));
    for (name, text) in files {
        let path = root.join(&name);
        if read(&path)?.as_deref() != Some(text.as_str()) {
            write_atomically(&path, text.as_bytes())?;
            written.push(name);
        }
    }
    let mut out = String::new();
    for name in written {
        let _ = writeln!(out, "wrote {name}");
    }
    let program = &options.program;
    match &table {
        Some(table) => {
            let _ = writeln!(
                out,
                "{}; make {} compute them, then run `{program} reproduce`",
                counted(table.n_values, "published value", "published values"),
                table.step
            );
        }
        None => {
            let _ = writeln!(
                out,
                "add a table with `{program} init --from-csv FILE --table PAPER/TABLE` or `{program} new`"
            );
        }
    }
    let mut err = String::new();
    for warning in table.iter().flat_map(|table| &table.warnings) {
        let _ = writeln!(err, "warning: {warning}");
    }
    Ok(Answer {
        err,
        ..Answer::ok(out)
    })
}

fn read(path: &Path) -> Result<Option<String>, Answer> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(FileError::new("read", path, error).into()),
    }
}

/// A table to start with.
struct Start {
    paper: String,
    /// The script that computes it.
    step: String,
    files: Vec<(String, String)>,
    n_values: usize,
    /// Values that are entered as texts although they look like numbers.
    warnings: Vec<String>,
}

fn start_table(options: &InitOptions, csv: &Path) -> Result<Start, Answer> {
    let printed = PrintedTable::read(csv, &options.by)?;
    let stem = entry_name(&csv.file_name().unwrap_or_default().to_string_lossy());
    let id = options
        .table
        .clone()
        .unwrap_or_else(|| format!("paper/{stem}"));
    let is_name = |name: &str| !name.is_empty() && entry_name(name) == name;
    let Some((paper, name)) = id
        .split_once('/')
        .filter(|(paper, name)| is_name(paper) && is_name(name))
    else {
        let problem = Diagnostic::new(format!("`{id}` is not of the form PAPER/TABLE"));
        let note = "lower-case letters, digits and `-`; such as doe2001/table1";
        return Err(bad(&problem.with_note(note)).into());
    };
    let file = format!("experiments/{id}.toml");
    let step = format!("steps/{paper}-{name}.py");
    for new in [&file, &step] {
        if options.root.join(new).exists() {
            let problem = Diagnostic::new(format!("{new} exists already"));
            let note = "choose another name with --table PAPER/TABLE";
            return Err(bad(&problem.with_note(note)).into());
        }
    }
    let text = experiment_toml(&printed, (paper, name), &step);
    let mut problems = Diagnostics::new();
    let source = SourceFile::new(file.as_str(), text.as_str());
    load_entry(&id, &source, &kibitz_command::kinds(), None, &mut problems);
    if !problems.is_empty() {
        return Err(bad_config(&problems).into());
    }
    let files = vec![
        (file, text),
        (step.clone(), step_text(&printed, name, &step)),
    ];
    Ok(Start {
        paper: paper.to_owned(),
        step,
        files,
        n_values: printed.n_values(),
        warnings: printed.warnings,
    })
}

fn experiment_toml(printed: &PrintedTable, (paper, name): (&str, &str), step: &str) -> String {
    format!(
        "#:schema ../schema.json\n\
         kind = \"command\"\n\
         title = \"What the table shows\"\n\
         source = {{ paper = \"{paper}\", where = \"{name}\", reading = \"clear\" }}\n\
         run = {{ timeout = \"10m\" }}\n\n\
         [params]\n\
         # Runs in a temporary folder that holds `inputs`, by their paths, and nothing else.\n\
         argv = [\"python3\", \"{step}\"]\n\
         inputs = [\"{step}\"]\n\
         # Its output is part of the key: another version runs the step again.\n\
         version = [\"python3\", \"--version\"]\n\
         output = \"{name}.csv\"\n{}\n\
         # Without `tol` a value matches if it rounds to the published digits. A match is weak if the\n\
         # baseline would match as well: here, the values of other rows.\n{}\n{}",
        printed.step_columns_toml(),
        printed.judged_toml(printed.rows.len()),
        printed.published_toml()
    )
}

/// The script of a table, with all that it has to write but the values.
fn step_text(printed: &PrintedTable, name: &str, step: &str) -> String {
    let json = |text: &str| serde_json::Value::from(text).to_string();
    let rows: Vec<String> = printed.rows.iter().map(|(row, _)| json(row)).collect();
    let columns: Vec<String> = printed.columns.iter().map(|it| json(&it.name)).collect();
    format!(
        "\"\"\"Computes {name}: a line for each row, with the columns of the experiment.\"\"\"\n\
         import csv\n\n\
         ROWS = [{}]\n\
         COLUMNS = [{}]\n\n\n\
         def value(row, column):\n    \
             raise SystemExit(\"{step} computes nothing yet: write `value`\")\n\n\n\
         with open(\"{name}.csv\", \"w\", newline=\"\", encoding=\"utf-8\") as file:\n    \
             out = csv.writer(file)\n    \
             out.writerow([\"row\", *COLUMNS])\n    \
             for row in ROWS:\n        \
                 out.writerow([row, *(value(row, column) for column in COLUMNS)])\n",
        rows.join(", "),
        columns.join(", ")
    )
}
