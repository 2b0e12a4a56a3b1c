//! The caller of a long fit.

use kibitz_stats::FitError;
use kibitz_text::Diagnostic;

use crate::Error;

/// Value and gradient of a likelihood, as steps of a long fit are remembered.
pub type RememberedStep = (f64, Vec<f64>);

/// The caller of a long fit. Every service is optional, but for the error.
pub trait Session {
    /// What ends the work early: an error of this crate, or the session's own, such as an
    /// interruption.
    type Error: From<Error> + From<FitError>;

    /// Stops the work through `?`.
    ///
    /// # Errors
    /// The session is over.
    fn check(&self) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Takes note that `done` of `total` steps called `step`, in the singular, are done.
    fn progress(&self, _step: &str, _done: usize, _total: usize) {}

    /// Receives what a reader should know before believing the result; a session that shows it to nobody
    /// takes that on itself.
    fn note(&self, _told: &Diagnostic) {}

    /// The seed of the named stream of random numbers.
    fn seed(&self, stream: &str) -> u64;

    /// The steps of `compute`, or those that it gave under this name in an earlier run.
    ///
    /// # Errors
    /// Those of `compute`, or of the session.
    fn remember(
        &self,
        _name: &str,
        compute: &mut dyn FnMut() -> Vec<RememberedStep>,
    ) -> Result<Vec<RememberedStep>, Self::Error> {
        Ok(compute())
    }
}

/// A session with a seed and no other service.
///
/// # Examples
/// ```
/// use kibitz_players::{Session, SeededSession};
/// let session = SeededSession { seed: 7 };
/// assert_eq!(session.seed("folds"), session.seed("folds"));
/// assert_ne!(session.seed("folds"), session.seed("starts"));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SeededSession {
    /// The seed from which those of all streams follow.
    pub seed: u64,
}

impl Session for SeededSession {
    type Error = Error;

    fn seed(&self, stream: &str) -> u64 {
        stream_seed(self.seed, stream)
    }
}

/// The seed of a stream by its name, after FNV-1a.
pub(crate) fn stream_seed(root: u64, stream: &str) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let bytes = root.to_le_bytes().into_iter().chain(stream.bytes());
    bytes.fold(OFFSET, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(PRIME)
    })
}
