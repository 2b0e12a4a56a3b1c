//! A second implementation of the rule of docs/outcomes.md and docs/tolerances.md, written from these pages alone, judges
//! every recorded cell.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

#[path = "outcome_rule/baseline.rs"]
mod baseline;
#[path = "outcome_rule/cell.rs"]
mod cell;
#[path = "outcome_rule/derived.rs"]
mod derived;
#[path = "outcome_rule/deviation.rs"]
mod deviation;
#[path = "outcome_rule/files.rs"]
mod files;
#[path = "outcome_rule/rule.rs"]
mod rule;
#[path = "outcome_rule/tolerance.rs"]
mod tolerance;

use cell::Cell;
use files::{Table, Tables, Tolerance, Value, WorkspaceRecord};
use rule::{Judge, NO_VALUE, Outcome, judge};

/// The counted words; the reason of a variant, and of one of several draws, says which of them it would be.
const COUNTED: [&str; 5] = [
    "matches (weak)",
    "matches",
    "inconclusive",
    "differs (explained)",
    "differs (unexplained)",
];

fn home() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| files::read_all(home()));

/// The counted word that a reason gives.
fn word_in_reason(reason: &str) -> Option<&'static str> {
    let after = |start: &str, mark: &str| {
        reason
            .strip_prefix(start)?
            .split_once(mark)
            .map(|(_, rest)| rest)
    };
    let rest = after("counted in ", "; here it ")
        .or_else(|| after("one of several draws, ", "; alone it "))?;
    let rest = rest.strip_prefix("is ").unwrap_or(rest);
    COUNTED.into_iter().find(|word| rest.starts_with(word))
}

/// What the recorded line says otherwise than the rule.
fn disagreement(recorded: &WorkspaceRecord, outcome: Outcome) -> Option<String> {
    if outcome.word == NO_VALUE && ["not run", "error"].contains(&recorded.outcome.as_str()) {
        return None;
    }
    if recorded.outcome != outcome.word {
        return Some(format!(
            "is `{}`, by the rule `{}`",
            recorded.outcome, outcome.word
        ));
    }
    if outcome.word == "fitted" {
        let differs = outcome
            .otherwise
            .is_some_and(|word| word.starts_with("differs"));
        let says = recorded.reason.ends_with("; it differs all the same");
        return (differs != says)
            .then(|| format!("is fitted, and would be {:?} otherwise", outcome.otherwise));
    }
    let says = word_in_reason(&recorded.reason);
    (says != outcome.otherwise)
        .then(|| format!("would be {says:?}, by the rule {:?}", outcome.otherwise))
}

/// The cells of a table of which the record and the rule disagree.
fn differing(tables: &Tables, name: &str, table: &Table) -> Vec<String> {
    let judged = table.recorded.iter().zip(judge(tables, table));
    let differing = judged.filter_map(|(recorded, outcome)| {
        let what = disagreement(recorded, outcome)?;
        Some(format!(
            "{name}: {}.{} {what} (published {}, reproduced {})",
            recorded.row, recorded.column, recorded.published, recorded.reproduced
        ))
    });
    differing.collect()
}

#[test]
fn every_recorded_word_is_that_of_the_rule() {
    let tables = &*TABLES;
    let differing: Vec<_> = tables
        .iter()
        .flat_map(|(name, table)| differing(tables, name, table))
        .collect();
    assert!(
        differing.is_empty(),
        "{} cells differ:\n{}",
        differing.len(),
        differing.join("\n")
    );
}

