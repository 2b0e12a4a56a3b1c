//! Markdown documents whose tables and numbers come from the results.
//!
//! A table stands between two markers, and all of its lines are generated:
//! ```text
//! <!-- results: written by `cargo xtask refresh` -->
//! <!-- end of results -->
//! ```
//! A number in a sentence is followed by its source, and keeps the digits that its author chose:
//! ```text
//! 86,258<!-- value: beyond/chute-at-scale "all plies".games --> games
//! matches<!-- outcome: jansen2000/table2 "Kasparov".lambda-mat -->
//! ```
//! A number is read whole, or the marker is an error; writing it prints what it was. One that would change
//! by more than a unit of its last digit is written only when that is accepted.
//!
//! A document that says so with `<!-- numbers: checked by … -->` may hold no number without a source.
//! Years, and what names a place in a paper (`Table 2`), need none.

mod blocks;
mod files;
mod markdown;
mod numbers;
mod pictures;
mod written_number;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use crate::render::IndexLine;
use kibitz_experiment::Kind;
use kibitz_lab::config::catalog::Catalog;
use kibitz_lab::files::FileError;
use kibitz_lab::judge::JudgedCell;
use kibitz_lab::measurement::Table;
use kibitz_text::{Diagnostic, Diagnostics, SourceFile};

use markdown::{Part, parts};
pub use written_number::grouped;

/// The results and experiments that documents may quote.
pub(crate) struct Sources<'a> {
    pub(crate) root: &'a Path,
    pub(crate) kinds: &'a [Kind],
    pub(crate) catalog: &'a Catalog,
    /// The recorded tables, by id.
    pub(crate) recorded: BTreeMap<&'a str, (Table, Vec<JudgedCell>)>,
    pub(crate) index: Vec<IndexLine>,
    /// Files as they will be, by path, where they are not so yet.
    pub(crate) written: BTreeMap<String, String>,
}

impl Sources<'_> {
    /// The text of a file, as it will be.
    pub(crate) fn text(&self, path: &str) -> std::io::Result<String> {
        match self.written.get(path) {
            Some(text) => Ok(text.clone()),
            None => std::fs::read_to_string(self.root.join(path)),
        }
    }
}

/// A document as it is, and as it should be.
pub(crate) struct Document {
    /// From the root, `/` between folders.
    pub(crate) path: String,
    /// As it is.
    pub(crate) written: String,
    /// As it should be.
    pub(crate) text: String,
    /// As it should be, but for numbers that change by more than their rounding.
    pub(crate) cautious: String,
    /// The numbers that change, in their order.
    pub(crate) changes: Vec<Change>,
    /// Lines that differ from it; writing the document repairs them.
    pub(crate) stale: Diagnostics,
    /// Markers and numbers that only its author can repair.
    pub(crate) problems: Diagnostics,
}

/// The Markdown files of the workspace, the pages of every crate, the articles, and the texts beside
/// pictures.
///
/// # Errors
/// A file that cannot be read.
pub(crate) fn documents(sources: &Sources<'_>) -> Result<Vec<Document>, FileError> {
    let articles = articles(sources)?;
    let pictures = pictures::texts(sources)?;
    let known: Vec<&str> = articles
        .iter()
        .chain(&pictures)
        .map(|document| document.path.as_str())
        .collect();
    let mut paths = files::markdown(sources.root);
    paths.extend(files::pages(sources.root));
    paths.retain(|path| !known.contains(&path.as_str()));
    paths.sort();
    let mut documents = read(paths, sources)?;
    documents.extend(articles);
    documents.extend(pictures);
    Ok(documents)
}

/// What is written about all papers and about each: `experiments/article.md`, `experiments/<paper>/article.md`.
///
/// # Errors
/// A file that cannot be read.
pub(crate) fn articles(sources: &Sources<'_>) -> Result<Vec<Document>, FileError> {
    let papers = sources.catalog.papers.iter();
    let paths = papers.map(|paper| format!("experiments/{}/article.md", paper.id));
    let paths = std::iter::once("experiments/article.md".to_owned()).chain(paths);
    let paths = paths.filter(|path| sources.root.join(path).is_file());
    read(paths.collect(), sources)
}

