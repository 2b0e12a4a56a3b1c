//! Packages as Cargo reads their manifests, and the hashed parts of these.
//!
//! `cargo metadata` is called for manifests only (`--no-deps`). The whole graph of `cargo metadata` would need
//! every package of the workspace on disk, those of tests and of other platforms too, and a first
//! build has downloaded only what it compiles; `Cargo.lock` has the same graph at no such cost.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use cargo_metadata::{Dependency, DependencyKind, Metadata, MetadataCommand, Package};
use toml::{Table, Value};

use crate::error::CodeError;

/// The output of Cargo so far, by the package's folder.
#[derive(Debug, Default)]
pub(crate) struct Packages {
    known: BTreeMap<PathBuf, Package>,
    /// The folders of the workspaces.
    pub(crate) roots: BTreeSet<PathBuf>,
}

impl Packages {
    /// The package in `folder`, without its development dependencies.
    pub(crate) fn get(&mut self, folder: &Path) -> Result<&Package, CodeError> {
        let folder = real(folder)?;
        if !self.known.contains_key(&folder) {
            self.ask(&folder)?;
        }
        self.known.get(&folder).ok_or_else(|| CodeError::NoPackage {
            manifest: folder.join("Cargo.toml"),
        })
    }

    /// Asks Cargo about the workspace of `folder` and returns its root.
    pub(crate) fn ask(&mut self, folder: &Path) -> Result<PathBuf, CodeError> {
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
        for mut package in metadata.packages {
            package.dependencies.retain(counts);
            if let Some(folder) = package.manifest_path.parent() {
                self.known.insert(real(folder.as_std_path())?, package);
            }
        }
        let root = real(metadata.workspace_root.as_std_path())?;
        self.roots.insert(root.clone());
        Ok(root)
    }
}

/// Whether a result may depend on it. This crate makes keys of results, not results.
fn counts(dependency: &Dependency) -> bool {
    match dependency.kind {
        DependencyKind::Development => false,
        DependencyKind::Build => dependency.name != env!("CARGO_PKG_NAME"),
        _ => true,
    }
}

/// What decides a result of a manifest, as text that is equal for equal meaning: edition, features,
/// targets, and normal and build dependencies, wherever these are found.
pub(crate) fn meaning(package: &Package) -> String {
    let targets = package.targets.iter();
    let targets = targets.filter(|it| !(it.is_test() || it.is_bench() || it.is_example()));
    let targets = targets.map(|it| {
        let folder = package.manifest_path.parent();
        let path = folder.and_then(|folder| it.src_path.strip_prefix(folder).ok());
        let built = (&it.kind, &it.crate_types, &it.required_features);
        (&it.name, path, it.edition, built)
    });
    let dependencies = package.dependencies.iter().map(|declared| {
        let mut it = declared.clone();
        (it.source, it.registry, it.path) = (None, None, None);
        it.features.sort();
        it
    });
    let (targets, dependencies): (Vec<_>, Vec<_>) = (targets.collect(), dependencies.collect());
    let all = (&package.features, &package.links, targets, dependencies);
    serde_json::to_string(&all).expect("texts and lists of them can be written")
}

/// Reads a TOML file; none if there is no such file.
pub(crate) fn read_toml<T: serde::de::DeserializeOwned>(
    path: &Path,
) -> Result<Option<T>, CodeError> {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => return Ok(None),
        Err(error) => return Err(CodeError::file("read", path, error)),
    };
    let parsed = toml::from_str(&text).map_err(|source| CodeError::Toml {
        path: path.to_owned(),
        source: Box::new(source),
    })?;
    Ok(Some(parsed))
}

/// Whether `folder` is that of the package `name`.
pub(crate) fn is_package(folder: &Path, name: &str) -> Result<bool, CodeError> {
    let manifest: Option<Table> = read_toml(&folder.join("Cargo.toml"))?;
    let package = manifest
        .as_ref()
        .and_then(|manifest| manifest.get("package"));
    Ok(package.and_then(|package| package.get("name")) == Some(&Value::from(name)))
}

