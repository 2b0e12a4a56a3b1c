//! Concepts learned from a file through the real command line.

use std::fmt::Write as _;
use std::process::{Command, Output};

use kibitz_pal::equivalent_relative_to;
use kibitz_patterns::{BUNDLED_CONCEPTS, Concept};
use kibitz_prolog::Clause;

/// The concept of the README.
const FORK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/concepts/fork.toml");

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kibitz-patterns"))
        .args(arguments)
        .output()
        .expect("started")
}

fn learn(arguments: &[&str]) -> Output {
    run(&[&["learn"], arguments].concat())
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn every_question_can_be_seen() {
    let output = learn(&[FORK, "--trace"]);
    assert!(output.status.success());
    insta::assert_snapshot!(text(output.stdout));
}

#[test]
fn a_time_limit_ends_the_search() {
    let output = learn(&[FORK, "--time-limit", "0"]);
    // It falls short of the target.
    assert_eq!(output.status.code(), Some(1));
    let told = text(output.stdout);
    assert!(
        told.contains("the time is over; this is what was learned so far\nfork("),
        "{told}"
    );
}

#[test]
fn a_missing_file_is_named() {
    let output = learn(&["no-such-concept.toml"]);
    assert!(!output.status.success());
    let told = text(output.stderr);
    assert!(told.contains("no-such-concept.toml"), "{told}");
}

#[test]
fn chosen_examples_are_found_and_learned_from() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("special.toml");
    let targets = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../data/morales1992/placements.pl"
    );
    let concept = format!(
        r#"targets = "{targets}"
[concept]
name = "legal_special"
board = "placement"
keep-pieces = true
background = ["less_than"]
examples = ["piece(wk,4,5). piece(wr,2,5). piece(bk,7,5)."]
"#
    );
    std::fs::write(&file, &concept).expect("written");
    let path = file.to_str().expect("UTF-8");
    let output = run(&["choose", path, "--pool", "30", "--pools", "1"]);
    let found = text(output.stdout);
    assert!(output.status.success(), "{}", text(output.stderr));
    assert_eq!(found.matches("piece(wk").count(), 1, "{found}");
    // The output belongs into the file.
    std::fs::write(&file, concept + &found).expect("written");
    let learned = text(run(&["learn", path, "--chosen"]).stdout);
    insta::assert_snapshot!(learned, @r"
    1 positive and 0 negative examples; 0 generalizations refused
    legal_special(wk,A,B,wr,C,B,bk,D,B,E) :- piece(wk,A,B,E), piece(wr,C,B,E), piece(bk,D,B,E), less_than(C,A), less_than(A,D).
    agreement with the target on all 262144 legal placements: missed 1344 of 1792 positive, wrongly covered 0 of 260352 negative
    missed, for example: piece(wk, 2, 1). piece(wr, 3, 1). piece(bk, 1, 1).
    ");
    let output = run(&["choose", path, "--max-examples", "1"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(output.stdout).contains("no 1 positive examples were found"));
}

#[test]
fn an_illegal_chosen_example_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("fork.toml");
    let concept = std::fs::read_to_string(FORK).expect("read");
    let mut told = Vec::new();
    for wrong in ["contents(white, king).", "contents(white, king"] {
        let mut concept: toml::Table = concept.parse().expect("TOML");
        concept.remove("targets");
        concept["concept"]["chosen"] = vec![wrong].into();
        let concept = concept.to_string();
        std::fs::write(&file, concept).expect("written");
        let output = run(&["learn", file.to_str().expect("UTF-8"), "--ask"]);
        let error = text(output.stderr);
        let folder = format!("{}/", folder.path().display());
        told.push(error.replace(&folder, ""));
    }
    insta::assert_snapshot!(told.join(""), @r#"
    error: example 2: `contents(white,king)`: contents(Side, Piece, square(File, Rank)) is expected
     --> fork.toml:3:11
      |
    3 | chosen = ["contents(white, king)."]
      |           ^^^^^^^^^^^^^^^^^^^^^^^^
    error: example 2: line 1, column 21: expected "," or ")" in the arguments, found the end of the text
     --> fork.toml:3:11
      |
    3 | chosen = ["contents(white, king"]
      |           ^^^^^^^^^^^^^^^^^^^^^^
    "#);
}

/// What a concept file says.
#[derive(serde::Deserialize)]
struct Declaration {
    targets: String,
    concept: Concept,
}

/// The clauses that a bundled concept's own examples teach. A concept of one clause is learned; of
/// several clauses one may take an example from another, or have none but the initial one.
#[test]
fn bundled_concepts_are_learned_from_their_examples() {
    let mut table = String::new();
    for own in BUNDLED_CONCEPTS {
        let name = own.name;
        let declared: Declaration = toml::from_str(own.declaration).expect(name);
        assert!(
            ["pal.pl", "krk.pl"].contains(&declared.targets.as_str()),
            "{name}"
        );
        assert_eq!(declared.concept.name, name);
        let prepared = declared.concept.prepare(own.targets, true).expect(name);
        let target = prepared.target();
        assert_eq!(prepared.examples().len(), target.len(), "{name}");
        let given = [prepared.examples(), prepared.chosen()].concat();
        let learned = prepared
            .learn_from_given(&given, prepared.params(), &mut prepared.oracle())
            .expect(name);
        let is_found = |target: &&Clause| {
            let definitions = prepared.definitions();
            let mut learned = learned.clauses.iter();
            learned.any(|clause| equivalent_relative_to(clause, target, definitions))
        };
        let n_found = target.iter().filter(is_found).count();
        assert!(n_found == 1 || target.len() > 1, "{name}");
        let _ = writeln!(table, "{name}: {n_found} of {}", target.len());
    }
    insta::assert_snapshot!(table);
}

#[test]
fn bundled_concepts_are_learned_by_name() {
    let learned = text(learn(&["can_check", "--chosen"]).stdout);
    insta::assert_snapshot!(learned);
    let output = learn(&["can_chek"]);
    assert_eq!(output.status.code(), Some(3));
    insta::assert_snapshot!(text(output.stderr));
}

/// Definitions that cannot be used, and one that recurs without end, are shown in their place.
#[test]
fn a_clause_of_the_targets_has_a_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let concept = "targets = \"mine.pl\"
[concept]
name = \"mine\"
examples = [\"k7/8/8/8/8/8/8/K6R w - - 0 1\"]
background = [\"in_check\"]
";
    std::fs::write(folder.path().join("mine.toml"), concept).expect("written");
    let told = |targets: &str| {
        std::fs::write(folder.path().join("mine.pl"), targets).expect("written");
        let output = Command::new(env!("CARGO_BIN_EXE_kibitz-patterns"))
            .args(["learn", "mine.toml"])
            .current_dir(folder.path())
            .output()
            .expect("started");
        let code = output.status.code().unwrap_or(-1);
        format!("exit {code}\n{}", text(output.stderr))
    };
    let all = [
        told("% two goals\nmine(Pos) :-\n  content(white, king, _, Pos).\nother(X) :- mien(X)."),
        told(
            "contents(A, B, C, Pos) :- contents(B, A, C, Pos).\nmine(Pos) :- contents(white, king, _, Pos).",
        ),
        told(
            "mine(Pos) :-\n  contents(white, king, _, Pos),\n  again(Pos).\nagain(Pos) :- again(Pos).",
        ),
    ];
    insta::assert_snapshot!(all.join("\n"));
}
