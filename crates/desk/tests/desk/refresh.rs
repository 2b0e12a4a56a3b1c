//! `refresh`: all of it or nothing, in one run, and only from values that nobody edited.

use kibitz_desk::{Answer, Mode, RefreshOptions, ReproduceOptions};
use kibitz_lab::Exit;

use crate::workspace::{Workspace, accepting, checking, files, mode, only};

const SQUARES: &str = "experiments/demo/squares.toml";
const LOG: &str = "results/verdicts.csv";
const README: &str = "\
The largest is 9.00<!-- value: demo/squares \"side 3\".area -->.
It matches<!-- outcome: demo/squares \"side 3\".perimeter -->.

<!-- results: written by `demo refresh` -->
<!-- end of results -->
";

/// With a finding and a document.
fn workspace() -> Workspace {
    let workspace = Workspace::new();
    let finding = "finding = 'The largest is 9.00<!-- value: demo/squares \"side 3\".area -->'\n";
    let text = workspace.read(SQUARES);
    workspace.write(
        SQUARES,
        &text.replacen("title ", &format!("{finding}title "), 1),
    );
    workspace.write("README.md", README);
    let answer = workspace.bless();
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
    let answer = workspace.desk().refresh(&checking());
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
    workspace
}

fn refresh(workspace: &Workspace, accept: bool, why: Option<&str>) -> Answer {
    workspace.desk().refresh(&RefreshOptions {
        check: false,
        accept,
        why: why.map(str::to_owned),
    })
}

fn said(text: &str, expected: &[&str]) {
    for expected in expected {
        assert!(text.contains(expected), "no {expected:?} in {text}");
    }
}

/// After a refresh, nothing is left to do.
fn is_done(workspace: &Workspace) {
    let checked = workspace.desk().refresh(&checking());
    assert_eq!(checked.exit, Exit::Done, "{}", checked.err);
    let before = files(workspace.root());
    let again = workspace.desk().refresh(&accepting());
    assert_eq!(again.out, "everything is up to date\n", "{}", again.err);
    assert_eq!(files(workspace.root()), before);
}

#[test]
fn edited_values_are_named_and_nothing_rests_on_them() {
    let table = "results/demo/squares/table.csv";
    let inputs = "results/demo/squares/inputs.toml";
    for (file, from, to) in [
        (table, "side 3,area,9,", "side 3,area,8,"),
        (inputs, "table = \"", "table = \"0"),
    ] {
        let workspace = workspace();
        workspace.edit(file, from, to);
        let explained = workspace.desk().explain("demo/squares", None);
        said(&explained.out, &["damaged: table.csv is not the one"]);
        let before = files(workspace.root());
        for options in [checking(), RefreshOptions::default(), accepting()] {
            let answer = workspace.desk().refresh(&options);
            assert_eq!(answer.exit, Exit::Negative, "{file}");
            let expected = [
                table,
                inputs,
                "git checkout results/demo/squares",
                "demo reproduce --bless demo/squares",
                "1 problem; nothing was written",
            ];
            said(&answer.err, &expected);
            assert_eq!(answer.out, "");
            assert_eq!(files(workspace.root()), before);
        }
        let dice = ReproduceOptions {
            selection: only("demo/dice").selection,
            ..mode(Mode::Bless { allow_dirty: true })
        };
        let (answer, _) = workspace.reproduce(&dice);
        assert_eq!(answer.exit, Exit::Negative);
        said(&answer.err, &[table, "nothing was recorded"]);
        let dice = ReproduceOptions {
            mode: Mode::Check,
            ..dice
        };
        let (answer, _) = workspace.reproduce(&dice);
        assert_eq!(answer.exit, Exit::Negative);
        said(&answer.err, &[table]);
        let answer = workspace.bless();
        assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
        is_done(&workspace);
    }
    let workspace = workspace();
    std::fs::remove_file(workspace.path(inputs)).unwrap();
    let answer = workspace.desk().refresh(&accepting());
    assert_eq!(answer.exit, Exit::Negative);
    said(
        &answer.err,
        &["results/demo/squares/inputs.toml is missing"],
    );
}

