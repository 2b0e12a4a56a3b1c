//! The pages of `docs/` that are generated: every command with its options, and every kind of experiment.
//!
//! `KIBITZ_REFERENCE=write cargo test --workspace --test reference` regenerates them.
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The programs, which `cargo test --workspace` builds beside the command line, and how they are called.
const PROGRAMS: [(&str, &str); 8] = [
    ("xtask", "cargo xtask"),
    ("chute", "chute"),
    ("kibitz-ilp", "kibitz-ilp"),
    ("kibitz-lab", "kibitz-lab"),
    ("kibitz-minesweeper", "kibitz-minesweeper"),
    ("kibitz-patterns", "kibitz-patterns"),
    ("kibitz-players", "kibitz-players"),
    ("kibitz-qsim", "kibitz-qsim"),
];

/// What a program prints.
fn printed(program: &str, args: &[&str]) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_xtask")).with_file_name(program);
    let output = Command::new(&program)
        .args(args)
        .env_remove("COLUMNS")
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    assert!(output.status.success(), "{}: {args:?}", program.display());
    String::from_utf8(output.stdout).unwrap()
}

/// The names in the list of commands of a help text.
fn subcommands(help: &str) -> Vec<&str> {
    let mut lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.by_ref().take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| {
        let own = line.strip_prefix("  ")?.split_whitespace().next()?;
        (!line.starts_with("   ") && own != "help").then_some(own)
    });
    names.collect()
}

/// Adds the help of a command and of the commands below it.
fn describe(page: &mut String, program: &str, called: &str, path: &[&str]) {
    let help = printed(program, &[path, &["--help"]].concat());
    let own = help.split("\nExit codes").next().unwrap_or("").trim_end();
    let name = [&[called], path].concat().join(" ");
    let level = "#".repeat(2 + path.len());
    let _ = write!(page, "\n{level} `{name}`\n```text\n{own}\n```\n");
    for command in subcommands(&help) {
        describe(page, program, called, &[path, &[command]].concat());
    }
}

/// Compares a page with what it should hold, or writes it if that is asked for.
fn check(name: &str, page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../docs")
        .join(name);
    if std::env::var_os("KIBITZ_REFERENCE").is_some() {
        fs::write(&path, page).unwrap();
    }
    let there = fs::read_to_string(&path).unwrap();
    let differs = there.lines().zip(page.lines()).position(|(a, b)| a != b);
    assert!(
        there == page,
        "docs/{name} is not what the programs print, from line {:?}: \
         `KIBITZ_REFERENCE=write cargo test --workspace --test reference` regenerates it",
        differs.map(|line| line + 1)
    );
}

#[test]
fn the_page_of_commands_is_what_the_programs_print() {
    let mut page = String::from(
        "# Commands\n\nEvery command with its options, as `--help` prints it. \
         All programs have the same [exit codes](exit-codes.md).\n",
    );
    for (program, called) in PROGRAMS {
        describe(&mut page, program, called, &[]);
    }
    check("commands.md", &page);
}

#[test]
fn the_page_of_kinds_is_what_the_program_prints() {
    let mut page = String::from(
        "# Kinds of experiments\n\nA file of an experiment names its kind; \
         these are its parameters and columns, as `cargo xtask kinds NAME` prints them. \
         What all kinds share is in [Your own tables](own-tables.md) and, key by key, in `experiments/schema.json`.\n",
    );
    let list = printed("xtask", &["kinds"]);
    let names = list.lines().filter(|line| !line.starts_with(' '));
    for name in names.filter_map(|line| line.split_whitespace().next()) {
        let own = printed("xtask", &["kinds", name]);
        let _ = write!(page, "\n## `{name}`\n```text\n{}\n```\n", own.trim_end());
    }
    check("kinds.md", &page);
}

#[test]
fn commands_are_read_from_a_help_text() {
    let help = "Does it\n\nUsage: it\n\nCommands:\n  one   The first,\n        wrapped\n  two   The second\n  help  Print help\n\nOptions:\n  -h\n";
    assert_eq!(subcommands(help), ["one", "two"]);
}
