//! A table as a type, with every mistake.

use std::collections::BTreeSet;
use std::ops::Range;

use ::toml::Spanned;
use ::toml::de::{DeTable, DeValue};

use super::deserializer::{Deserializer, Edits, id_of};
use super::error::{Error, ErrorKind, Frame, Parts, Step};
use crate::{Diagnostics, SourceFile, suggestion};

/// An example that says no more than that a string is wanted.
pub const ANY_TEXT: &str = "\"…\"";

/// Maximum number of errors reported per file.
pub const MOST_MISTAKES: usize = 50;

/// What messages say of the table that is read.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'r> {
    /// The end of messages about keys, such as ``for kind `query` ``; if not given, they name the
    /// table.
    pub about: Option<&'r str>,
    /// What to write at a path of keys, where an example says more than a type.
    pub example: fn(&[&str]) -> Option<&'static str>,
    /// Keys that were renamed: the old name and the new one.
    pub renamed: &'r [(&'r str, &'r str)],
}

impl Default for Reader<'_> {
    fn default() -> Self {
        Self {
            about: None,
            example: |_| None,
            renamed: &[],
        }
    }
}

impl Reader<'_> {
    /// Reads a table as a type; of one with errors the valid part, if any.
    ///
    /// Invalid values are treated as missing. A table that then lacks a key is treated as missing too; the
    /// outermost table gets the empty value of the key's type instead.
    pub fn read<T>(
        &self,
        source: &SourceFile,
        table: Spanned<DeTable<'_>>,
        read: &dyn Fn(Deserializer<'_>) -> Result<T, Error>,
        mistakes: &mut Diagnostics,
    ) -> Option<T> {
        let root = Spanned::new(table.span(), DeValue::Table(table.into_inner()));
        let mut rest = Rest::new(&root);
        let before = mistakes.len();
        loop {
            if mistakes.len() - before >= MOST_MISTAKES {
                let message = "too many mistakes: the rest of this file is not looked at";
                mistakes.push(source.error_at(root.span(), message));
                return None;
            }
            match read(Deserializer::new(&root, &rest.edits)) {
                Ok(value) if rest.incomplete.is_empty() => return Some(value),
                Ok(_) => rest.remove_incomplete(),
                Err(error) => self.report(error.into_parts(), source, &mut rest, mistakes)?,
            }
        }
    }

    /// Reports an error unless it follows from another one, and removes its value; `None` if that is the
    /// whole table.
    fn report(
        &self,
        Parts { kind, span, trail }: Parts,
        source: &SourceFile,
        rest: &mut Rest,
        mistakes: &mut Diagnostics,
    ) -> Option<()> {
        let at = trail
            .first()
            .map_or(rest.span.clone(), |frame| frame.span.clone());
        let node = trail.first().map_or(rest.root, |frame| frame.node);
        let path: Vec<&Step> = trail.iter().rev().map(|frame| &frame.step).collect();
        match kind {
            ErrorKind::MissingKey(key) => {
                if !rest.gone.contains(&(node, key.to_owned())) {
                    let whose = if self.about.is_some() {
                        String::new()
                    } else {
                        self.whose(&path)
                    };
                    let label = self.example_at(&path, Some(key));
                    let label = label.map(|example| format!("write `{key} = {example}`"));
                    let message = format!("missing key `{key}`{whose}");
                    let mistake = source.error_at(first_line(source, at), message);
                    mistakes.push(mistake.with_label(label.unwrap_or_default()));
                }
                rest.fill_in(node, key, &trail);
                return Some(());
            }
            ErrorKind::Hole => {}
            ErrorKind::UnknownKey { found, valid } => {
                let whose = self.whose(path.split_last()?.1);
                let message = format!("unknown key `{found}`{whose}");
                let mistake = source.error_at(span.unwrap_or(at), message);
                let is_new = |(old, new): &&(&str, &str)| *old == found && valid.contains(new);
                let label = match self.renamed.iter().find(is_new) {
                    Some((old, new)) => format!("`{old}` is called `{new}` now"),
                    None => suggestion(&found, valid.iter().copied()),
                };
                mistakes.push(mistake.with_label(label));
                // The table is whole without it.
                rest.edits.removed.insert(node);
                return Some(());
            }
            _ if rest.damaged.contains(&node) => {}
            kind => {
                let label = if let ErrorKind::UnknownValue { found, valid } = &kind {
                    suggestion(found, valid.iter().copied())
                } else {
                    let example = self.example_at(&path, None);
                    let example = example.filter(|example| *example != ANY_TEXT);
                    example.map_or_else(String::new, |example| format!("write {example}"))
                };
                let message = Error::new(kind).to_string();
                let mistake = source.error_at(span.unwrap_or(at), message);
                mistakes.push(mistake.with_label(label));
            }
        }
        rest.remove(trail.first()?);
        Some(())
    }

    /// The end of a message about a key: its table, or the subject of the table.
    fn whose(&self, path: &[&Step]) -> String {
        if let Some(about) = self.about {
            return format!(" {about}");
        }
        let keys: Vec<&str> = path.iter().filter_map(|step| step.key()).collect();
        match path.last() {
            None => String::new(),
            Some(Step::Key(_)) => format!(" in `{}`", keys.join(".")),
            Some(Step::Item(_)) => format!(" in [[{}]]", keys.join(".")),
        }
    }

    fn example_at(&self, path: &[&Step], key: Option<&str>) -> Option<&'static str> {
        let keys = path.iter().filter_map(|step| step.key()).chain(key);
        (self.example)(&keys.collect::<Vec<_>>())
    }
}

