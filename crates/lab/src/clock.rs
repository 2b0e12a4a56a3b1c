//! The only place that reads a clock: timestamps of the volatile half of provenance.
//! Nothing here reaches a committed result.

/// The current time as `2026-01-31T12:00:00Z`.
pub(crate) fn timestamp() -> String {
    #[allow(
        clippy::disallowed_methods,
        reason = "the log of a run says when it was; no result does"
    )]
    let now = std::time::SystemTime::now();
    humantime::format_rfc3339_seconds(now).to_string()
}
