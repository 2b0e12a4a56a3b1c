//! Embeds the identity of the code that decides the results, for the experiment kind.

fn main() {
    #[cfg(feature = "experiment")]
    kibitz_code::embed();
}
