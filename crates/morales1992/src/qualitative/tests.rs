//! The learners on the four states that the thesis prints.

use kibitz_experiment::{Context, Experiment as _, Output, Problems, Runner, SeedName};
use kibitz_ilp::learn::Golem;
use kibitz_prolog::read_clauses;
use kibitz_qsim::learn::{GenmodelParams, LEARNED_KINDS, candidates, genmodel};
use rand::SeedableRng as _;

use super::*;
use crate::model_learning::ModelLearning;
use crate::systems::{accepts, find, places, value};

const STATES: [[&str; 4]; 4] = [
    ["la0/dec", "lb0/inc", "fab0/dec", "fba0/inc"],
    ["0..la0/dec", "lb0..inf/inc", "0..fab0/dec", "fba0..0/inc"],
    ["0..la0/std", "lb0..inf/std", "0/std", "0/std"],
    ["0/std", "0/std", "0/std", "0/std"],
];

/// The first `n` of La, Lb, Fab and Fba, and the four states of them.
fn given(n: usize) -> (Vec<Variable>, Vec<State>) {
    let tube = find("u-tube").expect("a system");
    let variables: Vec<Variable> = tube.model.variables()[..n].to_vec();
    let states = STATES.iter().map(|texts| {
        let values = variables.iter().zip(texts);
        let values = values.map(|(own, text)| value(&own.space, text).expect("a value"));
        values.collect()
    });
    let states = states.collect();
    (variables, states)
}

fn signatures(variables: &[Variable], constraints: &[Constraint]) -> Vec<String> {
    let mut all: Vec<String> = constraints
        .iter()
        .map(|c| signature(variables, c))
        .collect();
    all.sort();
    all
}

/// Section 8.4: Pal1 from four variables, Pal2 from three, literal for literal.
#[test]
fn pal_learns_what_is_printed() {
    for (n, name) in [(4, "table8-3/pal1"), (3, "table8-3/pal2")] {
        let (variables, states) = given(n);
        let all = candidates(&variables, LEARNED_KINDS);
        let learned = pal::learn(&variables, &states, &all).expect("learned");
        let printed = find(name).expect("a system").model;
        assert_eq!(
            signatures(&variables, &learned),
            signatures(printed.variables(), printed.constraints())
        );
    }
}

/// PAL keeps the constraints that all states satisfy, as Genmodel does, with corresponding values and without.
#[test]
fn pal_and_genmodel_agree_on_other_systems() {
    for name in ["spring", "bathtub", "ball"] {
        let system = find(name).expect("a system");
        let variables = system.model.variables();
        let legal = system.model.legal_states();
        let all = candidates(variables, LEARNED_KINDS);
        for (step, corresponding) in [(1, false), (7, false), (11, false), (1, true), (7, true)] {
            let states: Vec<State> = legal.iter().step_by(step).cloned().collect();
            let all = if corresponding {
                with_corresponding(variables, all.clone(), &states)
            } else {
                all.clone()
            };
            let learned = pal::learn(variables, &states, &all).expect("learned");
            let params = GenmodelParams {
                corresponding,
                ..GenmodelParams::default()
            };
            assert_eq!(
                learned,
                genmodel(variables, &states, &params),
                "{name} {step}"
            );
        }
    }
}

/// The clause that section 8.3 prints, over our tables, accepts what the model of Table 8.3 that
/// says the same accepts.
#[test]
fn tables_carry_the_printed_clause_of_golem() {
    let (variables, positive) = given(4);
    let golem = find("table8-3/golem").expect("a system");
    let space = find("table8-3/space").expect("a system");
    let at = places(&space, &golem).expect("the same variables");
    let states = space.model.legal_states();
    let expected: Vec<bool> = states
        .iter()
        .map(|state| accepts(&golem, &at, state))
        .collect();
    assert_eq!(expected.iter().filter(|accepted| **accepted).count(), 50);
    let negative = vec![
        vec![
            positive[0][0],
            positive[1][1],
            positive[2][2],
            positive[3][3],
        ]
        .into(),
    ];
    let examples = Examples { positive, negative };
    let listed = Tabulation {
        minus: true,
        ranges: None,
        generalized: Some(Golem::default()),
    };
    let learned =
        Program::learn(&variables, &examples, listed, &Golem::default()).expect("learned");
    let Theory::Program(mut program) = learned.theory else {
        panic!("Golem learns clauses");
    };
    let printed = "legalstate(A,B,C,D,E,B,F,D) :- deriv_la_fba(A,B,F,D), deriv_lb_fab(C,D,E,B),
                   minus_la_lb(A,B,G,D), minus_la_lb(G,B,C,D).";
    program.clauses = read_clauses(printed, &mut program.task.symbols).expect("Prolog");
    assert_eq!(
        program.accepts(&variables, &states).expect("decided"),
        expected
    );
}

