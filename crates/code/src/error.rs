//! Errors in determining the code that a result depends on.

use std::path::{Path, PathBuf};

/// Why the code that a result depends on cannot be determined.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CodeError {
    /// A file or folder cannot be read or written.
    #[error("cannot {action} {}", path.display())]
    File {
        /// The operation: `read`, `write`, `list`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why it failed.
        source: std::io::Error,
    },
    /// A manifest or a lock file is not what Cargo accepts.
    #[error("{} is not valid", path.display())]
    Toml {
        /// The manifest or lock file.
        path: PathBuf,
        /// The mistake, and where.
        source: Box<toml::de::Error>,
    },
    /// Cargo does not describe the crate.
    #[error("cargo metadata fails for {}", manifest.display())]
    Metadata {
        /// The manifest passed to Cargo.
        manifest: PathBuf,
        /// Cargo's answer.
        source: Box<cargo_metadata::Error>,
    },
    /// The manifest is not that of a package, or Cargo does not list it.
    #[error("{} is not the manifest of a package", manifest.display())]
    NoPackage {
        /// The manifest.
        manifest: PathBuf,
    },
    /// The lock file does not have a package that is built by it.
    #[error("{} does not have {package}: let Cargo update it", lock.display())]
    NotLocked {
        /// The lock file.
        lock: PathBuf,
        /// The package that it should have.
        package: String,
    },
    /// A text is not the identity that [`embed`](crate::embed) writes.
    #[error("not the identity of a crate: {reason}")]
    Identity {
        /// The mistake.
        reason: String,
    },
}

impl CodeError {
    pub(crate) fn file(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self::File {
            action,
            path: path.to_owned(),
            source,
        }
    }
}
