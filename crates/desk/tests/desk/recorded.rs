//! What is recorded, as plain data.

use kibitz_lab::record::Values;
use kibitz_lab::{Exit, Outcome, Selection};

use crate::workspace::Workspace;

#[test]
fn recorded_figures_are_those_of_the_files() {
    let workspace = Workspace::new();
    workspace.bless();
    workspace.write(
        "experiments/demo/article.md",
        "**Nine.** It is 7<!-- value: demo/squares \"side 3\".area -->, and 3<!-- value: match in demo/squares --> match.\n",
    );
    let recorded = workspace.desk().recorded(Values::Recorded).unwrap();
    let table = recorded.table("demo/squares").unwrap();
    let compare = workspace.read("results/demo/squares/compare.csv");
    for cell in table.cells.iter().filter(|cell| cell.number.is_some()) {
        let line = format!(
            "{},{},{},{}",
            cell.row,
            cell.column,
            cell.printed.as_deref().unwrap_or_default(),
            cell.ours.as_deref().unwrap_or_default()
        );
        assert!(compare.contains(&line), "{line}");
    }
    let perimeter = table.cell("side 1", "perimeter").unwrap();
    assert_eq!(perimeter.outcome, Outcome::DiffersUnexplained);
    assert_eq!(perimeter.deviation, Some(0));
    assert_eq!(table.self_checks.len(), 2);
    // The article's numbers are those of the tables, and what was written is reported.
    let article = recorded.papers[0].article.as_deref().unwrap();
    assert!(article.starts_with("**Nine.** It is 9<!--"), "{article}");
    let told = recorded.warnings.to_string();
    let change = "experiments/demo/article.md:1: 7 → 9 in \"**Nine.** It is 7, and 3 match.\"";
    assert!(told.contains(change), "{told}");
}

#[test]
fn printed_tables_name_what_rebuilds_them() {
    let workspace = Workspace::new();
    let papers = workspace.read("experiments/papers.toml");
    let tables = "tables = [\n  { where = \"Table 1\", rebuilt-by = [\"squars\"] },\n  { where = \"Table 2\" },\n]\n";
    workspace.write("experiments/papers.toml", &(papers + tables));
    let recorded = workspace.desk().recorded(Values::Recorded).unwrap();
    assert_eq!(recorded.exit, Some(Exit::BadInput));
    let told = recorded.problems.to_string();
    for part in [
        "demo has no table `squars`",
        "did you mean `squares`?",
        "nothing rebuilds Table 2 of demo",
    ] {
        assert!(told.contains(part), "{told}");
    }
}

#[test]
fn the_last_run_is_shown_where_other_inputs_decided_it() {
    let workspace = Workspace::new();
    workspace.bless();
    workspace.edit("experiments/demo/squares.toml", "3.0]", "3.0, 4.0]");
    workspace.run();
    let all = Selection::default();
    let other = Selection {
        ids: vec!["demo/dice".to_owned()],
        ..Selection::default()
    };
    let of = |values| {
        let recorded = workspace.desk().recorded(values).unwrap();
        let table = recorded.table("demo/squares").unwrap().clone();
        let area = table.cell("side 4", "area").and_then(|cell| cell.number);
        (table.is_of_last_run, area)
    };
    assert_eq!(of(Values::LastRun(&all)), (true, Some(16.0)));
    assert_eq!(of(Values::Recorded), (false, None));
    assert_eq!(of(Values::LastRun(&other)), (false, None));
    workspace.bless();
    assert_eq!(of(Values::LastRun(&all)), (false, Some(16.0)));
}