#[test]
fn a_refused_number_leaves_everything_as_it_is() {
    let workspace = workspace();
    workspace.edit("README.md", "9.00<!--", "5.00<!--");
    workspace.edit("README.md", "It matches<", "It differs (explained)<");
    workspace.edit(SQUARES, "Squares of lengths", "Areas");
    let before = files(workspace.root());
    let answer = refresh(&workspace, false, None);
    assert_eq!((answer.exit, answer.out.as_str()), (Exit::Negative, ""));
    let expected = [
        "`5.00` should be `9.00`",
        "results/demo/squares/table.md",
        "results/index.json is out of date",
        "nothing was written",
    ];
    said(&answer.err, &expected);
    assert_eq!(files(workspace.root()), before);
    let answer = refresh(&workspace, true, None);
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
    let expected = [
        "README.md:1: 5.00 → 9.00 in \"The largest is 5.00.\"",
        "README.md:2: differs (explained) → matches in \"It differs (explained).\"",
        "wrote results/demo/squares/table.md",
        "wrote README.md",
    ];
    said(&answer.out, &expected);
    is_done(&workspace);
}

#[test]
fn one_run_reaches_the_end() {
    let workspace = workspace();
    let count = "2<!-- value: lines of results/demo/squares/table.md with largest -->\n\
                 2<!-- value: lines of docs/other.md with 9.00 -->\n";
    workspace.write("docs/counts.md", count);
    workspace.write(
        "docs/other.md",
        "5.00<!-- value: demo/squares \"side 3\".area -->\n",
    );
    workspace.edit(SQUARES, "'The largest is 9.00", "'The very largest is 7.00");
    let answer = refresh(&workspace, false, None);
    assert_eq!(answer.exit, Exit::Negative);
    let answer = refresh(&workspace, true, None);
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
    let expected = [
        "experiments/demo/squares.toml:2: 7.00 → 9.00",
        "docs/counts.md:1: 2 → 1",
        "docs/counts.md:2: 2 → 1",
    ];
    said(&answer.out, &expected);
    let finding = "The very largest is 9.00";
    for file in ["index.md", "index.json", "demo/squares/table.md"] {
        said(&workspace.read(&format!("results/{file}")), &[finding]);
    }
    is_done(&workspace);
}

#[test]
fn another_published_value_needs_a_reason() {
    let workspace = workspace();
    workspace.edit(SQUARES, "perimeter = 12", "perimeter = 13");
    workspace.edit(SQUARES, "{ area = 6.25 }", "{ area = 6.251 }");
    let before = files(workspace.root());
    let answer = refresh(&workspace, true, None);
    assert_eq!(answer.exit, Exit::BadInput);
    let expected =
        "2 cells have another published value, such as demo/squares \"side 3\".perimeter";
    said(&answer.err, &["say why with --why", expected]);
    assert_eq!(files(workspace.root()), before);
    let answer = workspace.desk().refresh(&checking());
    assert_eq!(answer.exit, Exit::Negative);
    let expected = "published 12 → 13, and results/verdicts.csv has no line for it";
    said(&answer.err, &[expected]);
    let answer = refresh(&workspace, true, Some("the scan was misread"));
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
    said(
        &answer.out,
        &["\"side 2.5\".area: published 6.25 → 6.251\n"],
    );
    let log = workspace.read(LOG);
    let lines: Vec<&str> = log.lines().skip(1).collect();
    assert_eq!(
        lines,
        [
            "\"demo/squares \"\"side 3\"\".perimeter\",matches,differs (unexplained),\
             published 12 → 13: the scan was misread",
            "\"demo/squares \"\"side 2.5\"\".area\",matches (weak),matches (weak),\
             published 6.25 → 6.251: the scan was misread",
        ]
    );
    is_done(&workspace);
    assert_eq!(workspace.check().exit, Exit::Negative, "it differs");
}

