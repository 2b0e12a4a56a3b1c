//! The experiments of Morales 1992: chess patterns learned by PAL and by the learners it is compared with.

use kibitz_experiment::Kind;

/// Every kind of this paper.
pub fn kinds() -> Vec<Kind> {
    Vec::new()
}
