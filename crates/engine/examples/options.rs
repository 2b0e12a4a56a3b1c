//! The options of the engine, and its answer to an invalid value.
#![allow(clippy::print_stdout, reason = "an example speaks")]

use kibitz_engine::{Session, Transcript};

fn main() {
    let said = Transcript::default();
    let mut session = Session::new(said.clone());
    for command in ["uci", "setoption name Strategy value luck"] {
        // It never says to quit.
        let _ = session.obey(command);
    }
    print!("{}", said.text());
}
