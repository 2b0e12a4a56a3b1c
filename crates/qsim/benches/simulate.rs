//! Simulations of the systems that come with the crate, and large envisionments.
//!
//! Sizes are in the names; every benchmark also asserts its answer.

#![allow(
    missing_docs,
    reason = "criterion's macros make undocumented functions"
)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use kibitz_qsim::{
    BundledSystem, Constraint, ConstraintKind, Model, Options, QuantitySpace, ValueSet, Variable,
};

/// A cascade of tanks: amount, outflow and net flow of each.
fn cascade(n: usize) -> Model {
    let space = |names: &[&str]| QuantitySpace::new(names).expect("landmarks in order");
    let mut variables = vec![Variable::new("inflow", space(&["0", "if", "inf"]))];
    let mut constraints = vec![Constraint::new(ConstraintKind::Constant, [0])];
    for tank in 0..n {
        let first = variables.len();
        let (amount, outflow, netflow) = (first, first + 1, first + 2);
        let above = if tank == 0 { 0 } else { first - 2 };
        let level = space(&["0", "full"]);
        let zero = level.find("0").expect("declared");
        variables.push(Variable::new(format!("amount-{tank}"), level));
        variables.push(Variable::new(
            format!("outflow-{tank}"),
            space(&["0", "inf"]),
        ));
        variables.push(Variable::new(
            format!("netflow-{tank}"),
            space(&["minf", "0", "inf"]),
        ));
        constraints
            .push(Constraint::new(ConstraintKind::MPlus, [amount, outflow]).at([zero, zero]));
        constraints.push(Constraint::new(
            ConstraintKind::Add,
            [netflow, outflow, above],
        ));
        constraints.push(Constraint::new(ConstraintKind::Deriv, [amount, netflow]));
    }
    Model::new(variables, constraints).expect("it makes sense")
}

fn simulate(c: &mut Criterion) {
    let cases = [
        ("u-tube", 3),
        ("bathtub", 5),
        ("spring", 9),
        ("damped-spring", 17),
        ("two-tanks", 6),
        ("three-tanks", 12),
    ];
    for (name, n) in cases {
        let system = BundledSystem::find(name)
            .expect("known")
            .read()
            .expect("right");
        c.bench_function(&format!("{name}, {n} states"), |b| {
            b.iter(|| {
                let tree = system
                    .model
                    .simulate(black_box(&system.initial), &system.options);
                assert_eq!(tree.expect("it starts").len(), n);
            });
        });
    }
}

fn envision(c: &mut Criterion) {
    let options = Options {
        max_states: 1_000_000,
        ..Options::default()
    };
    let mut group = c.benchmark_group("envision");
    group.sample_size(10);
    // Every state that seven empty tanks can reach once water flows.
    let model = cascade(7);
    let mut initial = model.anything();
    for (variable, known) in model.variables().iter().enumerate() {
        let landmark = match variable {
            0 => known.space.find("if"),
            _ if known.name.starts_with("amount") => known.space.zero(),
            _ => continue,
        };
        let landmark = landmark.expect("declared");
        initial[variable] = ValueSet::between(landmark, landmark);
    }
    group.bench_function("reachable, 142,028 states", |b| {
        b.iter(|| {
            let graph = model.envision(black_box(std::slice::from_ref(&initial)), &options);
            assert_eq!(graph.expect("it starts").len(), 142_028);
        });
    });
    // Every state of four tanks, reachable or not.
    let model = cascade(4);
    group.bench_function("all, 233,871 states", |b| {
        b.iter(|| {
            let graph = model.envision_all(black_box(&options));
            assert_eq!(graph.expect("below the limit").len(), 233_871);
        });
    });
}

criterion_group!(benches, simulate, envision);
criterion_main!(benches);
