//! The commands that the documents tell people to type, typed; and the numbers they quote.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

use regex::Regex;
use tempfile::TempDir;

fn home() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// A section of a document.
fn section(document: &str, title: &str) -> String {
    let text = fs::read_to_string(home().join(document)).unwrap();
    let mut sections = text.split("\n## ");
    let found = sections.find_map(|section| section.strip_prefix(&format!("{title}\n")));
    found.unwrap().to_owned()
}

/// A folder in which to type.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        fs::create_dir(folder.path("experiments")).unwrap();
        folder
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    fn run(&self, program: &str, arguments: &[&str]) -> (i32, String, String) {
        let output = Command::new(program)
            .args(arguments)
            .current_dir(self.0.path())
            .env_remove("CARGO_TARGET_DIR")
            .env_remove("CARGO_MANIFEST_DIR")
            .env_remove("CI")
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (
            output.status.code().unwrap_or(-1),
            text(output.stdout),
            text(output.stderr),
        )
    }

    /// Types a line that begins with `cargo xtask`.
    fn type_in(&self, line: &str) -> (i32, String, String) {
        let words = line.strip_prefix("cargo xtask ").unwrap();
        let words: Vec<&str> = Regex::new(r#""([^"]*)"|(\S+)"#)
            .unwrap()
            .captures_iter(words)
            .map(|word| word.get(1).or(word.get(2)).unwrap().as_str())
            .collect();
        self.run(env!("CARGO_BIN_EXE_xtask"), &words)
    }

    fn git(&self, arguments: &[&str]) -> String {
        let who = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
        let (code, out, err) = self.run("git", &[&who, arguments].concat());
        assert_eq!(code, 0, "{err}");
        out
    }
}

/// The first games of Fischer's, as if they were another's.
fn games(n_games: usize) -> String {
    let text = fs::read_to_string(home().join("data/fischer-games.pgn")).unwrap();
    let mut games = text
        .split_inclusive("\n\n[Event ")
        .take(n_games)
        .collect::<String>();
    games.truncate(games.rfind("[Event ").unwrap());
    games.replace("Fischer, Robert James", "Doe, Jane")
}

