//! A laboratory of your own: kinds, and one call.

mod polygons;

use std::process::ExitCode;

use kibitz_experiment::Kind;

fn main() -> ExitCode {
    let kinds = vec![Kind::of::<polygons::Polygons>(kibitz_experiment::code!())];
    kibitz_desk::cli::main("my-lab", kinds)
}
