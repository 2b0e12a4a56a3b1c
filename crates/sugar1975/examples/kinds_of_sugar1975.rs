//! The kinds of this paper, their columns, and the code that decides their results.
//!
//! `cargo run -p kibitz-sugar1975 --example kinds_of_sugar1975`

#![allow(clippy::print_stdout, reason = "an example shows something")]

fn main() {
    for kind in kibitz_sugar1975::kinds() {
        println!("{}: {}", kind.name(), kind.type_name());
        for column in kind.columns() {
            println!("  {:<20} {:<10} {}", column.name, column.unit, column.doc);
        }
    }
}
