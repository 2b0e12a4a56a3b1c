//! The checks of `.ci/run` are the only list: what the workflows, scripts and documents name is there.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use regex::Regex;

fn home() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(home().join(path)).unwrap()
}

/// The files of a folder, by path below the workspace.
fn files(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(home().join(folder)).unwrap();
    let mut found: Vec<_> = entries
        .map(|entry| Path::new(folder).join(entry.unwrap().file_name()))
        .filter(|path| home().join(path).is_file())
        .collect();
    found.sort();
    found
}

/// Exit code and both streams of `.ci/run`.
fn ci(arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new("bash");
    command.arg(home().join(".ci/run")).args(arguments);
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code().unwrap(),
        String::from_utf8(text).unwrap(),
    )
}

/// The steps that run without arguments, and those that run on request.
fn steps() -> [BTreeSet<String>; 2] {
    let (code, list) = ci(&["--list"]);
    assert_eq!(code, 0, "{list}");
    let (checks, on_request) = list.split_once("\n\non request:\n").unwrap();
    [checks, on_request].map(|list| {
        let names = list.lines().map(|line| line.split(' ').next().unwrap());
        names.map(str::to_owned).collect()
    })
}

/// The steps that a workflow has `.ci/run` do; those of its matrix stand behind `steps:`.
fn called(workflow: &str) -> BTreeSet<String> {
    let text = read(format!(".github/workflows/{workflow}"));
    let call = Regex::new(r"(?m)run: \.ci/run(?: --strict)?(.*)$|\bsteps: ([a-z -]+) \}").unwrap();
    let mut found = BTreeSet::new();
    for call in call.captures_iter(&text) {
        let names = call.get(1).or(call.get(2)).unwrap().as_str();
        let names = names.replace("${{ matrix.steps }}", "");
        found.extend(names.split_whitespace().map(str::to_owned));
    }
    found
}

#[test]
fn every_step_has_its_workflow() {
    let [checks, on_request] = steps();
    let all = &checks | &on_request;
    let ci = called("ci.yml");
    assert!(checks.is_subset(&ci), "{:?}", &checks - &ci);
    assert_eq!(called("fuzz.yml"), BTreeSet::from(["fuzz".to_owned()]));
    let called = ["ci.yml", "fuzz.yml", "release.yml"].map(called);
    assert_eq!(called.into_iter().flatten().collect::<BTreeSet<_>>(), all);
}

#[test]
fn workflows_repeat_no_command() {
    let run = Regex::new(r"(?m)^\s*(?:- )?run: *(.*)$").unwrap();
    let allowed = [
        ".ci/run ",
        ".ci/release-notes ",
        // What a release uploads.
        "cargo publish --workspace --locked",
        "gh release create ",
    ];
    for workflow in files(".github/workflows") {
        let text = read(&workflow);
        let commands: Vec<_> = run.captures_iter(&text).collect();
        assert!(!commands.is_empty(), "{}", workflow.display());
        for command in commands {
            let is_allowed = allowed.iter().any(|start| command[1].starts_with(start));
            assert!(is_allowed, "{}: {}", workflow.display(), &command[1]);
        }
    }
}

#[test]
fn an_unknown_step_is_an_error() {
    let (code, text) = ci(&["fromat"]);
    let expected = "error: there is no step `fromat`; `.ci/run --list` says what there is\n";
    assert_eq!((code, text.as_str()), (2, expected));
}

#[test]
fn the_test_command_is_that_of_the_readme() {
    let command = "\ncargo test --workspace ";
    assert!(read("README.md").contains(command));
    let run = read(".ci/run");
    assert!(run.contains("\n    cargo test --workspace\n"), "{run}");
}

