//! The experiment kinds: where papers meet crates. One file per kind.

use kibitz_lab::Kind;

/// Every kind, sorted by name.
pub(crate) static KINDS: &[&dyn Kind] = &[];
