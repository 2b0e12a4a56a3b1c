//! The command line of Kibitz: `cargo xtask reproduce` and its companions.

fn main() {}