#[test]
fn from_a_pgn_to_a_table() {
    let page = fs::read_to_string(home().join("docs/own-games.md")).unwrap();
    let folder = Folder::new();
    fs::write(folder.path("mine.pgn"), games(40)).unwrap();
    let commands = page.lines().filter_map(|line| line.strip_prefix("$ "));
    let mut all = String::new();
    for line in commands.filter(|line| line.starts_with("cargo xtask ")) {
        let line = line.replace("player=Fischer", "player=Doe");
        let (code, out, err) = folder.type_in(&line);
        assert_eq!(code, 0, "{line}: {err}");
        all += &out;
    }
    assert!(all.contains("1 table, 6 values: 6 info"), "{all}");
    let audit = "audit: mine of `Doe`: 40 games counted, 0 bad, 0 repaired, 0 left out";
    assert!(all.contains(audit), "{all}");
    let moves = fs::read_to_string(folder.path("experiments/mine/moves.toml")).unwrap();
    let player = "{ name = \"Doe\", games = \"games\", player = \"Doe\" }";
    assert!(moves.contains(player), "{moves}");
    let (code, out, _) = folder.type_in("cargo xtask kinds move-alternatives");
    assert_eq!(code, 0);
    assert!(out.contains(r#""not-this-player""#), "{out}");
    // The way to choose games.
    let choice = section("docs/own-games.md", "Choose games");
    let choice = choice.split("```").nth(1).unwrap();
    let choice = choice.strip_prefix("toml\n").unwrap().trim_end();
    let file = folder.path("experiments/mine/moves.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("games = \"games\"", choice, 1)).unwrap();
    let (code, out, err) = folder.type_in("cargo xtask reproduce");
    assert_eq!(
        code, 5,
        "no game of the first forty is of the nineties\n{out}\n{err}"
    );
    assert!(
        err.contains("none of the 40 games of `mine` is left"),
        "{err}"
    );
}

#[test]
fn a_query_is_a_table() {
    let page = section("docs/own-tables.md", "A table that is a query");
    let file = page
        .split("```")
        .nth(1)
        .unwrap()
        .strip_prefix("toml\n")
        .unwrap();
    let folder = Folder::new();
    for shared in ["data", "experiments/papers.toml"] {
        symlink(home().join(shared), folder.path(shared)).unwrap();
    }
    fs::create_dir_all(folder.path("experiments/sugar1975")).unwrap();
    fs::copy(
        home().join("experiments/sugar1975/scores.toml"),
        folder.path("experiments/sugar1975/scores.toml"),
    )
    .unwrap();
    let new = "cargo xtask new beyond/captures --kind query --from sugar1975/scores";
    assert!(page.contains(new));
    let (code, out, err) = folder.type_in(new);
    assert_eq!(code, 0, "{err}");
    let (code, _, err) = folder.type_in("cargo xtask reproduce beyond/captures");
    assert_eq!(code, 0, "as it is written it passes: {out}{err}");

    fs::write(folder.path("experiments/beyond/captures.toml"), file).unwrap();
    let (code, out, err) = folder.type_in("cargo xtask reproduce beyond/captures");
    assert_eq!(code, 1, "it differs: {out}{err}");
    assert!(
        err.contains("differs: beyond/captures \"captures\".first  published 31"),
        "{err}"
    );
    let table = folder.path("target/kibitz/results/beyond/captures/table.csv");
    let table = fs::read_to_string(table).unwrap();
    let line = table.lines().find(|line| line.contains("first")).unwrap();
    let std_error: f64 = line.split(',').nth(6).unwrap().parse().unwrap();
    assert!(std_error > 0.1 && std_error < 5.0, "{line}");
}

#[test]
fn bad_games_are_counted_and_listed_and_others_left_out() {
    let folder = Folder::new();
    let bad = "\n\n[Event \"?\"]\n[White \"Doe, Jane\"]\n[Black \"X\"]\n\n1. e4 e5 2. Ke3 1-0\n\n\
               [Event \"?\"]\n[White \"X\"]\n[Black \"Y\"]\n\n1. e4 e5 2. Nf3 1-0\n";
    fs::write(folder.path("mine.pgn"), games(10) + bad).unwrap();
    let (code, out, err) = folder.type_in("cargo xtask data add mine.pgn --license L --origin O");
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("11 games, and 1 that cannot be read"), "{out}");
    assert!(err.contains("game 11: illegal move 2. Ke3"), "{err}");
    let remedy =
        "for `games = \"games\"`:\n      games = { data = \"games\", on-bad-game = \"report\" }\n";
    assert!(err.contains(remedy), "{err}");
    folder.type_in("cargo xtask new my/own --kind move-coding --set player=Doe");
    let reproduce = || folder.type_in("cargo xtask reproduce my/own");
    let said = |text: &str, expected: &str| assert!(text.contains(expected), "{text}");
    let (code, _, err) = reproduce();
    assert_eq!(code, 5);
    said(
        &err,
        "illegal move 2. Ke3; `on-bad-game = \"report\"` leaves bad games out",
    );
    let games = "games = { data = \"games\", on-bad-game = \"report\" }";
    let file = folder.path("experiments/my/own.toml");
    let edit = |from: &str, to: &str| {
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(&file, text.replace(from, to)).unwrap();
    };
    edit("games = \"games\"", games);
    let (code, _, err) = reproduce();
    assert_eq!(code, 5);
    said(
        &err,
        "(X - Y) should have `Doe` on just one side; `skip = \"not-this-player\"`",
    );
    edit("\"report\" }", "\"report\", skip = \"not-this-player\" }");
    let (code, out, err) = reproduce();
    assert_eq!(code, 0, "{err}");
    said(&out, "bad-games (games)  left-out (games)");
    let audit = "audit: mine of `Doe`: 10 games counted, 1 bad, 0 repaired, 1 left out";
    said(&out, audit);
    assert_eq!(
        err.matches("game 11: illegal move").count(),
        1,
        "said once: {err}"
    );
    edit(
        "\"not-this-player\" }",
        "\"not-this-player\", select = { color = \"whit\" } }",
    );
    let (code, _, err) = reproduce();
    assert_eq!(code, 2);
    said(&err, "unknown value `whit`");
    said(&err, "did you mean `white`?");
}

/// A repair of a tag is counted and listed as one of a move is.
#[test]
fn tags_that_are_not_utf8_are_repairs() {
    let folder = Folder::new();
    let text = b"[Event \"?\"]\n[White \"J\xf6rg\"]\n[Black \"X\"]\n\n1. e4 e5 1-0\n";
    fs::write(folder.path("mine.pgn"), text).unwrap();
    let (code, out, err) = folder.type_in("cargo xtask data add mine.pgn --license L --origin O");
    assert_eq!(code, 0, "{err}");
    assert!(
        out.contains("1 game, 1 of them read with repairs."),
        "{out}"
    );
    let repair = "mine.pgn:2: game 1: the tag White is not UTF-8; it is read as Windows-1252";
    assert!(err.contains(repair), "{err}");
    assert!(!err.contains("on-bad-game"), "no game is bad: {err}");
}

