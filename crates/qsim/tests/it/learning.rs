//! Models learned from states.

use kibitz_qsim::learn::{
    Dimension, GenmodelParams, LEARNED_KINDS, LearnedConstraint, genmodel,
    genmodel_with_exceptions, mark_redundant,
};
use kibitz_qsim::{Constraint, ConstraintKind, Direction, Model, State};
use proptest::prelude::*;

use crate::common::bundled;

/// The four states that Morales 1992, section 8.3, gives Golem and section 8.4 PAL.
const EXAMPLES: &str = r#"
states = [
  { la = "la0/dec", lb = "lb0/inc", fab = "fab0/dec", fba = "fba0/inc" },
  { la = "0..la0/dec", lb = "lb0..inf/inc", fab = "0..fab0/dec", fba = "fba0..0/inc" },
  { la = "0..la0/std", lb = "lb0..inf/std", fab = "0/std", fba = "0/std" },
  { la = "0/std", lb = "0/std", fab = "0/std", fba = "0/std" },
]
"#;

/// Genmodel's model of the four states, constraint by constraint.
fn learned(params: &GenmodelParams) -> Vec<String> {
    let system = bundled("table8-3/pal1");
    let variables = system.model.variables();
    let partial = system.read_states("states.toml", EXAMPLES).expect("sound");
    let whole = |set: &kibitz_qsim::ValueSet| set.value().expect("a whole state");
    let states: Vec<State> = (partial.iter())
        .map(|state| state.iter().map(whole).collect())
        .collect();
    names(&system.model, genmodel(variables, &states, params))
}

fn names(model: &Model, constraints: Vec<Constraint>) -> Vec<String> {
    let model = Model::new(model.variables().to_vec(), constraints).expect("sound");
    let mut names: Vec<String> = (0..model.constraints().len())
        .map(|index| model.constraint_name(index))
        .collect();
    names.sort();
    names
}

fn printed(name: &str) -> Vec<String> {
    let model = bundled(name).model;
    names(&model, model.constraints().to_vec())
}

#[test]
fn without_corresponding_values_genmodel_equals_pal() {
    let params = GenmodelParams {
        corresponding: false,
        ..GenmodelParams::default()
    };
    assert_eq!(learned(&params), printed("table8-3/pal1"));
}

/// Corresponding values refuse the functions between levels and flows; besides the printed model,
/// constraints remain that add levels to flows or take a flow for the derivative of a flow.
#[test]
fn with_corresponding_values_and_dimensions_genmodel_learns_the_printed_model() {
    let mut params = GenmodelParams::default();
    let more = [
        "add(la, fba, lb)",
        "add(lb, fab, la)",
        "deriv(fab, fba)",
        "deriv(fba, fab)",
    ];
    let mut expected = printed("table8-3/genmodel");
    expected.extend(more.map(str::to_owned));
    expected.sort();
    assert_eq!(learned(&params), expected);
    let dimensions = ["level", "level", "level/time", "level/time"];
    params.dimensions = dimensions
        .map(|text| text.parse::<Dimension>().expect("sound"))
        .to_vec();
    assert_eq!(learned(&params), printed("table8-3/genmodel"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A learned model accepts its states, is at least as specific as a model of more states, and
    /// contains the system's own constraints if it is learned from all of its states.
    #[test]
    fn models_grow_with_the_states(
        name in prop::sample::select(vec!["spring", "ball", "bathtub", "table8-3/legal"]),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 2..12),
        corresponding in any::<bool>(),
    ) {
        let model = bundled(name).model;
        let all = model.legal_states();
        let states: Vec<State> = picks.iter().map(|pick| all[pick.index(all.len())].clone()).collect();
        let mut kinds = LEARNED_KINDS.to_vec();
        kinds.push(kibitz_qsim::ConstraintKind::Constant);
        let params = GenmodelParams { kinds, corresponding, ..GenmodelParams::default() };
        let learn = |states: &[State]| genmodel(model.variables(), states, &params);
        let found = learn(&states);
        let learned = Model::new(model.variables().to_vec(), found.clone()).expect("sound");
        prop_assert!(states.iter().all(|state| learned.accepts(state)));
        let kinds = |found: &[Constraint]| -> Vec<_> {
            found.iter().map(|c| (c.kind, c.variables.clone())).collect()
        };
        let fewer = kinds(&learn(&states[1..]));
        prop_assert!(kinds(&found).iter().all(|constraint| fewer.contains(constraint)));
        let of_all = kinds(&learn(&all));
        prop_assert!(of_all.iter().all(|constraint| kinds(&found).contains(constraint)));
        for (kind, mut variables) in kinds(model.constraints()) {
            if kind != kibitz_qsim::ConstraintKind::Deriv && variables.len() > 1 {
                variables[..2].sort_unstable();
            }
            prop_assert!(of_all.contains(&(kind, variables)));
        }
    }
}

/// One direction of one of all states of the U-tube is turned: every true constraint is learned with that
/// state as its only exception, which zero exceptions refuse.
#[test]
fn one_wrong_state_is_an_exception() {
    let system = bundled("u-tube");
    let all_variables = system.model.variables();
    let mut states = system.model.legal_states();
    let at = states[70][0];
    let turned = match at.direction() {
        Direction::Dec => Direction::Inc,
        _ => Direction::Dec,
    };
    states[70][0] = kibitz_qsim::QValue::new(at.magnitude(), turned);
    let params = GenmodelParams {
        corresponding: false,
        ..GenmodelParams::default()
    };
    let without = genmodel_with_exceptions(all_variables, &states, &params, 0);
    let plain = genmodel(all_variables, &states, &params);
    let of = |all: &[LearnedConstraint]| {
        all.iter()
            .map(|own| own.constraint.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(of(&without), plain);
    let mut with = genmodel_with_exceptions(all_variables, &states, &params, 1);
    for constraint in system.model.constraints() {
        // Of symmetric constraints one order is tried.
        let mut variables = constraint.variables.clone();
        if constraint.kind != ConstraintKind::Deriv {
            variables[..2].sort_unstable();
        }
        let own = with.iter().find(|own| {
            own.constraint.kind == constraint.kind && own.constraint.variables == variables
        });
        let own = own.unwrap_or_else(|| panic!("{constraint:?} is not learned"));
        assert!(own.exceptions.is_empty() || own.exceptions == [70]);
    }
    assert!(with.iter().any(|own| own.exceptions == [70]));
    assert!(mark_redundant(all_variables, &mut with, true));
    // What is left accepts no other states than all together.
    let left = with
        .iter()
        .filter(|own| !own.is_redundant)
        .map(|own| own.constraint.clone());
    let left = Model::new(all_variables.to_vec(), left.collect::<Vec<_>>()).expect("sound");
    let all = Model::new(all_variables.to_vec(), of(&with)).expect("sound");
    assert_eq!(left.legal_states(), all.legal_states());
    assert!(with.iter().any(|own| own.is_redundant));
}
