//! The pages of `docs/`: every command that they show, typed, and what they say it prints.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    panic::resume_unwind,
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use regex::Regex;
use tempfile::TempDir;

mod programs;
use programs::{PROGRAMS, built};

fn home() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// A copy of the repository in which to type: `experiments/` and `data/` may be written to.
fn copy() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = |below: &str| folder.path().join(below);
    for name in ["bin", "data", "experiments"] {
        fs::create_dir(path(name)).unwrap();
    }
    for entry in fs::read_dir(home()).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if !["bin", "data", "experiments", "target"].contains(&name.as_str()) {
            symlink(entry.path(), path(&name)).unwrap();
        }
    }
    for shared in ["data", "experiments"] {
        for entry in fs::read_dir(home().join(shared)).unwrap().flatten() {
            let to = path(shared).join(entry.file_name());
            if entry.file_name() == "manifest.toml" {
                fs::copy(entry.path(), to).unwrap();
            } else {
                symlink(entry.path(), to).unwrap();
            }
        }
    }
    let xtask = Path::new(env!("CARGO_BIN_EXE_xtask"));
    let shim = format!(
        "#!/bin/sh\nif [ \"$1\" = xtask ]; then shift; exec '{}' \"$@\"; fi\nexec '{}' \"$@\"\n",
        xtask.display(),
        env!("CARGO")
    );
    fs::write(path("bin/cargo"), shim).unwrap();
    fs::set_permissions(path("bin/cargo"), fs::Permissions::from_mode(0o755)).unwrap();
    for name in PROGRAMS {
        symlink(built(name), path("bin").join(name)).unwrap();
    }
    folder
}

/// Types a line; what is printed, on both streams, and the exit code.
fn typed(folder: &Path, line: &str) -> (i32, String) {
    let mut path = vec![folder.join("bin")];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    let output = Command::new("bash")
        .args(["-c", &format!("exec 2>&1\n{line}")])
        .current_dir(folder)
        .env("PATH", std::env::join_paths(path).unwrap())
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("CARGO_MANIFEST_DIR")
        .env_remove("CI")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    (output.status.code().unwrap_or(-1), said)
}

/// Whether a text is what is shown, where `…` stands for anything, and alone on a line for any lines.
fn is_shown(shown: &str, said: &str) -> bool {
    let mut pattern = String::from("^");
    for line in shown.lines() {
        if line == "…" {
            pattern += r"(?:[^\n]*\n)*?";
            continue;
        }
        let parts: Vec<String> = line.split('…').map(regex::escape).collect();
        pattern += &parts.join("[^\n]*");
        pattern += " *\n";
    }
    let said: String = said
        .trim_end()
        .lines()
        .flat_map(|line| [line, "\n"])
        .collect();
    Regex::new(&(pattern + "$")).unwrap().is_match(&said)
}

/// Does what a page says: the files that it shows, the commands, in one folder; the number of commands.
fn follow(page: &Path) -> usize {
    let text = fs::read_to_string(page).unwrap();
    let block = Regex::new(r"(?ms)^```(\w+)(?: file=(\S+))?\n(.*?)^```$").unwrap();
    let name = page.file_name().unwrap().display();
    let mut folder = None;
    let mut n_typed = 0;
    for found in block.captures_iter(&text) {
        let content = &found[3];
        if let Some(file) = found.get(2) {
            let file = folder.get_or_insert_with(copy).path().join(file.as_str());
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, content).unwrap();
        }
        if &found[1] != "console" {
            continue;
        }
        assert!(content.starts_with("$ "), "{name}: {content}");
        for command in content
            .split_inclusive('\n')
            .collect::<String>()
            .split("\n$ ")
        {
            let command = command.trim_start_matches("$ ");
            let (line, shown) = command.split_once('\n').unwrap_or((command, ""));
            let folder = folder.get_or_insert_with(copy).path();
            let (code, said) = typed(folder, line);
            assert_eq!(code, 0, "{name}: {line}\n{said}");
            assert!(
                is_shown(shown, &said),
                "{name}: {line}\nshown:\n{shown}\nprinted:\n{said}"
            );
            n_typed += 1;
        }
    }
    n_typed
}

fn pages() -> Vec<PathBuf> {
    let files = fs::read_dir(home().join("docs")).unwrap().flatten();
    let pages = files.map(|entry| entry.path());
    pages
        .filter(|page| page.extension().is_some_and(|it| it == "md"))
        .collect()
}

#[test]
fn commands_print_what_the_pages_show() {
    let (pages, next) = (pages(), AtomicUsize::new(0));
    let follow_some = || {
        let mut typed = 0;
        while let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
            typed += follow(page);
        }
        typed
    };
    // Each page has a folder of its own.
    let typed: usize = thread::scope(|scope| {
        let workers = [0, 1].map(|_| scope.spawn(follow_some));
        let typed = workers.map(|own| own.join().unwrap_or_else(|panic| resume_unwind(panic)));
        typed.iter().sum()
    });
    assert!(typed >= 25, "{typed} commands");
}

#[test]
fn what_is_shown_is_told_from_what_is_not() {
    let said = "one\ntwo 2.5 s\nthree\nfour\n";
    assert!(is_shown("one\ntwo … s\n…\nfour\n", said));
    assert!(is_shown("…\n", said));
    assert!(!is_shown("one\n", said));
    assert!(!is_shown("one\n…\nfive\n", said));
    assert!(is_shown("", "") && !is_shown("", said));
}

#[test]
fn every_page_is_in_the_summary_and_every_link_leads_somewhere() {
    let summary = fs::read_to_string(home().join("docs/SUMMARY.md")).unwrap();
    let link = Regex::new(r"\]\(([^)#\s]*)[^)]*\)").unwrap();
    for page in pages() {
        let name = page.file_name().unwrap().to_str().unwrap();
        let is_listed = summary.contains(&format!("]({name})"));
        assert!(
            is_listed || name == "SUMMARY.md",
            "{name} is not in SUMMARY.md"
        );
        let text = fs::read_to_string(&page).unwrap();
        for target in link.captures_iter(&text) {
            let target = &target[1];
            let leads = target.contains("://") || home().join("docs").join(target).exists();
            assert!(leads, "{name}: {target}");
        }
    }
}
