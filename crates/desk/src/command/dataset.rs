//! `dataset`: a dataset as a file for other programs, or a look at it.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::Answer;
use crate::Desk;
use crate::options::ReproduceOptions;
use crate::run_outcome::{Findings, RunOutcome};
use kibitz_experiment::{Field, Records, Stopwatch, suggestion};
use kibitz_lab::Selection;
use kibitz_lab::cache::CachedCell;
use kibitz_lab::config::entry::Entry;
use kibitz_lab::figure::Others;
use kibitz_lab::files::{FileError, persist};
use kibitz_lab::observe::Observer;
use kibitz_lab::plan::{View, plan_all};
use kibitz_lab::run_tables::{run_tables, tasks_of};
use kibitz_lab::session::Session;
use kibitz_tables::{ParquetWriter, Table, TableError, csv_line, csv_records, text_of};
use kibitz_text::Exit;
use kibitz_text::{Diagnostic, counted};
use tempfile::NamedTempFile;

/// The options of `dataset`.
#[derive(Clone, Debug)]
pub struct DatasetOptions {
    /// Id of an experiment that yields a dataset.
    pub id: String,
    /// Where to write it: as one file if the name ends in `.csv` or `.parquet`, otherwise as a folder
    /// with its parts.
    pub out: Option<PathBuf>,
    /// How many of its first records to show.
    pub head: usize,
    /// How many cells at once, and the size of the thread pool.
    pub jobs: usize,
}

impl Desk {
    /// Makes a dataset unless it is in the cache, and writes or shows it.
    pub fn dataset(
        &self,
        options: &DatasetOptions,
        observer: &dyn Observer,
        interrupted: &AtomicBool,
    ) -> Answer {
        self.try_dataset(options, observer, interrupted)
            .unwrap_or_else(|answer| answer)
    }

    fn try_dataset(
        &self,
        options: &DatasetOptions,
        observer: &dyn Observer,
        interrupted: &AtomicBool,
    ) -> Result<Answer, Answer> {
        let watch = Stopwatch::start();
        let session = Session::open(&self.lab)?;
        let selection = Selection {
            ids: vec![options.id.clone()],
            ..Selection::default()
        };
        let selected = selection.apply(&session.catalog, &self.lab)?;
        let ([entry], []) = (selected.entries.as_slice(), selected.broken.as_slice()) else {
            return Err(refused(format!(
                "`{}` names several experiments",
                options.id
            )));
        };
        if !entry.is_dataset() {
            let datasets = session
                .catalog
                .entries
                .iter()
                .filter(|entry| entry.is_dataset());
            let message = format!("{} is a table and yields no dataset", entry.id());
            let label = suggestion(entry.id(), datasets.map(Entry::id));
            let problem = Diagnostic::new(message).with_label(label);
            return Err(Answer::failed(Exit::BadInput, format!("{problem}\n")));
        }
        session.refuse_if_outdated(&selected.entries)?;
        let (entry, store) = (*entry, session.store());
        let view = View::default();
        let run_options = ReproduceOptions {
            selection,
            jobs: options.jobs,
            ..ReproduceOptions::default()
        };
        let mut troubles = Vec::new();
        let planned = plan_all(&session, vec![entry], &store, view, &mut troubles)?;
        let tasks = tasks_of(&session, &planned, false, &|_| true);
        let finished = run_tables(
            &session,
            &planned,
            &tasks,
            run_options.run(),
            observer,
            interrupted,
            Others::new(),
        );
        let outcome = RunOutcome {
            desk: self,
            session: &session,
            options: &run_options,
            tables: &finished,
            troubles: &troubles,
            interrupted: interrupted.load(Ordering::Relaxed),
            findings: Findings::default(),
            selected: &selected,
            seconds: watch.seconds(),
        };
        let cells = entry.full.cells.iter();
        let keys: Vec<String> = cells
            .flat_map(|cell| session.keys(entry, false, cell))
            .collect();
        let cached: Vec<CachedCell> = keys
            .iter()
            .filter_map(|key| session.cache.get(key))
            .collect();
        // A dataset with missing parts would look like a smaller one: show what failed instead.
        if outcome.exit() != Exit::Done || cached.len() < keys.len() {
            return Err(outcome.answer());
        }
        let mut answer = Answer::ok("");
        for warning in outcome.warnings() {
            let _ = writeln!(answer.err, "warning: {warning}");
        }
        let parts: Vec<PathBuf> = keys.iter().map(|key| session.cache.part(key)).collect();
        let n_records: usize = cached
            .iter()
            .flat_map(|cell| &cell.part)
            .map(|part| part.records)
            .sum();
        let _ = writeln!(answer.out, "{}: {n_records} records", entry.id());
        for line in outcome
            .only_one()
            .iter()
            .flat_map(|dataset| dataset.audit())
        {
            let _ = writeln!(answer.out, "audit: {line}");
        }
        if let Some(path) = &options.out {
            let what = write(path, &entry.full.fields, &parts)?;
            let _ = writeln!(answer.out, "wrote {}{what}", path.display());
        } else {
            let (fields, n) = (&entry.full.fields, options.head as u64);
            let mut first = Records::new(fields.clone());
            Table::dataset(&parts)?.read(fields, Some(&(0..n)), |records| {
                first.append(records).map_err(TableError::Data)
            })?;
            answer.out.push_str(&columns(&first));
        }
        Ok(answer)
    }
}

