//! The command line by itself: help, arguments that make no sense, and an empty workspace.

use std::path::Path;
use std::process::{Command, Output};

use insta::assert_snapshot;

/// Runs the command line in a folder.
fn output(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    for kept_out in [
        "CARGO_MANIFEST_DIR",
        "CARGO_TARGET_DIR",
        "CI",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "NO_COLOR",
    ] {
        command.env_remove(kept_out);
    }
    command
        .args(arguments)
        .current_dir(folder)
        .envs(variables.iter().copied())
        .output()
        .expect("the command line runs")
}

/// Exit code and both streams.
fn xtask(folder: &Path, arguments: &[&str]) -> String {
    let output = output(folder, arguments, &[]);
    let mut text = format!("exit {}\n", output.status.code().unwrap_or(-1));
    for (name, stream) in [("out", output.stdout), ("err", output.stderr)] {
        if !stream.is_empty() {
            text.extend(["--- ", name, "\n", &String::from_utf8_lossy(&stream)]);
        }
    }
    text.replace(&*folder.to_string_lossy(), "ROOT")
}

/// A folder with nothing but empty experiments.
fn empty() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(folder.path().join("experiments")).expect("the folder");
    folder
}

#[test]
fn help() {
    let folder = empty();
    assert_snapshot!("help", xtask(folder.path(), &["--help"]));
    assert_snapshot!(
        "help_reproduce",
        xtask(folder.path(), &["reproduce", "--help"])
    );
    assert_snapshot!("help_list", xtask(folder.path(), &["list", "--help"]));
}

#[test]
fn arguments_that_make_no_sense() {
    let folder = empty();
    let run = |arguments: &[&str]| xtask(folder.path(), arguments);
    assert_snapshot!("check_and_bless", run(&["reproduce", "--check", "--bless"]));
    assert_snapshot!("no_jobs", run(&["reproduce", "--jobs", "0"]));
    assert_snapshot!("too_many_jobs", run(&["reproduce", "--jobs", "65535"]));
    assert_snapshot!("misspelt_option", run(&["reproduce", "--cheque"]));
    assert_snapshot!("data_is_no_folder", run(&["list", "--data", "nowhere"]));
    assert_snapshot!(
        "root_without_experiments",
        run(&["list", "--root", "experiments"])
    );
    assert_snapshot!("bad_filter", run(&["list", "--filter", "("]));
}

#[test]
fn nowhere_to_run() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    assert_snapshot!(xtask(folder.path(), &["list"]));
}

#[test]
fn nothing_to_select() {
    let folder = empty();
    assert_snapshot!(xtask(folder.path(), &["reproduce"]));
}

#[test]
fn an_outdated_schema() {
    let folder = empty();
    assert_snapshot!("schema_check", xtask(folder.path(), &["schema", "--check"]));
    assert_snapshot!("schema", xtask(folder.path(), &["schema"]));
    assert_snapshot!("schema_again", xtask(folder.path(), &["schema", "--check"]));
}

#[test]
fn a_folder_below_the_root_is_fine() {
    let folder = empty();
    let below = folder.path().join("crates");
    std::fs::create_dir(&below).expect("the folder");
    let text = xtask(&below, &["schema"]);
    assert!(text.contains("wrote experiments/schema.json"), "{text}");
    assert!(folder.path().join("experiments/schema.json").is_file());
}

#[test]
fn color_is_for_terminals_and_those_who_ask_for_it() {
    let folder = empty();
    // One mistake is found by the reader of arguments, the other by the runner.
    for mistake in [
        ["list", "--data", "nowhere"],
        ["reproduce", "--cheque", "table"],
    ] {
        let colored = |variables: &[(&str, &str)]| {
            let Output { stdout, stderr, .. } = output(folder.path(), &mistake, variables);
            assert!(stderr.windows(5).any(|found| found == b"error"));
            assert!(!stdout.contains(&0x1b), "standard output is for programs");
            stderr.contains(&0x1b)
        };
        let forced = ("CLICOLOR_FORCE", "1");
        assert!(!colored(&[]), "{mistake:?}: a pipe is no terminal");
        assert!(colored(&[forced]), "{mistake:?}");
        assert!(!colored(&[forced, ("NO_COLOR", "1")]), "{mistake:?}");
    }
}

#[test]
fn endless_lines_are_answered_briefly() {
    const BYTES: usize = 60_000;
    let header = "kind = \"weight-recovery\"\ntitle = \"a\"\n";
    let one_line = |part: &str| part.repeat(BYTES / part.len());
    let unknown: Vec<String> = (0..BYTES / 9)
        .map(|idx| format!("k{idx:04} = 1, "))
        .collect();
    let unknown = unknown.concat();
    for (what, text) in [
        ("equals signs", one_line("=")),
        ("assignments", one_line("a = 1 ")),
        ("bad escapes", format!("a = \"{}\"", one_line("\\q"))),
        ("open arrays", format!("a = {}", one_line("["))),
        ("open tables", format!("a = {}", one_line("{ a = "))),
        ("a dotted key", format!("{}a = 1", one_line("a."))),
        ("a long key", format!("{header}{} = 1", one_line("a"))),
        ("a long kind", format!("kind = \"{}\"", one_line("a"))),
        ("unknown keys", format!("{header}params = {{ {unknown} }}")),
        (
            "a long value",
            format!("{header}run = \"{}\"", one_line("ä")),
        ),
        (
            "rows of numbers",
            format!("{header}params.sets = [{}]", one_line("1, ")),
        ),
    ] {
        let folder = empty();
        let file = folder.path().join("experiments/beyond/long.toml");
        std::fs::create_dir_all(file.with_file_name("")).expect("the folder");
        std::fs::write(file, text).expect("the file");
        let output = output(folder.path(), &["reproduce"], &[]);
        let text = String::from_utf8_lossy(&output.stderr);
        let beginning: String = text.chars().take(400).collect();
        assert_eq!(output.status.code(), Some(2), "{what}: {beginning}");
        assert!(text.contains("beyond/long.toml:"), "{what}: {beginning}");
        let n_bytes = output.stdout.len() + output.stderr.len();
        assert!(n_bytes < 200_000, "{what}: {n_bytes} bytes of {beginning}");
    }
}

