//! Runs in a temporary workspace: exit codes, caching, drift, recording.

use std::sync::atomic::AtomicBool;

use insta::assert_snapshot;
use kibitz_desk::{Format, Mode, RefreshOptions, ReproduceOptions};
use kibitz_lab::{Exit, Selection};

use crate::workspace::{Log, Workspace, files, mode, only};

pub(crate) const SQUARES: &str = "experiments/demo/squares.toml";
pub(crate) const DICE: &str = "experiments/demo/dice.toml";

#[test]
fn a_plain_run_shows_and_keeps_but_records_nothing() {
    let workspace = Workspace::new();
    let answer = workspace.run();
    assert_snapshot!(workspace.shown(&answer));
    assert!(!workspace.path("results").exists());
    let kept: Vec<String> = files(&workspace.path("target/kibitz/results"))
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(
        kept,
        [
            "demo/dice/compare.csv",
            "demo/dice/inputs.toml",
            "demo/dice/table.csv",
            "demo/dice/table.md",
            "demo/squares/compare.csv",
            "demo/squares/inputs.toml",
            "demo/squares/table.csv",
            "demo/squares/table.md"
        ]
    );
}

#[test]
fn the_second_run_does_nothing() {
    let workspace = Workspace::new();
    let (_, started) = workspace.reproduce(&ReproduceOptions::default());
    assert_eq!(started.len(), 6, "{started:?}");
    let log = Log::default();
    let options = ReproduceOptions::default();
    let answer = workspace
        .desk()
        .reproduce(&options, &log, &AtomicBool::new(false));
    assert_eq!(log.started.into_inner().unwrap(), Vec::<String>::new());
    assert_eq!(answer.exit, Exit::Done);
    assert_snapshot!(log.lines.into_inner().unwrap().join("\n"));
}

#[test]
fn recorded_results_are_whole_and_pass_the_check() {
    let workspace = Workspace::new();
    workspace.write(
        "README.md",
        "# Demo\n\n<!-- results: written by `demo refresh` -->\nold\n<!-- end of results -->\n\nEnd.\n",
    );
    let answer = workspace.bless();
    assert_snapshot!("bless", workspace.shown(&answer));
    for name in [
        "index.md",
        "index.json",
        "demo/squares/table.md",
        "demo/squares/table.csv",
        "demo/squares/compare.csv",
        "demo/squares/inputs.toml",
        "demo/dice/table.md",
        "demo/dice/table.csv",
    ] {
        let text = workspace.masked(&workspace.read(&format!("results/{name}")));
        assert_snapshot!(name.replace('/', "-"), text);
    }
    assert_snapshot!("readme", workspace.read("README.md"));
    assert_eq!(
        workspace.shown(&workspace.check()).lines().next(),
        Some("exit 0")
    );
    let before = workspace.results();
    let again = workspace.bless();
    assert!(
        again.out.contains("everything was recorded already"),
        "{}",
        again.out
    );
    assert_eq!(workspace.results(), before);
}

#[test]
fn one_check_holds_for_many_rows() {
    let workspace = Workspace::new();
    workspace.edit(
        SQUARES,
        "[[check]]\nop = \"percent\"\nof = [\"side 1.area\", \"side 1.perimeter\"]\nis = \"side 1.perimeter\"\nabs = 20",
        "[[check]]\nrows = [\"side 3\", \"side 1\"]\nop = \"ratio\"\nof = [\"{row}.perimeter\", \"{row}.area\"]\nis = \"side 1.perimeter\"",
    );
    workspace.run();
    let table = workspace.read("target/kibitz/results/demo/squares/table.md");
    let checks: Vec<&str> = table.lines().filter(|line| line.contains(" / ")).collect();
    assert_eq!(
        checks,
        [
            "- **no**: side 3.perimeter / side 3.area is 1.33333333333; side 1.perimeter is printed as 5.",
            "- yes: side 1.perimeter / side 1.area is 5; side 1.perimeter is printed as 5.",
        ]
    );
}

#[test]
fn threads_change_no_byte() {
    let runs: Vec<_> = [1, 4]
        .into_iter()
        .map(|jobs| {
            let workspace = Workspace::new();
            workspace.reproduce(&ReproduceOptions {
                jobs,
                mode: Mode::Bless { allow_dirty: false },
                ..ReproduceOptions::default()
            });
            workspace.results()
        })
        .collect();
    assert!(!runs[0].is_empty());
    assert_eq!(runs[0], runs[1]);
}

#[test]
fn a_fresh_clone_believes_what_is_recorded() {
    let workspace = Workspace::new();
    workspace.bless();
    std::fs::remove_dir_all(workspace.path("target")).unwrap();
    let (answer, started) = workspace.reproduce(&mode(Mode::Check));
    assert_eq!(
        (answer.exit, started.len()),
        (Exit::Done, 0),
        "{}",
        answer.err
    );
    let (answer, started) = workspace.reproduce(&ReproduceOptions::default());
    assert_eq!(
        (answer.exit, started.len()),
        (Exit::Done, 6),
        "{}",
        answer.err
    );
}

