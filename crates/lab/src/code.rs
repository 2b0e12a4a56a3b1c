//! Which code decides a result: hashes of workspace crates and the locked versions of the rest.
//!
//! A kind names crates; their path dependencies are followed. Of each crate its manifest and
//! everything below it counts, except what cannot reach a result: tests (`tests.rs` beside the code
//! as well), benches, examples, fuzz targets, and documentation in Markdown. Coarser than necessary on purpose: a change that
//! is missed costs more than a run too many.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::files::{FileError, read_text};

/// Folders of a crate that no result depends on.
const LEFT_OUT: [&str; 5] = ["tests", "benches", "examples", "fuzz", "target"];

/// The file of a module that is compiled for tests only.
const TEST_MODULE: &str = "tests.rs";

/// Hashes of the code behind a kind, by crate, with one entry for all locked dependencies.
pub(crate) type CodeHashes = BTreeMap<String, String>;

/// The key of the entry that stands for everything from outside the workspace.
const LOCKED: &str = "locked dependencies";

/// Why the code of a kind cannot be hashed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum CodeError {
    /// A file of the workspace cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A manifest or the lock file is not what Cargo writes.
    #[error("{path} is not a valid manifest: {source}")]
    Manifest {
        path: String,
        source: toml::de::Error,
    },
    /// A kind names a crate that the workspace does not have.
    #[error("kind `{kind}` names crate `{name}`, which the workspace does not have")]
    UnknownCrate { kind: String, name: String },
}

/// The crates of a workspace, hashed when asked for and once only.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// Package name to its folder.
    crates: BTreeMap<String, PathBuf>,
    lock: Lock,
    hashes: BTreeMap<String, String>,
}

#[derive(Debug, Default, Deserialize)]
struct Lock {
    #[serde(default)]
    package: Vec<LockedPackage>,
}

#[derive(Debug, Deserialize)]
struct LockedPackage {
    name: String,
    version: String,
    source: Option<String>,
    checksum: Option<String>,
    #[serde(default)]
    dependencies: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct CrateManifest {
    package: Option<PackageSection>,
    #[serde(default)]
    dependencies: BTreeMap<String, toml::Value>,
    #[serde(default, rename = "build-dependencies")]
    build_dependencies: BTreeMap<String, toml::Value>,
}

#[derive(Debug, Deserialize)]
struct PackageSection {
    name: String,
}

fn parse<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T, CodeError> {
    toml::from_str(&read_text(path)?).map_err(|source| CodeError::Manifest {
        path: path.display().to_string(),
        source,
    })
}

impl Workspace {
    /// Finds the crates: every folder of `crates/` with a manifest, and `xtask`.
    pub(crate) fn open(root: &Path) -> Result<Self, CodeError> {
        let mut folders = vec![root.join("xtask")];
        let listing = std::fs::read_dir(root.join("crates"));
        folders.extend(
            listing
                .into_iter()
                .flatten()
                .flatten()
                .map(|entry| entry.path()),
        );
        let mut crates = BTreeMap::new();
        for folder in folders {
            let path = folder.join("Cargo.toml");
            if path.is_file()
                && let Some(package) = parse::<CrateManifest>(&path)?.package
            {
                crates.insert(package.name, folder);
            }
        }
        let lock = root.join("Cargo.lock");
        let lock = if lock.is_file() {
            parse(&lock)?
        } else {
            Lock::default()
        };
        Ok(Self {
            crates,
            lock,
            hashes: BTreeMap::new(),
        })
    }

    /// The hashes of the named crates, of the workspace crates they use, and of the locked rest.
    pub(crate) fn code_of(&mut self, kind: &str, names: &[&str]) -> Result<CodeHashes, CodeError> {
        let mut hashes = CodeHashes::new();
        let mut outside = BTreeSet::new();
        let mut todo: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        while let Some(name) = todo.pop() {
            if hashes.contains_key(&name) {
                continue;
            }
            let Some(folder) = self.crates.get(&name).cloned() else {
                return Err(CodeError::UnknownCrate {
                    kind: kind.to_owned(),
                    name,
                });
            };
            let manifest: CrateManifest = parse(&folder.join("Cargo.toml"))?;
            for (alias, value) in manifest
                .dependencies
                .iter()
                .chain(&manifest.build_dependencies)
            {
                let package = value
                    .get("package")
                    .and_then(toml::Value::as_str)
                    .unwrap_or(alias);
                if self.crates.contains_key(package) {
                    todo.push(package.to_owned());
                } else {
                    outside.insert(package.to_owned());
                }
            }
            let hash = self.hash_of(&name, &folder)?;
            hashes.insert(name, hash);
        }
        let versions = self.locked_versions(hashes.keys(), &outside);
        if !versions.is_empty() {
            let hash = blake3::hash(versions.join("\n").as_bytes());
            hashes.insert(LOCKED.to_owned(), short(&hash));
        }
        Ok(hashes)
    }