/// Folders of the packages that the workspace at `root` puts in the place of others, by name.
pub(crate) fn patches(root: &Path) -> Result<BTreeMap<String, PathBuf>, CodeError> {
    let manifest: Table = read_toml(&root.join("Cargo.toml"))?.unwrap_or_default();
    let registries = manifest.get("patch").and_then(Value::as_table);
    let patches = registries.into_iter().flatten();
    let patches = patches.filter_map(|(_, patches)| patches.as_table());
    let folder_of = |(key, patch): (&String, &Value)| {
        let name = patch.get("package").and_then(Value::as_str).unwrap_or(key);
        Some((name.to_owned(), root.join(patch.get("path")?.as_str()?)))
    };
    Ok(patches.flatten().filter_map(folder_of).collect())
}

/// A folder without links in its path, so that it has one name.
pub(crate) fn real(folder: &Path) -> Result<PathBuf, CodeError> {
    std::fs::canonicalize(folder).map_err(|error| CodeError::file("find", folder, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = "[workspace]\nmembers = [\"crates/a\"]\n[workspace.package]\nedition = \"2024\"\n\
                        [workspace.dependencies]\none = { version = \"1\", features = [\"x\"] }\n";
    const MEMBER: &str = "[package]\nname = \"a\"\nedition.workspace = true\n[dependencies]\n\
                          one = { workspace = true, features = [\"y\"] }\ntwo = \"2\"\n";

    fn meaning(root: &str, member: &str) -> Result<String, CodeError> {
        let folder = tempfile::tempdir().unwrap();
        let a = folder.path().join("crates/a");
        std::fs::create_dir_all(a.join("src")).unwrap();
        std::fs::create_dir_all(a.join("tests")).unwrap();
        for (path, text) in [
            ("Cargo.toml", root),
            ("crates/a/Cargo.toml", member),
            ("crates/a/src/lib.rs", ""),
            ("crates/a/tests/a.rs", ""),
        ] {
            std::fs::write(folder.path().join(path), text).unwrap();
        }
        let text = Packages::default().get(&a).map(super::meaning)?;
        assert!(!text.contains(&*folder.path().to_string_lossy()), "{text}");
        Ok(text)
    }

    #[test]
    fn what_is_inherited_is_looked_up() {
        let text = meaning(ROOT, MEMBER).unwrap();
        for part in ["\"2024\"", "\"x\",\"y\"", "\"one\"", "\"^2\""] {
            assert!(text.contains(part), "{text}");
        }
        let error = meaning("[workspace]\nmembers = [\"crates/a\"]\n", MEMBER).unwrap_err();
        assert!(matches!(error, CodeError::Metadata { .. }), "{error}");
    }

    #[test]
    fn only_what_decides_counts() {
        let before = meaning(ROOT, MEMBER).unwrap();
        let same = |root: &str, member: &str| meaning(root, member).unwrap() == before;
        let more = |text: &str| format!("{MEMBER}{text}");
        assert!(same(ROOT, &more("[dev-dependencies]\nthree = \"3\"\n")));
        assert!(same(ROOT, &more("[lints]\nrust.unused = \"warn\"\n")));
        assert!(same(
            ROOT,
            &MEMBER.replace("name", "description = \"d\"\nname")
        ));
        assert!(same(&format!("{ROOT}other = \"1\"\n"), MEMBER));
        assert!(!same(&ROOT.replace("2024", "2021"), MEMBER));
        assert!(!same(&ROOT.replace("\"x\"", "\"z\""), MEMBER));
        assert!(!same(ROOT, &more("three = \"3\"\n")));
        assert!(!same(ROOT, &more("[build-dependencies]\nthree = \"3\"\n")));
        assert!(!same(
            ROOT,
            &more("[target.'cfg(unix)'.dependencies]\nthree = \"3\"\n")
        ));
        assert!(!same(ROOT, &more("[features]\ndefault = [\"one/y\"]\n")));
    }
}
