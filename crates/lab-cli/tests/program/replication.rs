//! The example of a replication, and the guide that starts one from an empty folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::project::{run, told};

fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Whether there is Python; without it the steps in it cannot run, and the test says so.
#[allow(clippy::print_stdout, reason = "a test that is skipped says so")]
fn has_python() -> bool {
    let has = Command::new("python3").arg("--version").output().is_ok();
    if !has {
        println!("skipped: python3 is not installed");
    }
    has
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, to) = {
            let entry = entry.unwrap();
            (entry.path(), to.join(entry.file_name()))
        };
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::copy(path, to).unwrap();
        }
    }
}

#[test]
fn the_example_is_reproduced_recorded_and_exported() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    copy(&home().join("examples/replication"), folder.path());
    let expect = |arguments: &[&str], says: &[&str]| {
        let (exit, text) = run(folder.path(), arguments);
        let is_said = says.iter().all(|says| text.contains(says));
        assert!(exit == 0 && is_said, "{arguments:?}: {exit}, {text}");
    };
    expect(
        &["reproduce"],
        &[
            "doe2019: 18 values compared: 17 match",
            ", 1 differs (explained)",
        ],
    );
    expect(&["schema"], &[]);
    expect(
        &["reproduce", "--bless", "--allow-dirty"],
        &["new: doe2019/table1"],
    );
    expect(&["reproduce", "--check", "--force"], &["no drift"]);
    expect(&["report"], &["index.html"]);
    let page = fs::read_to_string(folder.path().join("target/report/doe2019/table1.html")).unwrap();
    assert!(
        page.contains("divided by n, those of the other rows by n - 1"),
        "{page}"
    );
    assert!(page.contains("version of python3"), "{page}");
    let (_, graph) = run(folder.path(), &["graph", "--format", "mermaid"]);
    let is_drawn = graph.contains("steps/means.py") && !graph.contains("version");
    assert!(is_drawn, "{graph}");
    let citation = "cff-version: 1.2.0\nmessage: m\ntitle: Seedlings again\nauthors:\n  \
         - family-names: Doe\n    given-names: Jane\nlicense: CC-BY-4.0\ndate-released: 2026-01-31\n";
    fs::write(folder.path().join("CITATION.cff"), citation).unwrap();
    expect(
        &["export", "codecheck", "--out", "out/codecheck"],
        &["4 tables"],
    );
    expect(&["export", "ro-crate", "--out", "out/crate"], &[]);
    expect(&["export", "article", "--out", "out/article"], &["1 paper"]);
    let read = |name: &str| fs::read_to_string(folder.path().join("out").join(name)).unwrap();
    insta::assert_snapshot!(read("article/article.md"));
    assert!(read("codecheck/codecheck.yml").contains("results/doe2019/table1/table.md"));
    assert!(folder.path().join("out/crate/steps/means.py").is_file());
    // Everything that is named is described, once.
    let json = read("crate/ro-crate-metadata.json");
    for path in ["steps/means.py", "steps/tall.sh", "data/seedlings.csv"] {
        assert_eq!(
            json.matches(&format!("\"@id\": \"{path}\",")).count(),
            1,
            "{path}: {json}"
        );
    }
}

#[test]
fn the_guide_leads_from_an_empty_folder_to_a_report_without_rust() {
    if !has_python() {
        return;
    }
    let guide = fs::read_to_string(home().join("docs/papers.md")).unwrap();
    let own = guide.split("\n## In this repository").next().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_kibitz-lab"));
    let path = format!(
        "{}:/usr/local/bin:/usr/bin:/bin",
        program.parent().unwrap().display()
    );
    let mut n_commands = 0;
    for block in own.split("\n```").skip(1).step_by(2) {
        let (head, content) = block.split_once('\n').unwrap();
        if let Some((_, name)) = head.split_once(" file=") {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, format!("{content}\n")).unwrap();
        }
        for line in content.lines().filter_map(|line| line.strip_prefix("$ ")) {
            let mut shell = Command::new("sh");
            shell
                .args(["-c", line])
                .current_dir(folder.path())
                .env_clear();
            let output = shell.env("PATH", &path).output().unwrap();
            let (exit, text) = told(&output);
            assert_eq!(exit, 0, "{line}\n{text}");
            n_commands += 1;
        }
    }
    assert!(n_commands >= 9, "{n_commands}");
    assert!(
        folder
            .path()
            .join("replication/target/report/doe2001/table1.html")
            .is_file()
    );
    let read = |below: &str| fs::read_to_string(folder.path().join(below)).unwrap();
    let front = read("replication/target/report/index.html");
    assert!(!front.contains("Explorations"), "{front}");
    for below in ["experiments/doe2001", "steps"] {
        let files = fs::read_dir(folder.path().join("replication").join(below)).unwrap();
        assert_eq!(files.count(), 1, "a backup is left in {below}");
    }
    let compared = fs::read_to_string(
        folder
            .path()
            .join("replication/results/doe2001/table1/compare.csv"),
    );
    assert_eq!(compared.unwrap().matches(",matches").count(), 9);
}
