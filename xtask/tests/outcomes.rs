//! The recorded outcomes: each published value is counted once, a match could have failed, and every
//! surface has the same totals.
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::Value as Json;

/// The words that are counted, in the order of headlines.
const COUNTED: [&str; 5] = [
    "matches",
    "matches (weak)",
    "inconclusive",
    "differs (explained)",
    "differs (unexplained)",
];

fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn index() -> BTreeMap<String, Json> {
    let text = fs::read_to_string(home().join("results/index.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The lines of a table's `compare.csv`, by column.
fn compared(id: &str) -> Vec<BTreeMap<String, String>> {
    let path = home().join("results").join(id).join("compare.csv");
    let mut reader = csv::Reader::from_path(path).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

/// The tables, figures and sections that a text names: `tab 7.2`, `sec 7.3.1`.
fn places(text: &str) -> Vec<String> {
    static NAMED: LazyLock<Regex> = LazyLock::new(|| {
        let kind = r"(?i)\b(tables?|figs?\.|figures?|sections?|appendix|appendices)\s";
        Regex::new(&format!(
            r"{kind}((?:[\dA-Z][\d.]*(?:,\s|\sand\s|\sto\s)?)+)"
        ))
        .unwrap()
    });
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[\dA-Z][\d.]*").unwrap());
    let found = NAMED.captures_iter(text).flat_map(|found| {
        let kind = found[1].to_lowercase()[..3].to_owned();
        let numbers: Vec<String> = NUMBER
            .find_iter(&found[2])
            .map(|number| format!("{kind} {}", number.as_str().trim_end_matches('.')))
            .collect();
        numbers
    });
    found.collect()
}

/// Whether two rows are the same but for what one of them adds after a comma.
fn is_same_row(one: &str, other: &str) -> bool {
    let begins = |long: &str, short: &str| {
        long.strip_prefix(short)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(", "))
    };
    begins(one, other) || begins(other, one)
}

/// A table, a row, and where the paper has the row's values.
type Place<'a> = (&'a str, &'a str, &'a [String]);

#[test]
fn each_published_value_has_one_counted_cell() {
    let index = index();
    let tables: BTreeMap<&String, Vec<BTreeMap<String, String>>> =
        index.keys().map(|id| (id, compared(id))).collect();
    // By paper, column and value: the rows where it is counted, and where the paper prints them.
    let mut counted: BTreeMap<[&str; 3], Vec<Place<'_>>> = BTreeMap::new();
    let all_places: BTreeMap<&String, Vec<String>> = index
        .iter()
        .map(|(id, line)| (id, places(line["place"].as_str().unwrap_or_default())))
        .collect();
    let mut n_variants = 0;
    for (id, line) in &index {
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for cell in &tables[id] {
            let word = cell["outcome"].as_str();
            if let Some(word) = COUNTED.iter().find(|known| **known == word) {
                *counts.entry(word).or_default() += 1;
            }
            if COUNTED.contains(&word) && !cell["published"].is_empty() {
                let paper = id.split('/').next().unwrap();
                let key = [paper, cell["column"].as_str(), cell["published"].as_str()];
                let place = (id.as_str(), cell["row"].as_str(), all_places[id].as_slice());
                counted.entry(key).or_default().push(place);
            }
            if word == "variant" {
                n_variants += 1;
                assert!(!cell["published"].is_empty(), "{id}: a variant of nothing");
                let home = cell["reason"].strip_prefix("counted in ").unwrap();
                let home = home.split(';').next().unwrap();
                let is_home = tables[&home.to_owned()].iter().any(|other| {
                    other["published"] == cell["published"] && other["outcome"] != "variant"
                });
                // A sign is that of the published value, and A(N) is one minus the published share.
                let column = cell["column"].as_str();
                let is_read_off = column.ends_with("-sign") || matches!(column, "a-1" | "a-7");
                // A mean of draws that the home table only shows.
                let is_read_off = is_read_off || cell["row"] == "mean of the rows together";
                assert!(
                    is_home || is_read_off,
                    "{id}: {cell:?} is nowhere in {home}"
                );
            }
        }
        for word in COUNTED {
            let n = line["outcomes"][word].as_u64().unwrap();
            assert_eq!(counts.get(word).copied().unwrap_or(0), n, "{id}: {word}");
        }
        let sum: u64 = COUNTED
            .iter()
            .map(|word| line["outcomes"][word].as_u64().unwrap())
            .sum();
        assert_eq!(line["compared"].as_u64(), Some(sum), "{id}");
    }
    assert!(n_variants > 300, "{n_variants}");
    for (key, cells) in &counted {
        // Few digits meet by chance.
        if key[2].chars().filter(char::is_ascii_digit).count() < 3 {
            continue;
        }
        for (at, (id, row, place)) in cells.iter().enumerate() {
            for (other, other_row, other_place) in &cells[at + 1..] {
                let is_same_place =
                    id == other || place.iter().any(|name| other_place.contains(name));
                assert!(
                    !(is_same_place && is_same_row(row, other_row)),
                    "{key:?} is counted in {id} \"{row}\" and in {other} \"{other_row}\""
                );
            }
        }
    }
}

/// Headlines: compared, match, of these strongly, inconclusive, differ explained and unexplained; 0 for what is
/// not named, since it does not occur.
fn headlines(text: &str) -> Vec<[u64; 6]> {
    let headline = Regex::new(
        r"(?x)(\d+)\ values?\ compared:
        (?:,?\ (\d+)\ match(?:es)?\ \((?:none|(\d+))\ in\ a\ test\ that\ could\ have\ failed\))?
        (?:,?\ (\d+)\ inconclusive)?
        (?:,?\ (\d+)\ differs?\ \(explained\))?
        (?:,?\ (\d+)\ differs?\ \(unexplained\))?",
    )
    .unwrap();
    let found = headline.captures_iter(text);
    let number = |found: &Captures<'_>, group| {
        let digits = found.get(group);
        digits.map_or(0, |digits| digits.as_str().parse().unwrap())
    };
    found
        .map(|found| [1, 2, 3, 4, 5, 6].map(|group| number(&found, group)))
        .collect()
}

/// The six numbers of the row of a table that begins so.
fn row_of(text: &str, start: &str) -> Option<[u64; 6]> {
    let row = text.lines().find(|line| line.starts_with(start))?;
    let cells = row.split('|').filter_map(|cell| cell.trim().parse().ok());
    cells.collect::<Vec<u64>>().try_into().ok()
}

#[test]
fn every_surface_has_the_same_totals() {
    let mut totals: BTreeMap<String, [u64; 6]> = BTreeMap::new();
    for (id, line) in index() {
        let of = |word: &str| line["outcomes"][word].as_u64().unwrap();
        let own = [
            line["compared"].as_u64().unwrap(),
            of("matches") + of("matches (weak)"),
            of("matches"),
            of("inconclusive"),
            of("differs (explained)"),
            of("differs (unexplained)"),
        ];
        let paper = id.split('/').next().unwrap().to_owned();
        let total = totals.entry(paper).or_default();
        for (total, own) in total.iter_mut().zip(own) {
            *total += own;
        }
    }
    let list = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["list", "--root"])
        .arg(home())
        .output()
        .unwrap();
    let list = String::from_utf8(list.stdout).unwrap();
    let read = |path: &str| fs::read_to_string(home().join(path)).unwrap();
    let (index, readme) = (read("results/index.md"), read("README.md"));
    let mut together = [0; 6];
    for (paper, total) in &totals {
        let section = index.split(&format!("\n## {paper}\n")).nth(1).unwrap();
        let section = section.split("\n## ").next().unwrap();
        assert_eq!(headlines(section).first(), Some(total), "index.md, {paper}");
        let line = |text: &str, start: &str| {
            let line = text
                .lines()
                .find(|line| line.starts_with(start))
                .map(headlines);
            line.and_then(|found| found.first().copied())
        };
        // README shows the studies.
        if paper != "beyond" {
            let row = row_of(&readme, &format!("| [{paper}]"));
            assert_eq!(row.as_ref(), Some(total), "README.md, {paper}");
            together
                .iter_mut()
                .zip(total)
                .for_each(|(all, own)| *all += own);
        }
        let of_list = line(&list, &format!("{paper}: "));
        assert_eq!(of_list.as_ref(), Some(total), "xtask list, {paper}");
        let article = read(&format!("experiments/{paper}/article.md"));
        let marker = Regex::new(&format!(
            r"([\d,]+)<!-- value: (compared|match|matches|inconclusive|differs \(explained\)|differs \(unexplained\)) in {paper} -->"
        ))
        .unwrap();
        for found in marker.captures_iter(&article) {
            let at = [
                "compared",
                "match",
                "matches",
                "inconclusive",
                "differs (explained)",
                "differs (unexplained)",
            ]
            .iter()
            .position(|word| *word == &found[2])
            .unwrap();
            let n: u64 = found[1].replace(',', "").parse().unwrap();
            assert_eq!(n, total[at], "article of {paper}: {}", &found[2]);
        }
    }
    assert_eq!(row_of(&readme, "| together"), Some(together));
}

