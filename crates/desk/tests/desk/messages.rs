//! Every message about a file somebody wrote, and where it points.

use std::fmt::Write as _;

use insta::assert_snapshot;
use kibitz_desk::Format;
use kibitz_lab::{Exit, Selection};

use crate::workspace::{SQUARES, Workspace};

/// What a run says of these experiment files; nothing may run.
fn said(files: &[(&str, &str)]) -> String {
    let workspace = Workspace::bare();
    for (path, text) in files {
        workspace.write(path, text);
    }
    let (answer, started) = workspace.reproduce(&kibitz_desk::ReproduceOptions::default());
    assert_eq!(
        (answer.exit, started.len()),
        (Exit::BadInput, 0),
        "{}{}",
        answer.out,
        answer.err
    );
    workspace.shown(&answer)
}

fn said_of(text: &str) -> String {
    said(&[("experiments/demo/table.toml", text)])
}

/// The good experiment with one change.
fn said_with(from: &str, to: &str) -> String {
    assert!(SQUARES.contains(from), "{from:?}");
    said_of(&SQUARES.replacen(from, to, 1))
}

#[test]
fn syntax() {
    assert_snapshot!(said_of("kind = \ntitle = \"x\"\n[params\n"));
}

#[test]
fn not_utf8() {
    let workspace = Workspace::new();
    std::fs::write(
        workspace.path("experiments/demo/dice.toml"),
        b"kind = \"dice\"\n# \xff\n",
    )
    .unwrap();
    assert_snapshot!(workspace.shown(&workspace.run()));
}

#[test]
fn nothing_in_the_file() {
    assert_snapshot!(said_of(""));
}

#[test]
fn unknown_keys_everywhere_at_once() {
    assert_snapshot!(said_of(
        r#"kind = "squares"
titel = "Squares"
title = "Squares"
source = { paper = "demo", wher = "Table 1" }
run = { sead = 1 }
[params]
sides = [1.0]
ofset = 1
colour = "red"
[quick]
side = [1.0]
[columns]
area = { unt = "m2" }
[[deviation]]
cell = "side 1.area"
reason = "?"
[[check]]
op = "sum"
off = ["side 1.area"]
is = "side 1.area"
"#
    ));
}

#[test]
fn wrong_types_everywhere_at_once() {
    assert_snapshot!(said_of(
        r#"kind = "squares"
title = 3
tags = [1, "a"]
source = "demo"
data = "base"
run = { seed = -1, replicates = 0, timeout = "soon", lock = 1 }
params = []
quick = 1
columns = { area = 1 }
published = { "side 1" = 3, "side 2" = { area = true, perimeter = nan } }
check = { op = "sum" }
deviation = ["x"]
"#
    ));
}

#[test]
fn wrong_type_in_params() {
    assert_snapshot!(said_with(
        "sides = [1.0, 2.5, 3.0]",
        "sides = [1.0, \"two\"]"
    ));
}

#[test]
fn missing_key_in_params() {
    assert_snapshot!(said_with("sides = [1.0, 2.5, 3.0]", ""));
}

#[test]
fn unknown_word_in_params() {
    assert_snapshot!(said_with(
        "sides = [1.0, 2.5, 3.0]",
        "sides = [1.0, 2.5, 3.0]\nmood = \"wiling\""
    ));
}

#[test]
fn params_that_make_no_sense() {
    assert_snapshot!(said_with(
        "sides = [1.0, 2.5, 3.0]",
        "sides = [1.0, -2.5, 3.0]"
    ));
}

#[test]
fn quick_params_that_make_no_sense() {
    assert_snapshot!(said_with(
        "sides = [1.0, 2.5]\n[col",
        "sides = [-1.0]\n[col"
    ));
}

#[test]
fn no_cells() {
    assert_snapshot!(said_of(
        "kind = \"squares\"\ntitle = \"x\"\nsource = { paper = \"demo\", where = \"T\" }\nparams = { sides = [] }\n"
    ));
}

#[test]
fn a_row_planned_twice() {
    assert_snapshot!(said_with(
        "sides = [1.0, 2.5, 3.0]",
        "sides = [1.0, 2.5, 3.0, 1.0]"
    ));
}

