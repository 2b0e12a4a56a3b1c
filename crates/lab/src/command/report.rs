//! `report`: everything that derives from committed values: comparisons, tables, index, README.

use super::session::{Session, bad_config};
use super::{Answer, Lab, schema};
use crate::compare::judge_all;
use crate::files::write_atomically;
use crate::render::{IndexLine, derived, index_json, index_md, splice_readme};
use crate::results::{folder, read_committed, write_changed};

/// A generated file as it should be.
pub(crate) struct DerivedFile {
    /// From the root, `/` between folders.
    pub(crate) path: String,
    pub(crate) text: String,
    /// The command that writes it.
    pub(crate) command: &'static str,
}

impl DerivedFile {
    /// Whether the file on disk is as it should be.
    pub(crate) fn is_fresh(&self, session: &Session<'_>) -> bool {
        let path = session.lab.root.join(&self.path);
        std::fs::read_to_string(path).is_ok_and(|text| text == self.text)
    }
}

impl Lab {
    /// Writes what derives from the committed values anew, without running anything.
    pub fn report(&self) -> Answer {
        self.try_report().unwrap_or_else(|answer| answer)
    }

    fn try_report(&self) -> Result<Answer, Answer> {
        let session = Session::open(self)?;
        let broken = session.catalog.problems_of(|_| true);
        if !broken.is_empty() {
            return Err(bad_config(&broken));
        }
        let mut written = write_tables(&session)?;
        written.extend(write_derived(&session)?);
        if written.is_empty() {
            return Ok(Answer::ok("everything is up to date\n"));
        }
        Ok(Answer::ok(format!("wrote {}\n", written.join("\nwrote "))))
    }
}

/// Comparisons and tables of all committed values.
fn write_tables(session: &Session<'_>) -> Result<Vec<String>, Answer> {
    let results = session.lab.root.join("results");
    let mut written = Vec::new();
    for entry in &session.catalog.entries {
        let id = entry.id();
        let Some(committed) = read_committed(&results, id)? else {
            continue;
        };
        let judged = judge_all(entry, &committed.table);
        let files = derived(entry, &committed.table, &judged, session.lab)?;
        let names = write_changed(&folder(&results, id), &files)?;
        written.extend(names.iter().map(|name| format!("results/{id}/{name}")));
    }
    Ok(written)
}

/// Index, README and schema as they should be; no index while an experiment file cannot be read.
pub(crate) fn derived_files(session: &Session<'_>) -> Result<Vec<DerivedFile>, Answer> {
    let (root, program) = (&session.lab.root, session.lab.program.as_str());
    let schema = schema::text(&session.lab.kinds);
    let schema = DerivedFile {
        path: schema::PATH.to_owned(),
        text: schema,
        command: "schema",
    };
    if !session.catalog.broken.is_empty() {
        return Ok(vec![schema]);
    }
    let mut lines = Vec::new();
    for entry in &session.catalog.entries {
        if let Some(committed) = read_committed(&root.join("results"), entry.id())? {
            let judged = judge_all(entry, &committed.table);
            lines.push(IndexLine::new(entry, &committed.inputs.inputs_key, &judged));
        }
    }
    let file = |path: &str, text: String| DerivedFile {
        path: path.to_owned(),
        text,
        command: "report",
    };
    let index = index_md(&session.catalog, &lines, program);
    let mut files = vec![
        file("results/index.md", index),
        file("results/index.json", index_json(&lines)),
        schema,
    ];
    if let Ok(readme) = std::fs::read_to_string(root.join("README.md"))
        && let Some(text) = splice_readme(&readme, &session.catalog, &lines, program)
    {
        files.push(file("README.md", text));
    }
    Ok(files)
}

/// Writes index and README where they changed; the schema belongs to `schema`.
pub(crate) fn write_derived(session: &Session<'_>) -> Result<Vec<String>, Answer> {
    let mut written = Vec::new();
    for file in derived_files(session)? {
        if file.command == "report" && !file.is_fresh(session) {
            write_atomically(&session.lab.root.join(&file.path), file.text.as_bytes())?;
            written.push(file.path);
        }
    }
    Ok(written)
}
