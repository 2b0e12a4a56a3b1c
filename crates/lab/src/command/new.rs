//! `new`: a commented skeleton that already passes validation.

use super::session::bad_config;
use super::{Answer, Exit, Lab};
use crate::config::catalog::load_entry;
use crate::diagnostic::{Diagnostic, Diagnostics, SourceFile};
use crate::files::write_atomically;
use kibitz_experiment::{Kind, suggestion};

/// The options of `new`.
#[derive(Clone, Debug)]
pub struct NewOptions {
    /// `PAPER/TABLE`.
    pub id: String,
    /// Name of a kind.
    pub kind: String,
}

impl Lab {
    /// Writes `experiments/PAPER/TABLE.toml` from the kind's example; refuses to overwrite.
    pub fn new_experiment(&self, options: &NewOptions) -> Answer {
        let refuse =
            |diagnostic: Diagnostic| Answer::failed(Exit::BadInput, format!("{diagnostic}\n"));
        let id = &options.id;
        let is_name = |part: &str| {
            !part.is_empty()
                && part
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_'))
        };
        if !id
            .split_once('/')
            .is_some_and(|(paper, table)| is_name(paper) && is_name(table))
        {
            return refuse(
                Diagnostic::new(format!("`{id}` is not of the form PAPER/TABLE")).with_note(
                    "lower-case letters, digits, `-` and `_`; such as jansen2000/table1",
                ),
            );
        }
        let kinds = || self.kinds.iter().map(Kind::name);
        let Some(kind) = self.kinds.iter().find(|kind| kind.name() == options.kind) else {
            return refuse(
                Diagnostic::new(format!("unknown kind `{}`", options.kind))
                    .with_label(suggestion(&options.kind, kinds())),
            );
        };
        let shown = format!("experiments/{id}.toml");
        let path = self.root.join("experiments").join(format!("{id}.toml"));
        if path.exists() {
            return refuse(Diagnostic::new(format!("{shown} exists already")));
        }
        let text = format!("#:schema ../schema.json\n{}", kind.example().trim_start());
        let source = SourceFile::new(shown.as_str(), text.as_str());
        let mut problems = Diagnostics::new();
        load_entry(id, &source, &self.kinds, None, &mut problems);
        if !problems.is_empty() {
            return bad_config(&problems);
        }
        match write_atomically(&path, text.as_bytes()) {
            Ok(()) => Answer::ok(format!(
                "wrote {shown}\nedit it, then run `{} reproduce {id}`\n",
                self.program
            )),
            Err(error) => error.into(),
        }
    }
}
