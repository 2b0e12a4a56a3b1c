//! The index of all tables.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;

use super::{escaped, kinds::kinds_table};
use kibitz_lab::config::catalog::Catalog;
use kibitz_lab::config::entry::Entry;
use kibitz_lab::config::papers::Paper;
use kibitz_lab::config::self_check;
use kibitz_lab::history::{SetCounts, Tolerances};
use kibitz_lab::judge::{Joint, JudgedCell};
use kibitz_lab::outcome::{Counts, Outcome};

/// The entry of one table in the index.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct IndexLine {
    #[serde(skip)]
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) title: String,
    /// Where the paper prints it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) place: Option<String>,
    /// The finding in one sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) finding: Option<String>,
    /// What it is for, where it is not a replication or an exploration by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) role: Option<&'static str>,
    pub(crate) inputs_key: String,
    /// How many compared columns have a tolerance that was set before our first value, with it, or after.
    #[serde(skip_serializing_if = "SetCounts::is_empty")]
    pub(crate) tolerances: SetCounts,
    /// Published values that are counted.
    pub(crate) compared: usize,
    pub(crate) outcomes: Counts,
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

    pub(crate) fn new(
        entry: &Entry,
        inputs_key: &str,
        judged: &[JudgedCell],
        tolerances: &Tolerances,
    ) -> Self {
        let mut self_checks = SelfChecks::default();
        for result in self_check::run(&entry.experiment) {
            if result.holds {
                self_checks.hold += 1;
            } else {
                self_checks.fail += 1;
            }
        }
        let outcomes: Counts = judged.iter().map(|cell| cell.outcome).collect();
        Self {
            id: entry.id().to_owned(),
            kind: entry.kind.name().to_owned(),
            title: entry.experiment.file.title.clone(),
            place: entry
                .experiment
                .file
                .source
                .as_ref()
                .filter(|_| entry.is_published)
                .map(|printed_in| printed_in.place.clone()),
            finding: entry.experiment.finding(),
            role: entry.experiment.is_evidence().then_some("evidence"),
            inputs_key: inputs_key.to_owned(),
            tolerances: tolerances.counts(entry),
            compared: outcomes.compared(),
            outcomes,
            joint: Joint::new(entry.id(), judged),
            self_checks,
        }
    }
    /// Whether nothing of it is compared, here or elsewhere.
    fn is_exploration(&self) -> bool {
        self.compared + self.outcomes.of(Outcome::Variant) == 0
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
    root: &Path,
) -> String {
    let mut text = format!(
        "# Results\n\nEvery table beside the published one; `{program} reproduce` rebuilds those of the papers.\n\
         A value *matches* within its tolerance; the match is *weak* if a trivial baseline matches as well; \
         *inconclusive* means that our own spread is so wide that any plausible value would match; a difference is \
         *explained* where another value shows its cause. See [docs/outcomes.md](../docs/outcomes.md).\n\
         Fitted, input, derived, illegible and variant values are not counted.\n\
         Bonferroni-adjusted p: if random error alone separated both sides, the probability of a difference \
         as large as the largest; a small one means real differences. Permutation p: the share of shuffles of \
         our rows that match as often; a small one means that our rows match their own.\n"
    );
    let (published, others): (Vec<&Paper>, Vec<&Paper>) =
        (catalog.papers.iter()).partition(|paper| paper.details.published);
    let papers = published.into_iter().chain(others);
    let mut papers: Vec<&str> = papers.map(|paper| paper.id.as_str()).collect();
    // Experiments of a folder that `papers.toml` does not list come last, but they are not lost.
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
            let (evidence, others): (Vec<&IndexLine>, Vec<&IndexLine>) =
                own.into_iter().partition(|line| line.role.is_some());
            text.push_str(&index_table(&others));
            if !evidence.is_empty() {
                text.push_str("\n### How we know\n\nTables that support an interpretation or another table.\n\n");
                text.push_str(&index_table(&evidence));
            }
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
    let _ = write!(
        text,
        "\n## From a table to its code\n\n{}",
        kinds_table(catalog, root)
    );
    if let Some(hash) = log {
        let _ = write!(text, "\n{LOG_HASH}{hash} -->\n");
    }
    text
}

/// What stands before the hash of the log of outcomes.
pub(crate) const LOG_HASH: &str = "<!-- verdicts.csv: BLAKE3 ";

/// The headline of a paper, what is not counted, and why values differ.
fn summary(paper: Option<&Paper>, lines: &[&IndexLine]) -> String {
    let mut all = Counts::default();
    for line in lines {
        all.merge(&line.outcomes);
    }
    let mut text = format!("{}.", all.headline());
    let beside = [
        Outcome::Fitted,
        Outcome::Input,
        Outcome::Derived,
        Outcome::Illegible,
        Outcome::Variant,
    ];
    let beside = beside.into_iter().filter(|outcome| all.of(*outcome) > 0);
    let beside: Vec<String> = beside
        .map(|outcome| {
            let n = all.of(outcome);
            format!("{n} {}", outcome.word_for(n))
        })
        .collect();
    if !beside.is_empty() {
        let _ = write!(text, " Not counted: {}.", beside.join(", "));
    }
    if let Some(why) = paper.and_then(|paper| paper.details.differences.as_ref()) {
        let _ = write!(text, " {}", why.trim());
    }
    text
}

/// The table of an index: only outcomes that occur.
fn index_table(lines: &[&IndexLine]) -> String {
    let occurs = |outcome: &Outcome| lines.iter().any(|line| line.outcomes.of(*outcome) > 0);
    let shown: Vec<Outcome> = Outcome::ALL.into_iter().filter(occurs).collect();
    let mut text = String::from("| table | what |");
    for outcome in &shown {
        let _ = write!(text, " {outcome} |");
    }
    let _ = writeln!(
        text,
        " p |\n| --- | --- |{} --- |",
        " ---: |".repeat(shown.len())
    );
    for line in lines {
        let _ = write!(
            text,
            "| [{id}]({id}/table.md) | {}{} |",
            escaped(line.finding.as_ref().unwrap_or(&line.title)),
            if line.is_exploration() && line.finding.is_none() {
                " (an exploration: nothing is compared)"
            } else {
                ""
            },
            id = line.id
        );
        for outcome in &shown {
            let _ = write!(text, " {} |", line.outcomes.of(*outcome));
        }
        let _ = writeln!(text, " {} |", line.joint.short());
    }
    text
}
