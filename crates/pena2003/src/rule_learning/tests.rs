use std::collections::BTreeMap;

use kibitz_experiment::{Place, Runner, SeedName};

use super::*;

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

const FILES: [&str; 4] = [
    RuleLearning::EXAMPLE,
    include_str!("../../../../experiments/pena2003/table2.toml"),
    include_str!("../../../../experiments/pena2003/table3.toml"),
    include_str!("../../../../experiments/pena2003/progol-foil.toml"),
];

fn params(text: &str, section: &str) -> RuleLearning {
    let file: toml::Table = text.parse().unwrap();
    file[section].clone().try_into().unwrap()
}

fn problems(params: &RuleLearning) -> Vec<Place> {
    let mut problems = Problems::new([]);
    params.check(&mut problems);
    problems
        .into_found()
        .into_iter()
        .map(|problem| problem.place)
        .collect()
}

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
    for text in FILES {
        assert_eq!(problems(&params(text, "params")), []);
    }
    for text in &FILES[1..] {
        assert_eq!(problems(&params(text, "quick")), []);
    }
}

#[test]
fn mistakes_have_a_place() {
    let said = |from: &str, to: &str| {
        let text = RuleLearning::EXAMPLE.replacen(from, to, 1);
        assert_ne!(text, RuleLearning::EXAMPLE);
        problems(&params(&text, "params"))
    };
    let at = |path: &str| vec![Place::Param(path.to_owned())];
    assert_eq!(said("8x8/10", "8x8/63"), at("level"));
    assert_eq!(
        said("accuracy = 0.95", "accuracy = 95"),
        at("teacher.min-accuracy")
    );
    assert_eq!(said("runs = 2", "runs = 0"), at("settings.2.runs"));
    assert_eq!(
        said(
            "\"mio-greedy\", macros = true, runs",
            "\"foil\", macros = true, runs"
        ),
        at("settings.2.learner")
    );
    assert_eq!(
        said(
            "active = true, runs = 1 },\n  { row = \"without\"",
            "active = true, mines = true, runs = 1 },\n  { row = \"without\""
        ),
        at("settings")
    );
}

/// The best setting finds the printed rules about safe tiles, and says nothing else.
#[test]
fn the_printed_rules_are_learned() {
    let mut params = params(FILES[2], "params");
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
    let params = params(FILES[1], "quick");
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| table(&params, &["mines", "IDA*", "AL+GS+M"]))
            .finished
    };
    let found = run(1);
    assert_eq!(found, run(3));
    assert!(found["AL+GS+M"].number("AL+GS+M", "won").is_some());
    assert!(found["IDA*"].number("IDA*", "limited").unwrap() > 0.0);
}

#[test]
fn progol_and_foil_get_the_same_task() {
    let mut params = params(FILES[3], "quick");
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
