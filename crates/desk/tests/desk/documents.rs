//! Numbers and tables in documents.

use insta::assert_snapshot;
use kibitz_desk::RefreshOptions;
use kibitz_lab::Exit;

use crate::workspace::{Workspace, accepting, checking};

const README: &str = "\
# Demo
<!-- numbers: checked by `demo refresh` -->

Since 1999, Table 1 has 3<!-- value: lines of experiments/demo/squares.toml with = { area --> squares;
the largest is 9.00<!-- value: demo/squares \"side 3\".area -->, and
12<!-- value: demo/squares \"side 3\".perimeter published --> around, of 2<!-- value: tables --> tables.

<!-- results: written by `demo refresh` -->
<!-- end of results -->

<!-- demo/squares perimeter area: written by `demo refresh` -->
<!-- end of demo/squares perimeter area -->

<!-- not attempted: written by `demo refresh` -->
<!-- end of not attempted -->

<!-- crates: written by `demo refresh` -->
<!-- end of crates -->

<!-- benchmarks: written by `demo refresh` -->
<!-- end of benchmarks -->
";

const HISTORY: &str = "\
date,revision,processor,work,figure,against,ratio,command
2026-01-01,abc,,adding,3 s,,,demo add
2026-01-01,abc,,adding,3 s,abacus,2.0,demo add
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
    assert_eq!(workspace.desk().refresh(&checking()).exit, Exit::Done);
    let answer = workspace.shown(&workspace.desk().refresh(&checking()));
    assert_eq!(answer, "exit 0\n--- out\neverything is up to date\n");
}

#[test]
fn a_stale_number_is_named_with_its_line() {
    let workspace = workspace();
    workspace.edit("README.md", "9.00<!--", "9.10<!--");
    workspace.edit("README.md", "| 9 | 8 | 3 |", "| 9 | 9 | 3 |");
    workspace.edit("README.md", "| side 1 | 4 (5)", "| side 1 | 4.1 (5)");
    workspace.edit(
        "results/demo/squares/table.md",
        "Nothing surprising",
        "Nothing",
    );
    let before = workspace.read("README.md");
    assert_snapshot!(
        "stale",
        workspace.shown(&workspace.desk().refresh(&checking()))
    );
    assert_eq!(
        workspace.read("README.md"),
        before,
        "--check writes nothing"
    );
    assert_eq!(workspace.check().exit, Exit::Negative);
    assert_snapshot!(
        "not_accepted",
        workspace.shown(&workspace.desk().refresh(&RefreshOptions::default()))
    );
    assert!(workspace.read("README.md").contains("9.10<!--"));
    assert_snapshot!(
        "accepted",
        workspace.shown(&workspace.desk().refresh(&accepting()))
    );
    assert!(workspace.read("README.md").contains("9.00<!--"));
    assert_eq!(workspace.desk().refresh(&checking()).exit, Exit::Done);
}

/// A text with one number, whose value is 9, and what the number becomes; none if it is rejected.
fn refreshed(number: &str, accept: bool) -> (Exit, String) {
    let workspace = workspace();
    let marker = "<!-- value: demo/squares \"side 3\".area -->";
    let text = |number: &str| format!("Nine is {number}{marker} here.\n");
    workspace.write("experiments/demo/article.md", &text(number));
    let answer = workspace.desk().refresh(&RefreshOptions {
        accept,
        ..RefreshOptions::default()
    });
    let article = workspace.read("experiments/demo/article.md");
    let rest = article.strip_prefix("Nine is ").expect("the beginning");
    let number = rest.split("<!--").next().expect("the number");
    assert_eq!(article, text(number), "the rest stays");
    (answer.exit, number.to_owned())
}

