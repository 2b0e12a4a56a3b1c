//! `table.md`: a table in its published shape, and what explains the differences.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use kibitz_text::counted;
use toml::Spanned;

use super::{columns_of, escaped, named, ours_like, spread_shown};
use kibitz_experiment::Kind;
use kibitz_lab::config::deviation::Deviation;
use kibitz_lab::config::entry::{Entry, TableColumn};
use kibitz_lab::config::envelope::Legibility;
use kibitz_lab::config::self_check;
use kibitz_lab::history::Tolerances;
use kibitz_lab::judge::{Joint, JudgedCell};
use kibitz_lab::outcome::{Counts, Outcome};

/// Published columns that fit beside each other; more are continued below.
const COLUMNS_ABREAST: usize = 8;

/// `table.md`; `root` is the workspace, for a link to the code of the kind.
pub(super) fn table_md(
    entry: &Entry,
    finding: Option<&str>,
    judged: &[JudgedCell],
    program: &str,
    root: &Path,
) -> String {
    let experiment = &entry.experiment;
    let title = &experiment.file.title;
    let mut text = match finding {
        Some(finding) => format!("# {finding}\n\n{title}.\n"),
        None => format!("# {title}\n\n"),
    };
    let counts: Counts = judged.iter().map(|cell| cell.outcome).collect();
    if let Some(printed_in) = &experiment.file.source {
        let (paper, place) = (printed_in.paper.get_ref(), &printed_in.place);
        let _ = if entry.is_published {
            writeln!(text, "Published in {paper}, {place}.")
        } else {
            writeln!(text, "An exploration without a published table: {place}.")
        };
    }
    if experiment.reading() == Legibility::Ocr {
        text.push_str(
            "The published values come from optical character recognition: look at the scan before \
             doubting the code.\n",
        );
    }
    let id = &experiment.id;
    let kind = match kind_file(&entry.kind, root) {
        Some(file) => format!("[{}](../../../{file})", entry.kind.name()),
        None => entry.kind.name().to_owned(),
    };
    let _ = write!(
        text,
        "Declared in [{id}.toml](../../../experiments/{id}.toml), computed by {kind}, reproduced by \
         `{program} reproduce {id}`.\n{}.\n\n",
        headline(&counts)
    );
    for columns in columns_of(judged).chunks(COLUMNS_ABREAST) {
        text.push_str(&beside_print(judged, columns));
        text.push('\n');
    }
    if experiment.file.plot.is_some() {
        text.push_str("![The table as a plot; circles are published values](plot.svg)\n\n");
    }
    text.push_str(&legend(&counts));
    let joint = Joint::new(entry.id(), judged).to_string();
    if !joint.is_empty() {
        let _ = write!(text, "\nTogether: {joint}.\n");
    }
    add_columns(&mut text, entry, &Tolerances::recorded(root));
    add_deviations(&mut text, entry, judged);
    add_self_checks(&mut text, entry);
    if let Some(notes) = &experiment.file.notes {
        let _ = write!(text, "\n## Notes\n\n{}\n", notes.trim());
    }
    text
}

/// The headline of a table, and what it shows besides.
fn headline(counts: &Counts) -> String {
    let aside: Vec<String> = Outcome::ALL
        .into_iter()
        .filter(|outcome| !outcome.is_counted() && counts.of(*outcome) > 0)
        .map(|outcome| {
            let n = counts.of(outcome);
            format!("{n} {}", outcome.word_for(n))
        })
        .collect();
    match (counts.compared(), aside.is_empty()) {
        (0, _) => counts.in_words(),
        (_, true) => counts.headline(),
        _ => format!("{}; not counted: {}", counts.headline(), aside.join(", ")),
    }
}

/// What the marks of a table mean: those that it shows.
fn legend(counts: &Counts) -> String {
    let marks: Vec<String> = Outcome::ALL
        .into_iter()
        .filter(|outcome| counts.of(*outcome) > 0 && !mark(*outcome).is_empty())
        .map(|outcome| format!("{} {outcome}", mark(outcome)))
        .collect();
    let mut text = "Each cell shows the reproduced value, ± its standard error or its standard deviation over \
                    replicates, and the published value in parentheses. "
        .to_owned();
    if !marks.is_empty() {
        let _ = write!(
            text,
            "{} ([what the outcomes mean](../../../docs/outcomes.md)). ",
            marks.join(", ")
        );
    }
    text + "Values without a mark are not judged. Differences, tolerances and reasons are in \
            [compare.csv](compare.csv).\n"
}

/// The mark of an outcome; empty if it has none.
pub(crate) fn mark(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Matches => "✓",
        Outcome::MatchesWeakly => "○",
        Outcome::Inconclusive => "~",
        Outcome::DiffersExplained => "≈",
        Outcome::DiffersUnexplained => "✗",
        Outcome::Fitted => "◇",
        Outcome::Derived => "=",
        Outcome::Illegible => "?",
        Outcome::Variant => "·",
        Outcome::Error => "!",
        Outcome::Input | Outcome::Info | Outcome::NotRun => "",
    }
}

