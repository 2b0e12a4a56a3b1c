//! The command line of Kibitz: `cargo xtask reproduce` and its companions.

mod kinds;

fn main() {
    debug_assert!(kinds::KINDS.is_sorted_by_key(|kind| kind.name()));
}