fn read(paths: Vec<String>, sources: &Sources<'_>) -> Result<Vec<Document>, FileError> {
    let read = |path: String| {
        let file = sources.root.join(&path);
        let text = std::fs::read_to_string(&file);
        let text = text.map_err(|error| FileError::new("read", &file, error))?;
        Ok(update(&SourceFile::new(path, text), sources))
    };
    paths.into_iter().map(read).collect()
}

/// A stretch of a document and its correct text.
struct Edit {
    at: Range<usize>,
    text: String,
    /// Where it comes from.
    source: String,
    /// The numbers and words that change.
    changes: Vec<Change>,
}

impl Edit {
    /// Whether it is to be accepted.
    fn is_large(&self) -> bool {
        self.changes.iter().any(|change| change.is_large)
    }
}

/// A number or an outcome that changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    line: usize,
    from: String,
    to: String,
    /// Around it, without comments.
    sentence: String,
    /// Whether it changes by more than its rounding, and is to be accepted.
    pub(crate) is_large: bool,
}

impl Change {
    /// The number at `at` of `text` becomes `to`.
    fn new(text: &str, at: &Range<usize>, to: &str, is_large: bool) -> Self {
        Self {
            line: text[..at.start].matches('\n').count() + 1,
            from: text[at.clone()].to_owned(),
            to: to.to_owned(),
            sentence: sentence(text, at),
            is_large,
        }
    }

    /// `README.md:12: 0.64 → 0.27 in "A pawn weighs 0.64 after forty moves."`
    pub(crate) fn told(&self, path: &str) -> String {
        let Self {
            line,
            from,
            to,
            sentence,
            ..
        } = self;
        let change = match (from.as_str(), to.as_str()) {
            ("", to) => format!("new: {to}"),
            (from, "") => format!("gone: {from}"),
            (from, to) => format!("{from} → {to}"),
        };
        if sentence.is_empty() {
            return format!("{path}:{line}: {change}");
        }
        format!("{path}:{line}: {change} in \"{sentence}\"")
    }
}

/// The changes between a generated stretch of a document and its correct text: word by word where lines have
/// as many words, otherwise line by line.
fn changed_words(text: &str, at: &Range<usize>, new: &str) -> Vec<Change> {
    let old: Vec<(usize, &str)> = with_places(&text[at.clone()], '\n').collect();
    let new: Vec<&str> = new.split('\n').collect();
    let same = |(old, new): &(&(usize, &str), &&str)| old.1 == **new;
    let n_first = old.iter().zip(&new).take_while(same).count();
    let (old, new) = (&old[n_first..], &new[n_first..]);
    let n_last = old.iter().rev().zip(new.iter().rev());
    let n_last = n_last.take_while(same).count();
    let (gone, came) = (&old[..old.len() - n_last], &new[..new.len() - n_last]);
    let mut changes = Vec::new();
    if gone.len() == came.len() {
        for ((start, old), new) in gone.iter().zip(came) {
            changes.extend(changed_line(text, at.start + start, old, new));
        }
        return changes;
    }
    let line_at = |place: usize| text[..place].matches('\n').count() + 1;
    let end = gone.last().or(old.first());
    let end = end.map_or(at.end, |(start, _)| at.start + start);
    let whole = |place: usize, from: &str, to: &str| Change {
        line: line_at(place),
        from: from.trim().to_owned(),
        to: to.trim().to_owned(),
        sentence: String::new(),
        is_large: false,
    };
    let is_there = |line: &str| !line.trim().is_empty();
    let lost = gone.iter().filter(|(_, line)| is_there(line));
    changes.extend(lost.map(|(start, line)| whole(at.start + start, line, "")));
    let found = came.iter().filter(|line| is_there(line));
    changes.extend(found.map(|line| whole(end, "", line)));
    changes
}

