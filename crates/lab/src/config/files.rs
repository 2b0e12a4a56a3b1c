//! The files of a workspace that people write.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kibitz_text::{Diagnostic, Diagnostics};

/// Ids and paths of all experiment files, sorted; files that stand where none is read are reported as
/// warnings.
pub(crate) fn experiment_files(
    root: &Path,
    strays: &mut Diagnostics,
    problems: &mut Diagnostics,
) -> BTreeMap<String, PathBuf> {
    const WHERE: &str = "an experiment is experiments/PAPER/TABLE.toml";
    let mut files = BTreeMap::new();
    let folder = root.join("experiments");
    let is_toml = |name: &str| name.to_ascii_lowercase().ends_with(".toml");
    let mut misplaced = |path: &str, problem: &str| {
        let stray = Diagnostic::warning(format!("experiments/{path} {problem}, and is not read"));
        strays.push(stray.with_note(WHERE));
    };
    for paper in entries_of(&folder, problems) {
        if !folder.join(&paper).is_dir() {
            if is_toml(&paper) && paper != "papers.toml" {
                misplaced(&paper, "is in no paper's folder");
            }
            continue;
        }
        for table in entries_of(&folder.join(&paper), problems) {
            let path = format!("{paper}/{table}");
            let found = folder.join(&path);
            if found.is_dir() {
                let below = entries_of(&found, problems);
                if let Some(file) = below.iter().find(|name| is_toml(name)) {
                    misplaced(&format!("{path}/{file}"), "is too deep");
                }
            } else if is_toml(&table) && !found.exists() {
                misplaced(&path, "is a link to nothing");
            } else if let Some(name) = table.strip_suffix(".toml") {
                let path = Path::new("experiments").join(&path);
                files.insert(format!("{paper}/{name}"), path);
            } else if is_toml(&table) {
                misplaced(&path, "does not end with `.toml`");
            }
        }
    }
    files
}

fn entries_of(folder: &Path, problems: &mut Diagnostics) -> Vec<String> {
    let names = std::fs::read_dir(folder).and_then(|entries| {
        let names = entries.map(|entry| Ok(entry?.file_name().into_string().ok()));
        names.collect::<std::io::Result<Vec<_>>>()
    });
    match names {
        Ok(names) => {
            let mut names: Vec<String> = names.into_iter().flatten().collect();
            names.sort();
            names
        }
        Err(error) => {
            let message = format!("cannot read {}: {error}", folder.display());
            problems.push(Diagnostic::new(message));
            Vec::new()
        }
    }
}
