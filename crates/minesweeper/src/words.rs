//! Numbers with their nouns.

/// A number with its noun, in the singular for one.
pub(crate) fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// A number of mines.
pub(crate) fn mines(n: usize) -> String {
    counted(n, "mine", "mines")
}

/// A number of tiles.
pub(crate) fn tiles(n: usize) -> String {
    counted(n, "tile", "tiles")
}
