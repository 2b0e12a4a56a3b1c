//! Reads a system file and draws its second behavior: `cargo run -p kibitz-qsim --example pictures`
//! writes SVG to the output.

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use kibitz_qsim::{System, render};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let text = include_str!("../systems/bathtub.toml");
    let system = System::from_toml("bathtub.toml", text)?;
    let tree = system.model.simulate(&system.initial, &system.options)?;
    let behaviors = tree.behaviors();
    let svg = render::behavior_svg(&system.title, &tree, &behaviors[1]);
    assert!(svg.starts_with("<svg"));
    println!("{svg}");
    Ok(())
}
