//! The only place that reads a clock: timestamps of the volatile half of provenance, the ages of files,
//! and what time limits go by.
//! Nothing here reaches a committed result.

use std::sync::LazyLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cpu_time::ProcessTime;
use kibitz_experiment::Stopwatch;

/// The last second that has a date of four digits for its year, counted from 1970.
const LAST: Duration = Duration::from_secs(253_402_300_799);

/// The current time as `2026-01-31T12:00:00Z`.
pub fn timestamp() -> String {
    #[allow(
        clippy::disallowed_methods,
        reason = "the log of a run says when it was; no result does"
    )]
    let now = SystemTime::now();
    written(now)
}

/// What time limits go by. Tests have clocks of their own.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// Time since some moment.
    pub wall: fn() -> Duration,
    /// CPU time of all threads of this process.
    pub processor: fn() -> Duration,
}

impl Clock {
    /// The clocks of the system. Where there is no CPU time, wall time stands for it.
    pub fn system() -> Self {
        Self {
            wall: || START.elapsed(),
            processor: || {
                let used = ProcessTime::try_now();
                used.map_or_else(|_| START.elapsed(), |used| used.as_duration())
            },
        }
    }
}

static START: LazyLock<Stopwatch> = LazyLock::new(Stopwatch::start);

/// Whether a file that changed then could change again without a later time: file systems count in steps.
pub(crate) fn is_settled(changed: Option<SystemTime>) -> bool {
    #[allow(
        clippy::disallowed_methods,
        reason = "it decides whether a file is read again, not what is read"
    )]
    let now = SystemTime::now();
    let age = changed.and_then(|changed| now.duration_since(changed).ok());
    age.is_some_and(|age| age >= SETTLED)
}

/// The coarsest step of common file systems, and a second more.
const SETTLED: Duration = Duration::from_secs(3);

/// A time as text; a clock that is far off stands still at the first or last date there is.
fn written(time: SystemTime) -> String {
    let time = time.clamp(UNIX_EPOCH, UNIX_EPOCH + LAST);
    humantime::format_rfc3339_seconds(time).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_far_off_has_a_date() {
        let day = Duration::from_hours(24);
        assert_eq!(written(UNIX_EPOCH - day), "1970-01-01T00:00:00Z");
        assert_eq!(written(UNIX_EPOCH + day), "1970-01-02T00:00:00Z");
        assert_eq!(written(UNIX_EPOCH + LAST), "9999-12-31T23:59:59Z");
        assert_eq!(written(UNIX_EPOCH + LAST + day), "9999-12-31T23:59:59Z");
    }
}
