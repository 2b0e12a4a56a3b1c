//! Cells that read the finished values of others.

use insta::assert_snapshot;
use kibitz_desk::{Mode, ReproduceOptions};
use kibitz_lab::Exit;

use crate::workspace::{Workspace, files, mode, only};

const SQUARES: &str = "experiments/demo/squares.toml";
const TOTAL: &str = "demo/squares \"total\"";

/// A workspace whose squares have a total, published as it should be.
fn with_total() -> Workspace {
    let workspace = Workspace::bare();
    workspace.write(SQUARES, crate::workspace::SQUARES);
    workspace.edit(SQUARES, "[params]", "[params]\ntotal = true");
    workspace.edit(
        SQUARES,
        "[[check]]\nop = \"sum\"",
        "total = { area = 16.25 }\n[[check]]\nop = \"sum\"",
    );
    workspace
}

#[test]
fn they_run_after_those_they_read() {
    for jobs in [1, 4] {
        let (answer, started) = with_total().reproduce(&ReproduceOptions {
            jobs,
            ..ReproduceOptions::default()
        });
        assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
        // It is the costliest by far and would be the first otherwise.
        assert_eq!(started.len(), 4);
        assert_eq!(started[3], TOTAL);
    }
}

#[test]
fn they_do_not_run_when_one_of_those_failed() {
    let workspace = with_total();
    workspace.edit(SQUARES, "[params]", "[params]\nmood = \"failing\"");
    let answer = workspace.run();
    assert_eq!(answer.exit, Exit::Failed);
    assert_snapshot!("after_a_failure", workspace.shown(&answer));
    let compared = workspace.read("target/kibitz/results/demo/squares/compare.csv");
    let total = compared.lines().find(|line| line.starts_with("total,area"));
    assert_eq!(
        total,
        Some("total,area,16.25,,,± 0.01,not run,,\"it reads cell `side 2.5`, which failed\"")
    );
}

#[test]
fn they_resume_from_the_cache() {
    let workspace = with_total();
    workspace.edit(SQUARES, "[params]", "[params]\nmood = \"failing\"");
    workspace.run();
    workspace.edit(SQUARES, "mood = \"failing\"", "mood = \"willing\"");
    let (answer, started) = workspace.reproduce(&ReproduceOptions::default());
    assert_eq!((answer.exit, started.len()), (Exit::Done, 4));
    // The last cell alone: what it reads comes from the cache.
    forget(&workspace, "\"cell\":\"total\"");
    let (answer, started) = workspace.reproduce(&ReproduceOptions::default());
    assert_eq!((answer.exit, started), (Exit::Done, vec![TOTAL.to_owned()]));
    // One of those it reads alone: the total is known.
    forget(&workspace, "\"cell\":\"side 1\"");
    let (answer, started) = workspace.reproduce(&ReproduceOptions::default());
    assert_eq!(answer.exit, Exit::Done);
    assert_eq!(started, ["demo/squares \"side 1\""]);
}

/// Removes the cache entries that contain this text.
fn forget(workspace: &Workspace, text: &str) {
    let cache = workspace.path("target/kibitz/cache");
    let mut found = false;
    for (path, bytes) in files(&cache) {
        if String::from_utf8(bytes).unwrap().contains(text) {
            std::fs::remove_file(cache.join(path)).unwrap();
            found = true;
        }
    }
    assert!(found, "{text}");
}

#[test]
fn committed_values_are_believed_together() {
    let workspace = with_total();
    workspace.bless();
    std::fs::remove_dir_all(workspace.path("target")).unwrap();
    let (answer, started) = workspace.reproduce(&mode(Mode::Check));
    assert_eq!(
        (answer.exit, started.len()),
        (Exit::Done, 0),
        "{}",
        answer.err
    );
    // A total that has to run needs the exact values, which the table has rounded.
    workspace.edit(
        "results/demo/squares/inputs.toml",
        "total = \"",
        "total = \"0",
    );
    let (answer, started) = workspace.reproduce(&mode(Mode::Check));
    assert_eq!(
        (answer.exit, started.len()),
        (Exit::Negative, 4),
        "{}",
        answer.err
    );
    let edited = "results/demo/squares/inputs.toml:27:1";
    assert!(answer.err.contains(edited), "{}", answer.err);
}

#[test]
fn their_keys_follow_the_data_of_those_they_read() {
    let workspace = with_total();
    workspace.edit(
        SQUARES,
        "[params]",
        "[data]\nbase = \"base\"\n[params]\nwith-data = true",
    );
    let key = || {
        let shown = workspace.desk().explain("demo/squares", Some("total")).out;
        let line = shown.lines().find(|line| line.starts_with("    key"));
        line.unwrap().to_owned()
    };
    let before = key();
    workspace.write("data/base.txt", "five!");
    let hash = |text: &[u8]| blake3::hash(text).to_hex().to_string();
    workspace.edit("data/manifest.toml", &hash(b"four"), &hash(b"five!"));
    workspace.edit("data/manifest.toml", "bytes = 4", "bytes = 5");
    assert_ne!(key(), before);
    assert_eq!(workspace.reproduce(&only("demo/squares")).1.len(), 4);
}
