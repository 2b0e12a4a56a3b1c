//! What a plain run leaves out, and what runs are expected to cost.

use insta::assert_snapshot;
use kibitz_desk::{Format, Mode, ReproduceOptions};
use kibitz_lab::{Exit, Selection};

use crate::workspace::{DICE, Workspace, mode};

/// A workspace with a paper and an exploration.
fn with_exploration() -> Workspace {
    let workspace = Workspace::new();
    let mut papers = workspace.read("experiments/papers.toml");
    papers.push_str("[ideas]\ncitation = \"Questions.\"\npublished = false\n");
    workspace.write("experiments/papers.toml", &papers);
    let ideas = DICE.replace("paper = \"demo\"", "paper = \"ideas\"");
    workspace.write("experiments/ideas/throws.toml", &ideas);
    workspace
}

fn plain() -> ReproduceOptions {
    ReproduceOptions {
        selection: Selection {
            without_explorations: true,
            ..Selection::default()
        },
        ..ReproduceOptions::default()
    }
}

#[test]
fn a_plain_run_rebuilds_the_tables_of_papers() {
    let workspace = with_exploration();
    assert_eq!(workspace.bless().exit, Exit::Done);
    std::fs::remove_dir_all(workspace.path("target")).unwrap();
    let (answer, started) = workspace.reproduce(&plain());
    assert_eq!(started.len(), 6, "{started:?}");
    assert!(started.iter().all(|name| name.starts_with("demo/")));
    assert_snapshot!("plain_run", workspace.shown(&answer));
    let (answer, started) = workspace.reproduce(&ReproduceOptions::default());
    assert_eq!(started.len(), 3, "all the rest: {started:?}");
    assert!(!answer.out.contains("exploration"), "{}", answer.out);
}

#[test]
fn a_check_covers_explorations() {
    let workspace = with_exploration();
    workspace.bless();
    workspace.edit("results/ideas/throws/table.csv", "d6,mean,", "d6,mean,9");
    assert_eq!(workspace.reproduce(&plain()).0.exit, Exit::Done);
    let answer = workspace.check();
    assert_eq!(answer.exit, Exit::Negative);
    assert!(answer.err.contains("drift: ideas/throws"), "{}", answer.err);
}

#[test]
fn the_index_begins_with_the_papers() {
    let workspace = with_exploration();
    let papers = workspace.read("experiments/papers.toml");
    let (demo, ideas) = papers.split_once("[ideas]").unwrap();
    workspace.write("experiments/papers.toml", &format!("[ideas]{ideas}{demo}"));
    assert_eq!(workspace.bless().exit, Exit::Done);
    let index = workspace.read("results/index.md");
    let headings: Vec<&str> = index
        .lines()
        .filter(|line| line.starts_with("## "))
        .collect();
    assert_eq!(headings[..2], ["## demo", "## ideas"]);
    assert!(index.contains("1 (Bonferroni-adjusted)"), "{index}");
}

#[test]
fn explorations_alone_are_rebuilt() {
    let workspace = with_exploration();
    for table in ["dice", "squares"] {
        let path = workspace.path(&format!("experiments/demo/{table}.toml"));
        std::fs::remove_file(path).unwrap();
    }
    let (answer, started) = workspace.reproduce(&plain());
    assert_eq!(started.len(), 3, "{}", answer.err);
}

#[test]
fn a_clone_expects_the_recorded_costs() {
    let workspace = Workspace::new();
    workspace.bless();
    let costs = workspace.read("results/costs.csv");
    let cells: Vec<&str> = costs
        .lines()
        .map(|line| line.rsplit_once(',').unwrap().0)
        .collect();
    assert_eq!(
        cells,
        [
            "experiment,cell",
            "demo/dice,all dice",
            "demo/squares,side 1",
            "demo/squares,side 2.5",
            "demo/squares,side 3",
        ]
    );
    std::fs::remove_dir_all(workspace.path("target")).unwrap();
    let known = "experiment,cell,seconds\ndemo/dice,all dice,40\ndemo/squares,side 1,50\n";
    workspace.write("results/costs.csv", known);
    let dry = |selection: &str| {
        let options = ReproduceOptions {
            dry_run: true,
            ..crate::workspace::only(selection)
        };
        workspace.reproduce(&options).0.out
    };
    let out = dry("demo/dice");
    assert!(
        out.contains("3 runs of cells would run, about 2 min 0 s of CPU time;"),
        "{out}"
    );
    let out = dry("demo");
    assert!(
        out.contains("6 runs of cells would run, at least 2 min 50 s of CPU time;"),
        "{out}"
    );
    let cells = workspace
        .desk()
        .cells(&Selection::default(), true, Format::Json);
    let runs: Vec<serde_json::Value> = serde_json::from_str(&cells.out).unwrap();
    let long = runs.iter().find(|run| run["cell"] == "side 1").unwrap();
    assert_eq!(long["seconds"], 50.0);
    // They are expectations, which no check reads.
    let (answer, _) = workspace.reproduce(&mode(Mode::Check));
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
    assert_eq!(workspace.read("results/costs.csv"), known);
}

#[test]
fn longer_tables_begin_first() {
    let workspace = Workspace::new();
    let known = "experiment,cell,seconds\ndemo/dice,all dice,1\ndemo/squares,side 1,2\n\
                 demo/squares,side 2.5,50\ndemo/squares,side 3,3\n";
    workspace.write("results/costs.csv", known);
    let (_, started) = workspace.reproduce(&ReproduceOptions::default());
    let first: Vec<&str> = started.iter().take(3).map(String::as_str).collect();
    assert_eq!(
        first,
        [
            "demo/squares \"side 2.5\"",
            "demo/squares \"side 3\"",
            "demo/squares \"side 1\""
        ]
    );
}
