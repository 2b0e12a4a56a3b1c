//! What derives from the committed values, as it should be: comparisons, tables, the log of outcomes, index
//! and documents. All of it is known before any of it is written.

use std::collections::BTreeMap;

use crate::Answer;
use crate::Drawing;
use crate::command::schema;
use crate::documents::{Change, Document, LARGE, Sources, documents, findings};
use crate::outcome_log::{self, LogText, OutcomeLog};
use crate::records::words_as_logged;
use crate::render::{IndexLine, derived, index_json, index_md};
use kibitz_lab::config::experiment::without_markers;
use kibitz_lab::files::write_atomically;
use kibitz_lab::history::{self, Tolerances};
use kibitz_lab::judge::{JudgedCell, judge_all};
use kibitz_lab::measurement::Table;
use kibitz_lab::results::{first_line_apart, folder, read_committed, write_changed};
use kibitz_lab::session::Session;
use kibitz_text::{Diagnostic, Diagnostics};

/// The recorded tables, compared with the published values.
pub(crate) struct JudgedTables<'s> {
    pub(crate) by_id: BTreeMap<&'s str, (Table, Vec<JudgedCell>)>,
    /// The inputs key of each.
    keys: BTreeMap<&'s str, String>,
}

impl<'s> JudgedTables<'s> {
    /// As they are recorded.
    pub(crate) fn recorded(session: &'s Session<'_>) -> Result<Self, Answer> {
        Self::with(session, &BTreeMap::new())
    }

    /// With these values in place of the recorded ones.
    pub(crate) fn with(
        session: &'s Session<'_>,
        new: &BTreeMap<&str, &Table>,
    ) -> Result<Self, Answer> {
        let mut others = session.others()?;
        for (id, table) in new {
            others.insert((*id).to_owned(), (*table).clone());
        }
        let results = session.lab.root.join("results");
        let mut tables = Self {
            by_id: BTreeMap::new(),
            keys: BTreeMap::new(),
        };
        for entry in &session.catalog.entries {
            let id = entry.id();
            let committed = read_committed(&results, id)?;
            if let Some(committed) = &committed {
                tables.keys.insert(id, committed.inputs.inputs_key.clone());
            }
            let recorded = || committed.map(|committed| committed.table);
            let new = new.get(id).map(|table| (*table).clone());
            if let Some(table) = new.or_else(recorded) {
                let judged = judge_all(entry, &table, &others);
                tables.by_id.insert(id, (table, judged));
            }
        }
        Ok(tables)
    }
}

/// A generated file as it should be.
pub(crate) struct DerivedFile {
    /// From the root, `/` between folders.
    path: String,
    text: String,
    /// Numbers and words of a document that change.
    pub(crate) changes: Vec<Change>,
    /// The command that writes it.
    pub(crate) command: &'static str,
    /// Stale parts; the command fixes them.
    pub(crate) stale: Diagnostics,
    /// Faults that only its author can fix.
    pub(crate) problems: Diagnostics,
}

impl DerivedFile {
    fn new(path: &str, text: String) -> Self {
        Self {
            path: path.to_owned(),
            text,
            changes: Vec::new(),
            command: "refresh",
            stale: Diagnostics::new(),
            problems: Diagnostics::new(),
        }
    }

    /// One that is generated as a whole.
    fn whole(session: &Session<'_>, path: &str, text: String, command: &'static str) -> Self {
        let found = std::fs::read_to_string(session.lab.root.join(path)).ok();
        let program = &session.lab.program;
        let stale = (found.as_deref() != Some(text.as_str())).then(|| {
            let outdated = Diagnostic::new(format!("{path} is out of date"));
            outdated.with_note(format!("bring it up to date with `{program} {command}`"))
        });
        Self {
            command,
            stale: stale.into_iter().collect(),
            ..Self::new(path, text)
        }
    }

    /// A picture that the program draws.
    fn drawn(session: &Session<'_>, drawing: &Drawing) -> Self {
        match (drawing.draw)() {
            Ok(text) => Self::whole(session, drawing.path, text, "refresh"),
            Err(why) => {
                let problem = Diagnostic::new(format!("cannot draw {}: {why}", drawing.path));
                Self {
                    problems: problem.into(),
                    ..Self::new(drawing.path, String::new())
                }
            }
        }
    }

    /// One of whose text parts are generated; numbers that change by more than their rounding stay as they
    /// are unless they are accepted.
    fn document(document: Document, program: &str, accept: bool) -> Self {
        let fixed_by = |stale: &Diagnostic| {
            let accept = if stale.notes.iter().any(|note| note == LARGE) {
                " --accept"
            } else {
                ""
            };
            let stale = stale.clone();
            stale.with_note(format!("`{program} refresh{accept}` regenerates it"))
        };
        let text = if accept {
            document.text
        } else {
            document.cautious
        };
        Self {
            stale: document.stale.iter().map(fixed_by).collect(),
            changes: document.changes,
            problems: document.problems,
            ..Self::new(&document.path, text)
        }
    }