/// Every learner decides its examples rightly, and the same seed gives the same model.
#[test]
fn models_are_right_on_their_examples() {
    let tube = find("u-tube").expect("a system");
    let (variables, positive) = given(4);
    let mut examples = Examples {
        positive,
        negative: Vec::new(),
    };
    let at: Vec<usize> = (0..4).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    examples.draw_negative(60, (&variables, &at), &tube, &mut rng);
    assert_eq!(examples.negative.len(), 60);
    for method in ["pal", "genmodel", "golem", "mfoil", "genetic"] {
        let learner: Learner =
            toml::from_str(&format!("method = \"{method}\"")).expect("a learner");
        let learn = || {
            let rng = &mut ChaCha8Rng::seed_from_u64(3);
            learner.learn(&variables, &examples, rng).expect("learned")
        };
        let mut learned = learn();
        assert_eq!(learned.text(&variables), learn().text(&variables));
        let mut count = |states: &[State]| {
            let accepted = learned.accepts(&variables, states).expect("decided");
            accepted.into_iter().filter(|accepted| *accepted).count()
        };
        assert_eq!(
            (count(&examples.positive), count(&examples.negative)),
            (4, 0),
            "{method}"
        );
    }
}

struct Alone;

impl Runner for Alone {}

fn example() -> ModelLearning {
    let file: toml::Table = ModelLearning::EXAMPLE.parse().expect("TOML");
    file["params"].clone().try_into().expect("parameters")
}

#[test]
fn the_example_is_computed() {
    let plan = example();
    let mut problems = Problems::new(Vec::new());
    plan.check(&mut problems);
    assert!(problems.into_found().is_empty());
    for cell in plan.cells() {
        let seed = SeedName {
            root: 1,
            experiment: "a/b",
            cell: &cell.id,
            replicate: 0,
        };
        let context = Context::new(&cell.id, 0, Some(seed), &Alone);
        let mut output = Output::default();
        plan.run(&cell.work, &context, &mut output)
            .expect("computed");
        let number = |column| output.number("", column).expect("a number");
        assert!(number("accepted") + number("rejected") > 2159.0);
        assert!(number("legal-accepted") > 0.0);
    }
}

#[test]
fn what_makes_no_sense_is_told() {
    let file = ModelLearning::EXAMPLE;
    let told = |from: &str, to: &str| {
        assert!(file.contains(from), "{from}");
        let file: toml::Table = file.replacen(from, to, 1).parse().expect("TOML");
        let plan: ModelLearning = file["params"].clone().try_into().expect("parameters");
        let mut problems = Problems::new(Vec::new());
        plan.check(&mut problems);
        let found: Vec<String> = (problems.into_found().iter())
            .map(|problem| problem.message.clone())
            .collect();
        found.join("; ")
    };
    assert_eq!(
        told("la0/dec", "la0/down"),
        "`u-tube` has no `la` with the value `la0/down`"
    );
    assert_eq!(
        told("\"fab\"]", "\"diff\"]"),
        "`diff` is not a variable of the systems and of every example"
    );
    assert_eq!(
        told(", negative = 100", ""),
        "this learner needs negative examples"
    );
    assert_eq!(
        told(
            "method = \"pal\"",
            "method = \"pal\", dimensions = [\"level\"]"
        ),
        "1 dimensions for 3 variables"
    );
}