/// The changes between a line that begins at `start` and its correct text.
fn changed_line(text: &str, start: usize, old: &str, new: &str) -> Vec<Change> {
    let words: Vec<(usize, &str)> = with_places(old, ' ').collect();
    let should: Vec<&str> = new.split(' ').collect();
    if words.len() != should.len() {
        let change = Change::new(text, &(start..start + old.len()), new.trim(), false);
        let sentence = String::new();
        return vec![Change { sentence, ..change }];
    }
    let pairs = words.into_iter().zip(should);
    let apart = pairs.filter(|((_, word), should)| word != should);
    let change = |((at, word), should): ((usize, &str), &str)| {
        let at = start + at..start + at + word.len();
        Change::new(text, &at, should, false)
    };
    apart.map(change).collect()
}

/// The sentence around a stretch of a line, without comments.
fn sentence(text: &str, at: &Range<usize>) -> String {
    let line_at = text[..at.start].rfind('\n').map_or(0, |end| end + 1);
    let before = &text[line_at..at.start];
    let before = before.rfind(". ").map_or(before, |end| &before[end + 2..]);
    let after = text[at.end..].lines().next().unwrap_or_default();
    let after = after.find(". ").map_or(after, |end| &after[..=end]);
    let plain = |text: &str| COMMENT.replace_all(text, "").into_owned();
    let (before, after) = (plain(before), plain(after));
    format!("{before}{}{after}", &text[at.clone()])
        .trim()
        .to_owned()
}

static COMMENT: LazyLock<Regex> = LazyLock::new(|| {
    #[allow(clippy::unwrap_used, reason = "a constant pattern, covered by tests")]
    Regex::new(r"<!--.*?-->").unwrap()
});

/// The findings of experiment files, whose numbers all have a source, by id.
pub(crate) fn findings<'s>(sources: &Sources<'s>) -> Vec<(&'s str, Document)> {
    let entries = sources.catalog.entries.iter();
    let with_finding = entries.filter_map(|entry| {
        let finding = entry.experiment.file.finding.as_ref()?;
        // Its numbers are those of recorded values.
        sources.recorded.contains_key(entry.id()).then(|| {
            let source = &entry.experiment.source;
            let document = update_part(source, finding.span(), true, sources);
            (entry.id(), document)
        })
    });
    with_finding.collect()
}

/// Brings the tables and numbers of a document up to date.
fn update(source: &SourceFile, sources: &Sources<'_>) -> Document {
    let text = source.text();
    let is_strict = parts(text).iter().any(|part| {
        matches!(part, Part::Comment(at) if comment(text, at).starts_with("numbers: checked by "))
    });
    update_part(source, 0..text.len(), is_strict, sources)
}

