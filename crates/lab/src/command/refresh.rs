//! `refresh`: everything that derives from committed values: comparisons, tables, index, and the
//! numbers and tables in documents.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::outcome_log::{self, OutcomeLog};
use super::records::words_as_logged;
use super::session::{Session, left_out};
use super::{Answer, Drawing, Exit, Lab, schema};
use crate::documents::{Change, Document, LARGE, Sources, documents};
use crate::files::write_atomically;
use crate::history::{self, Tolerances};
use crate::judge::{Judged, judge_all};
use crate::measured::Table;
use crate::render::{IndexLine, derived, index_json, index_md};
use crate::results::{first_line_apart, folder, read_committed, write_changed};
use kibitz_text::{Diagnostic, Diagnostics, counted};

/// A generated file as it should be.
pub(crate) struct DerivedFile {
    /// From the root, `/` between folders.
    path: String,
    text: String,
    /// The same, but for numbers that change by more than their rounding.
    cautious: String,
    /// Numbers of a document that change.
    changes: Vec<Change>,
    /// The command that writes it.
    command: &'static str,
    /// Stale parts; the command mends them.
    pub(crate) stale: Diagnostics,
    /// Faults that only its author can mend.
    pub(crate) problems: Diagnostics,
}

impl DerivedFile {
    /// One that is generated as a whole.
    fn whole(session: &Session<'_>, path: &str, text: String, command: &'static str) -> Self {
        let found = std::fs::read_to_string(session.lab.root.join(path)).ok();
        let program = &session.lab.program;
        let stale = (found.as_deref() != Some(text.as_str())).then(|| {
            let outdated = Diagnostic::new(format!("{path} is out of date"));
            outdated.with_note(format!("bring it up to date with `{program} {command}`"))
        });
        Self {
            path: path.to_owned(),
            cautious: text.clone(),
            text,
            changes: Vec::new(),
            command,
            stale: stale.into_iter().collect(),
            problems: Diagnostics::new(),
        }
    }

    /// A picture that the program draws.
    fn drawn(session: &Session<'_>, drawing: &Drawing) -> Self {
        match (drawing.draw)() {
            Ok(text) => Self::whole(session, drawing.path, text, "refresh"),
            Err(why) => Self {
                path: drawing.path.to_owned(),
                text: String::new(),
                cautious: String::new(),
                changes: Vec::new(),
                command: "refresh",
                stale: Diagnostics::new(),
                problems: [Diagnostic::new(format!(
                    "cannot draw {}: {why}",
                    drawing.path
                ))]
                .into_iter()
                .collect(),
            },
        }
    }

    /// One of whose text parts are generated.
    fn document(document: Document, program: &str) -> Self {
        let mends = |stale: &Diagnostic| {
            let accept = if stale.notes.iter().any(|note| note == LARGE) {
                " --accept"
            } else {
                ""
            };
            let stale = stale.clone();
            stale.with_note(format!("`{program} refresh{accept}` writes it anew"))
        };
        Self {
            stale: document.stale.iter().map(mends).collect(),
            path: document.path,
            text: document.text,
            cautious: document.cautious,
            changes: document.changes,
            command: "refresh",
            problems: document.problems,
        }
    }
}

impl DerivedFile {
    /// The numbers that change by more than their rounding, each in a line.
    pub(crate) fn pending(&self) -> impl Iterator<Item = String> {
        let large = self.changes.iter().filter(|change| change.is_large);
        large.map(|change| change.told(&self.path))
    }
}

/// The log of verdicts, whose problems only its author can mend.
fn log_of_words(
    session: &Session<'_>,
    recorded: &BTreeMap<&str, (Table, Vec<Judged>)>,
) -> Option<DerivedFile> {
    let problems = words_as_logged(session, recorded);
    (!problems.is_empty()).then(|| DerivedFile {
        path: outcome_log::PATH.to_owned(),
        text: String::new(),
        cautious: String::new(),
        changes: Vec::new(),
        command: "refresh",
        stale: Diagnostics::new(),
        problems,
    })
}

/// The options of `refresh`.
#[derive(Clone, Debug, Default)]
pub struct RefreshOptions {
    /// Write nothing, and list what is stale.
    pub check: bool,
    /// Write numbers in documents even if they change by more than their rounding.
    pub accept: bool,
    /// Why verdicts change, for their log.
    pub why: Option<String>,
}

impl Lab {
    /// Writes the files that derive from the committed values anew, without running anything.
    ///
    /// Every number that changes in a document is listed with its sentence. One that changes by more than
    /// a unit of its last digit is left as it is, and the exit code is 1, unless that is accepted.
    pub fn refresh(&self, options: &RefreshOptions) -> Answer {
        self.try_refresh(options).unwrap_or_else(|answer| answer)
    }

