//! `Cargo.lock`: which versions of packages from elsewhere a build uses.

use std::collections::BTreeSet;
use std::path::Path;

use cargo_metadata::semver::{Version, VersionReq};
use serde::{Deserialize, Serialize};

use crate::error::CodeError;
use crate::manifest::read_toml;

/// A package from a registry or a repository, in the version that is built.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LockedPackage {
    pub(crate) name: String,
    pub(crate) version: String,
    /// `registry`, or `git` and the commit. Never an address: a mirror holds the same package.
    pub(crate) source: String,
}

/// The parsed lock file.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Lock {
    #[serde(default)]
    package: Vec<Entry>,
}

#[derive(Clone, Debug, Deserialize)]
struct Entry {
    name: String,
    version: Version,
    source: Option<String>,
    #[serde(default)]
    dependencies: Vec<String>,
}

impl Lock {
    /// The lock file of the workspace at `root`; empty if it has none.
    pub(crate) fn of_workspace(root: &Path) -> Result<Self, CodeError> {
        Ok(read_toml(&root.join("Cargo.lock"))?.unwrap_or_default())
    }

    /// All packages from elsewhere.
    pub(crate) fn packages(&self) -> BTreeSet<LockedPackage> {
        self.package.iter().filter_map(Entry::locked).collect()
    }

    /// Adds to `locked` what the path crate `name` reaches through the dependencies it declares,
    /// and theirs; none if the lock file does not have the crate. Returns the names of packages
    /// that are neither from elsewhere nor declared by path: patched ones.
    ///
    /// The lock file lists a path crate's development dependencies among the others, hence
    /// `declared`; of packages from elsewhere it lists none. It holds every platform's packages
    /// and every feature of a workspace's member, so the answer is the same on all machines.
    pub(crate) fn reached(
        &self,
        name: &str,
        version: &Version,
        declared: &[(&str, &VersionReq)],
        locked: &mut BTreeSet<LockedPackage>,
    ) -> Option<BTreeSet<&str>> {
        let own = self.package.iter().find(|entry| {
            entry.name == name && entry.version == *version && entry.source.is_none()
        })?;
        let mut todo: Vec<&Entry> = Vec::new();
        for (name, requirement) in declared {
            let named: Vec<&Entry> = self.below(own).filter(|it| it.name == *name).collect();
            // Two versions of one package: one of them may be a development dependency's.
            let fit = named.iter().filter(|it| requirement.matches(&it.version));
            let fit: Vec<&Entry> = fit.copied().collect();
            todo.extend(if fit.is_empty() { named } else { fit });
        }
        let mut patched = BTreeSet::new();
        while let Some(entry) = todo.pop() {
            match entry.locked() {
                Some(it) => {
                    if locked.insert(it) {
                        todo.extend(self.below(entry));
                    }
                }
                None => {
                    patched.insert(entry.name.as_str());
                }
            }
        }
        Some(patched)
    }

    fn below(&self, entry: &Entry) -> impl Iterator<Item = &Entry> {
        let texts = entry.dependencies.iter();
        texts.filter_map(|text| self.entry(text))
    }

    /// The entry denoted by `name`, `name version` or `name version (source)`.
    fn entry(&self, text: &str) -> Option<&Entry> {
        let mut parts = text.splitn(3, ' ');
        let (name, version, source) = (parts.next()?, parts.next(), parts.next());
        let source = source.map(|source| source.trim_matches(['(', ')']));
        self.package.iter().find(|entry| {
            // A repository's commit stands behind `#` in the entry and nowhere else.
            let of = entry
                .source
                .as_deref()
                .and_then(|source| source.split('#').next());
            entry.name == name
                && version.is_none_or(|version| entry.version.to_string() == version)
                && (source.is_none() || of == source)
        })
    }
}

impl Entry {
    fn locked(&self) -> Option<LockedPackage> {
        let source = self.source.as_deref()?;
        let commit = source.rsplit_once('#').map_or("", |(_, commit)| commit);
        let is_git = source.starts_with("git+");
        Some(LockedPackage {
            name: self.name.clone(),
            version: self.version.to_string(),
            source: if is_git {
                format!("git {commit}")
            } else {
                "registry".to_owned()
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"
        version = 4
        [[package]]
        name = "a"
        version = "0.1.0"
        dependencies = ["b", "dev", "two 1.0.0", "two 2.0.0"]
        [[package]]
        name = "b"
        version = "0.1.0"
        dependencies = ["one"]
        [[package]]
        name = "dev"
        version = "1.0.0"
        source = "registry+https://example.org/index"
        [[package]]
        name = "one"
        version = "1.0.0"
        source = "git+https://example.org/one?branch=main#abc"
        [[package]]
        name = "two"
        version = "1.0.0"
        source = "registry+https://example.org/index"
        dependencies = ["deep"]
        [[package]]
        name = "two"
        version = "2.0.0"
        source = "registry+https://example.org/index"
        dependencies = ["patched"]
        [[package]]
        name = "deep"
        version = "0.3.1"
        source = "registry+https://example.org/index"
        [[package]]
        name = "patched"
        version = "0.3.1"
    "#;

    fn reached(name: &str, wanted: &str, requirement: &str) -> (Vec<String>, Vec<String>) {
        let lock: Lock = toml::from_str(LOCK).unwrap();
        let requirement = requirement.parse().unwrap();
        let mut locked = BTreeSet::new();
        let declared = [(wanted, &requirement), ("absent", &requirement)];
        let patched = lock.reached(name, &Version::new(0, 1, 0), &declared, &mut locked);
        let show = |it: &LockedPackage| format!("{} {} {}", it.name, it.version, it.source);
        let patched = patched.unwrap().into_iter().map(str::to_owned);
        (locked.iter().map(show).collect(), patched.collect())
    }

    #[test]
    fn declared_dependencies_are_followed_and_no_others() {
        let (locked, patched) = reached("a", "two", "^1");
        assert_eq!(locked, ["deep 0.3.1 registry", "two 1.0.0 registry"]);
        assert!(patched.is_empty());
        let (locked, patched) = reached("a", "two", "^2");
        assert_eq!(locked, ["two 2.0.0 registry"]);
        assert_eq!(patched, ["patched"]);
        let (locked, _) = reached("b", "one", "*");
        assert_eq!(locked, ["one 1.0.0 git abc"]);
    }

    #[test]
    fn an_unknown_crate_is_not_reached() {
        let lock: Lock = toml::from_str(LOCK).unwrap();
        assert!(
            lock.reached("dev", &Version::new(1, 0, 0), &[], &mut BTreeSet::new())
                .is_none(),
            "it is from a registry"
        );
        assert_eq!(lock.packages().len(), 5);
    }
}
