//! The identity of a crate's code, and whether the sources on disk still have it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::CodeError;
use crate::files::{Content, Parts, entries};
use crate::graph::Graph;
use crate::lock::{Lock, LockedPackage};
use crate::manifest::{Packages, is_package, meaning};

/// The entry of [`Identity::hashes`] for all packages from registries and repositories.
const LOCKED: &str = "locked dependencies";

/// The identity of a crate's code: hashes of the crate and of its path dependencies, and the
/// locked versions of the packages from elsewhere that they are built with.
///
/// Equality is that of the recorded text. To ask whether two builds give the same results, compare
/// their [`hashes`](Self::hashes), which a comment does not change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    package: String,
    crates: Vec<Crate>,
    locked: BTreeSet<LockedPackage>,
}

/// A crate that is part of an identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Crate {
    name: String,
    /// Folder as seen from the workspace's, with `/`; empty for that folder itself.
    folder: String,
    /// The names in the folder that were hashed.
    entries: Vec<String>,
    /// Hash of what decides a result.
    hash: String,
    /// Hash of the bytes: where it is the same, nothing needs to be parsed and Cargo not be asked.
    raw: String,
}

/// The sources below the root of a workspace, each crate read and hashed once.
#[derive(Debug)]
pub struct Sources {
    root: PathBuf,
    packages: Packages,
    crates: BTreeMap<(String, Vec<String>), Hashes>,
    locked: Option<BTreeSet<LockedPackage>>,
}

/// Hashes of a crate on disk; the slow one is computed on demand.
#[derive(Debug)]
struct Hashes {
    content: Content,
    raw: String,
    hash: Option<String>,
}

impl Sources {
    /// The sources of the workspace whose folder is `root`. Nothing is read yet.
    pub fn below(root: impl Into<PathBuf>) -> Self {
        Self {
            root: root.into(),
            packages: Packages::default(),
            crates: BTreeMap::new(),
            locked: None,
        }
    }

    /// Whether a crate is where it was when it was hashed.
    fn has(&self, it: &Crate) -> Result<bool, CodeError> {
        is_package(&self.root.join(&it.folder), &it.name)
    }

    fn is_as_hashed(&mut self, it: &Crate) -> Result<bool, CodeError> {
        let key = (it.folder.clone(), it.entries.clone());
        if !self.crates.contains_key(&key) {
            let content = Content::read(&self.root.join(&it.folder), &it.entries)?;
            let hashes = Hashes {
                raw: content.raw(),
                content,
                hash: None,
            };
            self.crates.insert(key.clone(), hashes);
        }
        let Some(hashes) = self.crates.get_mut(&key) else {
            return Ok(false);
        };
        if hashes.raw == it.raw {
            return Ok(true);
        }
        if hashes.hash.is_none() {
            let package = self.packages.get(&self.root.join(&it.folder))?;
            hashes.hash = Some(hashes.content.hash(&meaning(package)));
        }
        Ok(hashes.hash.as_ref() == Some(&it.hash))
    }

    fn locked(&mut self) -> Result<&BTreeSet<LockedPackage>, CodeError> {
        if self.locked.is_none() {
            self.locked = Some(Lock::of_workspace(&self.root)?.packages());
        }
        Ok(self.locked.get_or_insert_default())
    }
}

impl Identity {
    /// The identity of the package whose `Cargo.toml` is in `manifest_dir`, as its sources are now.
    ///
    /// # Errors
    /// [`CodeError::Metadata`] if Cargo can not describe the package, [`CodeError::NotLocked`] if
    /// no lock file fits its manifests, and errors of reading.
    pub fn of_manifest(manifest_dir: &Path) -> Result<Self, CodeError> {
        Self::with_watched(manifest_dir).map(|(identity, _)| identity)
    }

