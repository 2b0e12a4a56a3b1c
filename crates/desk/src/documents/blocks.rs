//! Generated tables and lists, by the name between their markers.

use std::fmt::Write as _;
use std::ops::Range;

use serde::Deserialize;

use super::{Edit, Sources, changed_words};
use crate::render::{beside_print, columns_of, escaped};
use kibitz_lab::config::entry::TableColumn;
use kibitz_lab::csv::from_csv;
use kibitz_lab::judge::JudgedCell;
use kibitz_lab::outcome::{Counts, Outcome};

/// Columns of `benchmarks/history.csv`; `cargo compare --record` writes them.
const HISTORY: [&str; 8] = [
    "date",
    "revision",
    "processor",
    "work",
    "figure",
    "against",
    "ratio",
    "command",
];

/// Generates the text of a document between the markers of this name.
pub(super) fn edit(
    document: &str,
    at: Range<usize>,
    name: &str,
    sources: &Sources<'_>,
) -> Result<Edit, String> {
    let (text, source) = match name {
        "results" => (results(sources), "the committed results".to_owned()),
        "not attempted" => (not_attempted(sources), "experiments/papers.toml".to_owned()),
        "crates" => (crates(sources)?, "the manifests of the crates".to_owned()),
        "benchmarks" => (benchmarks(sources)?, "benchmarks/history.csv".to_owned()),
        _ => table(name, sources)?,
    };
    let text = format!("\n{text}");
    Ok(Edit {
        changes: changed_words(document, &at, &text),
        at,
        text,
        source: format!("by {source}"),
    })
}

/// A row for each paper, with how many of its published values have each outcome, and their sum.
fn results(sources: &Sources<'_>) -> String {
    let mut text =
        "| study | values compared | match | of these, in a test that could have failed | \
                    inconclusive | differ (explained) | differ (unexplained) |\n\
                    | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
            .to_owned();
    let mut rows = Vec::new();
    for paper in sources
        .catalog
        .papers
        .iter()
        .filter(|paper| paper.details.published)
    {
        let id = &paper.id;
        let mut own = Counts::default();
        for line in sources.index.iter().filter(|line| line.paper() == id) {
            own.merge(&line.outcomes);
        }
        if own.total() > 0 {
            rows.push((format!("[{id}](results/index.md#{id})"), own));
        }
    }
    if rows.len() > 1 {
        let mut all = Counts::default();
        for (_, own) in &rows {
            all.merge(own);
        }
        rows.push(("together".to_owned(), all));
    }
    for (study, own) in rows {
        let [strong, open, explained, unexplained] = [
            Outcome::Matches,
            Outcome::Inconclusive,
            Outcome::DiffersExplained,
            Outcome::DiffersUnexplained,
        ]
        .map(|outcome| own.of(outcome));
        let (compared, matching) = (own.compared(), own.matching());
        let _ = writeln!(
            text,
            "| {study} | {compared} | {matching} | {strong} | {open} | {explained} | {unexplained} |"
        );
    }
    text
}

/// The tables left out of each paper, and why.
fn not_attempted(sources: &Sources<'_>) -> String {
    let mut text = String::new();
    for paper in &sources.catalog.papers {
        for left_out in &paper.details.not_attempted {
            let (place, reason) = (&left_out.place, &left_out.reason);
            let _ = writeln!(text, "- {}, {place}: {reason}", paper.id);
        }
    }
    text
}

/// A crate's `Cargo.toml`.
#[derive(Deserialize)]
struct Manifest {
    package: Package,
    #[serde(default)]
    bin: Vec<Binary>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    #[serde(default)]
    description: String,
}

#[derive(Deserialize)]
struct Binary {
    name: String,
}

