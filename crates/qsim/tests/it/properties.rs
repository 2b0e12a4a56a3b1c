//! Laws: constraints accept the qualitative values of numbers that satisfy them, and successors are
//! those that brute force finds.

use kibitz_qsim::{
    Constraint, ConstraintKind, Direction, Ending, Magnitude, Model, Options, Phase, QValue,
    QuantitySpace, State, Variable,
};
use proptest::prelude::*;

use crate::brute_force::{all, closes, opens};
use crate::common::exactly;

/// The space with these finite landmarks between the infinities; numbers are in halves.
fn space(landmarks: &[i64]) -> QuantitySpace {
    let mut names = vec!["minf".to_owned()];
    names.extend(landmarks.iter().map(i64::to_string));
    names.push("inf".to_owned());
    QuantitySpace::new(&names).expect("in order")
}

/// The magnitude of a number.
fn magnitude(landmarks: &[i64], x: i64) -> Magnitude {
    match landmarks.binary_search(&x) {
        Ok(index) => Magnitude::landmark(index + 1),
        Err(index) => Magnitude::above(index),
    }
}

fn value(landmarks: &[i64], x: i64, derivative: i64) -> QValue {
    let direction = match derivative.signum() {
        -1 => Direction::Dec,
        0 => Direction::Std,
        _ => Direction::Inc,
    };
    QValue::new(magnitude(landmarks, x), direction)
}

fn image(f: fn(i64) -> i64, landmarks: &[i64]) -> Vec<i64> {
    let mut found: Vec<i64> = landmarks.iter().map(|x| f(*x)).collect();
    found.sort_unstable();
    found
}

fn all_landmarks(most: i64) -> Vec<i64> {
    (-most..=most).collect()
}

/// A constraint as a function of its other arguments, with the derivative and the landmarks of its
/// value.
type Numbers = (ConstraintKind, fn(i64, i64) -> i64, i64, Vec<i64>);

proptest! {
    /// Numbers that satisfy an equation have qualitative values that its constraint accepts,
    /// whatever corresponding values it has.
    #[test]
    fn constraints_accept_solutions(
        (x, y) in (-7..=7_i64, -7..=7_i64),
        (dx, dy) in (-2..=2_i64, -2..=2_i64),
        rows in prop::collection::vec((-5..=5_i64, -5..=5_i64), 0..4),
        gaps in prop::collection::vec(1..4_i64, 3..6),
    ) {
        // Few landmarks among the arguments, so that numbers fall between them.
        let mut sparse = vec![0];
        for gap in &gaps {
            let (low, high) = (sparse[0], sparse[sparse.len() - 1]);
            if gap % 2 == 0 { sparse.insert(0, low - gap) } else { sparse.push(high + gap) }
        }
        let known = |x: &i64| sparse.contains(x);
        let rising: fn(i64) -> i64 = |x| x * x * x + x;
        let falling: fn(i64) -> i64 = |x| 3 - 2 * x;
        let dense = all_landmarks(60);
        let cases: [Numbers; 5] = [
            (ConstraintKind::Add, |x, y| x + y, dx + dy, dense.clone()),
            (ConstraintKind::Mult, |x, y| x * y, dx * y + x * dy, dense),
            (ConstraintKind::MPlus, |x, _| x * x * x + x, dx, image(rising, &sparse)),
            (ConstraintKind::MMinus, |x, _| 3 - 2 * x, -dx, image(falling, &sparse)),
            (ConstraintKind::Minus, |x, _| -x, -dx, image(|x| -x, &sparse)),
        ];
        for (kind, f, dz, of_z) in cases {
            let three = kind.arity() == 3;
            let mut variables = vec![Variable::new("x", space(&sparse))];
            let mut state = vec![value(&sparse, x, dx)];
            if three {
                variables.push(Variable::new("y", space(&sparse)));
                state.push(value(&sparse, y, dy));
            }
            variables.push(Variable::new("z", space(&of_z)));
            state.push(value(&of_z, f(x, y), dz));
            let mut constraint = Constraint::new(kind, (0..kind.arity()).collect::<Vec<_>>());
            for &(a, b) in &rows {
                if known(&a) && known(&b) {
                    let mut row = vec![magnitude(&sparse, a)];
                    row.extend(three.then(|| magnitude(&sparse, b)));
                    row.push(magnitude(&of_z, f(a, b)));
                    constraint = constraint.at(row);
                }
            }
            let model = Model::new(variables, vec![constraint.clone()]);
            let model = model.unwrap_or_else(|error| panic!("{constraint:?}: {error}"));
            prop_assert!(model.accepts(&state), "{kind} {x} {y} {constraint:?}");
        }
    }

    /// The successors of a state are exactly the legal states that continuity allows.
    #[test]
    fn successors_are_those_of_brute_force(model in any_model(), pick in any::<prop::sample::Index>()) {
        let legal = model.legal_states();
        let by_hand: Vec<State> = model.states().filter(|state| model.accepts(state)).collect();
        prop_assert_eq!(&legal, &by_hand);
        prop_assume!(!legal.is_empty());
        let start = &legal[pick.index(legal.len())];
        let options = Options {
            no_change: false,
            divergence: false,
            infinite_time: false,
            departures: true,
            max_states: 300,
            ignore_chatter: false,
            ..Options::default()
        };
        let graph = model.envision(&[exactly(start)], &options).unwrap();
        let rests = |state: &State| state.iter().all(|v| v.direction() == Direction::Std);
        // Beyond the limit no state is expanded.
        let expanded = |number: &usize| graph.ending(*number) != Some(Ending::NotExpanded);
        for number in (0..graph.len()).filter(expanded).take(20) {
            let state = State::from(graph.values(number));
            let point = graph.phase(number) == Phase::Point;
            let rule = if point { opens } else { closes };
            let mut expected: Vec<&State> = (legal.iter())
                .filter(|next| all(rule, &state, next))
                .filter(|next| !rests(&state) || (point && **next != state))
                .collect();
            let mut found: Vec<State> = (graph.successors(number).iter())
                .map(|next| State::from(graph.values(*next as usize)))
                .collect();
            found.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(found.iter().collect::<Vec<_>>(), expected);
        }
    }
}

/// A few variables in small spaces with a few constraints, some of them with a variable twice.
fn any_model() -> impl Strategy<Value = Model> {
    let spaces = prop::collection::vec(0..3_usize, 2..4);
    let constraints = prop::collection::vec((0..7_usize, 0..9_usize, 0..9_usize, 0..9_usize), 0..4);
    (spaces, constraints).prop_map(|(spaces, constraints)| {
        let n = spaces.len();
        let landmarks: [&[&str]; 3] =
            [&["minf", "0", "inf"], &["0", "a"], &["-1", "0", "a", "inf"]];
        let variables = spaces.iter().enumerate().map(|(index, which)| {
            Variable::new(
                format!("v{index}"),
                QuantitySpace::new(landmarks[*which]).expect("in order"),
            )
        });
        let constraints = constraints.iter().map(|&(kind, a, b, c)| {
            let kind = ConstraintKind::ALL[kind];
            Constraint::new(kind, &[a % n, b % n, c % n][..kind.arity()])
        });
        Model::new(variables.collect(), constraints.collect()).expect("every space has a zero")
    })
}
