//! Mistakes in system files, answered in their place.

use kibitz_qsim::{BUNDLED, BundledSystem, Options, System};
use proptest::prelude::*;

/// The messages for a system with one line changed.
fn broken(name: &str, changes: &[(&str, &str)]) -> String {
    let mut text = BundledSystem::find(name).expect("known").toml.to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    match System::from_toml("system.toml", &text) {
        Ok(_) => panic!("{changes:?} is accepted"),
        Err(problems) => problems.to_string(),
    }
}

#[test]
fn mistakes_are_answered_in_their_place() {
    let cases: &[(&str, &[(&str, &str)])] = &[
        // An undefined variable, twice: both are reported.
        (
            "u-tube",
            &[
                (
                    "of = [\"lb\", \"diff\", \"la\"]",
                    "of = [\"lb\", \"dif\", \"la\"]",
                ),
                ("of = [\"la\", \"fba\"]", "of = [\"la\", \"fbc\"]"),
            ],
        ),
        // Landmarks out of order.
        (
            "u-tube",
            &[(
                "[\"minf\", \"0\", \"la0\", \"inf\"]",
                "[\"0\", \"minf\", \"la0\", \"inf\"]",
            )],
        ),
        // Contradictory corresponding values.
        (
            "u-tube",
            &[("[\"diff0\", \"fab0\"]", "[\"diff0\", \"minf\"]")],
        ),
        (
            "u-tube",
            &[(
                "[[\"lb0\", \"diff0\", \"la0\"]]",
                "[[\"lb0\", \"diff0\", \"inf\"]]",
            )],
        ),
        // Too few arguments.
        ("u-tube", &[("of = [\"diff\", \"fab\"]", "of = [\"diff\"]")]),
        // Inconsistent initial states.
        ("u-tube", &[("la = \"la0\"\n", "la = \"la0/inc\"\n")]),
        (
            "u-tube",
            &[("lb = \"lb0\"\n", "lb = \"lb0\"\ndiff = \"0/std\"\n")],
        ),
        ("bathtub", &[("inflow = \"if\"", "inflow = \"if/dec\"")]),
        // Names that are not quite right.
        ("u-tube", &[("kind = \"m_plus\"", "kind = \"m_pluss\"")]),
        ("u-tube", &[("corresponding =", "coresponding =")]),
        ("u-tube", &[("la = \"la0\"\n", "la = \"la1\"\n")]),
        ("u-tube", &[("la = \"la0\"\n", "la = \"la0/down\"\n")]),
        (
            "u-tube",
            &[(
                "[\"lb0\", \"diff0\", \"la0\"]",
                "[\"lb0\", \"diff\", \"la0\"]",
            )],
        ),
        (
            "bathtub",
            &[("new-landmarks = true", "new-landmark = true")],
        ),
        ("bouncing-ball", &[("to = \"flight\"", "to = \"fligth\"")]),
        // Other things that make no sense.
        (
            "bathtub",
            &[(
                "netflow = { landmarks = [\"minf\", \"0\", \"inf\"]",
                "netflow = { landmarks = [\"minf\", \"inf\"]",
            )],
        ),
        (
            "table8-3/pal2",
            &[(
                "range = [\"0\", \"la0..inf\"]",
                "range = [\"la0..inf\", \"0\"]",
            )],
        ),
        // Names that books and other programs use.
        ("spring", &[("kind = \"m_minus\"", "kind = \"M-\"")]),
        ("spring", &[("kind = \"m_minus\"", "kind = \"M+\"")]),
        ("spring", &[("kind = \"deriv\"", "kind = \"d/dt\"")]),
        ("u-tube", &[("kind = \"add\"", "kind = \"sub\"")]),
        ("u-tube", &[("kind = \"add\"", "kind = \"minus\"")]),
        ("spring", &[("title = \"Spring", "title = \"Spring\n")]),
    ];
    let mut all = String::new();
    for (name, changes) in cases {
        all += &broken(name, changes);
        all += "\n\n";
    }
    insta::assert_snapshot!(all);
}

/// The pieces of a text: words, and what is between them.
fn pieces(text: &str) -> Vec<&str> {
    let word = |c: char| c.is_alphanumeric() || "-_.*/".contains(c);
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| word(c) != word(first)).unwrap_or(rest.len());
        found.push(&rest[..end]);
        rest = &rest[end..];
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Pieces of a file put elsewhere make problems with places, or another system; never a panic.
    #[test]
    fn any_file_is_answered(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..4),
    ) {
        let mut text = pieces(BUNDLED[which.index(BUNDLED.len())].toml);
        for (from, to) in &changes {
            let from = text[from.index(text.len())];
            let to = to.index(text.len());
            text[to] = from;
        }
        let text = text.concat();
        match System::from_toml("system.toml", &text) {
            Err(problems) => {
                prop_assert!(!problems.is_empty());
                for place in problems.iter().filter_map(|one| one.location.as_ref()) {
                    let (line, column) = place.line_and_column().expect("a place");
                    let text = text.split('\n').nth(line - 1).expect("a line of the text");
                    prop_assert!(column <= text.chars().count() + 1);
                }
            }
            Ok(system) => {
                let options = Options { max_states: 300, ..system.options.clone() };
                // Too many initial states are refused, too.
                if let Ok(tree) = system.model.simulate(&system.initial, &options) {
                    tree.behaviors();
                }
            }
        }
    }
}
