//! What several machines share and may spoil, through the real command line: the cache, its version,
//! the program, the disk, and data that change under a run.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

struct Workspace(tempfile::TempDir);

/// Parts of the table, and files of the folder that it reads.
const PARTS: usize = 4;

const NUMBERS: &str = r#"
kind = "table"
title = "Numbers"
source = { paper = "beyond", where = "a test" }
data = { table = "numbers" }
[params]
parts = 4
columns = [
  { name = "n", type = "int", doc = "a number" },
  { name = "square", type = "int", doc = "its square, or so" },
]
"#;

const SUM: &str = r#"
kind = "query"
title = "Their sum"
source = { paper = "beyond", where = "a test", reading = "clear" }
from = { numbers = "club/numbers" }
[params]
sql = "SELECT 'all' AS row, COUNT(*) AS n FROM numbers"
[columns]
n = { unit = "", tol = "info", why = "a test" }
"#;

impl Workspace {
    /// A folder of Parquet files with so many records each.
    fn with_records(n: usize) -> Self {
        let workspace = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(workspace.path("experiments/club")).unwrap();
        fs::create_dir_all(workspace.path("raw")).unwrap();
        for part in 0..PARTS {
            let mut text = "n,square\n".to_owned();
            for n in part * n..(part + 1) * n {
                // Nothing that Parquet could write in few bytes.
                writeln!(
                    text,
                    "{n},{}",
                    n.wrapping_mul(n).wrapping_mul(0x9E37) % 0xFFFF_FFFB
                )
                .unwrap();
            }
            fs::write(workspace.path(&format!("raw/{part}.csv")), text).unwrap();
        }
        let text = NUMBERS.replace("\"numbers\"", "\"raw\"");
        fs::write(workspace.path("experiments/club/raw.toml"), text).unwrap();
        workspace.add("raw");
        workspace.done(&["dataset", "club/raw", "--out", "numbers"]);
        fs::remove_file(workspace.path("experiments/club/raw.toml")).unwrap();
        workspace.add("numbers");
        fs::write(workspace.path("experiments/club/numbers.toml"), NUMBERS).unwrap();
        fs::write(workspace.path("experiments/club/sum.toml"), SUM).unwrap();
        workspace
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        for kept_out in ["CARGO_MANIFEST_DIR", "CARGO_TARGET_DIR", "CI"] {
            command.env_remove(kept_out);
        }
        command.current_dir(self.0.path()).env("NO_COLOR", "1");
        command
    }

    /// Exit code and output.
    fn run(&self, arguments: &[&str]) -> (i32, String) {
        told(self.command(PROGRAM).args(arguments))
    }

    fn done(&self, arguments: &[&str]) -> String {
        let (code, text) = self.run(arguments);
        assert_eq!(code, 0, "{arguments:?}: {text}");
        text
    }

    fn add(&self, path: &str) {
        let about = ["--license", "CC0", "--origin", "a test"];
        self.done(&[&["data", "add", path], &about[..]].concat());
    }

    /// The keys of an experiment's runs, in a cache.
    fn keys(&self, experiment: &str, cache: &str) -> Vec<String> {
        let listed = ["cells", experiment, "--format", "json", "--cache", cache];
        let output = self.command(PROGRAM).args(listed).output().unwrap();
        let runs: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let runs = runs.as_array().unwrap().iter();
        let own = runs.filter(|run| run["experiment"] == experiment);
        own.map(|run| run["key"].as_str().unwrap().to_owned())
            .collect()
    }

    /// The table of the sum, as one process computes it that nothing disturbs.
    fn table(&self, cache: &str) -> Vec<u8> {
        self.done(&["reproduce", "club/sum", "--cache", cache]);
        fs::read(self.path("target/kibitz/results/club/sum/table.csv")).unwrap()
    }

    fn entry(&self, cache: &str, key: &str, ending: &str) -> PathBuf {
        self.path(&format!("{cache}/{}/{key}.{ending}", &key[..2]))
    }
}

const PROGRAM: &str = env!("CARGO_BIN_EXE_xtask");

fn told(command: &mut Command) -> (i32, String) {
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].map(|of| String::from_utf8_lossy(&of).into_owned());
    (output.status.code().unwrap_or(-1), text.concat())
}

#[test]
fn a_worker_of_another_build_and_a_cache_of_another_version_are_refused() {
    let workspace = Workspace::with_records(10);
    let keys = workspace.keys("club/numbers", "cache");
    let cell = ["cell", &keys[0], "--cache", "cache"];
    workspace.done(&cell);
    // The key that another build has for it: the cache knows it, this program does not.
    let other = "0123456789abcdef0123456789abcdef";
    let own = workspace.entry("cache", &keys[0], "json");
    let entry = workspace.entry("cache", other, "json");
    fs::create_dir_all(entry.parent().unwrap()).unwrap();
    fs::copy(own, entry).unwrap();
    let (code, text) = workspace.run(&["cell", other, "--cache", "cache"]);
    assert_eq!(code, 2, "{text}");
    let why = "it is in the cache, put there by a program of another build";
    assert!(text.contains(why), "{text}");
    fs::write(workspace.path("cache/version"), "0").unwrap();
    for command in [
        &cell[..],
        &["cells", "--cache", "cache"],
        &["reproduce", "--cache", "cache"],
        &["dataset", "club/numbers", "--cache", "cache"],
    ] {
        let (code, text) = workspace.run(command);
        assert_eq!(code, 2, "{command:?}: {text}");
        assert!(
            text.contains("is of version 0, and this program reads version"),
            "{text}"
        );
    }
}