    fn try_refresh(&self, options: &RefreshOptions) -> Result<Answer, Answer> {
        let session = Session::open(self)?;
        let mut problems = Diagnostics::new();
        let mut written = DerivedWritten::default();
        if options.check {
            problems.extend(stale_history(&session)?);
            problems.append(stale_tables(&session)?);
        } else {
            let mut tables = write_history(&session)?;
            tables.extend(write_tables(&session, options.why.as_deref())?);
            written = write_derived(&session, options.accept)?;
            written.files.splice(0..0, tables);
        }
        for file in derived_files(&session)? {
            if file.command == "refresh" {
                problems.append(file.stale);
            }
            problems.append(file.problems);
        }
        let mut out = String::new();
        for change in &written.changes {
            let _ = writeln!(out, "{change}");
        }
        for file in &written.files {
            let _ = writeln!(out, "wrote {file}");
        }
        if written.files.is_empty() && problems.is_empty() && session.catalog.broken.is_empty() {
            out.push_str("everything is up to date\n");
        }
        let mut answer = Answer::ok(out);
        let broken = session.catalog.problems_of(|_| true);
        if !broken.is_empty() {
            let n_broken = session.catalog.broken.len();
            answer.err.push_str(&left_out(&broken, n_broken));
            answer.exit = Exit::BadInput;
        }
        let strays = session.catalog.strays.iter().cloned();
        for warning in strays.chain(left_as_is(&session)) {
            let _ = writeln!(answer.err, "{warning}");
        }
        if !problems.is_empty() {
            let n = counted(problems.len(), "problem", "problems");
            let _ = writeln!(answer.err, "{problems}\n{n}");
            answer.exit = answer.exit.max(Exit::Negative);
        }
        Ok(answer)
    }
}

/// When tolerances were set, as the history of the repository says; nothing without it.
fn of_history(session: &Session<'_>) -> Result<Option<Vec<u8>>, Answer> {
    let found = Tolerances::of_history(&session.lab.root, &session.catalog);
    Ok(found.map(|found| found.to_csv()).transpose()?)
}

/// That the record of when tolerances were set is not what the history says.
fn stale_history(session: &Session<'_>) -> Result<Option<Diagnostic>, Answer> {
    let Some(expected) = of_history(session)? else {
        return Ok(None);
    };
    let found = std::fs::read(session.lab.root.join(history::PATH)).unwrap_or_default();
    Ok((found != expected).then(|| {
        let place = first_line_apart(&found, &expected).unwrap_or_default();
        let path = history::PATH;
        let problem = Diagnostic::new(format!("{path}{place} is not what the history says"));
        problem.with_note(format!("`{} refresh` writes it", session.lab.program))
    }))
}

fn write_history(session: &Session<'_>) -> Result<Vec<String>, Answer> {
    let Some(expected) = of_history(session)? else {
        return Ok(Vec::new());
    };
    let path = session.lab.root.join(history::PATH);
    if std::fs::read(&path).is_ok_and(|found| found == expected) {
        return Ok(Vec::new());
    }
    write_atomically(&path, &expected)?;
    Ok(vec![history::PATH.to_owned()])
}

/// Comparisons and tables that differ from those of the committed values.
fn stale_tables(session: &Session<'_>) -> Result<Diagnostics, Answer> {
    let (results, program) = (session.lab.root.join("results"), &session.lab.program);
    let others = session.others()?;
    let mut problems = Diagnostics::new();
    for entry in &session.catalog.entries {
        let id = entry.id();
        let Some(committed) = read_committed(&results, id)? else {
            continue;
        };
        let judged = judge_all(entry, &committed.table, &others);
        for (name, text) in derived(
            entry,
            &committed.table,
            &judged,
            &session.lab.program,
            &session.lab.root,
        )? {
            let found = std::fs::read(folder(&results, id).join(name)).unwrap_or_default();
            if found == text {
                continue;
            }
            let place = first_line_apart(&found, &text).unwrap_or_default();
            let problem = Diagnostic::new(format!(
                "results/{id}/{name}{place} is not what table.csv and the experiment give"
            ));
            problems.push(problem.with_note(format!("`{program} refresh` writes it anew")));
        }
    }
    Ok(problems)
}

