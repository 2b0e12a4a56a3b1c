//! What counts as a change of code, and what does not.
//!
//! `cargo run -p kibitz-code --example what_counts`

#![allow(clippy::print_stdout, reason = "an example shows something")]

use std::fs;

use kibitz_code::Identity;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("kibitz-code-{}", std::process::id()));
    fs::create_dir_all(folder.join("src"))?;
    let manifest = "[package]\nname = \"tiny\"\nedition = \"2024\"\n[workspace]\n";
    fs::write(folder.join("Cargo.toml"), manifest)?;
    let hash = |code: &str| -> Result<String, Box<dyn std::error::Error>> {
        fs::write(folder.join("src/lib.rs"), code)?;
        Ok(Identity::of_manifest(&folder)?.hashes()["tiny"].clone())
    };
    let plain = hash("pub fn two() -> i32 { 2 }")?;
    let told = hash("//! Small.\n\n/// Two.\npub fn two() -> i32 {\n    2 // of course\n}\n")?;
    let other = hash("pub fn two() -> i32 { 3 }")?;
    println!("{plain}\n{told} with words\n{other} with another value");
    assert_eq!(plain, told);
    assert_ne!(plain, other);
    fs::remove_dir_all(folder)?;
    Ok(())
}
