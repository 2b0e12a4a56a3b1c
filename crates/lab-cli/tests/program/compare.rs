//! `compare` and `init`, which start from tables of published values.

use super::project::Project;

const PUBLISHED: &str =
    "group,mean,share,kind\nA,2.6,.50,small\nB,3.10,.25,large\nC,4,.125,large\nD,7.5,—,small\n";
const REPRODUCED: &str =
    "group,kind,mean,share\nB,large,3.104,.2496\nA,small,2.58,.503\nC,huge,4.6,.125\nE,small,1,1\n";

#[test]
fn two_files_are_compared_cell_by_cell() {
    let project = Project::new();
    project.write("published.csv", PUBLISHED);
    project.write("reproduced.csv", REPRODUCED);
    let text = project.expect(&["compare", "published.csv", "reproduced.csv"], 1, &[]);
    insta::assert_snapshot!(text);
    let csv = [
        "compare",
        "published.csv",
        "reproduced.csv",
        "--format",
        "csv",
    ];
    insta::assert_snapshot!(project.expect(&csv, 1, &[]));
    let html = [
        "compare",
        "published.csv",
        "reproduced.csv",
        "--out",
        "page.html",
    ];
    project.expect(&html, 1, &["only in reproduced.csv: row `E`"]);
    let page = project.read("page.html");
    assert!(
        page.contains("2.58 rounds to 2.6: matches at the published digits"),
        "{page}"
    );
    project.write(
        "same.csv",
        "group,mean,share,kind\nA,2.6,.5,small\nB,3.1,.25,large\nC,4,.125,large\nD,7.5,,small\n",
    );
    project.expect(
        &["compare", "published.csv", "same.csv"],
        0,
        &["p = ", "match"],
    );
}

#[test]
fn tolerances_rows_of_several_columns_and_long_tables_are_read() {
    let project = Project::new();
    project.write(
        "published.csv",
        "a,b,x,x-tolerance\n1,1,10,2\n1,2,20,0.5\n2,1,30,\n",
    );
    project.write(
        "reproduced.csv",
        "row,column,value\n\"1, 1\",x,11.5\n\"1, 2\",x,21\n\"2, 1\",x,30.4\n",
    );
    let (_, text) = project.run(&[
        "compare",
        "published.csv",
        "reproduced.csv",
        "--by",
        "a",
        "--by",
        "b",
    ]);
    assert!(text.contains("no column `a`"), "{text}");
    project.write("reproduced.csv", "a;b;x\n1;1;11,5\n1;2;21,0\n2;1;30,4\n");
    let says = [
        "1.5 apart, within the tolerance 2",
        "1 apart, beyond the tolerance 0.5",
    ];
    let arguments = [
        "compare",
        "published.csv",
        "reproduced.csv",
        "--by",
        "a",
        "--by",
        "b",
    ];
    project.expect(&arguments, 1, &says);
}

#[test]
fn files_that_are_no_tables_are_refused_with_their_place() {
    let project = Project::new();
    project.write("good.csv", PUBLISHED);
    let cases = [
        (
            "group,mean\nA,1\nB,2\nA,3\n",
            "line 4: row `A` is also on line 2",
        ),
        (
            "group,mean\nA,1\n,2\n",
            "line 3: column `group` names no row",
        ),
        (
            "group,mean\nA,1\nB,many\n",
            "row `B`, column `mean`: found `many` among numbers",
        ),
        (
            "group,mean\nA,1\nB,NaN\n",
            "row `B`, column `mean` is NaN, not a finite number",
        ),
        (
            "group,mean\nA,1,2\n",
            "bad.csv:2: 3 fields, the header has 2",
        ),
        ("group\nA\n", "at least one with values"),
        ("", "an empty file"),
    ];
    for (text, says) in cases {
        project.write("bad.csv", text);
        project.expect(&["compare", "good.csv", "bad.csv"], 2, &[says]);
        project.expect(&["init", "new", "--from-csv", "bad.csv"], 2, &[says]);
        assert!(!project.path("new").exists());
    }
    project.expect(&["compare", "good.csv", "none.csv"], 3, &["none.csv"]);
    let similar = "cannot read godo.csv: No such file or directory (os error 2)\n |\n = did you mean `good.csv`?\n";
    project.expect(&["compare", "good.csv", "godo.csv"], 3, &[similar]);
    let folder = ["expected a CSV file, found the folder ."];
    project.expect(&["compare", "good.csv", "."], 2, &folder);
    project.expect(&["init", "new", "--from-csv", "."], 2, &folder);
}

#[test]
fn a_project_without_tables_says_how_to_add_one() {
    let project = Project::new();
    for command in [&["list"][..], &["reproduce"], &["explain", "mine/t"]] {
        let says = [
            "error: the project has no tables yet\n",
            "add one with `kibitz-lab init --from-csv FILE --table PAPER/TABLE` or `kibitz-lab new ",
        ];
        project.expect(command, 4, &says);
    }
}

