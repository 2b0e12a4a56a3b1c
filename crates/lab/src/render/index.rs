//! The index of all tables.

use std::fmt::Write as _;

use serde::Serialize;

use super::{counted, escaped, verdicts};
use crate::config::catalog::Catalog;
use crate::config::entry::Entry;
use crate::config::papers::Paper;
use crate::config::self_check;
use crate::judge::{Joint, Judged};
use crate::verdict::{Counts, Verdict};

/// The entry of one table in the index.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct IndexLine {
    #[serde(skip)]
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) title: String,
    pub(crate) inputs_key: String,
    pub(crate) verdicts: Counts,
    /// All judged cells together.
    pub(crate) joint: Joint,
    /// Self-checks of the paper that hold, and that fail.
    pub(crate) self_checks: SelfChecks,
}

/// How many self-checks of the paper hold.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct SelfChecks {
    pub(crate) hold: usize,
    pub(crate) fail: usize,
}

impl IndexLine {
    pub(crate) fn paper(&self) -> &str {
        self.id.split('/').next().unwrap_or_default()
    }

    pub(crate) fn new(entry: &Entry, inputs_key: &str, judged: &[Judged]) -> Self {
        let mut self_checks = SelfChecks::default();
        for result in self_check::run(&entry.experiment) {
            if result.holds {
                self_checks.hold += 1;
            } else {
                self_checks.fail += 1;
            }
        }
        Self {
            id: entry.id().to_owned(),
            kind: entry.kind.name().to_owned(),
            title: entry.experiment.file.title.clone(),
            inputs_key: inputs_key.to_owned(),
            verdicts: judged.iter().map(|cell| cell.verdict).collect(),
            joint: Joint::new(entry.id(), judged),
            self_checks,
        }
    }

    /// Whether nothing of it is judged.
    fn is_exploration(&self) -> bool {
        self.verdicts.judged().total() == 0
    }
}

/// `index.json`: the entries by id.
pub(crate) fn index_json(lines: &[IndexLine]) -> String {
    let fields: Vec<String> = lines
        .iter()
        .filter_map(|line| {
            let value = serde_json::to_string_pretty(line)
                .ok()?
                .replace('\n', "\n  ");
            Some(format!(
                "  {}: {value}",
                serde_json::Value::from(line.id.as_str())
            ))
        })
        .collect();
    if fields.is_empty() {
        "{}\n".to_owned()
    } else {
        format!("{{\n{}\n}}\n", fields.join(",\n"))
    }
}

/// `index.md`: one line per table, paper by paper, then the tables left out and why.
///
/// It ends with the hash of the log of verdicts, if there is one, so that an edited log is noticed.
pub(crate) fn index_md(
    catalog: &Catalog,
    lines: &[IndexLine],
    log: Option<blake3::Hash>,
    program: &str,
) -> String {
    let mut text = format!(
        "# Results\n\nEvery table beside print; `{program} reproduce` rebuilds them all.\n\
         Joint p by errors: the probability of a difference as rare as the rarest, if print and ours \
         differed by their errors alone; small where they do not. By rows: the share of shuffles of our \
         rows that meet print as often; small where ours meet their own.\n"
    );
    let mut papers: Vec<&str> = catalog
        .papers
        .iter()
        .map(|paper| paper.id.as_str())
        .collect();
    for entry in &catalog.entries {
        if !papers.contains(&entry.experiment.paper()) {
            papers.push(entry.experiment.paper());
        }
    }
    for id in papers {
        let known = catalog.papers.iter().find(|paper| paper.id == id);
        let _ = write!(text, "\n## {id}\n");
        if let Some(paper) = known {
            let _ = write!(text, "\n{}\n", paper.details.citation.trim());
            if let Some(link) = &paper.details.link {
                let _ = writeln!(text, "<{link}>");
            }
            if !paper.details.errata.is_empty() {
                text.push_str("\nErrata:\n\n");
                for erratum in &paper.details.errata {
                    let _ = writeln!(text, "- {erratum}");
                }
            }
        }
        let own: Vec<&IndexLine> = lines.iter().filter(|line| line.paper() == id).collect();
        if own.is_empty() {
            text.push_str("\nNo results yet.\n");
        } else {
            let _ = write!(text, "\n{}\n\n", summary(known, &own));
            text.push_str(&index_table(&own));
        }
        if let Some(paper) = known
            && !paper.details.not_attempted.is_empty()
        {
            text.push_str("\nNot attempted:\n\n");
            for left_out in &paper.details.not_attempted {
                let _ = writeln!(text, "- {}: {}", left_out.place, left_out.reason);
            }
        }
    }
    if let Some(hash) = log {
        let _ = write!(text, "\n{LOG_HASH}{hash} -->\n");
    }
    text
}

/// What stands before the hash of the log of verdicts.
pub(crate) const LOG_HASH: &str = "<!-- verdicts.csv: BLAKE3 ";

/// How many printed cells of a paper agree, how many differ, and why.
pub(crate) fn summary(paper: Option<&Paper>, lines: &[&IndexLine]) -> String {
    let mut all = Counts::default();
    for line in lines {
        all.merge(&line.verdicts);
    }
    let judged = all.judged();
    let cells = counted(
        judged.total(),
        "printed cell is judged",
        "printed cells are judged",
    );
    let mut text = format!("{cells}: {}.", verdicts(&judged));
    let beside = [
        (Verdict::Derived, "follow from others"),
        (Verdict::Doubtful, "are doubtful in print"),
        (Verdict::Input, "were put in"),
    ];
    let beside = beside.map(|(verdict, what)| (all.of(verdict), what));
    let beside = beside.iter().filter(|(n, _)| *n > 0);
    let beside: Vec<String> = beside.map(|(n, what)| format!("{n} {what}")).collect();
    if !beside.is_empty() {
        let _ = write!(text, " Besides, {}.", beside.join(", "));
    }
    if let Some(why) = paper.and_then(|paper| paper.details.differences.as_ref()) {
        let _ = write!(text, " {}", why.trim());
    }
    text
}

/// The table of an index: only verdicts that occur.
fn index_table(lines: &[&IndexLine]) -> String {
    let occurs = |verdict: &Verdict| lines.iter().any(|line| line.verdicts.of(*verdict) > 0);
    let shown: Vec<Verdict> = Verdict::ALL.into_iter().filter(occurs).collect();
    let mut text = String::from("| table | what |");
    for verdict in &shown {
        let _ = write!(text, " {verdict} |");
    }
    let _ = writeln!(
        text,
        " joint p |\n| --- | --- |{} --- |",
        " ---: |".repeat(shown.len())
    );
    for line in lines {
        let _ = write!(
            text,
            "| [{id}]({id}/table.md) | {}{} |",
            escaped(&line.title),
            if line.is_exploration() {
                " (an exploration: nothing is judged)"
            } else {
                ""
            },
            id = line.id
        );
        for verdict in &shown {
            let _ = write!(text, " {} |", line.verdicts.of(*verdict));
        }
        let _ = writeln!(text, " {} |", line.joint.short());
    }
    text
}
