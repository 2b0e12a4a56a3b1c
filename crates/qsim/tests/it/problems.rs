//! Mistakes in system files, answered in their place.

use kibitz_qsim::{Bundled, System};

/// The messages for a system with one line changed.
fn broken(name: &str, changes: &[(&str, &str)]) -> String {
    let mut text = Bundled::find(name).expect("known").toml.to_owned();
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
        ("spring", &[("title = \"Spring without friction\"\n", "")]),
        ("spring", &[("title = \"Spring", "title = \"Spring\n")]),
    ];
    let mut all = String::new();
    for (name, changes) in cases {
        all += &broken(name, changes);
        all += "\n\n";
    }
    insta::assert_snapshot!(all);
}