/// The baseline that is not beaten is named where it decides the word.
#[test]
fn the_named_baseline_is_that_of_the_rule() {
    let tables = &*TABLES;
    let mut wrong = Vec::new();
    for (name, table) in tables {
        let judge = Judge::new(tables, table);
        for recorded in &table.recorded {
            let cell = Cell::new(&recorded.row, &recorded.column);
            let outcome = judge.outcome(&cell);
            let Some(word) = outcome
                .otherwise
                .or(COUNTED.contains(&outcome.word).then_some(outcome.word))
            else {
                continue;
            };
            let named = ["matches (weak)", "inconclusive"]
                .contains(&word)
                .then(|| judge.baseline(&cell))
                .flatten();
            let baseline = named.unwrap_or_else(|| judge.listed(&cell));
            if baseline != recorded.baseline {
                wrong.push(format!(
                    "{name}: {}.{} ({word}): {}, by the rule {baseline}",
                    recorded.row, recorded.column, recorded.baseline
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} cells:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Cells of a column that the experiment does not declare are in no comparison.
#[test]
fn every_cell_is_recorded_with_its_values() {
    let mut wrong = Vec::new();
    for (name, table) in &*TABLES {
        let judge = Judge::new(&TABLES, table);
        let mut missing: BTreeSet<_> = table
            .published
            .keys()
            .chain(table.reproduced.keys())
            .collect();
        missing.retain(|(_, column)| table.columns.contains_key(column));
        for recorded in &table.recorded {
            missing.remove(&(recorded.row.clone(), recorded.column.clone()));
            let cell = Cell::new(&recorded.row, &recorded.column);
            let published = judge
                .published(&cell)
                .map_or(String::new(), |published| published.written);
            let reproduced = judge
                .reproduced(&cell)
                .map_or(String::new(), |reproduced| reproduced.written);
            if !same(&published, &recorded.published) || !same(&reproduced, &recorded.reproduced) {
                wrong.push(format!(
                    "{name}: {}.{}: published {published}, recorded {}; reproduced {reproduced}, recorded {}",
                    recorded.row, recorded.column, recorded.published, recorded.reproduced
                ));
            }
        }
        wrong.extend(
            missing
                .iter()
                .map(|(row, column)| format!("{name}: {row}.{column} is not in compare.csv")),
        );
    }
    assert!(
        wrong.is_empty(),
        "{} cells:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// The same text, or numbers that differ by the rounding of a mean.
fn same(a: &str, b: &str) -> bool {
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-10 * a.abs();
    a == b
        || a.parse()
            .ok()
            .zip(b.parse().ok())
            .is_some_and(|(a, b)| close(a, b))
}

#[test]
fn the_index_counts_the_words_of_the_rule() {
    let tables = &*TABLES;
    let index = std::fs::read_to_string(home().join("results/index.json")).unwrap();
    let index: BTreeMap<String, serde_json::Value> = serde_json::from_str(&index).unwrap();
    for (name, table) in tables {
        let words = table
            .recorded
            .iter()
            .zip(judge(tables, table))
            .map(|(recorded, outcome)| {
                if outcome.word == NO_VALUE {
                    recorded.outcome.as_str()
                } else {
                    outcome.word
                }
            });
        let words: Vec<_> = words.collect();
        for (word, count) in index[name]["outcomes"].as_object().unwrap() {
            let counted = words.iter().filter(|judged| *judged == word).count();
            assert_eq!(
                count.as_u64(),
                u64::try_from(counted).ok(),
                "{name}: {word}"
            );
        }
        let compared = words.iter().filter(|word| COUNTED.contains(word)).count();
        assert_eq!(
            index[name]["compared"].as_u64(),
            u64::try_from(compared).ok(),
            "{name}"
        );
    }
}

/// The worked example of the page: a player is reported to win 8.0% of its games.
#[test]
fn the_worked_example_comes_out_as_told() {
    let word = |value: &str, se: &str, random: &str, tolerance: &str| {
        let experiment = format!(
            "[columns]\nwon = {{ unit = \"%\", tol = {tolerance}, baseline = {random} }}\n[published]\nplayer = {{ won = 8.0 }}\n"
        );
        let values =
            format!("row,column,value,text,sd,n,se,samples\nplayer,won,{value},,,1,{se},1000\n");
        let compare =
            "row,column,published,reproduced,outcome,baseline,reason\nplayer,won,8.0,,,,\n";
        let table = files::read(&experiment, &values, compare);
        judge(&Tables::new(), &table)[0].word
    };
    let errors = "{ std-error = 2.0 }";
    assert_eq!(word("7.1", "0.8", "1.0", errors), "matches");
    assert_eq!(word("7.1", "0.8", "7.0", errors), "inconclusive");
    assert_eq!(word("7.1", "0.8", "7.0", "{ abs = 1.0 }"), "matches (weak)");
    assert_eq!(word("3.5", "0.8", "1.0", errors), "differs (unexplained)");
    assert_eq!(word("3.5", "3", "1.0", errors), "inconclusive");
    assert_eq!(word("8.04", "0.8", "7.0", errors), "matches (weak)");
    assert_eq!(word("8.04", "0.8", "1.0", errors), "matches");
}

#[test]
fn a_wrong_word_is_noticed() {
    let tables = &*TABLES;
    let mut words = BTreeSet::new();
    for (name, table) in tables {
        for (at, recorded) in table.recorded.iter().enumerate() {
            if words.insert(&recorded.outcome) {
                let mut changed = table.clone();
                let other = if recorded.outcome == "matches" {
                    "matches (weak)"
                } else {
                    "matches"
                };
                other.clone_into(&mut changed.recorded[at].outcome);
                assert_eq!(
                    differing(tables, name, &changed).len(),
                    1,
                    "{name}: {recorded:?}"
                );
            }
        }
    }
    assert!(words.len() > 8, "{words:?}");
}

#[test]
fn a_wrong_value_or_tolerance_is_noticed() {
    let tables = &*TABLES;
    let mut tried = 0;
    for (name, table) in tables {
        let Some(recorded) = table.recorded.iter().find(|recorded| {
            recorded.outcome == "matches"
                && recorded
                    .published
                    .parse::<f64>()
                    .is_ok_and(|published| published != 0.0)
        }) else {
            continue;
        };
        let key = (recorded.row.clone(), recorded.column.clone());
        let mut changed = table.clone();
        if let Some(reproduced) = changed.reproduced.get_mut(&key) {
            reproduced.value = Value::Number(-reproduced.value.number().unwrap());
            assert!(
                !differing(tables, name, &changed).is_empty(),
                "{name}: {recorded:?}"
            );
            tried += 1;
        }
        let mut changed = table.clone();
        changed.columns.get_mut(&recorded.column).unwrap().tolerance = Tolerance::Info;
        assert!(
            !differing(tables, name, &changed).is_empty(),
            "{name}: {recorded:?}"
        );
    }
    assert!(tried > 10, "{tried}");
}
