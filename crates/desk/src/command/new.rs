//! `new`: a commented skeleton that already passes validation.

use crate::Answer;
use crate::Desk;
use crate::skeleton::{about_other_data, data_line, quoted, with_baselines, with_values};
use kibitz_experiment::{Field, FieldType, Kind, suggestion};
use kibitz_lab::config::entry::Entry;
use kibitz_lab::config::load::{KnownNames, load_entry};
use kibitz_lab::files::write_atomically;
use kibitz_lab::manifest::Manifest;
use kibitz_lab::measurement::table_fields;
use kibitz_lab::session::{Session, bad_config};
use kibitz_text::Diagnostic;
use kibitz_text::Exit;
use kibitz_text::{Diagnostics, SourceFile};

/// The options of `new`.
#[derive(Clone, Debug)]
pub struct NewOptions {
    /// `PAPER/TABLE`.
    pub id: String,
    /// Name of a kind.
    pub kind: String,
    /// Id of the experiment that it reads, for kinds that read one.
    pub from: Option<String>,
    /// Entry of the manifest, or path of its file, in place of the example's data.
    pub data: Option<String>,
    /// Other values for keys of the example; of one that is given several times, for each of its
    /// places.
    pub set: Vec<(String, String)>,
}

impl Desk {
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
        let kind = match self.lab.kind(&options.kind) {
            Ok(kind) => kind,
            Err(unknown) => return unknown.into(),
        };
        let shown = format!("experiments/{id}.toml");
        let path = self.lab.root.join("experiments").join(format!("{id}.toml"));
        if path.exists() {
            return refuse(Diagnostic::new(format!("{shown} exists already")));
        }
        let (example, fields) = match self.example(*kind, options.from.as_deref()) {
            Ok(example) => example,
            Err(answer) => return answer,
        };
        let manifest = match Manifest::read(&self.lab.root) {
            Ok(manifest) => manifest,
            Err(problems) => return bad_config(&problems).into(),
        };
        let example = example.trim_start();
        // The schema line gives editors completion and checks.
        let mut text = format!("#:schema ../schema.json\n{example}");
        match self.own_data(example, &manifest, options) {
            Ok(Some(entry)) => text = about_other_data(&text, entry),
            Ok(None) => text = with_baselines(&text),
            Err(problem) => return bad_config(&problem).into(),
        }
        let text = match with_values(&text, &options.set) {
            Ok(text) => text,
            Err(problem) => return Answer::failed(Exit::BadInput, format!("{problem}\n")),
        };
        // The text is checked as a whole before it is written: a file that fails its first run
        // helps nobody.
        let source = SourceFile::new(shown.as_str(), text.as_str());
        let mut problems = Diagnostics::new();
        let known = KnownNames {
            ids: &[],
            papers: &[],
            manifest: Some(&manifest),
            source: &|_| Ok(fields.clone()),
        };
        load_entry(id, &source, &self.lab.kinds, Some(known), &mut problems);
        if !problems.is_empty() {
            return bad_config(&problems).into();
        }
        match write_atomically(&path, text.as_bytes()) {
            Ok(()) => Answer::ok(format!(
                "wrote {shown}\nedit it, then run `{} reproduce {id}`\n",
                self.lab.program
            )),
            Err(error) => error.into(),
        }
    }

    /// The example of a kind; of one that reads a dataset, with that dataset, whose columns are listed
    /// besides.
    fn example(&self, kind: Kind, from: Option<&str>) -> Result<(String, Vec<Field>), Answer> {
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
            return Ok((example.to_owned(), Vec::new()));
        };
        if !reads {
            let message = format!("kind `{}` reads no dataset", kind.name());
            return Err(refuse(message, "leave out --from".to_owned()));
        }
        let session = Session::open(&self.lab)?;
        let Some(entry) = session.catalog.entry(id) else {
            let ids = session.catalog.entries.iter().map(Entry::id);
            let message = format!("unknown experiment `{id}`");
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
        Ok((text, fields))
    }

    /// The entry that takes the place of the example's data, which may not be here.
    fn own_data<'m>(
        &self,
        example: &str,
        manifest: &'m Manifest,
        options: &NewOptions,
    ) -> Result<Option<&'m str>, Diagnostics> {
        let add = format!(
            "`{} data add FILE --license … --origin …`",
            self.lab.program
        );
        let names = || manifest.entries.keys().map(String::as_str);
        if let Some(wanted) = &options.data {
            let found = manifest.find(wanted).map(Some);
            return found.ok_or_else(|| {
                let unknown = Diagnostic::new(format!("`{wanted}` is not in data/manifest.toml"));
                let unknown = unknown.with_label(suggestion(wanted, names()));
                unknown.with_note(format!("{add} enters a file")).into()
            });
        }
        let mut quoted = data_line(example).into_iter().flat_map(quoted);
        if quoted.all(|entry| manifest.entries.contains_key(entry)) {
            return Ok(None);
        }
        let mut names = names();
        let problem = match (names.next(), names.next()) {
            (Some(only), None) => return Ok(Some(only)),
            (None, _) => {
                let kind = &options.kind;
                Diagnostic::new(format!("kind `{kind}` reads data, and there are none here"))
                    .with_note(format!("enter a file with {add}"))
            }
            _ => Diagnostic::new("the data of the example are not here; say which to use")
                .with_note("`--use ENTRY`"),
        };
        Err(problem.into())
    }
}

/// What the examples of kinds that read a dataset call it. Its columns are `NUMBER-1-`, `NUMBER-2-`
/// and so on, and `TRUTH-1-`.
const SOURCE: &str = "paper/dataset";
