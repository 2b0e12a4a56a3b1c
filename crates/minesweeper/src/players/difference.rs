//! Differences of sets, and when their mines are known.

use crate::{grid::Offset, knowledge::Constraint};

/// When the mines of a difference of two sets are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Differences {
    /// When the numbers of the two sets force them.
    #[default]
    Forced,
    /// When the set taken away is a subset of the other.
    Subsets,
}

/// The difference of two sets: the tiles of `set` that are not in `other`, if their mines are known;
/// `to_set` is the offset of the center of `set` from that of `other`.
///
/// The paper leaves open when they are known. [`Differences::Forced`]: when the bounds on the mines
/// in common, `max(0, m1 - |S1 - S2|, m2 - |S2 - S1|)` and `min(m1, m2, |S1 ∩ S2|)`, are equal.
pub(super) fn difference(
    set: Constraint,
    other: Constraint,
    to_set: Offset,
    differences: Differences,
) -> Option<Constraint> {
    let common_mask = set.common(other, to_set);
    let n_common = i8::try_from(common_mask.count_ones()).expect("at most eight");
    let least = 0
        .max(set.n_mines - (set.len() - n_common))
        .max(other.n_mines - (other.len() - n_common));
    let most = set.n_mines.min(other.n_mines).min(n_common);
    let is_known = match differences {
        Differences::Forced => least == most,
        Differences::Subsets => n_common == other.len(),
    };
    is_known.then(|| Constraint {
        center: set.center,
        mask: set.mask & !common_mask,
        n_mines: set.n_mines - most,
    })
}
