//! What stands for several replicates, and rows judged together.

use kibitz_lab::Exit;

use crate::workspace::Workspace;

/// Three replicates of two dice, with what `columns.mean` adds and what is printed.
fn dice(column: &str, printed: [f64; 2]) -> Workspace {
    let workspace = Workspace::bare();
    let [d6, d20] = printed;
    workspace.write(
        "experiments/demo/dice.toml",
        &format!(
            "kind = \"dice\"\ntitle = \"Throws of dice\"\nrun = {{ seed = 7, replicates = 3 }}\n\
             together = \"d*\"\nparams = {{ throws = 50, dice = [6, 20] }}\n\
             source = {{ paper = \"demo\", where = \"Table 2\" }}\n\
             columns.mean = {{ tol = {{ replicate-sd = 9.0 }}, why = \"few throws\"{column} }}\n\
             published.d6 = {{ mean = {d6} }}\npublished.d20 = {{ mean = {d20} }}\n"
        ),
    );
    workspace
}

/// The lines of `compare.csv` of a fresh run.
fn compared(workspace: &Workspace) -> Vec<String> {
    workspace.run();
    let text = workspace.read("target/kibitz/results/demo/dice/compare.csv");
    text.lines().map(str::to_owned).collect()
}

#[test]
fn rows_are_judged_by_their_mean_too() {
    let outcome = |printed: [f64; 2]| {
        let lines = compared(&dice("", printed));
        assert_eq!(lines.len(), 4, "{lines:?}");
        lines[3].clone()
    };
    let line = outcome([3.5, 10.5]);
    assert!(
        line.starts_with("mean of the rows together,mean,"),
        "{line}"
    );
    assert!(
        line.contains("2 standard errors") && line.contains(",matches"),
        "{line}"
    );
    // Each row is within nine deviations, the mean of both is not within two standard errors.
    let line = outcome([4.5, 13.5]);
    assert!(line.contains(",differs (unexplained),"), "{line}");
}

#[test]
fn a_median_makes_a_table_stale_and_is_shown() {
    let workspace = dice("", [3.5, 10.5]);
    workspace.bless();
    let mean = workspace.read("results/demo/dice/table.csv");
    assert_eq!(workspace.check().exit, Exit::Done);
    workspace.edit(
        "experiments/demo/dice.toml",
        "{ replicate-sd = 9.0 }",
        "{ replicate-sd = 9.0 }, summary = \"median\"",
    );
    assert_ne!(workspace.check().exit, Exit::Done);
    workspace.bless();
    assert_ne!(workspace.read("results/demo/dice/table.csv"), mean);
}
