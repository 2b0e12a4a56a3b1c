//! Learned theories compared with their targets: through the real command line, and all bundled
//! concepts on a sample.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use kibitz_patterns::{BUNDLED_CONCEPTS, Concept, TestSetParams};

fn learn(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kibitz-patterns"))
        .current_dir(folder)
        .args([&["learn"], arguments].concat())
        .output()
        .expect("started")
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("UTF-8")
}

/// The kings are divided by files or by ranks, and each example meant for the ranks shows the files,
/// too.
fn divided(folder: &Path) {
    let targets = concat!(env!("CARGO_MANIFEST_DIR"), "/concepts/krk.pl");
    let concept = format!(
        r#"targets = "{targets}"
[concept]
name = "rook_divs"
examples = [
  "contents(white, king, square(5,4)). contents(white, rook, square(4,5)). contents(black, king, square(3,4)).",
  "contents(white, king, square(2,3)). contents(white, rook, square(4,4)). contents(black, king, square(8,3)).",
  "contents(white, king, square(7,6)). contents(white, rook, square(6,3)). contents(black, king, square(4,2)).",
  "contents(white, king, square(7,1)). contents(white, rook, square(6,3)). contents(black, king, square(3,6)).",
]
background = ["other_side", "sliding_piece", "in_check", "check_mate", "legal_move", "stale", "coordx", "coordy", "less_than"]
symmetries = []
places = "coordinates"
changes = "places-and-sides"
"#
    );
    std::fs::write(folder.join("divided.toml"), concept).expect("written");
}

/// There are 223,944 placements of two kings that are not adjacent and a white rook, and as many with a
/// black one. Counted apart from this program: 102,144 of the first show the concept, 57,344 of them by
/// their files.
#[test]
fn a_theory_that_misses_a_disjunct_is_told_from_the_target() {
    let folder = tempfile::tempdir().expect("a folder");
    divided(folder.path());
    let output = learn(folder.path(), &["divided.toml", "--counterexamples", "0"]);
    assert_eq!(output.status.code(), Some(1));
    let by_questions = text(output.stdout);
    assert!(
        by_questions.contains(
            "agreement with the target on all 447888 legal placements: missed 89600 of 204288 \
             positive, wrongly covered 0 of 243600 negative\nmissed, for example: "
        ),
        "{by_questions}"
    );
    assert_eq!(by_questions.matches("rook_divs(").count(), 2);
    // Counterexamples show the ranks.
    let output = learn(folder.path(), &["divided.toml"]);
    assert_eq!(output.status.code(), Some(0));
    insta::assert_snapshot!(text(output.stdout));
}

#[test]
fn clauses_of_one_concept_have_heads_of_one_arity() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["r_edge", "k_trap", "opposition"] {
        let output = learn(folder.path(), &[name]);
        assert_eq!(output.status.code(), Some(0), "{name}");
        let learned = text(output.stdout);
        assert!(!learned.contains("legal_move("), "{learned}");
        insta::assert_snapshot!(format!("learned-{name}"), learned);
    }
}

/// The declaration of a bundled concept.
#[derive(serde::Deserialize)]
struct Declaration {
    concept: Concept,
}

/// Every bundled concept, learned as the program does it, but on a small sample.
#[test]
fn bundled_concepts_are_learned() {
    let params = TestSetParams {
        max_assignments: 1 << 14,
        sample: 2_000,
        ..TestSetParams::default()
    };
    let mut table = String::from(
        "concept: missed, wrongly covered, of positive + negative; clauses of target\n",
    );
    for own in BUNDLED_CONCEPTS {
        let name = own.name;
        let declared: Declaration = toml::from_str(own.declaration).expect(name);
        let prepared = declared.concept.prepare(own.targets, true).expect(name);
        let set = prepared.test_set(params).expect(name);
        let mut teacher = set.teacher(prepared.oracle(), 100);
        let learned = prepared.learn(prepared.params(), &mut teacher).expect(name);
        let theory = set.simplified(&learned).expect(name);
        let found = set.compare(&theory).expect(name).counts;
        let mut arities: Vec<usize> = theory.iter().map(|own| own.head.args.len()).collect();
        arities.dedup();
        assert_eq!(arities.len(), 1, "{name}");
        let _ = writeln!(
            table,
            "{name}: {}, {}, of {} + {}; {} of {}",
            found.missed(),
            found.wrongly_covered(),
            found.n_positive,
            found.n_positions - found.n_positive,
            theory.len(),
            prepared.target().len()
        );
    }
    insta::assert_snapshot!(table);
}

/// Each initial example shows its own clause alone, so that no other one takes it; unless the clause
/// follows from others.
#[test]
fn each_clause_has_an_example_of_its_own() {
    for own in BUNDLED_CONCEPTS {
        let name = own.name;
        let declared: Declaration = toml::from_str(own.declaration).expect(name);
        let prepared = declared.concept.prepare(own.targets, true).expect(name);
        for (number, example) in prepared.examples().iter().enumerate() {
            let holds = |clause| {
                let found = prepared.compare_on(
                    std::slice::from_ref(clause),
                    prepared.target(),
                    [example.clone()],
                );
                found.expect(name).n_covered == 1
            };
            let covering: Vec<usize> = (0..prepared.target().len())
                .filter(|&at| holds(&prepared.target()[at]))
                .collect();
            // The third clause of in_line follows from the first.
            if (name, number) != ("in_line", 2) {
                assert_eq!(covering, [number], "{name}, example {}", number + 1);
            }
        }
    }
}