    /// When tolerances were set.
    fn tolerances(session: &Session<'_>, text: String) -> Self {
        let path = history::PATH;
        let found = std::fs::read(session.lab.root.join(path)).unwrap_or_default();
        let stale = (found != text.as_bytes()).then(|| {
            let place = first_line_apart(&found, text.as_bytes()).unwrap_or_default();
            let problem = Diagnostic::new(format!("{path}{place} is not what the history says"));
            problem.with_note(format!("`{} refresh` writes it", session.lab.program))
        });
        Self {
            stale: stale.into_iter().collect(),
            ..Self::new(path, text)
        }
    }

    /// The numbers that change by more than their rounding, each in a line.
    pub(crate) fn pending(&self) -> impl Iterator<Item = String> {
        self.told(|change| change.is_large)
    }

    /// The changes that are wanted, each in a line.
    pub(crate) fn told(&self, wanted: impl Fn(&Change) -> bool) -> impl Iterator<Item = String> {
        let changes = self.changes.iter().filter(move |change| wanted(change));
        changes.map(|change| change.told(&self.path))
    }
}

/// The files of a table that derive from its values, by name.
type TableFiles = Vec<(&'static str, Vec<u8>)>;

/// Everything that derives from the committed values.
pub(crate) struct DerivedFiles<'s> {
    /// By id.
    pub(crate) tables: BTreeMap<&'s str, TableFiles>,
    /// Tolerances, log, index, documents and schema; index and documents only if they are not
    /// [left as they are](left_as_is).
    pub(crate) files: Vec<DerivedFile>,
}

/// How often documents are brought up to date with each other before that is given up.
const MOST_ROUNDS: usize = 4;

impl<'s> DerivedFiles<'s> {
    /// From the recorded tables, the log as it will be, and the tolerances as the history has them if these
    /// are to be written; documents with numbers that change by more than their rounding only if they are
    /// accepted.
    pub(crate) fn new(
        session: &'s Session<'_>,
        drawings: &[Drawing],
        tables: JudgedTables<'s>,
        log: LogText,
        of_history: Option<Tolerances>,
        accept: bool,
    ) -> Result<Self, Answer> {
        let root = &session.lab.root;
        let tolerances = of_history.clone();
        let tolerances = tolerances.unwrap_or_else(|| Tolerances::recorded(root));
        let mut index = Vec::new();
        for entry in &session.catalog.entries {
            if let Some((_, judged)) = tables.by_id.get(entry.id()) {
                let key = tables.keys.get(entry.id()).map_or("", String::as_str);
                index.push(IndexLine::new(entry, key, judged, &tolerances));
            }
        }
        let mut first = Vec::new();
        if let Some(tolerances) = of_history {
            let text = String::from_utf8_lossy(&tolerances.to_csv()).into_owned();
            first.push(DerivedFile::tolerances(session, text));
        }
        let mut sources = Sources {
            root,
            kinds: &session.lab.kinds,
            catalog: &session.catalog,
            recorded: tables.by_id,
            index,
            written: BTreeMap::new(),
        };
        first.extend(log_as_file(session, &sources, log));
        for file in &first {
            let text = file.text.clone();
            sources.written.insert(file.path.clone(), text);
        }
        let mut found = Self::round(session, drawings, &mut sources, accept)?;
        for _ in 1..MOST_ROUNDS {
            let mut is_done = true;
            for (path, text) in found.texts() {
                let known = sources.written.insert(path.clone(), text.clone());
                let on_disk = || std::fs::read_to_string(root.join(&path)).ok();
                is_done &= known.or_else(on_disk).as_ref() == Some(&text);
            }
            if is_done {
                break;
            }
            found = Self::round(session, drawings, &mut sources, accept)?;
        }
        let schema = schema::text(&session.lab.kinds);
        first.push(DerivedFile::whole(session, schema::PATH, schema, "schema"));
        first.append(&mut found.files);
        found.files = first;
        Ok(found)
    }

