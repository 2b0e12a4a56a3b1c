//! One word for the state of a table, whichever command shows it.

use kibitz_lab::{Format, Lab, Mode, ReproduceOptions, Selection};

use crate::workspace::{Log, Workspace, mode};

/// The words of `list`, `explain`, `cells`, and `reproduce --dry-run` for all tables.
fn words(lab: &Lab) -> Vec<String> {
    let all = Selection::default();
    let list = lab.list(&all, false, Format::Json).out;
    let cells = lab.cells(&all, false, Format::Json).out;
    let of = |json: &str| -> Vec<String> {
        let lines: Vec<serde_json::Value> = serde_json::from_str(json).unwrap();
        let states = lines.iter().map(|line| line["state"].as_str().unwrap());
        states.map(str::to_owned).collect()
    };
    let explained = lab.explain("demo", None).out;
    let cells_of = explained.split("\ncells\n").skip(1);
    let lines = cells_of.flat_map(|text| text.lines().take_while(|line| line.starts_with("  ")));
    let explained = lines.map(|line| line.split(": ").nth(1).unwrap().to_owned());
    let options = ReproduceOptions {
        dry_run: true,
        format: Format::Json,
        ..ReproduceOptions::default()
    };
    let interrupted = std::sync::atomic::AtomicBool::new(false);
    let dry = lab.reproduce(&options, &Log::default(), &interrupted).out;
    let mut words: Vec<String> = [of(&list), of(&cells), of(&dry), explained.collect()].concat();
    assert_eq!(words.len(), 2 + 6 + 2 + 4);
    words.sort();
    words.dedup();
    words
}

#[test]
fn a_table_has_one_state_in_every_command() {
    let workspace = Workspace::new();
    let lab = workspace.lab();
    assert_eq!(words(&lab), ["stale"]);
    workspace.bless();
    assert_eq!(words(&lab), ["fresh"]);
    // A fresh clone.
    std::fs::remove_dir_all(workspace.path("target")).unwrap();
    assert_eq!(words(&lab), ["recorded"]);
    let log = Log::default();
    let interrupted = std::sync::atomic::AtomicBool::new(false);
    lab.reproduce(&mode(Mode::Check), &log, &interrupted);
    for line in log.lines.into_inner().unwrap() {
        assert!(line.contains(" recorded  "), "{line}");
    }
    workspace.run();
    assert_eq!(words(&lab), ["fresh"]);
    for table in ["squares", "dice"] {
        let path = format!("experiments/demo/{table}.toml");
        let (from, to) = match table {
            "dice" => ("throws = 50", "throws = 51"),
            _ => ("[params]", "[params]\noffset = 1.0"),
        };
        workspace.edit(&path, from, to);
    }
    assert_eq!(words(&lab), ["stale"]);
}