#[test]
fn a_number_is_brought_up_to_date_in_its_form_or_left_alone() {
    for (number, exit, cautious, accepted) in [
        ("9", Exit::Done, "9", "9"),
        ("9.00", Exit::Done, "9.00", "9.00"),
        ("8.99", Exit::Done, "9.00", "9.00"),
        ("9.0e0", Exit::Done, "9.0e0", "9.0e0"),
        (".64", Exit::Negative, ".64", "9.00"),
        ("-9", Exit::Negative, "-9", "9"),
        ("−9.0", Exit::Negative, "−9.0", "9.0"),
        ("1,000", Exit::Negative, "1,000", "9"),
        ("9,000.5", Exit::Negative, "9,000.5", "9.0"),
        // Rejected: with or without consent nothing is made of it.
        ("8,5", Exit::Negative, "8,5", "8,5"),
        ("0.5 ± 0.1", Exit::Negative, "0.5 ± 0.1", "0.5 ± 0.1"),
        ("9%", Exit::Negative, "9%", "9%"),
        ("8-9", Exit::Negative, "8-9", "8-9"),
    ] {
        assert_eq!(
            refreshed(number, false),
            (exit, cautious.to_owned()),
            "{number}"
        );
        let exit = if accepted == number && cautious == number {
            exit
        } else {
            Exit::Done
        };
        assert_eq!(
            refreshed(number, true),
            (exit, accepted.to_owned()),
            "{number}"
        );
    }
}

#[test]
fn a_picture_is_held_against_the_text_beside_it() {
    let workspace = workspace();
    let picture = |bytes: &str| workspace.write("docs/front.png", bytes);
    let text = |n: usize, bytes: &str| {
        let hash = blake3::hash(bytes.as_bytes());
        format!("{n}<!-- value: tables --> tables.\n<!-- picture: {hash} -->\n")
    };
    let described = |n: usize, bytes: &str| workspace.write("docs/front.png.md", &text(n, bytes));
    picture("two tables");
    described(2, "two tables");
    assert_eq!(workspace.desk().refresh(&checking()).exit, Exit::Done);
    described(5, "two tables");
    for options in [checking(), RefreshOptions::default(), accepting()] {
        let answer = workspace.desk().refresh(&options);
        assert_eq!(answer.exit, Exit::Negative, "a text is no picture");
        assert_snapshot!("an_old_picture", workspace.shown(&answer));
        assert_eq!(workspace.read("docs/front.png.md"), text(5, "two tables"));
    }
    picture("two tables, drawn anew");
    assert_eq!(workspace.desk().refresh(&checking()).exit, Exit::Negative);
    assert_eq!(
        workspace.desk().refresh(&RefreshOptions::default()).exit,
        Exit::Done
    );
    assert_eq!(
        workspace.read("docs/front.png.md"),
        text(2, "two tables, drawn anew")
    );
    std::fs::remove_file(workspace.path("docs/front.png")).unwrap();
    assert_eq!(workspace.desk().refresh(&checking()).exit, Exit::Negative);
}

#[test]
fn a_page_of_a_crate_is_checked_like_a_document() {
    let workspace = workspace();
    workspace.write(
        "crates/demo/pages/index.html",
        "<p>3<!-- value: tables --> tables</p>\n",
    );
    let answer = workspace.desk().refresh(&checking());
    assert_eq!(answer.exit, Exit::Negative);
    assert!(
        answer.err.contains("crates/demo/pages/index.html:1:4"),
        "{}",
        answer.err
    );
}

#[test]
fn a_document_in_a_crate_is_checked_too() {
    let workspace = workspace();
    let readme = "We have 3<!-- value: tables --> tables; 17 is nobody's business.\n";
    workspace.write("crates/demo/README.md", readme);
    let answer = workspace.shown(&workspace.desk().refresh(&checking()));
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
1<!-- value: demo/squares \"side 2.5\".perimeter published -->,
1<!-- value: lines of nowhere.txt with a -->.
<!-- reslts: written by `demo refresh` -->
<!-- end of reslts -->
<!-- demo/squares colour: written by `demo refresh` -->
<!-- end of demo/squares colour -->
<!-- crates: written by `demo refresh` -->
";
    let text = format!("<!-- numbers: checked by `demo refresh` -->\n{markers}");
    workspace.write("README.md", &text);
    assert_snapshot!(workspace.shown(&workspace.desk().refresh(&RefreshOptions::default())));
    assert_eq!(workspace.read("README.md"), text);
}
