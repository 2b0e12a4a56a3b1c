//! Two tables without a workspace: published and reproduced values, cell by cell.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::config::entry::Entry;
use crate::config::load::load_entry;
use crate::figure::Others;
use crate::judge::{Joint, JudgedCell, MissingReason, Widths, judge_within};
use crate::measurement::{Measurement, Scalar, Table};
use crate::outcome::{Counts, Outcome};
use crate::published::{PublishedValue, twelve_digits, with_digits};
use crate::results::compare_csv;
use crate::session::bad_config;
use crate::{Diagnostics, Exit, LabError, SourceFile};
use kibitz_text::counted;

use crate::numerals::looks_like_a_number;
use crate::printed_table::{PrintedColumn, PrintedTable};

/// What to compare.
#[derive(Clone, Debug)]
pub struct CompareOptions {
    /// CSV with the published values.
    pub published: PathBuf,
    /// CSV with the reproduced values.
    pub reproduced: PathBuf,
    /// The columns that name rows; the first one if none is given.
    pub by: Vec<String>,
}

/// Published and reproduced values, compared.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The files.
    pub files: [String; 2],
    /// The cells. The reason of each says why it matches or differs.
    pub judged: Vec<JudgedCell>,
    /// All cells together.
    pub joint: Joint,
    /// What is on one side only, or not used.
    pub notes: Vec<String>,
}

/// Columns of the published file of this ending hold the tolerances of a column's cells.
const TOLERANCE: &str = "-tolerance";

/// Compares two files.
///
/// # Errors
/// What is wrong with a file, with its line.
pub fn compare(options: &CompareOptions) -> Result<Comparison, LabError> {
    let mut published = PrintedTable::read(&options.published, &options.by)?;
    let reproduced = PrintedTable::read(&options.reproduced, &options.by)?;
    let tolerances = take_tolerances(&mut published)?;
    let mut notes = one_sided(&published, &reproduced);
    for table in [&published, &reproduced] {
        notes.extend(table.warnings.iter().cloned());
        if !table.ignored.is_empty() {
            notes.push(format!(
                "{}: ignored {}",
                table.file,
                table.ignored.join(", ")
            ));
        }
    }
    let entry = declared(&published, &reproduced)?;
    let mut table = Table::default();
    for (row, values) in &reproduced.rows {
        for (column, text) in reproduced.values(values) {
            let is_published = published.columns.iter().any(|own| own.name == column.name);
            if !is_published {
                continue;
            }
            table.insert(row, &column.name, measured(column, text));
        }
    }
    let missing = lacking(reproduced.row_names(), published.row_names());
    let absent = || MissingReason::NotRun(format!("not in {}", reproduced.file));
    let missing: BTreeMap<String, MissingReason> = missing
        .into_iter()
        .map(|row| (row.clone(), absent()))
        .collect();
    let mut judged = judge_within(&entry, &table, &missing, &Others::new(), &tolerances);
    judged.retain(|cell| cell.printed.is_some());
    for cell in &mut judged {
        explain(
            cell,
            tolerances.get(&(cell.row.clone(), cell.column.name.clone())),
        );
    }
    let joint = Joint::new("compare", &judged);
    Ok(Comparison {
        files: [published.file, reproduced.file],
        judged,
        joint,
        notes,
    })
}

impl Comparison {
    /// The names of the texts of [`Self::lines`].
    pub const HEADER: [&str; 6] = ["row", "column", "published", "reproduced", "outcome", "why"];

    /// How many cells have which outcome.
    pub fn counts(&self) -> Counts {
        self.judged.iter().map(|cell| cell.outcome).collect()
    }

    /// Negative if a value differs, is missing, or nothing is compared.
    pub fn exit(&self) -> Exit {
        let is_bad = |cell: &JudgedCell| {
            let outcome = cell.outcome;
            outcome.differs() || matches!(outcome, Outcome::NotRun | Outcome::Error)
        };
        if self.judged.is_empty() || self.judged.iter().any(is_bad) {
            Exit::Negative
        } else {
            Exit::Done
        }
    }

    /// The cells as texts: row, column, published value, reproduced value, outcome, and why.
    pub fn lines(&self) -> impl Iterator<Item = [String; 6]> {
        self.judged.iter().map(|cell| {
            let printed = cell.printed.as_ref().map(PublishedValue::to_string);
            let ours = cell.ours.as_ref().map(Measurement::written);
            [
                cell.row.clone(),
                cell.column.name.clone(),
                printed.unwrap_or_default(),
                ours.unwrap_or_else(|| "-".to_owned()),
                cell.outcome.to_string(),
                cell.reason.clone(),
            ]
        })
    }