#[test]
fn an_edited_value_is_named_as_drift() {
    let workspace = Workspace::new();
    workspace.bless();
    workspace.edit(
        "results/demo/squares/table.csv",
        "side 2.5,area,6.25",
        "side 2.5,area,6.24",
    );
    std::fs::remove_dir_all(workspace.path("target")).unwrap();
    assert_snapshot!(workspace.shown(&workspace.check()));
}

#[test]
fn an_edited_comparison_is_named() {
    let workspace = Workspace::new();
    workspace.bless();
    workspace.edit(
        "results/demo/squares/compare.csv",
        "side 3,area,9.0,9",
        "side 3,area,9.0,8",
    );
    workspace.edit("results/demo/dice/table.md", "(10.5)", "(10.6)");
    workspace.edit("results/index.json", "\"compared\": 5", "\"compared\": 6");
    assert_snapshot!(workspace.shown(&workspace.check()));
}

#[test]
fn a_table_is_drawn_where_its_file_asks_for_it() {
    let workspace = Workspace::new();
    workspace.edit(
        SQUARES,
        "[published]",
        "[plot]\nkind = \"bars\"\ny = [\"area\", \"perimeter\"]\n[published]",
    );
    workspace.bless();
    let drawn = workspace.read("results/demo/squares/plot.svg");
    assert_eq!(
        drawn.matches("<circle").count(),
        6,
        "published values, one in the legend"
    );
    let table = workspace.read("results/demo/squares/table.md");
    assert!(table.contains("plot.svg"), "{table}");
    workspace.edit("results/demo/squares/plot.svg", "side 3", "side 4");
    assert_snapshot!("an_edited_plot", workspace.shown(&workspace.check()));
    workspace.edit(SQUARES, "\"perimeter\"]", "\"perimetre\"]");
    assert_snapshot!(
        "a_plot_of_a_column_unknown",
        workspace.shown(&workspace.check())
    );
    workspace.edit(
        SQUARES,
        "\"perimetre\"]",
        "\"perimeter\"]\nrows = \"side (\"",
    );
    assert_snapshot!(
        "a_plot_of_rows_by_no_pattern",
        workspace.shown(&workspace.check())
    );
    workspace.edit(
        SQUARES,
        "[plot]\nkind = \"bars\"\ny = [\"area\", \"perimeter\"]\nrows = \"side (\"\n",
        "",
    );
    assert_snapshot!("a_plot_left_over", workspace.shown(&workspace.check()));
    workspace.bless();
    assert!(!workspace.path("results/demo/squares/plot.svg").exists());
}

#[test]
fn changed_parameters_rerun_and_tell_why_values_drifted() {
    let workspace = Workspace::new();
    workspace.edit(DICE, "throws = 50", "hold = \"\", throws = 50");
    workspace.bless();
    workspace.edit(DICE, "hold = \"\", ", "");
    let (answer, started) = workspace.reproduce(&mode(Mode::Check));
    assert_eq!(
        started,
        [
            "demo/dice \"all dice\" 1/3",
            "demo/dice \"all dice\" 2/3",
            "demo/dice \"all dice\" 3/3"
        ]
    );
    assert_snapshot!("params_changed_values_same", workspace.shown(&answer));
    workspace.edit(
        SQUARES,
        "sides = [1.0, 2.5, 3.0]",
        "sides = [1.0, 2.5, 3.0]\noffset = 0.001",
    );
    let (answer, _) = workspace.reproduce(&only("demo/squares"));
    assert_snapshot!("params_changed_values_drifted", workspace.shown(&answer));
    let (answer, _) = workspace.reproduce(&ReproduceOptions {
        mode: Mode::Bless { allow_dirty: false },
        why: Some("a test".to_owned()),
        ..only("demo/squares")
    });
    assert_snapshot!("bless_shows_old_and_new", workspace.shown(&answer));
}

#[test]
fn judging_anew_costs_no_run() {
    let workspace = Workspace::new();
    workspace.bless();
    workspace.edit(SQUARES, "perimeter = 12", "perimeter = 13");
    workspace.edit(SQUARES, "title  = \"Squares", "title  = \"Other squares");
    let (answer, started) = workspace.reproduce(&mode(Mode::Check));
    assert_eq!(started, Vec::<String>::new());
    assert_snapshot!(
        "undeclared_difference_and_outdated_report",
        workspace.shown(&answer)
    );
    let misread = RefreshOptions {
        why: Some("the scan was misread".to_owned()),
        ..RefreshOptions::default()
    };
    assert_eq!(workspace.desk().refresh(&misread).exit, Exit::Done);
    let answer = workspace.check();
    assert_snapshot!("undeclared_difference", workspace.shown(&answer));
}

#[test]
fn a_deviation_that_explains_nothing_is_reported() {
    let workspace = Workspace::new();
    workspace.edit(SQUARES, "perimeter = 5", "perimeter = 4");
    workspace.bless();
    assert_snapshot!(workspace.shown(&workspace.check()));
}

