//! The encoded problem of a learner that works on ground facts.

use kibitz_prolog::Limits;

use super::{Hypothesis, LearnError, Progress, Remark, RemarkKind, Stop};
use crate::encoded::TablingError;
use crate::problem::{EncodingLoan, Problem};

/// The work of listing the background that counts as a search step: inferences and terms.
const WORK_OF_A_STEP: u64 = 256;

/// Why a background was not listed: a learner ends with it before it begins.
pub(super) struct Unlisted {
    stop: Stop,
    steps: u64,
}

impl From<Unlisted> for Hypothesis {
    fn from(Unlisted { stop, steps }: Unlisted) -> Self {
        Self::new(Vec::new(), stop, steps)
    }
}

/// The problem in numbers, for a learner that needs examples of both kinds, or why there was no time to list
/// its background. What that takes has a bound of its own: a learner takes no fewer search steps for it.
///
/// # Errors
/// [`LearnError`] for problems without positive or negative examples, and for background predicates
/// that cannot be listed.
pub(super) fn encode<'p>(
    problem: &'p Problem<'_>,
    limits: Limits,
    max_steps: u64,
    progress: &mut dyn Progress,
) -> Result<Result<EncodingLoan<'p>, Unlisted>, LearnError> {
    LearnError::without_examples(problem.task())?;
    let most = problem.listing_steps(max_steps);
    let (mut work, mut steps) = (0u64, 0);
    let encoded = problem.encoded(limits, &mut |own| {
        work += own;
        steps = work / WORK_OF_A_STEP;
        steps <= most && progress.keep_going()
    });
    let stop = match encoded {
        Ok(encoded) => {
            let remarks = encoded.remarks.iter();
            remarks.for_each(|remark| progress.remark(remark));
            return Ok(Ok(encoded));
        }
        Err(TablingError::Interrupted(predicate)) if steps > most => {
            progress.remark(&Remark {
                predicate,
                reason: RemarkKind::OutOfSteps,
                clause: None,
            });
            Stop::OutOfSteps
        }
        Err(TablingError::Interrupted(_)) => Stop::Interrupted,
        Err(error) => return Err(error.into()),
    };
    Ok(Err(Unlisted { stop, steps }))
}
