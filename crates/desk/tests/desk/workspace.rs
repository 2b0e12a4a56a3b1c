//! A workspace in a temporary folder, and what its commands say.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use kibitz_desk::{Answer, Desk, Mode, RefreshOptions, ReproduceOptions};
use kibitz_lab::{Event, Observer, Selection};
use regex::Regex;

use crate::kinds::kinds;

/// A folder with two experiments and one data file.
pub(crate) struct Workspace {
    folder: tempfile::TempDir,
}

pub(crate) const SQUARES: &str = r#"kind   = "squares"
title  = "Squares of lengths"
tags   = ["plane"]
source = { paper = "demo", where = "Table 1" }
notes  = "Nothing surprising."

[params]
sides = [1.0, 2.5, 3.0]
[quick]
sides = [1.0, 2.5]
[columns]
area      = { tol = { abs = 0.01 } }
perimeter = { baseline = 0 }
drawing   = { tol = "info", why = "nobody printed one" }
[published]
"side 3"   = { area = 9.0, perimeter = 12 }
"side 1"   = { area = 1.0, perimeter = 5 }
"side 2.5" = { area = 6.25 }
[[check]]
op = "sum"
of = ["side 1.area", "side 2.5.area"]
is = "side 3.area"
[[check]]
op = "percent"
of = ["side 1.area", "side 1.perimeter"]
is = "side 1.perimeter"
abs = 20
[[deviation]]
cells = "side 1.perimeter"
up-to = { abs = 1.0 }
reason = "The paper counts one side twice."
decided-by = "A square of another side."
"#;

pub(crate) const DICE: &str = r#"kind   = "dice"
title  = "Throws of dice"
tags   = ["random", "slow"]
run    = { seed = 7, replicates = 3 }
params = { throws = 50, dice = [6, 20] }
source = { paper = "demo", where = "Table 2", reading = "ocr" }
columns.mean = { tol = { replicate-sd = 3.0 }, baseline = 0 }
columns.six-rate = { tol = { trials = { n = 100, z = 3.0 } }, why = "few throws" }
published.d6 = { mean = 3.5, six-rate = 0.17 }
published.d20 = { mean = 10.5, six-rate = 0.05 }
"#;

impl Workspace {
    /// With both experiments.
    pub(crate) fn new() -> Self {
        let workspace = Self::bare();
        workspace.write("experiments/demo/squares.toml", SQUARES);
        workspace.write("experiments/demo/dice.toml", DICE);
        workspace
    }

    /// Without experiments.
    pub(crate) fn bare() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let workspace = Self { folder };
        workspace.write("rust-toolchain.toml", "[toolchain]\nchannel = \"1.95.0\"\n");
        workspace.write(
            "experiments/papers.toml",
            "[demo]\ncitation = \"A. Author, Shapes and chances, 1999.\"\n\
             link = \"https://example.org/demo\"\nerrata = [\"Page 3: a misprint.\"]\n\
             not-attempted = [{ where = \"Table 9\", reason = \"It needs a planimeter.\" }]\n",
        );
        workspace.write("data/base.txt", "four");
        workspace.write(
            "data/manifest.toml",
            &format!(
                "[base]\npath = \"base.txt\"\nblake3 = \"{}\"\nbytes = 4\n\
                 origin = \"made up\"\nlicense = \"CC0\"\n",
                blake3::hash(b"four").to_hex()
            ),
        );
        workspace.write("experiments/none/.keep", "");
        workspace
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    /// The recorded results but for the measured costs, which are not the same each time.
    pub(crate) fn results(&self) -> Vec<(String, Vec<u8>)> {
        let mut results = files(&self.path("results"));
        results.retain(|(name, _)| name != "costs.csv");
        results
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder");
        std::fs::write(path, text).expect("the file");
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Replaces text in a file; the text must be there.
    pub(crate) fn edit(&self, path: &str, from: &str, to: &str) {
        let text = self.read(path);
        assert!(text.contains(from), "{path} has no {from:?}");
        self.write(path, &text.replace(from, to));
    }

    pub(crate) fn desk(&self) -> Desk {
        Desk::new(self.root(), kinds(), "demo")
    }

    pub(crate) fn reproduce(&self, options: &ReproduceOptions) -> (Answer, Vec<String>) {
        let log = Log::default();
        let answer = self
            .desk()
            .reproduce(options, &log, &AtomicBool::new(false));
        (answer, log.started.into_inner().expect("the list"))
    }

    /// A plain run.
    pub(crate) fn run(&self) -> Answer {
        self.reproduce(&ReproduceOptions::default()).0
    }

    pub(crate) fn check(&self) -> Answer {
        self.reproduce(&mode(Mode::Check)).0
    }

    /// Records everything and brings the schema up to date.
    pub(crate) fn bless(&self) -> Answer {
        self.desk().schema(false);
        self.reproduce(&mode(Mode::Bless { allow_dirty: false })).0
    }

    /// Answer as text, without what changes from run to run.
    pub(crate) fn shown(&self, answer: &Answer) -> String {
        let mut text = format!("exit {}\n", answer.exit.code());
        for (name, stream) in [("out", answer.out.as_str()), ("err", &answer.err)] {
            if !stream.is_empty() {
                text.extend(["--- ", name, "\n", stream]);
            }
        }
        self.masked(&text)
    }

    pub(crate) fn masked(&self, text: &str) -> String {
        let text = text.replace(&*self.root().to_string_lossy(), "ROOT");
        let text = Regex::new(r"\b[0-9a-f]{16,64}\b")
            .expect("a pattern")
            .replace_all(&text, "HASH");
        let text = Regex::new(r"key [0-9a-f]{4}\b")
            .expect("a pattern")
            .replace_all(&text, "key HASH");
        let text = Regex::new(r"\b\d+\.\d s\b")
            .expect("a pattern")
            .replace_all(&text, "N s");
        text.into_owned()
    }
}

/// `refresh --check`.
pub(crate) fn checking() -> RefreshOptions {
    RefreshOptions {
        check: true,
        ..RefreshOptions::default()
    }
}

/// `refresh --accept`.
pub(crate) fn accepting() -> RefreshOptions {
    RefreshOptions {
        accept: true,
        ..RefreshOptions::default()
    }
}

pub(crate) fn mode(mode: Mode) -> ReproduceOptions {
    ReproduceOptions {
        mode,
        why: Some("a test".to_owned()),
        ..ReproduceOptions::default()
    }
}

pub(crate) fn only(id: &str) -> ReproduceOptions {
    ReproduceOptions {
        selection: Selection {
            ids: vec![id.to_owned()],
            ..Selection::default()
        },
        ..ReproduceOptions::default()
    }
}

/// Notes which cells were started, and the lines of finished tables.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) started: Mutex<Vec<String>>,
    pub(crate) lines: Mutex<Vec<String>>,
}

impl Observer for Log {
    fn event(&self, event: &Event<'_>) {
        match event {
            Event::CellStarted { name, .. } => {
                self.started
                    .lock()
                    .expect("the list")
                    .push((*name).to_owned());
            }
            Event::TableFinished { line } => {
                self.lines
                    .lock()
                    .expect("the list")
                    .push((*line).to_owned());
            }
            _ => {}
        }
    }
}

/// Every file below a folder with its bytes.
pub(crate) fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(next) = todo.pop() {
        for entry in std::fs::read_dir(next).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                todo.push(path);
            } else {
                let name = path
                    .strip_prefix(folder)
                    .unwrap()
                    .to_string_lossy()
                    .into_owned();
                found.push((name, std::fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}
