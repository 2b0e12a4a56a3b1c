//! The options of the engine, and what it says to a value that it does not understand.
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