#[test]
fn unknown_kind() {
    assert_snapshot!(said_with("\"squares\"", "\"sqares\""));
}

#[test]
fn unknown_paper() {
    assert_snapshot!(said_with("paper = \"demo\"", "paper = \"dema\""));
}

#[test]
fn unknown_reading() {
    assert_snapshot!(said_with(
        "where = \"Table 1\"",
        "where = \"Table 1\", reading = \"claer\""
    ));
}

#[test]
fn data_not_in_the_manifest() {
    assert_snapshot!(said_with(
        "[params]",
        "[data]\nbase = \"bass\"\n[params]\nwith-data = true"
    ));
}

#[test]
fn data_the_kind_does_not_read() {
    assert_snapshot!(said_with(
        "[params]",
        "[data]\nbasis = \"base\"\n[params]\nwith-data = true"
    ));
}

#[test]
fn a_seed_too_few_or_too_many() {
    assert_snapshot!(said(&[
        (
            "experiments/demo/squares.toml",
            &SQUARES.replace("[params]", "[run]\nseed = 1\nreplicates = 2\n[params]")
        ),
        (
            "experiments/demo/dice.toml",
            &crate::workspace::DICE.replace("seed = 7, ", "")
        ),
    ]));
}

#[test]
fn columns_and_rows_that_are_not_there() {
    let text = SQUARES
        .replace("perimeter = {", "perimetre = {")
        .replace("\"side 3\"  ", "\"side 33\" ");
    assert_snapshot!(said_of(&text));
}

#[test]
fn tolerances() {
    assert_snapshot!(said_of(
        r#"kind = "squares"
title = "x"
source = { paper = "demo", where = "T" }
params = { sides = [1.0, 2.0] }
[columns]
area = { tol = "exactly" }
perimeter = { tol = "info" }
drawing = { tol = { absolute = 1 } }
"#
    ));
    let tolerance = |tol: &str| {
        said_with(
            "area      = { tol = { abs = 0.01 } }",
            &format!("area = {{ tol = {tol} }}"),
        )
    };
    assert_snapshot!("tolerance_two", tolerance("{ abs = 1, rel = 1 }"));
    assert_snapshot!("tolerance_negative", tolerance("{ abs = -1 }"));
    assert_snapshot!("tolerance_within", tolerance("{ within = [2, 1] }"));
    assert_snapshot!("tolerance_trials", tolerance("{ trials = { n = 10 } }"));
    assert_snapshot!("tolerance_empty", tolerance("{}"));
    assert_snapshot!("tolerance_number", tolerance("0.5"));
    assert_snapshot!("tolerance_own_interval", tolerance("\"own-interval\""));
    assert_snapshot!("tolerance_replicates", tolerance("{ replicate-sd = 2 }"));
}

#[test]
fn a_text_judged_by_distance() {
    let text = SQUARES
        .replace(
            "drawing   = { tol = \"info\", why = \"nobody printed one\" }",
            "drawing = { tol = { abs = 1 } }",
        )
        .replace(
            "\"side 2.5\" = { area = 6.25 }",
            "\"side 2.5\" = { drawing = \"[]\" }",
        )
        .replace(
            "of = [\"side 1.area\", \"side 2.5.area\"]",
            "of = [\"side 1.area\"]",
        );
    assert_snapshot!(said_of(&text));
}

#[test]
fn deviations_and_checks_that_name_nothing() {
    let text = SQUARES
        .replace(
            "cells = \"side 1.perimeter\"",
            "cells = [\"side 1.perimetre\", \"side ?.*\"]",
        )
        .replace("is = \"side 3.area\"", "is = \"side 4.area\"")
        .replace("op = \"percent\"", "op = \"fraction\"");
    assert_snapshot!("deviations_and_checks", said_of(&text));
    let text = SQUARES.replace(
        "of = [\"side 1.area\", \"side 1.perimeter\"]",
        "of = \"side 1.area\"",
    );
    assert_snapshot!("check_with_one_side", said_of(&text));
}

#[test]
fn a_conjecture_that_nothing_decides() {
    let decided_by = "decided-by = \"A square of another side.\"\n";
    assert_snapshot!("conjecture_undecided", said_with(decided_by, ""));
    let blank = said_with(decided_by, "decided-by = \" \"\n");
    assert!(
        blank.contains("does not say what would decide it"),
        "{blank}"
    );
}

