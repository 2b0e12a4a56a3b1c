//! Running SWI-Prolog.

use std::process::Command;

/// Runs `goal` after loading a program; `None`, with a message, where SWI-Prolog is not installed.
#[expect(clippy::print_stdout, reason = "a skipped test says so")]
pub(crate) fn swi_prolog(program: &str, goal: &str) -> Option<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("program.pl");
    std::fs::write(&file, program).expect("written");
    let run = Command::new("swipl")
        .args(["-q", "-g", goal, "-t", "halt"])
        .arg(&file)
        .output();
    let Ok(output) = run else {
        println!("skipped: swipl is not installed (Debian: apt-get install swi-prolog-nox)");
        return None;
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.is_empty(), "{errors}\n{program}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}
