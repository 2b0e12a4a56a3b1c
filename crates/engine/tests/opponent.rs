//! Complete games against GNU Chess, and endgames against random and perfect defense, through the UCI
//! client of python-chess. Skipped, with a word about why, where these are not installed;
//! `KIBITZ_PYTHON` names the Python that has `chess`, `KIBITZ_GAVIOTA` a folder with Gaviota tables.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Each of the four strategies with both colors.
const N_GAMES: u32 = 8;
const MILLISECONDS_PER_MOVE: u32 = 30;

/// A Python with python-chess.
fn python() -> Option<OsString> {
    let python = env::var_os("KIBITZ_PYTHON").unwrap_or_else(|| "python3".into());
    let imported = Command::new(&python)
        .args(["-c", "import chess.engine"])
        .stderr(Stdio::null())
        .status();
    imported
        .is_ok_and(|status| status.success())
        .then_some(python)
}

/// GNU Chess, which Debian puts where not every search path leads.
fn gnuchess() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(["/usr/games".into()])
        .map(|folder| folder.join("gnuchess"))
        .find(|file| file.is_file())
}

#[test]
fn complete_games_are_played_without_a_fault() {
    let (Some(python), Some(gnuchess)) = (python(), gnuchess()) else {
        println!(
            "skipped: needs GNU Chess (Debian: gnuchess) and python-chess (PyPI: chess), \
             the latter in python3 or in the Python that KIBITZ_PYTHON names"
        );
        return;
    };
    let games = [N_GAMES, MILLISECONDS_PER_MOVE].map(|number| number.to_string());
    let said = run(Command::new(python)
        .arg(script("opponent.py"))
        .arg(env!("CARGO_BIN_EXE_chute"))
        .args(games)
        .arg(gnuchess)
        .arg("--uci"));
    assert!(
        said.ends_with(&format!("{N_GAMES} games finished\n")),
        "{said}"
    );
    println!("{said}");
}

#[test]
fn repaired_rules_win_the_rook_endgame() {
    let Some(python) = python() else {
        println!("skipped: needs python-chess (PyPI: chess)");
        return;
    };
    for strategy in ["krk-1-repaired", "krk-2-repaired"] {
        let said = run(Command::new(&python)
            .arg(script("endgame.py"))
            .arg(env!("CARGO_BIN_EXE_chute"))
            .args(["200", strategy])
            .args(env::var_os("KIBITZ_GAVIOTA")));
        assert!(said.contains("random defense: 100 won"), "{said}");
        println!("{said}");
    }
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(name)
}

/// What a script says that ends well.
fn run(command: &mut Command) -> String {
    let played = command.output().expect("Python has just been run");
    let said = String::from_utf8_lossy(&played.stdout).into_owned();
    let complaint = String::from_utf8_lossy(&played.stderr);
    assert!(played.status.success(), "{said}\n{complaint}");
    said
}
