//! Identities of crates in temporary workspaces, and what changes them.

#![allow(clippy::unwrap_used, reason = "a test stops where something is wrong")]

use std::collections::BTreeMap;
use std::path::Path;

use kibitz_code::{CodeError, Identity, Sources};
use tempfile::TempDir;

/// `kind` uses `part`, and `helper` when it is built; `other` is no business of theirs.
const FILES: &[(&str, &str)] = &[
    (
        "Cargo.toml",
        "[workspace]\nresolver = \"3\"\nmembers = [\"crates/*\"]\n\
         [workspace.dependencies]\npart = { path = \"crates/part\" }\nouter = \"1\"\n",
    ),
    (
        "Cargo.lock",
        r#"version = 4
[[package]]
name = "dev"
version = "1.0.0"
source = "registry+https://example.org/index"
[[package]]
name = "elsewhere"
version = "1.0.0"
source = "registry+https://example.org/index"
[[package]]
name = "helper"
version = "0.1.0"
[[package]]
name = "inner"
version = "2.0.0"
source = "git+https://example.org/inner#2222"
[[package]]
name = "kind"
version = "0.1.0"
dependencies = ["dev", "helper", "part"]
[[package]]
name = "other"
version = "0.1.0"
dependencies = ["elsewhere", "part"]
[[package]]
name = "outer"
version = "1.0.0"
source = "registry+https://example.org/index"
dependencies = ["inner"]
[[package]]
name = "part"
version = "0.1.0"
dependencies = ["outer"]
"#,
    ),
    (
        "crates/kind/Cargo.toml",
        "[package]\nname = \"kind\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
         [dependencies]\npart.workspace = true\n\
         [build-dependencies]\nhelper = { path = \"../helper\" }\n\
         [dev-dependencies]\ndev = \"1\"\nother = { path = \"../other\" }\n",
    ),
    (
        "crates/kind/src/lib.rs",
        "const T: &str = include_str!(\"table.txt\");\n",
    ),
    ("crates/kind/src/table.txt", "1 2 3\n"),
    (
        "crates/part/Cargo.toml",
        "[package]\nname = \"part\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
         [dependencies]\nouter.workspace = true\n",
    ),
    ("crates/part/src/lib.rs", "pub fn part() -> u8 { 1 }\n"),
    (
        "crates/helper/Cargo.toml",
        "[package]\nname = \"helper\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
    ),
    ("crates/helper/src/lib.rs", "\n"),
    (
        "crates/other/Cargo.toml",
        "[package]\nname = \"other\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
         [dependencies]\npart.workspace = true\nelsewhere = \"1\"\n",
    ),
    ("crates/other/src/lib.rs", "\n"),
];

struct Workspace {
    folder: TempDir,
    /// The identity of `kind` before anything was edited.
    built: Identity,
}

impl Workspace {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in FILES {
            write(folder.path(), path, text);
        }
        let built = Identity::of_manifest(&folder.path().join("crates/kind")).unwrap();
        Self { folder, built }
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, path: &str, text: &str) {
        write(self.root(), path, text);
    }

    fn edit(&self, path: &str, from: &str, to: &str) {
        let text = std::fs::read_to_string(self.root().join(path)).unwrap();
        assert!(text.contains(from), "{path}");
        self.write(path, &text.replace(from, to));
    }

    fn now(&self, package: &str) -> BTreeMap<String, String> {
        let folder = self.root().join("crates").join(package);
        Identity::of_manifest(&folder).unwrap().hashes()
    }

    /// Which hashes of a new build are other ones, and what the old one says of the sources.
    fn changes(&self) -> (Vec<String>, Vec<String>) {
        let now = self.now("kind");
        let then = self.built.hashes();
        assert!(now.keys().eq(then.keys()));
        let keys = now.into_iter().filter(|(name, hash)| then[name] != *hash);
        (
            keys.map(|(name, _)| name).collect(),
            changed(&self.built, self.root()),
        )
    }
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn changed(built: &Identity, root: &Path) -> Vec<String> {
    built.changed_below(&mut Sources::below(root)).unwrap()
}

/// Both ways to ask name the same crates.
#[track_caller]
fn check(workspace: &Workspace, expected: &[&str]) {
    let (rebuilt, below) = workspace.changes();
    assert_eq!(rebuilt, expected, "a new build");
    assert_eq!(below, expected, "the sources below");
}

#[test]
fn path_dependencies_are_followed_but_for_those_of_tests() {
    let workspace = Workspace::new();
    let hashes = workspace.built.hashes();
    let names: Vec<_> = hashes.keys().map(String::as_str).collect();
    assert_eq!(names, ["helper", "kind", "locked dependencies", "part"]);
    assert!(hashes.values().all(|hash| hash.len() == 32));
    assert_eq!(workspace.built.package(), "kind");
    check(&workspace, &[]);
}

#[test]
fn what_decides_nothing_changes_nothing() {
    let workspace = Workspace::new();
    workspace.write(
        "crates/part/src/lib.rs",
        "//! A part.\n\n/// One.\npub fn part() -> u8 {\n    1 // one\n}\n\n\
         #[cfg(test)]\nmod tests {\n    #[test]\n    fn one() { assert_eq!(super::part(), 1) }\n}\n",
    );
    workspace.write("crates/part/README.md", "words");
    workspace.write("crates/part/LICENSE", "words");
    workspace.write("crates/part/tests/more.rs", "fn test() {}");
    workspace.write("crates/part/examples/more.rs", "fn main() {}");
    workspace.write("crates/part/src/inner/tests.rs", "fn test() {}");
    workspace.write("crates/part/src/inner/snapshots/a.txt", "a");
    workspace.write("crates/part/src/.hidden", "a");
    workspace.write("crates/other/src/lib.rs", "fn other() {}");
    workspace.edit("crates/kind/Cargo.toml", "dev = \"1\"", "dev = \"1.0\"");
    workspace.edit(
        "crates/kind/Cargo.toml",
        "edition",
        "description = \"d\"\nedition",
    );
    check(&workspace, &[]);
}

#[test]
fn an_edit_changes_its_crate_only() {
    let workspace = Workspace::new();
    workspace.edit("crates/part/src/lib.rs", "1", "2");
    check(&workspace, &["part"]);
    workspace.write("crates/helper/src/new.rs", "fn new() {}");
    check(&workspace, &["helper", "part"]);
}

#[test]
fn included_files_count() {
    let workspace = Workspace::new();
    workspace.write("crates/kind/src/table.txt", "1 2 4\n");
    check(&workspace, &["kind"]);
}

#[test]
fn a_file_that_is_gone_counts() {
    let workspace = Workspace::new();
    std::fs::remove_file(workspace.root().join("crates/kind/src/table.txt")).unwrap();
    check(&workspace, &["kind"]);
}

#[test]
fn declared_dependencies_count() {
    let workspace = Workspace::new();
    workspace.edit(
        "Cargo.toml",
        "outer = \"1\"",
        "outer = { version = \"1\", features = [\"f\"] }",
    );
    check(&workspace, &["part"]);
}

#[test]
fn only_reached_packages_count() {
    let workspace = Workspace::new();
    for name in ["dev", "elsewhere"] {
        let entry = |version: &str| format!("name = \"{name}\"\nversion = \"{version}\"");
        workspace.edit("Cargo.lock", &entry("1.0.0"), &entry("1.0.1"));
    }
    check(&workspace, &[]);
    let other = workspace.now("other");
    workspace.edit("Cargo.lock", "inner#2222", "inner#3333");
    assert_eq!(
        workspace.changes(),
        (
            vec!["locked dependencies".to_owned()],
            vec!["Cargo.lock".to_owned()],
        )
    );
    assert_ne!(
        workspace.now("other"),
        other,
        "it reaches the package as well"
    );
}

#[test]
fn an_upgrade_concerns_those_who_reach_the_package() {
    let workspace = Workspace::new();
    let other = workspace.now("other");
    let entry = |version: &str| format!("name = \"elsewhere\"\nversion = \"{version}\"");
    workspace.edit("Cargo.lock", &entry("1.0.0"), &entry("1.0.1"));
    check(&workspace, &[]);
    let now = workspace.now("other");
    assert_ne!(now["locked dependencies"], other["locked dependencies"]);
    assert_eq!(now["other"], other["other"]);
}

#[test]
fn a_program_in_another_folder_is_as_built() {
    let workspace = Workspace::new();
    let elsewhere = tempfile::tempdir().unwrap();
    assert!(changed(&workspace.built, elsewhere.path()).is_empty());
    // A folder of the same name that holds something else.
    write(
        elsewhere.path(),
        "crates/kind/Cargo.toml",
        "[package]\nname = \"mine\"\n",
    );
    assert!(changed(&workspace.built, elsewhere.path()).is_empty());
    // But in its workspace a crate that has moved is missed.
    let crates = workspace.root().join("crates");
    std::fs::rename(crates.join("part"), crates.join("moved")).unwrap();
    assert_eq!(changed(&workspace.built, workspace.root()), ["part"]);
}

#[test]
fn sources_are_read_once() {
    let workspace = Workspace::new();
    let mut sources = Sources::below(workspace.root());
    assert!(
        workspace
            .built
            .changed_below(&mut sources)
            .unwrap()
            .is_empty()
    );
    workspace.edit("crates/part/src/lib.rs", "1", "2");
    assert!(
        workspace
            .built
            .changed_below(&mut sources)
            .unwrap()
            .is_empty()
    );
    assert_eq!(changed(&workspace.built, workspace.root()), ["part"]);
}

#[test]
fn a_crate_outside_the_workspace_is_followed() {
    let workspace = Workspace::new();
    write(
        workspace.root(),
        "mine/Cargo.toml",
        "[package]\nname = \"mine\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n\
         [dependencies]\nhelper = { path = \"../crates/helper\" }\n",
    );
    write(workspace.root(), "mine/src/main.rs", "fn main() {}");
    write(
        workspace.root(),
        "mine/experiments/a/b.toml",
        "kind = \"k\"",
    );
    write(workspace.root(), "mine/results/a/b.csv", "1");
    let mine = workspace.root().join("mine");
    let built = Identity::of_manifest(&mine).unwrap();
    let names: Vec<_> = built.hashes().into_keys().collect();
    assert_eq!(names, ["helper", "locked dependencies", "mine"]);
    write(&mine, "results/a/b.csv", "2");
    assert!(
        changed(&built, &mine).is_empty(),
        "the runner's own files are no code"
    );
    workspace.write("crates/helper/src/lib.rs", "fn helper() {}");
    assert_eq!(changed(&built, &mine), ["helper"]);
    std::fs::remove_dir_all(workspace.root().join("crates")).unwrap();
    assert!(
        changed(&built, &mine).is_empty(),
        "the helper cannot be found any more"
    );
}

#[test]
fn patched_packages_are_path_dependencies() {
    let workspace = Workspace::new();
    workspace.edit(
        "Cargo.toml",
        "resolver",
        "exclude = [\"patched\"]\nresolver",
    );
    let patch = "\n[patch.crates-io]\nouter = { path = \"patched\" }\n";
    workspace.edit(
        "Cargo.toml",
        "outer = \"1\"\n",
        &format!("outer = \"1\"\n{patch}"),
    );
    workspace.write(
        "patched/Cargo.toml",
        "[package]\nname = \"outer\"\nversion = \"1.0.0\"\nedition = \"2024\"\n",
    );
    workspace.write("patched/src/lib.rs", "");
    workspace.edit(
        "Cargo.lock",
        "name = \"outer\"\nversion = \"1.0.0\"\nsource = \"registry+https://example.org/index\"\n",
        "name = \"outer\"\nversion = \"1.0.0\"\n",
    );
    assert!(workspace.now("kind").contains_key("outer"));
    workspace.edit("Cargo.toml", "outer = { path", "another = { path");
    let error = Identity::of_manifest(&workspace.root().join("crates/kind")).unwrap_err();
    assert!(matches!(error, CodeError::NotLocked { package, .. } if package == "outer"));
}

#[test]
fn a_lock_file_that_does_not_fit_is_an_error() {
    let workspace = Workspace::new();
    std::fs::remove_file(workspace.root().join("Cargo.lock")).unwrap();
    let error = Identity::of_manifest(&workspace.root().join("crates/kind")).unwrap_err();
    assert!(matches!(error, CodeError::NotLocked { package, .. } if package == "part"));
    assert_eq!(changed(&workspace.built, workspace.root()), ["Cargo.lock"]);
    workspace.write("Cargo.lock", "version = ");
    let error = workspace
        .built
        .changed_below(&mut Sources::below(workspace.root()))
        .unwrap_err();
    assert!(matches!(error, CodeError::Toml { path, .. } if path.ends_with("Cargo.lock")));
}

#[test]
fn what_is_no_package_is_an_error() {
    let workspace = Workspace::new();
    let error = Identity::of_manifest(workspace.root()).unwrap_err();
    assert!(matches!(error, CodeError::NoPackage { .. }), "{error}");
    let error = Identity::of_manifest(&workspace.root().join("absent")).unwrap_err();
    assert!(matches!(error, CodeError::File { .. }), "{error}");
}

#[test]
fn garbage_is_no_identity() {
    let hash = "0123456789abcdef0123456789abcdef";
    let text = |package: &str, hash: &str| {
        format!(
            r#"{{"package":"{package}","locked":[],"crates":[{{"name":"a","folder":"a",
            "entries":["src"],"hash":"{hash}","raw":"0123456789abcdef0123456789abcdef"}}]}}"#
        )
    };
    let error = |json: &str| Identity::parse(json).unwrap_err().to_string();
    assert!(Identity::parse(&text("a", hash)).is_ok());
    assert!(error("").starts_with("not the identity of a crate: "));
    assert!(error("{}").contains("missing field"));
    assert!(error("[1]").starts_with("not the identity of a crate: "));
    assert!(error(&text("b", hash)).ends_with("no crate is the package `b`"));
    assert!(error(&text("a", "xyz")).ends_with("`xyz` of `a` is not a hash"));
    assert!(error(&text("a", hash).replace("folder", "where")).contains("unknown field"));
}

#[test]
fn the_text_of_an_identity_is_read_back() {
    let workspace = Workspace::new();
    let json = serde_json::to_string(&workspace.built).unwrap();
    assert_eq!(Identity::parse(&json).unwrap(), workspace.built);
    assert!(
        !json.contains(&*workspace.root().to_string_lossy()),
        "no absolute path"
    );
    assert!(!json.contains("example.org"), "no address");
}

#[test]
fn this_workspace_has_an_identity_for_each_crate() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let analysis = Identity::of_manifest(&root.join("crates/analysis")).unwrap();
    let board = Identity::of_manifest(&root.join("crates/board")).unwrap();
    let text = |identity: &Identity| serde_json::to_string(identity).unwrap();
    assert!(text(&analysis).contains("\"polars\"") && !text(&board).contains("\"polars\""));
    assert!(text(&board).contains("\"shakmaty\"") && !text(&board).contains("\"criterion\""));
    assert!(!text(&board).contains("\"proptest\""));
    assert!(changed(&analysis, &root).is_empty() && changed(&board, &root).is_empty());
}
