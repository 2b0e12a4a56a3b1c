//! What is wrong with what is recorded, or with what it rests on.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value as Json;

use kibitz_lab::config::entry::Entry;
use kibitz_lab::config::papers::check_tables;
use kibitz_lab::data::DataStore;
use kibitz_lab::files::read_source;
use kibitz_lab::record::WorkspaceRecord;
use kibitz_lab::results::missing_file;
use kibitz_lab::session::Session;
use kibitz_lab::trouble::DataTrouble;
use kibitz_text::{Diagnostic, Diagnostics, Exit, Severity, counted};

/// Takes note of what is wrong.
pub(super) trait Notes {
    /// Takes note of problems and of the exit code for them.
    fn problem(&mut self, exit: Exit, problems: Diagnostics);

    /// Takes note of the experiments whose files cannot be used.
    fn leave_out_broken(&mut self, session: &Session<'_>);

    /// Takes note of a table whose record cannot be used.
    fn leave_out(&mut self, id: &str, why: String);

    /// Takes note of a table without values that was recorded once, unless that is known already.
    fn miss(&mut self, id: &str, results: &Path, known_before: &BTreeSet<String>);

    /// Takes note of data files below a table that are not those declared.
    fn look_at_data(
        &mut self,
        session: &Session<'_>,
        store: &DataStore<'_>,
        entry: &Entry,
        notices: &mut Vec<String>,
    );
}

impl Notes for WorkspaceRecord {
    fn problem(&mut self, exit: Exit, problems: Diagnostics) {
        if !problems.is_empty() {
            self.exit = self.exit.max(Some(exit));
            self.problems.append(problems);
        }
    }

    fn leave_out_broken(&mut self, session: &Session<'_>) {
        for (id, own) in &session.catalog.broken {
            let why = format!(
                "experiments/{id}.toml has {}",
                counted(own.len(), "problem", "problems")
            );
            self.left_out.push((id.clone(), why));
        }
        self.problem(Exit::BadInput, session.catalog.problems_of(|_| true));
    }

    fn leave_out(&mut self, id: &str, why: String) {
        let problem = Diagnostic::new(why.clone());
        let note = format!(
            "restore the file, or `{} reproduce --bless {id}` records the table again",
            self.program
        );
        self.problem(Exit::Negative, Diagnostics::from(problem.with_note(note)));
        self.left_out.push((id.to_owned(), why));
    }

    fn miss(&mut self, id: &str, results: &Path, known_before: &BTreeSet<String>) {
        if self.left_out.iter().any(|(known, _)| known == id) {
            return;
        }
        if let Some(missing) = missing_file(results, id) {
            self.leave_out(id, format!("{missing} is missing"));
        } else if known_before.contains(id) {
            let why = format!("results/{id} is missing, which results/index.json lists");
            self.leave_out(id, why);
        }
    }

    fn look_at_data(
        &mut self,
        session: &Session<'_>,
        store: &DataStore<'_>,
        entry: &Entry,
        notices: &mut Vec<String>,
    ) {
        let own = entry.experiment.data.iter().map(|used| (entry, used));
        for (reader, used) in own.chain(session.data_below(entry)) {
            let Err(problem) = store.check(&used.entry) else {
                continue;
            };
            if problem.external && !problem.is_changed {
                continue;
            }
            notices.push(format!(
                "These values rest on `{}`, {}.",
                used.entry, problem.what
            ));
            let trouble = DataTrouble {
                entry: reader,
                used,
                problem,
            };
            let mut warning = trouble.describe(0);
            warning.severity = Severity::Warning;
            if self.warnings.iter().all(|known| *known != warning) {
                self.warnings.push(warning);
            }
        }
    }
}

/// The tables that `index.json` lists.
pub(super) fn indexed(results: &Path) -> BTreeSet<String> {
    let text = std::fs::read(results.join("index.json")).ok();
    let index = text.and_then(|text| serde_json::from_slice::<Json>(&text).ok());
    let names = index.as_ref().and_then(Json::as_object);
    names
        .into_iter()
        .flat_map(|tables| tables.keys().cloned())
        .collect()
}

/// What is wrong with the lists of printed tables.
pub(super) fn papers_problems(session: &Session<'_>) -> Diagnostics {
    let mut problems = Diagnostics::new();
    let about = Path::new("experiments/papers.toml");
    if let Some(source) = read_source(&session.lab.root, about, &mut problems) {
        let entries = session.catalog.entries.iter();
        let broken = session.catalog.broken.iter().map(|(id, _)| id.clone());
        let ids: Vec<String> = entries
            .map(|entry| entry.id().to_owned())
            .chain(broken)
            .collect();
        check_tables(&source, &session.catalog.papers, &ids, &mut problems);
    }
    problems
}
