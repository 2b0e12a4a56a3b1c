//! The program itself.

#![allow(missing_docs, reason = "a test")]

mod program;

use program::{recorded, typed, with_file};

#[test]
fn positions_are_solved() {
    let position = b"# two ways\n4x3/2\n112.\n1F..\n11..\n";
    let all = [
        with_file("a.txt", position, &["solve", "FILE"], ""),
        with_file(
            "a.txt",
            position,
            &["solve", "FILE", "--format", "json"],
            "",
        ),
        with_file("a.txt", b"3x2/1\n2..\n1..\n", &["solve", "FILE"], ""),
        with_file("a.txt", b"3x2/1\n...\n..\n", &["solve", "FILE"], ""),
        with_file("a.txt", b"3x2/1\n4..\n...\n", &["solve", "FILE"], ""),
        with_file("a.txt", b"2x1/1\n.1\n", &["play", "--file", "FILE"], ""),
        with_file(
            "a.mbf",
            &[2, 2, 0, 1, 5, 5],
            &["watch", "--file", "FILE"],
            "",
        ),
    ];
    insta::assert_snapshot!(all.concat());
}

/// A mark as `f`, a question mark, a byte order mark, a first line with blanks or none, a density.
#[test]
fn positions_of_other_programs_are_solved() {
    let solve = |position: &str, more: &[&str]| {
        let arguments = [&["solve", "FILE"], more].concat();
        with_file("a.txt", position.as_bytes(), &arguments, "")
    };
    let json = ["--format", "json"];
    let all = [
        solve("\u{feff}4x4/2\n....\n.1..\n....\n....\n", &json),
        solve("4x4/2\n....\n.1f.\n....\n....\n", &json),
        solve("4x4/2\n....\n.1?.\n....\n....\n", &json),
        solve(
            "4 x 4 / 2\r\n# # # #\r\n# 1 # #\r\n# # # #\r\n# # # #\r\n",
            &json,
        ),
        solve("4x4/?\n....\n.1..\n....\n....\n", &[]),
        solve("4x4/?\n....\n.1..\n....\n....\n", &["--density", ".125"]),
        solve(
            "4x4/?\n....\n.1..\n....\n....\n",
            &["--density", ".125", "--format", "json"],
        ),
        solve(
            "----\n-1--\n----\n----\n",
            &["--mines", "2", "--format", "json"],
        ),
        solve("----\n-1--\n----\n----\n", &[]),
        solve("4x1/1\n..1.\n", &["--mines", "2"]),
        solve("4x2/1\n 1##\n 1##\n", &[]),
        solve("4x2/1\n__1F\n__11\n", &[]),
        solve("16x30/99\n", &["--mines", "2", "--density", ".2"]),
        solve("4x1/1\n..1.\n", &["--density", "20"]),
        typed(&["solve", "-"], "2x1/1\n1.\n"),
        typed(&["solve", "-"], "2x1/1\n1,.\n"),
        typed(&["watch", "--file", "-"], "2x1/1\n.*\n"),
        typed(&["play", "--file", "-"], "2x1/1\n.*\n"),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

/// Reasons by one number, two, more, and the count of mines; 50/50s; guesses with their chances.
#[test]
fn positions_are_analysed() {
    let analyse = |position: &str, more: &[&str]| {
        let arguments = [&["analyse", "FILE"], more].concat();
        with_file("a.txt", position.as_bytes(), &arguments, "")
    };
    let all = [
        analyse("4x3/2\n112.\n1F..\n11..\n", &[]),
        analyse("4x2/1\n11..\n....\n", &[]),
        analyse("5x3/1\n01...\n01...\n01...\n", &["--format", "json"]),
        // Nothing tells where the mine is.
        analyse("3x2/1\n01.\n01.\n", &[]),
        analyse("3x2/1\n01.\n01.\n", &["--format", "json"]),
        analyse("3x2/1\n01.\n01.\n", &["--format", "svg"]),
        analyse("4x1/1\n..1.\n", &["--density", ".2", "--mines", "1"]),
        analyse("3x2/1\n2..\n1..\n", &[]),
        analyse("2x1/1\n1F\n", &[]),
        analyse("30x16/99\n", &[]),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

/// Of equal chances the safe tile is advised; and without chances, the first safe tile.
#[test]
fn no_risk_is_advised_beside_a_safe_tile() {
    let analyse = |position: &str, more: &[&str]| {
        let arguments = [&["analyse", "FILE"], more].concat();
        with_file("a.txt", position.as_bytes(), &arguments, "")
    };
    let covered = "............\n".repeat(4);
    let wide = format!("12x6/18\n{covered}01..........\n01..........\n");
    let all = [
        analyse("3x2/2\n..1\n..F\n", &[]),
        analyse("3x2/2\n..1\n..F\n", &["--format", "json"]),
        analyse("5x4/4\n.....\n.21..\n.101.\n.101.\n", &[]),
        analyse(&wide, &[]),
        analyse(&format!("12x4/9\n{covered}"), &["--format", "json"]),
        analyse("4x4/?\n....\n.1..\n....\n....\n", &["--density", "0.2"]),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

/// A recorded game: a first click, a mark, a chord, and what is wrong with others.
#[test]
fn replays_are_judged() {
    let game = recorded();
    let all = [
        with_file("a.evf", &game, &["replay", "FILE"], ""),
        with_file("a.evf", &game, &["replay", "FILE", "--format", "json"], ""),
        with_file("a.evf", &game[..60], &["replay", "FILE"], ""),
        with_file("a.rmv", &game, &["replay", "FILE"], ""),
        with_file("a.txt", &game, &["replay", "FILE"], ""),
        typed(&["replay", "nosuch.avf"], ""),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

/// Every replay of a set is shown, and one that is damaged does not hide the others.
#[test]
fn sets_of_replays_are_judged() {
    let game = recorded();
    // Without its last two events.
    let last = [&game[..game.len() - 17], &[255]].concat();
    let mut set = vec![0, 0, 2];
    for (name, replay) in [("first", &game[..]), ("cut", &game[..60]), ("last", &last)] {
        set.extend(name.as_bytes());
        set.extend([
            0,
            0,
            0,
            0,
            u8::try_from(replay.len()).expect("a small replay"),
        ]);
        set.extend(replay);
        set.extend(b"ab");
    }
    let all = [
        with_file("a.evfs", &set, &["replay", "FILE"], ""),
        with_file("a.evfs", &set, &["replay", "FILE", "--format", "json"], ""),
        with_file("a.evfs", &set[..set.len() - 9], &["replay", "FILE"], ""),
        with_file("a.evfs", b"\x07", &["replay", "FILE"], ""),
        with_file("a.evfs", &set, &["convert", "FILE", "-"], ""),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

/// Boards that need no guess, with what solves them.
#[test]
fn boards_are_generated() {
    let all = [
        typed(&["generate", "--level", "9x5/6", "--seed", "3"], ""),
        typed(
            &[
                "generate",
                "--level",
                "9x5/8",
                "--no-guess",
                "--first",
                "1,1",
                "--certificate",
            ],
            "",
        ),
        typed(
            &[
                "generate",
                "--level",
                "6x6/6",
                "--no-guess",
                "--max-rule",
                "sets",
                "--count",
                "2",
                "--uniform",
                "--format",
                "json",
            ],
            "",
        ),
        typed(&["generate", "--level", "9x5/8", "--first", "6,1"], ""),
        typed(&["generate", "--level", "9x5/8", "--first", "0,1"], ""),
        typed(&["generate", "--level", "9x5/45"], ""),
        typed(&["generate", "--level", "16x16/150", "--no-guess"], ""),
        typed(&["generate", "--max-rule", "S-2", "--no-guess"], ""),
        typed(
            &["play", "--board", "9x9/12", "--no-guess"],
            "5 5\nanalyse\nquit\n",
        ),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

/// Ordinary positions after random safe clicks: many numbers are linked, and there are probabilities.
#[test]
fn wide_frontiers_are_solved() {
    for name in [
        "cascade-30x16-200-9",
        "cascade-30x16-280-0",
        "complex-16x16-0.7-0",
    ] {
        let path = format!("tests/data/{name}.txt");
        let position = std::fs::read_to_string(&path).expect("it is there");
        let (_, n_mines) = position
            .lines()
            .next()
            .and_then(|head| head.split_once('/'))
            .expect("a head");
        let answer = typed(&["solve", &path, "--format", "json"], "");
        let json = answer.lines().nth(2).expect("the answer");
        let answer: serde_json::Value = serde_json::from_str(json).expect("an object");
        let rows = answer["mine"].as_array().expect("rows").iter();
        let tiles = rows.flat_map(|row| row.as_array().expect("tiles"));
        let sum: f64 = tiles.filter_map(serde_json::Value::as_f64).sum();
        let n_mines: f64 = n_mines.parse().expect("a number");
        assert!((sum - n_mines).abs() < 1e-9, "{name}: {sum} of {n_mines}");
    }
}

/// Of garbage, only the first errors are reported, and quickly.
#[test]
fn of_many_mistakes_the_first_are_told() {
    let rows = "30x16/99\n".to_owned() + &"z".repeat(300_000);
    let told = with_file("a.txt", rows.as_bytes(), &["solve", "FILE"], "");
    assert!(told.len() < 20_000, "{} bytes", told.len());
    assert!(told.contains("more mistakes"), "{told}");
}

#[test]
fn a_scripted_game() {
    let board = b"5x4/3\n.....\n..*..\n....*\n*....\n";
    let script = "help\nc 1 1\nodds\nf 1 1\n1 1\nsafe\nodds\nwhy 2 3\nwhy 1 4\nf 2 3\n2 3\nhint\nc 2 3\n9 9\nanalyse\nc 2 2\n1 4\n2 3\nf 2 3\n2 3\n";
    let all = [
        with_file(
            "b.txt",
            board,
            &["play", "--file", "FILE", "--player", "rules"],
            script,
        ),
        typed(
            &[
                "play",
                "--board",
                "4x3/1",
                "--seed",
                "7",
                "--first-click",
                "opening",
            ],
            "1 1\nquit\n",
        ),
        // The rule of the first click is known before it.
        typed(
            &["play", "--board", "9x7/10", "--first-click", "opening"],
            "odds\nsafe\nwhy 1 1\nhint\nquit\n",
        ),
        typed(
            &["play", "--board", "4x3/3", "--first-click", "unprotected"],
            "odds\nsafe\nwhy 1 1\nhint\nquit\n",
        ),
        typed(&["play", "--board", "4x3/13"], ""),
        typed(&["play", "--player", "nobody"], ""),
        typed(&["play", "--board", "2x2/4"], "1 1\n"),
        typed(&["play", "--seed", "3"], "1 1\nhint\nanalyse\nq\n"),
    ];
    insta::assert_snapshot!(all.concat());
}

#[test]
fn players_are_watched() {
    let all = [
        typed(&["watch", "--board", "5x5/3", "--seed", "2"], ""),
        typed(
            &[
                "watch",
                "--board",
                "5x5/3",
                "--seed",
                "2",
                "--player",
                "look-ahead",
            ],
            "",
        ),
        typed(&["players"], ""),
    ];
    insta::assert_snapshot!(all.concat());
}

/// What every program of the workspace answers alike: a tab before a mistake, several mistakes in a
/// file, a misspelled name, a file that is not there.
#[test]
fn mistakes_are_told_as_by_every_program() {
    let all = [
        with_file("a.txt", b"3x3/1\n...\n\t?.\n..\n", &["solve", "FILE"], ""),
        with_file("a.txt", b"3x2/1\n...\n\x1b[2\xff\n", &["solve", "FILE"], ""),
        typed(&["solve", "nosuch.txt"], ""),
        typed(&["watch", "--file", "nosuch.mbf"], ""),
        typed(&["watch", "--player", "rulez"], ""),
    ];
    insta::assert_snapshot!(all.join("\n"));
    insta::assert_snapshot!("help_of_solve", typed(&["solve", "--help"], ""));
    let help = typed(&["--help"], "");
    assert!(
        help.trim_end().ends_with(&kibitz_text::Exit::help()),
        "{help}"
    );
}

/// Boards from one format to another; what cannot be written is said.
#[test]
fn boards_are_converted() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let [text, mbf, wide, replay] = ["a.txt", "a.mbf", "wide.txt", "a.evf"].map(path);
    std::fs::write(&text, "3x2/2\n..*\n*..\n").expect("it is written");
    std::fs::write(&wide, format!("256x1/0\n{}\n", ".".repeat(256))).expect("it is written");
    std::fs::write(&replay, recorded()).expect("it is written");
    let missing = path("no folder/a.txt");
    let all = [
        typed(&["convert", &text, &mbf], ""),
        format!("{:?}\n", std::fs::read(&mbf).expect("it is there")),
        typed(&["convert", &mbf, "-"], ""),
        typed(&["convert", &replay, "-"], ""),
        typed(&["convert", &wide, &mbf], ""),
        typed(&["convert", &text, &missing], ""),
    ];
    let folder = folder.path().to_string_lossy().into_owned();
    insta::assert_snapshot!(all.join("\n").replace(&folder, "DIR"));
}

/// A replay that ends otherwise than its file states is not the same as a game that was given up.
#[test]
fn damaged_replays_are_noticed() {
    let mut won = recorded();
    won[1] = 0x80;
    let mut damaged = won.clone();
    // The places of the last click.
    let n_bytes = damaged.len();
    for at in [n_bytes - 4, n_bytes - 12] {
        damaged[at] = 0xff;
    }
    let replay = |bytes: &[u8], more: &[&str]| {
        let arguments = [&["replay", "FILE"], more].concat();
        with_file("a.evf", bytes, &arguments, "")
    };
    assert!(!replay(&won, &[]).contains("warning"));
    let all = [
        replay(&damaged, &[]),
        replay(&damaged, &["--format", "json"]),
        replay(&[&won[..], b"garbage"].concat(), &[]),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

/// Chances of the best play, and its policy.
#[test]
fn optima_are_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("policy.tsv");
    let file = path.to_string_lossy().into_owned();
    let all = [
        typed(&["optimum", "4x4/5"], ""),
        typed(&["optimum", "3x1/1", "--policy", &file], ""),
        std::fs::read_to_string(&path).expect("it is there"),
        typed(
            &[
                "optimum",
                "3x1/1",
                "--first-click",
                "safe",
                "--format",
                "json",
            ],
            "",
        ),
        typed(&["optimum", "8x8/10"], ""),
        typed(&["optimum", "4x4/8", "--max-states", "10"], ""),
        typed(&["optimum", "2x2/4"], ""),
    ];
    insta::assert_snapshot!(all.join("\n").replace(&file, "policy.tsv"));
}

/// The record without the last move of its first lost game.
fn unfinished(text: &str) -> String {
    let lost = text.lines().find(|line| line.contains(",false,"));
    let lost = lost.expect("a lost game");
    let (begun, _) = lost.rsplit_once(' ').expect("moves");
    text.replace(lost, begun)
}

/// Games are recorded, replayed, and found out when they were changed.
#[test]
fn records_are_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.csv");
    let file = path.to_string_lossy().into_owned();
    let record = |more: &[&str]| {
        let arguments = [
            "record", "--level", "5x5/4", "--games", "40", "--out", &file,
        ];
        typed(&[&arguments, more].concat(), "")
    };
    let check = || typed(&["check", &file], "");
    let recorded = [
        record(&["--first", "3,3"]),
        check(),
        record(&["--first", "9,9"]),
        typed(&["record", "--games", "0", "--out", &file], ""),
        record(&["--player", "pgms", "--first", "1,1"]),
    ];
    let text = std::fs::read_to_string(&path).expect("it is there");
    let change = |from: &str, to: &str| {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text);
        std::fs::write(&path, changed).expect("it is written");
        check()
    };
    let wrong = [
        change("true", "false"),
        change(",1,7,", ",2,7,"),
        change("5x5/4", "5y5/4"),
        change("level", "board"),
        change(&text, text.lines().next().expect("a line of names")),
        change(&text, ""),
        change(
            &text,
            &(text.clone() + text.lines().last().expect("a game")),
        ),
        change(&text, &unfinished(&text)),
        // A byte order mark, as spreadsheets write it.
        change("level", "\u{feff}level"),
    ];
    let all = [recorded.concat(), wrong.concat()].concat();
    insta::assert_snapshot!(all.replace(&file, "games.csv"));
}
