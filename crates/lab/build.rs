//! Hands the compiler's version, the target and the optimization level to the crate: they are
//! part of the cache key.

use std::process::Command;

fn main() {
    let var = |name: &str| std::env::var(name).unwrap_or_else(|_| "unknown".to_owned());
    let compiler = Command::new(var("RUSTC"))
        .arg("--version")
        .output()
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .map_or_else(|| "unknown".to_owned(), |text| text.trim().to_owned());
    println!("cargo::rustc-env=KIBITZ_RUSTC={compiler}");
    println!("cargo::rustc-env=KIBITZ_TARGET={}", var("TARGET"));
    println!("cargo::rustc-env=KIBITZ_OPT_LEVEL={}", var("OPT_LEVEL"));
    println!("cargo::rerun-if-changed=build.rs");
}
