//! One experiment, run without a workspace: no cache, no results, data handed in.
//!
//! `cargo run -p kibitz-desk --example in_memory`

#![allow(clippy::print_stdout, reason = "an example shows something")]

#[path = "../tests/desk/kinds.rs"]
mod kinds;

use kibitz_lab::testing::TestBench;

const FILE: &str = r#"
kind = "squares"
title = "Areas of two squares"
params = { sides = [2.0, 3.0], with-data = true }
data = { base = "anything" }
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let kind = kinds::kinds()
        .into_iter()
        .find(|kind| kind.name() == "squares");
    let kind = kind.ok_or("the kinds of the tests have squares")?;
    // The length of the data is added to every area.
    let bench = TestBench::new(kind, "beyond/areas", FILE)?.with_data("base", b"ten bytes.");
    for cell in bench.cells() {
        let output = bench.run(&cell.id, 0).map_err(|error| error.to_string())?;
        println!("{}: {:?}", cell.id, output.number(&cell.id, "area"));
    }
    let typo = FILE.replace("sides", "side");
    let problems = TestBench::new(kind, "beyond/areas", &typo).err();
    println!("{}", problems.ok_or("a misspelt key is an error")?);
    Ok(())
}
