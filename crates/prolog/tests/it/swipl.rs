//! Running SWI-Prolog.

use std::process::Command;

/// Runs `goal` after loading a program; `None`, with a message, where SWI-Prolog is not installed.
pub(crate) fn swi_prolog(program: &str, goal: &str) -> Option<String> {
    let programs = [program.to_owned()];
    run(&programs, |_, file| format!("(consult('{file}'), {goal})"))
}

/// Runs a goal about each of several programs, made of its number and its file; `None`, with a message,
/// where SWI-Prolog is not installed.
#[expect(clippy::print_stdout, reason = "a skipped test says so")]
pub(crate) fn run(programs: &[String], goal: impl Fn(usize, &str) -> String) -> Option<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut goals = Vec::new();
    for (i, program) in programs.iter().enumerate() {
        let file = folder.path().join(format!("program{i}.pl"));
        std::fs::write(&file, program).expect("written");
        goals.push(goal(i, &file.display().to_string()));
    }
    let main = folder.path().join("main.pl");
    std::fs::write(&main, format!("main :- {}.\n", goals.join(",\n"))).expect("written");
    let run = Command::new("swipl")
        .args(["-q", "-g", "main", "-t", "halt"])
        .arg(&main)
        .output();
    let Ok(output) = run else {
        println!("skipped: swipl is not installed (Debian: apt-get install swi-prolog-nox)");
        return None;
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.is_empty(), "{errors}\n{}", programs.join("\n---\n"));
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}
