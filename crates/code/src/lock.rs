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
pub(crate) struct Locked {
    pub(crate) name: String,
    pub(crate) version: String,
    /// `registry`, or `git` and the commit. Never an address: a mirror holds the same package.
    pub(crate) source: String,
}

/// A dependency as a path crate declares it.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    pub(crate) name: String,
    pub(crate) requirement: VersionReq,
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
    version: String,
    source: Option<String>,
    #[serde(default)]
    dependencies: Vec<String>,
}

/// What a path crate reaches through the lock file.
#[derive(Debug, Default)]
pub(crate) struct Reached {
    /// Packages from elsewhere.
    pub(crate) locked: BTreeSet<Locked>,
    /// Names of packages that are neither from elsewhere nor declared by path: patched ones.
    pub(crate) patched: BTreeSet<String>,
}

impl Lock {
    /// The lock file of the workspace at `root`; none if it has none.
    pub(crate) fn of_workspace(root: &Path) -> Result<Option<Self>, CodeError> {
        read_toml(&root.join("Cargo.lock"))
    }

    /// All packages from elsewhere.
    pub(crate) fn packages(&self) -> BTreeSet<Locked> {
        self.package.iter().filter_map(Entry::locked).collect()
    }

    /// What the path crate `name` reaches through the dependencies it declares, and theirs; none
    /// if the lock file does not have the crate.
    ///
    /// The lock file lists a path crate's development dependencies among the others, hence
    /// `declared`; of packages from elsewhere it lists none. It holds every platform's packages
    /// and every feature of a workspace's member, so the answer is the same on all machines.
    pub(crate) fn reached(
        &self,
        name: &str,
        version: &str,
        declared: &[Declared],
    ) -> Option<Reached> {
        let own = self.package.iter().find(|entry| {
            entry.name == name && entry.version == version && entry.source.is_none()
        })?;
        let mut todo: Vec<&Entry> = Vec::new();
        for wanted in declared {
            let named = own.dependencies.iter().filter_map(|text| self.entry(text));
            let named: Vec<&Entry> = named.filter(|entry| entry.name == wanted.name).collect();
            let fitting = |entry: &&&Entry| {
                Version::parse(&entry.version).is_ok_and(|it| wanted.requirement.matches(&it))
            };
            // Two versions of one package: one of them may be a development dependency's.
            let fit: Vec<&Entry> = named.iter().filter(fitting).copied().collect();
            todo.extend(if fit.is_empty() { named } else { fit });
        }
        let mut reached = Reached::default();
        while let Some(entry) = todo.pop() {
            match entry.locked() {
                Some(locked) => {
                    if reached.locked.insert(locked) {
                        todo.extend(
                            entry
                                .dependencies
                                .iter()
                                .filter_map(|text| self.entry(text)),
                        );
                    }
                }
                None => {
                    reached.patched.insert(entry.name.clone());
                }
            }
        }
        Some(reached)
    }

    /// The entry that `name`, `name version` or `name version (source)` stands for.
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
                && version.is_none_or(|version| entry.version == version)
                && (source.is_none() || of == source)
        })
    }
}

impl Entry {
    fn locked(&self) -> Option<Locked> {
        let source = self.source.as_deref()?;
        let source = match source.strip_prefix("git+") {
            Some(git) => format!(
                "git {}",
                git.rsplit_once('#').map_or("", |(_, commit)| commit)
            ),
            None => "registry".to_owned(),
        };
        Some(Locked {
            name: self.name.clone(),
            version: self.version.clone(),
            source,
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

    fn reached(name: &str, declared: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
        let lock: Lock = toml::from_str(LOCK).unwrap();
        let declared: Vec<Declared> = declared
            .iter()
            .map(|(name, requirement)| Declared {
                name: (*name).to_owned(),
                requirement: requirement.parse().unwrap(),
            })
            .collect();
        let reached = lock.reached(name, "0.1.0", &declared).unwrap();
        let show = |it: &Locked| format!("{} {} {}", it.name, it.version, it.source);
        let locked = reached.locked.iter().map(show).collect();
        (locked, reached.patched.into_iter().collect())
    }

    #[test]
    fn declared_dependencies_are_followed_and_no_others() {
        let (locked, patched) = reached("a", &[("two", "^1")]);
        assert_eq!(locked, ["deep 0.3.1 registry", "two 1.0.0 registry"]);
        assert!(patched.is_empty());
        let (locked, patched) = reached("a", &[("two", "^2")]);
        assert_eq!(locked, ["two 2.0.0 registry"]);
        assert_eq!(patched, ["patched"]);
        let (locked, _) = reached("b", &[("one", "*"), ("absent", "*")]);
        assert_eq!(locked, ["one 1.0.0 git abc"]);
    }

    #[test]
    fn an_unknown_crate_is_not_reached() {
        let lock: Lock = toml::from_str(LOCK).unwrap();
        assert!(
            lock.reached("dev", "1.0.0", &[]).is_none(),
            "it is from a registry"
        );
        assert_eq!(lock.packages().len(), 5);
    }
}
