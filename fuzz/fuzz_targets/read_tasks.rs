//! Any text can be read as a task in every layout, and checked.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match kibitz_fuzz::task(text) {
        Some(Ok(task)) => {
            let findings = task.check();
            let all = findings.errors.iter().chain(&findings.warnings);
            all.for_each(|issue| drop(issue.to_string()));
        }
        Some(Err(error)) => drop(error.to_string()),
        None => {}
    }
});
