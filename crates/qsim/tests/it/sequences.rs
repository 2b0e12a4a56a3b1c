//! Sequences of states checked against a model.

use kibitz_qsim::{SequenceError, System};

use crate::common::{bundled, exactly};

fn follow(system: &System, states: &str) -> Result<usize, SequenceError> {
    let sequence = system
        .read_states("states.toml", states)
        .unwrap_or_else(|p| panic!("{p}"));
    system
        .model
        .follow(&sequence, &system.options)
        .map(|steps| steps.len())
}

const PRINTED: &str = r#"
[[states]]
la = "la0/dec"
lb = "lb0/inc"
fab = "fab0/dec"
fba = "fba0/inc"
diff = "diff0/dec"
[[states]]
la = "0..la0/dec"
lb = "lb0..inf/inc"
fab = "0..fab0/dec"
fba = "fba0..0/inc"
diff = "0..diff0/dec"
[[states]]
la = "0..la0/std"
lb = "lb0..inf/std"
fab = "0/std"
fba = "0/std"
diff = "DIFF"
[[states]]
la = "0..la0/std"
"#;

/// Table 8.1 with Diff as printed and as the model has it.
#[test]
fn table_8_1_as_printed_has_one_wrong_value() {
    let system = bundled("u-tube");
    assert_eq!(follow(&system, &PRINTED.replace("DIFF", "0/std")), Ok(4));
    let Err(SequenceError::Contradiction { number, .. }) =
        follow(&system, &PRINTED.replace("DIFF", "0..diff0/std"))
    else {
        panic!("the printed Diff contradicts Fab = M0+(Diff)");
    };
    assert_eq!(number, 2);
}

#[test]
fn impossible_successors_are_explained() {
    let system = bundled("u-tube");
    let first = "[[states]]\nla = \"la0\"\nlb = \"lb0\"\n";
    let again = format!("{first}[[states]]\nla = \"la0\"\n");
    assert_eq!(
        follow(&system, &again),
        Err(SequenceError::NoTransition {
            number: 1,
            variable: 0
        })
    );
    let three = format!("{first}[[states]]\n[[states]]\nla = \"0..la0/dec\"\n");
    assert_eq!(
        follow(&system, &three),
        Err(SequenceError::NotTogether { number: 2 })
    );
}

/// Every simulated behavior can be followed.
#[test]
fn behaviors_are_sequences() {
    for name in ["u-tube", "damped-spring", "ball", "three-tanks"] {
        let mut system = bundled(name);
        system.options.new_landmarks = false;
        let tree = system
            .model
            .simulate(&system.initial, &system.options)
            .unwrap();
        for behavior in tree.behaviors() {
            let states = behavior
                .states
                .iter()
                .map(|number| tree.state(*number).values().into());
            let sequence: Vec<_> = states.map(|state| exactly(&state)).collect();
            let found = system.model.follow(&sequence, &system.options);
            assert_eq!(found.map(|steps| steps.len()), Ok(sequence.len()), "{name}");
        }
    }
}
