//! Any text can be read as a strategy of rules.
#![no_main]

use kibitz_patterns::strategy::RuleStrategy;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(problems) = RuleStrategy::read("fuzz", text) {
        drop(problems.to_string());
    }
});
