//! Other programs: found, run with a time limit, and measured.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use crate::machine::{children_seconds, peak_memory_mib_of};
use crate::workloads::SkippedComparison;

/// What a run of a program took and printed.
pub(crate) struct Run {
    pub(crate) seconds: f64,
    /// CPU time, if the system provides it.
    pub(crate) processor_seconds: Option<f64>,
    pub(crate) memory_mib: Option<f64>,
    pub(crate) text: String,
}

/// Runs a program and waits for it, at most for the time limit; its standard output goes through a file.
pub(crate) fn run(
    command: &str,
    arguments: &[String],
    stdin: Option<&str>,
    limit: Duration,
    missing: &str,
) -> anyhow::Result<Run> {
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("answer");
    let mut process = Command::new(beside(command));
    process
        .args(arguments)
        .stdout(File::create(&out)?)
        .stderr(Stdio::null())
        .stdin(match stdin {
            Some(file) => File::open(file)?.into(),
            None => Stdio::null(),
        });
    let before = children_seconds();
    let start = Instant::now();
    let Ok(mut child) = process.spawn() else {
        return Err(SkippedComparison(missing.to_owned()).into());
    };
    let mut memory_mib: Option<f64> = None;
    while child.try_wait()?.is_none() {
        let now = peak_memory_mib_of(&child.id().to_string());
        memory_mib = now
            .map(|now| now.max(memory_mib.unwrap_or(0.0)))
            .or(memory_mib);
        if start.elapsed() > limit {
            end(&mut child)?;
            return Err(SkippedComparison(format!("no answer in {} s", limit.as_secs())).into());
        }
        std::thread::sleep(Duration::from_micros(100));
    }
    let seconds = start.elapsed().as_secs_f64();
    let answer = fs::read(&out)?;
    Ok(Run {
        seconds,
        processor_seconds: before
            .zip(children_seconds())
            .map(|(before, now)| now - before),
        memory_mib,
        text: String::from_utf8_lossy(&answer).into_owned(),
    })
}

fn end(child: &mut Child) -> std::io::Result<()> {
    child.kill()?;
    child.wait().map(|_| ())
}

/// The program of this name in our own folder if there is one: programs built with us go before
/// installed ones.
fn beside(name: &str) -> PathBuf {
    std::env::current_exe()
        .ok()
        .and_then(|own| Some(own.parent()?.join(name)))
        .filter(|path| path.is_file())
        .unwrap_or_else(|| Path::new(name).to_owned())
}
