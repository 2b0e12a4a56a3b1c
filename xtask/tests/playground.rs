//! The playgrounds: what the module answers in WebAssembly is what the native programs write.
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;

#[expect(dead_code, reason = "the list of all is not needed here")]
mod programs;
use programs::built;

fn home() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// What a native program writes to standard output.
fn native(name: &str, arguments: &[&str]) -> String {
    let output = Command::new(built(name)).args(arguments).output().unwrap();
    let code = output.status.code().unwrap_or(-1);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(code == 0 || code == 1, "{name} {arguments:?}: {code} {err}");
    String::from_utf8(output.stdout).unwrap()
}

fn native_json(name: &str, arguments: &[&str]) -> Value {
    serde_json::from_str(&native(name, arguments)).unwrap()
}

/// The pages, or what is missing: the target, or node.
fn pages() -> Result<TempDir, String> {
    let has_node = Command::new("node").arg("--version").output();
    if !has_node.is_ok_and(|output| output.status.success()) {
        return Err("there is no node".to_owned());
    }
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.current_dir(home()).args(["playground", "--out"]);
    let output = command.arg(folder.path()).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(3) {
        assert!(
            err.contains("`rustup target add wasm32-unknown-unknown`"),
            "{err}"
        );
        return Err(err.into_owned());
    }
    assert!(output.status.success(), "{err}");
    Ok(folder)
}

/// The answers of the module, run by node.
fn ask(pages: &Path, questions: &[Value]) -> Vec<String> {
    let mut node = Command::new("node");
    node.arg(home().join("crates/web/tests/ask.mjs"));
    node.arg(pages.join("module.js"));
    node.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut node = node.spawn().unwrap();
    let questions = serde_json::to_vec(questions).unwrap();
    node.stdin.take().unwrap().write_all(&questions).unwrap();
    let output = node.wait_with_output().unwrap();
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_module_answers_as_the_programs_do() {
    let pages = match pages() {
        Ok(pages) => pages,
        Err(missing) => {
            eprintln!("skipped: {missing}");
            return;
        }
    };
    let module = fs::metadata(pages.path().join("module.js")).unwrap().len();
    assert!(
        module * 3 / 4 < 1_000_000,
        "the module has {module} bytes in base64"
    );
    let about = ask(pages.path(), &[json!({"ask": "about"})]).remove(0);
    let about: Value = serde_json::from_str(&about).unwrap();
    let list = |name: &str| about[name].as_array().unwrap().clone();

    // Questions, and what the native programs say to them.
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &Value| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text.as_str().unwrap()).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let mut questions = Vec::new();
    let mut expected: Vec<Vec<(&str, Value)>> = Vec::new();
    for position in list("positions") {
        let path = file("position.txt", &position["text"]);
        let of = |verb| native_json("kibitz-minesweeper", &[verb, &path, "--format", "json"]);
        questions.push(json!({"ask": "position", "text": position["text"]}));
        expected.push(vec![("/solve", of("solve")), ("/analyse", of("analyse"))]);
    }
    for (level, first, seed) in [("8x8/10", [1, 1], 3), ("30x16/99", [8, 15], 1)] {
        let at = first.map(|it| it.to_string()).join(",");
        let made = [
            "generate",
            "--no-guess",
            "--certificate",
            "--format",
            "json",
            "--level",
            level,
        ];
        let more = ["--first", &at, "--seed", &seed.to_string()];
        let board = native_json("kibitz-minesweeper", &[&made[..], &more].concat());
        questions.push(json!({"ask": "board", "level": level, "first": first, "seed": seed}));
        expected.push(vec![("", board)]);
    }
    for task in list("tasks") {
        let name = task["name"].as_str().unwrap();
        let texts = [("examples", "exs"), ("background", "bk"), ("bias", "bias")];
        for (field, of) in texts {
            file(&format!("{name}/{of}.pl"), &task[field]);
        }
        let path = folder.path().join(name);
        let path = path.to_str().unwrap();
        for learner in list("learners") {
            let learner = learner["name"].as_str().unwrap();
            // Mio takes minutes for a thousand positions, and Cigol compares them in pairs.
            if name == "krki-1000" && !["foil", "mfoil", "golem", "closed-world"].contains(&learner)
            {
                continue;
            }
            let mut question = json!({"ask": "learn", "learner": learner});
            for (field, _) in texts {
                question[field] = task[field].clone();
            }
            let arguments = ["learn", path, "--learner", learner, "--format", "json"];
            let output = Command::new(built("kibitz-ilp"))
                .args(arguments)
                .output()
                .unwrap();
            let learned = serde_json::from_slice(&output.stdout);
            expected.push(if let Ok(theory) = learned {
                vec![("/theory", theory)]
            } else {
                // What a learner cannot work on is refused by both, in the same words.
                let err = String::from_utf8(output.stderr).unwrap();
                let mut lines = err.lines();
                let message = lines.find_map(|line| line.strip_prefix("error: "));
                vec![("/error/0/message", message.unwrap().into())]
            });
            questions.push(question);
        }
        let theory = native("kibitz-ilp", &["learn", path, "--format", "prolog"]);
        let clauses = file("theory.pl", &theory.clone().into());
        let example = if name == "krki-1000" {
            "illegal(0,0,1,1,1,1)"
        } else {
            continue;
        };
        let text = native("kibitz-ilp", &["explain", &clauses, example, path]);
        let mut question = json!({"ask": "explain", "theory": theory, "example": example});
        for (field, _) in texts {
            question[field] = task[field].clone();
        }
        questions.push(question);
        expected.push(vec![("/text", text.into())]);
    }
    for system in list("systems") {
        let name = system["name"].as_str().unwrap();
        if name.starts_with("table8-3") {
            continue;
        }
        let path = file("system.toml", &system["toml"]);
        for (extent, option) in [
            ("behaviors", None),
            ("envision", Some("--envision")),
            ("all", Some("--all")),
        ] {
            let mut arguments = vec!["simulate", &path, "--format", "json"];
            arguments.extend(option);
            questions.push(json!({"ask": "simulate", "system": system["toml"], "extent": extent}));
            let output = Command::new(built("kibitz-qsim"))
                .args(&arguments)
                .output()
                .unwrap();
            expected.push(vec![(
                "/system",
                serde_json::from_slice(&output.stdout).unwrap(),
            )]);
        }
    }

    // Deep terms; engines of browsers have stacks of their own, which depths of a thousand overflow.
    let nested = format!("{}a{}", "g(".repeat(300), ")".repeat(300));
    questions.push(json!({
        "ask": "learn",
        "learner": "foil",
        "examples": format!("pos(f({nested})). neg(f(b))."),
        "background": format!("k({nested})."),
        "bias": "head_pred(f,1). body_pred(k,1).",
    }));
    expected.push(Vec::new());

    let answers = ask(pages.path(), &questions);
    assert!(questions.len() > 50, "{}", questions.len());
    for ((question, answer), expected) in questions.iter().zip(&answers).zip(&expected) {
        let read: Value = serde_json::from_str(answer).unwrap();
        for (at, native) in expected {
            let found = read.pointer(at).unwrap_or(&Value::Null);
            assert!(
                found == native,
                "{question}\n{at}: {found}\nnative: {native}"
            );
        }
        // And all of it as the same code says natively.
        let own = kibitz_web::answer(question.to_string().as_bytes());
        assert!(own == answer.as_bytes(), "{question}\n{answer}");
    }
}
