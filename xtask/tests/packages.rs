//! Every package can stand on its own.
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]

use std::{
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
fn every_package_has_a_description_and_the_license() {
    let license = fs::read_to_string(home().join("LICENSE")).unwrap();
    for (folder, manifest) in crates() {
        let package = &manifest["package"];
        assert!(package.get("description").is_some(), "{}", folder.display());
        let own = fs::read_to_string(folder.join("LICENSE")).unwrap_or_default();
        assert!(own == license, "{}: LICENSE", folder.display());
    }
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
            !papers.contains_key(&name),
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