/// What stands behind `cargo xtask`, as far as the shell takes it as one command.
fn commands(text: &str) -> Vec<String> {
    let command = Regex::new(r#"cargo xtask ((?:"[^"\n]*"|'[^'\n]*'|[^"'|&;<>`)\n#])*)"#).unwrap();
    let found = command.captures_iter(text);
    found.map(|found| found[1].trim().to_owned()).collect()
}

/// Asks the command line for help behind this command: an option that is not there is a mistake all
/// the same.
fn mistake(command: &str) -> Option<String> {
    let word = Regex::new(r#""([^"]*)"|'([^']*)'|([^\s"']+)"#).unwrap();
    let words = word.captures_iter(command).map(|word| {
        let of_any = (1..=3).find_map(|idx| word.get(idx));
        of_any.unwrap().as_str().to_owned()
    });
    let mut xtask = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let output = xtask.args(words).arg("--help").output().unwrap();
    let mistake = || String::from_utf8_lossy(&output.stderr).into_owned();
    (!output.status.success()).then(mistake)
}

#[test]
fn commands_of_workflows_and_scripts_exist() {
    let mut asked = 0;
    let scripts = [files(".ci"), files(".github/workflows")].concat();
    for file in scripts {
        for command in commands(&read(&file)) {
            let mistake = mistake(&command);
            assert_eq!(mistake, None, "{}: {command}", file.display());
            asked += 1;
        }
    }
    assert!(asked >= 8, "{asked}");
}

#[test]
fn a_command_that_is_gone_is_found() {
    let line =
        "      - run: cargo xtask report --check && echo good\n      - run: cargo xtask list";
    let found = commands(line);
    assert_eq!(found, ["report --check", "list"]);
    let mistake = mistake(&found[0]).unwrap();
    assert!(mistake.contains("'--check'"), "{mistake}");
}

#[test]
fn commands_of_documents_exist() {
    let documents = [files("."), files("docs")].concat();
    let mut asked = BTreeSet::new();
    for file in documents {
        // Help texts show how commands are called, and call none.
        let is_printed = file.ends_with("docs/commands.md");
        if is_printed || file.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        for command in commands(&read(&file)) {
            if !asked.insert(command.clone()) {
                continue;
            }
            let mistake = mistake(&command);
            assert_eq!(mistake, None, "{}: {command}", file.display());
        }
    }
    assert!(asked.len() > 30, "{}", asked.len());
}

#[test]
fn every_fuzz_target_is_run_and_documented() {
    let targets: BTreeSet<_> = files("fuzz/fuzz_targets")
        .iter()
        .map(|file| file.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    let names = |list: &str, name: &str| -> BTreeSet<String> {
        let name = Regex::new(name).unwrap();
        let names = name.captures_iter(list);
        names.map(|found| found[1].to_owned()).collect()
    };
    let workflow = read(".github/workflows/fuzz.yml");
    let matrix = Regex::new(r"target: \[(.*)\]").unwrap();
    let matrix = &matrix.captures(&workflow).unwrap()[1];
    assert_eq!(names(matrix, r"(\w+)"), targets, "fuzz.yml");
    let manifest = read("fuzz/Cargo.toml");
    let bins = manifest.split_once("[[bin]]").unwrap().1;
    assert_eq!(names(bins, r#"name = "(\w+)""#), targets, "fuzz/Cargo.toml");
    let reliability = read("RELIABILITY.md");
    let table = reliability
        .split("\n## ")
        .find(|it| it.starts_with("Fuzzing\n"));
    let table = names(table.unwrap(), r"(?m)^\| `(\w+)` \|");
    assert_eq!(table, targets, "RELIABILITY.md");
}

/// Every package with the features that it is compiled with.
fn features(arguments: &[&str]) -> BTreeMap<String, BTreeSet<String>> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tree", "--workspace", "--locked", "--offline"]);
    cargo.args(["--prefix", "none", "--format", "{p}|{f}"]);
    let output = cargo.args(arguments).current_dir(home()).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let mut found: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        if let Some((package, features)) = line.trim_end_matches(" (*)").split_once('|') {
            let features = features.to_owned();
            found
                .entry(package.to_owned())
                .or_default()
                .insert(features);
        }
    }
    found
}

#[test]
fn the_command_line_is_compiled_with_the_features_of_tests() {
    let config = read(".cargo/config.toml");
    assert!(config.contains("\nxtask = \"run --quiet --bin xtask --\"\n"));
    let in_tests = features(&[]);
    for (package, features) in features(&["--edges", "normal,build"]) {
        assert!(
            features.is_subset(&in_tests[&package]),
            "{package} is compiled twice: `cargo xtask` asks for {features:?}, `cargo test --workspace` for {:?}; \
             name what is missing in xtask/Cargo.toml",
            in_tests[&package]
        );
    }
}
