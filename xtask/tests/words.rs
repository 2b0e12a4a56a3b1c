//! Documents, comments, the report, `--help` and messages are written in plain English: words and phrases
//! that a reader would have to translate do not occur.
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]

use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// What is not written, and what is written instead.
const BANNED: [(&str, &str); 27] = [
    (r"\bin print\b", "in the paper, published"),
    (
        r"\b(than|where|near|to|below|with|of|from|against|beside) print\b",
        "the published value",
    ),
    (r"\b(is|are|was|were) put in\b", "given as input"),
    (r"\bwhoever\b", "users, programs that"),
    (r"\bone's own\b", "your"),
    (r"\bmend(s|ed|ing)?\b", "fix, repair"),
    (r"\bforetell", "predict"),
    (r"\bforesee", "predict"),
    (r"\bknows? nothing\b", "baseline"),
    (
        r"\b(is|are) no (number|query|model|setting|part|name|file|text|game|move|row|column|key|table|legal|finite|version|level)\b",
        "is not a",
    ),
    (r"(^|[\s(±<>~])[-−+]?\.\d", "a leading zero"),
    (r"\bpassed over\b", "ignored"),
    (r"\bobey(s|ed)?\b", "supported, ignored"),
    (r"\bheed(s|ed)?\b", "respected"),
    (r"\bheld against\b", "compared with"),
    (r"\bat hand\b", "available, installed"),
    (r"\bof the processor\b|\bprocessor time\b", "CPU time"),
    (r"\bparted (by|otherwise)\b", "separated by"),
    (r"\b(is|are) told\b", "shows, reports"),
    (r"\bwhole numbers?\b", "integer"),
    (r"\bnone from\b", "out of range: expected"),
    (r"\b(set|kept) aside\b", "held out"),
    (
        r"(^|[^\d.,])1 (clauses|rules|cells|tables|values|literals|examples|positions|facts|lines|rows|states|moves|games|files|problems|runs|modes)\b",
        "the singular",
    ),
    (r"\band the like\b", "and similar"),
    (r"\btell apart\b", "distinguish"),
    (r"\bcommoner\b", "the majority class"),
    (r"\banew\b", "again, regenerate"),
];

fn home() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The files below a folder whose path ends so, in order, without hidden and built ones.
fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') || name == "target" {
            continue;
        }
        if path.is_dir() {
            found.extend(files(&path, end));
        } else if path.to_string_lossy().ends_with(end) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The lines of a file with their numbers, as a reader sees them.
fn lines(path: &Path) -> Vec<(usize, String)> {
    let text = fs::read_to_string(path).unwrap();
    (1..).zip(text.lines().map(str::to_owned)).collect()
}

/// The files whose path ends so in the root and in some of its folders.
fn documents(end: &str, folders: &[&str]) -> Vec<PathBuf> {
    let entries = fs::read_dir(home()).unwrap().flatten();
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_file() && path.to_string_lossy().ends_with(end))
        .collect();
    found.sort();
    for folder in folders {
        let below = files(&home().join(folder), end);
        assert!(!below.is_empty(), "{folder} has no {end}");
        found.extend(below);
    }
    found
}

/// The lines of a document, without the comments and the code in them.
fn prose(lines: Vec<(usize, String)>) -> Vec<(usize, String)> {
    let hidden = Regex::new(r"<!--.*?-->|`[^`]*`").unwrap();
    let mut is_code = false;
    let shown = lines.into_iter().filter(|(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    });
    shown
        .map(|(number, line)| (number, hidden.replace_all(&line, "").into_owned()))
        .collect()
}

/// The comments in lines of Rust, without the code in them.
fn comments(lines: Vec<(usize, String)>) -> Vec<(usize, String)> {
    let comment = Regex::new(r"^\s*//[/!]?(.*)").unwrap();
    let found = lines.into_iter().filter_map(|(number, line)| {
        let text = comment.captures(&line)?.get(1)?.as_str().to_owned();
        Some((number, text))
    });
    prose(found.collect())
}

/// The docstrings in lines of Python, without the code in them.
fn docstrings(lines: Vec<(usize, String)>) -> Vec<(usize, String)> {
    let mut is_text = false;
    let found = lines.into_iter().filter(|(_, line)| {
        let n_quotes = line.matches("\"\"\"").count();
        let is_read = is_text || n_quotes > 0;
        is_text ^= n_quotes % 2 == 1;
        is_read
    });
    prose(found.collect())
}

/// The lines of a snapshot below its head.
fn shown(path: &Path) -> Vec<(usize, String)> {
    let mut all = lines(path);
    let head = all.iter().skip(1).position(|(_, line)| line == "---");
    all.drain(..head.map_or(0, |end| end + 2));
    // Lines that were typed, or are quoted from a file, are not messages.
    let quoted = Regex::new(r"^\$ |^ *\d+ \| ").unwrap();
    all.retain(|(_, line)| !quoted.is_match(line));
    all
}

