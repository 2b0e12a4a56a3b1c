//! A laboratory outside of this workspace: built by Cargo, run, edited, and run again.
//!
//! That compiles most crates and dependencies once more, so it is done where `KIBITZ_OUTSIDE` is set, as
//! `.ci/run outside` does.
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

struct Project {
    folder: tempfile::TempDir,
    home: &'static Path,
}

impl Project {
    /// The example as a stranger would have it: elsewhere, and with the crates by their paths.
    fn new() -> Self {
        let home = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let project = Self {
            folder: tempfile::tempdir().unwrap(),
            home,
        };
        let example = home.join("examples/outside");
        for path in [
            "Cargo.toml",
            "build.rs",
            "src/main.rs",
            "src/polygons.rs",
            "experiments/papers.toml",
            "experiments/archimedes/circle.toml",
        ] {
            let text = fs::read_to_string(example.join(path)).unwrap();
            let crates = home.join("crates");
            project.write(
                path,
                &text.replace("../../crates", crates.to_str().unwrap()),
            );
        }
        // The versions that are known to be available offline.
        let lock = fs::read_to_string(home.join("Cargo.lock")).unwrap();
        project.write("Cargo.lock", &lock);
        project
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn edit(&self, path: &str, old: &str, new: &str) {
        let text = fs::read_to_string(self.folder.path().join(path)).unwrap();
        assert!(text.contains(old), "{path} lacks {old}");
        self.write(path, &text.replace(old, new));
    }

    /// The build is kept between runs of the test.
    fn target(&self) -> std::path::PathBuf {
        self.home.join("target/outside")
    }

    fn build(&self) {
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .current_dir(self.folder.path())
            .args(["build", "--quiet", "--offline"]);
        // Nobody steps through it.
        cargo.env("CARGO_PROFILE_DEV_DEBUG", "0");
        cargo.env("CARGO_TARGET_DIR", self.target());
        let output = cargo.output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let program = self.target().join("debug/my-lab");
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).args(arguments);
        command.env_remove("CARGO_TARGET_DIR").env("NO_COLOR", "1");
        command.output().unwrap()
    }
}

/// Exit code and output of a program.
fn text(output: &Output) -> String {
    let out = String::from_utf8_lossy(&output.stdout);
    format!("{out}{}", String::from_utf8_lossy(&output.stderr))
}

#[test]
fn a_project_of_ones_own_never_shows_what_its_code_no_longer_says() {
    if std::env::var_os("KIBITZ_OUTSIDE").is_none() {
        eprintln!("skipped: `.ci/run outside` compiles a project of its own, which takes minutes");
        return;
    }
    let project = Project::new();
    project.build();
    let first = project.run(&["reproduce"]);
    assert!(first.status.success(), "{}", text(&first));
    assert!(text(&first).contains("2 match (weak)"), "{}", text(&first));

    // Built before the edit: neither served nor kept.
    let source = "src/polygons.rs";
    project.edit(
        source,
        "(3.0, 2.0 * f64::sqrt(3.0))",
        "(4.0, 2.0 * f64::sqrt(3.0))",
    );
    let old = project.run(&["reproduce"]);
    assert!(text(&old).contains("older than"), "{}", text(&old));
    project.build();
    let wrong = project.run(&["reproduce"]);
    assert!(!text(&wrong).contains("fresh"), "{}", text(&wrong));
    assert!(text(&wrong).contains("2 differ"), "{}", text(&wrong));

    // The same code as at first, with another comment.
    project.edit(
        source,
        "(4.0, 2.0 * f64::sqrt(3.0))",
        "(3.0, 2.0 * f64::sqrt(3.0))",
    );
    project.edit(
        source,
        "// The harmonic mean, then the geometric one.",
        "// As Archimedes has it.",
    );
    project.build();
    let again = project.run(&["reproduce"]);
    assert!(text(&again).contains("fresh"), "{}", text(&again));
    assert!(text(&again).contains("2 match (weak)"), "{}", text(&again));
}
