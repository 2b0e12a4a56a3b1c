//! `report`: everything that derives from committed values: comparisons, tables, index, README.

use super::session::{Session, error_chain};
use super::{Answer, Exit, Lab};
use crate::compare::judge;
use crate::files::write_atomically;
use crate::render::{IndexLine, index_json, index_md, splice_readme, table_md};
use crate::results::{compare_csv, folder, read_committed, write_changed};

/// A generated file as it should be.
pub(crate) struct DerivedFile {
    /// From the root, `/` between folders.
    pub(crate) path: String,
    pub(crate) text: String,
    /// The command that writes it.
    pub(crate) command: &'static str,
}

impl Lab {
    /// Writes what derives from the committed values anew, without running anything.
    pub fn report(&self) -> Answer {
        self.try_report().unwrap_or_else(|answer| answer)
    }

    fn try_report(&self) -> Result<Answer, Answer> {
        let session = Session::open(self)?;
        let failed =
            |message: String| Answer::failed(Exit::BadInput, format!("error: {message}\n"));
        let mut written = write_tables(&session).map_err(failed)?;
        written.extend(write_derived(&session).map_err(failed)?);
        if written.is_empty() {
            return Ok(Answer::ok("everything is up to date\n"));
        }
        Ok(Answer::ok(format!("wrote {}\n", written.join("\nwrote "))))
    }
}

/// Comparisons and tables of all committed values.
fn write_tables(session: &Session<'_>) -> Result<Vec<String>, String> {
    let results = session.lab.root.join("results");
    let mut written = Vec::new();
    for entry in &session.catalog.entries {
        let committed =
            read_committed(&results, entry.id()).map_err(|error| error_chain(&error))?;
        let Some(committed) = committed else { continue };
        let judged = judge(entry, &committed.table, &std::collections::BTreeMap::new())
            .map_err(|error| error_chain(&error))?;
        let files = [
            (
                "compare.csv",
                compare_csv(&judged).map_err(|error| error_chain(&error))?,
            ),
            ("table.md", table_md(entry, &judged).into_bytes()),
        ];
        let names = write_changed(&folder(&results, entry.id()), &files)
            .map_err(|error| error_chain(&error))?;
        written.extend(
            names
                .iter()
                .map(|name| format!("results/{}/{name}", entry.id())),
        );
    }
    Ok(written)
}

/// Index, README and schema as they should be.
pub(crate) fn derived_files(session: &Session<'_>) -> Result<Vec<DerivedFile>, String> {
    let root = &session.lab.root;
    let results = root.join("results");
    let mut lines = Vec::new();
    for entry in &session.catalog.entries {
        let committed =
            read_committed(&results, entry.id()).map_err(|error| error_chain(&error))?;
        let Some(committed) = committed else { continue };
        let judged = judge(entry, &committed.table, &std::collections::BTreeMap::new())
            .map_err(|error| error_chain(&error))?;
        lines.push(IndexLine::new(entry, &committed.inputs.inputs_key, &judged));
    }
    let command = "cargo xtask report";
    let mut files = vec![
        DerivedFile {
            path: "results/index.md".to_owned(),
            text: index_md(&session.catalog, &lines),
            command,
        },
        DerivedFile {
            path: "results/index.json".to_owned(),
            text: index_json(&lines),
            command,
        },
        DerivedFile {
            path: super::schema::PATH.to_owned(),
            text: super::schema::text(&session.lab.kinds),
            command: "cargo xtask schema",
        },
    ];
    if let Ok(readme) = std::fs::read_to_string(root.join("README.md"))
        && let Some(text) = splice_readme(&readme, &lines)
    {
        files.push(DerivedFile {
            path: "README.md".to_owned(),
            text,
            command,
        });
    }
    Ok(files)
}

/// Writes index and README where they changed; the schema belongs to `schema`.
pub(crate) fn write_derived(session: &Session<'_>) -> Result<Vec<String>, String> {
    let mut written = Vec::new();
    for file in derived_files(session)? {
        let path = session.lab.root.join(&file.path);
        let fresh = std::fs::read_to_string(&path).is_ok_and(|text| text == file.text);
        if fresh || file.path == super::schema::PATH {
            continue;
        }
        write_atomically(&path, file.text.as_bytes()).map_err(|error| error_chain(&error))?;
        written.push(file.path);
    }
    Ok(written)
}
