//! Pictures that show numbers. A picture cannot be brought up to date here, so a text beside it says
//! what it shows: `NAME.png.md` beside `NAME.png` in `docs/`, with the usual markers, and
//! ```text
//! <!-- picture: BLAKE3 of NAME.png -->
//! ```
//! While the picture is the one that was described, a number that is another one now means that the
//! picture is out of date. Once it is made again, the text is brought up to date with it.

use std::ops::Range;

use super::markdown::{Part, parts};
use super::{Document, LARGE, Sources, comment, update};
use kibitz_lab::files::FileError;
use kibitz_text::{Diagnostic, Diagnostics, SourceFile};

/// The texts beside pictures below `docs/`.
///
/// # Errors
/// A file that cannot be read.
pub(super) fn texts(sources: &Sources<'_>) -> Result<Vec<Document>, FileError> {
    let mut pictures = Vec::new();
    let files = std::fs::read_dir(sources.root.join("docs"));
    for file in files.into_iter().flatten().flatten() {
        let name = file.file_name().to_string_lossy().into_owned();
        let picture = name.strip_suffix(".md");
        let is_picture = |name: &&str| {
            let mut endings = [".png", ".jpg", ".webp", ".svg"].iter();
            endings.any(|ending| name.ends_with(ending))
        };
        if let Some(picture) = picture.filter(is_picture) {
            pictures.push(format!("docs/{picture}"));
        }
    }
    pictures.sort();
    let text_of = |picture: String| {
        let path = format!("{picture}.md");
        let file = sources.root.join(&path);
        let text = std::fs::read_to_string(&file);
        let text = text.map_err(|error| FileError::new("read", &file, error))?;
        let bytes = std::fs::read(sources.root.join(&picture)).ok();
        Ok(described(
            &SourceFile::new(path, text),
            &picture,
            bytes.as_deref(),
            sources,
        ))
    };
    pictures.into_iter().map(text_of).collect()
}

/// The text beside a picture.
fn described(
    source: &SourceFile,
    picture: &str,
    bytes: Option<&[u8]>,
    sources: &Sources<'_>,
) -> Document {
    let mut document = update(source, sources);
    let Some(bytes) = bytes else {
        let problem = Diagnostic::new(format!("{picture} is missing"));
        document
            .problems
            .push(problem.with_note(format!("{} describes it", source.path())));
        return document;
    };
    let hash = blake3::hash(bytes).to_hex().to_string();
    let Some((at, known)) = described_hash(source.text()) else {
        let problem = source.error_at(0..0, "this text does not say which picture it describes");
        let problem = problem.with_note(format!("write `<!-- picture: {hash} -->`"));
        document.problems.push(problem);
        return document;
    };
    if known != hash {
        // It shows what there is now.
        let mut stale = Diagnostics::new();
        stale.push(source.error_at(at, format!("{picture} is another picture")));
        document.stale.append(stale);
        document.text = document.text.replace(&known, &hash);
        document.cautious.clone_from(&document.text);
        for change in &mut document.changes {
            change.is_large = false;
        }
        return document;
    }
    let again = |stale: &Diagnostic| {
        let mut stale = stale.clone();
        stale.notes.retain(|note| note != LARGE);
        stale.with_note(format!("{picture} is out of date: draw it again"))
    };
    let outdated: Diagnostics = document.stale.iter().map(again).collect();
    document.problems.append(outdated);
    document.stale = Diagnostics::new();
    document.changes.clear();
    source.text().clone_into(&mut document.text);
    source.text().clone_into(&mut document.cautious);
    document
}

/// The hash of the described picture, and where it is.
fn described_hash(text: &str) -> Option<(Range<usize>, String)> {
    parts(text).into_iter().find_map(|part| match part {
        Part::Comment(at) => {
            let hash = comment(text, &at).strip_prefix("picture: ")?.to_owned();
            Some((at, hash))
        }
        _ => None,
    })
}
