//! The pages of `docs/` that are generated: every command with its options, and every kind of experiment.
//!
//! `KIBITZ_REFERENCE=write cargo test --workspace --test reference` regenerates them.
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

mod programs;
use programs::{PROGRAMS, built};

/// What a program prints.
fn printed(program: &str, args: &[&str]) -> String {
    let output = Command::new(built(program))
        .args(args)
        .env_remove("COLUMNS")
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .unwrap();
    assert!(output.status.success(), "{program}: {args:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The names in the list of commands of a help text.
fn subcommands(help: &str) -> Vec<&str> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| {
        let own = line.strip_prefix("  ")?.split_whitespace().next()?;
        (!line.starts_with("   ") && own != "help").then_some(own)
    });
    names.collect()
}

/// A page in the making.
#[derive(Default)]
struct Page {
    contents: String,
    text: String,
    /// The help of each command of `cargo xtask`, without how it is called.
    known: BTreeSet<String>,
}

impl Page {
    /// Adds the help of a command and of the commands below it.
    fn describe(&mut self, program: &str, called: &str, path: &[&str]) {
        let help = printed(program, &[path, &["--help"]].concat());
        let own = help.split("\nExit codes").next().unwrap_or("").trim_end();
        let name = [&[called], path].concat().join(" ");
        let is_new = self.known.insert(own.replace(called, ""));
        // `kibitz-lab` has commands of `cargo xtask`.
        if is_new {
            let level = "#".repeat(2 + path.len());
            let _ = write!(self.text, "\n{level} `{name}`\n```text\n{own}\n```\n");
        }
        let anchor = name.replace(' ', "-");
        let _ = match (is_new, path.len()) {
            (true, 0) => write!(self.contents, "\n- [`{name}`](#{anchor})"),
            (true, 1) => write!(self.contents, " [{}](#{anchor})", path[0]),
            (false, 1) => write!(self.contents, " {}", path[0]),
            _ => Ok(()),
        };
        for command in subcommands(&help) {
            self.describe(program, called, &[path, &[command]].concat());
        }
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
    let mut page = Page::default();
    page.describe("xtask", "cargo xtask", &[]);
    for program in PROGRAMS {
        page.describe(program, program, &[]);
    }
    let Page { contents, text, .. } = page;
    let page = format!(
        "# Commands\n\nEvery command with its options, as `--help` prints it. \
         All programs have the same [exit codes](exit-codes.md). \
         Commands of `kibitz-lab` without a link are those of `cargo xtask`.\n{contents}\n{text}"
    );
    check("commands.md", &page);
}

#[test]
fn the_page_of_kinds_is_what_the_program_prints() {
    let generic = printed("kibitz-lab", &["kinds"]);
    let own = printed("xtask", &["kinds"]);
    let named = |list: &str| -> Vec<(String, String)> {
        let lines = list.lines().filter(|line| !line.starts_with(' '));
        let split = lines.filter_map(|line| line.split_once(' '));
        split
            .map(|(name, what)| (name.to_owned(), what.trim().to_owned()))
            .collect()
    };
    let (generic, own) = (named(&generic), named(&own));
    let of_papers = own.iter().filter(|kind| !generic.contains(kind));
    let all = generic.iter().map(|kind| ("kibitz-lab", kind));
    let all = all.chain(of_papers.map(|kind| ("xtask", kind)));
    let mut contents = String::from("| kind | what it computes |\n| --- | --- |\n");
    let mut text = String::new();
    for (program, (kind, what)) in all {
        let shown = printed(program, &["kinds", kind]);
        let _ = writeln!(contents, "| [`{kind}`](#{kind}) | {what} |");
        let _ = write!(text, "\n## `{kind}`\n```text\n{}\n```\n", shown.trim_end());
    }
    let page = format!(
        "# Kinds of experiments\n\nA file of an experiment names its kind; \
         these are the parameters and columns of each, as `cargo xtask kinds NAME` prints them. \
         The first {} work on any data and are in `kibitz-lab`, too. \
         What all kinds share stands key by key in \
         [experiments/schema.json](../experiments/schema.json).\n\n{contents}{text}",
        generic.len()
    );
    check("kinds.md", &page);
}

#[test]
fn commands_are_read_from_a_help_text() {
    let help = "Does it\n\nUsage: it\n\nCommands:\n  one   The first,\n        wrapped\n  two   The second\n  help  Print help\n\nOptions:\n  -h\n";
    assert_eq!(subcommands(help), ["one", "two"]);
}