#[test]
fn a_reason_that_something_shows_is_told_from_a_conjecture() {
    let workspace = Workspace::new();
    let reason = "counts one side twice.\"";
    let tested = |by: &str| format!("{reason}\ntested = \"{by}\"\npredicts = 10");
    workspace.edit(SQUARES, reason, &tested("side 2.5.perimeter"));
    let answer = workspace.bless();
    assert!(
        answer.out.contains("1 differs (explained)"),
        "{}",
        answer.out
    );
    let table = std::fs::read_to_string(workspace.path("results/demo/squares/table.md")).unwrap();
    assert!(table.contains("shown by `side 2.5.perimeter`"), "{table}");
    workspace.edit(
        SQUARES,
        &tested("side 2.5.perimeter"),
        &tested("demo/dices:d6.mean"),
    );
    assert_snapshot!(workspace.shown(&workspace.check()));
}

#[test]
fn a_conjecture_says_what_would_decide_it() {
    let workspace = Workspace::new();
    workspace.bless();
    let table = std::fs::read_to_string(workspace.path("results/demo/squares/table.md")).unwrap();
    assert!(
        table.contains("counts one side twice.\n  To decide it: A square of another side.\n"),
        "{table}"
    );
}

#[test]
fn a_deviation_explains_a_difference_of_its_size_only() {
    let workspace = Workspace::new();
    workspace.edit(SQUARES, "perimeter = 5", "perimeter = 5.1");
    assert_eq!(workspace.run().exit, Exit::Negative);
    assert_snapshot!(workspace.shown(&workspace.run()));
    workspace.edit(SQUARES, "up-to = { abs = 1.0 }", "up-to = { rel = 0.25 }");
    assert_eq!(workspace.run().exit, Exit::Done);
    workspace.edit(SQUARES, "up-to = { rel = 0.25 }", "");
    let answer = workspace.run();
    assert_eq!(answer.exit, Exit::BadInput);
    assert_snapshot!("deviation_of_any_size", workspace.shown(&answer));
}

#[test]
fn selections_are_the_same_everywhere() {
    let workspace = Workspace::new();
    let select = |change: &dyn Fn(&mut Selection)| {
        let mut selection = Selection::default();
        change(&mut selection);
        let answer = workspace.desk().list(&selection, false, Format::Csv);
        let ids: Vec<String> = answer
            .out
            .lines()
            .skip(1)
            .filter_map(|line| line.split(',').next())
            .map(str::to_owned)
            .collect();
        (answer.exit.code(), ids.join(" "))
    };
    let both = (0, "demo/dice demo/squares".to_owned());
    let dice = (0, "demo/dice".to_owned());
    assert_eq!(select(&|_| {}), both);
    assert_eq!(select(&|s| s.ids = vec!["demo".to_owned()]), both);
    assert_eq!(select(&|s| s.ids = vec!["*/di*".to_owned()]), dice);
    assert_eq!(select(&|s| s.filter = Some("ice$".to_owned())), dice);
    assert_eq!(select(&|s| s.not = Some("squ".to_owned())), dice);
    assert_eq!(select(&|s| s.kinds = vec!["dice".to_owned()]), dice);
    assert_eq!(select(&|s| s.tags = vec!["random".to_owned()]), dice);
    assert_eq!(select(&|s| s.tags = vec!["!plane".to_owned()]), dice);
    assert_eq!(
        select(&|s| s.tags = vec!["plane".to_owned(), "random".to_owned()]).0,
        4
    );
    assert_eq!(select(&|s| s.ids = vec!["demo/dise".to_owned()]).0, 4);
    assert_eq!(
        select(&|s| s.ids = vec!["demo/dise".to_owned(), "demo/dice".to_owned()]).0,
        4
    );
    assert_eq!(select(&|s| s.filter = Some("(".to_owned())).0, 2);
    assert_eq!(select(&|s| s.kinds = vec!["dise".to_owned()]).0, 4);
    assert_eq!(select(&|s| s.tags = vec!["randon".to_owned()]).0, 4);
}

#[test]
fn answers_for_tools_are_json() {
    let workspace = Workspace::new();
    let (answer, _) = workspace.reproduce(&ReproduceOptions {
        format: Format::Json,
        ..only("demo/squares")
    });
    let json: serde_json::Value = serde_json::from_str(&answer.out).unwrap();
    assert_snapshot!(workspace.masked(&serde_json::to_string_pretty(&json).unwrap()));
}

#[test]
fn the_log_of_a_run_has_what_results_have_not() {
    let workspace = Workspace::new();
    workspace.run();
    let log = files(&workspace.path("target/kibitz/runs"));
    assert_eq!(log.len(), 1);
    let json: serde_json::Value = serde_json::from_slice(&log[0].1).unwrap();
    assert_eq!(
        json["tables"][1]["runs"][0]["volatile"]["time"]["unit"],
        "s"
    );
    assert_eq!(
        json["machine"]["system"]
            .as_str()
            .map(|system| !system.is_empty()),
        Some(true)
    );
}