#[test]
fn a_part_cut_short_is_refused_and_made_again() {
    let workspace = Workspace::with_records(100);
    let expected = workspace.table("alone");
    let parts = workspace.keys("club/numbers", "cache");
    assert_eq!(parts.len(), PARTS);
    let arguments = parts.iter().map(String::as_str);
    let arguments: Vec<&str> = ["cell", "--cache", "cache"]
        .into_iter()
        .chain(arguments)
        .collect();
    workspace.done(&arguments);
    let path = workspace.entry("cache", &parts[2], "parquet");
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    let sum = &workspace.keys("club/sum", "cache")[0];
    let (code, text) = workspace.run(&["cell", sum, "--cache", "cache"]);
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("cut short"), "{text}");
    let text = workspace.done(&["cell", &parts[2], "--cache", "cache"]);
    assert_eq!(fs::read(&path).unwrap(), whole, "{text}");
    assert_eq!(workspace.table("cache"), expected);
}

#[test]
fn a_disk_that_is_full_keeps_nothing_and_the_same_command_goes_on() {
    let workspace = Workspace::with_records(20_000);
    let expected = workspace.table("alone");
    let key = &workspace.keys("club/numbers", "cache")[1];
    let runs = [
        vec!["cell", key, "--cache", "cache"],
        vec!["reproduce", "club/sum", "--cache", "cache"],
        vec![
            "dataset",
            "club/numbers",
            "--cache",
            "alone",
            "--out",
            "all.parquet",
        ],
    ];
    for run in &runs {
        // A write beyond so many blocks fails, as it does where no block is left.
        let limited = "trap '' XFSZ; ulimit -f 30; exec \"$0\" \"$@\"";
        let mut command = workspace.command("sh");
        let (code, text) = told(command.args(["-c", limited, PROGRAM]).args(run));
        assert_eq!(code, 6, "{run:?}: {text}");
        assert!(text.contains("cannot write"), "{run:?}: {text}");
        assert!(text.contains("File too large"), "{run:?}: {text}");
        for key in workspace.keys("club/numbers", "cache") {
            assert!(!workspace.entry("cache", &key, "json").exists(), "{run:?}");
            assert!(
                !workspace.entry("cache", &key, "parquet").exists(),
                "{run:?}"
            );
        }
        assert!(!workspace.path("all.parquet").exists());
        let left = workspace.path("cache/unfinished").read_dir();
        assert_eq!(left.map_or(0, Iterator::count), 0, "{run:?}");
    }
    for run in &runs {
        workspace.done(run);
    }
    assert!(workspace.path("all.parquet").exists());
    assert_eq!(workspace.table("cache"), expected);
}

#[test]
fn a_parquet_file_that_changes_under_the_run_is_told() {
    let workspace = Workspace::with_records(30_000);
    let file = workspace.path(&format!("data/numbers/part={PARTS:05}/records.parquet"));
    let whole = fs::read(&file).unwrap();
    let expected = workspace.table("alone");
    // As fast as this is, the run may be over before the file is another one.
    let changed_in_time = (0..50).find_map(|attempt| {
        let cache = format!("cache{attempt}");
        let arguments = ["reproduce", "club/sum", "--jobs", "1", "--cache", &cache];
        let mut command = workspace.command(PROGRAM);
        let command = command.args(arguments).stdout(Stdio::null());
        let child = command.stderr(Stdio::piped()).spawn().unwrap();
        while !has_part(&workspace.path(&cache)) {
            std::thread::yield_now();
        }
        fs::write(&file, [&whole[..], b" "].concat()).unwrap();
        let output = child.wait_with_output().unwrap();
        fs::write(&file, &whole).unwrap();
        (!output.status.success()).then_some((cache, output))
    });
    let (cache, output) = changed_in_time.unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{text}");
    let why = "has changed while the run went on; nothing of it is kept";
    assert!(text.contains(why), "{text}");
    assert_eq!(workspace.table(&cache), expected);
}

/// Whether a part is in the cache.
fn has_part(cache: &Path) -> bool {
    let folders = fs::read_dir(cache).into_iter().flatten().flatten();
    let files = folders.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten());
    let mut files = files.flatten();
    files.any(|file| file.path().extension().is_some_and(|end| end == "parquet"))
}
