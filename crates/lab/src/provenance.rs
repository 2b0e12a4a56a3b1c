//! Volatile provenance: the revision and the machine of a run.

use std::path::Path;
use std::process::Command;

use serde::Serialize;

/// The state of the repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Git {
    /// Commit id; none outside the project's repository.
    pub revision: Option<String>,
    /// Whether files outside `results/` have uncommitted changes; documents decide no result.
    pub dirty: Option<bool>,
    /// Those files.
    pub changed: Vec<String>,
}

/// What git prints; `None` if it fails.
pub fn git_output(root: &Path, arguments: &[&str]) -> Option<String> {
    let mut git = Command::new("git");
    let output = git.arg("-C").arg(root).args(arguments).output().ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The day of the last commit, as `2026-01-31`; unknown without git.
pub fn date(root: &Path) -> Option<String> {
    let date = git_output(root, &["log", "-1", "--format=%cs"])?;
    let date = date.trim().to_owned();
    (!date.is_empty()).then_some(date)
}

/// Whether a folder is the top of a repository.
pub fn is_top_of_repository(root: &Path) -> bool {
    git_output(root, &["rev-parse", "--show-toplevel"])
        .is_some_and(|top| Path::new(top.trim()).canonicalize().ok() == root.canonicalize().ok())
}

/// The state of the repository; unknown without git.
pub fn git(root: &Path) -> Git {
    let run = |arguments: &[&str]| git_output(root, arguments);
    // A folder inside another repository has no state of its own.
    if !is_top_of_repository(root) {
        return Git::default();
    }
    let changed: Option<Vec<String>> = run(&["status", "--porcelain", "--untracked-files=all"])
        .map(|text| {
            text.lines()
                .filter_map(|line| line.get(3..))
                // A renamed file is listed as `old -> new`.
                .map(|path| {
                    path.rsplit(" -> ")
                        .next()
                        .unwrap_or(path)
                        .trim_matches('"')
                        .to_owned()
                })
                .filter(|path| {
                    let is_document = Path::new(path).extension().is_some_and(|it| it == "md");
                    !(is_document || path.starts_with("results/"))
                })
                .collect()
        });
    Git {
        revision: run(&["rev-parse", "HEAD"]).map(|text| text.trim().to_owned()),
        dirty: changed.as_ref().map(|changed| !changed.is_empty()),
        changed: changed.unwrap_or_default(),
    }
}

/// The widest processor instructions that loops are compiled for.
pub(crate) fn instructions() -> String {
    let arch = std::env::consts::ARCH;
    #[cfg(target_arch = "x86_64")]
    {
        let widest = if is_x86_feature_detected!("avx512f") {
            "avx512"
        } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            "avx2"
        } else {
            "sse2"
        };
        format!("{arch} {widest}")
    }
    #[cfg(not(target_arch = "x86_64"))]
    arch.to_owned()
}

/// The most memory that this process has held at once, in bytes, as far as the system tells.
pub(crate) fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes * 1024)
}

/// Lets [`peak_memory`] begin again from what is held now, where the system can.
pub(crate) fn forget_peak_memory() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The machine, as far as known.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    pub(crate) system: String,
    pub(crate) host: Option<String>,
    pub(crate) cpu: Option<String>,
    pub(crate) threads: usize,
}

impl Machine {
    /// This machine.
    pub fn current() -> Self {
        let line = |path: &str| std::fs::read_to_string(path).ok();
        let cpu = line("/proc/cpuinfo").and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        });
        Self {
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            host: line("/proc/sys/kernel/hostname").map(|text| text.trim().to_owned()),
            cpu,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}
