//! A project in a folder of its own, and the program in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The program in a folder, without what Cargo sets.
pub(crate) fn program(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kibitz-lab"));
    for kept_out in ["CARGO_MANIFEST_DIR", "CARGO_TARGET_DIR", "CI"] {
        command.env_remove(kept_out);
    }
    command.args(arguments).current_dir(folder);
    command
}

/// What the program says: exit code, and both streams.
pub(crate) fn run(folder: &Path, arguments: &[&str]) -> (i32, String) {
    told(&program(folder, arguments).output().unwrap())
}

pub(crate) fn told(output: &Output) -> (i32, String) {
    let text = [output.stdout.as_slice(), &output.stderr].concat();
    let text = String::from_utf8(text).unwrap();
    (output.status.code().unwrap_or(-1), text)
}

/// A project.
pub(crate) struct Project(tempfile::TempDir);

impl Project {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("experiments")).unwrap();
        Self(folder)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    pub(crate) fn write(&self, below: &str, text: &str) {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, below: &str) -> String {
        fs::read_to_string(self.path(below)).unwrap()
    }

    /// An experiment `own/NAME` whose step is a shell script.
    pub(crate) fn step(&self, name: &str, script: &str, params: &str, rest: &str) {
        self.write(&format!("steps/{name}.sh"), script);
        let text = format!(
            "kind = \"command\"\ntitle = \"{name}\"\n{rest}\n[params]\n\
             argv = [\"sh\", \"steps/{name}.sh\"]\ninputs = [\"steps/{name}.sh\"]\n\
             output = \"out.csv\"\n{params}\n"
        );
        self.write(&format!("experiments/own/{name}.toml"), &text);
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> (i32, String) {
        run(self.folder(), arguments)
    }

    /// Runs a command that ends with `exit` and says `says`.
    #[track_caller]
    pub(crate) fn expect(&self, arguments: &[&str], exit: i32, says: &[&str]) -> String {
        let (found, text) = self.run(arguments);
        let missing: Vec<&&str> = says.iter().filter(|says| !text.contains(**says)).collect();
        assert!(
            found == exit && missing.is_empty(),
            "{arguments:?}: exit {found}, expected {exit}; missing {missing:?} in:\n{text}"
        );
        text
    }
}
