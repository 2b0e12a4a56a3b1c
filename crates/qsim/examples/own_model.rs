//! Builds a model in Rust: its legal states, and what it does from one of them.
//!
//! `cargo run -p kibitz-qsim --example own_model`

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use kibitz_qsim::{
    Constraint, ConstraintKind, Model, Options, QuantitySpace, ValueSet, Variable, render,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A cup of coffee cools down to the room's temperature: excess heat flows out.
    let heat = QuantitySpace::new(&["minf", "0", "hot", "inf"])?;
    let flow = QuantitySpace::new(&["minf", "0", "inf"])?;
    let zero = [heat.find("0"), flow.find("0")].map(|found| found.expect("declared"));
    let hot = heat.find("hot").expect("declared");
    let model = Model::new(
        vec![Variable::new("heat", heat), Variable::new("flow", flow)],
        vec![
            Constraint::new(ConstraintKind::MMinus, [0, 1]).at(zero),
            Constraint::new(ConstraintKind::Deriv, [0, 1]),
        ],
    )?;
    let legal = model.legal_states();
    println!(
        "{} of {} states are legal",
        legal.len(),
        model.states().count()
    );

    let mut initial = model.anything();
    initial[0] = ValueSet::between(hot, hot);
    let tree = model.simulate(&[initial], &Options::default())?;
    print!("{}", render::behaviors_text("A cup of coffee", &tree));
    assert_eq!(tree.behaviors().len(), 1);
    Ok(())
}