/// A row for each folder of `crates/`: the crate's description and programs.
fn crates(sources: &Sources<'_>) -> Result<String, String> {
    let folders = std::fs::read_dir(sources.root.join("crates"));
    let mut folders: Vec<_> = folders.into_iter().flatten().flatten().collect();
    folders.sort_by_key(std::fs::DirEntry::file_name);
    let mut text = "| crate | what it is | program |\n| --- | --- | --- |\n".to_owned();
    for folder in folders {
        let path = format!("crates/{}", folder.file_name().to_string_lossy());
        let Ok(manifest) = std::fs::read_to_string(folder.path().join("Cargo.toml")) else {
            continue;
        };
        let Manifest { package, bin } = toml::from_str(&manifest)
            .map_err(|error| format!("{path}/Cargo.toml: {}", error.message()))?;
        let programs: Vec<String> = bin.iter().map(|bin| format!("`{}`", bin.name)).collect();
        let (name, what) = (package.name, escaped(&package.description));
        let programs = programs.join(", ");
        let _ = writeln!(text, "| [{name}]({path}) | {what} | {programs} |");
    }
    Ok(text)
}

/// The latest figure of each work and rival; one without a rival only where the work has none.
fn benchmarks(sources: &Sources<'_>) -> Result<String, String> {
    const PATH: &str = "benchmarks/history.csv";
    let bytes = std::fs::read(sources.root.join(PATH));
    let bytes = bytes.map_err(|error| format!("{PATH}: {error}"))?;
    let lines = from_csv(PATH, &bytes, &HISTORY);
    let lines = lines.map_err(|error| format!("{PATH}: {error}"))?;
    let mut latest: Vec<[String; 5]> = Vec::new();
    for (number, line) in lines.into_iter().enumerate() {
        let field = |column: usize| line[column].clone().unwrap_or_default();
        // A figure that nobody can date or repeat is none.
        for column in [0, 1] {
            if field(column).is_empty() {
                let name = HISTORY[column];
                return Err(format!(
                    "{PATH}, row {}: no {name}; each figure has one",
                    number + 1
                ));
            }
        }
        let row = [3, 4, 5, 6, 7].map(field);
        let (has_rival, mut works) = (!row[2].is_empty(), latest.iter_mut());
        let same = works.find(|known| {
            let is_replaced = known[2].is_empty() || known[2] == row[2];
            known[0] == row[0] && (is_replaced || !has_rival)
        });
        match same {
            Some(known) if has_rival || known[2].is_empty() => *known = row,
            Some(_) => {}
            None => latest.push(row),
        }
    }
    let mut text =
        "| work | figure | against | ratio | command |\n| --- | --- | --- | ---: | --- |\n"
            .to_owned();
    for fields in latest {
        let [work, figure, against, ratio, command] = fields.map(|field| escaped(&field));
        let _ = writeln!(
            text,
            "| {work} | {figure} | {against} | {ratio} | `{command}` |"
        );
    }
    Ok(text)
}

/// A table beside the published values, as in its `table.md`: `paper/table`, or only some of its columns.
fn table(name: &str, sources: &Sources<'_>) -> Result<(String, String), String> {
    let mut words = name.split(' ');
    let id = words.next().unwrap_or_default();
    let Some((_, judged)) = sources.recorded.get(id) else {
        return Err(format!(
            "`{name}` is neither a recorded table nor one of `results`, `not attempted`, `crates`, \
             `benchmarks`"
        ));
    };
    let wanted: Vec<&str> = words.collect();
    let columns = chosen(id, judged, &wanted)?;
    Ok((beside_print(judged, &columns), format!("results/{id}")))
}

/// The wanted columns, or all.
fn chosen<'j>(
    id: &str,
    judged: &'j [JudgedCell],
    wanted: &[&str],
) -> Result<Vec<&'j TableColumn>, String> {
    let all = columns_of(judged);
    if wanted.is_empty() {
        return Ok(all);
    }
    let find = |name: &&str| {
        let column = all.iter().find(|column| column.name == *name);
        column
            .copied()
            .ok_or_else(|| format!("{id} shows no column `{name}`"))
    };
    wanted.iter().map(find).collect()
}
