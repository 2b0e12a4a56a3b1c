//! `check --trajectory`: measured trajectories against a system, through the command line, and files
//! from strangers.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};
use std::fmt::Write as _;
use std::process::Command;

use kibitz_qsim::{CheckError, CheckParams, System, render};
use proptest::prelude::*;
use tempfile::TempDir;

use crate::common::bundled;

/// Rows of a CSV file: a name and a function of time a column.
fn csv(times: impl Iterator<Item = f64>, columns: &[(&str, &dyn Fn(f64) -> f64)]) -> String {
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let mut text = format!("time,{}\n", names.join(","));
    for time in times {
        let _ = write!(text, "{time}");
        for (_, value) in columns {
            let _ = write!(text, ",{:.6}", value(time));
        }
        text += "\n";
    }
    text
}

/// Two levels that approach each other.
fn levels(text: impl Fn(f64) -> f64) -> String {
    let other = |t: f64| 2.0 - (-t).exp();
    csv(
        (0..13).map(|step| f64::from(step) / 4.0),
        &[("la", &text), ("lb", &other), ("fab", &|t| (-t).exp())],
    )
}

/// Exit code and both streams of `check SYSTEM --trajectory run.csv` with more arguments.
fn check(system: &str, run: &str, more: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    check_in(&folder, system, run, more)
}