    /// Names, versions and checksums of all packages reachable from the direct dependencies.
    fn locked_versions<'a>(
        &self,
        crates: impl Iterator<Item = &'a String>,
        outside: &BTreeSet<String>,
    ) -> Vec<String> {
        let own: BTreeSet<&String> = crates.collect();
        // The lock file says which version of a dependency a workspace crate got, but lists
        // dependencies of tests as well; the manifest says which ones count.
        let mut todo: Vec<&str> = self
            .lock
            .package
            .iter()
            .filter(|package| package.source.is_none() && own.contains(&package.name))
            .flat_map(|package| &package.dependencies)
            .map(String::as_str)
            .filter(|dependency| {
                outside.contains(dependency.split(' ').next().unwrap_or(dependency))
            })
            .collect();
        let mut seen = BTreeSet::new();
        while let Some(dependency) = todo.pop() {
            let mut parts = dependency.split(' ');
            let (name, version) = (parts.next(), parts.next());
            let Some(package) = self.lock.package.iter().find(|package| {
                Some(package.name.as_str()) == name
                    && version.is_none_or(|version| package.version == version)
            }) else {
                continue;
            };
            let checksum = package.checksum.as_deref().unwrap_or_default();
            if seen.insert(format!("{} {} {checksum}", package.name, package.version)) {
                todo.extend(package.dependencies.iter().map(String::as_str));
            }
        }
        seen.into_iter().collect()
    }

    fn hash_of(&mut self, name: &str, folder: &Path) -> Result<String, CodeError> {
        if let Some(hash) = self.hashes.get(name) {
            return Ok(hash.clone());
        }
        let mut files = Vec::new();
        collect(folder, folder, &mut files)?;
        files.sort();
        let mut hasher = blake3::Hasher::new();
        for (relative, path) in files {
            let bytes =
                std::fs::read(&path).map_err(|error| FileError::new("read", &path, error))?;
            hasher.update(relative.as_bytes());
            hasher.update(&[0]);
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(&bytes);
        }
        let hash = short(&hasher.finalize());
        self.hashes.insert(name.to_owned(), hash.clone());
        Ok(hash)
    }
}

/// Files of a crate that count, as paths with `/` for hashing and as real paths for reading.
fn collect(
    root: &Path,
    folder: &Path,
    files: &mut Vec<(String, PathBuf)>,
) -> Result<(), CodeError> {
    let unreadable = |error| FileError::new("read", folder, error);
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let relative = path.strip_prefix(root).unwrap_or(&path);
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or("");
        let left_out = (folder == root && LEFT_OUT.contains(&name))
            || name.starts_with('.')
            || name == TEST_MODULE
            || path
                .extension()
                .is_some_and(|extension| extension == "md" || extension == "snap");
        if left_out {
            continue;
        }
        if path.is_dir() {
            collect(root, &path, files)?;
        } else {
            files.push((relative.to_string_lossy().replace('\\', "/"), path));
        }
    }
    Ok(())
}

/// 128 bits are plenty to tell versions of code apart, and kinder to read.
fn short(hash: &blake3::Hash) -> String {
    hash.to_hex()[..32].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write(
            "crates/a/Cargo.toml",
            "[package]\nname = \"lab-a\"\n[dependencies]\nlab-b.workspace = true\nserde = \"1\"\n\
             [dev-dependencies]\ninsta = \"1\"\n",
        );
        write("crates/a/src/lib.rs", "fn a() {}");
        write("crates/b/Cargo.toml", "[package]\nname = \"lab-b\"\n");
        write("crates/b/src/lib.rs", "fn b() {}");
        write("crates/c/Cargo.toml", "[package]\nname = \"lab-c\"\n");
        write(
            "Cargo.lock",
            "[[package]]\nname = \"lab-a\"\nversion = \"0.1.0\"\ndependencies = [\"insta\", \"lab-b\", \"serde\"]\n\
             [[package]]\nname = \"serde\"\nversion = \"1.0.1\"\nsource = \"registry\"\n\
             [[package]]\nname = \"insta\"\nversion = \"1.0.0\"\nsource = \"registry\"\n",
        );
        root
    }

    fn code(root: &Path) -> CodeHashes {
        Workspace::open(root)
            .unwrap()
            .code_of("kind", &["lab-a"])
            .unwrap()
    }

    #[test]
    fn path_dependencies_are_followed() {
        let root = workspace();
        let names: Vec<String> = code(root.path()).into_keys().collect();
        assert_eq!(names, ["lab-a", "lab-b", LOCKED]);
    }

    #[test]
    fn only_changes_that_reach_a_result_count() {
        let root = workspace();
        let before = code(root.path());
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("crates/a/tests/more.rs", "fn test() {}");
        write("crates/a/src/part/tests.rs", "fn test() {}");
        write("crates/a/README.md", "words");
        write("crates/c/src/lib.rs", "fn c() {}");
        let lock = std::fs::read_to_string(root.path().join("Cargo.lock")).unwrap();
        write("Cargo.lock", &lock.replace("1.0.0", "1.0.9"));
        assert_eq!(
            code(root.path()),
            before,
            "tests, documents and other crates"
        );
        write("crates/b/src/lib.rs", "fn b2() {}");
        let after = code(root.path());
        assert_ne!(after["lab-b"], before["lab-b"]);
        assert_eq!(after["lab-a"], before["lab-a"]);
        write("Cargo.lock", &lock.replace("1.0.1", "1.0.2"));
        assert_ne!(code(root.path())[LOCKED], before[LOCKED]);
    }

    #[test]
    fn an_unknown_crate_is_named() {
        let root = workspace();
        let error = Workspace::open(root.path())
            .unwrap()
            .code_of("kind", &["lab-x"])
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "kind `kind` names crate `lab-x`, which the workspace does not have"
        );
    }
}
