//! The program itself.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kibitz-qsim"))
        .args(args)
        .output()
        .expect("the program runs")
}

/// Exit code and both streams.
fn shown(args: &[&str]) -> String {
    let output = run(args);
    format!(
        "$ kibitz-qsim {}\nexit {}\n{}{}\n",
        args.join(" "),
        output.status.code().unwrap_or(-1),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn behaviors_as_tables() {
    let all = [
        shown(&["simulate", "u-tube", "--explain"]),
        shown(&["simulate", "bathtub"]),
        shown(&["simulate", "bouncing-ball", "--behavior", "1"]),
        shown(&["simulate", "two-tanks", "--envision"]),
        shown(&["simulate", "u-tube", "--envision", "--explain"]),
        shown(&[
            "simulate",
            "spring",
            "--without",
            "energy",
            "--max-states",
            "30",
            "--behavior",
            "1",
        ]),
        shown(&["check", "bathtub"]),
    ];
    insta::assert_snapshot!(all.concat());
}

#[test]
fn graphs_and_pictures() {
    let all = [
        shown(&["simulate", "bathtub", "--format", "dot"]),
        shown(&["simulate", "bathtub", "--format", "svg"]),
        shown(&["simulate", "ball", "--format", "svg", "--behavior", "1"]),
        shown(&["simulate", "ball", "--format", "json"]),
    ];
    insta::assert_snapshot!(all.concat());
}

#[test]
fn mistakes_have_exit_codes() {
    let all = [
        shown(&["simulate", "u-tub"]),
        shown(&["simulate", "no-such-file.toml"]),
        shown(&["simulate", "table8-3/pal2"]),
        shown(&["simulate", "bathtub", "--behavior", "4"]),
        shown(&["simulate", "spring", "--all", "--max-states", "10"]),
    ];
    insta::assert_snapshot!(all.concat());
}

#[test]
fn pictures_go_to_a_folder() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let target = folder.path().join("pictures");
    let name = target.to_str().expect("a name");
    let output = run(&["simulate", "bathtub", "--pictures", name]);
    assert!(output.status.success());
    for file in [
        "states.svg",
        "behavior-1.svg",
        "behavior-2.svg",
        "behavior-3.svg",
    ] {
        let text = std::fs::read_to_string(target.join(file)).expect(file);
        assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"));
    }
    assert!(!Path::new(&target.join("behavior-4.svg")).exists());
}

#[test]
fn a_sequence_is_checked() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("states.toml");
    let check = |text: &str| {
        std::fs::write(&file, text).expect("written");
        let output = run(&[
            "check",
            "u-tube",
            "--states",
            file.to_str().expect("a name"),
        ]);
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stdout).into_owned(),
        )
    };
    let start = "[[states]]\nla = \"la0\"\nlb = \"lb0\"\n";
    assert_eq!(
        check(&format!("{start}[[states]]\n")),
        (
            Some(0),
            "the system can go through this sequence (2 states)\n".to_owned()
        )
    );
    let (code, message) = check(&format!("{start}fab = \"0\"\n"));
    assert_eq!(code, Some(1));
    assert!(message.contains("refuses"), "{message}");
    let (code, message) = check(&format!("{start}[[states]]\nla = \"la0\"\n"));
    assert_eq!(code, Some(1));
    assert!(message.ends_with("it is `la`\n"), "{message}");
    let (code, message) = check("states = []\n");
    assert_eq!((code, message.as_str()), (Some(2), ""));
}

/// The model of the U-tube from the states of its behavior, and what is wrong with some files.
#[test]
fn a_model_is_learned_from_states() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("states.toml");
    let learn = |states: &str, more: &[&str]| {
        std::fs::write(&file, states).expect("written");
        let path = file.to_str().expect("a name");
        let mut args = vec!["learn", "spring", "--states", path];
        args.extend(more);
        shown(&args).replace(path, "states.toml")
    };
    let states = r#"states = [
  { x = "0/inc", v = "v0/std", a = "0/dec" },
  { x = "0..inf/inc", v = "0..v0/dec", a = "minf..0/dec" },
]
"#;
    let units = "x=way,v=way/time,a=way/time/time";
    let all = [
        learn(states, &[]),
        learn(
            states,
            &[
                "--no-corresponding",
                "--kinds",
                "deriv,add",
                "--dimensions",
                units,
            ],
        ),
        learn("states = [{ x = \"0/inc\" }]", &[]),
        learn(states, &["--dimensions", "y=way"]),
        learn(states, &["--kinds", "sum"]),
    ];
    insta::assert_snapshot!(all.concat());
}

