//! The programs that `cargo test --workspace` builds beside the command line.

use std::path::{Path, PathBuf};

/// Their names.
pub(crate) const PROGRAMS: [&str; 7] = [
    "chute",
    "kibitz-ilp",
    "kibitz-lab",
    "kibitz-minesweeper",
    "kibitz-patterns",
    "kibitz-players",
    "kibitz-qsim",
];

/// Where a program is built.
pub(crate) fn built(name: &str) -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_xtask"))
        .with_file_name(name)
        .with_extension(std::env::consts::EXE_EXTENSION);
    assert!(
        program.is_file(),
        "`cargo build --workspace` builds {}",
        program.display()
    );
    program
}
