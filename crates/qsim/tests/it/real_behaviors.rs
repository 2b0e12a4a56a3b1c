//! Behaviors of real systems, which no filter or abstraction may lose.

use kibitz_qsim::{Options, System};

use crate::common::endings_of;

fn system(name: &str) -> System {
    let path = format!(
        "{}/tests/it/systems/{name}.toml",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(path).expect("a file");
    System::from_toml(name, &text).expect("a system")
}

/// Drift under a given direction; escape in finite time; a switch without a state to enter.
#[test]
fn real_behaviors_are_found() {
    for name in [
        "given-drift",
        "finite-escape",
        "incomplete-thermostat",
        "thermostat",
    ] {
        let system = system(name);
        insta::assert_snapshot!(name, endings_of(&system, &system.options));
    }
}

/// A regulator under a rising pressure does not rest because directions are abstracted.
#[test]
fn abstracted_directions_do_not_rest() {
    let regulator = system("regulator");
    let options = Options {
        ignore_chatter: true,
        ..regulator.options.clone()
    };
    insta::assert_snapshot!(endings_of(&regulator, &options));
    let graph = regulator
        .model
        .envision(&regulator.initial, &options)
        .expect("a start");
    assert!(graph.len() > 1);
}
