//! What counts of a `Cargo.toml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use crate::error::CodeError;

/// The tables that declare what a result may depend on; development dependencies are not among them.
const DEPENDENCIES: [&str; 3] = ["dependencies", "build-dependencies", "build_dependencies"];

/// Parsed manifests, each read once.
#[derive(Debug, Default)]
pub(crate) struct Manifests {
    parsed: BTreeMap<PathBuf, Option<Table>>,
}

/// Reads a TOML file; none if there is no such file.
pub(crate) fn read_toml<T: serde::de::DeserializeOwned>(
    path: &Path,
) -> Result<Option<T>, CodeError> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(CodeError::file("read", path, error)),
    };
    let parsed = toml::from_str(&text).map_err(|source| CodeError::Toml {
        path: path.to_owned(),
        source: Box::new(source),
    })?;
    Ok(Some(parsed))
}

fn is_absent(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

impl Manifests {
    /// The manifest in `folder`; none if it has none.
    fn get(&mut self, folder: &Path) -> Result<Option<&Table>, CodeError> {
        if !self.parsed.contains_key(folder) {
            let parsed = read_toml(&folder.join("Cargo.toml"))?;
            self.parsed.insert(folder.to_owned(), parsed);
        }
        Ok(self.parsed[folder].as_ref())
    }

    /// The manifests that were looked at and exist.
    pub(crate) fn read(&self) -> impl Iterator<Item = PathBuf> {
        let existing = self.parsed.iter().filter(|(_, parsed)| parsed.is_some());
        existing.map(|(folder, _)| folder.join("Cargo.toml"))
    }

    /// Whether `folder` is that of the package `name`.
    pub(crate) fn is_package(&mut self, folder: &Path, name: &str) -> Result<bool, CodeError> {
        let manifest = self.get(folder)?;
        let package = manifest.and_then(|manifest| manifest.get("package"));
        Ok(package.and_then(|package| package.get("name")) == Some(&Value::from(name)))
    }

    /// Folders of the packages that the workspace at `root` puts in the place of others, by name.
    pub(crate) fn patches(&mut self, root: &Path) -> Result<BTreeMap<String, PathBuf>, CodeError> {
        let Some(Value::Table(registries)) = self.get(root)?.and_then(|root| root.get("patch"))
        else {
            return Ok(BTreeMap::new());
        };
        let patches = registries.values().filter_map(Value::as_table).flatten();
        Ok(patches
            .filter_map(|(key, patch)| {
                let name = patch.get("package").and_then(Value::as_str).unwrap_or(key);
                Some((name.to_owned(), root.join(patch.get("path")?.as_str()?)))
            })
            .collect())
    }

    /// What decides a result of the manifest in `folder`, as text that is equal for equal meaning:
    /// edition, features, targets, and normal and build dependencies as declared. What a package
    /// inherits is looked up in its workspace.
    pub(crate) fn meaning(&mut self, folder: &Path) -> Result<String, CodeError> {
        let path = folder.join("Cargo.toml");
        let Some(manifest) = self.get(folder)?.cloned() else {
            return Err(CodeError::NoPackage { manifest: path });
        };
        let mut counts = Table::new();
        for key in ["features", "lib", "bin"] {
            if let Some(value) = manifest.get(key) {
                counts.insert(key.to_owned(), value.clone());
            }
        }
        for key in ["edition", "build", "links"] {
            let value = manifest.get("package").and_then(|package| package.get(key));
            if let Some(value) = value {
                let value = if is_inherited(value) {
                    self.inherited(folder, &manifest, &["package", key])?
                } else {
                    value.clone()
                };
                counts.insert(key.to_owned(), value);
            }
        }
        let nothing = Table::new();
        let targets = manifest.get("target").and_then(Value::as_table);
        let platforms = targets
            .unwrap_or(&nothing)
            .iter()
            .filter_map(|(name, value)| Some((name.as_str(), value.as_table()?)));
        for (platform, tables) in std::iter::once(("", &manifest)).chain(platforms) {
            for key in DEPENDENCIES {
                let Some(Value::Table(declared)) = tables.get(key) else {
                    continue;
                };
                let mut resolved = Table::new();
                for (name, value) in declared {
                    let value = self.dependency(folder, &manifest, name, value)?;
                    resolved.insert(name.clone(), value);
                }
                counts.insert(format!("{platform} {key}"), Value::Table(resolved));
            }
        }
        let mut text = String::new();
        write_canonically(&Value::Table(counts), &mut text);
        Ok(text)
    }

    /// A dependency as declared, without the folder it is found in.
    fn dependency(
        &mut self,
        folder: &Path,
        manifest: &Table,
        name: &str,
        declared: &Value,
    ) -> Result<Value, CodeError> {
        let mut own = in_full(declared);
        if is_inherited(declared) {
            own.remove("workspace");
            let from = self.inherited(folder, manifest, &["dependencies", name])?;
            for (key, value) in in_full(&from) {
                match (own.get_mut(&key), value) {
                    (Some(Value::Array(more)), Value::Array(those)) => more.extend(those),
                    (Some(_), _) => {}
                    (None, value) => {
                        own.insert(key, value);
                    }
                }
            }
        }
        own.remove("path");
        if let Some(Value::Array(features)) = own.get_mut("features") {
            features.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
            features.dedup();
        }
        Ok(Value::Table(own))
    }

    /// What the workspace of a package has under `workspace` and `keys`.
    fn inherited(
        &mut self,
        folder: &Path,
        manifest: &Table,
        keys: &[&str],
    ) -> Result<Value, CodeError> {
        let named = manifest
            .get("package")
            .and_then(|package| package.get("workspace"));
        let named = named.and_then(Value::as_str).map(|path| folder.join(path));
        for above in named.as_deref().unwrap_or(folder).ancestors() {
            if let Some(workspace) = self.get(above)?.and_then(|root| root.get("workspace")) {
                let found = keys.iter().try_fold(workspace, |value, key| value.get(key));
                return found.cloned().ok_or_else(|| not_inherited(folder, keys));
            }
        }
        Err(not_inherited(folder, keys))
    }
}

fn not_inherited(folder: &Path, keys: &[&str]) -> CodeError {
    CodeError::NotInherited {
        manifest: folder.join("Cargo.toml"),
        key: keys.join("."),
    }
}

fn is_inherited(value: &Value) -> bool {
    value.get("workspace") == Some(&Value::Boolean(true))
}

/// `"1.0"` is short for `{ version = "1.0" }`.
fn in_full(declared: &Value) -> Table {
    match declared {
        Value::Table(table) => table.clone(),
        version => Table::from_iter([("version".to_owned(), version.clone())]),
    }
}

/// Writes a value with sorted keys and quoted texts.
fn write_canonically(value: &Value, out: &mut String) {
    match value {
        Value::Table(table) => {
            out.push('{');
            for (key, value) in table.iter().collect::<BTreeMap<_, _>>() {
                quote(key, out);
                out.push('=');
                write_canonically(value, out);
                out.push(',');
            }
            out.push('}');
        }
        Value::Array(values) => {
            out.push('[');
            for value in values {
                write_canonically(value, out);
                out.push(',');
            }
            out.push(']');
        }
        Value::String(text) => quote(text, out),
        other => out.push_str(&other.to_string()),
    }
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    out.extend(text.chars().flat_map(char::escape_default));
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = "[workspace]\n[workspace.package]\nedition = \"2024\"\n\
                        [workspace.dependencies]\none = { version = \"1\", features = [\"x\"] }\n";
    const MEMBER: &str = "[package]\nname = \"a\"\nedition.workspace = true\n[dependencies]\n\
                          one = { workspace = true, features = [\"y\"] }\ntwo = \"2\"\n";

    fn meaning(root: &str, member: &str) -> Result<String, CodeError> {
        let folder = tempfile::tempdir().unwrap();
        let a = folder.path().join("crates/a");
        std::fs::create_dir_all(&a).unwrap();
        std::fs::write(folder.path().join("Cargo.toml"), root).unwrap();
        std::fs::write(a.join("Cargo.toml"), member).unwrap();
        Manifests::default().meaning(&a)
    }

    #[test]
    fn what_is_inherited_is_looked_up() {
        assert_eq!(
            meaning(ROOT, MEMBER).unwrap(),
            "{\" dependencies\"={\"one\"={\"features\"=[\"x\",\"y\",],\"version\"=\"1\",},\
             \"two\"={\"version\"=\"2\",},},\"edition\"=\"2024\",}"
        );
        let error = meaning("[workspace]\n", MEMBER).unwrap_err().to_string();
        assert!(
            error.contains("takes package.edition from its workspace"),
            "{error}"
        );
    }

    #[test]
    fn only_what_decides_counts() {
        let before = meaning(ROOT, MEMBER).unwrap();
        let same = |root: &str, member: &str| meaning(root, member).unwrap() == before;
        let more = |text: &str| format!("{MEMBER}{text}");
        assert!(same(ROOT, &more("[dev-dependencies]\nthree = \"3\"\n")));
        assert!(same(ROOT, &more("[lints]\nworkspace = true\n")));
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
