//! What makes a result stale, and how `explain` says so.

use std::fs::File;
use std::time::{Duration, SystemTime};

use super::project::Project;

const COLUMNS: &str = "columns = [{ name = \"x\" }]";

/// A recorded table, whose step has a parameter and a version.
fn recorded() -> Project {
    let project = Project::new();
    let params = format!(
        "{COLUMNS}\nversion = [\"cat\", \"version.txt\"]\nparameters = {{ alpha = 0.05, beta = 1 }}"
    );
    project.write("version.txt", "Tool 1.0\n");
    project.step("table", "printf 'row,x\\na,1\\n' > out.csv", &params, "");
    project.expect(
        &["reproduce", "--bless", "--allow-dirty"],
        0,
        &["new: own/table"],
    );
    project
}

fn edit(project: &Project, file: &str, old: &str, new: &str) {
    let text = project.read(file);
    assert!(text.contains(old), "{text}");
    project.write(file, &text.replace(old, new));
}

const FILE: &str = "experiments/own/table.toml";

#[test]
fn a_change_is_named_with_its_old_and_its_new_value() {
    let cases = [
        (
            FILE,
            "alpha = 0.05",
            "alpha = 0.1",
            "params.parameters.alpha 0.05 -> 0.1",
        ),
        (
            FILE,
            ", beta = 1",
            "",
            "params.parameters.beta (removed, was 1)",
        ),
        (
            FILE,
            "beta = 1",
            "beta = 1, gamma = 2",
            "params.parameters.gamma (new: 2)",
        ),
        (
            "version.txt",
            "1.0",
            "1.1",
            "version of cat version.txt (Tool 1.0 -> Tool 1.1)",
        ),
        ("steps/table.sh", "a,1", "a,2", "file steps/table.sh ("),
    ];
    for (file, old, new, says) in cases {
        let project = recorded();
        edit(&project, file, old, new);
        project.expect(
            &["explain", "own/table"],
            0,
            &["changed since recorded: ", says, "stale"],
        );
        project.expect(&["list"], 0, &["stale"]);
    }
}

#[test]
fn what_decides_nothing_changes_nothing() {
    let project = recorded();
    let touched = File::options()
        .append(true)
        .open(project.path("steps/table.sh"))
        .unwrap();
    touched
        .set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000))
        .unwrap();
    edit(&project, FILE, "kind =", "# a remark\nkind =");
    edit(
        &project,
        FILE,
        "title = \"table\"",
        "title = \"Another\"\nrun = { timeout = \"1h\" }",
    );
    project.expect(
        &["explain", "own/table"],
        0,
        &["recorded with the same inputs", "fresh"],
    );
    project.expect(&["reproduce"], 0, &["fresh", "no drift"]);
}

#[test]
fn a_changed_query_or_column_is_named_before_anything_is_recorded() {
    let project = Project::new();
    project.write("data/results.csv", "player,won\nAnn,true\nBob,false\n");
    let add = [
        "data",
        "add",
        "data/results.csv",
        "--license",
        "own",
        "--origin",
        "club",
    ];
    project.expect(&add, 0, &[]);
    let (table, query) = ("experiments/club/results.toml", "experiments/club/won.toml");
    let column = "{ name = \"player\", type = \"text\" }";
    project.write(
        table,
        &format!(
            "kind = \"table\"\ntitle = \"Results\"\ndata = {{ table = \"results\" }}\n[params]\n\
             columns = [{column}, {{ name = \"won\", type = \"bool\" }}]\n"
        ),
    );
    project.write(
        query,
        "kind = \"query\"\ntitle = \"Won\"\nfrom = { results = \"club/results\" }\n[params]\nsql = \"\"\"\n\
         SELECT 'all' AS row, COUNT(*) AS n\nFROM results\nWHERE won\"\"\"\n",
    );
    project.expect(&["reproduce"], 0, &["club/won"]);
    let why = |says: &str| {
        let says = ["never recorded", says, "it has never run with these inputs"];
        project.expect(&["explain", "club/won"], 0, &says);
    };
    edit(&project, query, "WHERE won", "WHERE NOT won");
    why("changed since the last run: params.sql, line 3: `WHERE won` -> `WHERE NOT won`");
    edit(&project, query, "WHERE NOT won", "WHERE won");
    edit(
        &project,
        table,
        column,
        "{ name = \"player\", type = \"text\", doc = \"who\" }",
    );
    why(
        "changed since the last run: what club/results yields\n    club/results: params.columns.0.doc `` -> `who`",
    );
    edit(&project, table, ", doc = \"who\"", "");
    project.write("data/results.csv", "player,won\nAnn,true\nBob,true\n");
    project.expect(&add, 0, &[]);
    why("    club/results: data results (");
}
