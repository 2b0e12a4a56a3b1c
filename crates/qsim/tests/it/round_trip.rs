//! What `simulate` writes, `learn` reads: the constraints of every bundled system are learned back.

use kibitz_qsim::learn::{GenmodelParams, candidates, genmodel, is_tested};
use kibitz_qsim::render::{self, Graph};
use kibitz_qsim::{BUNDLED, Constraint, ConstraintKind, Direction, State, System};

const KINDS: [ConstraintKind; 6] = [
    ConstraintKind::Add,
    ConstraintKind::Minus,
    ConstraintKind::MPlus,
    ConstraintKind::MMinus,
    ConstraintKind::Deriv,
    ConstraintKind::Constant,
];

/// The JSON of a simulation: of the behaviors, or of all states where there are no initial ones.
fn simulated(system: &System) -> String {
    let model = &system.model;
    let (graph, limit) = if system.initial.is_empty() {
        let found = model.envision_all(&system.options).expect("legal states");
        (Graph::of_envisionment(model, &found), found.limit_message())
    } else {
        let tree = model
            .simulate(&system.initial, &system.options)
            .expect("initial states");
        (Graph::from(&tree), tree.limit_message())
    };
    render::json(system, &graph, None, limit.as_deref()).to_string()
}

fn states(system: &System, json: &str) -> Vec<State> {
    let partial = system
        .read_simulation("states.json", json)
        .expect("its own output");
    let value = |set: &kibitz_qsim::ValueSet| set.value_or_ignored().expect("one magnitude");
    let states = partial.iter();
    states
        .map(|state| state.iter().map(value).collect())
        .collect()
}

/// Kind and arguments, those of symmetric constraints in order.
fn plain(constraint: &Constraint) -> (ConstraintKind, Vec<usize>) {
    let mut variables = constraint.variables.clone();
    if constraint.kind != ConstraintKind::Deriv && variables.len() > 1 {
        variables[..2].sort_unstable();
    }
    (constraint.kind, variables)
}

/// With and without ignored chatter and new landmarks, every constraint of a system that holds in all of its
/// states is learned from what its simulation writes.
#[test]
fn learn_reads_what_simulate_writes() {
    let mut n_ignored = 0;
    let mut n_found = 0;
    for bundled in BUNDLED {
        for (ignore_chatter, new_landmarks) in
            [(false, false), (true, false), (false, true), (true, true)]
        {
            let mut system = bundled.read().expect("sound");
            system.options.ignore_chatter = ignore_chatter;
            system.options.new_landmarks = new_landmarks;
            if !system.initial.is_empty() {
                system.options.max_states = 2_000;
            }
            let name = format!("{}, {ignore_chatter}, {new_landmarks}", bundled.name);
            let json = simulated(&system);
            let states = states(&system, &json);
            let variables = system.model.variables();
            assert!(!states.is_empty(), "{name}");
            n_found += usize::from(json.contains("\"landmarks\":{"));
            let is_ignored =
                |state: &State| state.iter().any(|v| v.direction() == Direction::Ignored);
            n_ignored += usize::from(states.iter().any(is_ignored));
            let params = GenmodelParams {
                kinds: KINDS.to_vec(),
                // All legal states are those of many systems, with landmarks in many orders.
                corresponding: !system.initial.is_empty(),
                infinities: system.model.has_infinities(),
                ..GenmodelParams::default()
            };
            let mut found = genmodel(variables, &states, &params);
            found.retain(|constraint| is_tested(variables, constraint, &states));
            let found: Vec<_> = found.iter().map(plain).collect();
            let everywhere = |at: &usize| {
                system
                    .model
                    .regions()
                    .all(|region| region.constraints.contains(at))
            };
            for at in (0..system.model.constraints().len()).filter(everywhere) {
                let constraint = &system.model.constraints()[at];
                assert!(
                    found.contains(&plain(constraint)),
                    "{name}: {} is not learned",
                    system.model.constraint_name(at)
                );
            }
            assert!(
                found.len() < candidates(variables, &KINDS).len(),
                "{name}: nothing is refused"
            );
        }
    }
    assert!(
        n_ignored > 2 && n_found > 3,
        "{n_ignored} with ignored chatter, {n_found} with landmarks found"
    );
}

/// A landmark that the simulation found stands for the interval in which it lies.
#[test]
fn landmarks_found_are_folded() {
    let system = crate::common::bundled("bathtub");
    let json = simulated(&system);
    assert!(json.contains("amount*1"));
    for state in states(&system, &json) {
        for (value, variable) in state.iter().zip(system.model.variables()) {
            assert!(!variable.space.show(*value).contains('*'));
        }
    }
    let rest = r#"{"states": [{
        "values": {"amount": "amount*1..full/inc", "level": "0..top/std", "outflow": "0/std", "inflow": "if/std", "netflow": "0/std"},
        "landmarks": {"amount": ["0", "amount*1", "full"]}
    }]}"#;
    let found = &states(&system, rest)[0];
    assert_eq!(
        system.model.variables()[0].space.show(found[0]),
        "0..full/inc"
    );
}

#[test]
fn mistakes_in_simulations_have_their_places() {
    let system = crate::common::bundled("ball");
    let said = |json: &str| {
        let found = system.read_simulation("states.json", json);
        found.expect_err("a mistake").to_string()
    };
    let all = [
        said("{"),
        said("{\n  \"states\": 3\n}"),
        said("{\"states\": [{\"x\": \"0/inc\"}]}"),
        said(
            "{\"states\": [{\"values\": {\n  \"z\": \"0/inc\",\n  \"y\": \"top/inc\",\n  \"v\": \"0/up\"\n}}]}",
        ),
        said(
            "{\"states\": [{\"values\": {\"y\": \"0/inc\"}, \"landmarks\": {\n\"y\": [\"0\", \"top\", \"inf\"]}}]}",
        ),
        said("{\"states\": [{\"values\": {\"y\": \"y*1/inc\"}}]}"),
    ];
    insta::assert_snapshot!(all.join("\n"));
}