const TANK: &str = r#"title = "A tank that fills, with an open drain"
[variables]
amount = { landmarks = ["0", "full"] }
gain = { landmarks = ["minf", "0", "inf"] }
[[constraints]]
kind = "m_minus"
of = ["amount", "gain"]
[[constraints]]
kind = "deriv"
of = ["amount", "gain"]
[[initial]]
amount = "0"
gain = "0..inf"
"#;

/// The flow may end below `full` as well as there: as corresponding values these exclude each other.
#[test]
fn what_corresponding_values_exclude_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let [system, states] = ["tank.toml", "states.json"].map(path);
    std::fs::write(&system, TANK).expect("written");
    let simulated = run(&["simulate", &system, "--format", "json"]);
    std::fs::write(&states, simulated.stdout).expect("written");
    let told = shown(&["learn", &system, "--states", &states]);
    assert!(!told.contains("kind = \"m_minus\""), "{told}");
    let note = "m_minus(amount, gain): its corresponding values contradict state ";
    assert!(told.contains(note), "{told}");
    let told = shown(&["learn", &system, "--states", &states, "--no-corresponding"]);
    assert!(told.contains("kind = \"m_minus\""), "{told}");
    assert!(!told.contains("contradict"), "{told}");
}

/// Standard input in place of a file, and an option without effect.
#[test]
fn what_is_ignored_is_said() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("tank.toml");
    std::fs::write(&file, TANK).expect("written");
    let path = file.to_str().expect("a name");
    for arguments in [
        &["simulate", "-"][..],
        &["press", "-"],
        &["check", "spring", "--trajectory", "-"],
        &["check", "spring", "--states", "-"],
        &["learn", "spring", "--states", "-"],
    ] {
        let told = shown(arguments);
        assert!(told.contains("exit 2"), "{told}");
        assert!(told.contains("`/dev/stdin` is one"), "{told}");
    }
    let note = "ignored `--with energy`: the system has no `[energy]`";
    assert!(shown(&["simulate", path, "--with", "energy"]).contains(note));
    assert!(!shown(&["simulate", path]).contains(note));
    let told = shown(&["simulate", path, "--max-states", "2"]);
    assert!(told.contains("1 of 2 is not followed"), "{told}");
}

/// Every bundled system is learned from the states that its simulation writes.
#[test]
fn a_model_is_learned_from_a_simulation() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("states.json");
    let path = file.to_str().expect("a name");
    let mut warned = String::new();
    for bundled in kibitz_qsim::BUNDLED {
        let system = bundled.read().expect("sound");
        let extent = if system.initial.is_empty() {
            "--all"
        } else {
            "--envision"
        };
        for switch in ["--with", "--without"] {
            let of = bundled.name;
            let simulated = run(&[
                "simulate",
                of,
                extent,
                switch,
                "ignore-chatter",
                "--format",
                "json",
            ]);
            std::fs::write(&file, &simulated.stdout).expect("written");
            let learned = run(&["learn", of, "--states", path]);
            assert_eq!(learned.status.code(), Some(0), "{of} {switch}");
            let text = String::from_utf8_lossy(&learned.stdout);
            assert!(text.contains("[[constraints]]"), "{of} {switch}");
            let told = String::from_utf8_lossy(&learned.stderr);
            let _ = write!(warned, "{of} {switch} ignore-chatter\n{told}");
        }
    }
    insta::assert_snapshot!(warned);
}

