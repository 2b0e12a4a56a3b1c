//! Any text can be read as a concept with its definitions, divided by a line of `%%`.
#![no_main]

use kibitz_patterns::Concept;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (concept, targets) = text.split_once("\n%%\n").unwrap_or((text, ""));
    if let Ok(concept) = toml::from_str::<Concept>(concept)
        && let Err(error) = concept.prepare(targets, true)
    {
        drop(error.to_string());
    }
});
