//! QSIM's guaranteed coverage: the behavior of every real system of the family is found. Linear
//! systems with random coefficients are integrated numerically, and the models follow the signs.

use std::fmt::Write;

use kibitz_qsim::Options;
use proptest::prelude::*;

use crate::common::bundled;

/// A variable of a model as seen in the numerical solution: its landmarks, each with the number that
/// is zero there, the number that is its derivative, and whether all signs are reversed.
type ObservedVariable = (&'static str, &'static [(&'static str, usize)], usize, bool);

/// The state in the notation of system files; a derivative that is not among the numbers is unknown.
fn described(signs: &[i32], readings: &[ObservedVariable], constants: &str) -> String {
    let mut text = format!("[[states]]\n{constants}");
    for (name, landmarks, derivative, turned) in readings {
        let sign = |number: usize| {
            if *turned {
                -signs[number]
            } else {
                signs[number]
            }
        };
        let at = landmarks.iter().find(|(_, number)| sign(*number) == 0);
        let magnitude = if let Some((landmark, _)) = at {
            (*landmark).to_owned()
        } else {
            let below = landmarks.iter().rev().find(|(_, number)| sign(*number) > 0);
            let above = landmarks.iter().find(|(_, number)| sign(*number) < 0);
            let end = |found: Option<&(&str, usize)>, infinity: &str| {
                found.map_or(infinity.to_owned(), |(landmark, _)| (*landmark).to_owned())
            };
            format!("{}..{}", end(below, "minf"), end(above, "inf"))
        };
        let direction = match signs.get(*derivative).map(|_| sign(*derivative)) {
            None => "?",
            Some(0) => "std",
            Some(sign) => ["dec", "inc"][usize::from(sign > 0)],
        };
        let _ = writeln!(text, "{name} = \"{magnitude}/{direction}\"");
    }
    text
}

/// The states that a linear system goes through: at the start, over the interval after it, at the
/// point in time where the first number passes zero, and so on. None if two pass zero at once.
fn observed(
    start: Vec<f64>,
    step: impl Fn(&[f64]) -> Vec<f64>,
    numbers: impl Fn(&[f64]) -> Vec<f64>,
) -> Option<Vec<Vec<i32>>> {
    const STEP: f64 = 1e-3;
    let sign = |x: &f64| match *x {
        x if x.abs() < 1e-12 => 0,
        x if x > 0.0 => 1,
        _ => -1,
    };
    let signs = |state: &[f64]| numbers(state).iter().map(sign).collect::<Vec<i32>>();
    let moved = |state: &[f64], slope: &[f64], by: f64| -> Vec<f64> {
        state.iter().zip(slope).map(|(x, dx)| x + by * dx).collect()
    };
    let mut state = start;
    let mut found = vec![signs(&state)];
    for _ in 0..8_000 {
        // The midpoint rule.
        let half = moved(&state, &step(&state), STEP / 2.0);
        state = moved(&state, &step(&half), STEP);
        // Near rest, signs of numbers are mere rounding errors.
        if numbers(&state).iter().any(|x| x.abs() < 1e-9) {
            break;
        }
        let now = signs(&state);
        let before = &found[found.len() - 1];
        if now == *before {
            continue;
        }
        if found.len() > 1 {
            let passing: Vec<usize> = (0..now.len())
                .filter(|at| now[*at] != before[*at])
                .collect();
            let [passing] = passing[..] else {
                return None;
            };
            let mut point = now.clone();
            point[passing] = 0;
            found.push(point);
        }
        found.push(now);
    }
    Some(found)
}

/// Whether the model follows the observed states; and, with chatter abstracted, the observed states
/// without the last number, the derivative that chatters.
fn is_followed(
    name: &str,
    start: [f64; 2],
    step: impl Fn(&[f64]) -> Vec<f64>,
    numbers: impl Fn(&[f64]) -> Vec<f64>,
    readings: &[ObservedVariable],
    constants: &str,
) -> Result<(), TestCaseError> {
    let system = bundled(name);
    for ignore_chatter in [false, true] {
        let seen = |state: &[f64]| {
            let mut all = numbers(state);
            all.truncate(all.len() - usize::from(ignore_chatter));
            all
        };
        let states = observed(start.to_vec(), &step, seen);
        prop_assume!(states.is_some());
        let states = states.unwrap_or_default();
        prop_assert!(states.len() >= 2);
        let text: String = states
            .iter()
            .map(|signs| described(signs, readings, constants))
            .collect();
        let sequence = system.read_states("states.toml", &text);
        let sequence = sequence.map_err(|problems| TestCaseError::fail(problems.to_string()))?;
        let options = Options {
            ignore_chatter,
            ..Options::default()
        };
        let followed = system.model.follow(&sequence, &options);
        prop_assert!(followed.is_ok(), "{:?}\n{}", followed, text);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_model_covers_springs_with_friction(k in 0.2..20.0_f64, c in 0.05..6.0_f64) {
        // x, x - x0, v, a and its derivative.
        let acceleration = move |x: f64, v: f64| -k * x - c * v;
        let readings: [ObservedVariable; 5] = [
            ("x", &[("0", 0), ("x0", 1)], 2, false),
            ("v", &[("0", 2)], 3, false),
            ("a", &[("0", 3)], 4, false),
            ("pull", &[("0", 0)], 2, true),
            ("drag", &[("0", 2)], 3, true),
        ];
        is_followed(
            "damped-spring",
            [1.0, 0.0],
            |s| vec![s[1], acceleration(s[0], s[1])],
            |s| {
                let a = acceleration(s[0], s[1]);
                vec![s[0], s[0] - 1.0, s[1], a, -k * s[1] - c * a]
            },
            &readings,
            "",
        )?;
    }

    #[test]
    fn the_model_covers_tanks(k in 0.2..5.0_f64, m in 0.2..5.0_f64) {
        // The amounts, the net flows of the tanks, and the derivative of the second one's.
        let gains = move |a: f64, b: f64| (1.0 - k * a, k * a - m * b);
        // The first gain falls as its tank fills: its derivative has the opposite sign.
        let readings: [ObservedVariable; 5] = [
            ("amount-a", &[("0", 0)], 1, false),
            ("outflow-a", &[("0", 0)], 1, false),
            ("amount-b", &[("0", 2)], 3, false),
            ("outflow-b", &[("0", 2)], 3, false),
            ("netflow-b", &[("0", 3)], 4, false),
        ];
        is_followed(
            "two-tanks",
            [0.0, 0.0],
            |s| {
                let (a, b) = gains(s[0], s[1]);
                vec![a, b]
            },
            |s| {
                let (a, b) = gains(s[0], s[1]);
                vec![s[0], a, s[1], b, k * a - m * b]
            },
            &readings,
            "inflow = \"if/std\"\n",
        )?;
    }
}
