//! Any text can be read as a qualitative system with a sequence of states, divided by a line of `%%`.
#![no_main]

use kibitz_qsim::System;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (system, states) = text.split_once("\n%%\n").unwrap_or((text, ""));
    match System::from_toml("fuzz", system) {
        Ok(system) => {
            if let Err(problems) = system.read_states("states", states) {
                drop(problems.to_string());
            }
        }
        Err(problems) => drop(problems.to_string()),
    }
});