    /// The identity, and the files and folders whose change may change it.
    pub(crate) fn with_watched(manifest_dir: &Path) -> Result<(Self, Vec<PathBuf>), CodeError> {
        let mut packages = Packages::default();
        let graph = Graph::of(manifest_dir, &mut packages)?;
        let mut watched = vec![graph.root.join("Cargo.lock")];
        let mut crates = Vec::new();
        for (folder, name) in graph.crates {
            let entries = entries(&folder)?;
            let manifest = meaning(packages.get(&folder)?);
            let content = Content::read(&folder, &entries)?;
            watched.push(folder.join("Cargo.toml"));
            watched.extend(entries.iter().map(|entry| folder.join(entry)));
            crates.push(Crate {
                name,
                folder: relative(&graph.root, &folder),
                hash: content.hash(&manifest),
                raw: content.raw(),
                entries,
            });
        }
        crates.sort_by(|a, b| (&a.name, &a.folder).cmp(&(&b.name, &b.folder)));
        watched.extend(packages.roots.iter().map(|root| root.join("Cargo.toml")));
        // Cargo takes a watched file that does not exist for one that has changed.
        watched.retain(|path| path.exists());
        let identity = Self {
            package: graph.package,
            crates,
            locked: graph.locked,
        };
        Ok((identity, watched))
    }

    /// Reads what [`embed`](crate::embed) has written.
    ///
    /// # Errors
    /// [`CodeError::Identity`] if the text is anything else.
    pub fn parse(json: &str) -> Result<Self, CodeError> {
        let wrong = |reason: String| CodeError::Identity { reason };
        let identity: Self =
            serde_json::from_str(json).map_err(|error| wrong(error.to_string()))?;
        if !identity.crates.iter().any(|it| it.name == identity.package) {
            return Err(wrong(format!(
                "no crate is the package `{}`",
                identity.package
            )));
        }
        for it in &identity.crates {
            for hash in [&it.hash, &it.raw] {
                if hash.len() != 32 || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                    return Err(wrong(format!("`{hash}` of `{}` is not a hash", it.name)));
                }
            }
        }
        Ok(identity)
    }

    /// The name of the package.
    pub fn package(&self) -> &str {
        &self.package
    }

    /// Hashes of the crate and of each path dependency by name, and one of all locked packages
    /// under `locked dependencies`: 32 hex digits each.
    pub fn hashes(&self) -> BTreeMap<String, String> {
        let mut hashes = BTreeMap::new();
        for it in &self.crates {
            // Two crates of one name, from different folders, are rare and possible.
            let name = if hashes.contains_key(&it.name) {
                format!("{} ({})", it.name, it.folder)
            } else {
                it.name.clone()
            };
            hashes.insert(name, it.hash.clone());
        }
        let mut locked = Parts::new(LOCKED);
        for it in &self.locked {
            for part in [&it.name, &it.version, &it.source] {
                locked.add(part.as_bytes());
            }
        }
        hashes.insert(LOCKED.to_owned(), locked.finish());
        hashes
    }

    /// Names of the crates whose sources changed since they were hashed, and `Cargo.lock` if a locked
    /// version changed; empty if nothing changed.
    ///
    /// Also empty if the workspace does not have the package: the program then runs elsewhere, where
    /// changes cannot be detected. A path dependency outside the workspace counts if it can still be
    /// found.
    ///
    /// # Errors
    /// Files that cannot be read or are not valid.
    pub fn changed_below(&self, sources: &mut Sources) -> Result<Vec<String>, CodeError> {
        let mut changed = Vec::new();
        for it in self.crates.iter().filter(|it| it.name == self.package) {
            if !sources.has(it)? {
                return Ok(changed);
            }
        }
        for it in &self.crates {
            let as_built = if sources.has(it)? {
                sources.is_as_hashed(it)?
            } else {
                it.folder.starts_with("..")
            };
            if !as_built {
                changed.push(it.name.clone());
            }
        }
        let locked = sources.locked()?;
        if !self.locked.is_subset(locked) {
            changed.push("Cargo.lock".to_owned());
        }
        Ok(changed)
    }
}

/// The way from one folder to another, with `/`. Both are absolute and without links.
fn relative(from: &Path, to: &Path) -> String {
    let common = from
        .components()
        .zip(to.components())
        .take_while(|(a, b)| a == b)
        .count();
    let up = from.components().skip(common).map(|_| "..".into());
    let down = to.components().skip(common).map(Component::as_os_str);
    let parts: Vec<_> = up
        .chain(down.map(std::ffi::OsStr::to_string_lossy))
        .collect();
    parts.join("/")
}
