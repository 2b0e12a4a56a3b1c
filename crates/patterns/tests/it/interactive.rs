//! A person as teacher through the real command line.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use kibitz_pal::{Change, Example, Judgement, PalError, Teacher, Verdict};
use kibitz_patterns::Concept;
use kibitz_prolog::{Clause, Constant, print_clause};

const TARGETS: &str = include_str!("../../concepts/pal.pl");

/// The declaration of threat1 with few pieces and few moves.
const THREAT1: &str = r#"
[concept]
name = "threat1"
places = "coordinates"
examples = ["""
  contents(white, king, square(1,1)). contents(black, king, square(8,8)).
  contents(white, knight, square(8,1)). contents(black, pawn, square(7,3))."""]
background = ["other_side", "legal_move"]
"#;

/// A placement of named pieces.
const SAME_FILE: &str = r#"
[concept]
name = "same_file"
board = "placement"
examples = ["piece(rook, 1, 1). piece(king, 1, 3)."]
background = ["adj_or_eq"]
"#;

/// Runs `learn FILE --ask` with these answers, one a line.
fn session(concept: &str, answers: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("concept.toml"), concept).expect("written");
    let mut child = Command::new(env!("CARGO_BIN_EXE_kibitz-patterns"))
        .current_dir(folder.path())
        .args(["learn", "concept.toml", "--ask"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    let mut input = child.stdin.take().expect("piped");
    let text = answers.join("\n") + "\n";
    // The learner may stop reading before it has seen all answers.
    let _ = input.write_all(text.as_bytes());
    drop(input);
    child.wait_with_output().expect("ended")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// An oracle that logs its answers as a person would type them.
struct Recorder<T> {
    oracle: T,
    answers: Vec<&'static str>,
}

impl<T: Teacher> Teacher for Recorder<T> {
    fn classify(
        &mut self,
        example: &Example,
        state: Constant,
        change: &Change,
    ) -> Result<Verdict, PalError> {
        let verdict = self.oracle.classify(example, state, change)?;
        if *change != Change::Given {
            self.answers.push(match verdict {
                Verdict::Positive => "p",
                Verdict::Negative => "n",
                Verdict::Stop => "s",
            });
        }
        Ok(verdict)
    }

    fn judge(&mut self, definition: &Clause) -> Result<Judgement, PalError> {
        let judgement = self.oracle.judge(definition)?;
        self.answers.push(match judgement {
            Judgement::Accept => "y",
            Judgement::Reject => "n",
            Judgement::Stop => "s",
        });
        Ok(judgement)
    }
}

#[test]
fn a_whole_session() {
    let file: toml::Table = THREAT1.parse().expect("TOML");
    let concept: Concept = file["concept"].clone().try_into().expect("a concept");
    let prepared = concept.prepare(TARGETS, true).expect("sound");
    let mut recorder = Recorder {
        oracle: prepared.oracle(),
        answers: Vec::new(),
    };
    let learned = prepared
        .learn(prepared.params(), &mut recorder)
        .expect("learned");
    let mut answers = recorder.answers;
    answers.push("attack.");
    let output = session(THREAT1, &answers);
    assert!(output.status.success());
    let dialogue = text(&output.stdout);
    let clause = print_clause(&learned.clauses[0], prepared.symbols()).to_string();
    let named = clause.replacen("threat1(", "attack(", 1);
    assert!(dialogue.ends_with(&format!("{named}\n")), "{dialogue}");
    insta::assert_snapshot!(dialogue);
}

#[test]
fn wrong_letters_are_asked_again() {
    let output = session(
        THREAT1,
        &["", "x", "positive", "P.", "p", "S", "Attack", "attack"],
    );
    assert!(output.status.success());
    let dialogue = text(&output.stdout);
    let questions = dialogue.matches("Positive, negative or stop").count();
    assert_eq!(questions, 4);
    let answers: Vec<&str> = dialogue.lines().filter(|line| line.contains('`')).collect();
    insta::assert_snapshot!(answers.join("\n"), @r"
    Positive, negative or stop (p/n/s)? `` is none of p, n, s.
    Positive, negative or stop (p/n/s)? `x` is none of p, n, s.
    Positive, negative or stop (p/n/s)? `positive` is none of p, n, s.
    Accept definition: yes, no, or save and stop (y/n/s)? `p` is none of y, n, s.
    Accept definition: yes, no, or save and stop (y/n/s)? How would you like to call the concept? `Attack` is not a name: expected a lowercase letter, then letters, digits and _.
    ");
    assert!(
        dialogue.contains("\nattack(A,king,square(1,1),"),
        "{dialogue}"
    );
}

#[test]
fn the_end_of_the_input_loses_nothing() {
    let output = session(THREAT1, &["p", "y", "p"]);
    assert!(!output.status.success());
    insta::assert_snapshot!(
        text(&output.stderr),
        @"error: the teacher gave no answer: the input ends"
    );
    let dialogue = text(&output.stdout);
    let (_, learned) = dialogue.split_once("Learned so far:").expect("shown");
    assert!(learned.starts_with("\nthreat1(A,king,square(1,1),B,king,square(8,8),A,knight,"));

    let output = session(THREAT1, &["p"]);
    assert!(!output.status.success());
    assert!(text(&output.stdout).ends_with("No definition was accepted yet.\n"));
}

#[test]
fn stopping_keeps_the_definition() {
    // At an example, with the end of the input for the name.
    let output = session(THREAT1, &["p", "y", "s"]);
    assert!(output.status.success());
    let dialogue = text(&output.stdout);
    assert!(dialogue.contains("How would you like to call the concept?"));
    let last = dialogue.lines().last().expect("a clause");
    assert!(last.starts_with("threat1(A,king,square(1,1),B,king,square(8,8),A,knight,"));

    // Where positions are no boards of chess, they are listed.
    let output = session(SAME_FILE, &["n", "s", ""]);
    assert!(output.status.success());
    insta::assert_snapshot!(text(&output.stdout), @r"

    The initial example:
    rook 1 1
    king 1 3


    Changed: file of the 1st piece (rook), 1 to 2.
    rook 2 1
    king 1 3

    Positive, negative or stop (p/n/s)? 
    Changed: file of the 2nd piece (king), 1 to 2.
    rook 1 1
    king 2 3

    Positive, negative or stop (p/n/s)? How would you like to call the concept? 0 positive and 1 negative examples; 0 generalizations refused
    same_file(rook,1,1,king,1,3,A) :- piece(rook,1,1,A), piece(king,1,3,A), adj_or_eq(1,1).
    ");
}
