//! `dataset`: a dataset as a file for other programs, or a look at it.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use super::options::ReproduceOptions;
use super::outcome::{Findings, Outcome};
use super::plan::{View, plan_all};
use super::run_tables::{run_tables, tasks_of};
use super::session::Session;
use super::{Answer, Exit, Lab, Selection};
use crate::config::entry::Entry;
use crate::files::write_atomically;
use crate::frame::{FrameError, dataset_file, first_values, read_parts};
use crate::judge::Others;
use crate::observe::Observer;
use kibitz_experiment::{Stopwatch, suggestion};
use kibitz_text::Diagnostic;
use polars::prelude::DataFrame;

/// The options of `dataset`.
#[derive(Clone, Debug)]
pub struct DatasetOptions {
    /// Id of an experiment that yields a dataset.
    pub id: String,
    /// Where to write it: as CSV if the name ends so, as Parquet otherwise.
    pub out: Option<PathBuf>,
    /// How many of its first records to show.
    pub head: usize,
    /// How many cells at once, and the size of the thread pool.
    pub jobs: usize,
}

impl Lab {
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
        let session = Session::open(self)?;
        let selection = Selection {
            ids: vec![options.id.clone()],
            ..Selection::default()
        };
        let selected = selection.apply(&session.catalog, &self.program)?;
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
            &run_options,
            observer,
            interrupted,
            Others::new(),
        );
        let outcome = Outcome {
            session: &session,
            options: &run_options,
            tables: &finished,
            troubles: &troubles,
            interrupted: interrupted.load(Ordering::Relaxed),
            findings: Findings::default(),
            selected: &selected,
            seconds: watch.seconds(),
        };
        let is_made = |cell: &_| {
            session
                .keys(entry, false, cell)
                .iter()
                .all(|key| session.cache.get(key).is_some())
        };
        if outcome.exit() != Exit::Done || !entry.full.cells.iter().all(is_made) {
            return Err(outcome.answer());
        }
        let mut answer = Answer::ok("");
        for warning in outcome.warnings() {
            let _ = writeln!(answer.err, "warning: {warning}");
        }
        let cells = entry.full.cells.iter();
        let keys = cells.flat_map(|cell| session.keys(entry, false, cell));
        let parts: Vec<PathBuf> = keys.map(|key| session.cache.part(&key)).collect();
        let frame = read_parts(&parts)?;
        let _ = writeln!(answer.out, "{}: {} records", entry.id(), frame.height());
        for line in outcome
            .only_one()
            .iter()
            .flat_map(|dataset| dataset.audit())
        {
            let _ = writeln!(answer.out, "audit: {line}");
        }
        if let Some(path) = &options.out {
            let as_csv = path.extension().is_some_and(|end| end == "csv");
            write_atomically(path, &dataset_file(frame, as_csv)?)?;
            let _ = writeln!(answer.out, "wrote {}", path.display());
        } else {
            answer.out.push_str(&columns(entry, &frame, options.head)?);
        }
        Ok(answer)
    }
}

/// The columns of a dataset with their first values.
fn columns(entry: &Entry, frame: &DataFrame, n_values: usize) -> Result<String, FrameError> {
    let fields = &entry.full.fields;
    let width = fields.iter().map(|field| field.name.chars().count()).max();
    let mut text = String::new();
    for field in fields {
        let values = first_values(frame, &field.name, n_values)?;
        let unit = match field.unit.as_ref() {
            "" => String::new(),
            unit => format!(" ({unit})"),
        };
        let _ = writeln!(
            text,
            "  {:<width$}  {:<5}  {values}   {}{unit}",
            field.name,
            format!("{:?}", field.of).to_lowercase(),
            field.doc,
            width = width.unwrap_or_default(),
        );
    }
    Ok(text)
}

fn refused(message: String) -> Answer {
    Answer::failed(Exit::BadInput, format!("{}\n", Diagnostic::new(message)))
}
