//! Learns `grandparent/2` from the facts of a family, with every learner that needs no more than a
//! task.
//!
//! `cargo run -p kibitz-ilp --example family`

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use kibitz_ilp::Task;
use kibitz_ilp::learn::{Algorithm, Settings};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut task = Task::from_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/family"))?;
    for warning in task.check().warnings {
        println!("warning: {warning}");
    }
    for algorithm in Algorithm::ALL {
        println!("{}: {}", algorithm.name(), algorithm.summary());
        match algorithm.learner(&Settings::default()) {
            Ok(learner) => println!("{}", task.learn(&*learner)?),
            Err(error) => println!("{error}\n"),
        }
    }
    Ok(())
}

#[test]
fn every_learner_runs() {
    main().expect("all of them");
}
