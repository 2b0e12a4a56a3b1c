//! Morales 1992, Table 8.3: the number of the U-tube's 2,160 states that each model accepts, and of
//! the legal ones among them. The legal states are those of the standard model with its corresponding
//! values; the thesis does not list them. Section 8.4.2 compares further models.

use kibitz_qsim::{PartialState, State, System, ValueSet};

use crate::common::bundled;

/// Every state of La, Lb and Fab.
fn space() -> Vec<State> {
    bundled("table8-3/pal2").model.states().collect()
}

/// Whether the model accepts some state with these values of La, Lb and Fab; the spaces are alike.
fn accepts(system: &System, state: &State) -> bool {
    let mut partial: PartialState = system.model.anything();
    for (name, value) in ["la", "lb", "fab"].iter().zip(state) {
        let variable = system.model.variable(name).expect("every model has it");
        partial[variable] = ValueSet::one(*value);
    }
    system.model.accepts_partial(&partial)
}

fn accepted(name: &str) -> Vec<bool> {
    let system = bundled(&format!("table8-3/{name}"));
    space()
        .iter()
        .map(|state| accepts(&system, state))
        .collect()
}

#[test]
fn counts_of_accepted_states_equal_print() {
    let count = |all: &[bool]| all.iter().filter(|accepted| **accepted).count();
    let legal = accepted("legal");
    let found = ["standard", "pal1", "pal2", "golem"].map(|name| {
        let all = accepted(name);
        let both: Vec<bool> = all.iter().zip(&legal).map(|(a, b)| *a && *b).collect();
        (count(&all), count(&both))
    });
    assert_eq!((space().len(), count(&legal)), (2160, 32));
    assert_eq!(found, [(80, 32), (58, 32), (58, 32), (50, 24)]);
}

/// Section 8.4.1: the learned models accept subsets, and Pal1 and Pal2 agree.
#[test]
fn learned_models_accept_parts_of_the_standard_model() {
    let standard = accepted("standard");
    assert_eq!(accepted("pal1"), accepted("pal2"));
    for name in ["pal1", "golem"] {
        for (learned, known) in accepted(name).into_iter().zip(&standard) {
            assert!(!learned || *known, "{name}");
        }
    }
}

/// Section 8.4.1 gives two legal states that Golem's model refuses: all water in one container.
#[test]
fn golem_refuses_all_water_in_one_container() {
    let [legal, golem, pal2] = ["legal", "golem", "pal2"].map(|name| {
        let name = format!("table8-3/{name}");
        bundled(&name)
    });
    let show = |state: &State| pal2.model.show(state);
    for text in [
        "la=0/inc lb=lb0..inf/dec fab=minf..0/inc",
        "la=la0..inf/dec lb=0/inc fab=fab0..inf/dec",
    ] {
        let all = space();
        let state = all
            .iter()
            .find(|state| show(state) == text)
            .expect("it is a state");
        assert!(accepts(&legal, state) && accepts(&pal2, state), "{text}");
        assert!(!accepts(&golem, state), "{text}");
    }
}

/// Section 8.4.2: of the models learned by others, two accept the states of Pal1 and Pal2. The claim
/// that Genmodel's model accepts those of the standard model fails: it does not compare the levels.
#[test]
fn models_of_others_accept_the_states_of_section_8_4_2() {
    let pal = accepted("pal1");
    for name in ["mfoil-dynamic", "genetic"] {
        assert_eq!(accepted(name), pal, "{name}");
    }
    let [standard, genmodel, legal] = ["standard", "genmodel", "legal"].map(accepted);
    let count = |all: &[bool]| all.iter().filter(|accepted| **accepted).count();
    // Fab determines the directions of the levels, of four magnitudes each; its own five magnitudes
    // have any direction.
    assert_eq!(count(&genmodel), 4 * 4 * 5 * 3);
    assert!(
        standard
            .iter()
            .zip(&genmodel)
            .all(|(known, found)| !known || *found)
    );
    // The section says only that mFoil's first model is not equivalent.
    let mfoil = accepted("mfoil");
    assert!(
        legal
            .iter()
            .zip(&mfoil)
            .all(|(legal, found)| !legal || *found)
    );
    assert_eq!(count(&mfoil), 154);
}
