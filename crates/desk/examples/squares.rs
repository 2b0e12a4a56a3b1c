//! A complete runner in a few lines: the kinds of the tests, run in the folder given.
//!
//! `cargo run -p kibitz-desk --example squares -- FOLDER` reproduces every experiment below
//! FOLDER/experiments.

#[path = "../tests/desk/kinds.rs"]
mod kinds;

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use kibitz_desk::{Desk, ReproduceOptions};
use kibitz_lab::SilentObserver;

#[allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is the command line"
)]
fn main() -> ExitCode {
    let Some(root) = std::env::args_os().nth(1) else {
        eprintln!("usage: squares FOLDER");
        return ExitCode::from(2);
    };
    let desk = Desk::new(root, kinds::kinds(), "squares");
    let never = AtomicBool::new(false);
    let answer = desk.reproduce(&ReproduceOptions::default(), &SilentObserver, &never);
    print!("{}", answer.out);
    eprint!("{}", answer.err);
    ExitCode::from(answer.exit.code())
}