/// The remaining part of a table while it is read repeatedly.
struct Rest {
    root: usize,
    span: Range<usize>,
    edits: Edits,
    /// Keys taken out, by table: not missing, although serde will say so.
    gone: BTreeSet<(usize, String)>,
    /// Tables and arrays that something was taken out of or added to: what serde says of them as a
    /// whole is no news.
    damaged: BTreeSet<usize>,
    /// Tables that lack a key, the root excepted, to be taken out once all else is read.
    incomplete: Vec<Frame>,
}

impl Rest {
    fn new(root: &Spanned<DeValue<'_>>) -> Self {
        Self {
            root: id_of(root),
            span: root.span(),
            edits: Edits::default(),
            gone: BTreeSet::new(),
            damaged: BTreeSet::new(),
            incomplete: Vec::new(),
        }
    }

    /// Puts an empty value in the place of a missing key.
    fn fill_in(&mut self, table: usize, key: &'static str, trail: &[Frame]) {
        self.edits.holes.entry(table).or_default().push(key);
        self.damaged.insert(table);
        let is_new = self.incomplete.iter().all(|frame| frame.node != table);
        self.incomplete
            .extend(trail.first().filter(|_| is_new).cloned());
    }

    fn remove(&mut self, frame: &Frame) {
        self.incomplete.retain(|other| other.node != frame.node);
        self.edits.removed.insert(frame.node);
        self.damaged.insert(frame.container);
        if let Step::Key(key) = &frame.step {
            self.gone.insert((frame.container, key.clone()));
        }
    }

    fn remove_incomplete(&mut self) {
        if let Some(frame) = self.incomplete.pop() {
            self.remove(&frame);
        }
    }
}

