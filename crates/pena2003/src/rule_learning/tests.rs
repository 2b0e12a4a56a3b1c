use std::collections::BTreeMap;

use kibitz_experiment::{Runner, SeedName};

use super::*;
use crate::testing::{is_mistaken, make_sense, on_one_and_three, params};

/// A runner that keeps finished cells.
#[derive(Default)]
struct Bare {
    finished: BTreeMap<String, Output>,
}

impl Runner for Bare {
    fn finished(&self, cell: &str) -> Option<&Output> {
        self.finished.get(cell)
    }
}

const FILES: [&str; 3] = [
    include_str!("../../../../experiments/pena2003/table2.toml"),
    include_str!("../../../../experiments/pena2003/table3.toml"),
    include_str!("../../../../experiments/pena2003/progol-foil.toml"),
];

/// The values of these rows.
fn table(params: &RuleLearning, rows: &[&str]) -> Bare {
    let mut runner = Bare::default();
    for cell in params.cells() {
        if !rows.contains(&cell.work.row.as_str()) {
            continue;
        }
        let seed = SeedName {
            root: 2003,
            experiment: "pena2003/test",
            cell: "learning",
            replicate: 0,
        };
        let ctx = Context::new(&cell.work.row, 0, Some(seed), &runner);
        let mut output = Output::of_cell(&kibitz_experiment::Cell::row(&cell.work.row, ()));
        params.run(&cell.work, &ctx, &mut output).unwrap();
        runner.finished.insert(cell.work.row.clone(), output);
    }
    runner
}

#[test]
fn experiments_make_sense() {
    make_sense::<RuleLearning>(&FILES);
}

#[test]
fn mistakes_have_a_place() {
    for (change, path) in [
        (["8x8/10", "8x8/63"], "level"),
        (["accuracy = 0.95", "accuracy = 95"], "teacher.min-accuracy"),
        (["runs = 2", "runs = 0"], "settings.2.runs"),
        (
            [
                "\"mio\", strategy = \"greedy\", macros = true, runs",
                "\"foil\", macros = true, runs",
            ],
            "settings.2.learner",
        ),
        (
            [
                "active = true, runs = 1 },\n  { row = \"without\"",
                "active = true, mines = true, runs = 1 },\n  { row = \"without\"",
            ],
            "settings",
        ),
    ] {
        is_mistaken::<RuleLearning>(change, path);
    }
}

/// The best setting finds the printed rules about safe tiles, and says nothing else.
#[test]
fn the_printed_rules_are_learned() {
    let mut params: RuleLearning = params(FILES[1], "params");
    params.positions = 40;
    let row = params.settings[0].row.clone();
    let found = table(&params, &[&row]);
    let value = |column| found.finished[&row].number(&row, column);
    for column in ["s-1", "s-2", "s-3"] {
        assert_eq!(value(column), Some(100.0), "{column}");
    }
    assert_eq!(value("missed"), Some(0.0));
    assert!(value("tiles").unwrap() > 10_000.0);
}

#[test]
fn theories_play_and_threads_do_not_matter() {
    let params: RuleLearning = params(FILES[0], "quick");
    let rows = ["mines", "IDA*", "AL+GS+M"];
    let [found, again] = on_one_and_three(|| table(&params, &rows).finished);
    assert_eq!(found, again);
    assert!(found["AL+GS+M"].number("AL+GS+M", "won").is_some());
    assert!(found["IDA*"].number("IDA*", "limited").unwrap() > 0.0);
}

#[test]
fn progol_and_foil_get_the_same_task() {
    let mut params: RuleLearning = params(FILES[2], "quick");
    params.settings[1].max_clauses = Some(100);
    let rows: Vec<String> = params
        .settings
        .iter()
        .map(|setting| setting.row.clone())
        .collect();
    let names: Vec<&str> = rows.iter().map(String::as_str).collect();
    let found = table(&params, &names);
    for row in &rows {
        assert_eq!(found.finished[row].number(row, "positive"), Some(10.0));
        let refused = found.finished[row].number(row, "refused").unwrap();
        assert!(refused > 50.0, "{row}: {refused}");
    }
}
