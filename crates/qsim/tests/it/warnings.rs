//! Variables that nothing ties to the rest of a model, and what the simulation says of them.

use std::fmt::Write as _;

use kibitz_qsim::{BUNDLED, System, UnconnectedVariables};
use proptest::prelude::*;

/// The messages, labels and places of a file's warnings.
fn warnings(text: &str) -> String {
    let system = System::from_toml("system.toml", text).expect("sound");
    let all = system.warnings.iter().map(ToString::to_string);
    all.collect::<Vec<_>>().join("\n")
}

const DECAY: &str = r#"title = "Decay"
[variables]
x = { landmarks = ["minf", "0", "inf"] }
y = { landmarks = ["minf", "0", "inf"] }
v = { landmarks = ["minf", "0", "inf"] }
w = { landmarks = ["minf", "0", "inf"] }
c = { landmarks = ["minf", "0", "inf"] }
[[constraints]]
kind = "m_minus"
of = ["x", "v"]
[[constraints]]
kind = "deriv"
of = ["x", "v"]
"#;

#[test]
fn what_is_tied_to_nothing_is_warned_of() {
    let all = [
        warnings(DECAY),
        warnings(&format!(
            "{DECAY}[[constraints]]\nkind = \"m_plus\"\nof = [\"w\", \"y\"]\n\
             [[constraints]]\nkind = \"constant\"\nof = [\"c\"]\n"
        )),
        // A product ties all three.
        warnings(&format!(
            "{DECAY}[[constraints]]\nkind = \"mult\"\nof = [\"w\", \"y\", \"x\"]\n\
             [[constraints]]\nkind = \"add\"\nof = [\"c\", \"w\", \"v\"]\n"
        )),
    ];
    insta::assert_snapshot!(all.join("\n---\n"));
}

/// A timer that only switches the regions of the rest belongs to it; a region that leaves a variable free is
/// named.
#[test]
fn regions_tie_what_switches_them() {
    let system = |of_y: &str| {
        format!(
            r#"title = "A tank with a timer"
[variables]
time = {{ landmarks = ["0", "late", "inf"] }}
rate = {{ landmarks = ["0", "inf"] }}
x = {{ landmarks = ["minf", "0", "inf"] }}
y = {{ landmarks = ["minf", "0", "inf"] }}
[[constraints]]
kind = "deriv"
of = ["time", "rate"]
[[constraints]]
kind = "constant"
of = ["rate"]
[[constraints]]
kind = "m_plus"
of = ["x", "y"]
regions = ["early"]
[[constraints]]
kind = "m_minus"
of = ["{of_y}", "{}"]
regions = ["later"]
[[regions]]
name = "early"
transitions = [{{ when = {{ time = "late" }}, to = "later" }}]
[[regions]]
name = "later"
"#,
            if of_y == "x" { "y" } else { "x" }
        )
    };
    assert_eq!(warnings(&system("x")), "");
    let other = system("x").replace(
        "of = [\"x\", \"y\"]\nregions = [\"later\"]",
        "of = [\"x\", \"x\"]\nregions = [\"later\"]",
    );
    insta::assert_snapshot!(warnings(&other));
}

/// Of the systems that come with the program, only the space without constraints leaves variables free.
#[test]
fn bundled_systems_are_connected() {
    let found: Vec<String> = (BUNDLED.iter())
        .filter(|bundled| !bundled.read().expect("sound").warnings.is_empty())
        .map(|bundled| bundled.name.to_owned())
        .collect();
    insta::assert_snapshot!(found.join("\n"));
}

proptest! {
    /// The components are those of the ties: against a search from each variable.
    #[test]
    fn components_are_those_of_the_constraints(
        ties in prop::collection::vec((0..6_usize, 0..6_usize), 0..6),
    ) {
        let mut text = String::from("title = \"ties\"\n[variables]\n");
        for name in ["a", "b", "c", "d", "e", "f"] {
            let _ = writeln!(text, "{name} = {{ landmarks = [\"minf\", \"0\", \"inf\"] }}");
        }
        let name = |at: usize| ["a", "b", "c", "d", "e", "f"][at];
        for (one, other) in &ties {
            let (kind, of) = if one == other {
                ("constant", format!("[\"{}\"]", name(*one)))
            } else {
                ("m_plus", format!("[\"{}\", \"{}\"]", name(*one), name(*other)))
            };
            let _ = writeln!(text, "[[constraints]]\nkind = \"{kind}\"\nof = {of}");
        }
        let system = System::from_toml("ties.toml", &text).expect("sound");
        let reached = |from: usize| {
            let mut reached = vec![from];
            let mut at = 0;
            while at < reached.len() {
                for (one, other) in &ties {
                    for (here, there) in [(one, other), (other, one)] {
                        if *here == reached[at] && !reached.contains(there) {
                            reached.push(*there);
                        }
                    }
                }
                at += 1;
            }
            reached.sort_unstable();
            reached
        };
        let is_free = |at: usize| !ties.iter().any(|(one, other)| *one == at || *other == at);
        let largest = (0..6).map(|at| reached(at).len()).max().unwrap_or(0);
        let main = (0..6).find(|at| reached(*at).len() == largest).map(reached).unwrap_or_default();
        let mut expected = Vec::new();
        for variable in 0..6 {
            if is_free(variable) {
                expected.push(UnconnectedVariables::Unconstrained { variable, region: None });
            } else if reached(variable) != main && reached(variable)[0] == variable {
                expected.push(UnconnectedVariables::Apart { variables: reached(variable) });
            }
        }
        prop_assert_eq!(system.model.unconnected(), expected);
        prop_assert_eq!(system.warnings.len(), system.model.unconnected().len());
    }
}
