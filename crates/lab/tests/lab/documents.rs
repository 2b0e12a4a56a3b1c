//! Numbers and tables in documents.

use insta::assert_snapshot;
use kibitz_lab::Exit;

use crate::workspace::Workspace;

const README: &str = "\
# Demo
<!-- numbers: checked by `demo refresh` -->

Since 1999, Table 1 has 3<!-- value: lines of experiments/demo/squares.toml with = { area --> squares;
the largest is 9.00<!-- value: demo/squares \"side 3\".area -->, and
12<!-- value: demo/squares \"side 3\".perimeter in print --> around, of 2<!-- value: tables --> tables.

<!-- results: written by `demo refresh` -->
<!-- end of results -->

<!-- demo/squares perimeter area: written by `demo refresh` -->
<!-- end of demo/squares perimeter area -->

<!-- not attempted: written by `demo refresh` -->
<!-- end of not attempted -->

<!-- kinds: written by `demo refresh` -->
<!-- end of kinds -->

<!-- crates: written by `demo refresh` -->
<!-- end of crates -->

<!-- benchmarks: written by `demo refresh` -->
<!-- end of benchmarks -->
";

const HISTORY: &str = "\
date,revision,processor,work,figure,against,ratio,command
2026-01-01,,,adding,3 s,,,demo add
2026-01-01,,,adding,3 s,abacus,2.0,demo add
2026-01-02,abc,fast,adding,2 s,abacus,3.0,demo add
2026-01-02,abc,fast,adding,2 s,fingers,9.0,demo add
2026-01-03,abc,slow,adding,5 s,,,demo add
2026-01-02,abc,fast,dividing,2 s,,,demo divide
2026-01-03,abc,slow,dividing,5 s,,,demo divide
";

fn workspace() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("benchmarks/history.csv", HISTORY);
    workspace.write("README.md", README);
    let manifest = "package = { name = \"abacus\", description = \"Adds | up\" }\nbin = [{ name = \"add\" }]\n";
    workspace.write("crates/adding/Cargo.toml", manifest);
    workspace.bless();
    workspace
}

#[test]
fn tables_and_numbers_are_written() {
    let workspace = workspace();
    assert_snapshot!(workspace.read("README.md"));
    assert_eq!(workspace.lab().refresh(true, None).exit, Exit::Done);
    let answer = workspace.shown(&workspace.lab().refresh(true, None));
    assert_eq!(answer, "exit 0\n--- out\neverything is up to date\n");
}

#[test]
fn a_stale_number_is_named_with_its_line() {
    let workspace = workspace();
    workspace.edit("README.md", "9.00<!--", "9.10<!--");
    workspace.edit("README.md", "8 match", "9 match");
    workspace.edit("README.md", "| side 1 | 4 (5)", "| side 1 | 4.1 (5)");
    workspace.edit(
        "results/demo/squares/table.md",
        "Nothing surprising",
        "Nothing",
    );
    let before = workspace.read("README.md");
    assert_snapshot!(
        "stale",
        workspace.shown(&workspace.lab().refresh(true, None))
    );
    assert_eq!(
        workspace.read("README.md"),
        before,
        "--check writes nothing"
    );
    assert_eq!(workspace.check().exit, Exit::Negative);
    assert_eq!(workspace.lab().refresh(false, None).exit, Exit::Done);
    assert_ne!(workspace.read("README.md"), before);
    assert_eq!(workspace.lab().refresh(true, None).exit, Exit::Done);
}

#[test]
fn a_document_in_a_crate_is_checked_too() {
    let workspace = workspace();
    let readme = "We have 3<!-- value: tables --> tables; 17 is nobody's business.\n";
    workspace.write("crates/demo/README.md", readme);
    let answer = workspace.shown(&workspace.lab().refresh(true, None));
    assert!(answer.contains("`3` should be `2`"), "{answer}");
    assert!(answer.contains("crates/demo/README.md:1:9"), "{answer}");
    assert!(
        !answer.contains("no source"),
        "only where all numbers are checked: {answer}"
    );
}

#[test]
fn markers_that_make_no_sense() {
    let workspace = workspace();
    let markers = "\
Ours: 17, none<!-- value: tables -->,
1<!-- value: tabels -->,
1<!-- value: demo/sqares \"side 3\".area -->,
1<!-- value: demo/squares \"side 4\".area -->,
1<!-- value: demo/squares \"side 3\".aera -->,
1<!-- value: demo/squares \"side 3\".drawing -->,
1<!-- value: demo/squares \"side 2.5\".perimeter in print -->,
1<!-- value: lines of nowhere.txt with a -->.
<!-- reslts: written by `demo refresh` -->
<!-- end of reslts -->
<!-- demo/squares colour: written by `demo refresh` -->
<!-- end of demo/squares colour -->
<!-- kinds: written by `demo refresh` -->
";
    let text = format!("<!-- numbers: checked by `demo refresh` -->\n{markers}");
    workspace.write("README.md", &text);
    assert_snapshot!(workspace.shown(&workspace.lab().refresh(false, None)));
    assert_eq!(workspace.read("README.md"), text);
}