/// The header of a table, or its first line.
fn first_line(source: &SourceFile, span: Range<usize>) -> Range<usize> {
    let text = source.text().get(span.clone()).unwrap_or_default();
    span.start..text.find('\n').map_or(span.end, |at| span.start + at)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;
    use crate::toml::parse;

    #[derive(Clone, Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Tolerance {
        Exact,
        Abs(f64),
        Within([f64; 2]),
        Trials { n: std::num::NonZeroU64 },
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "kebab-case")]
    struct Column {
        unit: Spanned<String>,
        #[serde(default)]
        tolerance: Option<Spanned<Tolerance>>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "kebab-case")]
    struct File {
        title: String,
        size: u8,
        #[serde(default)]
        columns: BTreeMap<Spanned<String>, Column>,
        #[serde(default)]
        rows: Vec<Spanned<Column>>,
        #[serde(default)]
        share: Option<f64>,
    }

    fn read(text: &str) -> (Option<File>, Diagnostics) {
        let source = SourceFile::new("a.toml", text);
        let mut mistakes = Diagnostics::new();
        let reader = Reader {
            about: None,
            example: |path| match path {
                ["rows", "unit"] => Some("\"m\""),
                ["columns", _, "tolerance"] => Some("\"exact\" or { abs = 0.1 }"),
                _ => None,
            },
            renamed: &[("length", "size")],
        };
        let file = parse(&source, &mut mistakes).and_then(|root| {
            reader.read(&source, root, &|it| File::deserialize(it), &mut mistakes)
        });
        (file, mistakes.in_reading_order())
    }

    #[test]
    fn a_sound_file_is_read() {
        let (file, mistakes) = read(
            "title = 'x'\nsize = 0xff\nshare = 1\n[columns.b]\nunit = 'm'\n[columns.a]\nunit = 's'\n\
             tolerance = { within = [-inf, 2.5] }\n[[rows]]\nunit = ''\ntolerance = 'exact'\n",
        );
        assert!(mistakes.is_empty(), "{mistakes}");
        let file = file.expect("no mistakes");
        assert_eq!(
            (file.title.as_str(), file.size, file.share),
            ("x", 255, Some(1.0))
        );
        let spans: Vec<_> = file
            .columns
            .keys()
            .map(|name| (name.get_ref().as_str(), name.span()))
            .collect();
        assert_eq!(spans, [("a", 66..67), ("b", 43..44)]);
        let tolerance = file.columns["a"]
            .tolerance
            .as_ref()
            .map(|it| it.get_ref().clone());
        assert_eq!(tolerance, Some(Tolerance::Within([f64::NEG_INFINITY, 2.5])));
        assert_eq!(*file.rows[0].get_ref().unit.get_ref(), "");
    }

    #[test]
    fn every_mistake_is_told() {
        let (_, mistakes) = read(
            "titel = 'x'
size = 300
share = 'half'
[columns]
a = 1
b = { unit = 1, tolerance = 'exakt' }
c = { unit = 'm', tolerance = { absolute = 1 } }
d = { unit = 'm', tolerance = { abs = 1, within = [1, 2] } }
e = { unit = 'm', tolerance = { within = [1] } }
f = { unit = 'm', tolerance = { trials = { n = 0 } } }
g = { unit = 'm', tolerance = 'abs' }
h = { unit = 'm', tolerance = 0.5 }
i = { unit = 'm', tolerance = {} }
j = { unit = 'm', tolerance = { exact = 1 } }
\tk = { unit = 'm', tolerance = { trials = {} } }
[[rows]]
tolerance = 'exact'
[[rows]]
unit = 'm'
tollerance = 'exact'
",
        );
        insta::assert_snapshot!(mistakes);
    }

    #[test]
    fn what_is_wrong_is_left_out() {
        let (file, mistakes) = read(
            "size = 1\nshare = []\n[columns]\na = { unit = 'm', x = 1 }\nb = {}\n[[rows]]\n[[rows]]\nunit = 'm'\n",
        );
        assert_eq!(mistakes.len(), 5, "{mistakes}");
        let file = file.expect("only the title is missing");
        assert_eq!(
            (file.title.as_str(), file.share, file.rows.len()),
            ("", None, 1)
        );
        let names: Vec<&str> = file
            .columns
            .keys()
            .map(|name| name.get_ref().as_str())
            .collect();
        assert_eq!(names, ["a"]);
    }

    #[test]
    fn a_file_full_of_mistakes_is_not_read_to_the_end() {
        let lines: Vec<String> = (0..200).map(|n| format!("k{n} = 1")).collect();
        let (file, mistakes) = read(&lines.join("\n"));
        assert!(file.is_none());
        assert_eq!(mistakes.len(), MOST_MISTAKES + 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        /// Words of the format in any order: no panic, and what cannot be read is complained about.
        #[test]
        fn any_text_is_read_or_refused(
            words in proptest::collection::vec(
                prop_oneof![
                    Just("title"), Just("size"), Just("columns"), Just("rows"), Just("unit"),
                    Just("tolerance"), Just("="), Just("{"), Just("}"), Just("["), Just("]"),
                    Just("\"x\""), Just("1"), Just("-0.5e3"), Just("."), Just(","), Just("\n"),
                    Just("abs"), Just("nan"), Just("é"), Just(" "), Just("1979-05-27"),
                    Just("99999999999999999999"),
                ],
                0..40,
            ),
        ) {
            let (file, mistakes) = read(&words.concat());
            prop_assert!(file.is_some() || !mistakes.is_empty());
            prop_assert!(mistakes.is_empty() || !mistakes.to_string().is_empty());
        }
    }
}
