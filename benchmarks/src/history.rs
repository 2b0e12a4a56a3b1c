//! `benchmarks/history.csv`: the figures worth keeping, one line each, oldest first.

use std::{fs::OpenOptions, path::Path, process::Command, time::SystemTime};

use anyhow::{Context, ensure};
use serde::Serialize;

use crate::machine;

/// A figure beside a rival's, or by itself.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Record {
    /// Day of the run, as in `2026-01-31`.
    pub(crate) date: String,
    /// Commit, with `+` if files were changed since; empty outside a repository.
    pub(crate) revision: String,
    pub(crate) processor: String,
    /// The title of the comparison.
    pub(crate) work: String,
    /// Work per second, with its unit.
    pub(crate) figure: String,
    /// Another way of doing the work; empty if there is none.
    pub(crate) against: String,
    /// How many times as long the other way takes.
    pub(crate) ratio: String,
    /// The command that measures it again.
    pub(crate) command: String,
}

/// Appends figures to the history, with date, revision and processor of now.
///
/// # Errors
/// That the file has other columns, or cannot be read or written.
pub(crate) fn append(path: &Path, records: Vec<Record>) -> anyhow::Result<()> {
    let columns = csv::Reader::from_path(path)
        .and_then(|mut reader| reader.headers().cloned())
        .with_context(|| format!("cannot read {}", path.display()))?;
    let expected = "date revision processor work figure against ratio command";
    ensure!(
        columns.iter().eq(expected.split(' ')),
        "{} has not the columns {expected}",
        path.display()
    );
    let file = OpenOptions::new().append(true).open(path);
    let file = file.with_context(|| format!("cannot write {}", path.display()))?;
    let mut writer = csv::WriterBuilder::new()
        .has_headers(false)
        .from_writer(file);
    #[allow(clippy::disallowed_methods, reason = "a figure has a date")]
    let now = humantime::format_rfc3339_seconds(SystemTime::now().max(SystemTime::UNIX_EPOCH))
        .to_string();
    let (revision, processor) = (revision(), machine::describe());
    for record in records {
        writer.serialize(Record {
            date: now.chars().take(10).collect(),
            revision: revision.clone(),
            processor: processor.clone(),
            ..record
        })?;
    }
    Ok(writer.flush()?)
}

/// The commit that the repository is at.
fn revision() -> String {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    let Some(revision) = git(&["rev-parse", "--short", "HEAD"]) else {
        return String::new();
    };
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]);
    let mark = if changed.is_some_and(|changed| !changed.is_empty()) {
        "+"
    } else {
        ""
    };
    revision + mark
}

/// A number with three significant digits, thousands apart: `508,000`, `1.27`.
pub(crate) fn three_digits(value: f64) -> String {
    let rounded: f64 = format!("{value:.2e}").parse().unwrap_or(value);
    let text = rounded.to_string();
    let (whole, fraction) = text
        .find('.')
        .map_or((text.as_str(), ""), |at| text.split_at(at));
    let mut grouped = String::new();
    for (idx, digit) in whole.char_indices() {
        if idx > 0 && (whole.len() - idx) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_are_kept() {
        let numbers = [507_614.2, 1.274, 0.1266, 31.62, 1_467.0, 3e6];
        let shown = ["508,000", "1.27", "0.127", "31.6", "1,470", "3,000,000"];
        assert_eq!(numbers.map(three_digits), shown);
    }

    #[test]
    fn figures_are_appended_below_the_others() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("history.csv");
        let header = "date,revision,processor,work,figure,against,ratio,command\n";
        std::fs::write(&path, format!("{header},,,old,1 s,,,\"a, b\"\n")).expect("the file");
        let record = Record {
            work: "Sums, large".to_owned(),
            ratio: "2.5".to_owned(),
            ..Record::default()
        };
        append(&path, vec![record]).expect("the columns are right");
        let text = std::fs::read_to_string(&path).expect("the file");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], ",,,old,1 s,,,\"a, b\"");
        assert!(
            lines[2].ends_with(",\"Sums, large\",,,2.5,"),
            "{}",
            lines[2]
        );
        assert!(lines[2].starts_with("20"), "{}", lines[2]);
        assert_eq!(lines.len(), 3);
    }

    #[test]
    fn other_columns_are_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("history.csv");
        std::fs::write(&path, "date,work\n").expect("the file");
        let error = append(&path, Vec::new()).expect_err("columns are missing");
        assert!(error.to_string().contains("has not the columns"), "{error}");
    }
}