/// Writes the parts of a dataset as one file, or as a folder of them; into
/// how many parts.
fn write(path: &Path, fields: &[Field], parts: &[PathBuf]) -> Result<String, Answer> {
    let ending = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
    let write = match ending.as_deref().and_then(std::ffi::OsStr::to_str) {
        Some("csv") => write_csv,
        Some("parquet") => write_parquet,
        _ if path.is_file() => {
            let message = format!("{} is a file", path.display());
            let help = "a folder is written, or a file that ends in `.parquet` or `.csv`";
            let problem = Diagnostic::new(message).with_note(help);
            return Err(Answer::failed(Exit::BadInput, format!("{problem}\n")));
        }
        _ => return write_folder(path, parts),
    };
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|error| FileError::new("create", folder, error))?;
    let unwritable = |error| FileError::new("write", path, error);
    let file = NamedTempFile::new_in(folder).map_err(unwritable)?;
    write(fields, parts, file.as_file()).map_err(unwritable)?;
    persist(file, path)?;
    Ok(String::new())
}

/// Writes the records of parts as one CSV file.
fn write_csv(fields: &[Field], parts: &[PathBuf], file: &File) -> io::Result<()> {
    let mut out = BufWriter::new(file);
    csv_line(&mut out, fields.iter().map(|field| Some(&*field.name)))?;
    let table = Table::dataset(parts).map_err(io::Error::other)?;
    let written = table.read(fields, None, |records| {
        let written = csv_records(&mut out, &records);
        written.map_err(|error| TableError::Unwritable(error.to_string()))
    });
    written.map_err(io::Error::other)?;
    out.flush()
}

/// Writes the records of parts as one Parquet file; its bytes do not depend on the parts.
fn write_parquet(fields: &[Field], parts: &[PathBuf], file: &File) -> io::Result<()> {
    let write = || {
        let mut writer = ParquetWriter::new(file, fields)?;
        Table::dataset(parts)?.read_in_groups(fields, |records| writer.write(records))?;
        writer.finish()
    };
    write()
        .map(drop)
        .map_err(|error: TableError| io::Error::other(error))
}

/// Writes the parts into folders `part=00001` and so on, where engines find one table; parts of an
/// earlier dataset there are removed.
fn write_folder(path: &Path, parts: &[PathBuf]) -> Result<String, Answer> {
    std::fs::create_dir_all(path).map_err(|error| FileError::new("create", path, error))?;
    let unreadable = |error| FileError::new("read", path, error);
    for entry in std::fs::read_dir(path).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix("part="));
        let is_ours = number.is_some_and(|number| number.bytes().all(|it| it.is_ascii_digit()));
        if !is_ours {
            let message = format!("{} holds {}", path.display(), name.to_string_lossy());
            let help = "parts are written into a folder of their own";
            let problem = Diagnostic::new(message).with_note(help);
            return Err(Answer::failed(Exit::BadInput, format!("{problem}\n")));
        }
    }
    std::fs::remove_dir_all(path).map_err(|error| FileError::new("write", path, error))?;
    for (number, part) in (1..).zip(parts) {
        let folder = path.join(format!("part={number:05}"));
        std::fs::create_dir_all(&folder)
            .map_err(|error| FileError::new("create", &folder, error))?;
        let target = folder.join("records.parquet");
        let copied = std::fs::copy(part, &target);
        copied.map_err(|error| FileError::new("write", &target, error))?;
    }
    Ok(format!(", {}", counted(parts.len(), "part", "parts")))
}

/// The columns of a dataset with their first values.
fn columns(records: &Records) -> String {
    let width = records
        .columns()
        .map(|(field, _)| field.name.chars().count());
    let width = width.max().unwrap_or_default();
    let mut text = String::new();
    for (field, values) in records.columns() {
        let value = |at| text_of(values, at).unwrap_or("-".into());
        let values: Vec<_> = (0..records.len()).map(value).collect();
        let unit = match field.unit.as_ref() {
            "" => String::new(),
            unit => format!(" ({unit})"),
        };
        let _ = writeln!(
            text,
            "  {:<width$}  {:<5}  {}   {}{unit}",
            field.name,
            format!("{:?}", field.of).to_lowercase(),
            values.join(", "),
            field.doc,
        );
    }
    text
}

fn refused(message: String) -> Answer {
    Answer::failed(Exit::BadInput, format!("{}\n", Diagnostic::new(message)))
}