/// Brings the tables and numbers in a stretch of a file up to date; where it is strict, every number
/// needs a source.
fn update_part(
    source: &SourceFile,
    stretch: Range<usize>,
    is_strict: bool,
    sources: &Sources<'_>,
) -> Document {
    let text = source.text();
    let mut edits = Vec::new();
    let mut problems = Diagnostics::new();
    let parts = parts(&text[stretch.clone()]).into_iter();
    let parts: Vec<Part> = parts.map(|part| part.moved(stretch.start)).collect();
    let mut parts = parts.into_iter();
    while let Some(part) = parts.next() {
        let at = match part {
            Part::Prose(at) if is_strict => {
                problems.append(numbers::without_source(source, at));
                continue;
            }
            Part::Comment(at) => at,
            _ => continue,
        };
        let edit = match comment(text, &at) {
            said if said.starts_with("value: ") => numbers::edit(text, &at, &said[7..], sources),
            said if said.starts_with("outcome: ") => {
                numbers::outcome_edit(text, at.start, said[9..].trim(), sources)
            }
            said => match said.split_once(": written by ") {
                None => continue,
                Some((name, _)) => {
                    let end = format!("end of {name}");
                    // Going on in the same iterator skips the block: its own numbers are written by
                    // its table and need no source.
                    let end = parts.find_map(|part| match part {
                        Part::Comment(at) if comment(text, &at) == end => Some(at.start),
                        _ => None,
                    });
                    match end {
                        Some(end) => blocks::edit(text, at.end..end, name, sources),
                        None => Err(format!("no `<!-- end of {name} -->` below")),
                    }
                }
            },
        };
        match edit {
            Ok(edit) => edits.push(edit),
            Err(message) => problems.push(source.error_at(at, message)),
        }
    }
    // Two texts: one with all edits, and one without the large ones, which are only written if the
    // user accepts them.
    let (mut updated, mut cautious) = (String::new(), String::new());
    let mut stale = Diagnostics::new();
    let mut changes = Vec::new();
    let mut end = 0;
    for edit in edits {
        let between = &text[end..edit.at.start];
        let is_large = edit.is_large();
        let old = &text[edit.at.clone()];
        updated.extend([between, &edit.text]);
        cautious.extend([between, if is_large { old } else { &edit.text }]);
        end = edit.at.end;
        stale.append(differences(source, &edit));
        changes.extend(edit.changes);
    }
    for whole in [&mut updated, &mut cautious] {
        whole.push_str(&text[end..]);
    }
    Document {
        path: source.path().to_owned(),
        written: text.to_owned(),
        text: updated,
        cautious,
        changes,
        stale,
        problems,
    }
}

/// What is said of a number that is to be accepted.
pub(crate) const LARGE: &str = "it changes by more than its rounding";

/// The text of a comment.
fn comment<'t>(text: &'t str, at: &Range<usize>) -> &'t str {
    text[at.clone()]
        .trim_start_matches("<!--")
        .trim_end_matches("-->")
        .trim()
}

/// The differences between a stretch and its correct text: word by word in lines of equally many words,
/// or the first other line.
fn differences(source: &SourceFile, edit: &Edit) -> Diagnostics {
    let found = &source.text()[edit.at.clone()];
    let is_large = edit.is_large();
    let problem = |at: Range<usize>, message: String| -> Diagnostic {
        let at = edit.at.start + at.start..edit.at.start + at.end;
        let problem = source.error_at(at, message).with_note(&edit.source);
        if is_large {
            problem.with_note(LARGE)
        } else {
            problem
        }
    };
    let mut problems = Diagnostics::new();
    let (mut lines, mut should) = (with_places(found, '\n'), with_places(&edit.text, '\n'));
    loop {
        let (at, line, should) = match (lines.next(), should.next()) {
            (None, None) => return problems,
            (Some((at, line)), Some((_, should))) => (at, line, should),
            (Some((at, line)), None) => {
                let message = format!("`{}` should not be here", line.trim());
                problems.push(problem(at..at + line.len(), message));
                return problems;
            }
            (None, Some((_, should))) => {
                let message = format!("`{should}` is missing");
                problems.push(problem(found.len()..found.len(), message));
                return problems;
            }
        };
        let words: Vec<_> = with_places(line, ' ').collect();
        let should_words: Vec<_> = with_places(should, ' ').collect();
        if words.len() != should_words.len() {
            let message = format!("`{line}` should be `{should}`");
            problems.push(problem(at..at + line.len(), message));
            return problems;
        }
        for ((start, word), (_, should)) in words.into_iter().zip(should_words) {
            if word != should {
                let message = format!("`{word}` should be `{should}`");
                problems.push(problem(at + start..at + start + word.len(), message));
            }
        }
    }
}

/// The parts between separators, with their places.
fn with_places(text: &str, separator: char) -> impl Iterator<Item = (usize, &str)> {
    let places = text.split(separator).scan(0, move |at, part| {
        let start = *at;
        *at += part.len() + separator.len_utf8();
        Some((start, part))
    });
    places.into_iter()
}