/// A folder with the games of two players.
fn with_games() -> tempfile::TempDir {
    let folder = empty();
    let pgn = "[White \"Doe, Jane\"]\n[Black \"Roe, J.\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n";
    std::fs::write(folder.path().join("mine.pgn"), pgn).expect("written");
    let add = ["data", "add", "mine.pgn", "--license", "L", "--origin", "O"];
    let added = xtask(folder.path(), &add);
    assert!(added.starts_with("exit 0"), "{added}");
    folder
}

#[test]
fn skeletons_carry_the_players_that_are_set() {
    let folder = with_games();
    let new = |set: &[&str]| {
        let set = set.iter().flat_map(|set| ["--set", set]);
        let new = ["new", "my/who", "--kind", "who-played", "--use", "mine"];
        xtask(
            folder.path(),
            &new.into_iter().chain(set).collect::<Vec<_>>(),
        )
    };
    assert_snapshot!("one_player", new(&["player=Doe"]));
    assert_snapshot!("one_player_twice", new(&["player=Roe", "player=roe, j."]));
    assert_snapshot!("misspelt_key", new(&["plaer=Doe"]));
    let written = new(&["player=Doe", "player=Roe"]);
    assert!(written.starts_with("exit 0"), "{written}");
    let file = folder.path().join("experiments/my/who.toml");
    assert_snapshot!(
        "two_players",
        std::fs::read_to_string(file).expect("written")
    );
}

#[test]
fn queries_read_no_file_that_is_not_declared() {
    let folder = with_games();
    let new = [
        "new",
        "mine/moves",
        "--kind",
        "move-alternatives",
        "--set",
        "player=Doe",
    ];
    let written = xtask(folder.path(), &new);
    assert!(written.starts_with("exit 0"), "{written}");
    let query = "kind = \"query\"\ntitle = \"t\"\nsource = { paper = \"beyond\", where = \"w\" }\n\
                 from = { m = \"mine/moves\" }\n[params]\nsql = \"SELECT row, n FROM read_csv('own.csv')\"\n";
    let mine = folder.path().join("experiments/mine");
    std::fs::write(mine.join("q.toml"), query).expect("written");
    for csv in [folder.path().join("own.csv"), mine.join("own.csv")] {
        std::fs::write(csv, "row,n\na,1\n").expect("written");
    }
    assert_snapshot!(xtask(folder.path(), &["reproduce", "mine/q"]));
    let list = xtask(folder.path(), &["list"]);
    assert!(
        list.starts_with("exit 2") && list.contains("stale"),
        "{list}"
    );
}

#[test]
fn kinds_are_described_within_a_hundred_columns() {
    let folder = empty();
    let kinds = xtask(folder.path(), &["kinds"]);
    let kinds = kinds
        .lines()
        .skip(2)
        .map(|line| line.split(' ').next().unwrap_or_default());
    let mut n_kinds = 0;
    for kind in kinds {
        let text = xtask(folder.path(), &["kinds", kind]);
        let (text, _) = text
            .split_once("\ndata in the example")
            .expect("an example");
        let long = text.lines().find(|line| line.chars().count() > 100);
        assert_eq!(long, None, "{kind}");
        n_kinds += 1;
    }
    assert!(n_kinds > 30, "{n_kinds}");
}

/// What every program of the workspace answers alike: a tab before a mistake, several mistakes in a
/// file, a misspelled name, a folder or file that is not there.
#[test]
fn mistakes_are_told_as_by_every_program() {
    let folder = empty();
    let paper = folder.path().join("experiments/demo");
    std::fs::create_dir(&paper).expect("the folder");
    let table = "kind = \"qery\"\n\ttitel = \"x\"\ntitle = \"x\"\nrun = { sead = 1 }\n";
    std::fs::write(paper.join("table.toml"), table).expect("written");
    let run = |arguments: &[&str]| xtask(folder.path(), arguments);
    let all = [
        run(&["explain", "demo/table"]),
        run(&["list", "--root", "nosuch"]),
        run(&["list", "--data", "nosuch"]),
        run(&[
            "data",
            "add",
            "nosuch.txt",
            "--license",
            "x",
            "--origin",
            "x",
        ]),
        run(&[
            "data",
            "add",
            "nosuch.pgn",
            "--license",
            "x",
            "--origin",
            "x",
        ]),
        run(&["kinds", "qery"]),
    ];
    assert_snapshot!(all.join("\n"));
    let help = run(&["--help"]);
    assert!(
        help.trim_end().ends_with(&kibitz_lab::Exit::help()),
        "{help}"
    );
}
