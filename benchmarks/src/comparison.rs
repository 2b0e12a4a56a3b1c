//! One declared comparison: read, check the answers, time, report.

use std::{fs, path::Path, time::Instant};

use anyhow::{Context, ensure};
use serde::Deserialize;

use crate::{
    history::{Record, three_digits},
    machine::peak_memory_mib,
    workloads::{self, Answer, SkippedComparison},
};

/// A file in `benchmarks/comparisons/`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Declaration {
    title: String,
    notes: String,
    /// Names a module in `src/workloads/`.
    workload: String,
    /// The first is the one the others are compared with.
    engines: Vec<String>,
    /// Each engine runs this often; the fastest run counts, the slowest is shown.
    runs: u32,
    /// Answers that differ from engine to engine; they are shown and not compared.
    #[serde(default)]
    shown: Vec<String>,
    #[serde(default)]
    params: toml::Table,
    /// The values that every engine must answer, to a relative 1e-9. A value that is not declared here
    /// must still be that of the first engine.
    #[serde(default)]
    answer: Answer,
}

/// Runs a comparison, prints its table, and gives the figure of the first engine beside each rival's;
/// none if that engine was skipped.
pub(crate) fn run(path: &Path, data: Option<&Path>) -> anyhow::Result<Vec<Record>> {
    let declared: Declaration = toml::from_str(&fs::read_to_string(path)?)?;
    ensure!(declared.runs > 0, "`runs` must be at least 1");
    let name = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    println!("## {name}: {}\n", declared.title);
    let workload = match workloads::prepare(&declared.workload, declared.params, data) {
        Ok(workload) => workload,
        Err(error) => match error.downcast_ref::<SkippedComparison>() {
            Some(skipped) => {
                println!("skipped: {skipped}\n");
                return Ok(Vec::new());
            }
            None => return Err(error),
        },
    };

    println!("{}\n", declared.notes.trim());
    let mut heads = vec![format!("{} per second", workload.unit())];
    heads.push("times the first".to_owned());
    heads.extend(declared.shown.iter().cloned());
    println!("| engine | best | worst | {} |", heads.join(" | "));
    let rules = " ---: |".repeat(declared.shown.len());
    println!("| --- | ---: | ---: | ---: | ---: |{rules}");
    let mut timed: Vec<(&str, f64)> = Vec::new();
    let mut expected = declared.answer;
    'engines: for engine in &declared.engines {
        let mut seconds = Vec::new();
        let mut shown = Vec::new();
        for _ in 0..declared.runs {
            let start = Instant::now();
            let mut answer = match workload.run(engine) {
                Err(error) if error.is::<SkippedComparison>() => {
                    println!("| {engine} | skipped: {error} |");
                    continue 'engines;
                }
                other => other.with_context(|| format!("engine `{engine}`"))?,
            };
            let elapsed = start.elapsed().as_secs_f64();
            // An engine that times itself does not count the start of its process.
            seconds.push(answer.remove(workloads::SECONDS).unwrap_or(elapsed));
            shown = (declared.shown.iter())
                .map(|name| answer.remove(name))
                .collect();
            ensure!(
                !answer.is_empty() || !shown.is_empty(),
                "engine `{engine}` answers nothing"
            );
            check(engine, &expected, &answer)?;
            // The first engine that gives a figure sets it for all later ones: fast and wrong must
            // not pass.
            for (name, value) in answer {
                expected.entry(name).or_insert(value);
            }
        }
        // The best run is the least disturbed by other work of the machine.
        let best = seconds.iter().copied().fold(f64::INFINITY, f64::min);
        let worst = seconds.iter().copied().fold(0.0, f64::max);
        timed.push((engine, best));
        let times = best / timed[0].1;
        let rate = workload.n_items() as f64 / best;
        let mut values = vec![format!("{rate:.3e}"), format!("{times:.2}")];
        values.extend(shown.into_iter().map(|value: Option<f64>| {
            value.map_or_else(String::new, |value| format!("{value:.3}"))
        }));
        let values = values.join(" | ");
        println!("| {engine} | {best:.4} s | {worst:.4} s | {values} |");
    }
    if let Some(mib) = peak_memory_mib() {
        println!("\nMost memory held by the process so far: {mib:.0} MiB.");
    }
    println!();
    let rate = |seconds: f64| {
        let rate = three_digits(workload.n_items() as f64 / seconds);
        format!("{rate} {}/s", workload.unit())
    };
    // The record compares rivals with the first engine; without it there is nothing to compare.
    if timed.first().map(|(engine, _)| *engine) != declared.engines.first().map(String::as_str) {
        return Ok(Vec::new());
    }
    Ok(records(&declared.title, &name, &timed, rate))
}

/// The figure of the first engine beside each rival's.
fn records(
    title: &str,
    name: &str,
    timed: &[(&str, f64)],
    rate: impl Fn(f64) -> String,
) -> Vec<Record> {
    let Some(((_, first), rivals)) = timed.split_first() else {
        return Vec::new();
    };
    let record = |against: &str, ratio: String| Record {
        work: title.to_owned(),
        figure: rate(*first),
        against: against.to_owned(),
        ratio,
        command: format!("cargo compare {name}"),
        ..Record::default()
    };
    if rivals.is_empty() {
        return vec![record("", String::new())];
    }
    let beside = |(rival, seconds): &(&str, f64)| record(rival, three_digits(seconds / first));
    rivals.iter().map(beside).collect()
}

/// Checks the engine's answer against the expected one; it need not answer everything.
fn check(engine: &str, expected: &Answer, answer: &Answer) -> anyhow::Result<()> {
    for (name, &found) in answer {
        let Some(&expected) = expected.get(name) else {
            continue;
        };
        ensure!(
            (found - expected).abs() <= 1e-9 * expected.abs().max(1.0),
            "engine `{engine}` answers {name} = {found}, expected is {expected}",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rival_is_a_record() {
        let rate = |seconds: f64| format!("{} sums/s", 10.0 / seconds);
        let timed = [("ours", 2.0), ("abacus", 5.0), ("fingers", 250.0)];
        let records = records("Sums", "sums", &timed, rate);
        let shown: Vec<[&str; 4]> = records
            .iter()
            .map(|it| [&it.figure, &it.against, &it.ratio, &it.command].map(String::as_str))
            .collect();
        let expected = [
            ["5 sums/s", "abacus", "2.5", "cargo compare sums"],
            ["5 sums/s", "fingers", "125", "cargo compare sums"],
        ];
        assert_eq!(shown, expected);
        let alone = super::records("Sums", "sums", &timed[..1], |_| String::new());
        assert_eq!((alone.len(), alone[0].against.as_str()), (1, ""));
    }
}