/// The texts between quotation marks of a program, without its tests, and what clap takes from comments.
fn strings(path: &Path) -> Vec<(usize, String)> {
    let literal = Regex::new(r#""((?:[^"\\]|\\.)*)("|\\?$)"#).unwrap();
    let is_cli = path.components().any(|part| part.as_os_str() == "cli")
        || path.file_name().is_some_and(|name| name == "main.rs");
    let is_test = |line: &str| line.starts_with("#[cfg(test)]");
    let code = lines(path)
        .into_iter()
        .take_while(|(_, line)| !is_test(line));
    let texts = code.filter_map(|(number, line)| {
        let line = line.trim();
        if let Some(comment) = line.strip_prefix("///") {
            return is_cli.then(|| (number, comment.to_owned()));
        }
        if line.starts_with("//") {
            return None;
        }
        let found: Vec<&str> = literal
            .captures_iter(line)
            .map(|found| found.get(1).unwrap().as_str())
            // A piece of syntax has no letters.
            .filter(|text| text.contains(char::is_alphabetic))
            .collect();
        Some((number, found.join(" | ")))
    });
    texts.collect()
}

/// What is not plain in these lines, with its place.
fn unplain(path: &Path, lines: &[(usize, String)], banned: &[(Regex, &str)]) -> Vec<String> {
    let name = path.strip_prefix(home()).unwrap_or(path).display();
    let mut found = Vec::new();
    for (number, line) in lines {
        for (pattern, instead) in banned {
            if let Some(word) = pattern.find(line) {
                let word = word.as_str().trim();
                found.push(format!("{name}:{number}: `{word}`: write {instead}"));
            }
        }
    }
    found
}

#[test]
fn what_users_read_is_plain_english() {
    let banned = BANNED.map(|(pattern, instead)| (Regex::new(pattern).unwrap(), instead));
    let mut found = Vec::new();
    for folder in ["crates", "xtask"] {
        let snapshots = files(&home().join(folder), ".snap").into_iter();
        // The samples of tables are numbers and names.
        for path in snapshots.filter(|path| !path.to_string_lossy().contains("/kinds/")) {
            found.extend(unplain(&path, &shown(&path), &banned));
        }
    }
    for path in files(&home().join("crates"), ".rs") {
        let text = path.to_string_lossy().into_owned();
        let is_read = ["/report/src/", "/lab/src/", "/src/cli/", "/src/main.rs"]
            .iter()
            .any(|part| text.contains(part));
        if is_read && !text.contains("tests") {
            found.extend(unplain(&path, &strings(&path), &banned));
        }
    }
    check(&found);
}

#[test]
fn documents_and_comments_are_plain_english() {
    let banned = BANNED.map(|(pattern, instead)| {
        // Also at the beginning of a sentence.
        let pattern = format!("(?i){pattern}");
        (Regex::new(&pattern).unwrap(), instead)
    });
    let mut found = Vec::new();
    let folders = [
        "benchmarks",
        "crates",
        "docs",
        "examples",
        "experiments",
        "python",
    ];
    for path in documents(".md", &folders) {
        found.extend(unplain(&path, &prose(lines(&path)), &banned));
    }
    for path in documents(
        ".rs",
        &[
            "benchmarks",
            "crates",
            "examples",
            "fuzz",
            "python",
            "xtask",
        ],
    ) {
        found.extend(unplain(&path, &comments(lines(&path)), &banned));
    }
    for path in documents(".py", &["python"]) {
        found.extend(unplain(&path, &docstrings(lines(&path)), &banned));
    }
    check(&found);
}

fn check(found: &[String]) {
    assert!(
        found.is_empty(),
        "{} places:\n{}",
        found.len(),
        found.join("\n")
    );
}

#[test]
fn each_rule_finds_what_it_is_for() {
    let banned = BANNED.map(|(pattern, instead)| (Regex::new(pattern).unwrap(), instead));
    for (line, instead) in [
        ("a weight of .64", "a leading zero"),
        ("% 1 clauses: tp 3", "the singular"),
        ("`x` is no number", "is not a"),
        ("nearer than print", "the published value"),
    ] {
        let lines = [(1, line.to_owned())];
        let found = unplain(Path::new("a"), &lines, &banned);
        assert_eq!(found.len(), 1, "{line}: {found:?}");
        assert!(found[0].ends_with(instead), "{found:?}");
    }
    for plain in [
        "0.64 of 1.0",
        "21 clauses",
        "v1.2.3 and ..",
        "there is no way",
    ] {
        let lines = [(1, plain.to_owned())];
        assert_eq!(unplain(Path::new("a"), &lines, &banned), [""; 0]);
    }
}

#[test]
fn comments_and_docstrings_are_read_without_their_code() {
    let numbered = |text: &str| -> Vec<(usize, String)> {
        (1..).zip(text.lines().map(str::to_owned)).collect()
    };
    let rust = "//! One `code` word.\n/// ```\n/// let two = 2;\n/// ```\nlet x = 3; // No.\n    // Four.\n";
    let found = comments(numbered(rust));
    assert_eq!(
        found,
        [(1, " One  word.".to_owned()), (6, " Four.".to_owned())]
    );
    let python = "\"\"\"One.\"\"\"\nx = 2\n\"\"\"Three,\nfour.\"\"\"\ny = 5\n";
    let found = docstrings(numbered(python));
    let lines: Vec<usize> = found.iter().map(|(number, _)| *number).collect();
    assert_eq!(lines, [1, 3, 4], "{found:?}");
}