/// Some columns of a table, reproduced beside published values.
pub(crate) fn beside_print(judged: &[JudgedCell], columns: &[&TableColumn]) -> String {
    let mut text = String::new();
    let header = columns.iter().map(|column| escaped(&named(column)));
    let header: Vec<String> = ["row".to_owned()].into_iter().chain(header).collect();
    let rule = vec!["---:"; columns.len()].join(" | ");
    let _ = writeln!(text, "| {} |\n| --- | {rule} |", header.join(" | "));
    for row in judged.chunk_by(|one, other| one.row == other.row) {
        let of_column = |name: &str| row.iter().find(|cell| cell.column.name == name);
        let cells = columns.iter().map(|column| of_column(&column.name));
        let cells: Vec<Option<&JudgedCell>> = cells.collect();
        if cells.iter().any(Option::is_some) {
            let shown = cells
                .iter()
                .map(|cell| cell.map_or_else(String::new, shown));
            let shown: Vec<String> = shown.collect();
            let _ = writeln!(text, "| {} | {} |", escaped(&row[0].row), shown.join(" | "));
        }
    }
    text
}

/// Reproduced and published value, with a mark for the outcome.
fn shown(cell: &JudgedCell) -> String {
    let printed = cell.printed.as_ref();
    let mut text = match &cell.ours {
        Some(ours) => escaped(&ours_like(printed, ours)),
        None => String::new(),
    };
    if let Some(spread) = cell.ours.as_ref().and_then(spread_shown) {
        let _ = write!(text, " ± {spread}");
    }
    if let Some(printed) = printed {
        let _ = write!(text, " ({})", escaped(&printed.to_string()));
    }
    match mark(cell.outcome) {
        "" => text.trim_start().to_owned(),
        mark => format!("{} {mark}", text.trim_start()),
    }
}

/// The file that holds the code of a kind, if it is in the workspace.
pub(crate) fn kind_file(kind: &Kind, root: &Path) -> Option<String> {
    let path: Vec<&str> = kind.type_name().split("::").collect();
    let (package, modules) = path.split_first()?;
    let module: PathBuf = modules.split_last()?.1.iter().collect();
    let folder = package.split_once('_').map_or(*package, |(_, name)| name);
    let below = [Path::new("crates").join(folder), PathBuf::new()].map(|folder| folder.join("src"));
    let files = below.iter().flat_map(|below| {
        let module = below.join(&module);
        [module.with_extension("rs"), module.join("mod.rs")]
    });
    let file = files.into_iter().find(|file| root.join(file).is_file())?;
    Some(file.to_string_lossy().replace('\\', "/"))
}

fn add_columns(text: &mut String, entry: &Entry, tolerances: &Tolerances) {
    text.push_str("\n## Columns\n\n");
    for column in &entry.columns {
        let doc = match column.doc.trim_end_matches('.') {
            "" => "as published",
            doc => doc,
        };
        let _ = write!(text, "- `{}`: {doc}; {}", column.name, column.tolerance);
        if let Some(set) = tolerances.of(entry.id(), &column.name, column.tolerance) {
            let _ = write!(text, ", {}", set.told());
        }
        if let Some(why) = &column.why {
            let _ = write!(text, ": {}", why.trim_end_matches('.'));
        }
        let baselines: Vec<String> = column.baseline.iter().map(ToString::to_string).collect();
        if !baselines.is_empty() {
            let _ = write!(text, "; baseline: {}", baselines.join(", "));
        }
        if let Some(same) = &column.same_as {
            let _ = write!(text, "; repeats `{same}`");
        }
        if let Some(expression) = &column.derived {
            let _ = write!(text, "; follows: {}", expression.text());
        }
        text.push_str(".\n");
    }
}

fn add_deviations(text: &mut String, entry: &Entry, judged: &[JudgedCell]) {
    let deviations = &entry.experiment.file.deviation;
    if !deviations.is_empty() {
        text.push_str("\n## Deviations\n\n");
    }
    for deviation in deviations.iter().map(Spanned::get_ref) {
        let explained: Counts = judged
            .iter()
            .filter(|cell| cell.outcome.differs())
            .filter(|cell| deviation.covers(&cell.row, &cell.column.name))
            .map(|cell| cell.outcome)
            .collect();
        let cells: Vec<String> = deviation
            .cells
            .iter()
            .map(|glob| format!("`{glob}`"))
            .collect();
        let up_to = deviation.up_to;
        let up_to = up_to.map_or_else(String::new, |bound| format!("up to {bound}, "));
        let _ = writeln!(
            text,
            "- {} ({up_to}{}; {}): {}",
            cells.join(", "),
            counted(explained.total(), "cell differs", "cells differ"),
            basis(deviation, &explained),
            deviation.reason.trim()
        );
        if let Some(decided_by) = &deviation.decided_by {
            let _ = writeln!(text, "  To decide it: {}", decided_by.trim());
        }
    }
}

/// The figure that shows the reason, and in how many of the cells.
fn basis(deviation: &Deviation, explained: &Counts) -> String {
    let Some(tested) = &deviation.tested else {
        return "not shown".to_owned();
    };
    let tested = tested.get_ref();
    match (explained.of(Outcome::DiffersExplained), explained.total()) {
        (0, _) => format!("not shown by `{tested}`"),
        (n, total) if n == total => format!("shown by `{tested}`"),
        (n, _) => format!("shown by `{tested}` in {n}"),
    }
}

fn add_self_checks(text: &mut String, entry: &Entry) {
    let results = self_check::run(&entry.experiment);
    if !results.is_empty() {
        text.push_str("\n## Does the paper agree with itself?\n\n");
    }
    for result in results {
        let word = if result.holds { "yes" } else { "**no**" };
        let _ = writeln!(text, "- {word}: {}.", result.text);
    }
}