/// A variable that nothing ties is warned of at its place, and in JSON; its file can be used.
#[test]
fn what_is_tied_to_nothing_is_warned_of() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let system = r#"title = "Decay, and a variable left over"
[variables]
x = { landmarks = ["minf", "0", "inf"] }
y = { landmarks = ["minf", "0", "inf"] }
v = { landmarks = ["minf", "0", "inf"] }
[[constraints]]
kind = "m_minus"
of = ["x", "v"]
corresponding = [["0", "0"]]
[[constraints]]
kind = "deriv"
of = ["x", "v"]
[[initial]]
x = "0..inf"
"#;
    std::fs::write(folder.path().join("y.toml"), system).expect("written");
    let said = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_kibitz-qsim"))
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .expect("the program runs");
        let code = output.status.code().unwrap_or(-1);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        (format!("exit {code}\n{told}"), output.stdout)
    };
    let (simulated, json) = said(&["simulate", "y.toml", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    let warnings = format!("{:#}", json["warnings"]);
    let all = [
        simulated,
        warnings,
        said(&["check", "y.toml"]).0,
        said(&["simulate", "bathtub"]).0,
    ];
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn the_schema_is_for_the_files() {
    let output = run(&["schema"]);
    let schema: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    for key in [
        "title",
        "variables",
        "constraints",
        "initial",
        "simulation",
        "energy",
    ] {
        assert!(schema["properties"].get(key).is_some(), "{key}");
    }
    assert!(schema.to_string().contains("m_plus"));
}

/// What every program of the workspace answers alike: a tab before a mistake, several mistakes in a
/// file, a misspelled name, a file that is not there.
#[test]
fn mistakes_are_told_as_by_every_program() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let system = "title = \"x\"
[variables]
\tx = { landmarks = [\"0\", \"inf\"], abuot = \"way\" }
y = { landmarks = \"0\" }
[[constraints]]
kind = \"m_plus\"
of = [\"x\", \"y\"]
[[constraints]]
kind = \"deriv\"
of = [\"x\", \"zz\"]
";
    std::fs::write(folder.path().join("system.toml"), system).expect("written");
    let said = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_kibitz-qsim"))
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .expect("the program runs");
        let code = output.status.code().unwrap_or(-1);
        format!("exit {code}\n{}", String::from_utf8_lossy(&output.stderr))
    };
    let all = [
        said(&["check", "system.toml"]),
        said(&["check", "nosuch.toml"]),
        said(&["check", "u-tub"]),
    ];
    insta::assert_snapshot!(all.join("\n"));
    let help = run(&["--help"]).stdout;
    let help = String::from_utf8_lossy(&help);
    assert!(
        help.trim_end().ends_with(&kibitz_text::Exit::help()),
        "{help}"
    );
}

#[test]
fn presses_and_quizzes() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let links = path("loops.csv");
    let lines = "from,to,sign\nhare,hare,-\nhare,fox,+\nfox,hare,-\n";
    std::fs::write(&links, lines).expect("written");
    let model = path("model.xmile");
    let xmile = "<xmile><model><variables><stock name=\"Tub\"><eqn>3</eqn><outflow>drain</outflow></stock>\
                 <flow name=\"drain\"><eqn>Tub / 5</eqn></flow></variables></model></xmile>";
    std::fs::write(&model, xmile).expect("written");
    let run = path("run.csv");
    std::fs::write(&run, "Time;Level;Note\n0;0;empty\n1;1;\n2;1.5;\n").expect("written");
    let mut quiz = Command::new(env!("CARGO_BIN_EXE_kibitz-qsim"))
        .args(["quiz", "bathtub", "--questions", "2"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut input = quiz.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut input, b"2\nx\n1 3\n").expect("answers");
    drop(input);
    let quiz = quiz.wait_with_output().expect("it ends");
    let all = [
        shown(&["press", &links]),
        shown(&["press", &links, "--format", "links", "--self-limits"]),
        shown(&["press", "--xmile", &model]),
        shown(&["simulate", &model]),
        shown(&[
            "check",
            "bathtub",
            "--trajectory",
            &run,
            "--column",
            "Time=time,Level=amount,Note=",
        ]),
        shown(&[
            "check",
            "bathtub",
            "--trajectory",
            &run,
            "--column",
            "Tme=time",
        ]),
        String::from_utf8_lossy(&quiz.stdout).into_owned(),
    ];
    let all = all
        .concat()
        .replace(&*folder.path().to_string_lossy(), "FOLDER");
    insta::assert_snapshot!(all);
}
