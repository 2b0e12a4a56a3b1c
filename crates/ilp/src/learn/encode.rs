//! The encoded problem of a learner that works on ground facts.

use kibitz_prolog::Limits;

use super::{LearnError, Progress};
use crate::problem::{EncodingLoan, Problem};

/// The problem in numbers, for a learner that needs examples of both kinds; `None` if it is interrupted.
///
/// # Errors
/// [`LearnError`] for problems without positive or negative examples, and for background predicates
/// that cannot be listed.
pub(super) fn encode<'p>(
    problem: &'p Problem<'_>,
    limits: Limits,
    progress: &mut dyn Progress,
) -> Result<Option<EncodingLoan<'p>>, LearnError> {
    let task = problem.task();
    LearnError::without_examples(task)?;
    let encoded = problem.encoded(limits, &mut || progress.keep_going());
    let encoded = LearnError::unless_interrupted(encoded)?;
    for remark in encoded.iter().flat_map(|problem| &problem.remarks) {
        progress.remark(remark);
    }
    Ok(encoded)
}
