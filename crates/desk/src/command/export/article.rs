//! An article about a replication, to be completed: what the results say is filled in.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::citation::Author;
use super::{Citation, Package, recorded};
use crate::Answer;
use crate::render::ours_like;
use kibitz_lab::config::entry::Entry;
use kibitz_lab::judge::{JudgedCell, judge_all};
use kibitz_lab::outcome::Counts;
use kibitz_lab::published::PublishedValue;
use kibitz_lab::results::read_committed;
use kibitz_lab::session::Session;
use kibitz_text::counted;

/// Sections that only the authors can write, with what belongs there.
const OPEN: [(&str, &str); 2] = [
    (
        "What the paper leaves open",
        "Each choice that the text does not make, and the one made here.",
    ),
    (
        "Obstacles",
        "Data, programs and details that were missing, and what helped.",
    ),
];

/// Writes `article.md`.
pub(super) fn write(
    session: &Session<'_>,
    citation: &Citation,
    package: &mut Package<'_>,
) -> Result<String, Answer> {
    let others = session.intact_others();
    let mut by_paper: BTreeMap<&str, Vec<(&Entry, Vec<JudgedCell>)>> = BTreeMap::new();
    for (entry, _) in recorded(session) {
        let results = session.lab.root.join("results");
        let Some(committed) = read_committed(&results, entry.id()).map_err(|error| {
            Answer::failed(kibitz_lab::Exit::Missing, format!("error: {error}\n"))
        })?
        else {
            continue;
        };
        let judged = judge_all(entry, &committed.table, &others);
        let paper = entry.experiment.paper();
        by_paper.entry(paper).or_default().push((entry, judged));
    }
    for tables in by_paper.values_mut() {
        tables.sort_by_key(|(entry, _)| entry.experiment.is_evidence());
    }
    let authors: Vec<String> = citation.authors.iter().map(Author::name).collect();
    let mut text = format!("# {}\n\n{}\n", citation.title, authors.join(", "));
    for (paper, tables) in &by_paper {
        add_paper(&mut text, session, paper, tables);
    }
    let program = &session.lab.program;
    let _ = write!(
        text,
        "\n## Reproduce these results\n\n`{program} reproduce` computes every table again and \
         compares it with the paper.\n"
    );
    package.write("article.md", text.as_bytes())?;
    Ok(counted(by_paper.len(), "paper", "papers"))
}

fn add_paper(
    text: &mut String,
    session: &Session<'_>,
    paper: &str,
    tables: &[(&Entry, Vec<JudgedCell>)],
) {
    let mut papers = session.catalog.papers.iter();
    let known = papers.find(|known| known.id == paper);
    let citation = known.map_or(paper, |known| known.details.citation.as_str());
    let cells = tables.iter().flat_map(|(_, judged)| judged);
    let counts: Counts = cells.map(|cell| cell.outcome).collect();
    let _ = write!(
        text,
        "\n## {}\n\n{citation}\n\nOf {}: {}.\n",
        known
            .and_then(|known| known.details.title.as_deref())
            .unwrap_or(paper),
        counted(counts.compared(), "published value", "published values"),
        counts.counted().in_words()
    );
    for (heading, about) in OPEN {
        let _ = write!(text, "\n### {heading}\n\n*{about}*\n");
    }
    for (entry, judged) in tables {
        add_table(text, entry, judged);
    }
}

/// The published values of a table beside the reproduced ones, and why they differ.
fn add_table(text: &mut String, entry: &Entry, judged: &[JudgedCell]) {
    let file = &entry.experiment.file;
    let place = file.source.as_ref().map_or("", |source| &source.place);
    let _ = write!(text, "\n### {place}: {}\n\n", file.title);
    let compared: Vec<&JudgedCell> = judged
        .iter()
        .filter(|cell| cell.printed.is_some())
        .collect();
    if compared.is_empty() {
        text.push_str("No published value.\n");
        return;
    }
    text.push_str(
        "| row | column | published | reproduced | outcome |\n| --- | --- | --- | --- | --- |\n",
    );
    for cell in &compared {
        let escaped = |text: &str| text.replace('|', "\\|").replace('\n', " ");
        let published = cell
            .printed
            .as_ref()
            .map_or_else(String::new, PublishedValue::to_string);
        let ours = cell.ours.as_ref();
        let reproduced = ours.map_or_else(
            || "–".to_owned(),
            |ours| ours_like(cell.printed.as_ref(), ours),
        );
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            escaped(&cell.row),
            escaped(&cell.column.name),
            escaped(&published),
            escaped(&reproduced),
            cell.outcome
        );
    }
    for cell in compared.iter().filter(|cell| cell.outcome.differs()) {
        let reason = match cell.reason.as_str() {
            "" => "*the cause is not known*",
            reason => reason,
        };
        let _ = write!(
            text,
            "\n`{}`, `{}`: {reason}.\n",
            cell.row, cell.column.name
        );
    }
}