#[test]
fn a_check_of_rows_that_are_not_there() {
    assert_snapshot!(said_with(
        "[[check]]\nop = \"sum\"",
        "[[check]]\nrows = [\"sides *\"]\nop = \"sum\""
    ));
    let text = SQUARES.replace(
        "[[check]]\nop = \"sum\"\nof = [\"side 1.area\", \"side 2.5.area\"]\nis = \"side 3.area\"",
        "[[check]]\nrows = \"side *\"\nop = \"equal\"\nof = \"{row}.area\"\nis = \"{row}.perimeter\"",
    );
    assert_snapshot!("check_of_a_row_without_value", said_of(&text));
}

#[test]
fn files_in_the_wrong_place() {
    let workspace = Workspace::bare();
    for path in ["foo.toml", "demo/deeper/bar.toml", "demo/loud.TOML"] {
        workspace.write(&format!("experiments/{path}"), "kind = \"squares\"\n");
    }
    assert_snapshot!("nothing_but_strays", workspace.shown(&workspace.run()));
    workspace.write("experiments/demo/squares.toml", SQUARES);
    let answer = workspace.run();
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
    assert_snapshot!(workspace.shown(&answer));
    let list = workspace
        .desk()
        .list(&Selection::default(), false, Format::Text);
    assert_eq!((list.exit, list.err), (Exit::Done, answer.err));
}

#[test]
fn hostile_files_get_short_answers() {
    let mut rows = String::new();
    for n in 0..5_000 {
        writeln!(rows, "r{n} = {{ are = {n} }}").unwrap();
    }
    let text = format!("{SQUARES}\n[published]\n{rows}")
        .replace("[published]\n\"side 3\"", "[rest]\n\"side 3\"");
    let said = said_of(&text);
    assert!(said.len() < 40_000, "{} bytes", said.len());
    let long = SQUARES.replace(
        "tags   = [\"plane\"]",
        &format!(
            "tags = [\"{}\"]\ntitel = \"{}\"",
            "x".repeat(1 << 20),
            "y".repeat(1 << 20)
        ),
    );
    let said = said_of(&long);
    assert!(
        said.contains("unknown key `titel`"),
        "{}",
        &said[..500.min(said.len())]
    );
    assert!(said.len() < 4_000, "{} bytes", said.len());
}

#[test]
fn problems_of_all_files_come_together() {
    assert_snapshot!(said(&[
        (
            "experiments/demo/a.toml",
            "kind = \"squares\"\ntitle = \"a\"\n"
        ),
        (
            "experiments/demo/b.toml",
            "kind = \"dice\"\ntitle = \"b\"\nrun = { seed = 1 }\nparams = { throws = 1.5 }\nsource = { paper = \"demo\", where = \"T\" }\n"
        ),
        (
            "experiments/papers.toml",
            "[demo]\ncitation = \"x\"\nlnk = \"y\"\n"
        ),
        (
            "data/manifest.toml",
            "[base]\npath = \"../base.txt\"\nblake3 = \"12\"\nbytes = 4\norigin = \"x\"\n"
        ),
    ]));
}

#[test]
fn damaged_results() {
    let workspace = Workspace::new();
    workspace.bless();
    workspace.write(
        "results/demo/dice/inputs.toml",
        "experiment = \"demo/dice\"\n",
    );
    workspace.edit(
        "results/demo/squares/table.csv",
        "row,column,value",
        "row,column,worth",
    );
    assert_snapshot!(workspace.shown(&workspace.check()));
}

#[test]
fn a_manifest_entry_that_leads_away() {
    let workspace = Workspace::new();
    workspace.edit("data/manifest.toml", "base.txt", "../base.txt");
    assert_snapshot!(workspace.shown(&workspace.run()));
}

#[test]
fn an_unknown_key_in_the_manifest() {
    let workspace = Workspace::new();
    workspace.edit("data/manifest.toml", "bytes = 4", "bites = 4\nbytes = 4");
    assert_snapshot!(workspace.shown(&workspace.run()));
}