#[test]
fn every_kind_that_reads_games_counts_them() {
    let folder = Folder::new();
    let others = "\n\n[Event \"?\"]\n[White \"Doe, Jane\"]\n[Black \"X\"]\n\n1. e4 e5 2. Ke3 1-0\n\n\
                  [Event \"?\"]\n[White \"Doe, Jane\"]\n[Black \"Y\"]\n\n1. e4 e5 2. Nf3 1/2\n";
    fs::write(folder.path("mine.pgn"), games(6) + others).unwrap();
    folder.type_in("cargo xtask data add mine.pgn --license L --origin O");
    let decisive = games(6).matches("[Result \"1/2-1/2\"]").count();
    let decisive = format!(
        "{} games counted, 1 bad, 1 repaired, {} left out",
        6 - decisive,
        1 + decisive
    );
    let all = "7 games counted, 1 bad, 1 repaired, 0 left out".to_owned();
    for (kind, command, games, counts) in [
        ("move-alternatives", "dataset", "games = \"games\"", &all),
        ("move-coding", "reproduce", "games = \"games\"", &all),
        ("scored-moves", "dataset", "games = \"library\"", &decisive),
        ("score-survey", "reproduce", "", &decisive),
    ] {
        let new = format!("cargo xtask new my/{kind} --kind {kind}");
        let set = if games.contains("\"games\"") {
            " --set player=Doe"
        } else {
            ""
        };
        let (code, _, err) = folder.type_in(&(new + set));
        assert_eq!(code, 0, "{kind}: {err}");
        let file = folder.path(&format!("experiments/my/{kind}.toml"));
        let text = fs::read_to_string(&file).unwrap();
        if let Some((_, data)) = games.split_once(" = ") {
            let report = format!("games = {{ data = {data}, on-bad-game = \"report\" }}");
            fs::write(&file, text.replace(games, &report)).unwrap();
        }
        let (code, out, err) = folder.type_in(&format!("cargo xtask {command} my/{kind}"));
        assert_eq!(code, 0, "{kind}: {out}{err}");
        let audit = out.lines().find(|line| line.starts_with("audit: mine"));
        assert!(
            audit.is_some_and(|line| line.ends_with(counts)),
            "{kind}: {out}"
        );
        assert!(err.contains("illegal move 2. Ke3"), "{kind}: {err}");
    }
}

#[test]
fn the_steps_to_a_table_work_as_written() {
    let steps = section("CONTRIBUTING.md", "Add a table");
    let folder = Folder::new();
    for shared in ["benchmarks", "crates", "xtask", "Cargo.toml", "Cargo.lock"] {
        symlink(home().join(shared), folder.path(shared)).unwrap();
    }
    fs::write(folder.path(".gitignore"), "target/\n").unwrap();
    // A picture that the program draws.
    fs::create_dir(folder.path("docs")).unwrap();
    let drawn = "docs/krk-loop.svg";
    fs::copy(home().join(drawn), folder.path(drawn)).unwrap();
    folder.type_in("cargo xtask schema");
    folder.git(&["init", "-q"]);
    folder.git(&["add", "-A"]);
    folder.git(&["commit", "-q", "-m", "All"]);
    let typed = Regex::new("`(cargo xtask [^`]*)`").unwrap();
    let mut n_typed = 0;
    for line in typed.captures_iter(&steps) {
        let line = line[1].replace("<paper>/<table>", "beyond/mine");
        let (code, out, err) = folder.type_in(&line.replace("<kind>", "weight-recovery"));
        assert_eq!(code, 0, "{line}\n{out}\n{err}");
        n_typed += 1;
    }
    assert!(n_typed >= 4, "{steps}");
    // "Commit both."
    let changed = folder.git(&["status", "--porcelain"]);
    let changed: Vec<&str> = changed.lines().map(|line| &line[3..]).collect();
    assert_eq!(changed, ["experiments/beyond/", "results/"]);
    folder.git(&["add", "-A"]);
    folder.git(&["commit", "-q", "-m", "A table"]);
    let (code, out, err) = folder.type_in("cargo xtask reproduce --check");
    assert_eq!(code, 0, "{out}\n{err}");
}

/// A change of any digit of a result in README is reported with its line.
#[test]
fn a_changed_digit_fails_the_check_with_its_line() {
    let folder = Folder::new();
    fs::remove_dir(folder.path("experiments")).unwrap();
    for entry in fs::read_dir(home()).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if !["README.md", "target"].contains(&name.as_str()) {
            symlink(entry.path(), folder.path(&name)).unwrap();
        }
    }
    let readme = fs::read_to_string(home().join("README.md")).unwrap();
    fs::write(folder.path("README.md"), &readme).unwrap();
    let (code, out, err) = folder.type_in("cargo xtask refresh --check");
    assert_eq!(code, 0, "{out}{err}");

    // Marked numbers, outcomes of papers, and values of tables.
    let result = Regex::new(r"(\d)(<!-- value: | ± | \|$)").unwrap();
    let mut changed = Vec::new();
    let lines = readme.lines().enumerate().map(|(idx, line)| {
        let Some(found) = result.captures(line) else {
            return line.to_owned();
        };
        changed.push(idx + 1);
        let at = found.get(1).unwrap();
        let digit: u8 = at.as_str().parse().unwrap();
        format!(
            "{}{}{}",
            &line[..at.start()],
            (digit + 1) % 10,
            &line[at.end()..]
        )
    });
    let lines: Vec<String> = lines.collect();
    assert!(changed.len() >= 12, "{changed:?}");
    fs::write(folder.path("README.md"), lines.join("\n") + "\n").unwrap();
    let (code, _, err) = folder.type_in("cargo xtask refresh --check");
    assert_eq!(code, 1, "{err}");
    for line in &changed {
        assert!(
            err.contains(&format!("README.md:{line}:")),
            "line {line}: {err}"
        );
    }
    let (code, _, _) = folder.type_in("cargo xtask reproduce --check jansen2000/table2");
    assert_eq!(code, 1);
}