#[test]
fn a_column_without_a_meaning_ends_with_its_tolerance() {
    let project = Project::new();
    project.write("printed.csv", PUBLISHED);
    project.expect(
        &["init", "--from-csv", "printed.csv", "--table", "doe2001/t"],
        0,
        &[],
    );
    let text = project.expect(
        &["explain", "doe2001/t"],
        0,
        &["  mean: digits as printed\n"],
    );
    assert!(!text.contains("; \n"), "{text}");
    // The step is not written yet: nothing is offered after the error.
    let text = project.expect(&["reproduce"], 5, &["computes nothing yet"]);
    assert!(!text.contains("Browse"), "{text}");
}

#[test]
fn values_that_only_look_like_numbers_are_reported() {
    let project = Project::new();
    let published = "group,n,share,mean,version\nA,\"1,234\",12%,5 ± 1,1.2.3\n";
    project.write("published.csv", published);
    project.write(
        "reproduced.csv",
        "group,n,share,mean,version\nA,1234,12,5,1.2\n",
    );
    let says = [
        "published.csv:2: column `n`: `1,234` is not a number; write 1234",
        "published.csv:2: column `share`: `12%` is not a number; write 12",
        "published.csv:2: column `mean`: `5 ± 1` is not a number; write 5",
        "published.csv:2: column `version`: `1.2.3` is not a number; expected one such as 1234.5",
    ];
    let warned = says.map(|says| format!("warning: {says}\n"));
    let warned: Vec<&str> = warned.iter().map(String::as_str).collect();
    project.expect(&["init", "new", "--from-csv", "published.csv"], 0, &warned);
    let text = project.expect(&["compare", "published.csv", "reproduced.csv"], 1, &says);
    assert!(text.contains("`1,234` is text, not a number"), "{text}");
    // Of one value per line, and of the other file.
    project.write("long.csv", "row,column,value\nA,m,1\nA,n,\"1,234\"\n");
    let says = [
        "long.csv:3: column `n`: `1,234` is not a number; write 1234",
        "`1,234` is text, not a number",
    ];
    project.expect(&["compare", "reproduced.csv", "long.csv"], 1, &says);
}

#[test]
fn a_new_project_reads_a_table_of_its_own() {
    let project = Project::new();
    std::fs::remove_dir(project.path("experiments")).unwrap();
    project.write("printed.csv", PUBLISHED);
    // No project is needed to read about kinds.
    project.expect(&["kinds", "command"], 0, &["argv"]);
    project.expect(&["kinds", "none"], 2, &["unknown kind `none`"]);
    project.expect(&["init", "--from-csv", "printed.csv"], 0, &[]);
    project.write("results.csv", "player;elo\nAnn;2100,5\nBob;1900,0\n");
    let add = [
        "data",
        "add",
        "results.csv",
        "--license",
        "x",
        "--origin",
        "y",
    ];
    let says = [
        "2 records of 2 columns.\n",
        "experiments read it as `data = { table = \"results\" }`\n",
        "separator = \";\"\ncolumns = [\n  { name = \"player\", type = \"text\" },\n  \
         { name = \"elo\", type = \"float\" },\n]\n",
    ];
    project.expect(&add, 0, &says);
    project.write("notes.txt", "no table\n");
    let add = [
        "data",
        "add",
        "notes.txt",
        "--license",
        "x",
        "--origin",
        "y",
    ];
    project.expect(&add, 0, &["`data = { file = \"notes\" }`"]);
    project.write(
        "experiments/club/results.toml",
        "kind = \"table\"\ntitle = \"Results\"\nsource = { paper = \"beyond\", where = \"our club\" }\n\
         data = { table = \"results\" }\n[params]\nseparator = \";\"\n\
         columns = [{ name = \"elo\" , type = \"float\" }]\n",
    );
    project.expect(&["dataset", "club/results"], 0, &["2100.5, 1900.0"]);
}

#[test]
fn a_project_starts_from_a_table_of_published_values() {
    let project = Project::new();
    std::fs::remove_dir(project.path("experiments")).unwrap();
    project.write("printed.csv", PUBLISHED);
    project.expect(&["list"], 3, &["no folder experiments/"]);
    let init = [
        "init",
        "--from-csv",
        "printed.csv",
        "--table",
        "doe2001/table1",
    ];
    project.expect(
        &init,
        0,
        &[
            "wrote experiments/doe2001/table1.toml",
            "11 published values",
        ],
    );
    insta::assert_snapshot!(project.read("experiments/doe2001/table1.toml"));
    project.expect(
        &init,
        2,
        &[
            "experiments/doe2001/table1.toml exists already",
            "choose another name with --table",
        ],
    );
    project.expect(&["init"], 2, &["is a project already"]);
    project.expect(&["list"], 0, &["doe2001/table1", "stale"]);
    let other = [
        "init",
        "--from-csv",
        "printed.csv",
        "--table",
        "doe2001/table2",
    ];
    project.expect(&other, 0, &[]);
    assert_eq!(
        project
            .read("experiments/papers.toml")
            .matches("[doe2001]")
            .count(),
        1
    );
    project.expect(&["schema"], 0, &[]);
    assert!(project.read("experiments/schema.json").contains("argv"));
}
