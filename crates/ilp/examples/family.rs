//! Learns `grandparent/2` from the facts of a family, with several learners.
//!
//! `cargo run -p kibitz-ilp --example family`

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use kibitz_ilp::learn::{Foil, Golem, Learner, Lff, Mfoil, Mio, Mml, Progol};
use kibitz_ilp::{Study, Task};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut task = Task::from_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/family"))?;
    for warning in task.check().warnings {
        println!("warning: {warning}");
    }
    let learners: [&dyn Learner; 7] = [
        &Foil::default(),
        &Mfoil::default(),
        &Golem::default(),
        &Mio::default(),
        &Progol::default(),
        &Mml::default(),
        &Lff::default(),
    ];
    for learner in learners {
        println!("{}", task.learn(learner)?);
    }
    Ok(())
}

#[test]
fn every_learner_runs() {
    main().expect("all of them");
}
