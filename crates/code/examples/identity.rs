//! What decides the results of a crate: its hashes, how long they take, and whether the sources
//! still have them.
//!
//! `cargo run -p kibitz-code --example identity -- crates/search`; without arguments, this crate.
//! With several folders, all are compared with the disk in one go, as a runner does.

#![allow(clippy::print_stdout, reason = "an example shows something")]

use std::path::{Path, PathBuf};
use std::time::Instant;

use kibitz_code::{CodeError, Identity, Sources};

fn main() -> Result<(), CodeError> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if folders.is_empty() {
        folders.push(env!("CARGO_MANIFEST_DIR").into());
    }
    let mut identities = Vec::new();
    for folder in folders {
        let start = Instant::now();
        let identity = Identity::of_manifest(&folder)?;
        println!("{} (hashed in {:.1?})", identity.package(), start.elapsed());
        for (name, hash) in identity.hashes() {
            println!("  {hash} {name}");
        }
        identities.push(identity);
    }
    let start = Instant::now();
    let mut sources = Sources::below(root);
    for identity in &identities {
        for name in identity.changed_below(&mut sources)? {
            println!("{}: {name} has changed", identity.package());
        }
    }
    println!("compared with the disk in {:.1?}", start.elapsed());
    Ok(())
}
