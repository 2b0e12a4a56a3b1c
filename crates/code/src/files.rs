//! The hashed files of a crate, and their hash.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::error::CodeError;
use crate::manifest::real;
use crate::tokens::meaning;

/// Folders at a crate's root that no result depends on.
const NOT_BUILT_IN: [&str; 5] = ["tests", "benches", "examples", "fuzz", "target"];

/// Folders of a project that the runner reads or writes and that have keys of their own. They lie
/// in a crate's folder where a project is a single crate.
const OF_THE_RUNNER: [&str; 3] = ["experiments", "data", "results"];

/// Folders that are for tests only wherever they are.
const FOR_TESTS: [&str; 3] = ["tests", "snapshots", "proptest-regressions"];

/// The files of a crate, read from disk.
#[derive(Debug)]
pub(crate) struct Content {
    /// The crate's manifest and those in the folders above, which it may inherit from.
    manifests: Vec<Vec<u8>>,
    /// By path within the crate, with `/`.
    files: BTreeMap<String, Vec<u8>>,
}

/// The names in a crate's folder that hold something that counts, apart from its manifest.
pub(crate) fn entries(folder: &Path) -> Result<Vec<String>, CodeError> {
    let listed = list(folder)?;
    let has_experiments = listed
        .iter()
        .any(|(name, path)| name == "experiments" && path.is_dir());
    let mut entries = Vec::new();
    for (name, path) in listed {
        let left_out = if path.is_dir() {
            NOT_BUILT_IN.contains(&name.as_str())
                || (has_experiments && OF_THE_RUNNER.contains(&name.as_str()))
        } else {
            name == "Cargo.toml" || name == "Cargo.lock"
        };
        if !left_out {
            let mut found = BTreeMap::new();
            collect(&name, &path, &mut found)?;
            if !found.is_empty() {
                entries.push(name);
            }
        }
    }
    Ok(entries)
}

impl Content {
    /// Reads the crate in `folder`, of which `entries` count.
    pub(crate) fn read(folder: &Path, entries: &[String]) -> Result<Self, CodeError> {
        let mut paths = BTreeMap::new();
        for entry in entries {
            let path = folder.join(entry);
            if path.exists() {
                collect(entry, &path, &mut paths)?;
            }
        }
        let read =
            |path: &Path| std::fs::read(path).map_err(|error| CodeError::file("read", path, error));
        let folder = real(folder)?;
        let above = folder.ancestors().map(|folder| folder.join("Cargo.toml"));
        let files = paths.into_iter();
        Ok(Self {
            manifests: above
                .filter(|path| path.is_file())
                .map(|path| read(&path))
                .collect::<Result<_, _>>()?,
            files: files
                .map(|(name, path)| Ok((name, read(&path)?)))
                .collect::<Result<_, CodeError>>()?,
        })
    }

    /// Hash of the bytes: fast, and another one after a comment.
    pub(crate) fn raw(&self) -> String {
        let mut hasher = Parts::new("bytes");
        for manifest in &self.manifests {
            hasher.add(manifest);
        }
        for (name, bytes) in &self.files {
            hasher.add(name.as_bytes());
            hasher.add(bytes);
        }
        hasher.finish()
    }

    /// Hash of what decides a result, the meaning of the manifest among it.
    pub(crate) fn hash(&self, manifest: &str) -> String {
        let mut hasher = Parts::new(manifest);
        for (name, bytes) in &self.files {
            hasher.add(name.as_bytes());
            if Path::new(name).extension().is_some_and(|it| it == "rs") {
                hasher.add(&meaning(bytes));
            } else {
                hasher.add(bytes);
            }
        }
        hasher.finish()
    }
}

/// A hash of parts: each with its length, so that no two lists of parts are alike.
#[derive(Debug)]
pub(crate) struct Parts(blake3::Hasher);

impl Parts {
    pub(crate) fn new(first: &str) -> Self {
        let mut parts = Self(blake3::Hasher::new());
        parts.add(first.as_bytes());
        parts
    }

    pub(crate) fn add(&mut self, part: &[u8]) {
        self.0.update(&(part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    /// The first 32 hex digits.
    pub(crate) fn finish(self) -> String {
        self.0.finalize().to_hex()[..32].to_owned()
    }
}

/// The visible names in a folder.
fn list(folder: &Path) -> Result<BTreeMap<String, PathBuf>, CodeError> {
    let listing = std::fs::read_dir(folder)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| CodeError::file("list", folder, error))?;
    let named = listing.into_iter().map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        (name, entry.path())
    });
    Ok(named.filter(|(name, _)| !name.starts_with('.')).collect())
}

/// Files at or below `path` that count, under their paths within the crate.
fn collect(
    name: &str,
    path: &Path,
    found: &mut BTreeMap<String, PathBuf>,
) -> Result<(), CodeError> {
    let last = name.rsplit('/').next().unwrap_or(name);
    let extension = Path::new(last).extension().and_then(|it| it.to_str());
    if !path.is_dir() {
        let left_out = last == "tests.rs"
            || last.starts_with("LICENSE")
            || matches!(extension, Some("md" | "snap" | "proptest-regressions"));
        if !left_out {
            found.insert(name.to_owned(), path.to_owned());
        }
    } else if !FOR_TESTS.contains(&last) && !path.join("Cargo.toml").is_file() {
        for (inner, path) in list(path)? {
            collect(&format!("{name}/{inner}"), &path, found)?;
        }
    }
    Ok(())
}
