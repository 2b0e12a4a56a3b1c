//! The U-tube by brute force: all states by hand-written rules, all sequences of three and four.

use kibitz_qsim::{Direction, Magnitude, Options, QValue, State};

use crate::common::{bundled, shown};

fn sign(x: i32) -> i32 {
    x.signum()
}

/// The sign of a magnitude, or of its distance from a landmark.
fn side(value: QValue, landmark: Magnitude) -> i32 {
    match value.magnitude().cmp(&landmark) {
        std::cmp::Ordering::Less => -1,
        std::cmp::Ordering::Equal => 0,
        std::cmp::Ordering::Greater => 1,
    }
}

fn direction(value: QValue) -> i32 {
    value.direction() as i32 - 1
}

/// Whether numbers of the signs `a` and `b` can have a sum of sign `c`.
fn adds(a: i32, b: i32, c: i32) -> bool {
    (-2..=2).any(|x| (-2..=2).any(|y| sign(x) == a && sign(y) == b && sign(x + y) == c))
}

/// Equation 8.1 of Morales 1992 with its corresponding values, constraint by constraint.
fn is_legal(state: &State) -> bool {
    let [la, lb, fab, fba, diff] = state[..] else {
        return false;
    };
    // minf, 0, la0, inf, and so on; of fba minf, fba0, 0, inf.
    let at = Magnitude::landmark;
    let infinite = |value: QValue| {
        i32::from(value.magnitude() == at(3)) - i32::from(value.magnitude() == at(0))
    };
    let sum = adds(direction(lb), direction(diff), direction(la))
        && adds(side(lb, at(1)), side(diff, at(1)), side(la, at(1)))
        && adds(side(lb, at(2)), side(diff, at(2)), side(la, at(2)))
        && adds(infinite(lb), infinite(diff), infinite(la));
    let monotone = direction(diff) == direction(fab)
        && side(diff, at(1)) == side(fab, at(1))
        && side(diff, at(2)) == side(fab, at(2));
    let opposite = direction(fab) == -direction(fba)
        && side(fab, at(1)) == -side(fba, at(2))
        && side(fab, at(2)) == -side(fba, at(1))
        && infinite(fab) == -infinite(fba);
    let derivatives = direction(la) == side(fba, at(2)) && direction(lb) == side(fab, at(1));
    sum && monotone && opposite && derivatives
}

/// The rank of a magnitude among landmarks and intervals.
fn rank(value: QValue) -> i32 {
    let all = (0..20).flat_map(|index| [Magnitude::landmark(index), Magnitude::above(index)]);
    let (rank, _) = (0..)
        .zip(all)
        .find(|(_, known)| *known == value.magnitude())
        .expect("small");
    rank
}

/// Continuity from a point in time to the interval after it.
pub(crate) fn opens(from: QValue, to: QValue) -> bool {
    let (moved, way) = (rank(to) - rank(from), direction(to));
    if from.magnitude().is_landmark() {
        // A moving variable leaves a landmark in its direction; only a resting one may stay, or start.
        let leaves = moved == way && way != 0;
        match direction(from) {
            0 => leaves || (moved == 0 && way == 0),
            before => leaves && way == before,
        }
    } else {
        moved == 0 && (direction(from) == 0 || direction(from) == way)
    }
}

/// Continuity from an interval of time to the point at its end.
pub(crate) fn closes(from: QValue, to: QValue) -> bool {
    let (moved, before, way) = (rank(to) - rank(from), direction(from), direction(to));
    match before {
        0 => moved == 0 && way == 0,
        _ => {
            !from.magnitude().is_landmark()
                && (moved == 0 || moved == before)
                && (way == 0 || way == before)
        }
    }
}

pub(crate) fn all(rule: fn(QValue, QValue) -> bool, from: &State, to: &State) -> bool {
    from.iter().zip(to).all(|(from, to)| rule(*from, *to))
}

#[test]
fn the_u_tube_has_the_behavior_of_table_8_1_and_no_other() {
    let system = bundled("u-tube");
    let model = &system.model;
    let legal: Vec<State> = model.states().filter(is_legal).collect();
    assert_eq!(legal, model.legal_states());

    let starts = |state: &&State| model.show(state).starts_with("la=la0/dec lb=lb0/inc ");
    let rests = |state: &State| state.iter().all(|v| v.direction() == Direction::Std);
    let mut found = Vec::new();
    for first in legal.iter().filter(starts) {
        for second in legal.iter().filter(|second| all(opens, first, second)) {
            for third in &legal {
                if all(closes, second, third) && third != second {
                    found.push(vec![first, second, third]);
                }
            }
        }
    }
    let options = Options {
        ignore_chatter: false,
        ..Options::default()
    };
    let tree = model.simulate(&system.initial, &options).unwrap();
    let behaviors = tree.behaviors();
    let simulated: Vec<Vec<State>> = (behaviors.iter())
        .map(|behavior| {
            let states = behavior.states.iter();
            states
                .map(|number| State::from(tree.state(*number).values()))
                .collect()
        })
        .collect();
    let found: Vec<Vec<State>> = found
        .into_iter()
        .map(|states| states.into_iter().cloned().collect())
        .collect();
    assert_eq!(simulated, found);
    assert!(rests(&found[0][2]));
    // The state of rest has no other successor: Table 8.1's last row is the only continuation.
    let after: Vec<&State> = legal
        .iter()
        .filter(|next| all(opens, &found[0][2], next))
        .collect();
    assert_eq!(after, [&found[0][2]]);

    // Table 8.1 prints `0..diff0/std` for Diff at t1; with Fab = 0 and Fab = M0+(Diff) it is 0.
    assert_eq!(
        shown(&tree, &behaviors[0]),
        [
            "t0 la0/dec lb0/inc fab0/dec fba0/inc diff0/dec",
            "(t0,t1) 0..la0/dec lb0..inf/inc 0..fab0/dec fba0..0/inc 0..diff0/dec",
            "t1 0..la0/std lb0..inf/std 0/std 0/std 0/std",
        ]
    );
}
