//! The machine on which the numbers were measured.

use std::fs;

/// Processor and core count, as far as the system tells.
pub(crate) fn describe() -> String {
    let processor = fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        })
        .unwrap_or_else(|| "unknown processor".to_owned());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{processor}, {cores} cores")
}

/// Most memory this process has held so far, in MiB, where the system tells.
pub(crate) fn peak_memory_mib() -> Option<f64> {
    peak_memory_mib_of("self")
}

/// The same for the process with this number.
pub(crate) fn peak_memory_mib_of(process: &str) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib / 1024.0)
}

/// CPU time of this thread so far, in seconds, if the system provides it.
pub(crate) fn processor_seconds() -> Option<f64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

/// CPU time of all processes that this one waited for, in seconds, if the system provides it; the
/// resolution is 0.01 s.
pub(crate) fn children_seconds() -> Option<f64> {
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program may hold blanks, and ends with the last parenthesis.
    let (_, fields) = text.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    Some((ticks(13)? + ticks(14)?) / 100.0)
}
