//! Strategies verified through the real command line.

use std::process::{Command, Output};

fn verify(text: &str, arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("mine.rules"), text).expect("written");
    Command::new(env!("CARGO_BIN_EXE_kibitz-patterns"))
        .current_dir(folder.path())
        .args([&["verify", "mine.rules"], arguments].concat())
        .output()
        .expect("started")
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn a_strategy_that_loops_shows_a_shortest_line() {
    let looping = "strategy \"mate, or a safe move\" for KRvK\nprefer more man_distance\n\
        rule mate with move rook ensure check_mate\n\
        rule safe with move rook ensure not threatkR and not stale\n\
        rule king with move king ensure not threatkR and not stale\n";
    let output = verify(looping, &[]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(text(output.stdout));
}

#[test]
fn programs_read_the_same() {
    let mates = "strategy \"mate in one\" for KQvK\nrule mate with move queen ensure check_mate\n";
    let output = verify(mates, &["--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(text(output.stdout));
}

#[test]
fn an_undefined_concept_has_a_place_and_a_nearest_name() {
    let output = verify(
        "strategy \"x\" for KRvK\nrule A if oposition with move king\n",
        &[],
    );
    assert_eq!(output.status.code(), Some(2));
    insta::assert_snapshot!(text(output.stderr));
}

/// A list of rules whose best moves win, and which allows others as well.
#[test]
fn a_strategy_that_wins_by_its_best_moves_alone_is_told_from_one_that_fails() {
    let any = "strategy \"any move\" for KQvK\nrule any with move any\n";
    let output = verify(any, &[]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(text(output.stdout));
    let output = verify(any, &["--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["verdict"], "wins-by-the-best-moves");
}

#[test]
fn memory_is_told_before_and_can_be_limited() {
    let mates = "strategy \"mate\" for KQvK\nrule mate with move queen ensure check_mate\n";
    let told = |rules: &str, arguments: &[&str]| {
        let output = verify(rules, arguments);
        let code = output.status.code().unwrap_or(-1);
        format!("exit {code}\n{}", text(output.stderr))
    };
    let four_men = mates.replace("KQvK", "KQBvK");
    let all = [
        told(mates, &[]),
        told(mates, &["--memory-limit", "8"]),
        told(&four_men, &["--memory-limit", "1024"]),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

/// An error of a definition that occurs in some positions only is reported at its clause.
#[test]
fn definitions_that_cannot_be_decided_are_shown_in_their_place() {
    let told = |condition: &str, definitions: &str| {
        let rules = format!(
            "strategy \"x\" for KRvK\nrule A\n  if {condition} with move king\nrule B with move any\n\
             define\n{definitions}\n"
        );
        let output = verify(&rules, &[]);
        let code = output.status.code().unwrap_or(-1);
        format!("exit {code}\n{}", text(output.stderr))
    };
    let all = [
        told("loop", "loop(Pos) :- loop(Pos)."),
        told(
            "far",
            "far(Pos) :-\n  contents(white, king, square(X, _), Pos),\n  down(X, Pos).\n\
             down(0, _).\ndown(X, Pos) :- down(X, Pos), contents(white, rook, _, Pos).",
        ),
        told("many", "many(Pos) :- between(1, 3000000, X), X < 0."),
        told(
            "odd",
            "odd(Pos) :- contents(white, king, Square, Pos), X is Square + 1, X > 3.",
        ),
        told(
            "lacking",
            "lacking(Pos) :- contents(white, queen, square(1, 1), Pos).",
        ),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn the_names_that_rules_can_use_are_listed() {
    let output = Command::new(env!("CARGO_BIN_EXE_kibitz-patterns"))
        .arg("concepts")
        .output()
        .expect("started");
    assert!(output.status.success());
    insta::assert_snapshot!(text(output.stdout));
}

/// What every program of the workspace answers alike: a tab before a mistake, several mistakes in a
/// file, a misspelled name, a file that is not there.
#[test]
fn mistakes_are_told_as_by_every_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = "strategy \"x\" for KRvK
rule A
\tif oposition and not stale with move rok
rule B if in_check move king
rule C with move king ensure ; rookdivs
";
    std::fs::write(folder.path().join("mine.rules"), rules).expect("written");
    let concept = "targets = \"mine.pl\"
[concept]
name = \"fork\"
exampels = []
examples = [\"8/8/8/8/8/8/8/8 w - - 0 1\", \"nonsense\"]
background = 3
symmetries = []
";
    std::fs::write(folder.path().join("mine.toml"), concept).expect("written");
    let sound = "targets = \"mine.pl\"
[concept]
name = \"fork\"
examples = [\"k7/8/8/8/8/8/8/K6R w - - 0 1\"]
background = [\"in_chek\", \"contents\", \"leagl_move\"]
symmetries = []
";
    std::fs::write(folder.path().join("names.toml"), sound).expect("written");
    std::fs::write(folder.path().join("mine.pl"), "fork(A) :- legal_move(A.\n").expect("written");
    let said = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_kibitz-patterns"))
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .expect("started");
        let code = output.status.code().unwrap_or(-1);
        format!("exit {code}\n{}", text(output.stderr))
    };
    let mut all = vec![
        said(&["verify", "mine.rules"]),
        said(&["verify", "nosuch.rules"]),
        said(&["verify", "krk-l"]),
        said(&["learn", "mine.toml"]),
        said(&["learn", "names.toml"]),
        said(&["learn", "nosuch.toml"]),
    ];
    std::fs::write(
        folder.path().join("mine.pl"),
        "fork(A, B, C) :- contents(A, B, C, _).\n",
    )
    .expect("written");
    all.push(said(&["learn", "names.toml"]));
    insta::assert_snapshot!(all.join("\n"));
    let output = Command::new(env!("CARGO_BIN_EXE_kibitz-patterns"))
        .arg("--help")
        .output()
        .expect("started");
    let help = text(output.stdout);
    assert!(
        help.trim_end().ends_with(&kibitz_text::Exit::help()),
        "{help}"
    );
}

/// The first rule of a newcomer: `l_patt` needs the black king in check, which it never is with White to
/// move.
#[test]
fn a_strategy_whose_rules_never_apply_fails_everywhere() {
    for rule in [
        "rule a\n  if l_patt\n  with move any\n",
        "rule a\n  with move any\n  ensure opposition and not opposition\n",
    ] {
        for prefer in ["prefer more man_distance\n", ""] {
            let never = format!("strategy \"never\" for KRvK\n{prefer}{rule}");
            let output = verify(&never, &[]);
            assert_eq!(output.status.code(), Some(1), "{}", text(output.stderr));
            let told = text(output.stdout);
            assert!(
                told.starts_with(
                    "never: 1 rule for KRvK, 175168 positions with White to move, 175168 without a rule\n"
                ),
                "{told}"
            );
            if !prefer.is_empty() && rule.contains("l_patt") {
                insta::assert_snapshot!(told);
            }
        }
    }
    let never = "strategy \"never\" for KRvK\nprefer less area\nrule a if l_patt with move any\n";
    let output = verify(never, &["--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["verdict"], "fails");
    assert_eq!(json["without-rule"], 175_168);
    for one in json["tie-breaks"].as_array().expect("a list") {
        assert_eq!(one["failures"]["no rule"]["positions"], 175_168, "{one}");
        assert_eq!(one["won"], 0);
    }
}
