//! Embeds the identity of the code that decides the results.

fn main() {
    kibitz_code::embed();
}
