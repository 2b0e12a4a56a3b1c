//! One word for the state of a table, whichever command shows it.

use kibitz_desk::{Desk, Format, Mode, ReproduceOptions};
use kibitz_lab::Selection;

use crate::workspace::{Log, Workspace, mode};

/// The words of `list`, `explain`, `cells`, and `reproduce --dry-run` for all tables.
fn words(desk: &Desk) -> Vec<String> {
    let all = Selection::default();
    let list = desk.list(&all, false, Format::Json).out;
    let cells = desk.cells(&all, false, Format::Json).out;
    let of = |json: &str| -> Vec<String> {
        let lines: Vec<serde_json::Value> = serde_json::from_str(json).unwrap();
        let states = lines.iter().map(|line| line["state"].as_str().unwrap());
        states.map(str::to_owned).collect()
    };
    let explained = desk.explain("demo", None).out;
    let cells_of = explained.split("\ncells\n").skip(1);
    let lines = cells_of.flat_map(|text| text.lines().take_while(|line| line.starts_with("  ")));
    let explained = lines.map(|line| line.split(": ").nth(1).unwrap().to_owned());
    let options = ReproduceOptions {
        dry_run: true,
        format: Format::Json,
        ..ReproduceOptions::default()
    };
    let interrupted = std::sync::atomic::AtomicBool::new(false);
    let dry = desk.reproduce(&options, &Log::default(), &interrupted).out;
    let mut words: Vec<String> = [of(&list), of(&cells), of(&dry), explained.collect()].concat();
    assert_eq!(words.len(), 2 + 6 + 2 + 4);
    words.sort();
    words.dedup();
    words
}

#[test]
fn a_table_has_one_state_in_every_command() {
    let workspace = Workspace::new();
    let desk = workspace.desk();
    assert_eq!(words(&desk), ["stale"]);
    workspace.bless();
    assert_eq!(words(&desk), ["fresh"]);
    // A fresh clone.
    std::fs::remove_dir_all(workspace.path("target")).unwrap();
    assert_eq!(words(&desk), ["recorded"]);
    let log = Log::default();
    let interrupted = std::sync::atomic::AtomicBool::new(false);
    desk.reproduce(&mode(Mode::Check), &log, &interrupted);
    for line in log.lines.into_inner().unwrap() {
        assert!(line.contains(" recorded  "), "{line}");
    }
    workspace.run();
    assert_eq!(words(&desk), ["fresh"]);
    for table in ["squares", "dice"] {
        let path = format!("experiments/demo/{table}.toml");
        let (from, to) = match table {
            "dice" => ("throws = 50", "throws = 51"),
            _ => ("[params]", "[params]\noffset = 1.0"),
        };
        workspace.edit(&path, from, to);
    }
    assert_eq!(words(&desk), ["stale"]);
}
