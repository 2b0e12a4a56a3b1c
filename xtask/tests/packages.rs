//! Every package can stand on its own.
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use regex::Regex;

fn home() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The folders of all crates, with their manifests.
fn crates() -> Vec<(PathBuf, toml::Table)> {
    let folders = fs::read_dir(home().join("crates")).unwrap().flatten();
    let read = |folder: PathBuf| {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        (folder, toml::from_str(&manifest).unwrap())
    };
    folders.map(|entry| read(entry.path())).collect()
}

fn is_published(manifest: &toml::Table) -> bool {
    manifest["package"].get("publish") != Some(&toml::Value::Boolean(false))
}

#[test]
fn every_package_has_a_description() {
    for (folder, manifest) in crates() {
        let package = &manifest["package"];
        assert!(package.get("description").is_some(), "{}", folder.display());
    }
}

/// The libraries whose licence decides that of every crate above them.
const COPYLEFT: [&str; 2] = ["shakmaty", "pgn-reader"];

/// The packages that a crate is built from, tests aside: by name, from the names of the manifests and
/// the lock file.
fn built_from(name: &str, packages: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![name.to_owned()];
    while let Some(name) = open.pop() {
        for dependency in packages.get(&name).into_iter().flatten() {
            if found.insert(dependency.clone()) {
                open.push(dependency.clone());
            }
        }
    }
    found
}

/// What every package depends on, tests aside, by name.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let lock = fs::read_to_string(home().join("Cargo.lock")).unwrap();
    let lock: toml::Table = toml::from_str(&lock).unwrap();
    let mut packages: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in lock["package"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap().to_owned();
        let listed = package.get("dependencies").and_then(|it| it.as_array());
        let names = listed.into_iter().flatten().map(|it| {
            // `name`, or `name version` where there are several versions.
            let text = it.as_str().unwrap();
            text.split(' ').next().unwrap().to_owned()
        });
        packages.entry(name).or_default().extend(names);
    }
    // The lock file mixes tests' dependencies in; manifests of the workspace tell them apart.
    for (_, manifest) in crates() {
        let name = manifest["package"]["name"].as_str().unwrap().to_owned();
        let of = |table: &str| manifest.get(table).and_then(|it| it.as_table());
        let tables = [of("dependencies"), of("build-dependencies")];
        let names = tables.into_iter().flatten().flat_map(|table| table.keys());
        packages.insert(name, names.cloned().collect());
    }
    packages
}

#[test]
fn crates_above_the_chess_libraries_are_gpl_and_the_others_permissive() {
    let license = |file: &str| fs::read_to_string(home().join(file)).unwrap();
    let workspace: toml::Table = toml::from_str(&license("Cargo.toml")).unwrap();
    let shared = workspace["workspace"]["package"]["license"]
        .as_str()
        .unwrap();
    assert_eq!(shared, "MIT OR Apache-2.0");
    let packages = dependencies();
    let mut n_permissive = 0;
    for (folder, manifest) in crates() {
        let package = &manifest["package"];
        let name = package["name"].as_str().unwrap();
        let is_copyleft = built_from(name, &packages)
            .iter()
            .any(|it| COPYLEFT.contains(&it.as_str()));
        let (stated, files) = if is_copyleft {
            ("GPL-3.0-or-later", &["LICENSE"][..])
        } else {
            n_permissive += 1;
            (shared, &["LICENSE-MIT", "LICENSE-APACHE"][..])
        };
        let own = package["license"].as_str().unwrap_or(shared);
        assert_eq!(own, stated, "{name}: license");
        for file in files {
            let own = fs::read_to_string(folder.join(file)).unwrap_or_default();
            assert!(own == license(file), "{name}: {file}");
        }
        let readme = fs::read_to_string(folder.join("README.md")).unwrap();
        assert!(
            readme.contains(stated),
            "{name}: its README states {stated}"
        );
    }
    // The rule must be able to tell both kinds.
    assert!(n_permissive > 0 && n_permissive < crates().len());
}

#[test]
fn links_of_a_published_readme_stay_within_the_package() {
    let link = Regex::new(r"\]\(([^)\s]+)\)").unwrap();
    for (folder, _) in crates()
        .iter()
        .filter(|(_, manifest)| is_published(manifest))
    {
        let readme = fs::read_to_string(folder.join("README.md")).unwrap();
        for found in link.captures_iter(&readme) {
            let target = &found[1];
            let is_within = !target.starts_with("..") && folder.join(target).exists();
            let is_good = target.starts_with("https://") || target.starts_with('#') || is_within;
            assert!(is_good, "{}: {target}", folder.display());
        }
    }
}

#[test]
fn features_are_documented_and_papers_stay_here() {
    let papers = fs::read_to_string(home().join("experiments/papers.toml")).unwrap();
    let papers: toml::Table = toml::from_str(&papers).unwrap();
    for (folder, manifest) in crates() {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        assert_eq!(
            is_published(&manifest),
            !papers.contains_key(&name) && name != "chute-library",
            "{name}"
        );
        if is_published(&manifest) && manifest.contains_key("features") {
            let metadata = manifest["package"].get("metadata");
            assert!(
                metadata.is_some_and(|it| it.get("docs").is_some()),
                "{name}"
            );
        }
    }
}