/// Comparisons and tables of all committed values.
///
/// # Errors
/// Also that words change for which a reason is wanted.
pub(crate) fn write_tables(
    session: &Session<'_>,
    why: Option<&str>,
) -> Result<Vec<String>, Answer> {
    let others = session.others()?;
    let results = session.lab.root.join("results");
    let mut log = OutcomeLog::default();
    let mut tables = Vec::new();
    for entry in &session.catalog.entries {
        if let Some(committed) = read_committed(&results, entry.id())? {
            let judged = judge_all(entry, &committed.table, &others);
            log.add(session, entry.id(), &judged, false);
            tables.push((entry, committed, judged));
        }
    }
    log.ask_why(why)?;
    let mut written = Vec::new();
    for (entry, committed, judged) in tables {
        let (id, lab) = (entry.id(), session.lab);
        let files = derived(entry, &committed.table, &judged, &lab.program, &lab.root)?;
        let names = write_changed(&folder(&results, id), &files)?;
        written.extend(names.iter().map(|name| format!("results/{id}/{name}")));
    }
    written.extend(log.write(session, why)?);
    Ok(written)
}

/// That index and documents are left as they are, if a file has problems whose table they show.
pub(crate) fn left_as_is(session: &Session<'_>) -> Option<Diagnostic> {
    let results = session.lab.root.join("results");
    let broken = session.catalog.broken.iter().map(|(id, _)| id.as_str());
    let shown: Vec<&str> = broken
        .filter(|id| folder(&results, id).join("table.csv").exists())
        .collect();
    (!shown.is_empty()).then(|| {
        let message = "the index and the documents are left as they are";
        let note = format!("they show what is recorded of {}", shown.join(", "));
        Diagnostic::warning(message).with_note(note)
    })
}

/// Index, documents and schema as they should be; only the schema if the others are
/// [left as they are](left_as_is).
pub(crate) fn derived_files(session: &Session<'_>) -> Result<Vec<DerivedFile>, Answer> {
    let (root, program) = (&session.lab.root, session.lab.program.as_str());
    let schema = schema::text(&session.lab.kinds);
    let schema = DerivedFile::whole(session, schema::PATH, schema, "schema");
    if left_as_is(session).is_some() {
        return Ok(vec![schema]);
    }
    let others = session.others()?;
    let tolerances = Tolerances::recorded(root);
    let mut index = Vec::new();
    let mut recorded = BTreeMap::new();
    for entry in &session.catalog.entries {
        if let Some(committed) = read_committed(&root.join("results"), entry.id())? {
            let judged = judge_all(entry, &committed.table, &others);
            let key = &committed.inputs.inputs_key;
            index.push(IndexLine::new(entry, key, &judged, &tolerances));
            recorded.insert(entry.id(), (committed.table, judged));
        }
    }
    let whole = |path: &str, text| DerivedFile::whole(session, path, text, "refresh");
    let log = log_of_words(session, &recorded);
    let words = std::fs::read(root.join(outcome_log::PATH)).ok();
    let words = words.map(|bytes| blake3::hash(&bytes));
    let text = index_md(&session.catalog, &index, words, program);
    let mut files = vec![
        whole("results/index.md", text),
        whole("results/index.json", index_json(&index)),
        schema,
    ];
    files.extend(log);
    let sources = Sources {
        root,
        kinds: &session.lab.kinds,
        catalog: &session.catalog,
        recorded,
        index,
    };
    let drawings = session.lab.drawings.iter();
    files.extend(drawings.map(|drawing| DerivedFile::drawn(session, drawing)));
    let documents = documents(&sources)?.into_iter();
    files.extend(documents.map(|document| DerivedFile::document(document, program)));
    Ok(files)
}

/// What was written of index and documents.
#[derive(Debug, Default)]
pub(crate) struct DerivedWritten {
    pub(crate) files: Vec<String>,
    /// The numbers that changed, each in a line.
    pub(crate) changes: Vec<String>,
}

/// Writes index and documents where they changed; the schema belongs to `schema`. Numbers that change by
/// more than their rounding are left as they are unless they are accepted.
pub(crate) fn write_derived(session: &Session<'_>, accept: bool) -> Result<DerivedWritten, Answer> {
    let mut written = DerivedWritten::default();
    for file in derived_files(session)? {
        if file.command != "refresh" || file.stale.is_empty() {
            continue;
        }
        let made = file.changes.iter();
        let made = made.filter(|change| accept || !change.is_large);
        written
            .changes
            .extend(made.map(|change| change.told(&file.path)));
        let text = if accept { file.text } else { file.cautious };
        let path = session.lab.root.join(&file.path);
        if std::fs::read_to_string(&path).ok().as_deref() != Some(text.as_str()) {
            write_atomically(&path, text.as_bytes())?;
            written.files.push(file.path);
        }
    }
    Ok(written)
}