    /// What is to be said of all cells together.
    pub fn summary(&self) -> Vec<String> {
        let counts = self.counts();
        let mut lines = vec![format!(
            "{}: {}",
            counted(counts.total(), "value", "values"),
            counts.in_words()
        )];
        let joint = self.joint.to_string();
        if !joint.is_empty() {
            lines.push(format!("together: {joint}"));
        }
        if self.joint == Joint::default() && counts.compared() > 0 {
            lines.push("together: no permutation test of fewer than 4 rows".to_owned());
        }
        lines.extend(self.notes.iter().cloned());
        lines
    }

    /// As CSV, in the layout of `compare.csv`.
    pub fn csv(&self) -> Vec<u8> {
        compare_csv(&self.judged)
    }
}

/// Those of the names that are not among the known ones.
fn lacking<'t>(
    known: impl Iterator<Item = &'t String>,
    names: impl Iterator<Item = &'t String>,
) -> Vec<&'t String> {
    let known: BTreeSet<&String> = known.collect();
    names.filter(|name| !known.contains(name)).collect()
}

/// Rows and columns that one side lacks.
fn one_sided(published: &PrintedTable, reproduced: &PrintedTable) -> Vec<String> {
    let mut notes = Vec::new();
    let sides = [(reproduced, published), (published, reproduced)];
    for (table, other) in sides {
        let rows = lacking(other.row_names(), table.row_names());
        let columns = lacking(other.column_names(), table.column_names());
        for (what, names) in [("row", rows), ("column", columns)] {
            if let [first, rest @ ..] = names.as_slice() {
                let more = match rest.len() {
                    0 => String::new(),
                    n => format!(" and {n} more"),
                };
                notes.push(format!("only in {}: {what} `{first}`{more}", table.file));
            }
        }
    }
    notes
}

/// Takes the columns that hold tolerances out of a table.
fn take_tolerances(published: &mut PrintedTable) -> Result<Widths, LabError> {
    let mut tolerances = Widths::new();
    let base = |column: &PrintedColumn| Some(column.name.strip_suffix(TOLERANCE)?.to_owned());
    while let Some(at) = published.columns.iter().position(|own| base(own).is_some()) {
        let column = published.columns.remove(at);
        let name = base(&column).unwrap_or_default();
        for (row, values) in &mut published.rows {
            let Some(text) = values.remove(at) else {
                continue;
            };
            let width = text.parse().ok().filter(|width: &f64| *width >= 0.0);
            let Some(width) = width else {
                let problem = crate::Diagnostic::new(format!(
                    "{}: row `{row}`, column `{}`: found `{text}`, expected a number, zero or more",
                    published.file, column.name
                ));
                return Err(crate::printed_table::bad(&problem));
            };
            tolerances.insert((row.clone(), name.clone()), width);
        }
    }
    Ok(tolerances)
}

/// The published values as an experiment whose columns are judged against shuffled rows.
fn declared(published: &PrintedTable, reproduced: &PrintedTable) -> Result<Entry, LabError> {
    let text = format!(
        "kind = \"command\"\ntitle = \"Published and reproduced values\"\n\
         source = {{ paper = \"published\", where = \"the file\" }}\n[params]\n\
         argv = [\"none\"]\noutput = \"none.csv\"\n{}{}{}",
        published.step_columns_toml(),
        published.judged_toml(reproduced.rows.len()),
        published.published_toml()
    );
    let source = SourceFile::new(published.file.as_str(), text.as_str());
    let mut problems = Diagnostics::new();
    let kinds = kibitz_command::kinds();
    let entry = load_entry("published/table", &source, &kinds, None, &mut problems);
    entry.ok_or_else(|| bad_config(&problems))
}

fn measured(column: &PrintedColumn, text: &str) -> Measurement {
    match text.parse() {
        Ok(value) if column.is_number => Measurement::exact(value),
        _ => Measurement {
            value: Scalar::Text(text.to_owned()),
            ..Measurement::exact(0.0)
        },
    }
}

