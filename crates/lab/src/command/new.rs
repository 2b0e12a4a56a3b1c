//! `new`: a commented skeleton that already passes validation.

use super::session::Session;
use super::{Answer, Exit, Lab};
use crate::config::catalog::Entry;
use crate::diagnostic::Diagnostic;
use crate::files::write_atomically;
use crate::frame::table_fields;
use kibitz_experiment::{FieldType, Kind, suggestion};

/// The options of `new`.
#[derive(Clone, Debug)]
pub struct NewOptions {
    /// `PAPER/TABLE`.
    pub id: String,
    /// Name of a kind.
    pub kind: String,
    /// Id of the experiment that it reads, for kinds that read one.
    pub from: Option<String>,
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
        let example = match self.example(*kind, options.from.as_deref()) {
            Ok(example) => example,
            Err(answer) => return answer,
        };
        let text = format!("#:schema ../schema.json\n{}", example.trim_start());
        match write_atomically(&path, text.as_bytes()) {
            Ok(()) => Answer::ok(format!(
                "wrote {shown}\nedit it, then run `{} reproduce {id}`\n",
                self.program
            )),
            Err(error) => error.into(),
        }
    }

    /// The example of a kind; of one that reads a dataset, with that dataset and its columns.
    fn example(&self, kind: Kind, from: Option<&str>) -> Result<String, Answer> {
        let refuse = |message: String, label: String| {
            let problem = Diagnostic::new(message).with_label(label);
            Answer::failed(Exit::BadInput, format!("{problem}\n"))
        };
        let example = kind.example();
        let reads = example.contains(SOURCE);
        let Some(id) = from else {
            if reads {
                let message = format!("kind `{}` reads a dataset", kind.name());
                return Err(refuse(
                    message,
                    "say which with --from PAPER/DATASET".to_owned(),
                ));
            }
            return Ok(example.to_owned());
        };
        if !reads {
            let message = format!("kind `{}` reads no dataset", kind.name());
            return Err(refuse(message, "leave out --from".to_owned()));
        }
        let session = Session::open(self)?;
        let Some(entry) = session.catalog.entry(id) else {
            let ids = session.catalog.entries.iter().map(Entry::id);
            let message = format!("there is no experiment `{id}`");
            return Err(refuse(message, suggestion(id, ids)));
        };
        let fields = match entry.full.fields.as_slice() {
            [] => table_fields(),
            fields => fields.to_vec(),
        };
        let mut text = example.replace(SOURCE, id);
        let types = [
            ("NUMBER", &[FieldType::Float, FieldType::Int][..]),
            ("TRUTH", &[FieldType::Bool]),
        ];
        for (word, of) in types {
            let names = fields.iter().filter(|field| of.contains(&field.of));
            for (n, field) in (1..).zip(names) {
                text = text.replace(&format!("{word}-{n}-"), &field.name);
            }
        }
        Ok(text)
    }
}

/// What the examples of kinds that read a dataset call it. Its columns are `NUMBER-1-`, `NUMBER-2-`
/// and so on, and `TRUTH-1-`.
const SOURCE: &str = "paper/dataset";