/// Half a unit of the last published digit.
fn half_unit(published: &str) -> f64 {
    let digits = published
        .split_once('.')
        .map_or(0, |(_, digits)| digits.len());
    0.5 * 10f64.powi(-i32::try_from(digits).unwrap())
}

#[test]
fn no_tolerance_of_a_match_accepts_nothing() {
    let mut n_bands = 0;
    for id in index().keys() {
        for cell in compared(id) {
            let place = format!("{id}: {cell:?}");
            let numbers =
                (cell["published"].parse::<f64>().ok()).zip(cell["reproduced"].parse::<f64>().ok());
            let is_match = cell["outcome"].starts_with("matches");
            if is_match && let Some((published, reproduced)) = numbers {
                let (low, high) = if published.abs() < reproduced.abs() {
                    (published.abs(), reproduced.abs())
                } else {
                    (reproduced.abs(), published.abs())
                };
                let is_equal =
                    (published - reproduced).abs() <= half_unit(&cell["published"]) * 1.000_001;
                let is_off = high > 2.0 * low * 1.000_001 || published * reproduced < 0.0;
                assert!(
                    is_equal || !is_off,
                    "off by more than a factor of two: {place}"
                );
            }
            if cell["outcome"] != "matches" {
                continue;
            }
            assert!(!cell["published"].is_empty(), "matches nothing: {place}");
            assert!(!cell["baseline"].is_empty(), "no baseline: {place}");
            let (Some((published, reproduced)), Some(band)) =
                (numbers, cell["tolerance"].strip_prefix("± "))
            else {
                continue;
            };
            n_bands += 1;
            let accepts_zero = if let Some(percent) = band.strip_suffix(" %") {
                percent.parse::<f64>().unwrap() >= 100.0
            } else {
                let width: f64 = band.parse().unwrap();
                let is_within = published.abs() <= width || reproduced.abs() <= width;
                is_within && width > half_unit(&cell["published"])
            };
            assert!(!accepts_zero, "{place}");
        }
    }
    assert!(n_bands > 30, "only {n_bands} were looked at");
}

/// What is said to be taken from the paper is what the paper says.
#[test]
fn an_exact_input_equals_the_published_value() {
    for id in index().keys() {
        for cell in compared(id) {
            let is_input = cell["outcome"] == "input" && cell["tolerance"] == "exact";
            if is_input && !cell["published"].is_empty() {
                let name = format!("{id}: {}.{}", cell["row"], cell["column"]);
                assert_eq!(cell["published"], cell["reproduced"], "{name}");
            }
        }
    }
}