#[test]
fn what_is_published_anew_needs_no_reason() {
    let workspace = workspace();
    workspace.edit(
        SQUARES,
        "{ area = 6.25 }",
        "{ area = 6.25, perimeter = 10 }",
    );
    let answer = refresh(&workspace, true, None);
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
    said(
        &workspace.read(LOG),
        &["\"side 2.5\"\".perimeter\",info,matches,\"\"\n"],
    );
    let text = workspace.read(SQUARES);
    workspace.write(
        "experiments/demo/more.toml",
        &text.replace("demo/squares", "demo/more"),
    );
    let more = ReproduceOptions {
        why: None,
        selection: only("demo/more").selection,
        ..mode(Mode::Bless { allow_dirty: true })
    };
    let (answer, _) = workspace.reproduce(&more);
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
    is_done(&workspace);
}

#[test]
fn another_word_needs_a_reason() {
    let workspace = workspace();
    workspace.edit(SQUARES, "{ baseline = 0 }", "{}");
    let answer = workspace.desk().refresh(&checking());
    assert_eq!(answer.exit, Exit::Negative);
    let change = "demo/squares \"side 3\".perimeter: matches → matches (weak)";
    said(&answer.err, &[change, "has no line for it"]);
    let compare = "results/demo/squares/compare.csv";
    let answer = refresh(&workspace, true, None);
    assert_eq!(answer.exit, Exit::BadInput);
    said(&answer.err, &["1 cell has another outcome"]);
    let bless = |why: Option<&str>| {
        let options = ReproduceOptions {
            why: why.map(str::to_owned),
            ..mode(Mode::Bless { allow_dirty: true })
        };
        workspace.reproduce(&options).0
    };
    let answer = bless(None);
    assert_eq!(answer.exit, Exit::BadInput);
    said(&answer.err, &["1 cell has another outcome"]);
    said(&workspace.read(compare), &[",matches,"]);
    let answer = refresh(&workspace, false, Some("no baseline"));
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
    said(
        &answer.out,
        &[change, "README.md:2: matches → matches (weak)"],
    );
    said(
        &workspace.read(LOG),
        &["matches,matches (weak),no baseline"],
    );
    is_done(&workspace);
}

/// Puts everything into a repository.
fn commit(workspace: &Workspace) {
    let git = |arguments: &[&str]| {
        let who = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
        let mut git = std::process::Command::new("git");
        let git = git
            .arg("-C")
            .arg(workspace.root())
            .args(who)
            .args(arguments);
        assert!(git.output().unwrap().status.success(), "{arguments:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "All"]);
}

#[test]
fn a_deleted_comparison_hides_no_change() {
    let workspace = workspace();
    commit(&workspace);
    workspace.edit(SQUARES, "{ baseline = 0 }", "{}");
    std::fs::remove_file(workspace.path("results/demo/squares/compare.csv")).unwrap();
    let answer = refresh(&workspace, true, None);
    assert_eq!(answer.exit, Exit::BadInput);
    said(&answer.err, &["1 cell has another outcome"]);
}

#[test]
fn every_markdown_file_is_checked() {
    let number = "3<!-- value: tables --> tables.\n";
    let code = "`3<!-- value: tables -->`\n\n```text\n3<!-- value: tables -->\n```\n";
    let checked = [
        "docs/guide.md",
        "docs/deep/more.md",
        "notes/a/b.md",
        "NEW.md",
    ];
    let ignored = ["target/a.md", "results/a.md", "tools/target/a.md"];
    for has_git in [false, true] {
        let workspace = workspace();
        for path in checked.iter().chain(&ignored) {
            workspace.write(path, &format!("{number}{code}"));
        }
        if has_git {
            commit(&workspace);
            workspace.write("untracked/a.md", number);
            workspace.write("docs/untracked.md", number);
        }
        let answer = workspace.desk().refresh(&checking());
        assert_eq!(answer.exit, Exit::Negative);
        for path in checked {
            said(&answer.err, &[&format!("{path}:1:1")]);
        }
        let n = checked.len() + usize::from(has_git);
        let found = answer.err.matches("`3` should be `2`").count();
        assert_eq!(found, n, "{}", answer.err);
        let answer = refresh(&workspace, false, None);
        assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
        let expected = format!("2<!-- value: tables --> tables.\n{code}");
        assert_eq!(workspace.read("docs/deep/more.md"), expected);
    }
}
