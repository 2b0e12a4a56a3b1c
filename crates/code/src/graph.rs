//! The crates a package is built from, and the packages from elsewhere that they lead to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::error::CodeError;
use crate::lock::{Lock, LockedPackage};
use crate::manifest::{Packages, patches, real};

/// A package and everything its normal and build dependencies lead to.
#[derive(Debug)]
pub(crate) struct Graph {
    /// The folder of the workspace.
    pub(crate) root: PathBuf,
    /// Name of the requested package.
    pub(crate) package: String,
    /// It and its path dependencies: folder and name.
    pub(crate) crates: BTreeMap<PathBuf, String>,
    /// Packages from elsewhere, sorted.
    pub(crate) locked: BTreeSet<LockedPackage>,
}

impl Graph {
    /// The graph of the package in `folder`.
    pub(crate) fn of(folder: &Path, packages: &mut Packages) -> Result<Self, CodeError> {
        let folder = real(folder)?;
        let root = packages.ask(&folder)?;
        let lock = Lock::of_workspace(&root)?;
        let patches = patches(&root)?;
        let package = packages.get(&folder)?.name.to_string();
        let mut crates = BTreeMap::new();
        let mut locked = BTreeSet::new();
        let mut todo = vec![folder];
        while let Some(folder) = todo.pop() {
            let package = packages.get(&folder)?;
            if crates.insert(folder, package.name.to_string()).is_some() {
                continue;
            }
            let mut declared = Vec::new();
            for dependency in &package.dependencies {
                match &dependency.path {
                    Some(path) => todo.push(real(path.as_std_path())?),
                    None => declared.push((dependency.name.as_str(), &dependency.req)),
                }
            }
            if declared.is_empty() {
                continue;
            }
            let not_locked = |name: &str| CodeError::NotLocked {
                lock: root.join("Cargo.lock"),
                package: name.to_owned(),
            };
            let patched = lock
                .reached(&package.name, &package.version, &declared, &mut locked)
                .ok_or_else(|| not_locked(&package.name))?;
            for name in patched {
                todo.push(real(patches.get(name).ok_or_else(|| not_locked(name))?)?);
            }
        }
        Ok(Self {
            root,
            package,
            crates,
            locked,
        })
    }
}
