//! Data files that cannot be used.

use crate::config::entry::Entry;
use crate::config::experiment::DataUse;
use crate::data::DataProblem;
use kibitz_command::input::Input;
use kibitz_text::Diagnostic;

/// A data file that cannot be used, and who asked for it.
#[derive(Debug)]
pub struct DataTrouble<'a> {
    /// The experiment.
    pub entry: &'a Entry,
    /// The place in its file.
    pub used: &'a DataUse,
    /// What is wrong with the file.
    pub problem: DataProblem,
}

/// Adds a trouble, unless it is known already.
pub fn tell<'a>(troubles: &mut Vec<DataTrouble<'a>>, trouble: DataTrouble<'a>) {
    let name = |trouble: &DataTrouble<'a>| (trouble.entry.id(), trouble.used.entry.as_str());
    if !troubles.iter().any(|known| name(known) == name(&trouble)) {
        troubles.push(trouble);
    }
}

impl DataTrouble<'_> {
    /// The problem with the file; `others` selected experiments do not need it.
    pub fn describe(&self, others: usize) -> Diagnostic {
        let DataUse { name, entry, span } = self.used;
        let what = &self.problem.what;
        let message = match Input::of_name(entry) {
            Some(Input::File(path)) => format!("the step reads `{path}`, {what}"),
            Some(Input::Version(words)) => match &self.problem.missing_program {
                Some(message) => message.clone(),
                None => format!("the version command `{}` failed", words.join(" ")),
            },
            Some(Input::Variable(variable)) => format!("the step reads `${variable}`, {what}"),
            None => format!("`{name}` needs `{entry}`, {what}"),
        };
        let mut diagnostic = self.entry.experiment.error_at(span.clone(), message);
        diagnostic.notes.clone_from(&self.problem.notes);
        if self.problem.external {
            diagnostic = diagnostic.with_note("say where it is with --data DIR");
        }
        match others {
            0 => diagnostic,
            1 => diagnostic.with_note("the other experiment does not need it and runs"),
            n => diagnostic.with_note(format!("the other {n} experiments do not need it and run")),
        }
    }
}
