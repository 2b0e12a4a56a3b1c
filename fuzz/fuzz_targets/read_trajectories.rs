//! Any text can be read as a trajectory, and checked against a system; both are divided by a line of
//! `%%`.
#![no_main]

use kibitz_qsim::{CheckError, CheckParams, System, render};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (system, samples) = text.split_once("\n%%\n").unwrap_or(("", text));
    let Ok(mut system) = System::from_toml("fuzz", system) else {
        return;
    };
    system.options.max_states = 200;
    match system.read_trajectory("samples", samples) {
        Ok(trajectory) => match system.cover(&trajectory, &CheckParams::default()) {
            Ok(cover) => drop(render::cover_text(&system.model, &trajectory, &cover)),
            Err(CheckError::Uncovered(found)) => {
                drop(found.diagnostic(&system, &trajectory).to_string());
            }
            Err(error) => drop(error.to_string()),
        },
        Err(problems) => drop(problems.to_string()),
    }
});