fn check_in(folder: &TempDir, system: &str, run: &str, more: &[&str]) -> String {
    std::fs::write(folder.path().join("run.csv"), run).expect("written");
    let output = Command::new(env!("CARGO_BIN_EXE_kibitz-qsim"))
        .current_dir(folder.path())
        .args(["check", system, "--trajectory", "run.csv"])
        .args(more)
        .output()
        .expect("the program runs");
    let words = [
        &["$ kibitz-qsim check", system, "--trajectory run.csv"],
        more,
    ]
    .concat();
    format!(
        "{}\nexit {}\n{}{}\n",
        words.join(" "),
        output.status.code().unwrap_or(-1),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn trajectories_are_checked() {
    let falling = |t: f64| 2.0 + (-t).exp();
    // The flow turns around before the levels are equal.
    let rising = |t: f64| {
        if t <= 1.5 {
            2.0 + (-t).exp()
        } else {
            2.0 + (-1.5_f64).exp() + (t - 1.5).powi(2) / 4.0
        }
    };
    let negative = |t: f64| 3.0 - 2.0 * t;
    let fills = |t: f64| 10.0 * (1.0 - (-t / 2.0).exp());
    let bathtub = csv(
        (0..21).map(|step| f64::from(step) / 4.0),
        &[
            ("amount", &fills),
            ("netflow", &|t| 5.0 * (-t / 2.0).exp()),
            ("inflow", &|_| 5.0),
        ],
    );
    // A ball thrown up at 5 m/s that bounces.
    let phase = |t: f64| t % (10.0 / 9.81);
    let ball = csv(
        (0..60).map(|step| f64::from(step) / 20.0),
        &[
            ("y", &|t| 5.0 * phase(t) - 4.905 * phase(t).powi(2)),
            ("v", &|t| 5.0 - 9.81 * phase(t)),
        ],
    );
    // A spring that gets stiffer where it comes back from the right, and so gains energy.
    let stiffer = |t: f64| match t {
        _ if t < FRAC_PI_2 => (t.sin(), t.cos()),
        _ if t < 3.0 * FRAC_PI_4 => {
            let t = 2.0 * (t - FRAC_PI_2);
            (t.cos(), -2.0 * t.sin())
        }
        _ => {
            let t = t - 3.0 * FRAC_PI_4;
            (-2.0 * t.sin(), -2.0 * t.cos())
        }
    };
    let stiffer = csv(
        (0..56).map(|step| f64::from(step) / 10.0),
        &[("x", &|t| stiffer(t).0), ("v", &|t| stiffer(t).1)],
    );
    let spring = csv(
        (0..160).map(|step| f64::from(step) / 10.0),
        &[("x", &|t| t.sin()), ("v", &f64::cos)],
    );
    let all = [
        check("u-tube", &levels(falling), &[]),
        check("u-tube", &levels(rising), &[]),
        check("u-tube", &levels(negative), &[]),
        check("bathtub", &bathtub, &[]),
        check("bathtub", &bathtub, &["--landmark", "amount:full=12"]),
        check("bathtub", &bathtub, &["--landmark", "amount:full=8"]),
        check("bouncing-ball", &ball, &[]),
        check("spring", &spring, &[]),
        check("spring", &stiffer, &[]),
        check("spring", &stiffer, &["--without", "energy"]),
        check("ball", "time,y,v\n0,-1,2\n1,2,3\n", &[]),
        check("spring", "time,x,v\n1,1,0.5\n2,1.3,0.2\n", &[]),
        check("spring", "time,x,v\n1,1,0.5\n2,1.3,0.2\n", &["--any-start"]),
    ];
    insta::assert_snapshot!(all.concat());
}

#[test]
fn mistakes_in_trajectories_have_places() {
    let all = [
        check("spring", "", &[]),
        check("spring", "time,x\n", &[]),
        check("spring", "t,x\n0,1\n", &[]),
        check("spring", "time,\"x\", V,x\n0,1,2,3\n", &[]),
        check(
            "spring",
            "\u{feff}time;x\r\n0;1\r\n 1; 1,5\r\n1;inf\r\n2\r\n;3\r\n",
            &[],
        ),
        check("spring", "time;x\n0,0;1,5\n0,5;2,5\n", &[]),
        check("spring", "time\n0\n", &[]),
        check("spring", &format!("time,x\n{}", "0,?\n".repeat(50)), &[]),
        check("spring", "time,x\n0,1\n", &["--landmark", "v:v1=2"]),
        check("spring", "time,x\n0,1\n", &["--landmark", "v:v0=-2"]),
        check("spring", "time,x\n0,1\n", &["--landmark", "v0=2"]),
        check("spring", "time,x\n0,1\n", &["--tolerance", "0.1,y=2"]),
        check("spring", "time,x\n0,1\n", &["--steady", "-1"]),
        check("three-tanks", "time\n0\n", &[]),
    ];
    insta::assert_snapshot!(all.concat());
}

/// Values of landmarks in the system's file.
#[test]
fn systems_tell_what_landmarks_are() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let tank = |values: &str| {
        let text = format!(
            "title = \"a tank\"\n[variables]\n\
             amount = {{ landmarks = [\"0\", \"half\", \"full\"], values = {values} }}\n"
        );
        std::fs::write(folder.path().join("tank.toml"), text).expect("written");
        check_in(&folder, "tank.toml", "time,amount\n0,1\n1,2\n2,3\n", &[])
    };
    let all = [
        tank("{ half = 1.5, full = 3 }"),
        tank("{ full = 2.5 }"),
        tank("{ full = 3, hafl = 1 }"),
        tank("{ full = 3, half = 4, \"0\" = 1 }"),
    ];
    insta::assert_snapshot!(all.concat());
}

/// Reads and checks; whatever the text says, there is an answer.
fn answered(system: &System, text: &str) {
    match system.read_trajectory("run.csv", text) {
        Err(problems) => assert!(!problems.is_empty() && !problems.to_string().is_empty()),
        Ok(trajectory) => match system.cover(&trajectory, &CheckParams::default()) {
            Ok(cover) => drop(render::cover_text(&system.model, &trajectory, &cover)),
            Err(CheckError::Uncovered(found)) => {
                drop(found.diagnostic(system, &trajectory).to_string());
            }
            Err(error) => drop(error.to_string()),
        },
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_is_answered(text in "(time|[xva0-9,;\"\\-. \n\r\te]|inf|é){0,60}") {
        answered(&bundled("spring"), &text);
    }

    #[test]
    fn any_numbers_are_answered(
        head in prop::sample::subsequence(vec!["x", "v", "a"], 1..4),
        rows in prop::collection::vec((1e-3..2.0_f64, prop::collection::vec(-2..3_i32, 3)), 1..8),
        start in any::<bool>(),
    ) {
        let mut system = bundled("spring");
        system.options.max_states = 300;
        if start {
            system.initial.clear();
        }
        let mut text = format!("time,{}\n", head.join(","));
        let mut time = 0.0;
        for (step, values) in rows {
            time += step;
            let values: Vec<String> = values.iter().take(head.len()).map(i32::to_string).collect();
            let _ = writeln!(text, "{time},{}", values.join(","));
        }
        answered(&system, &text);
    }
}

/// Nothing but the energy binds position and velocity, so that states count once for each set of earlier
/// points, and there are too many of these.
#[test]
fn sets_of_earlier_points_are_limited() {
    let ball = r#"
title = "a ball without laws of motion"
[variables]
y = { landmarks = ["0", "inf"], about = "height" }
v = { landmarks = ["minf", "0", "v0", "inf"], about = "velocity" }
[energy]
position = "y"
velocity = "v"
trend = "conserved"
"#;
    let mut system = System::from_toml("ball", ball).expect("a system");
    system.options.max_states = 200;
    let samples = "time;v;y\n0.0;4.905;0.0\n0.2;2.943;0.7848\n0.4;8.019;1.1772\n0.6;-0.981;1.1772\n\
                   0.8;;0.7848\n1.0;4.905;0.0\n1.2;2.943;0.7848\n";
    let trajectory = system
        .read_trajectory("samples", samples)
        .expect("a trajectory");
    let found = system.cover(&trajectory, &CheckParams::default());
    assert!(matches!(
        found,
        Err(CheckError::TooManyStates { limit: 200 })
    ));
}

/// A variable that only rises cannot fall from one sample to the next, however few samples there are; one
/// that may turn can.
#[test]
fn a_fall_between_samples_needs_a_falling_state() {
    let rises = r#"
title = "a tank with an inflow only"
[variables]
amount = { landmarks = ["0", "inf"] }
inflow = { landmarks = ["0", "inf"] }
[[constraints]]
kind = "deriv"
of = ["amount", "inflow"]
[[initial]]
amount = "0"
inflow = "0..inf"
"#;
    let turns = rises.replace(
        r#"inflow = { landmarks = ["0","#,
        r#"inflow = { landmarks = ["minf", "0","#,
    );
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut said = String::new();
    for (name, text) in [("rises.toml", rises), ("turns.toml", &turns)] {
        std::fs::write(folder.path().join(name), text).expect("written");
        for last in ["3.9", "4.1"] {
            let run = format!("time,amount\n0,0\n1,1.5\n2,2.8\n3,4\n4,{last}\n");
            said += &check_in(&folder, name, &run, &[]);
        }
    }
    insta::assert_snapshot!(said);
}
