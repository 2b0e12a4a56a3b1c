//! The crates a package is built from, as Cargo describes them.
//!
//! Cargo is asked for manifests only (`--no-deps`). The whole graph of `cargo metadata` would need
//! every package of the workspace on disk, those of tests and of other platforms too, and a first
//! build has downloaded only what it compiles; `Cargo.lock` has the same graph at no such cost.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};

use crate::error::CodeError;
use crate::lock::{Declared, Lock, Locked};
use crate::manifest::Manifests;

/// A package and everything its normal and build dependencies lead to.
#[derive(Debug)]
pub(crate) struct Graph {
    /// The folder of the workspace.
    pub(crate) root: PathBuf,
    /// Name of the package that was asked for.
    pub(crate) package: String,
    /// It and its path dependencies: folder and name.
    pub(crate) crates: BTreeMap<PathBuf, String>,
    /// Packages from elsewhere, sorted.
    pub(crate) locked: Vec<Locked>,
}

/// A package as Cargo reads its manifest.
#[derive(Debug)]
struct Package {
    name: String,
    version: String,
    paths: Vec<PathBuf>,
    declared: Vec<Declared>,
}

/// What Cargo said so far, by the package's folder.
#[derive(Debug, Default)]
struct Described {
    packages: BTreeMap<PathBuf, Package>,
}

impl Graph {
    /// The graph of the package in `folder`.
    pub(crate) fn of(folder: &Path, manifests: &mut Manifests) -> Result<Self, CodeError> {
        let folder = real(folder)?;
        let mut described = Described::default();
        let root = described.ask(&folder)?;
        let lock = Lock::of_workspace(&root)?;
        let patches = manifests.patches(&root)?;
        let package = described.get(&folder)?.name.clone();
        let mut crates = BTreeMap::new();
        let mut locked = std::collections::BTreeSet::new();
        let mut todo = vec![folder];
        while let Some(folder) = todo.pop() {
            if crates.contains_key(&folder) {
                continue;
            }
            let package = described.get(&folder)?;
            crates.insert(folder, package.name.clone());
            for path in &package.paths {
                todo.push(real(path)?);
            }
            if package.declared.is_empty() {
                continue;
            }
            let not_locked = |name: &str| CodeError::NotLocked {
                lock: root.join("Cargo.lock"),
                package: name.to_owned(),
            };
            let reached = lock
                .as_ref()
                .and_then(|lock| lock.reached(&package.name, &package.version, &package.declared))
                .ok_or_else(|| not_locked(&package.name))?;
            locked.extend(reached.locked);
            for name in reached.patched {
                todo.push(real(patches.get(&name).ok_or_else(|| not_locked(&name))?)?);
            }
        }
        Ok(Self {
            root,
            package,
            crates,
            locked: locked.into_iter().collect(),
        })
    }
}

impl Described {
    fn get(&mut self, folder: &Path) -> Result<&Package, CodeError> {
        if !self.packages.contains_key(folder) {
            self.ask(folder)?;
        }
        self.packages
            .get(folder)
            .ok_or_else(|| CodeError::NoPackage {
                manifest: folder.join("Cargo.toml"),
            })
    }

    /// Asks Cargo about the workspace of `folder` and returns its root.
    fn ask(&mut self, folder: &Path) -> Result<PathBuf, CodeError> {
        let manifest = folder.join("Cargo.toml");
        let metadata: Metadata = MetadataCommand::new()
            .manifest_path(&manifest)
            .no_deps()
            .other_options(["--offline".to_owned()])
            .exec()
            .map_err(|source| CodeError::Metadata {
                manifest,
                source: Box::new(source),
            })?;
        for package in metadata.packages {
            let Some(folder) = package.manifest_path.parent() else {
                continue;
            };
            let mut described = Package {
                name: package.name.to_string(),
                version: package.version.to_string(),
                paths: Vec::new(),
                declared: Vec::new(),
            };
            for dependency in package.dependencies {
                // This crate makes keys of results, not results.
                let makes_keys = dependency.kind == DependencyKind::Build
                    && dependency.name == env!("CARGO_PKG_NAME");
                if dependency.kind == DependencyKind::Development || makes_keys {
                    continue;
                }
                match dependency.path {
                    Some(path) => described.paths.push(path.into()),
                    None => described.declared.push(Declared {
                        name: dependency.name,
                        requirement: dependency.req,
                    }),
                }
            }
            self.packages.insert(real(folder.as_std_path())?, described);
        }
        real(metadata.workspace_root.as_std_path())
    }
}

/// A folder without links in its path, so that it has one name.
fn real(folder: &Path) -> Result<PathBuf, CodeError> {
    std::fs::canonicalize(folder).map_err(|error| CodeError::file("find", folder, error))
}