/// Why a published or a reproduced value that is a text, or both, are not compared as numbers, or differ.
fn texts(cell: &JudgedCell) -> Option<String> {
    let text_of = |value: &Measurement| match &value.value {
        Scalar::Text(text) => Some(text.clone()),
        Scalar::Number(_) => None,
    };
    let published = match cell.printed.as_ref()? {
        PublishedValue::Text(text) => Some(text.clone()),
        PublishedValue::Number { .. } => None,
    };
    let reproduced = text_of(cell.ours.as_ref()?);
    let is_text = |text: &String| format!("`{text}` is text, not a number");
    match (&published, &reproduced) {
        (Some(text), None) | (None, Some(text)) => Some(is_text(text)),
        (Some(text), Some(other)) => {
            let mut both = [text, other].into_iter();
            let like = both.find(|text| looks_like_a_number(text)).map(is_text);
            like.or_else(|| (text != other).then(|| format!("`{other}` is not `{text}`")))
        }
        (None, None) => None,
    }
}

/// Adds to a cell without a reason why its values match or differ.
fn explain(cell: &mut JudgedCell, width: Option<&f64>) {
    if let Some(why) = texts(cell) {
        cell.reason = match cell.reason.as_str() {
            "" => why,
            reason => format!("{why}; {reason}"),
        };
        return;
    }
    let (
        Some(PublishedValue::Number {
            value,
            text,
            digits,
        }),
        Some(ours),
    ) = (&cell.printed, &cell.ours)
    else {
        return;
    };
    let Some(number) = ours.number() else { return };
    let written = twelve_digits(number);
    let why = if let Some(width) = width {
        let apart = twelve_digits((number - value).abs());
        let than = if cell.outcome.is_match() {
            "within"
        } else {
            "beyond"
        };
        format!("{apart} apart, {than} the tolerance {width}")
    } else {
        rounding(
            &written,
            number,
            (text, *value, *digits),
            cell.outcome.is_match(),
        )
    };
    let weak = match cell.outcome {
        Outcome::MatchesWeakly if !cell.baseline.is_empty() => format!("; weak: {}", cell.baseline),
        _ => String::new(),
    };
    let declared = match cell.reason.as_str() {
        "" => String::new(),
        reason => format!("; {reason}"),
    };
    cell.reason = format!("{why}{weak}{declared}");
}

/// How a number compares with a published one at the digits of the latter.
fn rounding(written: &str, number: f64, published: (&str, f64, i32), is_match: bool) -> String {
    let (text, value, digits) = published;
    if number.to_bits() == value.to_bits() {
        return "equal".to_owned();
    }
    let rounded = with_digits(number, digits.max(0));
    let is_plain = digits >= 0 && !text.contains('e');
    match (is_match, is_plain) {
        (true, true) if rounded == text => {
            format!("{written} rounds to {text}: matches at the published digits")
        }
        (true, _) => format!("{written} is within half a unit of the last digit of {text}"),
        (false, true) => format!("{written} rounds to {rounded}, not {text}"),
        (false, false) => format!("{written} is beyond half a unit of the last digit of {text}"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Compares two columns of numbers.
    fn compared(values: &[(String, String)]) -> Comparison {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str, texts: Vec<&String>| {
            let lines = texts.iter().enumerate();
            let lines: Vec<String> = lines.map(|(at, text)| format!("r{at},{text}\n")).collect();
            let path = folder.path().join(name);
            std::fs::write(&path, format!("row,x\n{}", lines.concat())).expect("written");
            path
        };
        let options = CompareOptions {
            published: file("published.csv", values.iter().map(|(it, _)| it).collect()),
            reproduced: file("reproduced.csv", values.iter().map(|(_, it)| it).collect()),
            by: Vec::new(),
        };
        compare(&options).expect("two tables")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn a_rounded_value_matches_and_one_a_unit_away_differs(
            values in prop::collection::vec((-1e4..1e4f64, 0..5usize), 2..6),
        ) {
            let rounded = values.iter().map(|(value, decimals)| {
                (format!("{value:.decimals$}"), format!("{value:?}"))
            });
            let rounded = compared(&rounded.collect::<Vec<_>>());
            prop_assert!(rounded.judged.iter().all(|cell| cell.outcome.is_match()));
            prop_assert_eq!(rounded.exit(), Exit::Done);
            let away = values.iter().map(|(value, decimals)| {
                let unit = 10f64.powi(-i32::try_from(*decimals).unwrap_or(0));
                (format!("{value:.decimals$}"), format!("{:?}", value + unit))
            });
            let away = compared(&away.collect::<Vec<_>>());
            prop_assert!(!away.judged.iter().any(|cell| cell.outcome.is_match()));
            prop_assert_eq!(away.exit(), Exit::Negative);
        }
    }
}