    /// Tables, index and documents, given what was written before: findings first, since tables and index
    /// show them.
    fn round(
        session: &'s Session<'_>,
        drawings: &[Drawing],
        sources: &mut Sources<'s>,
        accept: bool,
    ) -> Result<Self, Answer> {
        let (lab, program) = (session.lab, session.lab.program.as_str());
        let is_left = left_as_is(session).is_some();
        let mut documents_found = Vec::new();
        let mut shown = BTreeMap::new();
        if !is_left {
            for (id, document) in findings(sources) {
                let file = DerivedFile::document(document, program, accept);
                shown.insert(id, finding_of(&file.text));
                documents_found.push(file);
            }
        }
        for line in &mut sources.index {
            if let Some(finding) = shown.get(line.id.as_str()) {
                line.finding.clone_from(finding);
            }
        }
        let mut tables = BTreeMap::new();
        for entry in &session.catalog.entries {
            let Some((table, judged)) = sources.recorded.get(entry.id()) else {
                continue;
            };
            let own = || entry.experiment.finding();
            let finding = shown.get(entry.id()).cloned().unwrap_or_else(own);
            let finding = finding.as_deref();
            let files = derived(entry, finding, table, judged, program, &lab.root);
            tables.insert(entry.id(), files);
        }
        let mut files = Vec::new();
        if !is_left {
            let whole = |path: &str, text| DerivedFile::whole(session, path, text, "refresh");
            let log = sources.text(outcome_log::PATH).ok();
            let log = log.map(|text| blake3::hash(text.as_bytes()));
            let text = index_md(&session.catalog, &sources.index, log, program, sources.root);
            files.push(whole("results/index.md", text));
            files.push(whole("results/index.json", index_json(&sources.index)));
            files.extend(
                drawings
                    .iter()
                    .map(|drawing| DerivedFile::drawn(session, drawing)),
            );
            let documents = documents(sources)?.into_iter();
            files.extend(documents.map(|one| DerivedFile::document(one, program, accept)));
            files.append(&mut documents_found);
        }
        Ok(Self { tables, files })
    }

    /// The texts that documents may count lines of, by path.
    fn texts(&self) -> Vec<(String, String)> {
        let files = self.files.iter().filter(|file| !file.stale.is_empty());
        let files = files.map(|file| (file.path.clone(), file.text.clone()));
        let tables = self.tables.iter().flat_map(|(id, files)| {
            files.iter().map(move |(name, bytes)| {
                let text = String::from_utf8_lossy(bytes).into_owned();
                (format!("results/{id}/{name}"), text)
            })
        });
        files.chain(tables).collect()
    }

    /// Comparisons and tables that differ from those of the committed values.
    pub(crate) fn stale_tables(&self, session: &Session<'_>) -> Diagnostics {
        let (results, program) = (session.lab.root.join("results"), &session.lab.program);
        let mut problems = Diagnostics::new();
        for (id, files) in &self.tables {
            for (name, text) in files {
                let found = std::fs::read(folder(&results, id).join(name)).unwrap_or_default();
                if found == *text {
                    continue;
                }
                let place = first_line_apart(&found, text).unwrap_or_default();
                let problem = Diagnostic::new(format!(
                    "results/{id}/{name}{place} is not what table.csv and the experiment give"
                ));
                problems.push(problem.with_note(format!("`{program} refresh` regenerates it")));
            }
        }
        problems
    }

    /// Writes what changed, but for the schema, which belongs to `schema`; gives the paths.
    pub(crate) fn write(&self, session: &Session<'_>) -> Result<Vec<String>, Answer> {
        let root = &session.lab.root;
        let mut written = Vec::new();
        for (id, files) in &self.tables {
            let names = write_changed(&folder(&root.join("results"), id), files)?;
            written.extend(names.iter().map(|name| format!("results/{id}/{name}")));
        }
        for file in &self.files {
            let path = root.join(&file.path);
            let is_due = file.command == "refresh" && !file.stale.is_empty();
            if is_due && std::fs::read(&path).ok().as_deref() != Some(file.text.as_bytes()) {
                write_atomically(&path, file.text.as_bytes())?;
                written.push(file.path.clone());
            }
        }
        Ok(written)
    }
}

/// The finding that an experiment file shows.
fn finding_of(text: &str) -> Option<String> {
    let file: toml::Table = toml::from_str(text).ok()?;
    Some(without_markers(file.get("finding")?.as_str()?))
}

/// The log of verdicts as it will be; what does not fit the tables only its author can fix.
fn log_as_file(session: &Session<'_>, sources: &Sources<'_>, log: LogText) -> Option<DerivedFile> {
    let bytes = log.bytes?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let mut file = DerivedFile::whole(session, outcome_log::PATH, text, "refresh");
    if !file.stale.is_empty() && !log.unlogged.is_empty() {
        file.stale = log.unlogged;
    }
    if left_as_is(session).is_none() {
        file.problems = words_as_logged(session, &sources.recorded, &bytes);
    }
    Some(file)
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

/// The changes of all recorded tables since their comparisons were written.
pub(crate) fn changes_of(session: &Session<'_>, tables: &JudgedTables<'_>) -> OutcomeLog {
    let mut log = OutcomeLog::default();
    for (id, (_, judged)) in &tables.by_id {
        log.add(session, id, judged, false);
    }
    log
}
