//! Seeds go by name: another row, replicate or stream leaves all others alone.
//!
//! `cargo run -p kibitz-experiment --example named_seeds`

#![allow(clippy::print_stdout, reason = "an example shows something")]

use kibitz_experiment::SeedName;

fn main() {
    for cell in ["White 1", "White 2"] {
        for replicate in 0..2 {
            let name = SeedName {
                root: 20_000_801,
                experiment: "jansen2000/table3",
                cell,
                replicate,
            };
            let seed = name.seed("games");
            assert_eq!(seed, name.seed("games"), "asked twice, it starts over");
            assert_ne!(seed, name.seed("starts"), "streams are independent");
            println!("{cell}, replicate {replicate}: {:02x?}", &seed[..8]);
        }
    }
}
